//! The trees of large files that have just changed: the next change is parsed from them, in a fraction of the time.
//!
//! Someone who edits a file edits it again. Trees are large, so that few are kept, and none of small files.

use std::collections::VecDeque;

use mk_types::ProjectPath;
use tree_sitter::{InputEdit, Point, Tree};

use crate::extract::{FoundDefinitions, TextChange};

/// Smaller files are parsed in a few milliseconds.
pub(super) const LARGE: usize = 50_000;
const MOST_KEPT: usize = 2;

#[derive(Debug, Default)]
pub(super) struct KeptTrees {
    recent: VecDeque<KeptFile>,
}

#[derive(Debug)]
struct KeptFile {
    path: ProjectPath,
    text: String,
    tree: Tree,
    found: FoundDefinitions,
}

impl KeptTrees {
    /// What a file was, and what has become of it; `None` if that is not known.
    pub(super) fn take(&mut self, path: &ProjectPath, text: &str) -> Option<TextChange> {
        let position = self.recent.iter().position(|kept| kept.path == *path)?;
        let kept = self.recent.remove(position)?;
        let edit = edit_between(&kept.text, text)?;
        let mut tree = kept.tree;
        tree.edit(&edit);
        Some(TextChange {
            tree,
            found: kept.found,
            edit,
        })
    }

    pub(super) fn keep(
        &mut self,
        path: &ProjectPath,
        text: &str,
        (tree, found): (Tree, FoundDefinitions),
    ) {
        self.recent.push_front(KeptFile {
            path: path.clone(),
            text: text.to_owned(),
            tree,
            found,
        });
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
    use crate::extract::{extract, extract_after, extract_from};
    use crate::language::Language;
    use crate::parse::{ParseLimit, Parsers};
    use mk_types::AbsPath;
    use std::sync::atomic::AtomicBool;

    /// A file that changes again and again.
    struct Changing {
        path: ProjectPath,
        language: &'static Language,
        kept: KeptTrees,
        parsers: Parsers,
    }

    impl Changing {
        fn new(path: &str) -> Self {
            let root = AbsPath::new(std::path::Path::new("/project")).unwrap();
            Self {
                path: ProjectPath::parse(path, &root).unwrap(),
                language: Language::of_path(path).unwrap(),
                kept: KeptTrees::default(),
                parsers: Parsers::default(),
            }
        }

        /// What is taken over from the text before is what is found in the whole tree; returns the symbols' names.
        #[track_caller]
        fn check(&mut self, text: &str) -> Vec<String> {
            let cancel = AtomicBool::new(false);
            let limit = ParseLimit::new(&cancel);
            let change = self.kept.take(&self.path, text);
            let before = change.as_ref().map(|change| &change.tree);
            let tree = self
                .parsers
                .tree_after(self.language, text, before, &limit)
                .unwrap();
            let parts = (text, &tree);
            let (symbols, found) =
                extract_after(&mut self.parsers, self.language, parts, change, &limit).unwrap();
            let whole =
                extract_from(&mut self.parsers, self.language, text, &tree, &limit).unwrap();
            assert_eq!(symbols, whole, "{text}");
            self.kept.keep(&self.path, text, (tree, found));
            symbols.into_iter().map(|symbol| symbol.name).collect()
        }
    }

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
        let mut file = Changing::new("a.py");
        let cancel = AtomicBool::new(false);
        let limit = ParseLimit::new(&cancel);
        for text in versions {
            let names = file.check(text);
            let fresh = extract(&mut Parsers::default(), file.language, text, &limit).unwrap();
            let fresh: Vec<String> = fresh.into_iter().map(|symbol| symbol.name).collect();
            assert_eq!(names, fresh, "{text}");
        }
    }

    /// Whatever is typed, pasted and removed.
    #[test]
    fn what_is_taken_over_is_what_would_be_found() {
        let texts = [
            (
                "a.ts",
                "// One.\nexport class A {\n  m() {}\n}\n\n/** Two. */\nexport function b() {}\nconst c = 1;\n",
            ),
            (
                "a.py",
                "import a\n\n\n# One.\n@b\nclass A:\n    def m(self): ...\n\n\ndef c():\n    pass\n",
            ),
            (
                "a.go",
                "package a\n\n// One.\nfunc A() {}\n\ntype B struct {\n\tc int\n}\n",
            ),
            ("a.md", "# One\n\ntext\n\n## Two\n\ntext\n\n# Three\n"),
        ];
        let pieces = [
            "",
            "\n",
            "x",
            "{",
            "}",
            "/*",
            "*/",
            "// c\n",
            "# c\n",
            "\"",
            "class Z {}\n",
            "def z(): ...\n",
            "(",
            "    ",
        ];
        for (path, text) in texts {
            let mut file = Changing::new(path);
            let mut text = text.repeat(4);
            let mut state = 20_261_118_u64;
            let mut roll = |most: usize| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                usize::try_from(state >> 33).unwrap() % most
            };
            for _ in 0..300 {
                file.check(&text);
                let start = roll(text.len() + 1);
                let end = (start + roll(30) * roll(2)).min(text.len());
                text.replace_range(start..end, pieces[roll(pieces.len())]);
            }
        }
    }
}
