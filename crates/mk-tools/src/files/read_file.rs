//! `read_file`: the text of a file, or some of its lines.

use mk_engine::{Error, FileExcerpt};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

/// About 25,000 tokens: what clients take in one answer.
const LONGEST: usize = 80_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReadFileArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    /// First line, from 1; negative from the end
    start_line: Option<i64>,
    /// Last line, included
    end_line: Option<i64>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ReadFileArgs>();

impl ToolDefinition for ReadFileArgs {
    const SPEC: Spec = Spec {
        name: "read_file",
        title: "Read a file",
        description: "Read file contents with optional line range",
        toolset: Toolset::Files,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(100),
        paths: &["file_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let is_whole = self.start_line.is_none() && self.end_line.is_none();
        let files = call.project().files();
        let read = files.read(call.request, self.start_line, self.end_line);
        let FileExcerpt {
            path,
            text,
            first_line: first,
            last_line: last,
            total_lines: total,
            revision,
            encoding,
        } = read.await?;
        let text = if is_whole {
            &text
        } else {
            text.trim_end_matches('\n').trim_end_matches('\r')
        };
        let CutText {
            shown,
            next,
            hidden,
        } = cut(text, first);
        let mut facts = json!({
            "file_path": path.as_str(),
            "start_line": first,
            "end_line": next.map_or(last, |next| next - 1),
            "total_lines": total,
            "revision": revision,
            "encoding": encoding,
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
        Ok(code_answer(shown, facts))
    }
}

/// The part of a text that fits into an answer.
struct CutText<'a> {
    shown: &'a str,
    /// The line to go on with.
    next: Option<usize>,
    /// Bytes of the first line, where even that is too long.
    hidden: usize,
}

/// As many whole lines as fit; of a line that is longer than all that fits, its beginning.
fn cut(text: &str, first: usize) -> CutText<'_> {
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
        return CutText {
            shown: text,
            next,
            hidden: 0,
        };
    }
    let whole = whole.trim_end_matches('\n');
    let shown = whole
        .get(..whole.floor_char_boundary(LONGEST))
        .unwrap_or(whole);
    CutText {
        shown,
        next,
        hidden: whole.len() - shown.len(),
    }
}
