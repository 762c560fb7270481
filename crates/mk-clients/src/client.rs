//! What one product's entry in the atlas says.

use crate::hook::HookContract;
use crate::install::{SettingsChange, Setup};
use crate::settings::JsonReading;
use crate::shell::Shell;
use crate::tool::{McpNames, ToolRow};
use crate::trust::ProjectTrust;
use crate::{
    bob, claude_code, cline, codex, continue_dev, copilot, cursor, gemini, jetbrains, junie, kilo,
    opencode, qwen, roo, vscode, windsurf, zed, zoo,
};

/// A product that runs agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClientId {
    ClaudeCode,
    Codex,
    Copilot,
    Gemini,
    Qwen,
    OpenCode,
    Cline,
    VsCode,
    Cursor,
    Zed,
    JetBrains,
    Kilo,
    Roo,
    Zoo,
    Bob,
    Windsurf,
    Continue,
    Junie,
}

impl ClientId {
    /// In the order in which tables show them: those that can be held first.
    pub const ALL: [Self; 18] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Copilot,
        Self::Gemini,
        Self::Qwen,
        Self::OpenCode,
        Self::Cline,
        Self::VsCode,
        Self::Cursor,
        Self::Zed,
        Self::JetBrains,
        Self::Kilo,
        Self::Roo,
        Self::Zoo,
        Self::Bob,
        Self::Windsurf,
        Self::Continue,
        Self::Junie,
    ];

    /// What is known about the product.
    pub fn atlas(self) -> &'static Client {
        match self {
            Self::ClaudeCode => &claude_code::CLIENT,
            Self::Codex => &codex::CLIENT,
            Self::Copilot => &copilot::CLIENT,
            Self::Gemini => &gemini::CLIENT,
            Self::Qwen => &qwen::CLIENT,
            Self::OpenCode => &opencode::CLIENT,
            Self::Cline => &cline::CLIENT,
            Self::VsCode => &vscode::CLIENT,
            Self::Cursor => &cursor::CLIENT,
            Self::Zed => &zed::CLIENT,
            Self::JetBrains => &jetbrains::CLIENT,
            Self::Kilo => &kilo::CLIENT,
            Self::Roo => &roo::CLIENT,
            Self::Zoo => &zoo::CLIENT,
            Self::Bob => &bob::CLIENT,
            Self::Windsurf => &windsurf::CLIENT,
            Self::Continue => &continue_dev::CLIENT,
            Self::Junie => &junie::CLIENT,
        }
    }

    /// The product with this name on the command line, or one of its other names.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|id| {
            let client = id.atlas();
            client.slug.eq_ignore_ascii_case(name)
                || client
                    .aliases
                    .iter()
                    .any(|alias| alias.eq_ignore_ascii_case(name))
        })
    }

    /// The name on the command line.
    pub fn slug(self) -> &'static str {
        self.atlas().slug
    }
}

/// One product.
#[derive(Debug)]
pub struct Client {
    pub id: ClientId,
    /// Its name on our command line.
    pub slug: &'static str,
    /// Other names it is known by there.
    pub aliases: &'static [&'static str],
    pub name: &'static str,
    /// The programs that start it, most usual first; empty for what lives inside an editor.
    pub programs: &'static [&'static str],
    /// The version whose behaviour was tested; `None` where only documentation was read.
    pub tested: Option<&'static str>,
    /// Environment variables that carry the conversation's id to what it starts.
    pub session_variables: &'static [&'static str],
    /// Its own tools, as its hook names them.
    pub tools: &'static [ToolRow],
    /// How it names the tools of MCP servers; `None` where that is not known.
    pub mcp_names: Option<McpNames>,
    pub shell: Shell,
    /// The setting without which its own sandbox keeps its lines from our state; `None` where it has no sandbox.
    pub(crate) unsandboxed: Option<fn(&Setup) -> SettingsChange>,
    /// Whether its hook may change a line without switching off more than the user's rules about that line.
    pub rewrites_lines: bool,
    /// How it is held once it is installed, in a few words.
    pub held: &'static str,
    /// What is not held, each in a sentence.
    pub open: &'static [&'static str],
    /// What is not held unless its own rules lie underneath: what happens then, and what a floor puts there.
    pub without_floor: Option<(&'static str, &'static str)>,
    /// What is not held besides where only a project's files are set up, each in a sentence.
    pub project_open: &'static [&'static str],
    /// How it knows whether to read a project's own files; `None` where it always does, or asks before it starts.
    pub project_trust: Option<&'static ProjectTrust>,
    /// How strictly it reads its settings.
    pub json: JsonReading,
    /// Directories in the user's home whose presence says that the product is used, where no program does.
    pub traces: &'static [&'static str],
    pub(crate) changes: Option<fn(&Setup) -> Vec<SettingsChange>>,
    pub(crate) hook_contract: Option<&'static HookContract>,
}

impl Client {
    /// A product about which nothing but its name is known yet; the entries below fill it in.
    pub(crate) const fn new(id: ClientId, slug: &'static str, name: &'static str) -> Self {
        Self {
            id,
            slug,
            aliases: &[],
            name,
            programs: &[],
            tested: None,
            session_variables: &[],
            tools: &[],
            mcp_names: None,
            shell: Shell::None,
            unsandboxed: None,
            rewrites_lines: false,
            held: "MCP tools only",
            open: &["its own tools are not held"],
            without_floor: None,
            project_open: &[],
            project_trust: None,
            json: JsonReading::Lenient,
            traces: &[],
            changes: None,
            hook_contract: None,
        }
    }

    /// What has to stand in its files; nothing where we do not know how to set it up.
    pub fn changes(&self, setup: &Setup) -> Vec<SettingsChange> {
        self.changes
            .map(|changes| changes(setup))
            .unwrap_or_default()
    }

    /// The setting that lets its lines reach our state; `None` where they always do.
    pub fn unsandboxed(&self, setup: &Setup) -> Option<SettingsChange> {
        self.unsandboxed.map(|unsandboxed| unsandboxed(setup))
    }

    /// Whether we know how to set it up.
    pub fn can_be_installed(&self) -> bool {
        self.changes.is_some()
    }

    /// Whether the product has hooks that we can answer.
    pub fn has_hooks(&self) -> bool {
        self.hook_contract.is_some()
    }

    /// The tool with this name.
    pub fn tool(&self, name: &str) -> Option<&'static ToolRow> {
        self.tools
            .iter()
            .find(|row| row.name.eq_ignore_ascii_case(name))
    }
}
