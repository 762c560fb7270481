//! The memories that somebody may have meant.

use std::collections::BTreeSet;

use mk_types::edit_distance;

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
        match edit_distance(&lower, &other, allowed) {
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
