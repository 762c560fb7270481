//! `get_project_info`: what the project is made of, and what applies in it.

use std::fmt::Write as _;

use mk_engine::Granted;
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
    description: "Languages, sizes, git state, modes and memories of the project",
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
    /// Session whose mode applies
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let GetProjectInfoArgs { .. } = parse(arguments)?;
        let in_force = granted.in_force;
        let (facts, memories) = context
            .engine
            .on_disk(&in_force, move |workspace| {
                let readable = |path: &_| workspace.readable(path);
                let facts = inspect(workspace.root.root(), &readable, workspace.cancel());
                let memories = workspace.memories()?.list(None)?;
                Ok((facts, memories))
            })
            .await?;
        let catalogue = context.engine.project(&in_force.project).catalogue();
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
            "modes": modes,
            "memories": memories,
            "mode": in_force.mode.slug.as_str(),
        });
        Ok(code_reply(text, structured))
    })
}
