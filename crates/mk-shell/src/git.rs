//! What `git` does to files that no row can say: its configuration, other repositories, revisions.

use crate::analysis::LineAnalysis;
use crate::arguments::CommandArguments;
use crate::word::ShellWord;
use crate::{NameExtent, Records, UseOfFile};

impl LineAnalysis {
    pub(crate) fn note_git(&mut self, command: &str, arguments: &CommandArguments<'_>) {
        let operands = &arguments.operands;
        for operand in operands {
            self.note_pathspec(command, operand);
        }
        match command {
            // What is ignored may be hidden.
            "clean" if arguments.has(&["x", "X"]) => {
                let here = ShellWord::literal(".");
                self.use_file(&here, UseOfFile::Read, NameExtent::Below);
            }
            "config" => self.note_git_config(arguments),
            "push" => self.note_repository(operands, UseOfFile::Write),
            "fetch" | "pull" => self.note_repository(operands, UseOfFile::Read),
            "reflog" => {
                if matches!(
                    action(arguments),
                    Some("expire" | "delete" | "drop" | "write")
                ) {
                    self.doubt_files("the command discards what the repository remembers");
                }
            }
            "maintenance" => {
                if matches!(
                    action(arguments),
                    Some("start" | "stop" | "register" | "unregister")
                ) {
                    self.write_file(&ShellWord::literal("~/.gitconfig"));
                }
            }
            "tag" | "branch" | "remote" | "notes" => self.note_git_list(arguments),
            "init" if operands.is_empty() => self.write_file(&ShellWord::literal(".")),
            "clone" => {
                if let [_, target] = operands.as_slice() {
                    self.write_file(target);
                }
            }
            "worktree" => {
                if let [action, target, ..] = operands.as_slice()
                    && action.value == "add"
                {
                    self.write_file(target);
                }
            }
            _ => {}
        }
    }

    /// Git has wildcards of its own, which also stand for names with a dot in front, and `:/` is where the repository
    /// begins.
    fn note_pathspec(&mut self, command: &str, operand: &ShellWord) {
        let value = operand.value.as_str();
        let magic = value.strip_prefix(":(").and_then(|it| it.split_once(')'));
        let name = match (magic, value.strip_prefix(':')) {
            (Some((_, name)), _) => name,
            (None, Some(name)) => name.trim_start_matches(['/', '!', '^', ':']),
            (None, None) => value,
        };
        if name != value {
            self.note_word(name, None);
        }
        let is_pattern = name != value || name.contains(['*', '?', '[']);
        if command == "rm" && is_pattern {
            let pattern = name.replace('*', &crate::SOME_NAME.to_string());
            self.push_file(&pattern, UseOfFile::Write, NameExtent::Below);
        }
    }

    fn note_git_config(&mut self, arguments: &CommandArguments<'_>) {
        const READS: &[&str] = &["get", "get-all", "get-regexp", "list", "l"];
        const CHANGES: &[&str] = &["add", "unset", "unset-all", "replace-all", "edit", "e"];
        const SECTIONS: &[&str] = &["rename-section", "remove-section"];
        let asks = arguments.has(READS) || matches!(action(arguments), Some("get" | "list"));
        let sets = !asks && arguments.operands.len() > 1 || arguments.has(CHANGES);
        if !sets && !arguments.has(SECTIONS) {
            return;
        }
        if let Some(file) = arguments.values(&["f", "file"]).next() {
            self.write_file(file);
        } else if arguments.has(&["f", "file"]) {
            self.write_file(&ShellWord::unknown());
        } else {
            let file = match () {
                () if arguments.has(&["global"]) => "~/.gitconfig",
                () if arguments.has(&["system"]) => "/etc/gitconfig",
                () => ".git/config",
            };
            self.write_file(&ShellWord::literal(file));
        }
    }

    /// A repository on this machine is named by its path.
    fn note_repository(&mut self, operands: &[&ShellWord], access: UseOfFile) {
        let Some(repository) = operands.first() else {
            return;
        };
        let value = repository.value.as_str();
        if value.starts_with(['/', '.', '~']) || value.starts_with("file:") {
            let path = repository.part(value.trim_start_matches("file://"));
            self.use_file(&path, access, NameExtent::Itself);
        }
    }

    /// Without a name these list.
    fn note_git_list(&mut self, arguments: &CommandArguments<'_>) {
        const ASKS: &[&str] = &[
            "list",
            "l",
            "contains",
            "merged",
            "no-merged",
            "v",
            "points-at",
        ];
        let shows = matches!(action(arguments), Some("show" | "get-url" | "list"));
        if !arguments.operands.is_empty() && !shows && !arguments.has(ASKS) {
            self.line.records = Records::Yes;
        }
    }

    /// `git show HEAD:file` names a file behind the colon.
    pub(crate) fn read_revisions(&mut self, name: &str, operands: &[&ShellWord]) {
        if name != "git" {
            return;
        }
        for operand in operands {
            if let Some((_, file)) = operand.value.split_once(':') {
                self.read_file(&operand.part(file));
            }
        }
    }
}

fn action<'words>(arguments: &CommandArguments<'words>) -> Option<&'words str> {
    arguments.operands.first().map(|word| word.value.as_str())
}
