//! What a person sees of an agent's own call before they approve it: the diff, the lines, or else all that was given.

use std::path::Path;

use mk_clients::ToolUse;
use serde_json::Value;

use super::Hooks;

/// A file that is longer is not compared.
const LARGEST: u64 = 4 * 1024 * 1024;
/// Arguments under which products name the whole text of a file.
const CONTENTS: &[&str] = &["content", "contents", "file_text", "new_content"];
/// Arguments under which they name what is replaced, and by what.
const REPLACEMENTS: &[(&str, &str)] = &[
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
    ("oldText", "newText"),
];

impl Hooks<'_> {
    /// The call as it would be carried out in a directory.
    pub(super) fn shown(&self, directory: &Path, tool: &ToolUse) -> String {
        let touched = tool.touched();
        if !touched.patches.is_empty() {
            return touched.patches.join("\n");
        }
        if !touched.commands.is_empty() {
            return touched.commands.join("\n");
        }
        let changed = match touched.paths.as_slice() {
            [path] => changed(Path::new(&self.absolute(directory, path)), &tool.input),
            _ => None,
        };
        changed.unwrap_or_else(|| {
            serde_json::to_string_pretty(&tool.input).unwrap_or_else(|_| tool.input.to_string())
        })
    }
}

/// The diff that an edit of one file makes; `None` where the arguments do not tell.
fn changed(file: &Path, input: &Value) -> Option<String> {
    let old = match std::fs::metadata(file) {
        // Reading something else than a file may never end.
        Ok(found) if !found.is_file() || found.len() > LARGEST => return None,
        Ok(_) => std::fs::read_to_string(file).ok()?,
        Err(_) => String::new(),
    };
    let new = match CONTENTS.iter().find_map(|key| input.get(*key)?.as_str()) {
        Some(contents) => contents.to_owned(),
        None => replaced(&old, input)?,
    };
    let name = file.file_name()?.to_string_lossy();
    Some(format!(
        "{name}\n{}",
        mk_project::diff_to_decide(&old, &new)
    ))
}

/// The text after every replacement that the arguments name.
fn replaced(text: &str, input: &Value) -> Option<String> {
    let edits = match input.get("edits") {
        Some(edits) => edits.as_array()?.iter().collect(),
        None => vec![input],
    };
    let mut text = text.to_owned();
    for edit in edits {
        let (old, new) = REPLACEMENTS.iter().find_map(|(old, new)| {
            let old = edit.get(*old)?.as_str()?;
            Some((old, edit.get(*new)?.as_str()?))
        })?;
        let is_everywhere = ["replace_all", "replaceAll"]
            .iter()
            .any(|key| edit.get(*key) == Some(&Value::Bool(true)));
        // Nothing replaced by something is how some products make a file.
        text = match old {
            "" if text.is_empty() => new.to_owned(),
            "" => return None,
            _ if !text.contains(old) => return None,
            _ if is_everywhere => text.replace(old, new),
            _ => text.replacen(old, new, 1),
        };
    }
    Some(text)
}
