//! The files that well-known programs write and read.
//!
//! A program that is not here has no files as far as this knows; whether it may run at all is for the
//! mode's patterns. What downloads is in [`crate::transfer`], what has a script in [`crate::script`].

use crate::analysis::Analysis;
use crate::arguments::{Arguments, NO_VALUES, Table};
use crate::word::{Shape, Word};

/// For `cp`, which puts every name behind that of a folder.
const MAX_JOINED_BYTES: usize = 1 << 20;

const fn short(short: &'static str) -> Table {
    Table { short, long: &[] }
}

impl Analysis {
    /// Notes what a command does to files. Says whether it knows the command.
    pub(crate) fn note_files(&mut self, name: &str, words: &[Word]) -> bool {
        match name {
            "tee" | "rm" | "rmdir" | "unlink" | "mkfifo" | "sponge" => {
                self.write_operands(words, NO_VALUES);
            }
            "touch" => self.write_operands(words, short("drt")),
            "mkdir" => self.write_operands(words, short("m")),
            "shred" => self.write_operands(words, short("ns")),
            "truncate" => self.write_operands(words, short("sr")),
            "chmod" => self.note_chmod(words),
            "chown" | "chgrp" => {
                let arguments = Arguments::split(words, NO_VALUES);
                let skipped = usize::from(!arguments.has(&["reference"]));
                self.write_all(arguments.operands.iter().skip(skipped));
            }
            "dd" => self.note_dd(words),
            "cp" | "mv" | "ln" | "install" => self.note_copy(name, words),
            "curl" => self.note_curl(words),
            "wget" => self.note_wget(words),
            "sed" | "gsed" => self.note_sed(words),
            "awk" | "gawk" | "mawk" | "nawk" => self.note_awk(words),
            "grep" | "egrep" | "fgrep" => self.note_search(words, short("efmABCdD")),
            "rg" => self.note_search(words, short("efmABCgtTjrMEd")),
            _ => return self.note_reader(name, words),
        }
        true
    }

    fn note_reader(&mut self, name: &str, words: &[Word]) -> bool {
        let table = match name {
            "cat" | "more" | "tac" | "wc" | "rev" | "zcat" => NO_VALUES,
            "less" => short("oOpPtTxyz"),
            "head" | "tail" => Table {
                short: "ncs",
                long: &["lines", "bytes", "pid"],
            },
            "nl" => short("bdfhilnsvw"),
            "od" => short("AjNStw"),
            "xxd" => short("clos"),
            "hexdump" => short("efns"),
            "strings" => short("nte"),
            "base64" => short("wob"),
            "diff" => short("UCIxXDFLSW"),
            "sort" => short("koST"),
            "uniq" => short("fsw"),
            "cut" => short("bcdf"),
            "bat" => short("lrm"),
            _ => return false,
        };
        let arguments = Arguments::split(words, table);
        self.read_all(&arguments.operands);
        match name {
            "less" | "sort" | "base64" => {
                let outputs: Vec<&Word> = arguments
                    .values(&["o", "O", "output", "log-file", "LOG-FILE"])
                    .collect();
                self.write_all(outputs);
            }
            // Their second operand is the output.
            "xxd" | "uniq" => self.write_all(arguments.operands.iter().skip(1)),
            _ => {}
        }
        true
    }

    pub(crate) fn write_all<'words>(&mut self, words: impl IntoIterator<Item = &'words Word>) {
        for word in words {
            self.write_file(word);
        }
    }

    pub(crate) fn read_all(&mut self, words: &[Word]) {
        for word in words {
            self.read_file(word);
        }
    }

    fn write_operands(&mut self, words: &[Word], table: Table) {
        self.write_all(&Arguments::split(words, table).operands);
    }

    /// `chmod -x file`: a mode can look like an option.
    fn note_chmod(&mut self, words: &[Word]) {
        let is_option = |word: &&Word| {
            word.value.starts_with("--")
                || word
                    .value
                    .strip_prefix('-')
                    .is_some_and(|letters| letters.chars().all(|letter| "cfvRHLP".contains(letter)))
        };
        let has_mode = !words
            .iter()
            .any(|word| word.value.starts_with("--reference"));
        let operands = words.iter().filter(|word| !is_option(word));
        self.write_all(operands.skip(usize::from(has_mode)));
    }

    fn note_dd(&mut self, words: &[Word]) {
        for word in words {
            if let Some(file) = word.value.strip_prefix("of=") {
                self.write_file(&word.part(file));
            } else if let Some(file) = word.value.strip_prefix("if=") {
                self.read_file(&word.part(file));
            } else if word.shape == Shape::Expansion {
                self.doubt_files("a file is named by an expansion");
            }
        }
    }

    fn note_copy(&mut self, name: &str, words: &[Word]) {
        let arguments = Arguments::split(
            words,
            Table {
                short: if name == "install" { "tSmog" } else { "tS" },
                long: &["target-directory", "suffix", "mode", "owner", "group"],
            },
        );
        if name == "install" && arguments.has(&["d", "directory"]) {
            self.write_all(&arguments.operands);
            return;
        }
        let folder = arguments.values(&["t", "target-directory"]).next();
        let (sources, target) = match (folder, arguments.operands.split_last()) {
            (Some(folder), _) => (arguments.operands.as_slice(), folder.clone()),
            // `ln target` makes a link in this folder.
            (None, Some((only, []))) if name == "ln" => {
                (std::slice::from_ref(only), only.part("."))
            }
            (None, Some((target, sources))) => (sources, target.clone()),
            (None, None) => return,
        };
        match name {
            // A link's target is not touched.
            "ln" => {}
            "mv" => self.write_all(sources),
            _ => self.read_all(sources),
        }
        let is_folder = folder.is_some()
            || sources.len() > 1
            || target.value.ends_with('/')
            || matches!(target.value.rsplit('/').next(), Some("." | ".."));
        if !is_folder {
            self.write_file(&target);
            return;
        }
        let base = target.value.trim_end_matches('/');
        if base.len().saturating_mul(sources.len()) > MAX_JOINED_BYTES {
            self.doubt_files("too many files are named");
            self.write_file(&target);
            return;
        }
        for source in sources {
            let mut file = target.part(&format!("{base}/{}", last_part(&source.value)));
            file.shape = target.shape.max(source.shape);
            self.write_file(&file);
        }
    }

    /// `grep pattern files`; the pattern may be in an option.
    fn note_search(&mut self, words: &[Word], table: Table) {
        let arguments = Arguments::split(words, table);
        if arguments.has(&["pre", "hostname-bin"]) {
            self.doubt_commands("a search runs another program");
        }
        let files: Vec<Word> = arguments.values(&["f", "file"]).cloned().collect();
        self.read_all(&files);
        let has_pattern = arguments.has(&["e", "regexp", "f", "file", "files", "type-list"]);
        let skipped = usize::from(!has_pattern);
        if let Some(pattern) = arguments.operands.first()
            && skipped == 1
            && pattern.may_be_several()
        {
            self.doubt_files("a pattern may expand to names of files");
        }
        self.read_all(arguments.operands.get(skipped..).unwrap_or_default());
    }
}

/// The name of a file without its folders.
pub(crate) fn last_part(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}
