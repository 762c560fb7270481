//! What has to stand in which file so that a product is held: one list of changes a product, made without looking at
//! the disk.
//!
//! Reading, asking, writing and undoing are the installer's; it treats all products alike.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::ClientId;
use crate::acp::EditorAgent;
use crate::settings::{Format, SettingsEdit};
use crate::shell::ShellScripts;

/// What the installer knows when it asks for the changes.
#[derive(Debug, Clone)]
pub struct Setup {
    pub home: PathBuf,
    /// `XDG_CONFIG_HOME`, or what stands for it.
    pub config_home: PathBuf,
    pub project: PathBuf,
    pub scope: InstallScope,
    /// Our binary in its stable place.
    pub program: PathBuf,
    /// Our scripts that lead a shell line through `modekeeper exec`; `None` where no wall would hold it.
    pub shell: Option<ShellScripts>,
    /// What the products' own rules should refuse even if the hook fails.
    pub floor: Option<ClientFloor>,
    /// Directories of products that the environment has moved, by variable.
    pub moved: Vec<(&'static str, PathBuf)>,
    /// Variables that say where our own files are. Some products start servers with an environment of their own, and a
    /// server that looks elsewhere does not know who is held.
    pub own_variables: Vec<(&'static str, PathBuf)>,
    /// Agents of this machine that an editor can start, for the entries that start them behind our proxy.
    pub agents: Vec<EditorAgent>,
}

/// For whom a product is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallScope {
    /// Every project of this user.
    User,
    /// This project only, in files inside it.
    Project,
}

/// What one mode allows, or what any of several does that can be reached without starting the client again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientFloor {
    pub edits: FloorEdits,
    pub runs_commands: bool,
    /// The mode that it was made from, for the messages; `None` if it was made from several.
    pub mode: Option<String>,
}

impl ClientFloor {
    /// What one of two floors lets pass.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let edits = match (self.edits, other.edits) {
            (FloorEdits::Anything, _) | (_, FloorEdits::Anything) => FloorEdits::Anything,
            (FloorEdits::Nothing, edits) | (edits, FloorEdits::Nothing) => edits,
            (FloorEdits::Extensions(mut all), FloorEdits::Extensions(more)) => {
                all.extend(more);
                all.sort();
                all.dedup();
                FloorEdits::Extensions(all)
            }
        };
        Self {
            edits,
            runs_commands: self.runs_commands || other.runs_commands,
            mode: None,
        }
    }

    /// Whether it refuses nothing.
    pub fn is_everything(&self) -> bool {
        self.edits == FloorEdits::Anything && self.runs_commands
    }

    /// The reason that a product shows.
    pub(crate) fn refusal(&self, what: &str) -> String {
        match &self.mode {
            Some(mode) => format!("Modekeeper: mode `{mode}` does not allow {what}"),
            None => format!("Modekeeper: no mode of this project allows {what}"),
        }
    }
}

/// What a floor lets be edited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FloorEdits {
    #[default]
    Nothing,
    /// Files with one of these extensions.
    Extensions(Vec<String>),
    /// Everything, or something that no product's rule can say.
    Anything,
}

/// One file and what has to be in it.
#[derive(Debug, Clone)]
pub struct SettingsChange {
    pub purpose: ChangePurpose,
    pub file: PathBuf,
    /// Other names of the same file: the first that exists is taken.
    pub alternatives: Vec<PathBuf>,
    /// The file is not made where one of these stands, because it would hide it.
    pub hides: Vec<PathBuf>,
    pub content: FileContent,
    /// The product rewrites this file by itself, so that undoing cannot give back every byte.
    pub kept_by_client: bool,
}

/// What a change is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangePurpose {
    Mcp,
    Hook,
    Policy,
    Shell,
    /// Agents that an editor starts behind our proxy.
    Agents,
}

impl ChangePurpose {
    pub fn name(self) -> &'static str {
        match self {
            Self::Mcp => "MCP server",
            Self::Hook => "hook",
            Self::Policy => "rules",
            Self::Shell => "shell",
            Self::Agents => "agents with your modes",
        }
    }
}

/// What stands in a file.
#[derive(Debug, Clone)]
pub enum FileContent {
    /// Entries among the user's.
    Entries {
        format: Format,
        edits: Vec<SettingsEdit>,
    },
    /// A file that is ours as a whole.
    Whole { text: String, executable: bool },
}

impl SettingsChange {
    pub(crate) fn entries(
        purpose: ChangePurpose,
        file: PathBuf,
        format: Format,
        edits: Vec<SettingsEdit>,
    ) -> Self {
        Self::new(purpose, file, FileContent::Entries { format, edits })
    }

    pub(crate) fn json(purpose: ChangePurpose, file: PathBuf, edits: Vec<SettingsEdit>) -> Self {
        Self::entries(purpose, file, Format::Json, edits)
    }

    pub(crate) fn whole(purpose: ChangePurpose, file: PathBuf, text: String) -> Self {
        let executable = false;
        Self::new(purpose, file, FileContent::Whole { text, executable })
    }

    pub(crate) fn script(purpose: ChangePurpose, file: PathBuf, text: String) -> Self {
        let executable = true;
        Self::new(purpose, file, FileContent::Whole { text, executable })
    }

    fn new(purpose: ChangePurpose, file: PathBuf, content: FileContent) -> Self {
        Self {
            purpose,
            file,
            alternatives: Vec::new(),
            hides: Vec::new(),
            content,
            kept_by_client: false,
        }
    }

    #[must_use]
    pub(crate) fn kept_by_client(mut self) -> Self {
        self.kept_by_client = true;
        self
    }

    #[must_use]
    pub(crate) fn or(mut self, alternative: PathBuf) -> Self {
        self.alternatives.push(alternative);
        self
    }

    #[must_use]
    pub(crate) fn unless_it_hides(mut self, file: PathBuf) -> Self {
        self.hides.push(file);
        self
    }
}

/// The seconds that a client waits for its hook: longer than a person needs to approve.
pub(crate) const HOOK_SECONDS: u64 = 60;

impl Setup {
    /// Where a product keeps the user's settings, unless the environment says otherwise.
    pub(crate) fn directory(&self, variable: &str, usual: &str) -> PathBuf {
        let moved = self.moved.iter().find(|(name, _)| *name == variable);
        match moved {
            Some((_, directory)) => directory.clone(),
            None => self.home.join(usual),
        }
    }

    pub(crate) fn program_text(&self) -> String {
        self.program.display().to_string()
    }

    /// The hook as a shell line.
    pub(crate) fn hook_line(&self, client: ClientId) -> String {
        format!("{} hook {}", quoted(&self.program), client.slug())
    }

    /// The MCP entry that most products share.
    pub(crate) fn mcp_entry(&self) -> Value {
        let mut entry = json!({ "command": self.program_text(), "args": ["mcp"] });
        self.add_variables(&mut entry, "env");
        entry
    }

    /// Entries in an editor's `agent_servers`, one for each agent, behind our proxy.
    pub(crate) fn agent_entries(&self, more: &Value) -> Vec<SettingsEdit> {
        let agents = self.agents.iter();
        let entries = agents.map(|agent| {
            let mut arguments = vec!["acp".to_owned(), "--".to_owned()];
            arguments.extend(agent.command.iter().cloned());
            let mut entry = more.clone();
            entry["command"] = json!(self.program_text());
            entry["args"] = json!(arguments);
            self.add_variables(&mut entry, "env");
            let name = format!("{} (Modekeeper)", agent.name);
            SettingsEdit::put(&["agent_servers", name.as_str()], entry)
        });
        entries.collect()
    }

    /// Adds our variables to an entry, under the name that the product has for them.
    pub(crate) fn add_variables(&self, entry: &mut Value, key: &str) {
        if !self.own_variables.is_empty() {
            let variables = self.own_variables.iter();
            let variables = variables
                .map(|(name, path)| ((*name).to_owned(), json!(path.display().to_string())));
            entry[key] = Value::Object(variables.collect());
        }
    }
}

/// A path as one word of a POSIX shell.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |it: char| it.is_ascii_alphanumeric() || "/._-+@:".contains(it);
    if text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
