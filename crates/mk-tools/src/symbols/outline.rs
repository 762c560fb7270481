//! How a symbol stands in a tree of symbols: its lines, its decorators, its signature, and which of its namesakes it is.

use mk_engine::OutlineEntry;

/// More of what stands above a symbol is no help to tell what it is.
const LONGEST_ATTRIBUTES: usize = 120;

pub(crate) fn line(entry: &OutlineEntry) -> String {
    let indent = "  ".repeat(entry.depth);
    let mut attributes = String::new();
    for attribute in &entry.attributes {
        if attributes.len() + attribute.len() > LONGEST_ATTRIBUTES {
            attributes.push_str("… ");
            break;
        }
        attributes.push_str(attribute);
        attributes.push(' ');
    }
    let number = overload(&entry.name_path);
    format!(
        "{indent}{}-{}: {attributes}{}{number}",
        entry.start_line, entry.end_line, entry.signature
    )
}

/// ` [1]` of a symbol that has namesakes in its place.
fn overload(name_path: &str) -> String {
    let index = name_path
        .strip_suffix(']')
        .and_then(|path| path.rsplit_once('['));
    let is_number = |index: &str| !index.is_empty() && index.bytes().all(|it| it.is_ascii_digit());
    match index {
        Some((_, index)) if is_number(index) => format!(" [{index}]"),
        _ => String::new(),
    }
}
