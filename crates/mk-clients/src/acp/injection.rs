//! How our hook, or a policy file where hooks do not fire, reaches an agent that the proxy starts: nothing of the user's
//! own settings is touched.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::ClientId;
use crate::install::{ChangePurpose, FileContent, Setup};
use crate::settings;

/// What has to be done before an agent is started, and what its sessions carry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Injection {
    pub environment: Vec<(&'static str, String)>,
    pub arguments: Vec<String>,
    /// Files below the directory of this run: name and text.
    pub files: Vec<(&'static str, String)>,
    /// What `session/new`, `load`, `resume` and `fork` carry below `_meta`.
    pub meta: Option<Value>,
}

/// One start of an agent.
#[derive(Debug, Clone, Copy)]
pub struct AcpRun<'a> {
    pub setup: &'a Setup,
    /// A directory of this run, where files can be put.
    pub directory: &'a Path,
    /// What the environment says already of [`ACP_VARIABLES`].
    pub environment: &'a [(&'static str, String)],
}

impl AcpRun<'_> {
    fn below(&self, name: &str) -> String {
        self.directory.join(name).display().to_string()
    }

    fn has(&self, variable: &str) -> bool {
        self.environment.iter().any(|(name, _)| *name == variable)
    }

    /// The object that a variable holds.
    fn own(&self, variable: &str) -> Map<String, Value> {
        let found = self.environment.iter().find(|(name, _)| *name == variable);
        match found.and_then(|(_, text)| serde_json::from_str(text).ok()) {
            Some(Value::Object(entries)) => entries,
            _ => Map::new(),
        }
    }
}

/// What makes this product call our hook, or keep our rules; nothing for others.
pub fn injection(client: ClientId, run: AcpRun<'_>) -> Injection {
    match client {
        ClientId::ClaudeCode => claude_code(run),
        ClientId::Codex => codex(run),
        ClientId::Copilot => copilot(run),
        ClientId::OpenCode => opencode(run),
        ClientId::Gemini => gemini(run),
        ClientId::Qwen => qwen(run),
        _ => Injection::default(),
    }
}

fn claude_code(run: AcpRun<'_>) -> Injection {
    let purposes = [ChangePurpose::Hook, ChangePurpose::Shell];
    let settings = entries(ClientId::ClaudeCode, run.setup, &purposes);
    Injection {
        meta: Some(json!({ "claudeCode": { "options": { "settings": settings } } })),
        ..Injection::default()
    }
}

fn codex(run: AcpRun<'_>) -> Injection {
    let mut config = run.own(CODEX_CONFIG);
    let ours = entries(ClientId::Codex, run.setup, &[ChangePurpose::Hook]);
    // It trusts what the person has agreed to, and the person has started us.
    config.insert("bypass_hook_trust".to_owned(), json!(true));
    if let Some(hooks) = ours.get("hooks") {
        config.insert("hooks".to_owned(), hooks.clone());
    }
    Injection {
        environment: vec![(CODEX_CONFIG, Value::Object(config).to_string())],
        ..Injection::default()
    }
}

fn copilot(run: AcpRun<'_>) -> Injection {
    let plugin = json!({
        "name": "modekeeper", "version": "1.0.0", "description": "Holds this session in its mode",
        "hooks": "hooks.json", "mcpServers": ".mcp.json",
    });
    let servers = json!({ "mcpServers": { crate::SERVER: crate::copilot::server(run.setup) } });
    let mut files = vec![
        (
            "copilot/.claude-plugin/plugin.json",
            format!("{plugin:#}\n"),
        ),
        ("copilot/.mcp.json", format!("{servers:#}\n")),
    ];
    let hooks = whole(ClientId::Copilot, run.setup);
    files.extend(hooks.map(|text| ("copilot/hooks.json", text)));
    Injection {
        arguments: vec!["--plugin-dir".to_owned(), run.below("copilot")],
        files,
        ..Injection::default()
    }
}

fn opencode(run: AcpRun<'_>) -> Injection {
    const FILE: &str = "modekeeper.js";
    let mut config = run.own(OPENCODE_CONFIG);
    let mut plugins = match config.remove("plugin") {
        Some(Value::Array(plugins)) => plugins,
        _ => Vec::new(),
    };
    plugins.push(json!(format!("file://{}", run.below(FILE))));
    config.insert("plugin".to_owned(), json!(plugins));
    let plugin = whole(ClientId::OpenCode, run.setup);
    Injection {
        environment: vec![(OPENCODE_CONFIG, Value::Object(config).to_string())],
        files: plugin.map(|text| (FILE, text)).into_iter().collect(),
        ..Injection::default()
    }
}

fn gemini(run: AcpRun<'_>) -> Injection {
    const FILE: &str = "modekeeper.toml";
    const DEFAULTS: &str = "gemini-defaults.json";
    let policy = run.setup.floor.as_ref().and_then(crate::gemini::policy);
    let text = policy.unwrap_or_default() + crate::gemini::OWN_TOOLS;
    let mut injection = Injection {
        arguments: vec!["--admin-policy".to_owned(), run.below(FILE)],
        files: vec![(FILE, text)],
        ..Injection::default()
    };
    // It reads files without asking anybody.
    if !run.has(GEMINI_DEFAULTS) {
        let filtering = json!({ "customIgnoreFilePaths": [".rooignore"] });
        let defaults = json!({ "context": { "fileFiltering": filtering } });
        injection.environment = vec![(GEMINI_DEFAULTS, run.below(DEFAULTS))];
        injection.files.push((DEFAULTS, format!("{defaults:#}\n")));
    }
    injection
}

fn qwen(run: AcpRun<'_>) -> Injection {
    const FILE: &str = "qwen-settings.json";
    let settings = entries(ClientId::Qwen, run.setup, &[ChangePurpose::Hook]);
    Injection {
        environment: vec![(QWEN_SETTINGS, run.below(FILE))],
        files: vec![(FILE, format!("{settings:#}\n"))],
        ..Injection::default()
    }
}

/// Variables whose objects ours are joined with, or that are left alone where they are set.
pub const ACP_VARIABLES: [&str; 3] = [CODEX_CONFIG, OPENCODE_CONFIG, GEMINI_DEFAULTS];
const GEMINI_DEFAULTS: &str = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH";
const CODEX_CONFIG: &str = "CODEX_CONFIG";
const OPENCODE_CONFIG: &str = "OPENCODE_CONFIG_CONTENT";
const QWEN_SETTINGS: &str = "QWEN_CODE_SYSTEM_SETTINGS_PATH";

/// What the installer would write among the user's entries, as an object of its own.
fn entries(client: ClientId, setup: &Setup, purposes: &[ChangePurpose]) -> Value {
    let changes = client.atlas().changes(setup);
    let mut text = "{}".to_owned();
    for change in changes
        .iter()
        .filter(|change| purposes.contains(&change.purpose))
    {
        if let FileContent::Entries { format, edits } = &change.content
            && let Ok(edited) = settings::apply(*format, &text, edits)
        {
            text = edited.text;
        }
    }
    serde_json::from_str(&text).unwrap_or_default()
}

/// The hook that is a file as a whole.
fn whole(client: ClientId, setup: &Setup) -> Option<String> {
    let changes = client.atlas().changes(setup).into_iter();
    let mut hooks = changes.filter(|change| change.purpose == ChangePurpose::Hook);
    hooks.find_map(|change| match change.content {
        FileContent::Whole { text, .. } => Some(text),
        FileContent::Entries { .. } => None,
    })
}
