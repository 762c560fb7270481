//! Searches by a product's own tool: it names a directory and shows lines of whatever is in there, hidden files too.
//!
//! A search passes if the product itself leaves out what is hidden, or was told to. Names of files are no secret, so
//! tools that only list them are not looked at here.

use std::path::Path;

use mk_clients::{ClientToolGroup, SearchEngine, SearchRow, ToolUse};
use mk_policy::{DecidingRule, PathAccess, RawTarget};
use mk_project::{ForeignSearch, IgnoredFiles, ShownBySearch, resolve, shown_by_search};
use mk_store::Ruling;
use mk_types::{AbsPath, ProjectPath};
use serde_json::Value;

use super::rule::HookGround;
use super::{Hooks, JudgedCall};
use crate::layer::ProjectLayer;
use crate::open_project::OpenProject;

const OWN_SEARCH: &str = "use Modekeeper's search_for_pattern, which leaves hidden files out";

impl Hooks<'_> {
    /// Refuses a search that would show a hidden file, or one that the mode of a project inside does not read.
    pub(super) fn refuse_search(
        &self,
        tool: &ToolUse,
        directory: &Path,
        ground: &HookGround,
    ) -> Option<JudgedCall> {
        let search = tool.row.and_then(|row| row.search)?;
        if tool.group() != Some(ClientToolGroup::Read) {
            return None;
        }
        let (open, ignored) = (&ground.open, &ground.ignored);
        let named = tool.touched().paths;
        let starts = match named.is_empty() || names_patterns(tool, &search) {
            true => vec![String::new()],
            false => named,
        };
        let searches = starts.iter().map(|start| {
            let start = self.absolute(directory, start);
            foreign_search(tool, &search, directory, &start, open)
        });
        let searches: Vec<ForeignSearch> = searches.collect();
        let is_around = |layer: &&ProjectLayer| {
            let mut starts = searches.iter().map(|it| &it.start);
            layer.is_inside()
                && starts.any(|start| layer.root().as_path().starts_with(start))
                && layer.limits_reads()
        };
        if let Some(layer) = ground.layers.iter().find(is_around) {
            return Some(refusal_around(tool, layer.root()));
        }
        match shown_by_search(open.root(), ignored, searches) {
            ShownBySearch::NothingHidden => None,
            shown => Some(refusal(tool, &search, &shown, (open.root(), ignored))),
        }
    }
}

/// A project inside the searched directory may not be read as a whole.
fn refusal_around(tool: &ToolUse, root: &AbsPath) -> JudgedCall {
    let reason = format!(
        "'{}' would search the project {root}, whose mode reads only some files.",
        tool.name
    );
    JudgedCall {
        hint: Some(format!("search another directory, or {OWN_SEARCH}")),
        ..JudgedCall::of(Ruling::Deny, DecidingRule::FilePattern.as_str(), reason)
    }
}

fn foreign_search(
    tool: &ToolUse,
    search: &SearchRow,
    directory: &Path,
    start: &str,
    open: &OpenProject,
) -> ForeignSearch {
    let text = |key: &str| tool.input.get(key)?.as_str().map(str::to_owned);
    let is_set = |key: &str| match tool.input.get(key) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(_) => true,
    };
    let is_unrestricted = search.unrestricted.is_some_and(is_set);
    let raw = RawTarget::new(start, PathAccess::Read);
    let resolved = resolve(open.root(), &IgnoredFiles::Nothing, raw);
    ForeignSearch {
        start: match &resolved.path {
            Ok(path) => path.under(open.root()),
            Err(_) => start.into(),
        },
        directory: directory.to_owned(),
        globs: globs(tool, search, directory),
        file_type: search.file_type.and_then(text),
        skips_git_ignored: search.engine == SearchEngine::Ripgrep && !is_unrestricted,
    }
}

/// Whether the paths of the call are patterns, so that they narrow a search of the whole directory.
fn names_patterns(tool: &ToolUse, search: &SearchRow) -> bool {
    let mut paths = tool.row.iter().flat_map(|row| row.paths);
    paths.any(|key| search.globs.contains(key))
}

/// Globs from the directory of the search. What is no text, or leads out of it, narrows nothing.
fn globs(tool: &ToolUse, search: &SearchRow, directory: &Path) -> Vec<String> {
    let directory = directory.display().to_string();
    let directory = format!("{}/", directory.trim_end_matches('/'));
    let globs = tool.globs(search).unwrap_or_default();
    if globs.iter().any(|glob| glob.contains("..")) {
        return Vec::new();
    }
    let excludes = search.engine == SearchEngine::Ripgrep;
    let is_read = |glob: &&String| excludes || !glob.starts_with('!');
    let relative = |glob: &String| {
        let (not, pattern) = match glob.strip_prefix('!') {
            Some(pattern) => ("!", pattern),
            None => ("", glob.as_str()),
        };
        let pattern = pattern.strip_prefix(&directory).unwrap_or(pattern);
        match pattern.trim_start_matches("./") {
            "" | "." => format!("{not}**"),
            pattern => format!("{not}{pattern}"),
        }
    };
    let mut relative: Vec<String> = globs.iter().filter(is_read).map(relative).collect();
    if names_patterns(tool, search) {
        // A directory stands for what is in it.
        let below = |glob: &String| format!("{}/**", glob.trim_end_matches('/'));
        let below: Vec<String> = relative.iter().map(below).collect();
        relative.extend(below);
    }
    relative
}

fn refusal(
    tool: &ToolUse,
    search: &SearchRow,
    shown: &ShownBySearch,
    project: (&AbsPath, &IgnoredFiles),
) -> JudgedCall {
    let excludes = search.engine == SearchEngine::Ripgrep;
    let own = OWN_SEARCH;
    let (reason, hint) = match shown {
        ShownBySearch::Hidden(path) => {
            let reason = format!(
                "'{}' would show '{path}', which .rooignore hides.",
                tool.name
            );
            let hint = match search.globs.first().filter(|_| excludes) {
                Some(key) => {
                    let glob = exclusion(path, project);
                    format!(
                        "leave it out with `{key}`: \"{glob}\", search another directory, or {own}"
                    )
                }
                None => format!("search another directory, or {own}"),
            };
            (reason, hint)
        }
        _ => (
            format!(
                "'{}' would search too many files to tell whether .rooignore hides one of them.",
                tool.name
            ),
            format!("search a smaller directory, or {own}"),
        ),
    };
    JudgedCall {
        hint: Some(hint),
        ..JudgedCall::of(Ruling::Deny, DecidingRule::IgnoredFile.as_str(), reason)
    }
}

/// The glob that leaves out a hidden file, with the directory that is hidden as a whole. It has no more than a name,
/// because products read globs from different directories.
fn exclusion(path: &ProjectPath, (root, ignored): (&AbsPath, &IgnoredFiles)) -> String {
    let text = path.as_str();
    let mut above = text
        .match_indices('/')
        .filter_map(|(end, _)| text.get(..end));
    let directory = above
        .find(|directory| ProjectPath::parse(directory, root).is_ok_and(|it| ignored.hides(&it)));
    match directory {
        Some(directory) => format!("!**/{}/**", name(directory)),
        None => format!("!**/{}", name(text)),
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use mk_clients::{ClientId, HookMoment, parse_event};
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(directory: &str, glob: &str, expected: &str) {
        let event = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Grep",
            "tool_input": { "pattern": "x", "glob": glob },
        });
        let event = parse_event(ClientId::ClaudeCode, event.to_string().as_bytes()).unwrap();
        let HookMoment::BeforeTool(tool) = event.moment else {
            panic!("a search is a call");
        };
        let search = tool.row.and_then(|row| row.search).unwrap();
        let found = globs(&tool, &search, Path::new(directory));
        assert_eq!(found, [expected], "{glob} in {directory}");
    }

    #[test]
    fn a_directory_counts_only_where_a_glob_begins() {
        check("/p", "/p/src/*.rs", "src/*.rs");
        check("/p", "!/p/src/*.rs", "!src/*.rs");
        check("/p", "**/p/secret.txt", "**/p/secret.txt");
        check("/", "src/secret.txt", "src/secret.txt");
        check("/p", "./", "**");
    }
}
