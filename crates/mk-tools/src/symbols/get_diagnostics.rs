//! `get_diagnostics`: what is wrong in a file.

use mk_engine::{Error, FileProblem, FileProblems};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::indexed;

use crate::tool::{Answer, Call, Definition, Effect, Spec, Tool, Toolset, code_answer};

/// More are told as a number.
const MOST_SHOWN: usize = 100;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetDiagnosticsArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<GetDiagnosticsArgs>();

impl Definition for GetDiagnosticsArgs {
    const SPEC: Spec = Spec {
        name: "get_diagnostics",
        title: "Show problems of a file",
        description: "Errors and warnings of a file from its language server; without one, syntax errors",
        toolset: Toolset::Symbols,
        group: Some(Group::Read),
        effect: Effect::ReadOnly,
        calls_per_minute: Some(50),
        paths: &["file_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: Call<'_>) -> Result<Answer, Error> {
        let found = call.project().symbols().problems(call.request).await?;
        Ok(answer(&found))
    }
}

fn answer(found: &FileProblems) -> Answer {
    let FileProblems {
        path: file,
        problems,
        source,
        note,
    } = found;
    let mut lines = vec![match problems.len() {
        0 => format!("No problems in {file}; source: {source}"),
        1 => format!("1 problem in {file}; source: {source}"),
        count => format!("{count} problems in {file}; source: {source}"),
    }];
    for one in problems.iter().take(MOST_SHOWN) {
        let code = one.code.as_ref().map(|code| format!(" [{code}]"));
        lines.push(format!(
            "{file}:{}:{}: {}: {}{}",
            one.line,
            one.column,
            one.severity,
            one.message.trim(),
            code.unwrap_or_default()
        ));
    }
    if problems.len() > MOST_SHOWN {
        lines.push(format!("[{MOST_SHOWN} of {} shown]", problems.len()));
    }
    lines.extend(indexed::remark(note.as_deref()));
    lines.push(String::new());
    let facts = json!({
        "file_path": file.as_str(),
        "source": source,
        "total": problems.len(),
        "diagnostics": problems.iter().take(MOST_SHOWN).map(to_json).collect::<Vec<_>>(),
    });
    code_answer(lines.join("\n"), facts)
}

fn to_json(problem: &FileProblem) -> Value {
    json!({
        "severity": problem.severity,
        "line": problem.line,
        "column": problem.column,
        "end_line": problem.end_line,
        "end_column": problem.end_column,
        "message": problem.message,
        "code": problem.code,
    })
}
