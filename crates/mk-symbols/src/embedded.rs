//! Files that hold code of a language between other text: the scripts of Vue, Svelte and Astro.

use std::ops::Range;

use tree_sitter::{Point, Range as Node};

/// Where the code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Embedding {
    /// Between `<script>` and `</script>`.
    Scripts,
    /// There, and between two lines `---` at the top.
    FrontMatter,
}

/// The ranges of a text that are code.
pub(crate) fn code(embedding: Embedding, text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut from = 0;
    if embedding == Embedding::FrontMatter
        && let Some(range) = front_matter(text)
    {
        from = range.end;
        ranges.push(range);
    }
    while let Some(range) = script(text, from) {
        from = range.end;
        ranges.push(range);
    }
    ranges
}

fn front_matter(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let rest = text.get(start..)?;
    let open = rest.strip_prefix("---")?;
    let start = start + 3 + open.find('\n')? + 1;
    let length = text.get(start..)?.find("\n---").map(|at| at + 1);
    // Nothing between them.
    let length = length.or_else(|| text.get(start..)?.starts_with("---").then_some(0));
    Some(start..start + length?)
}

fn script(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let is_tag = |at: usize| {
        let after = rest.get(at + "<script".len()..).unwrap_or_default();
        after.starts_with(|letter: char| letter == '>' || letter.is_whitespace())
    };
    let open = rest
        .match_indices("<script")
        .map(|(at, _)| at)
        .find(|at| is_tag(*at))?;
    let start = open + rest.get(open..)?.find('>')? + 1;
    let length = rest.get(start..)?.find("</script");
    let length = length.unwrap_or(rest.len() - start);
    Some(from + start..from + start + length)
}

/// The same as a parser takes them. Where there is no code, one range of nothing: none would mean all.
pub(crate) fn parsed(embedding: Embedding, text: &str) -> Vec<Node> {
    let mut ranges = code(embedding, text);
    if ranges.is_empty() {
        ranges.push(0..0);
    }
    let node = |range: Range<usize>| Node {
        start_byte: range.start,
        end_byte: range.end,
        start_point: point(text, range.start),
        end_point: point(text, range.end),
    };
    ranges.into_iter().map(node).collect()
}

fn point(text: &str, offset: usize) -> Point {
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Point {
        row: before.bytes().filter(|byte| *byte == b'\n').count(),
        column: offset - line_start,
    }
}

#[cfg(test)]
mod tests {
    use super::{Embedding, code};

    #[track_caller]
    fn check(embedding: Embedding, text: &str, expected: &[&str]) {
        let found: Vec<&str> = code(embedding, text)
            .into_iter()
            .filter_map(|range| text.get(range))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn scripts_and_front_matter_are_code() {
        use Embedding::{FrontMatter, Scripts};
        check(
            Scripts,
            "<p/><script lang=\"ts\">a</script><script>b</script>",
            &["a", "b"],
        );
        check(Scripts, "<scripted>a</scripted>", &[]);
        check(Scripts, "<script>a", &["a"]);
        check(
            FrontMatter,
            "---\na\n---\n<script>b</script>",
            &["a\n", "b"],
        );
        check(FrontMatter, "---\n---\n", &[""]);
        check(FrontMatter, "<p>--- a ---</p>", &[]);
    }
}
