//! The memories that somebody may have meant.

use std::collections::BTreeSet;

const MOST: usize = 3;
/// More names than these are not compared letter by letter.
const MOST_COMPARED: usize = 2000;

/// The names most like `wanted`: first those that differ in few letters, then those that share words with it.
pub(super) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lower: Vec<char> = wanted.to_lowercase().chars().collect();
    let words = words_of(wanted);
    let allowed = (lower.len() / 3).max(2);
    let mut ranked: Vec<((usize, usize), &str)> = Vec::new();
    for name in names.take(MOST_COMPARED) {
        let other: Vec<char> = name.to_lowercase().chars().collect();
        let n_shared = words.intersection(&words_of(name)).count();
        let distance = (other.len().abs_diff(lower.len()) <= allowed)
            .then(|| distance(&lower, &other))
            .filter(|distance| *distance <= allowed);
        match distance {
            Some(distance) => ranked.push(((0, distance), name)),
            None if n_shared > 0 => ranked.push(((1, words.len() - n_shared), name)),
            None => {}
        }
    }
    ranked.sort_unstable();
    let names = ranked.into_iter().map(|(_, name)| name.to_owned());
    names.take(MOST).collect()
}

fn words_of(name: &str) -> BTreeSet<String> {
    name.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.chars().count() > 1)
        .map(str::to_lowercase)
        .collect()
}

/// How many letters must be changed, added or left out.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (left_idx, left_letter) in left.iter().enumerate() {
        let mut diagonal = left_idx;
        let mut previous = left_idx + 1;
        for (right_letter, cell) in right.iter().zip(row.iter_mut().skip(1)) {
            let changed = diagonal + usize::from(left_letter != right_letter);
            diagonal = *cell;
            previous = changed.min(diagonal + 1).min(previous + 1);
            *cell = previous;
        }
        if let Some(first) = row.first_mut() {
            *first = left_idx + 1;
        }
    }
    row.last().copied().unwrap_or(left.len())
}
