//! `find_symbols`: definitions by what somebody remembers of their names.

use mk_engine::{Error, FoundDefinition, IndexProgress, SymbolAnswer, SymbolQuery};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::indexed;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

const DEFAULT_RESULTS: u32 = 50;
const MOST_RESULTS: u32 = 1_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct FindSymbolsArgs {
    /// Name, part of one, or name path: `A/b`, from the top `/A/b`
    query: String,
    /// class, function, method, variable, module, …
    symbol_type: Option<String>,
    /// Only files matching this glob
    file_pattern: Option<String>,
    /// Default: 50
    max_results: Option<u32>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<FindSymbolsArgs>();

impl ToolDefinition for FindSymbolsArgs {
    const SPEC: Spec = Spec {
        name: "find_symbols",
        title: "Find symbols",
        description: "Find definitions by name, best match first",
        toolset: Toolset::Symbols,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(50),
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let limit = self.max_results.unwrap_or(DEFAULT_RESULTS);
        let asked = self.symbol_type.clone();
        let query = SymbolQuery {
            name: self.query,
            kind: self.symbol_type,
            files: self.file_pattern,
            limit: limit.clamp(1, MOST_RESULTS) as usize,
        };
        let found = call.project().symbols().find(call.request, query).await?;
        let mut facts = indexed::facts(&found.source, found.progress);
        facts["total"] = json!(found.total);
        facts["symbols"] = found.hits.iter().map(to_json).collect();
        Ok(code_answer(describe(&found, asked.as_deref()), facts))
    }
}

/// The contract's text; a kind that was not asked for is said.
fn describe(found: &SymbolAnswer<FoundDefinition>, asked: Option<&str>) -> String {
    let is_whole = found.progress == IndexProgress::Ready;
    let headline = match (found.hits.is_empty(), is_whole) {
        (false, _) => "Found symbols:",
        (true, true) => "Found no symbols",
        (true, false) => "Found no symbols so far",
    };
    let mut lines = vec![headline.to_owned()];
    for hit in &found.hits {
        let kind = match asked {
            Some(asked) if asked == hit.kind => String::new(),
            _ => format!(" ({})", hit.kind),
        };
        lines.push(format!(
            "- {} in {}:{}-{}{kind}",
            hit.name_path, hit.path, hit.start_line, hit.end_line
        ));
    }
    if found.hits.len() < found.total {
        let least = if is_whole { "" } else { "at least " };
        lines.push(format!(
            "[{} of {least}{} shown]",
            found.hits.len(),
            found.total
        ));
    }
    lines.extend(indexed::note(found.progress));
    lines.join("\n")
}

fn to_json(hit: &FoundDefinition) -> Value {
    json!({
        "name_path": hit.name_path,
        "kind": hit.kind,
        "file_path": hit.path.as_str(),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "signature": hit.signature,
    })
}
