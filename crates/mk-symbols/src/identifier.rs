//! Names as people ask for them, as definitions write them, and as uses do: with marks and quotes, or without.

use mk_types::ProjectPath;

use crate::error::Error;
use crate::index::is_word;
use crate::language::Language;

/// The last part of a name path, in whatever way it is written; marks that belong to the name stay.
pub fn last_name(name_path: &str) -> &str {
    // Names in backticks are kept without them.
    let path = without_overload(name_path.trim().trim_matches('`'));
    let path = without_call(path);
    if let Some((_, name)) = path.rsplit_once('/').filter(|(_, name)| !name.is_empty()) {
        return name;
    }
    let mut rest = path;
    while let Some((at, separator)) = first_separator(rest) {
        rest = rest.get(at + separator.len()..).unwrap_or_default();
    }
    rest
}

/// `f()` → `f`; the operator that calls is a name.
pub(crate) fn without_call(path: &str) -> &str {
    let is_name = |bare: &&str| !bare.is_empty() && !bare.ends_with(['/', ':']);
    path.strip_suffix("()")
        .filter(is_name)
        .filter(|bare| !bare.ends_with("operator"))
        .unwrap_or(path)
}

/// Where a name path that is written in a language's own way is split; `#priv` and `r#type` are names.
fn first_separator(path: &str) -> Option<(usize, &'static str)> {
    let found = |separator: &'static str| {
        let at = path.find(separator)?;
        let (before, after) = (path.get(..at)?, path.get(at + separator.len()..)?);
        let is_name = before.is_empty() || after.is_empty() || separator == "#" && before == "r";
        (!is_name).then_some((at, separator))
    };
    let separators = ["::", "->", "#", ".", ":", "\\"].into_iter();
    separators.filter_map(found).min_by_key(|(at, _)| *at)
}

/// `b[1]` → `b`; `[]` is a name.
fn without_overload(path: &str) -> &str {
    let split = path
        .strip_suffix(']')
        .and_then(|path| path.rsplit_once('['));
    let is_number = |index: &str| !index.is_empty() && index.bytes().all(|it| it.is_ascii_digit());
    match split {
        Some((name, index)) if is_number(index) && !name.is_empty() => name,
        _ => path,
    }
}

/// Whether something could be called so, in any language.
pub fn check_name(name: &str) -> Result<(), Error> {
    let bare = name.strip_prefix("r#").unwrap_or(name);
    let bare = bare.strip_prefix('#').unwrap_or(bare);
    let bare = bare.strip_suffix(['!', '?', '=']).unwrap_or(bare);
    let quoted = name
        .strip_prefix('`')
        .and_then(|name| name.strip_suffix('`'));
    let mut letters = bare.chars();
    let is_identifier = letters
        .next()
        .is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'))
        && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$'));
    let is_quoted = quoted.is_some_and(|name| !name.is_empty() && !name.contains(['`', '\n']));
    if name.len() <= 200 && (is_identifier || is_quoted) {
        return Ok(());
    }
    Err(Error::BadName {
        name: name.to_owned(),
    })
}

/// Whether a symbol may get another name: one that the language itself looks for would not be found any more.
pub fn check_renamable(path: &ProjectPath, name: &str) -> Result<(), Error> {
    let language = Language::of_path(path.as_str()).map(Language::name);
    let is_fixed = match language.unwrap_or_default() {
        "python" => name.len() > 4 && name.starts_with("__") && name.ends_with("__"),
        "php" => name.starts_with("__"),
        "swift" => matches!(name, "init" | "deinit" | "subscript"),
        "javascript" | "typescript" | "tsx" => name == "constructor",
        "kotlin" => matches!(name, "constructor" | "init"),
        "ruby" => name == "initialize",
        "go" => matches!(name, "main" | "init"),
        "c" | "cpp" | "rust" => name == "main",
        _ => false,
    };
    if is_fixed {
        return Err(Error::FixedName {
            name: name.to_owned(),
        });
    }
    Ok(())
}

/// A name as the index has it: the `$` of PHP's properties is in some of their uses only.
pub(crate) fn indexed<'a>(language: &Language, name: &'a str) -> &'a str {
    if language.name() == "php" {
        name.trim_start_matches('$')
    } else {
        name
    }
}

/// What every use of a name has in common: a setter `x=` is used as `x`.
pub(crate) fn core(name: &str) -> &str {
    let setter = name.strip_suffix('=');
    setter
        .filter(|name| name.bytes().last().is_some_and(is_word))
        .unwrap_or(name)
}

/// What stands in the place of [`core`] when a symbol gets another name.
///
/// Marks that say what something is, like JavaScript's `#`, are not a rename's to add or remove.
pub(crate) fn new_core<'a>(
    language: &Language,
    name: &str,
    new_name: &'a str,
) -> Result<&'a str, Error> {
    let bare = if language.name() == "php" {
        new_name.trim_start_matches('$')
    } else {
        new_name
    };
    // One that is written in backticks keeps them.
    let is_quoted = check_name(name).is_err();
    let quoted = bare.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
    if let Some(inner) = quoted.filter(|_| is_quoted) {
        return check_name(bare).map(|()| inner);
    }
    let bare = if core(name).len() < name.len() {
        core(bare)
    } else {
        bare
    };
    let has_mark = |name: &str| name.starts_with('#');
    let is_shouted = |name: &str| name.ends_with(['!', '?', '=']);
    let ruby = language.name() == "ruby";
    if has_mark(name) != has_mark(bare) || is_shouted(bare) && !ruby {
        return Err(Error::BadName {
            name: new_name.to_owned(),
        });
    }
    check_name(bare).map(|()| bare)
}

/// The longest word of a name, by which files are looked up; an operator has none.
pub(crate) fn stem(name: &str) -> Option<&str> {
    let is_mark = |letter: char| letter.is_ascii() && !is_word(letter as u8);
    name.split(is_mark)
        .filter(|word| {
            word.bytes()
                .next()
                .is_some_and(|first| !first.is_ascii_digit())
        })
        .max_by_key(|word| word.len())
}
