//! `get_project_info`: what the project is made of, and what applies in it.

use std::fmt::Write as _;

use mk_engine::{Granted, IndexStatus};
use mk_lsp::{Health, KnownServer};
use mk_policy::Group;
use mk_project::{Facts, inspect};
use mk_types::ProjectPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

pub(crate) static TOOL: Tool = Tool {
    name: "get_project_info",
    title: "Show the project",
    description: "Languages, sizes, git state, index, modes and memories of the project",
    group: Some(Group::Read),
    family: Family::Project,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<GetProjectInfoArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetProjectInfoArgs {
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let GetProjectInfoArgs { .. } = parse(arguments)?;
        let in_force = granted.in_force;
        let engine = context.engine.clone();
        let (facts, memories, servers) = context
            .engine
            .on_disk(&in_force, move |workspace| {
                let readable = |path: &_| workspace.readable(path);
                let facts = inspect(workspace.root.root(), &readable, workspace.cancel());
                let memories = workspace.memories()?.list(None)?;
                let languages: Vec<&str> = facts.languages.iter().map(|it| it.name).collect();
                let servers = engine.servers_for(workspace.root.root(), &languages);
                Ok((facts, memories, servers))
            })
            .await?;
        let catalogue = context.engine.modes().catalogue_at(&in_force.project);
        let modes: Vec<&str> = catalogue.visible().map(|mode| mode.slug.as_str()).collect();
        let memories: Vec<String> = memories
            .iter()
            .map(|memory| memory.name.to_string())
            .collect();
        let mut text = format!("Project: {}\n", in_force.project);
        let Facts {
            languages,
            n_files,
            bytes,
            git,
            manifests,
            ..
        } = &facts;
        let _ = writeln!(text, "Files: {n_files} ({bytes} bytes)");
        for language in languages.iter().take(10) {
            let _ = writeln!(
                text,
                "  {}: {} files, {} bytes",
                language.name, language.n_files, language.bytes
            );
        }
        if let Some(git) = git {
            let branch = git.branch.as_deref().unwrap_or("detached");
            let _ = writeln!(
                text,
                "Git: {branch} {}",
                git.head.as_deref().unwrap_or("without commits")
            );
        }
        let manifests: Vec<&str> = manifests.iter().map(ProjectPath::as_str).collect();
        for (title, names) in [
            ("Manifests", manifests.join(", ")),
            ("Modes", modes.join(", ")),
            ("Memories", memories.join(", ")),
        ] {
            let names = if names.is_empty() { "none" } else { &names };
            let _ = writeln!(text, "{title}: {names}");
        }
        let spoken: Vec<String> = servers
            .iter()
            .map(|server| format!("{} ({}, {})", server.name, server.language, state(server)))
            .collect();
        let spoken = if spoken.is_empty() {
            "none".to_owned()
        } else {
            spoken.join(", ")
        };
        let _ = writeln!(text, "Language servers: {spoken}");
        let index = context.engine.index_status(&in_force.project);
        let _ = writeln!(text, "Index: {}", describe_index(index));
        let _ = writeln!(text, "Mode in force: {}", in_force.mode.slug);
        let languages: Vec<Value> = languages
            .iter()
            .map(|language| json!({ "name": language.name, "files": language.n_files, "bytes": language.bytes }))
            .collect();
        let structured = json!({
            "project": in_force.project.as_str(),
            "files": n_files,
            "bytes": bytes,
            "languages": languages,
            "git": git.as_ref().map(|git| json!({ "branch": git.branch, "head": git.head })),
            "manifests": manifests,
            "index": index.map(|index| json!({ "files": index.files, "symbols": index.symbols, "complete": index.is_complete() })),
            "language_servers": servers.iter().map(|server| json!({ "language": server.language, "name": server.name, "status": state(server) })).collect::<Vec<_>>(),
            "modes": modes,
            "memories": memories,
            "mode": in_force.mode.slug.as_str(),
        });
        Ok(code_reply(text, structured))
    })
}

fn state(server: &KnownServer) -> &'static str {
    let health = server.status.as_ref().map(|status| &status.health);
    health.unwrap_or(&Health::Stopped).as_str()
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
