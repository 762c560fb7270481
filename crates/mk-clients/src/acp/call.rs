//! A call as the protocol tells of it, in the policy's words: by the tool's own name where it is known, else by kind,
//! locations, diffs and what the raw input names.

use serde_json::{Map, Value, json};

use crate::ClientId;
use crate::hook::ToolUse;
use crate::tool::{ClientToolGroup, ToolRow};

/// The tools that stand for a kind of call. Their names are no agent's.
pub const ACP_TOOLS: &[ToolRow] = &[
    ToolRow::read("acp:read", &[PATHS]),
    ToolRow::read("acp:search", &[PATHS]),
    ToolRow::edit("acp:edit", &[PATHS]),
    ToolRow::edit("acp:delete", &[PATHS]),
    ToolRow::edit("acp:move", &[PATHS]),
    ToolRow::patch("acp:patch", &["patch"]).with_paths(&[PATHS]),
    ToolRow::command("acp:execute", &[COMMANDS]).in_directory("cwd"),
    ToolRow::browser("acp:fetch"),
    ToolRow::harmless("acp:think"),
];
const PATHS: &str = "paths";
const COMMANDS: &str = "commands";

/// What the protocol says of one call, joined from all messages about it.
#[derive(Debug, Clone, Default)]
pub struct AcpCall {
    pub id: String,
    pub title: Option<String>,
    /// The first of its titles: a product that tells no name begins with it, and writes what a person reads later.
    pub called: Option<String>,
    /// The tool's own name, which few agents tell.
    pub name: Option<String>,
    pub kind: Option<String>,
    pub raw_input: Option<Value>,
    /// Paths of `locations`.
    pub locations: Vec<String>,
    /// Paths of diffs among the content.
    pub diffs: Vec<String>,
}

/// Keys of raw inputs that name files.
const PATH_KEYS: &[&str] = &[
    "file_path",
    "filePath",
    "filepath",
    "fileName",
    "filename",
    "file",
    "path",
    "paths",
    "notebook_path",
    "abs_path",
    "absolute_path",
    "dir_path",
    "directory",
    "old_path",
    "new_path",
    "oldPath",
    "newPath",
    "source",
    "destination",
    "from",
    "to",
    "target_file",
];
const PATCH_KEYS: &[&str] = &["patch", "patchText", "patch_text"];
const COMMAND_KEYS: &[&str] = &["command", "cmd", "commands", "script"];
/// What an editing tool is told to do: these run nothing.
const EDITOR_VIEW: &str = "view";
const EDITOR_CHANGES: &[&str] = &["create", "str_replace", "insert", "undo_edit"];
const DIRECTORY_KEYS: &[&str] = &["cwd", "workdir", "working_directory", "workingDirectory"];

impl AcpCall {
    /// Takes over what a later message about the same call says.
    pub fn join(&mut self, later: &Value) {
        let text = |key: &str| later.get(key).and_then(Value::as_str).map(str::to_owned);
        for (field, key) in [
            (&mut self.title, "title"),
            (&mut self.name, "name"),
            (&mut self.kind, "kind"),
        ] {
            if let Some(found) = text(key) {
                *field = Some(found);
            }
        }
        if self.called.is_none() {
            self.called.clone_from(&self.title);
        }
        let told = ["/_meta/claudeCode/toolName", "/_meta/toolName"];
        if let Some(name) = told.iter().find_map(|it| later.pointer(it)?.as_str()) {
            self.name.get_or_insert_with(|| name.to_owned());
        }
        if let Some(input) = later.get("rawInput").filter(|input| has_something(input)) {
            self.raw_input = Some(input.clone());
        }
        let list = |key: &str| {
            later
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let path = |item: &Value| item.get("path").and_then(Value::as_str).map(str::to_owned);
        for found in list("locations").filter_map(path) {
            push(&mut self.locations, found);
        }
        let diffs =
            list("content").filter(|item| item.get("type").is_some_and(|kind| kind == "diff"));
        for found in diffs.filter_map(path) {
            push(&mut self.diffs, found);
        }
    }
}

fn has_something(input: &Value) -> bool {
    match input {
        Value::Null => false,
        Value::Object(entries) => !entries.is_empty(),
        _ => true,
    }
}

fn push(list: &mut Vec<String>, item: String) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// The call as one use of a tool. `client` is the product, where it is known.
pub fn acp_tool_use(client: Option<ClientId>, call: &AcpCall) -> ToolUse {
    let named = by_server(client, call).or_else(|| by_name(client, call));
    let mut found = named.unwrap_or_else(|| by_kind(client, call));
    found.id = Some(call.id.clone());
    found
}

/// A tool of an MCP server, which Codex tells of as something that is executed.
fn by_server(client: Option<ClientId>, call: &AcpCall) -> Option<ToolUse> {
    let client = client.filter(|client| *client == ClientId::Codex)?;
    let input = call.raw_input.as_ref()?;
    let text = |key: &str| input.get(key)?.as_str();
    let (server, tool) = (text("server")?, text("tool")?);
    // What runs a line is not let through as something else.
    let runs = COMMAND_KEYS.iter().any(|key| input.get(*key).is_some());
    // Nor is what shows a diff, which changes a file.
    let is_server_s = !runs && call.diffs.is_empty();
    let arguments = input.get("arguments").cloned().unwrap_or_default();
    is_server_s.then(|| ToolUse::new(client, &format!("mcp__{server}__{tool}"), arguments))
}

/// By the tool's own name, if all that the call touches stands in its input.
fn by_name(client: Option<ClientId>, call: &AcpCall) -> Option<ToolUse> {
    let (client, name) = (client?, call.name.as_deref()?);
    let input = call.raw_input.clone().filter(Value::is_object)?;
    let found = ToolUse::new(client, name, input);
    match found.group()? {
        // What shows a diff changes a file, whatever it is called.
        group if group != ClientToolGroup::Edit && !call.diffs.is_empty() => None,
        ClientToolGroup::Mcp
        | ClientToolGroup::Harmless
        | ClientToolGroup::Browser
        | ClientToolGroup::Modes => Some(found),
        ClientToolGroup::Command => (!found.touched().commands.is_empty()).then_some(found),
        ClientToolGroup::Read => Some(found),
        ClientToolGroup::Edit => {
            let paths = found.touched().paths;
            let told = call.diffs.iter().all(|path| paths.contains(path));
            (told && !paths.is_empty()).then_some(found)
        }
    }
}

fn by_kind(client: Option<ClientId>, call: &AcpCall) -> ToolUse {
    // An editor stands for an agent that is not known: it has no tools of its own.
    let client = client.unwrap_or(ClientId::Zed);
    let input = call.raw_input.as_ref();
    let texts = |keys: &[&str]| -> Vec<String> {
        let found = keys.iter().filter_map(|key| input?.get(*key));
        found.flat_map(texts_of).collect()
    };
    let mut paths: Vec<String> = call.diffs.clone();
    let named = texts(PATH_KEYS).into_iter().chain(changed(input));
    for path in call.locations.iter().cloned().chain(named) {
        push(&mut paths, path);
    }
    let patch = texts(PATCH_KEYS).into_iter().next();
    let commands = commands(call);
    let told = texts(COMMAND_KEYS);
    let nature = CallNature {
        is_patch: patch.is_some(),
        names_commands: !commands.is_empty(),
        changes: told.iter().any(|it| EDITOR_CHANGES.contains(&it.as_str())),
        runs: COMMAND_KEYS
            .iter()
            .any(|key| input.is_some_and(|input| input.get(*key).is_some())),
    };
    let Some(kind) = kind_of(call, &nature) else {
        let titled = call.called.as_deref().or(call.title.as_deref());
        let told = call.name.clone().or_else(|| titled.and_then(mcp_name));
        let name = told.as_deref().or(titled);
        return ToolUse::new(client, name.unwrap_or("unknown"), json!({}));
    };
    let mut arguments = Map::new();
    if kind == "acp:execute" {
        arguments.insert(COMMANDS.to_owned(), json!(commands));
        if let Some(directory) = texts(DIRECTORY_KEYS).into_iter().next() {
            arguments.insert("cwd".to_owned(), json!(directory));
        }
    } else {
        arguments.insert(PATHS.to_owned(), json!(paths));
    }
    if let Some(patch) = patch {
        arguments.insert("patch".to_owned(), json!(patch));
    }
    let mut found = ToolUse::new(client, kind, Value::Object(arguments));
    found.row = ACP_TOOLS.iter().find(|row| row.name == kind).copied();
    found.mcp = None;
    found
}

/// What a call's arguments say about it, besides the kind that its agent gives it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "four facts that are independent of each other"
)]
struct CallNature {
    is_patch: bool,
    names_commands: bool,
    /// It has a command of an editing tool that is not for looking.
    changes: bool,
    runs: bool,
}

/// The row of [`ACP_TOOLS`] that a call is decided by; none if only its name can tell.
fn kind_of(call: &AcpCall, nature: &CallNature) -> Option<&'static str> {
    let has_diff = !call.diffs.is_empty();
    let kind = match call.kind.as_deref().unwrap_or("other") {
        // A diff without anything that runs changes a file.
        "execute" if has_diff && !nature.runs => "acp:edit",
        // What runs something runs it, whatever else it is called.
        "execute" => "acp:execute",
        "other" | "read" | "search" | "fetch" | "think" if nature.names_commands => "acp:execute",
        "edit" | "delete" | "move" if nature.is_patch => "acp:patch",
        // A diff is an edit, whatever else it is called.
        "read" | "search" | "fetch" | "think" | "other" if has_diff => "acp:edit",
        // So is a command of an editing tool that is not for looking.
        "read" | "search" | "fetch" | "think" if nature.changes => "acp:edit",
        "read" => "acp:read",
        "search" => "acp:search",
        "edit" => "acp:edit",
        "delete" => "acp:delete",
        "move" => "acp:move",
        "fetch" => "acp:fetch",
        "think" => "acp:think",
        _ if has_diff => "acp:edit",
        _ => return None,
    };
    Some(kind)
}

/// What Gemini calls the tool of an MCP server, from the title that it gives to its calls.
fn mcp_name(title: &str) -> Option<String> {
    let (named, _) = title.split_once(" MCP Server)")?;
    let (tool, server) = named.rsplit_once(" (")?;
    Some(format!("mcp_{server}_{tool}"))
}

/// The shell lines of a call. A list is one command in pieces; only where nothing else says it, the title does.
fn commands(call: &AcpCall) -> Vec<String> {
    let input = call.raw_input.as_ref();
    for key in COMMAND_KEYS {
        match input.and_then(|input| input.get(*key)) {
            // Some tools that read or edit have a command of their own.
            Some(Value::String(word))
                if word == EDITOR_VIEW || EDITOR_CHANGES.contains(&word.as_str()) => {}
            Some(Value::String(line)) => return vec![line.clone()],
            Some(Value::Array(words)) if *key == "commands" => {
                return words.iter().flat_map(texts_of).collect();
            }
            Some(Value::Array(words)) => {
                let words: Vec<String> = words.iter().flat_map(texts_of).collect();
                return vec![shell_line(&words)];
            }
            _ => {}
        }
    }
    match (call.kind.as_deref(), &call.title) {
        (Some("execute"), Some(title)) => vec![title.trim_matches('`').to_owned()],
        _ => Vec::new(),
    }
}

/// Words as a shell line. What a shell was given to run is the line.
pub fn shell_line(words: &[String]) -> String {
    if let [shell, option, line] = words
        && matches!(
            shell.rsplit('/').next(),
            Some("sh" | "bash" | "zsh" | "dash")
        )
        && matches!(option.as_str(), "-c" | "-lc")
    {
        return line.clone();
    }
    let plain = |it: char| it.is_ascii_alphanumeric() || "/._-+@:=,%".contains(it);
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            return word.clone();
        }
        format!("'{}'", word.replace('\'', r"'\''"))
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Codex's `changes`: an object whose keys are the files.
fn changed(input: Option<&Value>) -> Vec<String> {
    let changes = input.and_then(|input| input.get("changes"));
    match changes {
        Some(Value::Object(entries)) => entries.keys().cloned().collect(),
        Some(Value::Array(items)) => {
            let path = |item: &Value| item.get("path").and_then(Value::as_str).map(str::to_owned);
            items.iter().filter_map(path).collect()
        }
        _ => Vec::new(),
    }
}

fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(client: Option<ClientId>, message: &Value, expected: &str) {
        let mut call = AcpCall::default();
        call.join(message);
        let found = acp_tool_use(client, &call);
        assert_eq!(format!("{} {}", found.name, found.input), expected);
    }

    #[test]
    fn a_call_is_known_by_its_name_or_by_its_kind() {
        check(
            Some(ClientId::ClaudeCode),
            &json!({ "name": "Write", "kind": "edit", "rawInput": { "file_path": "/p/a.rs", "content": "x" } }),
            r#"Write {"file_path":"/p/a.rs","content":"x"}"#,
        );
        check(
            Some(ClientId::Copilot),
            &json!({ "kind": "edit", "title": "Create file", "rawInput": { "fileName": "/p/a.rs", "diff": "…" } }),
            r#"acp:edit {"paths":["/p/a.rs"]}"#,
        );
        check(
            Some(ClientId::Codex),
            &json!({ "kind": "execute", "rawInput": { "command": ["bash", "-lc", "touch a"], "cwd": "/p" } }),
            r#"acp:execute {"commands":["touch a"],"cwd":"/p"}"#,
        );
        check(
            None,
            &json!({ "kind": "execute", "title": "`rm -rf x`" }),
            r#"acp:execute {"commands":["rm -rf x"]}"#,
        );
        check(
            None,
            &json!({ "kind": "other", "content": [{ "type": "diff", "path": "/p/b.rs", "newText": "" }] }),
            r#"acp:edit {"paths":["/p/b.rs"]}"#,
        );
    }

    #[test]
    fn a_call_of_another_kind_is_known_by_what_it_does() {
        check(
            None,
            &json!({ "kind": "read", "title": "Read", "rawInput": { "command": "rm x" } }),
            r#"acp:execute {"commands":["rm x"]}"#,
        );
        check(
            None,
            &json!({ "kind": "read", "content": [{ "type": "diff", "path": "/p/b.rs", "newText": "" }] }),
            r#"acp:edit {"paths":["/p/b.rs"]}"#,
        );
        check(
            None,
            &json!({ "kind": "read", "rawInput": { "command": "view", "path": "/p/a.rs" } }),
            r#"acp:read {"paths":["/p/a.rs"]}"#,
        );
        for command in ["create", "str_replace", "insert", "undo_edit"] {
            check(
                None,
                &json!({ "kind": "read", "rawInput": { "command": command, "path": "/p/a.rs" } }),
                r#"acp:edit {"paths":["/p/a.rs"]}"#,
            );
        }
        check(
            Some(ClientId::ClaudeCode),
            &json!({
                "name": "Read", "kind": "read", "rawInput": { "file_path": "/p/a.rs" },
                "content": [{ "type": "diff", "path": "/p/a.rs", "newText": "" }],
            }),
            r#"acp:edit {"paths":["/p/a.rs"]}"#,
        );
    }

    #[test]
    fn a_tool_of_a_server_is_known_by_its_server_and_name() {
        let input =
            json!({ "server": "modekeeper", "tool": "exit_plan", "arguments": { "plan": "x" } });
        check(
            Some(ClientId::Codex),
            &json!({ "kind": "execute", "title": "mcp.modekeeper.exit_plan", "rawInput": input }),
            r#"mcp__modekeeper__exit_plan {"plan":"x"}"#,
        );
        let input = json!({ "server": "x", "tool": "y", "command": "rm -rf x" });
        check(
            Some(ClientId::Codex),
            &json!({ "kind": "execute", "rawInput": input }),
            r#"acp:execute {"commands":["rm -rf x"]}"#,
        );
        let input = json!({ "server": "x", "tool": "y" });
        check(
            Some(ClientId::Codex),
            &json!({
                "kind": "execute", "title": "ls", "rawInput": input,
                "content": [{ "type": "diff", "path": "/p/b.rs", "newText": "" }],
            }),
            r#"acp:edit {"paths":["/p/b.rs"]}"#,
        );
    }

    #[test]
    fn a_tool_is_known_by_its_first_title_and_not_by_the_one_for_people() {
        let mut call = AcpCall::default();
        call.join(&json!({ "kind": "other", "title": "modekeeper-exit_plan" }));
        call.join(&json!({ "kind": "other", "title": "Exit plan" }));
        let found = acp_tool_use(Some(ClientId::Copilot), &call);
        assert_eq!(found.name, "modekeeper-exit_plan");
        assert_eq!(call.title.as_deref(), Some("Exit plan"));
    }

    #[test]
    fn a_file_that_only_the_diff_names_counts() {
        check(
            Some(ClientId::ClaudeCode),
            &json!({
                "name": "Edit", "kind": "edit", "rawInput": { "file_path": "/p/a.md" },
                "content": [{ "type": "diff", "path": "/p/a.rs", "newText": "" }],
            }),
            r#"acp:edit {"paths":["/p/a.rs","/p/a.md"]}"#,
        );
    }

    #[test]
    fn words_become_one_line() {
        let words = |text: &[&str]| text.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(shell_line(&words(&["rm", "a b"])), "rm 'a b'");
        assert_eq!(shell_line(&words(&["/bin/sh", "-c", "ls | wc"])), "ls | wc");
    }
}
