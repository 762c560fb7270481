//! `tar`: what it packs is read, what it unpacks can be anything.

use crate::analysis::LineAnalysis;
use crate::word::ShellWord;
use crate::{NameExtent, UseOfFile};

/// The long options that only choose what is packed or unpacked.
const HARMLESS: &[&str] = &[
    "exclude",
    "strip-components",
    "gzip",
    "bzip2",
    "xz",
    "zstd",
    "verbose",
    "list",
    "create",
    "extract",
    "file",
    "directory",
    "wildcards",
    "no-same-owner",
    "exclude-vcs",
    "sort",
    "mtime",
    "owner",
    "group",
    "numeric-owner",
    "transform",
    "get",
    "append",
    "update",
    "auto-compress",
    "keep-old-files",
    "to-stdout",
];
/// The letters that take a value: the rest of their word, or the next one.
const TAKES_VALUE: &str = "fCTXbIFgKNV";

/// A call of `tar`, whichever way its options are written.
#[derive(Debug, Default)]
struct TarCall<'words> {
    letters: String,
    archive: Option<ShellWord>,
    operands: Vec<&'words ShellWord>,
}

impl LineAnalysis {
    pub(crate) fn note_tar(&mut self, words: &[ShellWord]) {
        let directories = self.directories.clone();
        let tar = self.read_tar(words);
        let runs = tar.letters.contains(['I', 'F', 'P', 'T']);
        if runs || words.iter().any(ShellWord::may_be_option) {
            self.doubt_commands("an option runs what cannot be seen");
        }
        if tar.letters.contains('t') {
            self.use_optional(tar.archive.as_ref(), UseOfFile::Read);
        } else if tar.letters.contains(['c', 'r', 'u', 'A']) {
            self.use_optional(tar.archive.as_ref(), UseOfFile::Write);
            self.use_all(&tar.operands, UseOfFile::Read, NameExtent::Below);
        } else {
            self.use_optional(tar.archive.as_ref(), UseOfFile::Read);
            self.doubt_files("the program changes files that it does not name");
            let targets = self.directories.clone();
            for target in targets.iter().filter(|target| !target.is_empty()) {
                self.push_file(target, UseOfFile::Write, NameExtent::Itself);
            }
        }
        self.directories = directories;
    }

    fn read_tar<'words>(&mut self, words: &'words [ShellWord]) -> TarCall<'words> {
        let mut tar = TarCall::default();
        let mut rest = words.iter();
        let mut is_first = true;
        while let Some(word) = rest.next() {
            let value = word.value.as_str();
            let is_bundle = std::mem::take(&mut is_first) && !value.starts_with('-');
            if let Some(long) = value.strip_prefix("--") {
                self.note_long_option(&mut tar, word, long);
            } else if is_bundle {
                for letter in value.chars() {
                    tar.letters.push(letter);
                    if TAKES_VALUE.contains(letter) {
                        self.note_tar_value(&mut tar, letter, rest.next().cloned());
                    }
                }
            } else if let Some(cluster) = value.strip_prefix('-') {
                let cluster = cluster.trim_start_matches('-');
                let (flags, valued) = match cluster.find(|it| TAKES_VALUE.contains(it)) {
                    Some(at) => cluster.split_at(at),
                    None => (cluster, ""),
                };
                tar.letters.push_str(flags);
                let mut valued = valued.chars();
                if let Some(letter) = valued.next() {
                    tar.letters.push(letter);
                    let given = match valued.as_str() {
                        "" => rest.next().cloned(),
                        attached => Some(word.part(attached)),
                    };
                    self.note_tar_value(&mut tar, letter, given);
                }
            } else {
                tar.operands.push(word);
            }
        }
        tar
    }

    fn note_long_option(&mut self, tar: &mut TarCall<'_>, word: &ShellWord, option: &str) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        if !HARMLESS.contains(&name) {
            self.doubt_commands("an option runs what cannot be seen");
        }
        match (name, value) {
            ("file", Some(file)) => tar.archive = Some(word.part(file)),
            ("directory", Some(at)) => self.directories = self.locate(&word.part(at)),
            ("extract" | "get", _) => tar.letters.push('x'),
            ("list", _) => tar.letters.push('t'),
            ("create", _) => tar.letters.push('c'),
            ("append" | "update", _) => tar.letters.push('r'),
            _ => {}
        }
    }

    fn note_tar_value(&mut self, tar: &mut TarCall<'_>, letter: char, given: Option<ShellWord>) {
        match (letter, given) {
            ('f', given) => tar.archive = given,
            ('C', Some(at)) => self.directories = self.locate(&at),
            ('T' | 'X', Some(file)) => self.read_file(&file),
            ('g', Some(file)) => self.write_file(&file),
            _ => {}
        }
    }

    fn use_optional(&mut self, file: Option<&ShellWord>, access: UseOfFile) {
        if let Some(file) = file {
            self.use_file(file, access, NameExtent::Itself);
        }
    }
}
