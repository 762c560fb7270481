//! How well a name fits what somebody typed.

use mk_types::edit_distance;

use crate::index::Letters;

/// How a pattern is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Matching {
    /// Every way, the closest first; guesses only where nothing else fits.
    #[default]
    Ranked,
    /// The whole name, with its capital letters.
    Exact,
    /// Part of the name, whatever the capital letters.
    Substring,
    /// Every way, guesses included.
    Fuzzy,
}

/// How close a name is; the smaller the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closeness {
    Exact,
    /// But for capital letters.
    Caseless,
    Prefix,
    /// The starts of its words: `jh` for `JoinHandle` and `join_handle`.
    Humps,
    Substring,
    /// With so many letters wrong, swapped, missing or too much.
    Typo(u8),
    /// The letters occur in this order.
    Scattered,
}

/// A pattern that is compared with many names.
#[derive(Debug)]
pub(crate) struct Matcher<'a> {
    pattern: &'a str,
    lower: String,
    letters: Letters,
    matching: Matching,
    humps: Option<Humps>,
    most_typos: u32,
}

/// Longer patterns are not guessed at: it would take long and mean nothing.
const LONGEST_GUESS: usize = 64;

impl<'a> Matcher<'a> {
    /// `Ranked` finds what is sure only; who wants guesses too asks again with `Fuzzy`.
    pub(crate) fn new(pattern: &'a str, matching: Matching) -> Self {
        let lower = pattern.to_lowercase();
        let most_typos = match lower.chars().count() {
            4..=7 => 1,
            8..=LONGEST_GUESS => 2,
            _ => 0,
        };
        Self {
            pattern,
            letters: Letters::of(&lower),
            humps: Humps::new(&lower).filter(|_| matching != Matching::Substring),
            lower,
            matching,
            most_typos,
        }
    }

    pub(crate) fn closeness(&self, name: &str, letters: Letters) -> Option<Closeness> {
        if name == self.pattern {
            return Some(Closeness::Exact);
        }
        if self.matching == Matching::Exact || self.lower.is_empty() {
            return None;
        }
        // Most names lack a letter of the pattern, and nothing more needs to be known about them.
        let n_missing = self.letters.missing_in(letters);
        let guesses = self.matching == Matching::Fuzzy;
        if n_missing > 0 {
            let may_be_typo = guesses && n_missing <= self.most_typos && self.is_as_long(name);
            return may_be_typo
                .then(|| self.typo(&name.to_lowercase()))
                .flatten();
        }
        let lower = name.to_lowercase();
        self.sure(name, &lower)
            .or_else(|| guesses.then(|| self.guess(&lower)).flatten())
    }

    /// Whether so few typos can make up for how much longer or shorter a name is.
    fn is_as_long(&self, name: &str) -> bool {
        let difference = name.len().abs_diff(self.lower.len());
        let most = self.most_typos as usize;
        // A letter has at most four bytes.
        difference <= most || difference <= 4 * most && !(name.is_ascii() && self.lower.is_ascii())
    }

    fn sure(&self, name: &str, lower: &str) -> Option<Closeness> {
        let position = lower.find(&self.lower);
        let fits_humps = || self.humps.as_ref().is_some_and(|humps| humps.fit(name));
        if position == Some(0) {
            let is_whole = lower.len() == self.lower.len();
            Some(if is_whole {
                Closeness::Caseless
            } else {
                Closeness::Prefix
            })
        } else if fits_humps() {
            Some(Closeness::Humps)
        } else {
            position.map(|_| Closeness::Substring)
        }
    }

    fn guess(&self, lower: &str) -> Option<Closeness> {
        if self.most_typos == 0 {
            return None;
        }
        let typo = self.is_as_long(lower).then(|| self.typo(lower)).flatten();
        typo.or_else(|| is_subsequence(&self.lower, lower).then_some(Closeness::Scattered))
    }

    fn typo(&self, lower: &str) -> Option<Closeness> {
        let most = self.most_typos as usize;
        let typos = if self.lower.is_ascii() && lower.is_ascii() {
            edit_distance(self.lower.as_bytes(), lower.as_bytes(), most)
        } else {
            let letters = |text: &str| text.chars().collect::<Vec<char>>();
            edit_distance(&letters(&self.lower), &letters(lower), most)
        };
        Some(Closeness::Typo(u8::try_from(typos?).unwrap_or(u8::MAX)))
    }
}

/// The beginnings of words that make up a pattern, for comparing many names: bit `n` of a letter's set says that the
/// letter is the pattern's `n`th.
#[derive(Debug)]
pub(crate) struct Humps {
    ascii: [u64; 128],
    others: Vec<(char, u64)>,
    n_letters: usize,
}

/// What counts of a letter of a name.
struct Letter {
    places: u64,
    is_word: bool,
    is_upper: bool,
}

impl Humps {
    /// `None` if the pattern is too short to say something, or too long.
    pub(crate) fn new(lower: &str) -> Option<Self> {
        let mut humps = Self {
            ascii: [0; 128],
            others: Vec::new(),
            n_letters: 0,
        };
        for letter in lower.chars().filter(|letter| *letter != '_') {
            let place = 1 << humps.n_letters;
            match humps.ascii.get_mut(letter as usize) {
                Some(places) => *places |= place,
                None => humps.others.push((letter, place)),
            }
            humps.n_letters += 1;
            if humps.n_letters >= 60 {
                return None;
            }
        }
        (humps.n_letters >= 2).then_some(humps)
    }

    fn places(&self, letter: char) -> u64 {
        let in_others = || {
            let same = self.others.iter().filter(|(known, _)| *known == letter);
            same.fold(0, |places, (_, place)| places | place)
        };
        let known = self.ascii.get(letter as usize).copied();
        known.unwrap_or_else(in_others)
    }

    /// Whether beginnings of a name's words, in their order, make up the pattern.
    pub(crate) fn fit(&self, name: &str) -> bool {
        if name.len() < self.n_letters {
            return false;
        }
        if name.is_ascii() {
            let letters = name.bytes().map(|byte| Letter {
                places: self.ascii[usize::from(byte.to_ascii_lowercase() & 127)],
                is_word: byte.is_ascii_alphanumeric(),
                is_upper: byte.is_ascii_uppercase(),
            });
            return self.is_reached(letters);
        }
        self.is_reached(name.chars().map(|letter| Letter {
            places: self.places(letter.to_ascii_lowercase()),
            is_word: letter.is_alphanumeric(),
            is_upper: letter.is_uppercase(),
        }))
    }

    fn is_reached(&self, letters: impl Iterator<Item = Letter>) -> bool {
        // How much of the pattern the words so far can make up, and the current one as it goes on.
        let mut reached = 1_u64;
        let mut going = 0_u64;
        let (mut was_word, mut was_upper) = (false, false);
        for letter in letters {
            if letter.is_word && (!was_word || letter.is_upper && !was_upper) {
                going = reached;
            }
            going = (going & letter.places) << 1;
            reached |= going;
            (was_word, was_upper) = (letter.is_word, letter.is_upper);
        }
        reached >> self.n_letters & 1 == 1
    }
}

fn is_subsequence(pattern: &str, name: &str) -> bool {
    let mut letters = name.chars();
    pattern
        .chars()
        .all(|wanted| letters.any(|letter| letter == wanted))
}
