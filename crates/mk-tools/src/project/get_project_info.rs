//! `get_project_info`: what the project is made of, and what applies in it.

use std::fmt::Write as _;

use mk_engine::{Error, IndexStatus, ProjectInfo};
use mk_policy::Group;
use mk_types::{ModeSlug, ProjectPath};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetProjectInfoArgs {
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<GetProjectInfoArgs>();

impl ToolDefinition for GetProjectInfoArgs {
    const SPEC: Spec = Spec {
        name: "get_project_info",
        title: "Show the project",
        description: "Languages, sizes, git state, index, modes and memories of the project",
        toolset: Toolset::Project,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(100),
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let info = call.project().info(call.request).await?;
        let mut text = describe(&info);
        let _ = writeln!(text, "Mode in force: {}", info.mode_in_force);
        Ok(code_answer(text, facts(&info)))
    }
}

fn describe(info: &ProjectInfo) -> String {
    let mut text = format!("Project: {}\n", info.root);
    let _ = writeln!(text, "Files: {} ({} bytes)", info.n_files, info.bytes);
    for language in info.languages.iter().take(10) {
        let _ = writeln!(
            text,
            "  {}: {} files, {} bytes",
            language.name, language.n_files, language.bytes
        );
    }
    if let Some(git) = &info.git {
        let branch = git.branch.as_deref().unwrap_or("detached");
        let head = git.head.as_deref().unwrap_or("without commits");
        let _ = writeln!(text, "Git: {branch} {head}");
    }
    let servers = info.language_servers.iter();
    let servers = servers.map(|it| format!("{} ({}, {})", it.name, it.language, it.health));
    for (title, names) in [
        ("Manifests", join(info.manifests.iter())),
        ("Modes", join(info.modes.iter())),
        (
            "Memories",
            join(info.memories.iter().map(|memory| &memory.name)),
        ),
        ("Language servers", join(servers)),
        ("Index", describe_index(info.index)),
    ] {
        let _ = writeln!(text, "{title}: {names}");
    }
    text
}

fn join(names: impl Iterator<Item: ToString>) -> String {
    let names: Vec<String> = names.map(|name| name.to_string()).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn facts(info: &ProjectInfo) -> Value {
    let languages = info.languages.iter();
    let languages: Vec<Value> = languages
        .map(|it| json!({ "name": it.name, "files": it.n_files, "bytes": it.bytes }))
        .collect();
    let servers = info.language_servers.iter();
    let servers: Vec<Value> = servers
        .map(|it| json!({ "language": it.language, "name": it.name, "status": it.health }))
        .collect();
    let index = info.index.map(|index| json!({ "files": index.files, "symbols": index.symbols, "complete": index.is_complete() }));
    let git = info.git.as_ref();
    json!({
        "project": info.root.as_str(),
        "files": info.n_files,
        "bytes": info.bytes,
        "languages": languages,
        "git": git.map(|git| json!({ "branch": git.branch, "head": git.head })),
        "manifests": info.manifests.iter().map(ProjectPath::as_str).collect::<Vec<_>>(),
        "index": index,
        "language_servers": servers,
        "modes": info.modes.iter().map(ModeSlug::as_str).collect::<Vec<_>>(),
        "memories": info.memories.iter().map(|memory| &memory.name).collect::<Vec<_>>(),
        "mode": info.mode_in_force.as_str(),
    })
}

fn describe_index(index: Option<IndexStatus>) -> String {
    let Some(index) = index else {
        return "not made yet, the first question about symbols makes it".to_owned();
    };
    let IndexStatus { files, symbols, .. } = index;
    if index.is_complete() {
        format!("{symbols} symbols in {files} files")
    } else {
        format!("{symbols} symbols in {files} files so far")
    }
}
