//! A profile for macOS's own sandbox, as text for `sandbox-exec -f`: what the wall is on Linux, as far as rules on paths
//! can say it. It was never run on a Mac, so nothing here counts as a wall.
//!
//! Rules only name what may be written; the last one that matches decides. A pattern that cannot be said in the
//! sandbox's own expressions opens nothing, and a comment names it.

mod expression;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::rights::Network;
use expression::{anchored, glob_any_case, pattern};

/// What a profile is made from. Paths are absolute and have no links in them.
#[derive(Debug, Clone)]
pub struct SeatbeltRights {
    pub mode: String,
    pub root: PathBuf,
    /// One for each mode that holds, all of which must agree.
    pub edit: Vec<SeatbeltEdit>,
    /// Globs that no mode may write, relative to the root or with a leading `/`; names compare without regard to case.
    pub shut: Vec<String>,
    /// Directories below the root in which nothing may be written.
    pub closed: Vec<PathBuf>,
    /// Directories in which everything may be written.
    pub trees: Vec<PathBuf>,
    /// What may not be read.
    pub hidden: Vec<PathBuf>,
    pub network: Network,
}

/// What one mode may edit: everything that one of its grants covers.
pub type SeatbeltEdit = Vec<SeatbeltGrant>;

/// One grant of a mode: both parts must agree; without any, it covers every file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeatbeltGrant {
    /// A JavaScript pattern that is searched in the path relative to the root.
    pub regex: Option<String>,
    pub globs: Vec<String>,
}

/// Services that hand out passwords.
const KEYCHAIN: [&str; 3] = [
    "com.apple.SecurityServer",
    "com.apple.securityd.xpc",
    "com.apple.security.agent",
];
const DEVICES: &str =
    r#"(regex #"^/dev/(null|zero|random|urandom|tty|ptmx|ttys[0-9]+|fd/[0-9]+|stdout|stderr)$")"#;

impl SeatbeltRights {
    pub fn profile(&self) -> String {
        let mut text = format!(
            "; Modekeeper: mode \"{}\" for sandbox-exec. UNTESTED: this profile was never run on a Mac.\n\
             (version 1)\n(allow default)\n(deny file-write*)\n(deny file-link)\n(allow file-write* {DEVICES})\n",
            self.mode.replace(['\n', '\r'], " ")
        );
        for tree in &self.trees {
            let _ = writeln!(text, "(allow file-write* (subpath {}))", quoted(tree));
        }
        self.write_edits(&mut text);
        self.write_shut(&mut text);
        for closed in &self.closed {
            let _ = writeln!(text, "(deny file-write* (subpath {}))", quoted(closed));
        }
        for hidden in &self.hidden {
            let path = quoted(hidden);
            let _ = writeln!(text, "(deny file-read* file-write* (subpath {path}))");
        }
        for service in KEYCHAIN {
            let _ = writeln!(text, "(deny mach-lookup (global-name \"{service}\"))");
        }
        text.push_str(match self.network {
            Network::On => "",
            // Its own ports cannot be told from those of others here.
            Network::Own | Network::Off => "(deny network*)\n",
        });
        text
    }

    fn write_edits(&self, text: &mut String) {
        let mut filters = Vec::new();
        for edit in &self.edit {
            let mut any = Vec::new();
            for grant in edit {
                match self.covered(grant) {
                    Some(filter) => any.push(filter),
                    None => {
                        let _ = writeln!(
                            text,
                            "; cannot be said here, so it opens nothing: {}",
                            grant.label()
                        );
                    }
                }
            }
            if any.is_empty() {
                return;
            }
            filters.push(joined("require-any", &any));
        }
        if !filters.is_empty() {
            let _ = writeln!(
                text,
                "(allow file-write* {})",
                joined("require-all", &filters)
            );
        }
    }

    /// The filter for what a grant covers.
    fn covered(&self, grant: &SeatbeltGrant) -> Option<String> {
        let mut all = vec![format!("(subpath {})", quoted(&self.root))];
        if let Some(source) = &grant.regex {
            all.push(self.any_of(&pattern(source)?));
        }
        if !grant.globs.is_empty() {
            let globs: Option<Vec<String>> =
                grant.globs.iter().map(|it| expression::glob(it)).collect();
            all.push(self.any_of(&globs?));
        }
        Some(joined("require-all", &all))
    }

    fn any_of(&self, expressions: &[String]) -> String {
        let below = expressions
            .iter()
            .map(|it| format!("(regex #\"{}\")", anchored(&self.root, it)))
            .collect::<Vec<_>>();
        joined("require-any", &below)
    }

    fn write_shut(&self, text: &mut String) {
        for glob in &self.shut {
            let expression = match glob.strip_prefix('/') {
                Some(absolute) => anchored(Path::new("/"), &glob_any_case(absolute)),
                None => anchored(&self.root, &glob_any_case(glob)),
            };
            let _ = writeln!(text, "(deny file-write* (regex #\"{expression}\"))");
        }
        let git = anchored(&self.root, &glob_any_case("**/.git/**"));
        let _ = writeln!(text, "(deny file-write* (regex #\"{git}\"))");
    }
}

impl SeatbeltGrant {
    fn label(&self) -> String {
        let globs = self.globs.iter().map(String::as_str);
        let all: Vec<&str> = self.regex.as_deref().into_iter().chain(globs).collect();
        all.join(", ").replace(['\n', '\r'], " ")
    }
}

/// One filter as it is, several in their bracket.
fn joined(how: &str, filters: &[String]) -> String {
    match filters {
        [one] => one.clone(),
        several => format!("({how} {})", several.join(" ")),
    }
}

fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
