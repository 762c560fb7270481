//! `find_symbols`: definitions by what somebody remembers of their names.

use mk_engine::{Error, Granted};
use mk_policy::Group;
use mk_symbols::{Answer, Hit, Query, SymbolKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::indexed;
use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

const DEFAULT_RESULTS: u32 = 50;
const MOST_RESULTS: u32 = 1_000;

pub(crate) static TOOL: Tool = Tool {
    name: "find_symbols",
    title: "Find symbols",
    description: "Find definitions by name, best match first",
    group: Some(Group::Read),
    family: Family::Symbols,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<FindSymbolsArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FindSymbolsArgs {
    /// Name, part of one, or name path: `A/b`, from the top `/A/b`
    query: String,
    /// class, function, method, variable, module, …
    symbol_type: Option<String>,
    /// Only files matching this glob
    file_pattern: Option<String>,
    /// Default: 50
    max_results: Option<u32>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let args: FindSymbolsArgs = parse(arguments)?;
        let kind = args.symbol_type.as_deref().map(kind_of).transpose()?;
        let limit = args.max_results.unwrap_or(DEFAULT_RESULTS);
        let query = Query {
            kind,
            files: args.file_pattern,
            limit: limit.clamp(1, MOST_RESULTS) as usize,
            ..Query::new(args.query)
        };
        let found = context
            .engine
            .find_symbols(&granted.in_force, query)
            .await?;
        let mut facts = indexed::facts(&found.source, found.progress);
        facts["total"] = json!(found.total);
        facts["symbols"] = found.hits.iter().map(to_json).collect();
        Ok(code_reply(describe(&found, kind), facts))
    })
}

fn kind_of(name: &str) -> Result<SymbolKind, Error> {
    SymbolKind::parse(name).ok_or_else(|| {
        let kinds = SymbolKind::ALL.map(SymbolKind::as_str).join(", ");
        Error::invalid(
            "symbol_type",
            format!("Parameter symbol_type must be one of: {kinds}"),
        )
    })
}

/// The contract's text; a kind that was not asked for is said.
fn describe(found: &Answer<Hit>, asked: Option<SymbolKind>) -> String {
    let mut lines = vec![if found.hits.is_empty() {
        "Found no symbols".to_owned()
    } else {
        "Found symbols:".to_owned()
    }];
    for hit in &found.hits {
        let kind = match asked {
            Some(asked) if asked == hit.kind => String::new(),
            _ => format!(" ({})", hit.kind.as_str()),
        };
        lines.push(format!(
            "- {} in {}:{}-{}{kind}",
            hit.name_path, hit.path, hit.lines.start, hit.lines.end
        ));
    }
    if found.hits.len() < found.total {
        lines.push(format!("[{} of {} shown]", found.hits.len(), found.total));
    }
    lines.extend(indexed::note(found.progress));
    lines.join("\n")
}

fn to_json(hit: &Hit) -> Value {
    json!({
        "name_path": hit.name_path,
        "kind": hit.kind.as_str(),
        "file_path": hit.path.as_str(),
        "start_line": hit.lines.start,
        "end_line": hit.lines.end,
        "signature": hit.signature,
    })
}
