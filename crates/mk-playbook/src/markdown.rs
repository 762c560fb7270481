//! The sections of a Markdown text. Only headings with `#` count; what is in a code block is text.

/// Every section repeats the headings above it; none of them may be a book.
const LONGEST_TITLE: usize = 200;

/// A heading and what is below it, up to the next heading of any level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The headings above and this one, outermost first; empty for the text before the first heading.
    pub headings: Vec<String>,
    /// The line of the heading in the file, counted from 1.
    pub line: u32,
    /// The line after the section.
    pub end_line: u32,
}

impl Section {
    /// The section's own heading.
    pub fn title(&self) -> Option<&str> {
        self.headings.last().map(String::as_str)
    }
}

/// Splits a text whose first line is line `first_line` of its file.
pub(crate) fn sections(text: &str, first_line: u32) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut start = first_line;
    let mut fence: Option<&str> = None;
    let mut line_number = first_line;
    let mut has_text = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if let Some(mark) = ["```", "~~~"]
            .into_iter()
            .find(|mark| trimmed.starts_with(mark))
        {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                open => open,
            };
        } else if fence.is_none()
            && let Some((level, title)) = heading(line)
        {
            if has_text {
                sections.push(section(&path, start, line_number));
            }
            path.retain(|(above, _)| *above < level);
            path.push((level, title.chars().take(LONGEST_TITLE).collect()));
            start = line_number;
        }
        has_text |= !line.trim().is_empty();
        line_number += 1;
    }
    if has_text {
        sections.push(section(&path, start, line_number));
    }
    sections
}

/// The text of the first heading.
pub(crate) fn title(text: &str) -> Option<String> {
    let sections = sections(text, 1);
    let first = sections.iter().find_map(Section::title)?;
    Some(first.to_owned())
}

/// The first paragraph that is no heading, on one line.
pub(crate) fn first_paragraph(text: &str) -> Option<String> {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty() || line.starts_with('#'))
        .take_while(|line| !line.is_empty())
        .collect();
    (!lines.is_empty()).then(|| lines.join(" "))
}

fn section(path: &[(usize, String)], line: u32, end_line: u32) -> Section {
    Section {
        headings: path.iter().map(|(_, title)| title.clone()).collect(),
        line,
        end_line,
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let title = rest.trim().trim_end_matches('#').trim_end();
    let is_heading =
        (1..=6).contains(&level) && rest.starts_with(char::is_whitespace) && !title.is_empty();
    is_heading.then_some((level, title))
}
