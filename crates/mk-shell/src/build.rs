//! Builds, tests and formatters: they run what a project holds, and what their words lead to.

use crate::analysis::LineAnalysis;
use crate::arguments::CommandArguments;
use crate::program::OptionEffect;
use crate::word::ShellWord;
use crate::{NameExtent, UseOfFile};

impl LineAnalysis {
    /// Lists the directories that the line may be in as places whose content is used that way.
    pub(crate) fn use_here(&mut self, access: UseOfFile) {
        for directory in self.directories.clone() {
            let place = if directory.is_empty() {
                "."
            } else {
                &directory
            };
            self.push_file(place, access, NameExtent::Itself);
        }
    }

    /// Lists what a build or a test runs: what is here, and what its words lead to elsewhere.
    pub(crate) fn run_named(&mut self, arguments: &CommandArguments<'_>) {
        self.use_here(UseOfFile::Run);
        let leads_elsewhere = |word: &ShellWord| {
            word.value.starts_with(['/', '~']) || word.value.split('/').any(|part| part == "..")
        };
        let options = arguments.options.iter().filter(|option| {
            let effect = option.effect;
            matches!(effect, Some(OptionEffect::Value | OptionEffect::Read))
        });
        let values = options.filter_map(|option| option.value.as_ref());
        // Settings, reporters and plugins are files that are named by an option.
        for word in values.filter(|word| word.value.contains(['/', '.'])) {
            self.use_file(word, UseOfFile::Run, NameExtent::Itself);
        }
        for report in arguments.values(&["cov-report"]) {
            if let Some((_, file)) = report.value.split_once(':') {
                self.write_file(&report.part(file));
            }
        }
        for word in &arguments.operands {
            let (option, value) = word.value.split_once('=').unwrap_or((&word.value, ""));
            let is_option = word.value.starts_with('-');
            if is_option && names_effect(option) {
                self.doubt_files("an argument may name a file that is written or run");
            }
            let named = if is_option {
                word.part(value)
            } else {
                (*word).clone()
            };
            if leads_elsewhere(&named) {
                self.use_file(&named, UseOfFile::Run, NameExtent::Itself);
            }
        }
    }

    /// `make fmt`, `npm run lint:fix`: a task whose name says that it changes the project.
    pub(crate) fn check_tasks(&mut self, name: &str, arguments: &CommandArguments<'_>) {
        let only_tells = arguments.has(&["n", "dry-run", "just-print"]);
        if !TASK_RUNNERS.contains(&name) || only_tells {
            return;
        }
        let changes = |word: &&ShellWord| {
            let lower = word.value.to_ascii_lowercase();
            let parts: Vec<&str> = lower.split([':', '-', '_', '.']).collect();
            let tells = |part: &str| {
                CHANGING_TASKS.contains(&part)
                    || part.ends_with("apply")
                    || part.contains("scalafmt") && !part.contains("check")
            };
            let only_looks = ["check", "verify", "dry", "test"];
            // `mvn install` is how Maven builds.
            let tells = |part: &str| tells(part) || part == "install" && !name.starts_with("mvn");
            let only_looks = |part: &&str| only_looks.contains(part);
            parts.iter().any(|part| tells(part)) && !parts.iter().any(only_looks)
        };
        if arguments.operands.iter().any(changes) {
            self.doubt_files("the task's name says that it changes files");
        }
    }

    /// `make CC=…`: a variable can choose what a build runs.
    pub(crate) fn check_settings(&mut self, name: &str, arguments: &CommandArguments<'_>) {
        const HARMLESS: &[&str] = &[
            "", "true", "false", "yes", "no", "on", "off", "y", "n", "debug", "release", "test",
        ];
        let chooses = |word: &&&ShellWord| match word.value.split_once('=') {
            Some((name, value)) if !name.starts_with('-') => {
                let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
                !is_number && !HARMLESS.contains(&value.to_ascii_lowercase().as_str())
            }
            _ => false,
        };
        // Plugins of Maven that run whatever they are told to.
        let runs = |word: &&ShellWord| {
            let value = word.value.as_str();
            ["exec:", "antrun:", "help:evaluate", "dependency:"]
                .iter()
                .any(|goal| value.contains(goal))
        };
        let defines = |word: &ShellWord| {
            const PROGRAMS: &[&str] = &["COMPILER", "LAUNCHER", "TOOLCHAIN", "PROGRAM", "exec."];
            PROGRAMS.iter().any(|name| word.value.contains(name))
        };
        // Their arguments are lines of a language.
        let takes_lines = matches!(name, "sbt" | "mill" | "lein");
        let is_line = |word: &ShellWord| takes_lines && word.value.contains(' ');
        let mut operands = arguments.operands.iter();
        if operands.any(|word| chooses(&word) || runs(word) || is_line(word))
            || arguments.values(&["D"]).any(defines)
        {
            self.doubt_commands("a variable is set that chooses what runs");
        }
    }
}

/// Programs whose operands are tasks that the project defines.
const TASK_RUNNERS: &[&str] = &[
    "make", "gmake", "remake", "ninja", "just", "task", "mage", "rake", "scons", "gradle",
    "gradlew", "mvn", "mvnw", "sbt", "ant", "lein", "mill", "npm", "pnpm", "yarn", "bun", "gulp",
    "grunt", "nx", "turbo", "tox", "nox", "invoke",
];
/// What tasks are called that change the project.
const CHANGING_TASKS: &[&str] = &[
    "format", "fmt", "fix", "autofix", "prettify", "write", "generate", "codegen", "gen", "deploy",
    "publish", "release", "migrate", "eject", "upgrade", "update", "bump", "wrapper", "init",
    "set",
];

/// Whether an option that a test hands on is called like one that writes or runs a file.
fn names_effect(option: &str) -> bool {
    const PARTS: &[&str] = &[
        "logfile",
        "outputfile",
        "outfile",
        "output-file",
        "profile",
        "junit",
        "config",
        "report-dir",
        "coveragedirectory",
        "cov-report",
        "snapshot",
        "fix",
        "write",
        "require",
        "import",
        "loader",
        "setup",
        "plugin",
        "rootdir",
        "exec",
        "eval",
        "preload",
    ];
    let lower = option.to_ascii_lowercase();
    option == "-u" || PARTS.iter().any(|part| lower.contains(part))
}
