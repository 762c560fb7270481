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

/// Parts of paths to code that is not the project's own.
const FOREIGN: [&str; 8] = [
    "node_modules/",
    "site-packages/",
    "dist-packages/",
    "/lib/python",
    "/rustc/",
    "/registry/src/",
    "/go/pkg/mod/",
    "node:internal",
];

/// The files that a text names, in its order.
pub(crate) fn mentioned_files(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|sign: char| {
        sign.is_whitespace() || matches!(sign, '`' | '"' | '\'' | '(' | ')' | '<' | '>' | ',' | ';')
    });
    words
        .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
        .map(|word| without_position(word.trim_start_matches('@')))
        .filter(|word| is_file(word))
}

/// The project's files that a line of a trace or a diff names: not those of packages and of the language itself.
pub(crate) fn pasted_files(line: &str) -> impl Iterator<Item = &str> {
    let is_diff = line.starts_with("+++ ");
    mentioned_files(line)
        .map(move |file| match file.split_once('/') {
            Some(("a" | "b", file)) if is_diff => file,
            _ => file,
        })
        .filter(|file| file.contains('/') && !FOREIGN.iter().any(|part| file.contains(part)))
}

/// `src/cart.rs:12:5` without the line and the column.
fn without_position(word: &str) -> &str {
    let start = word.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == ':');
    match word.get(start.len()..) {
        Some(position) if position.starts_with(':') => start,
        _ => word,
    }
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
