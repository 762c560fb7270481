//! `search_for_pattern`: text or a regular expression in the project's files.

use std::fmt::Write as _;

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::{Case, FileMatches, PatternKind, SearchQuery, SearchResult, Span, search};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

const DEFAULT_RESULTS: u32 = 100;
const MOST_RESULTS: u32 = 1_000;

pub(crate) static TOOL: Tool = Tool {
    name: "search_for_pattern",
    title: "Search files",
    description: "Search file contents by regex (or literal text), best matches first; respects .gitignore",
    group: Some(Group::Read),
    family: Family::Files,
    hints: Hints::ReadOnly,
    paths: &["path"],
    input: Schema::of::<SearchForPatternArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchForPatternArgs {
    /// What to search for
    pattern: String,
    /// No regex
    literal: Option<bool>,
    /// Ignore case
    ignore_case: Option<bool>,
    /// Let the pattern span lines
    multiline: Option<bool>,
    /// File or folder (default: the project)
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
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let args: SearchForPatternArgs = parse(arguments)?;
        let Granted { permit, in_force } = granted;
        let query = SearchQuery {
            pattern: args.pattern,
            kind: if args.literal == Some(true) {
                PatternKind::Literal
            } else {
                PatternKind::Regex
            },
            case: if args.ignore_case == Some(true) {
                Case::Insensitive
            } else {
                Case::Sensitive
            },
            span: if args.multiline == Some(true) {
                Span::Lines
            } else {
                Span::Line
            },
            folder: context.engine.target_or_root(&permit, &in_force)?,
            include: args.include.unwrap_or_default(),
            exclude: args.exclude.unwrap_or_default(),
            context: args.context_lines.unwrap_or(0).min(20) as usize,
            max_results: args
                .max_results
                .unwrap_or(DEFAULT_RESULTS)
                .clamp(1, MOST_RESULTS) as usize,
        };
        let result = context
            .engine
            .on_disk(&in_force, move |workspace| {
                let readable = |path: &_| workspace.readable(path);
                Ok(search(
                    workspace.root.root(),
                    &query,
                    &readable,
                    workspace.cancel(),
                )?)
            })
            .await?;
        let facts = json!({
            "total_matches": result.total_matches,
            "total_files": result.total_files,
            "cut": result.cut,
        });
        Ok(code_reply(describe(&result), facts))
    })
}

fn describe(result: &SearchResult) -> String {
    if result.files.is_empty() {
        return "No matches".to_owned();
    }
    let mut text = String::new();
    for FileMatches {
        path,
        matches,
        total,
    } in &result.files
    {
        let _ = writeln!(text, "{path} ({total})");
        for found in matches {
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
        let shown: usize = result.files.iter().map(|file| file.matches.len()).sum();
        let _ = writeln!(
            text,
            "[{shown} of {} matches in {} files shown, best first]",
            result.total_matches, result.total_files
        );
    }
    text
}
