//! Whether a text is in a language that nothing here was made for.
//!
//! Such a text may resemble one that is known, so what follows from it is never sure.

/// Letters that only these languages have among those with a Latin alphabet.
const LETTERS: &str = "ğışİłąęćżźńśőűřěšžčďťňůăâđơưạảấầẩẫậắằẳẵặẹẻẽềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ";

/// Small words of Italian, Turkish, Polish, Vietnamese, Dutch, Swedish and Indonesian that the known languages lack.
const WORDS: [&str; 88] = [
    "il", "gli", "che", "perché", "perche", "questo", "questa", "questi", "della", "delle",
    "dello", "degli", "nella", "nello", "sono", "anche", "più", "così", "puoi", "voglio", "fammi",
    "aggiungi", "scrivi", "spiegami", "dammi", "funziona", "quando", "cosa", "bir", "bu", "ve",
    "için", "icin", "değil", "neden", "nasıl", "var", "yok", "daha", "şu", "kodu", "lütfen",
    "hata", "jest", "nie", "się", "sie", "czy", "dlaczego", "jak", "tego", "ten", "proszę", "dla",
    "przez", "został", "działa", "mi", "của", "không", "là", "và", "cho", "này", "tôi", "được",
    "những", "viết", "het", "een", "niet", "waarom", "werkt", "deze", "och", "inte", "att", "det",
    "varför", "fungerar", "yang", "tidak", "untuk", "dengan", "kenapa", "ini", "saya", "tolong",
];
/// Words that a known language has too.
const SHARED: [&str; 8] = ["sie", "mi", "var", "sono", "ten", "che", "bu", "det"];

/// Words that are looked at.
const MOST_WORDS: usize = 200;

pub(crate) fn is_foreign(text: &str) -> bool {
    let words = text.split(|sign: char| !sign.is_alphabetic());
    let (mut n_words, mut sum) = (0_usize, 0_usize);
    for word in words.filter(|word| !word.is_empty()).take(MOST_WORDS) {
        n_words += 1;
        sum += if word.is_ascii() {
            worth_of(|known| known.eq_ignore_ascii_case(word))
        } else {
            let word = word.to_lowercase();
            // No other language has the letter: the word need not be known.
            let is_own = |sign: char| !sign.is_ascii() && LETTERS.contains(sign);
            worth_of(|known| known == word) + if word.chars().any(is_own) { 2 } else { 0 }
        };
    }
    // One such word in eight, or two of them in a short text.
    sum >= 2 && sum * 4 >= n_words
}

/// What a word counts: two, one if a known language has it too.
fn worth_of(is_it: impl Fn(&str) -> bool) -> usize {
    if SHARED.iter().any(|known| is_it(known)) {
        1
    } else if WORDS.iter().any(|known| is_it(known)) {
        2
    } else {
        0
    }
}
