//! Files that a text names: `src/cart.rs`, `Button.tsx`, `Dockerfile`.

/// Names without an ending that are files all the same.
const WHOLE: [&str; 8] = [
    "Dockerfile",
    "Makefile",
    "Jenkinsfile",
    "Gemfile",
    "Podfile",
    "Procfile",
    "Justfile",
    "justfile",
];
/// Endings that are more often something else: `e.g`, `example.com`.
const NOT_ENDINGS: [&str; 12] = [
    "com", "org", "net", "io", "dev", "g", "e", "app", "ai", "de", "fr", "co",
];
/// Names that end like a file, and are products.
const PRODUCTS: [&str; 8] = [
    "node.js",
    "next.js",
    "vue.js",
    "nuxt.js",
    "three.js",
    "d3.js",
    "express.js",
    "asp.net",
];

/// The files that a text names, in its order.
pub(crate) fn mentioned_files(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|sign: char| {
        sign.is_whitespace() || matches!(sign, '`' | '"' | '\'' | '(' | ')' | '<' | '>' | ',' | ';')
    });
    words
        .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
        .map(|word| word.trim_start_matches('@'))
        .filter(|word| is_file(word))
}

fn is_file(word: &str) -> bool {
    if word.len() > 200 || word.contains("://") {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    if WHOLE.contains(&name) {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let is_ending = (1..=6).contains(&ending.len())
        && ending.starts_with(|sign: char| sign.is_ascii_lowercase())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !NOT_ENDINGS.contains(&ending);
    let is_stem = !stem.is_empty()
        && stem.chars().any(char::is_alphabetic)
        && stem
            .chars()
            .all(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '.' | '[' | ']'));
    is_ending && is_stem && !PRODUCTS.contains(&name.to_ascii_lowercase().as_str())
}
