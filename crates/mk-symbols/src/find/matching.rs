//! How well a name fits what somebody typed.

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
        if n_missing > 0 && !(guesses && n_missing <= self.most_typos) {
            return None;
        }
        let lower = name.to_lowercase();
        self.sure(name, &lower)
            .or_else(|| guesses.then(|| self.guess(&lower)).flatten())
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
        if let Some(typos) = distance(&self.lower, lower, self.most_typos as usize) {
            return Some(Closeness::Typo(u8::try_from(typos).unwrap_or(u8::MAX)));
        }
        is_subsequence(&self.lower, lower).then_some(Closeness::Scattered)
    }
}

/// The beginnings of words that make up a pattern, for comparing many names: bit `n` of a letter's set says that the
/// letter is the pattern's `n`th.
#[derive(Debug)]
struct Humps {
    letters: Vec<(char, u64)>,
    n_letters: usize,
}

impl Humps {
    /// `None` if the pattern is too short to say something, or too long.
    fn new(lower: &str) -> Option<Self> {
        let mut letters: Vec<(char, u64)> = Vec::new();
        let mut n_letters = 0;
        for letter in lower.chars().filter(|letter| *letter != '_') {
            let known = letters.iter_mut().find(|(known, _)| *known == letter);
            match known {
                Some((_, places)) => *places |= 1 << n_letters,
                None => letters.push((letter, 1 << n_letters)),
            }
            n_letters += 1;
            if n_letters >= 60 {
                return None;
            }
        }
        (n_letters >= 2).then_some(Self { letters, n_letters })
    }

    /// Whether beginnings of a name's words, in their order, make up the pattern.
    fn fit(&self, name: &str) -> bool {
        // How much of the pattern the words so far can make up, and the current one as it goes on.
        let mut reached = 1_u64;
        let mut going = 0_u64;
        let mut previous = '_';
        for letter in name.chars() {
            let starts = letter.is_alphanumeric()
                && (!previous.is_alphanumeric()
                    || letter.is_uppercase() && !previous.is_uppercase());
            if starts {
                going = reached;
            }
            let small = letter.to_ascii_lowercase();
            let places = self.letters.iter().find(|(known, _)| *known == small);
            going = (going & places.map_or(0, |(_, places)| *places)) << 1;
            reached |= going;
            previous = letter;
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

/// How many letters must be changed, left out, put in or swapped with their neighbour; `None` above `most`.
fn distance(left: &str, right: &str, most: usize) -> Option<usize> {
    // A letter has at most four bytes.
    if left.len().abs_diff(right.len()) > 4 * most
        || left.is_ascii() && right.is_ascii() && left.len().abs_diff(right.len()) > most
    {
        return None;
    }
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, wanted) in left.iter().enumerate() {
        let mut line = Vec::with_capacity(above.len());
        line.push(row + 1);
        let mut best = row + 1;
        for (column, letter) in right.iter().enumerate() {
            let cell =
                |cells: &[usize], at: usize| cells.get(at).copied().unwrap_or(usize::MAX / 2);
            let mut cost = (cell(&above, column) + usize::from(wanted != letter))
                .min(cell(&above, column + 1) + 1)
                .min(cell(&line, column) + 1);
            let swapped = row > 0
                && column > 0
                && left.get(row - 1) == Some(letter)
                && right.get(column - 1) == Some(wanted);
            if swapped {
                cost = cost.min(cell(&before, column - 1) + 1);
            }
            best = best.min(cost);
            line.push(cost);
        }
        if best > most {
            return None;
        }
        before = std::mem::replace(&mut above, line);
    }
    above.last().copied().filter(|cost| *cost <= most)
}
