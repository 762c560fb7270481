//! Which paths call for a category. A pattern such as `**/service/**` is a word for a kind of code: it also means
//! `services/` and `service.ts`, because projects name the same thing in all these ways. Case does not matter.

use crate::glob::{PathGlob, alternatives};

/// A pattern of a category.
#[derive(Debug, Clone)]
pub(crate) enum Trigger {
    /// Words that a folder or a file is named by.
    Words(Vec<String>),
    /// Texts that are part of a file's name.
    Parts(Vec<String>),
    /// What a file's name ends with, such as `.tsx`: as a glob, each would be compiled with the first question.
    Endings(Vec<String>),
    /// Any other pattern, in lower case.
    Glob(PathGlob),
}

impl Trigger {
    pub(crate) fn new(pattern: &str) -> Result<Self, mk_types::GlobError> {
        let pattern = pattern.to_lowercase();
        let alternatives = alternatives(&pattern);
        if let Some(words) = all(&alternatives, |one| plain(one, "**/", "/**")) {
            return Ok(Self::Words(words));
        }
        if let Some(parts) = all(&alternatives, |one| plain(one, "**/*", "*")) {
            return Ok(Self::Parts(parts));
        }
        let endings = all(&alternatives, |one| {
            plain(one, "**/*", "").filter(|text| text.starts_with('.'))
        });
        if let Some(endings) = endings {
            return Ok(Self::Endings(endings));
        }
        PathGlob::new(&pattern).map(Self::Glob)
    }

    /// What of the path calls for the category; empty if nothing does.
    pub(crate) fn matches(&self, path: &PathNames) -> Vec<String> {
        let chosen = |texts: &[String], fits: &dyn Fn(&str) -> bool| {
            texts.iter().filter(|text| fits(text)).cloned().collect()
        };
        match self {
            Self::Words(words) => chosen(words, &|word| path.has(word)),
            Self::Parts(parts) => chosen(parts, &|part| path.name().contains(part)),
            Self::Endings(endings) => {
                let found = endings
                    .iter()
                    .filter(|it| path.name().ends_with(it.as_str()));
                let longest = found.max_by_key(|it| it.len());
                longest.map(|it| format!("*{it}")).into_iter().collect()
            }
            Self::Glob(glob) if glob.matches(&path.path) => vec![label(glob.as_str(), &path.path)],
            Self::Glob(_) => Vec::new(),
        }
    }
}

fn all(texts: &[String], read: impl Fn(&str) -> Option<&str>) -> Option<Vec<String>> {
    texts
        .iter()
        .map(|text| read(text).map(str::to_owned))
        .collect()
}

/// The text between a start and an end, if nothing in it is special.
fn plain<'a>(pattern: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let text = pattern.strip_prefix(start)?.strip_suffix(end)?;
    (!text.is_empty() && !text.contains(['/', '*', '?', '[', '{', '\\'])).then_some(text)
}

/// The plain part of the alternative that is in the path: `login` of `**/*{login,logout}*`.
fn label(pattern: &str, path: &str) -> String {
    let alternatives = alternatives(pattern);
    let plain = alternatives.iter().filter_map(|alternative| {
        let name = alternative.trim_start_matches("**/");
        let part = name.split(|character: char| "*?[]{}/!".contains(character));
        let longest = part.max_by_key(|part| part.len())?;
        (!longest.is_empty()).then_some((name, longest))
    });
    let found = plain
        .filter(|(_, longest)| path.contains(longest))
        .max_by_key(|(_, longest)| longest.len());
    match found {
        // An ending says more with its star.
        Some((name, longest)) if longest.starts_with('.') => name.to_owned(),
        Some((_, longest)) => longest.to_owned(),
        None => pattern.trim_start_matches("**/").to_owned(),
    }
}

/// A path in lower case, and what its folders and its file are named.
#[derive(Debug)]
pub(crate) struct PathNames {
    path: String,
    names: Vec<String>,
}

impl PathNames {
    pub(crate) fn new(path: &str) -> Self {
        let path = path.to_lowercase().replace('\\', "/");
        let path = path.trim_start_matches("./").to_owned();
        let names = path
            .split('/')
            .map(|part| {
                part.split('.')
                    .find(|piece| !piece.is_empty())
                    .unwrap_or(part)
                    .to_owned()
            })
            .collect();
        Self { path, names }
    }

    /// The last part.
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    fn has(&self, word: &str) -> bool {
        self.names.iter().any(|name| is_form_of(name, word))
    }
}

/// Whether a name is this word or the plural of it.
fn is_form_of(name: &str, word: &str) -> bool {
    name == word
        || name
            .strip_prefix(word)
            .is_some_and(|ending| ending == "s" || ending == "es")
        || word
            .strip_suffix('y')
            .is_some_and(|stem| name.strip_prefix(stem) == Some("ies"))
}
