//! `get_diagnostics`: what is wrong in a file.

use mk_engine::{Diagnosed, Granted, Noted};
use mk_lsp::{Diagnostic, Severity};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::indexed;
use crate::tool::{Answer, Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

/// More are told as a number.
const MOST_SHOWN: usize = 100;

pub(crate) static TOOL: Tool = Tool {
    name: "get_diagnostics",
    title: "Show problems of a file",
    description: "Errors and warnings of a file from its language server; without one, syntax errors",
    group: Some(Group::Read),
    family: Family::Symbols,
    hints: Hints::ReadOnly,
    paths: &["file_path"],
    input: Schema::of::<GetDiagnosticsArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetDiagnosticsArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let GetDiagnosticsArgs { .. } = parse(arguments)?;
        let file = context.engine.only_target(&granted.permit)?;
        let found = context
            .engine
            .diagnostics(&granted.in_force, file.clone())
            .await?;
        Ok(reply(file.as_str(), &found))
    })
}

fn reply(file: &str, found: &Noted<Diagnosed>) -> Answer {
    let Noted { answer, note } = found;
    let Diagnosed { found, source } = answer;
    let mut lines = vec![match found.len() {
        0 => format!("No problems in {file}; source: {source}"),
        1 => format!("1 problem in {file}; source: {source}"),
        count => format!("{count} problems in {file}; source: {source}"),
    }];
    for one in found.iter().take(MOST_SHOWN) {
        let start = one.range.start;
        let code = one.code.as_ref().map(|code| format!(" [{code}]"));
        lines.push(format!(
            "{file}:{}:{}: {}: {}{}",
            start.line,
            start.column,
            severity(one),
            one.message.trim(),
            code.unwrap_or_default()
        ));
    }
    if found.len() > MOST_SHOWN {
        lines.push(format!("[{MOST_SHOWN} of {} shown]", found.len()));
    }
    lines.extend(indexed::remark(note.as_deref()));
    lines.push(String::new());
    let facts = json!({
        "file_path": file,
        "source": source.to_string(),
        "total": found.len(),
        "diagnostics": found.iter().take(MOST_SHOWN).map(to_json).collect::<Vec<_>>(),
    });
    code_reply(lines.join("\n"), facts)
}

fn severity(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}

fn to_json(diagnostic: &Diagnostic) -> Value {
    let range = diagnostic.range;
    json!({
        "severity": severity(diagnostic),
        "line": range.start.line,
        "column": range.start.column,
        "end_line": range.end.line,
        "end_column": range.end.column,
        "message": diagnostic.message,
        "code": diagnostic.code,
    })
}
