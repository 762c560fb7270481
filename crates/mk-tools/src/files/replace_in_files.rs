//! `replace_in_files`: the same replacement in many files, after a dry run that shows it.

use mk_engine::{
    Error, FileChanges, PlannedReplacement, ReplaceScope, ReplacedFiles, TextReplacement,
};
use mk_policy::Group;
use mk_types::ProjectPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::changes;
use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolReply, ToolRun, Toolset, code_reply,
};

/// Of the diffs that a dry run shows.
const LONGEST_DIFFS: usize = 20_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReplaceInFilesArgs {
    /// Text to find
    find: String,
    /// New text; `$1` is a group of the regex
    replace: String,
    /// `find` is a regex
    regex: Option<bool>,
    /// Directory (default: the project)
    path: Option<String>,
    /// Only files matching these globs
    include: Option<Vec<String>>,
    /// No files matching these globs
    exclude: Option<Vec<String>>,
    /// Only show what would change
    dry_run: Option<bool>,
    /// Refuse unless exactly this many places match
    expected_count: Option<u32>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ReplaceInFilesArgs>();

impl ToolDefinition for ReplaceInFilesArgs {
    const SPEC: Spec = Spec {
        name: "replace_in_files",
        title: "Replace text in many files",
        description: "Replace literal text (or a regex) in all files that match",
        toolset: Toolset::Files,
        group: Some(Group::Edit),
        effect: ToolEffect::Changes,
        calls_per_minute: Some(100),
        // The files are found by searching; each is checked before it is changed.
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let replacement = TextReplacement {
            find: self.find,
            replace: self.replace,
            is_regex: self.regex == Some(true),
            all: true,
        };
        let scope = ReplaceScope {
            path: self.path,
            include: self.include.unwrap_or_default(),
            exclude: self.exclude.unwrap_or_default(),
            expected_count: self.expected_count.map(|count| count as usize),
            dry_run: self.dry_run == Some(true),
        };
        let files = call.project().files();
        let replaced = files.replace_in_files(call.request, replacement, scope);
        Ok(replaced.await?.map(|replaced| match replaced {
            ReplacedFiles::NothingMatches => code_reply(
                "Nothing matches".to_owned(),
                json!({ "total_matches": 0, "files": [] }),
            ),
            ReplacedFiles::WouldChange(plan) => dry_run(&plan),
            ReplacedFiles::Changed { counts, changes } => changed(&counts, &changes),
        }))
    }
}

/// What was changed where; its diff stands in the dry run.
fn changed(counts: &[(ProjectPath, usize)], changes: &FileChanges) -> ToolReply {
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    let mut text = format!(
        "Changed {} in {}\n",
        counted(total, "place"),
        counted(counts.len(), "file")
    );
    for (path, count) in counts {
        text.push_str(&format!("{path} ({count})\n"));
    }
    text.push_str(&changes::ending(changes));
    let mut reply = ToolReply {
        text,
        ..changes::reply(changes)
    };
    reply.structured["total_matches"] = json!(total);
    reply
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

fn dry_run(plan: &[PlannedReplacement]) -> ToolReply {
    let total: usize = plan.iter().map(|planned| planned.count).sum();
    let mut text = format!(
        "Would change {} in {}\n",
        counted(total, "place"),
        counted(plan.len(), "file")
    );
    let mut n_left = LONGEST_DIFFS;
    let mut n_hidden = 0;
    for planned in plan {
        text.push_str(&format!("{} ({})\n", planned.path, planned.count));
        let diff = planned.diff.trim_end();
        if diff.len() <= n_left {
            text.push_str(&format!("{diff}\n"));
            n_left -= diff.len();
        } else {
            n_hidden += 1;
        }
    }
    if n_hidden > 0 {
        text.push_str(&format!(
            "[the changes of {} are not shown: narrow it with include]\n",
            counted(n_hidden, "file")
        ));
    }
    let files: Vec<Value> = plan
        .iter()
        .map(|planned| json!({ "file_path": planned.path.as_str(), "count": planned.count }))
        .collect();
    code_reply(
        text,
        json!({ "dry_run": true, "total_matches": total, "files": files }),
    )
}
