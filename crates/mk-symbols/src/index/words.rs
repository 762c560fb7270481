//! Which words a text uses, as hashes: enough to say where a name cannot occur, in four bytes each.

/// The hash of a word; different words may share one, so that a hit is a candidate and nothing more.
pub(crate) fn hash(word: &str) -> u32 {
    word.bytes().fold(SEED, step)
}

const SEED: u32 = 0x811c_9dc5;

fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// The hashes of all words of a text, sorted, each once. Numbers are no words.
pub(crate) fn words(text: &str) -> Box<[u32]> {
    let mut hashes = Vec::new();
    let mut word: Option<u32> = None;
    let mut is_number = false;
    for byte in text.bytes().chain([b' ']) {
        if is_word(byte) {
            is_number = word.map_or(byte.is_ascii_digit(), |_| is_number);
            word = Some(step(word.unwrap_or(SEED), byte));
        } else if let Some(hash) = word.take()
            && !is_number
        {
            hashes.push(hash);
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into_boxed_slice()
}

/// Letters beyond ASCII are parts of words in most languages.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Where a word stands in a text as a whole word.
pub(crate) fn occurrences<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = text.as_bytes();
    let edge = |neighbour: Option<&u8>| neighbour.is_none_or(|byte| !is_word(*byte));
    text.match_indices(word)
        .map(|(position, _)| position)
        .filter(move |position| {
            let before = position.checked_sub(1).and_then(|before| bytes.get(before));
            edge(before) && edge(bytes.get(position + word.len()))
        })
}
