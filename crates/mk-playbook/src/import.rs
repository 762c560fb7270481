//! `@path` in instructions: another file that belongs to them, as the products that know it read it.
//!
//! Files of a project bring in files of that project only; what leads out is a diagnostic. Code is not looked at.

use std::path::PathBuf;

use mk_document::{DocumentPosition, DocumentReport};
use mk_project::ReadStamp;
use mk_types::{AbsPath, ProjectPath};

use crate::entry::read_within;
use crate::place::{ContentOrigin, ContentPlace};

/// How far imports go on importing.
const DEEPEST: usize = 5;
const MOST_FILES: usize = 50;
/// How the line begins that stands before an imported text.
pub(crate) const IMPORTED: &str = "<!-- imported: ";

/// A text with what it imports, and the files that this came from.
#[derive(Debug, Default)]
pub(crate) struct ImportedText {
    /// What to add to the text.
    pub(crate) text: String,
    pub(crate) files: Vec<(PathBuf, Option<ReadStamp>)>,
}

/// Reads what a text imports.
pub(crate) fn imports(
    place: &ContentPlace,
    text: &str,
    report: &mut DocumentReport,
) -> ImportedText {
    let mut imported = ImportedText::default();
    if let ContentOrigin::Disk { within, path, .. } = &place.origin
        && place.has_imports()
    {
        let mut importer = Importer {
            within,
            seen: vec![path.clone()],
            imported: &mut imported,
            report,
        };
        importer.read(path, text, DEEPEST);
    }
    imported
}

/// Follows the imports of one file.
struct Importer<'a> {
    within: &'a AbsPath,
    /// A circle of imports ends here.
    seen: Vec<String>,
    imported: &'a mut ImportedText,
    report: &'a mut DocumentReport,
}

impl Importer<'_> {
    fn read(&mut self, from: &str, text: &str, depth: usize) {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (line, name) in mentions(text) {
            if depth == 0 || self.imported.files.len() >= MOST_FILES {
                return;
            }
            let at = DocumentPosition { line, column: 1 };
            let Some(path) = resolve(self.within, folder, name) else {
                // Handles of people and packages look the same: only what is written as a path is worth a word.
                if name.contains('/') && name.contains('.') {
                    let message = format!("`@{name}` leads out of the project and is not read");
                    self.report.warning(at, message);
                }
                continue;
            };
            if !self.seen.contains(&path) {
                self.add(&path, name, at, depth);
            }
        }
    }

    fn add(&mut self, path: &str, name: &str, at: DocumentPosition, depth: usize) {
        let full = self.within.as_path().join(path);
        if !full.is_file() {
            if name.contains('.') {
                self.report.warning(at, format!("`@{name}` is not there"));
            }
            return;
        }
        self.seen.push(path.to_owned());
        self.imported
            .files
            .push((full.clone(), ReadStamp::of(&full)));
        match read_within(self.within, path) {
            Ok(text) => {
                let added = format!("\n\n{IMPORTED}{path} -->\n\n{}", text.trim());
                self.imported.text.push_str(&added);
                self.read(path, &text, depth - 1);
            }
            Err(reason) => {
                let message = format!("`@{name}` cannot be read: {reason}");
                self.report.warning(at, message);
            }
        }
    }
}

/// The path below the root of what is written in a file of a folder.
fn resolve(within: &AbsPath, folder: &str, name: &str) -> Option<String> {
    if name.starts_with(['/', '~']) {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let path = ProjectPath::parse(&parts.join("/"), within).ok()?;
    Some(path.as_str().to_owned())
}

/// What stands behind an `@` at the start of a word, with its line, outside of code.
fn mentions(text: &str) -> Vec<(u32, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        // Every second part stands between backticks.
        for part in line.split('`').step_by(2) {
            for word in part.split_whitespace() {
                let Some(name) = word.strip_prefix('@') else {
                    continue;
                };
                let name = name.trim_end_matches(['.', ',', ';', ':', ')', '!', '?']);
                if name.contains(['/', '.']) || name.ends_with("md") {
                    found.push((number, name));
                }
            }
        }
    }
    found
}
