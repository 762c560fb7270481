//! Python's rules for indentation, which its grammar does not hold: what it parses, the language may still refuse.

use tree_sitter::Tree;

const TAB_STOP: usize = 8;

/// The bytes at which lines are indented as Python does not allow, and why.
///
/// 1. A line is deeper than the one before only after a `:` that opens a block.
/// 2. After such a `:` a deeper line follows.
/// 3. A line that is less deep is as deep as one of the blocks around it.
pub(super) fn misplaced(tree: &Tree, text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    let mut levels = vec![0];
    let mut opens = false;
    for line in logical_lines(tree, text) {
        let top = levels.last().copied().unwrap_or_default();
        if opens && line.depth <= top {
            found.push((line.start, "an indented block is missing here"));
        } else if !opens && line.depth > top {
            found.push((line.start, "this line is indented too far"));
        }
        if line.depth > top {
            levels.push(line.depth);
        } else {
            while levels.last().is_some_and(|level| *level > line.depth) {
                levels.pop();
            }
            if levels.last() != Some(&line.depth) {
                let message =
                    "this line is indented less than its block, but more than the one around";
                found.push((line.start, message));
                levels.push(line.depth);
            }
        }
        opens = line.opens;
    }
    if opens {
        found.push((text.len(), "an indented block is missing here"));
    }
    found
}

/// A line as the language counts them: with what goes on in brackets and strings.
struct LogicalLine {
    /// Its first byte that is not white space.
    start: usize,
    depth: usize,
    /// It ends with a `:`.
    opens: bool,
}

fn logical_lines(tree: &Tree, text: &str) -> Vec<LogicalLine> {
    let opaque = strings_and_comments(tree);
    let mut opaque = opaque.iter().peekable();
    let bytes = text.as_bytes();
    let mut lines: Vec<LogicalLine> = Vec::new();
    let mut depth = 0;
    let mut n_brackets = 0_usize;
    let mut is_inside = false;
    let mut last = b' ';
    let mut position = 0;
    while let Some(byte) = bytes.get(position) {
        while opaque.next_if(|range| range.end <= position).is_some() {}
        let jumped = opaque.peek().filter(|range| range.start == position);
        if let Some((end, is_comment)) = jumped.map(|one| (one.end, one.is_comment)) {
            if !is_comment {
                begin(&mut lines, &mut is_inside, position, depth);
                last = b'"';
            }
            position = end.max(position + 1);
            continue;
        }
        match byte {
            b'\n' if n_brackets == 0 && last != b'\\' => {
                if let (true, Some(line)) = (is_inside, lines.last_mut()) {
                    line.opens = last == b':';
                }
                (is_inside, depth, last) = (false, 0, b' ');
            }
            b'\n' => last = b' ',
            b' ' if !is_inside => depth += 1,
            b'\t' if !is_inside => depth = (depth / TAB_STOP + 1) * TAB_STOP,
            b'\x0c' if !is_inside => depth = 0,
            b' ' | b'\t' | b'\r' | b'\x0c' => {}
            _ => {
                begin(&mut lines, &mut is_inside, position, depth);
                match byte {
                    b'(' | b'[' | b'{' => n_brackets += 1,
                    b')' | b']' | b'}' => n_brackets = n_brackets.saturating_sub(1),
                    _ => {}
                }
                last = *byte;
            }
        }
        position += 1;
    }
    if let (true, Some(line)) = (is_inside, lines.last_mut()) {
        line.opens = last == b':';
    }
    lines
}

fn begin(lines: &mut Vec<LogicalLine>, is_inside: &mut bool, start: usize, depth: usize) {
    if !*is_inside {
        *is_inside = true;
        lines.push(LogicalLine {
            start,
            depth,
            opens: false,
        });
    }
}

/// Text in which brackets and colons mean nothing.
struct Opaque {
    start: usize,
    end: usize,
    is_comment: bool,
}

fn strings_and_comments(tree: &Tree) -> Vec<Opaque> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_comment = node.kind() == "comment";
        if is_comment || node.kind() == "string" {
            found.push(Opaque {
                start: node.start_byte(),
                end: node.end_byte(),
                is_comment,
            });
        } else if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
