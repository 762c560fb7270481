//! Words as the index knows them: lower case, without accents, Chinese, Japanese and Korean text in pairs of characters.

/// Calls back with every word of a line.
///
/// A run of characters without spaces between words gives its overlapping pairs, or itself if it is one character.
pub(super) fn words(line: &str, word: &mut String, mut found: impl FnMut(&str)) {
    word.clear();
    let mut previous: Option<char> = None;
    let mut run_length = 0_usize;
    for character in line.chars() {
        if is_unspaced(character) {
            flush(word, &mut found);
            if let Some(previous) = previous {
                word.push(previous);
                word.push(character);
                flush(word, &mut found);
            }
            previous = Some(character);
            run_length += 1;
            continue;
        }
        end_run(&mut previous, &mut run_length, word, &mut found);
        if character.is_alphanumeric() {
            push_folded(word, character);
        } else {
            flush(word, &mut found);
        }
    }
    end_run(&mut previous, &mut run_length, word, &mut found);
    flush(word, &mut found);
}

fn end_run(
    previous: &mut Option<char>,
    run_length: &mut usize,
    word: &mut String,
    found: &mut impl FnMut(&str),
) {
    if let Some(single) = previous.take().filter(|_| *run_length == 1) {
        word.push(single);
        flush(word, found);
    }
    *run_length = 0;
}

fn flush(word: &mut String, found: &mut impl FnMut(&str)) {
    if !word.is_empty() {
        found(word);
        word.clear();
    }
}

pub(super) fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x1100..=0x11FF | 0x3040..=0x30FF | 0x3130..=0x318F | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x2_0000..=0x2_FFFF)
}

fn push_folded(word: &mut String, character: char) {
    if character.is_ascii() {
        word.push(character.to_ascii_lowercase());
        return;
    }
    for lower in character.to_lowercase() {
        let plain = match lower {
            'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
            'ç' | 'ć' | 'č' => 'c',
            'ď' => 'd',
            'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
            'ì'..='ï' | 'ī' | 'į' => 'i',
            'ł' => 'l',
            'ñ' | 'ń' | 'ň' => 'n',
            'ò'..='ö' | 'ō' | 'ő' | 'ø' => 'o',
            'ř' => 'r',
            'ś' | 'š' | 'ş' => 's',
            'ť' => 't',
            'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
            'ý' | 'ÿ' => 'y',
            'ź' | 'ż' | 'ž' => 'z',
            // Accents that stand alone after their letter.
            '\u{300}'..='\u{36F}' => continue,
            other => other,
        };
        word.push(plain);
    }
}

/// The part of a word that its English or Spanish forms share. Light: it joins `tests`, `testing` and `tested`, no more.
pub(super) fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.is_ascii() {
        return word;
    }
    let endings = [
        "aciones", "ations", "acion", "ation", "mente", "iendo", "ando", "ating", "ated", "ates",
        "ate", "ings", "ing", "edly", "ies", "ers", "ed", "es", "er", "ly", "s", "e",
    ];
    for ending in endings {
        if let Some(rest) = word.strip_suffix(ending)
            && rest.len() >= 3
            && rest.contains(['a', 'e', 'i', 'o', 'u', 'y'])
            && !(ending == "s" && rest.ends_with(['s', 'u']))
        {
            return undouble(rest);
        }
    }
    undouble(word)
}

/// `runn` of `running` is `run`; `planned` meets `plan`. A final `y` or `i` is dropped so that `query` meets `queries`.
fn undouble(word: &str) -> &str {
    let word = match word.strip_suffix(['y', 'i']) {
        Some(rest) if rest.len() >= 3 => rest,
        _ => word,
    };
    let mut backwards = word.chars().rev();
    match (backwards.next(), backwards.next()) {
        (Some(last), Some(before)) if last == before && !"lsz".contains(last) && word.len() > 3 => {
            word.strip_suffix(last).unwrap_or(word)
        }
        _ => word,
    }
}

/// Words that say nothing about what is searched, as long as there are others.
pub(super) fn is_stop_word(word: &str) -> bool {
    const STOP_WORDS: [&str; 42] = [
        "a", "an", "and", "are", "as", "at", "be", "by", "can", "con", "de", "del", "do", "el",
        "en", "for", "from", "how", "i", "in", "is", "it", "la", "las", "los", "of", "on", "or",
        "para", "por", "que", "the", "this", "to", "un", "una", "use", "what", "when", "with", "y",
        "you",
    ];
    STOP_WORDS.binary_search(&word).is_ok()
}
