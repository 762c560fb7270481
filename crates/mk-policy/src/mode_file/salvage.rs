//! The good modes around a syntax error: the items of the list are read one by one, where their borders can be seen.
//!
//! Only block style, as people write it. What cannot be told apart stays broken with the file.

use mk_document::{DocumentNode, DocumentReport, Located};

use super::LoadedFile;
use super::reader::read_items;

/// More than anybody writes; each costs as many lines as stand before it.
const MOST_ITEMS: usize = 500;

/// Reads every item that can be read on its own.
pub(super) fn read_items_one_by_one(text: &str, loaded: &mut LoadedFile, out: &mut DocumentReport) {
    let lines: Vec<&str> = text.lines().collect();
    let Some(head) = lines
        .iter()
        .position(|line| line.trim_end() == "customModes:")
    else {
        return;
    };
    let mut starts = Vec::new();
    let mut indent = None;
    let mut end = lines.len();
    for (number, line) in lines.iter().enumerate().skip(head + 1) {
        let bare = line.trim_start_matches(' ');
        let width = line.len() - bare.len();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let indent = *indent.get_or_insert(width);
        if width < indent || (width == indent && !bare.starts_with("- ")) {
            end = number;
            break;
        }
        if width == indent {
            starts.push(number);
        }
    }
    if starts.len() > MOST_ITEMS {
        return;
    }
    for (index, start) in starts.iter().enumerate() {
        let stop = starts.get(index + 1).copied().unwrap_or(end);
        let item = lines.get(*start..stop).unwrap_or_default().join("\n");
        // Empty lines keep the positions true. What fails has been reported with the file.
        let padded = format!("{}{item}\n", "\n".repeat(*start));
        if let Ok(Located {
            value: DocumentNode::List(items),
            ..
        }) = DocumentNode::parse(&padded)
        {
            read_items(&items, loaded, out);
        }
    }
}
