//! What the reader of a refusal can do next, as a value: what a person types is not what a model calls.
//!
//! This file has the words for models, which reach them by MCP, HTTP, ACP and hooks. Those for people are in the command
//! line's own file. Crates below the engine name neither tools nor commands.

use std::borrow::Cow;
use std::fmt::Display;

use mk_policy::{DecidingRule, Evaluation};
use mk_types::{AbsPath, ApprovalId};

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextStep {
    /// Names nothing that only some readers have.
    Text(Cow<'static, str>),
    /// The path may be another one.
    FindFile,
    ListMemories,
    FindSymbol,
    OutlineFile,
    ListBackups,
    /// There is no project yet.
    ActivateProject,
    /// The project's directory is no longer the same one.
    ActivateAgain,
    /// The project's directory cannot be opened.
    ActivateOther,
    /// The mode does not know the tool.
    UseOfferedTool,
    CreateTask,
    /// A command has to end first.
    EndCommand,
    ListCommands,
    /// The permit of a command is of no more use.
    RunAgain,
    /// The file has to be elsewhere first.
    MoveFile,
    /// There is no mode yet, or the one that holds is not there any more.
    SetMode,
    /// A person decides about the request.
    Approve(ApprovalId),
    /// A person decides about the mode.
    ChangeMode,
    /// A person decides about the mode of a project inside this one.
    ChangeModeOf(AbsPath),
    RunDoctor,
    RecoverStore,
}

impl NextStep {
    /// The one of a decision, where there is one.
    pub fn of(evaluation: &Evaluation) -> Option<Self> {
        let hint = evaluation.hint()?;
        Some(match evaluation.rule {
            DecidingRule::UnknownTool if evaluation.held_back.is_none() => Self::UseOfferedTool,
            _ => hint.into(),
        })
    }

    /// In a model's words.
    pub fn for_model(&self) -> Cow<'_, str> {
        let text = match self {
            Self::Text(text) => return Cow::Borrowed(text),
            Self::Approve(id) => {
                let text = format!("ask the user to run `modekeeper approve {id}`, then try again");
                return Cow::Owned(text);
            }
            Self::ChangeModeOf(root) => {
                let command = Self::mode_command(root);
                let text = format!(
                    "the project {root} inside this one has a mode of its own: ask the user to run `{command}`"
                );
                return Cow::Owned(text);
            }
            Self::FindFile => "check the path, or find it with find_files",
            Self::ListMemories => "list the memories with list_memories",
            Self::FindSymbol => "look for it with find_symbols",
            Self::OutlineFile => {
                "count lines and columns from 1, or list the file's symbols with get_symbols_overview"
            }
            Self::ListBackups => "ask the user to run `modekeeper backups list`",
            Self::ActivateProject => {
                "call activate_project with the absolute path of the project directory"
            }
            Self::ActivateAgain => "check what is there now, then call activate_project",
            Self::ActivateOther => "activate an existing directory with activate_project",
            Self::UseOfferedTool => {
                "use a tool that this client offers; `get_mode_info` shows the mode's groups"
            }
            Self::CreateTask => "create a new task",
            Self::EndCommand => "end one with end_command",
            Self::ListCommands => "read_command_output without an id lists the commands",
            Self::RunAgain => "call run_command again",
            Self::MoveFile => "move it with move_file first",
            Self::SetMode => "ask the user to set one with `modekeeper mode <slug>`",
            Self::ChangeMode => "ask the user to change the mode",
            Self::RunDoctor => "ask the user to run `modekeeper doctor`",
            Self::RecoverStore => {
                "ask the user to run `modekeeper store recover`, which saves what can be read; nothing was changed"
            }
        };
        Cow::Borrowed(text)
    }

    /// What sets the mode of a project.
    pub fn mode_command(root: &AbsPath) -> String {
        let root = mk_clients::quoted(root.as_path());
        format!("modekeeper --project-root {root} mode <slug>")
    }

    /// Names that may have been meant.
    pub(crate) fn nearest<T: Display>(names: &[T]) -> Self {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        format!("the nearest names are: {}", names.join(", ")).into()
    }
}

/// What a decision lets a model do next.
pub(crate) fn model_hint(evaluation: &Evaluation) -> Option<String> {
    NextStep::of(evaluation).map(|step| step.for_model().into_owned())
}

impl From<&'static str> for NextStep {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for NextStep {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}
