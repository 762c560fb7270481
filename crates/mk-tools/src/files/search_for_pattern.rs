//! `search_for_pattern`: text or a regular expression in the project's files.

use std::fmt::Write as _;

use mk_engine::{Error, MatchesInFile, SearchKind, TextMatches, TextSearch};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

const DEFAULT_RESULTS: u32 = 100;
const MOST_RESULTS: u32 = 1_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct SearchForPatternArgs {
    /// What to search for
    pattern: String,
    /// No regex
    literal: Option<bool>,
    /// Ignore case
    ignore_case: Option<bool>,
    /// Let the pattern span lines
    multiline: Option<bool>,
    /// File or directory (default: the project)
    #[serde(rename = "path")]
    _path: Option<String>,
    /// Only files matching these globs
    include: Option<Vec<String>>,
    /// No files matching these globs
    exclude: Option<Vec<String>>,
    /// Lines around each match (default: 0)
    context_lines: Option<u32>,
    /// Default: 100
    max_results: Option<u32>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<SearchForPatternArgs>();

impl ToolDefinition for SearchForPatternArgs {
    const SPEC: Spec = Spec {
        name: "search_for_pattern",
        title: "Search files",
        description: "Search file contents by regex (or literal text), best first; respects .gitignore",
        toolset: Toolset::Files,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(100),
        paths: &["path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let limit = self.max_results.unwrap_or(DEFAULT_RESULTS);
        let wanted = TextSearch {
            pattern: self.pattern,
            kind: if self.literal == Some(true) {
                SearchKind::Literal
            } else {
                SearchKind::Regex
            },
            ignores_case: self.ignore_case == Some(true),
            spans_lines: self.multiline == Some(true),
            include: self.include.unwrap_or_default(),
            exclude: self.exclude.unwrap_or_default(),
            context_lines: self.context_lines.unwrap_or(0).min(20) as usize,
            max_results: limit.clamp(1, MOST_RESULTS) as usize,
        };
        let found = call.project().files().search(call.request, wanted).await?;
        let facts = json!({
            "total_matches": found.total_matches,
            "total_files": found.total_files,
            "cut": found.cut,
        });
        Ok(code_answer(describe(&found), facts))
    }
}

fn describe(result: &TextMatches) -> String {
    if result.files.is_empty() {
        return "No matches".to_owned();
    }
    let mut text = String::new();
    for MatchesInFile { path, lines, total } in &result.files {
        let _ = writeln!(text, "{path} ({total})");
        for found in lines {
            for (back, line) in found.before.iter().rev().enumerate().rev() {
                let _ = writeln!(
                    text,
                    "  {}- {line}",
                    found.line.saturating_sub(back as u64 + 1)
                );
            }
            let _ = writeln!(text, "  {}: {}", found.line, found.text);
            for (ahead, line) in found.after.iter().enumerate() {
                let _ = writeln!(text, "  {}- {line}", found.line + ahead as u64 + 1);
            }
        }
    }
    if result.cut {
        let shown: usize = result.files.iter().map(|file| file.lines.len()).sum();
        let _ = writeln!(
            text,
            "[{shown} of {} matches in {} files shown, best first]",
            result.total_matches, result.total_files
        );
    }
    text
}
