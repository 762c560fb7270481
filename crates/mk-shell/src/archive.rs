//! `tar`: what it packs is read, what it unpacks can be anything.

use crate::analysis::LineAnalysis;
use crate::word::ShellWord;
use crate::{NameExtent, UseOfFile};

const HARMLESS: &[&str] = &[
    "--exclude",
    "--strip-components",
    "--gzip",
    "--bzip2",
    "--xz",
    "--zstd",
    "--verbose",
    "--list",
    "--create",
    "--extract",
    "--file",
    "--directory",
    "--wildcards",
    "--no-same-owner",
    "--exclude-vcs",
    "--sort",
    "--mtime",
    "--owner",
    "--group",
    "--numeric-owner",
    "--transform",
    "--get",
    "--append",
    "--update",
    "--auto-compress",
    "--keep-old-files",
    "--to-stdout",
];

impl LineAnalysis {
    pub(crate) fn note_tar(&mut self, words: &[ShellWord]) {
        let directories = self.directories.clone();
        let mut letters = String::new();
        let mut archive = None;
        let mut operands: Vec<&ShellWord> = Vec::new();
        let mut rest = words.iter();
        let mut is_first = true;
        while let Some(word) = rest.next() {
            let value = word.value.as_str();
            let is_bundle = std::mem::take(&mut is_first) && !value.starts_with('-');
            if let Some(long) = value.strip_prefix("--") {
                let name = long.split('=').next().unwrap_or_default();
                if !HARMLESS
                    .iter()
                    .any(|known| known.strip_prefix("--") == Some(name))
                {
                    self.doubt_commands("an option runs what cannot be seen");
                }
                match (name, long.split_once('=')) {
                    ("file", Some((_, file))) => archive = Some(word.part(file)),
                    ("directory", Some((_, at))) => self.directories = self.locate(&word.part(at)),
                    ("extract" | "get", _) => letters.push('x'),
                    ("list", _) => letters.push('t'),
                    ("create", _) => letters.push('c'),
                    ("append" | "update", _) => letters.push('r'),
                    _ => {}
                }
            } else if is_bundle || value.starts_with('-') {
                let mut cluster = value.trim_start_matches('-').chars();
                while let Some(letter) = cluster.next() {
                    letters.push(letter);
                    if !"fCTXbIFgKNV".contains(letter) {
                        continue;
                    }
                    let attached = cluster.as_str();
                    let given = match attached.is_empty() || is_bundle {
                        true => rest.next().cloned(),
                        false => Some(word.part(attached)),
                    };
                    match (letter, given) {
                        ('f', given) => archive = given,
                        ('C', Some(at)) => self.directories = self.locate(&at),
                        ('T' | 'X', Some(file)) => self.read_file(&file),
                        _ => {}
                    }
                    if !is_bundle {
                        break;
                    }
                }
            } else {
                operands.push(word);
            }
        }
        if letters.contains(['I', 'F', 'P', 'T']) || words.iter().any(ShellWord::may_be_option) {
            self.doubt_commands("an option runs what cannot be seen");
        }
        if letters.contains('t') {
            self.use_optional(archive.as_ref(), UseOfFile::Read);
        } else if letters.contains(['c', 'r', 'u', 'A']) {
            self.use_optional(archive.as_ref(), UseOfFile::Write);
            self.use_all(&operands, UseOfFile::Read, NameExtent::Below);
        } else {
            self.use_optional(archive.as_ref(), UseOfFile::Read);
            self.doubt_files("the program changes files that it does not name");
            let targets = self.directories.clone();
            for target in targets.iter().filter(|target| !target.is_empty()) {
                self.push_file(target, UseOfFile::Write, NameExtent::Itself);
            }
        }
        self.directories = directories;
    }

    fn use_optional(&mut self, file: Option<&ShellWord>, access: UseOfFile) {
        if let Some(file) = file {
            self.use_file(file, access, NameExtent::Itself);
        }
    }
}
