//! Korean words without their particles and endings: 버그가, 버그를, 버그입니다 are all 버그.
//!
//! It takes off endings from a list and leaves at least two syllables; it is no morphological analysis.
//! Keys and prompts are cut alike, so that a cut which is linguistically wrong still compares right.

/// Sorted; a test keeps it so.
#[rustfmt::skip]
pub(crate) const ENDINGS: &[&str] = &[
    "가", "고", "고서", "과", "과의", "까지", "까지는", "나", "는", "달라", "달라고", "도", "돼", "돼서", "돼요",
    "됐는데", "됐다", "됐습니다", "됐어", "됐어요", "되", "되게", "되는", "되는데", "되도록", "되면", "되어",
    "되었습니다", "되었어", "되지", "된", "된다", "될", "됨", "됩니다", "들", "들에", "들은", "들을", "들의", "들이",
    "라고", "라는", "란", "랑", "려고", "로", "로는", "로도", "를", "마다", "만", "면", "밖에", "보다", "봐",
    "봐요", "봐주세요", "부터", "부터는", "시켜", "시켜주세요", "시켜줘", "야", "에", "에게", "에게서", "에는", "에도",
    "에서", "에서는", "에서도", "예요", "와", "와의", "요", "으려고", "으로", "으로는", "으로도", "으로부터", "으면", "은",
    "을", "의", "이", "이고", "이나", "이라고", "이라는", "이란", "이랑", "이면", "이야", "이었는데", "이에요",
    "이지만", "인가", "인가요", "인데", "인데요", "인지", "입니까", "입니다", "조차", "주세요", "주실래", "주십시오", "줄래",
    "줄래요", "중", "중에", "중인", "줘", "줘요", "처럼", "하", "하게", "하겠습니다", "하고", "하기", "하기로", "하는",
    "하는데", "하는데요", "하도록", "하려고", "하려면", "하면", "하면서", "하세요", "하십시오", "하자", "하자고", "하지",
    "하지만", "한", "한다", "한다고", "한테", "할", "할게", "할까", "할래", "함", "합니다", "해", "해놓고", "해달라",
    "해라", "해보세요", "해보자", "해봐", "해봐요", "해서", "해야", "해야해", "해야해요", "해요", "해주세요",
    "해주시겠어요", "해주실래요", "해주십시오", "해줄래", "해줄래요", "해줘", "해줘요", "했는데", "했다", "했습니다", "했어",
    "했어요",
];
const LONGEST_ENDING: usize = 6;
const LEAST_SYLLABLES: usize = 2;
/// Particles stack (버그에서도), but not without end.
const MOST_CUTS: usize = 2;

/// The word without its endings.
pub(super) fn stem(word: &str) -> &str {
    let mut stem = word;
    for _ in 0..MOST_CUTS {
        match without_ending(stem) {
            Some(shorter) => stem = shorter,
            None => break,
        }
    }
    stem
}

/// Whether a run of Hangul is nothing but a particle or an ending.
pub(super) fn is_ending(word: &str) -> bool {
    ENDINGS.binary_search(&word).is_ok()
}

/// Tries the longest ending first.
fn without_ending(word: &str) -> Option<&str> {
    word.char_indices()
        .skip(LEAST_SYLLABLES)
        .map(|(at, _)| word.split_at(at))
        .skip_while(|(_, ending)| ending.chars().nth(LONGEST_ENDING).is_some())
        .find(|(_, ending)| is_ending(ending))
        .map(|(stem, _)| stem)
}
