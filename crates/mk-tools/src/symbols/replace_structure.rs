//! `replace_structure`: changes all code of one shape, over however many lines and files.

use mk_engine::{EditRun, Error, StructureReplaced, StructureReplacement};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::indexed;
use crate::files::changes;
use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolReply, ToolRun, Toolset, code_reply,
};

/// So many places are shown of a dry run.
const MOST_PLACES: usize = 100;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReplaceStructureArgs {
    /// Code; `$A` is any one part, `$$$A` any number of them: `f($A, $$$REST)`
    pattern: String,
    /// New code, with the same names
    replacement: String,
    /// Only files of this language
    language: Option<String>,
    /// Only files matching this glob
    #[serde(alias = "path")]
    file_pattern: Option<String>,
    /// Only show what would change
    dry_run: Option<bool>,
    /// Refuse unless exactly this many places match
    expected_count: Option<u32>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ReplaceStructureArgs>();

impl ToolDefinition for ReplaceStructureArgs {
    const SPEC: Spec = Spec {
        name: "replace_structure",
        title: "Replace code by its structure",
        description: "Replace all code of one shape, over lines and files, with a backup; no comments or strings",
        toolset: Toolset::Symbols,
        group: Some(Group::Edit),
        effect: ToolEffect::Changes,
        calls_per_minute: Some(20),
        // The files are found by searching; each is checked before it is changed.
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let doing = if self.dry_run == Some(true) {
            EditRun::DryRun
        } else {
            EditRun::Change
        };
        let wanted = StructureReplacement {
            pattern: self.pattern,
            replacement: self.replacement,
            language: self.language,
            files: self.file_pattern,
            expected_count: self.expected_count.map(|count| count as usize),
        };
        let symbols = call.project().symbols();
        let replaced = symbols.replace_structure(call.request, wanted, doing);
        Ok(replaced.await?.map(|replaced| answer(&replaced, doing)))
    }
}

fn answer(replaced: &StructureReplaced, doing: EditRun) -> ToolReply {
    let (n_places, n_files) = (replaced.n_places(), replaced.files.len());
    let count = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    let counted = format!("{} in {}", count(n_places, "place"), count(n_files, "file"));
    let mut text = match (n_places, doing) {
        (0, _) => "Nothing matches\n".to_owned(),
        (_, EditRun::DryRun) => format!("Would change {counted}\n"),
        (_, EditRun::Change) => format!("Changed {counted}\n"),
    };
    let mut n_left = MOST_PLACES;
    for (path, places) in &replaced.files {
        text.push_str(&format!("{path} ({})\n", places.len()));
        let n_shown = if doing == EditRun::DryRun { n_left } else { 0 };
        for (line, before) in places.iter().take(n_shown) {
            text.push_str(&format!("  {line}: {before}\n"));
        }
        n_left = n_left.saturating_sub(places.len());
    }
    for error in &replaced.syntax_errors {
        text.push_str(&format!(
            "Syntax error at {}:{}:{}: {}\n",
            error.path, error.line, error.column, error.message
        ));
    }
    text.push_str(&changes::ending(&replaced.changes));
    text.extend(indexed::note(replaced.progress));
    let mut facts = indexed::facts("syntax", replaced.progress);
    facts["total_matches"] = json!(n_places);
    facts["files"] = replaced
        .files
        .iter()
        .map(|(path, places)| json!({ "file_path": path.as_str(), "count": places.len() }))
        .collect();
    facts["syntax_errors"] = json!(replaced.syntax_errors.len());
    match doing {
        EditRun::DryRun => facts["dry_run"] = json!(true),
        EditRun::Change => {
            let files = replaced.changes.files.iter();
            facts["changes"] = files.map(changes::to_json).collect::<Vec<Value>>().into();
        }
    }
    code_reply(text, facts)
}
