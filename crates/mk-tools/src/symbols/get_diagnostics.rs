//! `get_diagnostics`: what is wrong in a file.

use mk_engine::{Error, FileProblem, FileProblems};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::indexed;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

/// More are told as a number.
const MOST_SHOWN: usize = 100;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetDiagnosticsArgs {
    /// Default: the changed files
    #[serde(rename = "file_path")]
    _file_path: Option<String>,
    /// Leave out what is less severe
    min_severity: Option<MinSeverity>,
    /// From this line
    start_line: Option<u32>,
    /// Up to this line
    end_line: Option<u32>,
    session_id: Option<String>,
}

/// From the most severe one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MinSeverity {
    Error,
    Warning,
    Information,
    Hint,
}

impl MinSeverity {
    fn of(problem: &FileProblem) -> Self {
        match problem.severity {
            "error" => Self::Error,
            "warning" => Self::Warning,
            "information" => Self::Information,
            _ => Self::Hint,
        }
    }
}

pub(crate) static TOOL: Tool = Tool::of::<GetDiagnosticsArgs>();

impl ToolDefinition for GetDiagnosticsArgs {
    const SPEC: Spec = Spec {
        name: "get_diagnostics",
        title: "Show problems of a file",
        description: "Errors and warnings of a file from its language server; without one, syntax errors",
        toolset: Toolset::Symbols,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(50),
        paths: &["file_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let mut found = call.project().symbols().problems(call.request).await?;
        for file in &mut found {
            file.problems.retain(|problem| self.wants(problem));
        }
        Ok(answer(&found))
    }
}

impl GetDiagnosticsArgs {
    fn wants(&self, problem: &FileProblem) -> bool {
        let severity = MinSeverity::of(problem);
        self.min_severity.is_none_or(|least| severity <= least)
            && self
                .start_line
                .is_none_or(|start| problem.end_line.max(problem.line) >= start)
            && self.end_line.is_none_or(|end| problem.line <= end)
    }
}

fn answer(found: &[FileProblems]) -> ToolAnswer {
    let files: Vec<(String, Value)> = found.iter().map(of_file).collect();
    match files.as_slice() {
        [] => code_answer(
            "No file was changed by a tool yet: name a file_path\n".to_owned(),
            json!({ "files": [] }),
        ),
        [(text, facts)] => code_answer(text.clone(), facts.clone()),
        several => {
            let text: String = several.iter().map(|(text, _)| text.as_str()).collect();
            let facts: Vec<&Value> = several.iter().map(|(_, facts)| facts).collect();
            code_answer(text, json!({ "files": facts }))
        }
    }
}

fn of_file(found: &FileProblems) -> (String, Value) {
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
    let shown = problems.iter().take(MOST_SHOWN);
    lines.extend(shown.map(|problem| describe(file.as_str(), problem)));
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
    (lines.join("\n"), facts)
}

/// `a.py:1:2: error: message [code]`
pub(crate) fn describe(file: &str, problem: &FileProblem) -> String {
    let code = problem.code.as_ref().map(|code| format!(" [{code}]"));
    format!(
        "{file}:{}:{}: {}: {}{}",
        problem.line,
        problem.column,
        problem.severity,
        problem.message.trim(),
        code.unwrap_or_default()
    )
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
