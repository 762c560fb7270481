//! `curl` and `wget`, as far as no row can say it: files that are named by addresses, and data that is read from files.

use crate::analysis::LineAnalysis;
use crate::arguments::CommandArguments;
use crate::effect::last_part;
use crate::word::{ShellWord, WordShape};

impl LineAnalysis {
    pub(crate) fn note_transfer(&mut self, name: &str, arguments: &CommandArguments<'_>) {
        const DATA: &[&str] = &[
            "d",
            "data",
            "data-binary",
            "data-urlencode",
            "F",
            "form",
            "json",
            "H",
            "header",
            "b",
            "cookie",
            "K",
            "config",
            "url-query",
            "variable",
            "data-ascii",
        ];
        for data in arguments.values(DATA) {
            if let Some((_, file)) = data.value.split_once(['@', '<']) {
                self.read_file(&data.part(file));
            }
        }
        // A cookie has a `=`; what has none is a file of them.
        for cookie in arguments.values(&["b", "cookie"]) {
            if name == "curl" && !cookie.value.contains('=') {
                self.read_file(cookie);
            }
        }
        let writes =
            |format: &ShellWord| format.value.starts_with('@') || format.value.contains("%output{");
        if name == "curl" && arguments.values(&["w", "write-out"]).any(writes) {
            self.doubt_files("a script in an option's value names files");
        }
        for address in &arguments.operands {
            if let Some((scheme, path)) = address.value.split_once("://")
                && scheme.eq_ignore_ascii_case("file")
            {
                self.read_file(&address.part(path));
            }
        }
        let named_by_address = match name {
            "curl" => arguments.has(&["O", "remote-name", "remote-name-all"]),
            _ => !arguments.has(&["O", "output-document", "spider", "version", "help"]),
        };
        if named_by_address {
            self.write_named_by_address(arguments);
        }
    }

    fn write_named_by_address(&mut self, arguments: &CommandArguments<'_>) {
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
            let is_known = address.shape != WordShape::Expansion;
            // Nothing on disk is called like an address, whatever wildcards it holds.
            let file = if is_known {
                ShellWord::literal(name)
            } else {
                ShellWord::unknown()
            };
            self.write_file(&file);
        }
    }
}
