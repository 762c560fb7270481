//! `read_file`: the text of a file, or some of its lines.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::LineRange;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

/// About 25,000 tokens: what clients take in one answer.
const LONGEST: usize = 80_000;

pub(crate) static TOOL: Tool = Tool {
    name: "read_file",
    title: "Read a file",
    description: "Read file contents with optional line range",
    group: Some(Group::Read),
    family: Family::Files,
    hints: Hints::ReadOnly,
    paths: &["file_path"],
    input: Schema::of::<ReadFileArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReadFileArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    /// First line, from 1; negative from the end
    start_line: Option<i64>,
    /// Last line, included
    end_line: Option<i64>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let ReadFileArgs {
            start_line,
            end_line,
            ..
        } = parse(arguments)?;
        let Granted { permit, in_force } = granted;
        let session = in_force.session.clone();
        let path = context.engine.only_target(&permit)?;
        let range = LineRange {
            start: start_line,
            end: end_line,
        };
        let wanted = path.clone();
        let (read, first, last, text) = context
            .engine
            .on_disk(&in_force, move |workspace| {
                let read = workspace.read_file(&wanted)?;
                let (first, last, text) = read.lines(range).map_err(|error| error.of(&wanted))?;
                let text = text.to_owned();
                Ok((read, first, last, text))
            })
            .await?;
        let whole = start_line.is_none() && end_line.is_none();
        let text = if whole {
            text
        } else {
            text.trim_end_matches('\n')
                .trim_end_matches('\r')
                .to_owned()
        };
        context.engine.saw(session.as_ref(), &path, &read.revision);
        let total = read.n_lines();
        let Cut {
            shown,
            next,
            hidden,
        } = cut(&text, first);
        let mut facts = json!({
            "file_path": path.as_str(),
            "start_line": first,
            "end_line": next.map_or(last, |next| next - 1),
            "total_lines": total,
            "revision": read.revision,
            "encoding": read.encoding,
        });
        let mut shown = shown.to_owned();
        if hidden > 0 {
            facts["hidden_bytes"] = json!(hidden);
            shown.push_str(&format!(
                "\n[{hidden} more bytes of line {first} do not fit: find what you need with search_for_pattern]"
            ));
        }
        if let Some(next) = next {
            facts["next_start_line"] = json!(next);
            shown.push_str(&format!(
                "\n[cut before line {next} of {total}: continue with start_line {next}]"
            ));
        }
        Ok(code_reply(shown, facts))
    })
}

/// The part of a text that fits into an answer.
struct Cut<'a> {
    shown: &'a str,
    /// The line to go on with.
    next: Option<usize>,
    /// Bytes of the first line, where even that is too long.
    hidden: usize,
}

/// As many whole lines as fit; of a line that is longer than all that fits, its beginning.
fn cut(text: &str, first: usize) -> Cut<'_> {
    let mut end = 0;
    let mut lines = 0;
    for line in text.split_inclusive('\n') {
        if end + line.len() > LONGEST && lines > 0 {
            break;
        }
        end += line.len();
        lines += 1;
    }
    let next = (end < text.len()).then_some(first + lines);
    let whole = text.get(..end).unwrap_or(text);
    if next.is_none() && end <= LONGEST {
        return Cut {
            shown: text,
            next,
            hidden: 0,
        };
    }
    let whole = whole.trim_end_matches('\n');
    let shown = whole
        .get(..whole.floor_char_boundary(LONGEST))
        .unwrap_or(whole);
    Cut {
        shown,
        next,
        hidden: whole.len() - shown.len(),
    }
}
