//! Variables that the line sets, and what substitutions put in their place.
//!
//! A variable can be everything that the line ever sets it to, because which of it runs is not known here.

use crate::analysis::LineAnalysis;
use crate::text::{ANYTHING, SOME_NAME, escape};
use crate::word::{Quoting, ShellWord};

const MOST_VALUES: usize = 16;

/// What the line sets, and what was looked up meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    set: Vec<(String, Vec<String>)>,
    used: Vec<String>,
}

fn anything() -> Vec<String> {
    vec![ANYTHING.to_string()]
}

fn some_name() -> Vec<String> {
    vec![SOME_NAME.to_string()]
}

/// Variables that programs read before they run anything.
const CHOOSES: &[&str] = &[
    "PATH",
    "ENV",
    "BASH_ENV",
    "ZDOTDIR",
    "PS1",
    "PS2",
    "PS4",
    "CDPATH",
    "PROMPT_COMMAND",
    "SHELL",
    "SHELLOPTS",
    "BASHOPTS",
    "GLOBIGNORE",
    "HOME",
    "PWD",
    "OLDPWD",
    "TMPDIR",
    "INPUTRC",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "RUBYOPT",
    "RUBYLIB",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONUSERBASE",
    "PYTHONBREAKPOINT",
    "PYTHONINSPECT",
    "LUA_PATH",
    "LUA_INIT",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "JAVA_OPTS",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "SBT_OPTS",
    "DOTNET_STARTUP_HOOKS",
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "MFLAGS",
    "MAKEFILES",
    "CC",
    "CXX",
    "LD",
    "AR",
    "CFLAGS",
    "LDFLAGS",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "GOFLAGS",
    "GOROOT",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "LESSOPEN",
    "LESSCLOSE",
    "TAR_OPTIONS",
    "ZIPOPT",
    "CURL_HOME",
    "WGETRC",
    "VIMINIT",
    "EXINIT",
    "XDG_CONFIG_HOME",
    "RIPGREP_CONFIG_PATH",
    "KUBECONFIG",
    "NODE_V8_COVERAGE",
    "TF_LOG_PATH",
    "LESS",
    "LESSEDIT",
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "TOX_OVERRIDE",
    "JUST_JUSTFILE",
    "BUN_OPTIONS",
    "SPEC_OPTS",
    "GOCACHEPROG",
    "GOENV",
    "MAVEN_ARGS",
    "RUSTUP_TOOLCHAIN",
    "PKG_CONFIG",
    "LLVM_PROFILE_FILE",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "GCONV_PATH",
    "HARNESS_PERL_SWITCHES",
    "HARNESS_OPTIONS",
    "HARNESS_SUBCLASS",
    "MYPYPATH",
    "GEM_PATH",
    "GEM_HOME",
    "CMAKE_TOOLCHAIN_FILE",
    "COMPOSER_HOME",
    "ASAN_OPTIONS",
    "UBSAN_OPTIONS",
    "TSAN_OPTIONS",
    "MSAN_OPTIONS",
    "GOCOVERDIR",
    "GOTOOLCHAIN",
    "COVERAGE_FILE",
    "RUSTUP_HOME",
    "BAT_CONFIG_PATH",
    "DENO_DIR",
    "TERMINFO",
];
/// How the names of such variables begin.
const CHOOSES_BY_PREFIX: &[&str] = &[
    "LD_",
    "DYLD_",
    "BASH_FUNC",
    "PIP_",
    "npm_config_",
    "NPM_CONFIG_",
    "CARGO_BUILD_",
    "CARGO_TARGET_",
    "CARGO_ENCODED_",
    "CARGO_HOST_",
    "CARGO_HOME",
    "TF_CLI_",
    "YARN_",
    "BUNDLE_",
    "PKG_CONFIG_",
    "MODEKEEPER_",
    "ROO_",
];
/// Variables that name a helper program.
const CHOOSES_HELPER: &[&str] = &["PAGER", "EDITOR", "VISUAL", "BROWSER"];

impl LineAnalysis {
    /// Whether the line sets a variable.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.variables.set.iter().any(|(set, _)| set == name)
    }

    /// What `$name` becomes.
    pub(crate) fn variable(&mut self, name: &str, quoting: Quoting) -> Vec<String> {
        if !self.variables.used.iter().any(|used| used == name) {
            self.variables.used.push(name.to_owned());
        }
        let known = self.variables.set.iter().find(|(set, _)| set == name);
        let Some((_, values)) = known else {
            return match name {
                "PWD" => self.directories.iter().map(|at| here(at)).collect(),
                "HOME" => vec!["~".to_owned()],
                "TMPDIR" => vec!["/tmp".to_owned()],
                "RANDOM" | "LINENO" | "UID" | "EUID" | "PPID" | "SECONDS" | "USER" | "LOGNAME"
                | "HOSTNAME" => some_name(),
                _ => anything(),
            };
        };
        // Outside of quotes the shell takes it apart at spaces.
        let splits = |value: &String| value.contains([' ', '\t', '\n']) || value.is_empty();
        if quoting == Quoting::None && (values.iter().any(splits) || self.is_set("IFS")) {
            return anything();
        }
        values.clone()
    }

    /// What `${…}` becomes.
    pub(crate) fn parameter(&mut self, inside: &str, quoting: Quoting) -> Vec<String> {
        if inside.starts_with('#') {
            return some_name();
        }
        let end = inside
            .find(|character: char| character != '_' && !character.is_ascii_alphanumeric())
            .unwrap_or(inside.len());
        let (name, operator) = inside.split_at(end);
        let values = self.variable(name, quoting);
        let keeps_names = |value: &String| !value.contains(['/', ANYTHING]);
        match operator.chars().next() {
            None => values,
            // Whatever is cut off, what stays is a part of a name.
            Some('#' | '%' | '^' | ',') if values.iter().all(keeps_names) => some_name(),
            Some('#') if operator.starts_with("##*/") => some_name(),
            Some(_) => anything(),
        }
    }

    /// What the commands since `first` print, where that is known.
    pub(crate) fn output_since(&self, first: usize) -> Vec<String> {
        let commands = self.line.commands.get(first..).unwrap_or_default();
        let [command] = commands else {
            return anything();
        };
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["mktemp", options @ ..] if options.iter().all(|word| matches!(*word, "-d" | "-q")) => {
                vec![format!("/tmp/{SOME_NAME}")]
            }
            ["pwd"] => self.directories.iter().map(|at| here(at)).collect(),
            ["git", "rev-parse", "--show-toplevel"] => vec![".".to_owned()],
            ["date", ..] => some_name(),
            ["git", "ls-files", ending] => tracked(ending).map_or_else(anything, |all| vec![all]),
            ["git", "rev-parse", "HEAD"]
            | ["git", "rev-parse", "--short", "HEAD"]
            | ["whoami" | "nproc" | "hostname"]
            | ["basename", ..] => some_name(),
            _ => anything(),
        }
    }

    /// Notes that a variable is set to what a word can be.
    pub(crate) fn assign(&mut self, name: &str, values: Vec<String>) {
        let was_used = self.variables.used.iter().any(|used| used == name);
        if self.loops > 0 && was_used {
            self.doubt_files("a variable changes in a loop");
        }
        let place = self.variables.set.iter().position(|(set, _)| set == name);
        let place = place.unwrap_or_else(|| {
            self.variables.set.push((name.to_owned(), Vec::new()));
            self.variables.set.len() - 1
        });
        let known = &mut self.variables.set[place].1;
        for value in values {
            if !known.contains(&value) {
                known.push(value);
            }
        }
        if known.len() > MOST_VALUES {
            *known = anything();
        }
    }

    /// The `NAME=value` of a word.
    pub(crate) fn assign_word(&mut self, name: &str, word: &ShellWord) {
        let Some((before, value)) = word.value.split_once('=') else {
            return;
        };
        let values = if before == name {
            word.part(value).patterns()
        } else {
            anything()
        };
        self.assign(name, values);
    }
}

impl ShellWord {
    /// Everything that it can be, as patterns.
    pub(crate) fn patterns(&self) -> Vec<String> {
        match &self.alternatives {
            Some(all) => all.clone(),
            None => vec![escape(&self.value).into_owned()],
        }
    }
}

/// What `git ls-files '*.rs'` prints. Its `*` also stands for directories.
pub(crate) fn tracked(ending: &str) -> Option<String> {
    let is_plain = ending.starts_with("*.") && !ending.contains(['/', '[', '\\', ':']);
    let name = ending.replace('*', &SOME_NAME.to_string());
    is_plain.then(|| format!("{SOME_NAME}{SOME_NAME}/{name}"))
}

fn here(directory: &str) -> String {
    if directory.is_empty() {
        ".".to_owned()
    } else {
        directory.to_owned()
    }
}

/// Whether a variable with this value chooses which program runs.
pub(crate) fn chooses_what_runs(name: &str, value: &str) -> bool {
    let is_harmless = matches!(value, "" | "cat" | "true" | ":" | "0" | "1");
    let names_helper =
        name.starts_with("GIT_") || CHOOSES_HELPER.iter().any(|helper| name.ends_with(helper));
    CHOOSES.contains(&name)
        || CHOOSES_BY_PREFIX
            .iter()
            .any(|prefix| name.starts_with(prefix))
        || (name == "IFS" && !value.is_empty())
        || name.contains('[')
        || (names_helper && !is_harmless)
}
