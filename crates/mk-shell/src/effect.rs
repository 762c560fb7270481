//! What a program does to files, by its row.
//!
//! Programs that no row can describe have a module of their own: [`crate::copy`], [`crate::script`],
//! [`crate::transfer`], [`crate::archive`], [`crate::find`].

use crate::analysis::{Analysis, Step};
use crate::arguments::Arguments;
use crate::program::{Effect, Operands, Program, Scope};
use crate::text::SOME_NAME;
use crate::word::{Shape, Word};
use crate::{Extent, Roams, Use};

impl Analysis {
    /// Notes what a command does. A program without a row is in doubt.
    pub(crate) fn note_program(&mut self, name: &str, words: &[Word]) -> Step<()> {
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
                    if first.is_some_and(Word::may_be_option) {
                        self.doubt_commands("the first argument comes from an expansion");
                    }
                    return Ok(());
                };
                return self.note_row(name, program, words);
            }
        }
        Ok(())
    }

    fn note_row(&mut self, name: &str, program: &'static Program, words: &[Word]) -> Step<()> {
        let arguments = Arguments::split(words, program);
        let directories = self.directories.clone();
        let extent = self.note_options(program, &arguments)?;
        let mut unseen = arguments
            .operands
            .iter()
            .copied()
            .chain(arguments.rest.first());
        let mut values = arguments.options.iter().filter_map(|it| it.value.as_ref());
        if unseen.any(Word::may_be_option) || values.any(Word::may_be_anything) {
            self.doubt_option(program);
        }
        if program.subcommands.is_empty() {
            self.note_operands(name, program, &arguments, extent);
            if matches!(name, "curl" | "wget") {
                self.note_transfer(name, &arguments);
            }
            self.note_scope(program.scope, &arguments);
        } else if let [first, rest @ ..] = arguments.rest {
            match program.subcommand(&first.value) {
                Some(subcommand) if first.shape <= Shape::Backslash => {
                    self.descend()?;
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
    fn doubt_option(&mut self, program: &Program) {
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
        program: &'static Program,
        words: &[Word],
    ) -> Step<()> {
        if program.operands == Operands::Command {
            let arguments = Arguments::split(words, program);
            self.note_options(program, &arguments)?;
            return self.run(arguments.rest);
        }
        self.note_row(name, program, words)
    }

    /// Notes what the options do. Says whether directories are meant with all that is in them.
    pub(crate) fn note_options(
        &mut self,
        program: &Program,
        arguments: &Arguments<'_>,
    ) -> Step<Extent> {
        let mut extent = Extent::Itself;
        for option in &arguments.options {
            match (option.effect, &option.value) {
                (Some(Effect::Flag | Effect::Value), _) => {}
                (Some(Effect::Read), Some(file)) => self.read_file(file),
                (Some(Effect::Write), Some(file)) => self.write_file(file),
                (Some(Effect::Enter), Some(directory)) => {
                    self.directories = self.locate(directory);
                }
                (Some(Effect::Run), Some(line)) if line.alternatives.is_none() => {
                    self.read_nested(&line.value)?;
                }
                (Some(Effect::Run | Effect::Doubt), _) => {
                    self.doubt_commands("an option runs what cannot be seen");
                }
                (Some(Effect::Below), _) => extent = Extent::Below,
                (Some(Effect::Change), _) => {
                    self.doubt_files("the program changes files that it does not name");
                }
                // An option without the value that it needs does nothing.
                (Some(Effect::Read | Effect::Write | Effect::Enter), None) => {}
                (None, _) => self.doubt_files("an option is not known"),
            }
        }
        if program.scope == Scope::Tree && program.operands == Operands::Read {
            extent = Extent::Below;
        }
        Ok(extent)
    }

    fn note_operands(
        &mut self,
        name: &str,
        program: &Program,
        arguments: &Arguments<'_>,
        extent: Extent,
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
            self.use_file(word, Use::Read, Extent::Itself);
        }
        match program.operands {
            Operands::Data | Operands::Command => {}
            Operands::Read => {
                self.use_all(operands, Use::Read, extent);
                self.read_revisions(name, operands);
            }
            Operands::Write => self.use_all(operands, Use::Write, extent),
            Operands::ReadThenWrite => {
                let (read, written) = operands.split_at(operands.len().min(1));
                self.use_all(read, Use::Read, extent);
                self.use_all(written, Use::Write, extent);
            }
            Operands::WriteThenRead => {
                let (written, read) = operands.split_at(operands.len().min(1));
                self.use_all(written, Use::Write, Extent::Itself);
                self.use_all(read, Use::Read, extent);
            }
            Operands::Copy | Operands::Move | Operands::Link => {
                self.note_copy(program.operands, arguments, extent);
            }
        }
    }

    pub(crate) fn use_all(&mut self, words: &[&Word], access: Use, extent: Extent) {
        for word in words {
            self.use_file(word, access, extent);
        }
    }

    /// `git show HEAD:file` names a file behind the colon.
    fn read_revisions(&mut self, name: &str, operands: &[&Word]) {
        if name != "git" {
            return;
        }
        for operand in operands {
            if let Some((_, file)) = operand.value.split_once(':') {
                self.read_file(&operand.part(file));
            }
        }
    }

    fn note_scope(&mut self, scope: Scope, arguments: &Arguments<'_>) {
        match scope {
            Scope::Words => {}
            Scope::Tree => {
                self.line.roams = Roams::Yes;
                if arguments.operands.len() <= 1 {
                    self.use_file(&Word::literal("."), Use::Read, Extent::Below);
                }
            }
            // What a build reads it does not show.
            Scope::Build => {}
            Scope::Change => {
                self.line.roams = Roams::Yes;
                self.doubt_files("the program changes files that it does not name");
            }
        }
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
        for word in operands.skip(usize::from(has_mode)) {
            self.use_file(word, Use::Write, Extent::Below);
        }
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

    /// What a command prints, if that is names of files; for `xargs`.
    pub(crate) fn printed_names(&self, name: &str, words: &[Word]) -> Option<Vec<String>> {
        let first = words.first().map_or("", |word| word.value.as_str());
        let has_l = words
            .iter()
            .any(|word| word.value.starts_with('-') && word.value.contains('l'));
        match (name, first) {
            ("git", "ls-files" | "diff" | "grep") | ("rg" | "fd" | "fdfind" | "ls", _) => {
                // These leave out what begins with a dot, or was never given to git.
                Some(vec!["**/*".to_owned()])
            }
            ("grep", _) if has_l => Some(vec![format!("{SOME_NAME}{SOME_NAME}/{SOME_NAME}")]),
            _ => None,
        }
    }
}

/// The name of a file without its directories.
pub(crate) fn last_part(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}
