//! The trees of large files that have just changed: the next change is parsed from them, in a fraction of the time.
//!
//! Someone who edits a file edits it again. Trees are large, so that few are kept, and none of small files.

use std::collections::VecDeque;

use mk_types::ProjectPath;
use tree_sitter::{InputEdit, Point, Tree};

/// Smaller files are parsed in a few milliseconds.
pub(super) const LARGE: usize = 50_000;
const MOST_KEPT: usize = 2;

#[derive(Debug, Default)]
pub(super) struct KeptTrees {
    recent: VecDeque<(ProjectPath, String, Tree)>,
}

impl KeptTrees {
    /// The tree of a file as it was, told what has become of its text.
    pub(super) fn take(&mut self, path: &ProjectPath, text: &str) -> Option<Tree> {
        let position = self.recent.iter().position(|(kept, _, _)| kept == path)?;
        let (_, before, mut tree) = self.recent.remove(position)?;
        if let Some(edit) = edit_between(&before, text) {
            tree.edit(&edit);
        }
        Some(tree)
    }

    pub(super) fn keep(&mut self, path: &ProjectPath, text: &str, tree: &Tree) {
        self.recent
            .push_front((path.clone(), text.to_owned(), tree.clone()));
        self.recent.truncate(MOST_KEPT);
    }
}

/// The one edit that makes one text of another; `None` if they are the same.
fn edit_between(before: &str, after: &str) -> Option<InputEdit> {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let same = |(left, right): &(&u8, &u8)| left == right;
    let start = old.iter().zip(new).take_while(same).count();
    if start == old.len() && start == new.len() {
        return None;
    }
    let tails = old[start..].iter().rev().zip(new[start..].iter().rev());
    let n_behind = tails.take_while(same).count();
    let (old_end, new_end) = (old.len() - n_behind, new.len() - n_behind);
    Some(InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(old, start),
        old_end_position: point(old, old_end),
        new_end_position: point(new, new_end),
    })
}

fn point(text: &[u8], offset: usize) -> Point {
    let before = &text[..offset];
    Point {
        row: memchr::memchr_iter(b'\n', before).count(),
        column: offset - memchr::memrchr(b'\n', before).map_or(0, |at| at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{extract, extract_from};
    use crate::language::Language;
    use crate::parse::{ParseLimit, Parsers};
    use mk_types::AbsPath;
    use std::sync::atomic::AtomicBool;

    /// Symbols of a text that was another before are those of the text itself.
    #[test]
    fn what_is_parsed_from_a_kept_tree_is_what_is_parsed_from_nothing() {
        let versions = [
            "class A:\n    def a(self): ...\n\ndef é(): ...\n",
            "class A:\n    def a(self): ...\n    def b(self): ...\n\ndef é(): ...\n",
            "def first(): ...\nclass A:\n    def b(self): ...\n\ndef è(): ...\n",
            "",
            "class A(\n",
            "x = 1\n",
            "x = 1\n",
        ];
        let root = AbsPath::new(std::path::Path::new("/project")).unwrap();
        let path = ProjectPath::parse("a.py", &root).unwrap();
        let language = Language::of_path("a.py").unwrap();
        let cancel = AtomicBool::new(false);
        let limit = ParseLimit::new(&cancel);
        let (mut kept, mut parsers) = (KeptTrees::default(), Parsers::default());
        for text in versions {
            let before = kept.take(&path, text);
            let tree = parsers.tree_after(language, text, before.as_ref(), &limit);
            let tree = tree.unwrap();
            kept.keep(&path, text, &tree);
            let symbols = extract_from(&mut parsers, language, text, &tree, &limit).unwrap();
            let fresh = extract(&mut parsers, language, text, &limit).unwrap();
            assert_eq!(symbols, fresh, "{text}");
        }
    }
}
