//! What people and scripts read: text or JSON on stdout, errors on stderr, colours only on a terminal.

use std::io::{self, Write as _};

use anyhow::Error;
use mk_engine::MissingThing;
use mk_types::IdError;

use crate::next_step::for_person;

/// Writes to stdout. A reader that has seen enough (`| head`) is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

pub(crate) fn print_json(value: &serde_json::Value) -> anyhow::Result<()> {
    print(&format!("{value:#}\n"))
}

/// Says something on stderr, where stdout belongs to a command.
pub(crate) fn print_note(text: &str) {
    // Where nobody reads, there is nothing to do about it.
    drop(writeln!(io::stderr(), "modekeeper: {text}"));
}

/// What takes a while, for a person who waits at a terminal.
pub(crate) fn print_progress(text: &str) {
    if io::IsTerminal::is_terminal(&io::stderr()) {
        let style = OutputStyle::of(&io::stderr());
        // No one is left to tell if this fails.
        drop(writeln!(io::stderr(), "{}", style.dim(text)));
    }
}

/// `warning: …` on stderr.
pub(crate) fn print_warning(text: &str) {
    let style = OutputStyle::of(&io::stderr());
    // No one is left to tell if this fails.
    drop(writeln!(
        io::stderr(),
        "{} {text}",
        style.yellow("warning:")
    ));
}

/// `error: …`, the causes, and what to do.
pub(crate) fn print_error(error: &Error) {
    let style = OutputStyle::of(&io::stderr());
    let mut text = format!("{} {error}\n", style.red("error:"));
    let mut last = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Errors that only pass another one on say the same once more.
        if !last.contains(&cause) && !cause.ends_with(&last) {
            text.push_str(&format!("  because {cause}\n"));
            last = cause;
        }
    }
    if let Some(hint) = error.chain().find_map(hint_of) {
        text.push_str(&format!("{} {hint}\n", style.bold("hint:")));
    }
    // No one is left to tell if this fails.
    drop(io::stderr().write_all(text.as_bytes()));
}

fn hint_of(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let engine = error
        .downcast_ref::<mk_engine::Error>()
        .and_then(mk_engine::Error::next_step);
    let own = error
        .downcast_ref::<crate::config::ConfigError>()
        .and_then(crate::config::ConfigError::hint);
    engine.map(for_person).or(own).or_else(|| list_of(error))
}

/// The command that lists what an ID may name.
fn list_of(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let command = match (error.downcast_ref(), error.downcast_ref::<IdError>()) {
        (Some(mk_engine::Error::NotFound(missing)), _) => match missing {
            MissingThing::Task(_) | MissingThing::Session(_) | MissingThing::ParentSession(_) => {
                "tasks list"
            }
            MissingThing::Approval(_) => "approve",
            MissingThing::Decision(_) => "log",
            MissingThing::Conversation(_) => "mode",
            _ => return None,
        },
        (_, Some(wrong)) => match wrong.prefix() {
            "sess_" | "task_" => "tasks list",
            "appr_" => "approve",
            "dec_" => "log",
            "conv_" => "mode",
            "tok_" => "token list",
            _ => return None,
        },
        _ => return None,
    };
    Some(format!("`modekeeper {command}` lists the IDs"))
}

/// Colours, or none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputStyle {
    coloured: bool,
}

impl OutputStyle {
    pub(crate) fn of(stream: &impl io::IsTerminal) -> Self {
        // https://no-color.org: set to anything, it means no.
        let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            coloured: stream.is_terminal() && !forbidden,
        }
    }

    pub(crate) fn stdout() -> Self {
        Self::of(&io::stdout())
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.paint("31;1", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.paint("33;1", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.paint("32;1", text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.coloured {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
