//! The files that `curl` and `wget` write and read.
//!
//! Where the server chooses the name, the file is unknown.

use crate::analysis::Analysis;
use crate::arguments::{Arguments, Table};
use crate::effect::last_part;
use crate::word::Word;

impl Analysis {
    pub(crate) fn note_curl(&mut self, words: &[Word]) {
        let arguments = Arguments::split(
            words,
            Table {
                short: "AbcCdDeEFHKmoPQrtTuUwxXyYz",
                long: &[
                    "output",
                    "output-dir",
                    "dump-header",
                    "cookie-jar",
                    "upload-file",
                    "config",
                    "data",
                    "header",
                    "request",
                    "user",
                    "user-agent",
                    "url",
                    "max-time",
                    "retry",
                    "trace",
                    "trace-ascii",
                    "stderr",
                    "cookie",
                    "form",
                    "write-out",
                    "proxy",
                    "connect-timeout",
                    "data-binary",
                    "data-raw",
                    "json",
                ],
            },
        );
        if arguments.has(&["K", "config"]) {
            self.doubt_files("`curl` takes its options from a file");
        }
        if arguments.has(&["J", "remote-header-name", "output-dir"]) {
            self.doubt_files("`curl` writes to a name that cannot be seen");
        }
        const OUTPUTS: &[&str] = &[
            "o",
            "output",
            "D",
            "dump-header",
            "c",
            "cookie-jar",
            "trace",
            "trace-ascii",
            "stderr",
        ];
        self.write_outputs(&arguments, OUTPUTS);
        let uploads: Vec<Word> = arguments.values(&["T", "upload-file"]).cloned().collect();
        self.read_all(&uploads);
        for data in arguments.values(&["d", "data", "data-binary", "F", "form", "json"]) {
            if let Some((_, file)) = data.value.split_once('@') {
                self.read_file(&data.part(file));
            }
        }
        if arguments.has(&["O", "remote-name", "remote-name-all"]) {
            self.write_named_by_address(&arguments);
        }
    }

    pub(crate) fn note_wget(&mut self, words: &[Word]) {
        let arguments = Arguments::split(
            words,
            Table {
                short: "OoaPitTUQwADRXI",
                long: &[
                    "output-document",
                    "output-file",
                    "append-output",
                    "directory-prefix",
                    "input-file",
                    "header",
                    "timeout",
                    "tries",
                    "user-agent",
                    "post-data",
                ],
            },
        );
        const OUTPUTS: &[&str] = &[
            "O",
            "output-document",
            "o",
            "output-file",
            "a",
            "append-output",
        ];
        const UNSEEN: &[&str] = &[
            "r",
            "recursive",
            "m",
            "mirror",
            "p",
            "page-requisites",
            "i",
            "input-file",
            "P",
            "directory-prefix",
            "content-disposition",
            "e",
            "execute",
            "x",
        ];
        if arguments.has(UNSEEN) {
            self.doubt_files("`wget` writes to a name that cannot be seen");
        }
        self.write_outputs(&arguments, OUTPUTS);
        if !arguments.has(&["O", "output-document", "spider", "version", "help"]) {
            self.write_named_by_address(&arguments);
        }
    }

    fn write_outputs(&mut self, arguments: &Arguments, names: &[&str]) {
        for file in arguments.values(names) {
            if file.value != "-" {
                self.write_file(file);
            }
        }
    }

    fn write_named_by_address(&mut self, arguments: &Arguments) {
        for address in &arguments.operands {
            let path = address.value.split(['?', '#']).next().unwrap_or_default();
            let has_name = path
                .split_once("://")
                .map_or(path, |(_, rest)| rest)
                .contains('/')
                && !path.ends_with('/');
            let name = if has_name {
                last_part(path)
            } else {
                "index.html"
            };
            self.write_file(&address.part(name));
        }
    }
}
