//! The part of the core rules that one mode needs: what holds for all, and the mode's own section.
//!
//! Headings are found line by line; those in code blocks are text.

use super::KeywordMode;

/// The text before the first mode's section, and the section of this mode; the whole text where it has none.
pub fn mode_section(core: &str, mode: KeywordMode) -> String {
    let mut before = 0;
    let mut seen_mode = false;
    let mut wanted: Option<(usize, usize)> = None;
    let mut end = core.len();
    for Heading { at, level, title } in headings(core) {
        let names = mode_of_title(title);
        if let Some((_, own_level)) = wanted
            && level <= own_level
        {
            end = at;
            break;
        }
        if names.is_some() && !seen_mode {
            seen_mode = true;
            before = at;
        }
        if names == Some(mode) {
            wanted = Some((at, level));
        }
    }
    let section = wanted.and_then(|(start, _)| core.get(start..end));
    match (core.get(..before), section) {
        (Some(header), Some(section)) => format!("{header}{}\n", section.trim_end()),
        _ => core.to_owned(),
    }
}

struct Heading<'a> {
    at: usize,
    level: usize,
    title: &'a str,
}

fn headings(text: &str) -> impl Iterator<Item = Heading<'_>> {
    let mut at = 0;
    let mut fenced = false;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
        }
        let title = trimmed.trim_start_matches('#');
        let level = trimmed.len() - title.len();
        let is_heading = !fenced && (1..=6).contains(&level) && title.starts_with(' ');
        is_heading.then(|| Heading {
            at: start,
            level,
            title: title.trim(),
        })
    })
}

/// `Plan Mode`, `PLAN mode`.
fn mode_of_title(title: &str) -> Option<KeywordMode> {
    let (name, word) = title.split_once(' ')?;
    let mode = KeywordMode::ALL
        .into_iter()
        .find(|mode| mode.as_str().eq_ignore_ascii_case(name))?;
    word.trim().eq_ignore_ascii_case("mode").then_some(mode)
}
