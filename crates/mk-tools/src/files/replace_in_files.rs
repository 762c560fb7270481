//! `replace_in_files`: the same replacement in many files, after a dry run that shows it.

use mk_engine::{Error, PlannedReplacement, ReplaceScope, Replaced, TextReplacement};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::changes;
use crate::tool::{Answer, Call, Definition, Effect, Reply, Spec, Tool, Toolset, code_reply};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReplaceInFilesArgs {
    /// Text to find
    find: String,
    /// New text; `$1` is a group of the regex
    replace: String,
    /// `find` is a regex
    regex: Option<bool>,
    /// Folder (default: the project)
    path: Option<String>,
    /// Only files matching these globs
    include: Option<Vec<String>>,
    /// No files matching these globs
    exclude: Option<Vec<String>>,
    /// Only show what would change
    dry_run: Option<bool>,
    /// Refuse unless exactly so many places match
    expected_count: Option<u32>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ReplaceInFilesArgs>();

impl Definition for ReplaceInFilesArgs {
    const SPEC: Spec = Spec {
        name: "replace_in_files",
        title: "Replace text in many files",
        description: "Replace literal text (or a regex) in all files that match; dry_run shows what would change",
        toolset: Toolset::Files,
        group: Some(Group::Edit),
        effect: Effect::Changes,
        calls_per_minute: Some(100),
        // The files are found by searching; each is checked before it is changed.
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: Call<'_>) -> Result<Answer, Error> {
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
            Replaced::NothingMatches => code_reply(
                "Nothing matches".to_owned(),
                json!({ "total_matches": 0, "files": [] }),
            ),
            Replaced::WouldChange(plan) => dry_run(&plan),
            Replaced::Changed(changes) => changes::reply(&changes),
        }))
    }
}

fn dry_run(plan: &[PlannedReplacement]) -> Reply {
    let total: usize = plan.iter().map(|planned| planned.count).sum();
    let mut text = format!("Would change {total} places in {} files\n", plan.len());
    for planned in plan {
        text.push_str(&format!(
            "{} ({})\n{}\n",
            planned.path,
            planned.count,
            planned.diff.trim_end()
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
