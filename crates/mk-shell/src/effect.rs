//! What a program does to files, by its row.
//!
//! Programs that no row can describe have a module of their own: [`crate::copy`], [`crate::script`],
//! [`crate::transfer`], [`crate::archive`], [`crate::find`].

use crate::analysis::{AnalysisStep, LineAnalysis};
use crate::arguments::CommandArguments;
use crate::program::{Operands, OptionEffect, ProgramRow, ProgramScope};
use crate::text::SOME_NAME;
use crate::variable::tracked;
use crate::word::{ShellWord, WordShape};
use crate::{NameExtent, RoamingReads, UseOfFile};

impl LineAnalysis {
    /// Notes what a command does. A program without a row is in doubt.
    pub(crate) fn note_program(&mut self, name: &str, words: &[ShellWord]) -> AnalysisStep<()> {
        self.note_unnamed(name, words);
        match name {
            "dd" => self.note_dd(words),
            "chmod" => self.note_chmod(words),
            "sed" | "gsed" => self.note_sed(words),
            "awk" | "gawk" | "mawk" | "nawk" => self.note_awk(words),
            "tar" | "bsdtar" | "gtar" => self.note_tar(words),
            _ => {
                let Some(program) = self.programs.get(name) else {
                    self.doubt_files("the program is not known");
                    let first = words.iter().find(|word| !word.value.starts_with('-'));
                    if first.is_some_and(ShellWord::may_be_option) {
                        self.doubt_commands("the first argument comes from an expansion");
                    }
                    return Ok(());
                };
                return self.note_row(name, program, words);
            }
        }
        Ok(())
    }

    fn note_row(
        &mut self,
        name: &str,
        program: &'static ProgramRow,
        words: &[ShellWord],
    ) -> AnalysisStep<()> {
        let arguments = CommandArguments::split(words, program);
        let directories = self.directories.clone();
        let extent = self.note_options(program, &arguments)?;
        let mut unseen = arguments
            .operands
            .iter()
            .copied()
            .chain(arguments.rest.first());
        let mut values = arguments.options.iter().filter_map(|it| it.value.as_ref());
        if unseen.any(ShellWord::may_be_option) || values.any(ShellWord::may_be_anything) {
            self.doubt_option(program);
        }
        if program.subcommands.is_empty() {
            self.note_operands(name, program, &arguments, extent);
            if matches!(name, "curl" | "wget") {
                self.note_transfer(name, &arguments);
            }
            self.note_scope(name, program, &arguments);
        } else if let [first, rest @ ..] = arguments.rest {
            let (command, rest) = asked(name, &first.value, rest);
            match program.subcommand(command) {
                Some(subcommand) if first.shape <= WordShape::Backslash => {
                    self.descend()?;
                    if name == "git" {
                        self.use_here(UseOfFile::Obey);
                        self.note_git(&first.value, &CommandArguments::split(rest, subcommand));
                    }
                    self.note_subcommand(name, subcommand, rest)?;
                    self.ascend();
                }
                _ if first.alternatives.is_some() => {
                    self.doubt_commands("the subcommand comes from an expansion");
                }
                _ => self.doubt_files("the subcommand is not known"),
            }
        }
        self.directories = directories;
        Ok(())
    }

    /// A word that may turn out to be any option.
    fn doubt_option(&mut self, program: &ProgramRow) {
        const REASON: &str = "an argument may be an option";
        if program.may_run() {
            self.doubt_commands(REASON);
        } else if program.has_effects() {
            self.doubt_files(REASON);
        }
    }

    fn note_subcommand(
        &mut self,
        name: &str,
        program: &'static ProgramRow,
        words: &[ShellWord],
    ) -> AnalysisStep<()> {
        if program.operands == Operands::Command {
            let arguments = CommandArguments::split(words, program);
            self.note_options(program, &arguments)?;
            return self.run(arguments.rest);
        }
        self.note_row(name, program, words)
    }

    /// Notes what the options do. Says whether directories are meant with all that is in them.
    pub(crate) fn note_options(
        &mut self,
        program: &ProgramRow,
        arguments: &CommandArguments<'_>,
    ) -> AnalysisStep<NameExtent> {
        let mut extent = NameExtent::Itself;
        for option in &arguments.options {
            match (option.effect, &option.value) {
                (Some(OptionEffect::Flag | OptionEffect::Value), _) => {}
                (Some(OptionEffect::Read), Some(file)) => self.read_file(file),
                (Some(OptionEffect::Write), Some(file)) => self.write_file(file),
                (Some(OptionEffect::Enter), Some(directory)) => {
                    self.directories = self.locate(directory);
                }
                (Some(OptionEffect::Run), Some(line)) if line.alternatives.is_none() => {
                    self.read_nested(&line.value)?;
                }
                (Some(OptionEffect::Run | OptionEffect::Doubt), _) => {
                    self.doubt_commands("an option runs what cannot be seen");
                }
                (Some(OptionEffect::Below), _) => extent = NameExtent::Below,
                (Some(OptionEffect::Change), _) => {
                    self.doubt_files("the program changes files that it does not name");
                }
                // An option without the value that it needs does nothing.
                (Some(OptionEffect::Read | OptionEffect::Write | OptionEffect::Enter), None) => {}
                (None, _) => self.doubt_files("an option is not known"),
            }
        }
        if program.scope == ProgramScope::Tree && program.operands == Operands::Read {
            extent = NameExtent::Below;
        }
        Ok(extent)
    }

    fn note_operands(
        &mut self,
        name: &str,
        program: &ProgramRow,
        arguments: &CommandArguments<'_>,
        extent: NameExtent,
    ) {
        let skip = if arguments.has(program.unless) {
            0
        } else {
            program.skip
        };
        let (skipped, operands) = arguments
            .operands
            .split_at(skip.min(arguments.operands.len()));
        // What is taken apart at its spaces may name files, too.
        for word in skipped.iter().filter(|word| word.may_be_anything()) {
            self.use_file(word, UseOfFile::Read, NameExtent::Itself);
        }
        // Both languages read files that their programs name.
        let loads = |word: &&&ShellWord| {
            let words = ["load", "import", "include"];
            words.iter().any(|it| word.value.contains(it))
        };
        if matches!(name, "jq" | "gojq" | "yq") && skipped.iter().any(|word| loads(&word)) {
            self.doubt_files("a script in the program's arguments names files");
        }
        match program.operands {
            Operands::Data | Operands::Command => {}
            Operands::Read => {
                if operands.iter().any(|word| word.value.starts_with('@')) {
                    self.doubt_commands("arguments are read from a file");
                }
                // What goes through directories begins in this one if none is named. In front of `--` a name may be a
                // revision, and then Git goes through all of it.
                let may_be_all = name == "git" && !arguments.has_end;
                if extent == NameExtent::Below && (operands.is_empty() || may_be_all) {
                    self.use_file(&ShellWord::literal("."), UseOfFile::Read, NameExtent::Below);
                }
                self.use_all(operands, UseOfFile::Read, extent);
                self.read_revisions(name, operands);
            }
            Operands::Write => {
                self.use_all(operands, UseOfFile::Write, extent);
                self.note_compressed(name, arguments);
            }
            Operands::ReadThenWrite => {
                let (read, written) = operands.split_at(operands.len().min(1));
                self.use_all(read, UseOfFile::Read, extent);
                self.use_all(written, UseOfFile::Write, extent);
            }
            Operands::WriteThenRead => {
                let (written, read) = operands.split_at(operands.len().min(1));
                self.use_all(written, UseOfFile::Write, NameExtent::Itself);
                self.use_all(read, UseOfFile::Read, extent);
            }
            Operands::Copy | Operands::Move | Operands::Link => {
                self.note_copy(name, program.operands, arguments, extent);
            }
        }
    }

    pub(crate) fn use_all(&mut self, words: &[&ShellWord], access: UseOfFile, extent: NameExtent) {
        for word in words {
            self.use_file(word, access, extent);
        }
    }

    fn note_scope(&mut self, name: &str, program: &ProgramRow, arguments: &CommandArguments<'_>) {
        match program.scope {
            ProgramScope::Words => {}
            ProgramScope::Tree => {
                self.line.roams = RoamingReads::Yes;
                let is_skipped = !arguments.has(program.unless);
                if arguments.operands.len() <= program.skip * usize::from(is_skipped) {
                    self.use_file(&ShellWord::literal("."), UseOfFile::Read, NameExtent::Below);
                }
            }
            // What a build reads it does not show.
            ProgramScope::Build => {
                self.check_settings(name, arguments);
                self.check_tasks(name, arguments);
                self.run_named(arguments);
            }
            ProgramScope::Test => {
                self.check_settings(name, arguments);
                self.check_tasks(name, arguments);
                self.run_named(arguments);
                if arguments.operands.iter().any(|word| is_document(word)) {
                    self.doubt_commands("a file that is not code is run");
                }
            }
            ProgramScope::Record => self.line.records = crate::Records::Yes,
            // These only say what they would do.
            ProgramScope::Change if arguments.has(&["check", "dry-run", "diff"]) => {
                self.run_named(arguments);
            }
            ProgramScope::Change => {
                self.run_named(arguments);
                self.line.roams = RoamingReads::Yes;
                self.doubt_files("the program changes files that it does not name");
            }
        }
    }

    /// `gzip file` writes `file.gz`.
    fn note_compressed(&mut self, name: &str, arguments: &CommandArguments<'_>) {
        let ending = match name {
            "gzip" => ".gz",
            "bzip2" => ".bz2",
            "xz" => ".xz",
            "zstd" => ".zst",
            "compress" => ".Z",
            _ => return,
        };
        let writes_none = ["c", "stdout", "d", "decompress", "t", "test", "l", "list"];
        if arguments.has(&writes_none) {
            return;
        }
        for word in &arguments.operands {
            self.write_file(&word.framed("", ending));
        }
    }

    /// `chmod -x file`: a mode can look like an option.
    fn note_chmod(&mut self, words: &[ShellWord]) {
        let is_option = |word: &&ShellWord| {
            word.value.starts_with("--")
                || word
                    .value
                    .strip_prefix('-')
                    .is_some_and(|letters| letters.chars().all(|letter| "cfvRHLP".contains(letter)))
        };
        // `--reference`, which may be cut short.
        let has_mode = !words.iter().any(|word| word.value.starts_with("--ref"));
        let operands = words.iter().filter(|word| !is_option(word));
        for word in operands.skip(usize::from(has_mode)) {
            self.use_file(word, UseOfFile::Write, NameExtent::Below);
        }
    }

    fn note_dd(&mut self, words: &[ShellWord]) {
        for word in words {
            if let Some(file) = word.value.strip_prefix("of=") {
                self.write_file(&word.part(file));
            } else if let Some(file) = word.value.strip_prefix("if=") {
                self.read_file(&word.part(file));
            } else if word.shape == WordShape::Expansion {
                self.doubt_files("a file is named by an expansion");
            }
        }
    }

    /// What a command prints, if that is names of files; for `xargs`.
    pub(crate) fn printed_names(&self, name: &str, words: &[ShellWord]) -> Option<Vec<String>> {
        let first = words.first().map_or("", |word| word.value.as_str());
        let has_l = words
            .iter()
            .any(|word| word.value.starts_with('-') && word.value.contains('l'));
        let shows_hidden = words.iter().any(|word| {
            let value = word.value.as_str();
            let is_long = value.starts_with("--");
            (is_long
                && [
                    "hidden",
                    "no-ignore",
                    "all",
                    "almost-all",
                    "others",
                    "unrestricted",
                ]
                .iter()
                .any(|it| value.contains(it)))
                || (!is_long
                    && value.starts_with('-')
                    && value.contains(['a', 'A', 'H', 'u', 'o', 'f']))
        });
        if let ("git", [command, ending]) = (name, words)
            && command.value == "ls-files"
            && let Some(names) = tracked(&ending.value)
        {
            return Some(vec![names]);
        }
        match (name, first) {
            ("git", "ls-files" | "diff" | "grep") | ("rg" | "fd" | "fdfind" | "ls", _) => {
                // These leave out what begins with a dot, or was never given to git, unless they are asked for it.
                let all = format!("{SOME_NAME}{SOME_NAME}/{SOME_NAME}");
                let listed = if shows_hidden { all } else { "**/*".to_owned() };
                let named = words.iter().filter(|word| !word.value.starts_with('-'));
                let named = named.flat_map(ShellWord::patterns).take(16);
                Some(std::iter::once(listed).chain(named).collect())
            }
            ("grep", _) if has_l => Some(vec![format!("{SOME_NAME}{SOME_NAME}/{SOME_NAME}")]),
            _ => None,
        }
    }
}

/// The subcommand whose row says what a command does: `git stash list` is a `git log`, other lists are like `git status`.
fn asked<'words>(
    name: &str,
    first: &'words str,
    rest: &'words [ShellWord],
) -> (&'words str, &'words [ShellWord]) {
    let [second, options @ ..] = rest else {
        return (first, rest);
    };
    let is_literal = second.shape <= WordShape::Backslash;
    match (name, first, second.value.as_str()) {
        ("git", "stash", "list") if is_literal => ("log", options),
        ("git", "worktree", "list") | ("git", "submodule", "status") if is_literal => {
            ("status", options)
        }
        _ => (first, rest),
    }
}

/// Whether a name is that of a text that people read: nobody expects a test in it.
fn is_document(word: &ShellWord) -> bool {
    const ENDINGS: &[&str] = &[
        "md", "markdown", "mdx", "txt", "rst", "adoc", "json", "jsonc", "yaml", "yml", "toml",
        "ini", "cfg", "conf", "csv", "html", "xml", "log",
    ];
    let name = last_part(&word.value);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) || word.alternatives.is_some()
}

/// The name of a file without its directories.
pub(crate) fn last_part(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}
