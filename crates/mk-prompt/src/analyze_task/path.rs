//! What the names of files say: whole words of their paths, never a part of one.

use super::table::TABLE;

/// Files beyond these say nothing new.
const MOST_FILES: usize = 200;
/// A longer path is no one's.
const MOST_BYTES: usize = 1024;

/// For each topic, the first file that belongs to it.
pub(super) fn touched(files: &[String]) -> Vec<Option<&str>> {
    let mut touched = vec![None; TABLE.topics.len()];
    for file in files
        .iter()
        .take(MOST_FILES)
        .filter(|file| file.len() <= MOST_BYTES)
    {
        for word in words(file) {
            for &topic in TABLE.paths.get(&word).into_iter().flatten() {
                if let Some(place) = touched.get_mut(topic) {
                    place.get_or_insert(file.as_str());
                }
            }
        }
    }
    touched
}

/// `src/userAuth/LoginForm.tsx` is src, user, auth, login, form, tsx.
fn words(path: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut after_lower = false;
    for sign in path.chars() {
        let begins = sign.is_uppercase() && after_lower;
        if (begins || !sign.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if sign.is_alphanumeric() {
            word.extend(sign.to_lowercase());
        }
        after_lower = sign.is_lowercase() || sign.is_numeric();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
