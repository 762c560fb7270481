//! Giving a symbol another name: as a server plans it, or by name.

use std::collections::BTreeMap;

use mk_lsp::{AttributedAnswer, FileEdits, FileRef, ServerError, ServerRenamePlan, TextEdit};
use mk_symbols::{
    AnswerSource, FileRename, NamePlace, NameRenamePlan, SymbolDefinition, references_at,
};
use mk_types::{Position, ProjectPath, Range};

use super::places::{PlacesByFile, SymbolAnchor};
use super::{COMPLETE, LONG_PATIENCE, changed_meanwhile};
use crate::Engine;
use crate::check::InForce;
use crate::code_error::{CodeError, CodeKind};
use crate::error::Error;
use crate::next_step::NextStep;
use crate::symbol::{Rename, RenamedFile};
use crate::workspace::Workspace;

/// What a server would change in each file.
type EditsByFile = BTreeMap<ProjectPath, Vec<TextEdit>>;

/// A server's plan, and the edits that it comes from.
struct ServerRename {
    plan: Rename,
    edits: EditsByFile,
}

impl Engine {
    /// What it takes to give a symbol another name wherever it is used. Nothing is written.
    pub(crate) async fn rename(
        &self,
        in_force: &InForce,
        symbol: &SymbolDefinition,
        new_name: &str,
    ) -> Result<Rename, Error> {
        mk_symbols::check_name(new_name)?;
        mk_symbols::check_renamable(&symbol.path, &symbol.symbol.name)?;
        let project = self.open(&in_force.project);
        let mut unanswered = None;
        if let Some(language) = project.servers().language_of(&symbol.path) {
            let anchor = self.anchor(in_force, symbol).await?;
            let SymbolAnchor { document, position } = &anchor;
            let ask = || project.servers().rename(document, *position, new_name);
            project.hurry();
            match project.ask_server(language, LONG_PATIENCE, ask).await {
                Ok(AttributedAnswer { server, value }) if is_empty(&value) => {
                    unanswered = Some(format!("{server} finds nothing to rename there"));
                }
                Ok(AttributedAnswer { server, value }) => {
                    let exact = self.renamed(in_force, symbol, server, value).await?;
                    return self.compared(in_force, symbol, new_name, exact).await;
                }
                // One that knows the symbol knows that it cannot be done; another one has only not found it.
                Err(error @ ServerError::Refused { .. }) => {
                    if self.is_known(in_force, &anchor).await {
                        return Err(error.into());
                    }
                    unanswered = Some(error.to_string());
                }
                Err(ServerError::NotInstalled { .. } | ServerError::UnknownLanguage { .. }) => {}
                Err(error) => unanswered = Some(error.to_string()),
            }
        }
        let (symbol, new_name) = (symbol.clone(), new_name.to_owned());
        let mut plan = self
            .on_disk(in_force, move |workspace| {
                workspace.rename_by_name(&symbol, &new_name)
            })
            .await?;
        plan.doubt = unanswered.or(plan.doubt);
        Ok(plan)
    }

    /// A server's plan beside the plan by name: what the server leaves out, the caller should look at.
    async fn compared(
        &self,
        in_force: &InForce,
        symbol: &SymbolDefinition,
        new_name: &str,
        exact: ServerRename,
    ) -> Result<Rename, Error> {
        let ServerRename { mut plan, edits } = exact;
        let mut exact_places = PlacesByFile::new();
        for file in &plan.files {
            let places = exact_places.entry(file.path.clone()).or_default();
            places.extend(file.places.iter().map(position));
        }
        let name = &symbol.name_path;
        let claimed = self.with_namesakes(in_force, name, &exact_places).await;
        let (symbol, new_name) = (symbol.clone(), new_name.to_owned());
        let by_name = self
            .on_disk(in_force, move |workspace| {
                // Where nothing can be found by name, the server's plan stands alone.
                let Ok(by_name) = workspace.name_plan(&symbol, &new_name) else {
                    return Ok((Vec::new(), COMPLETE));
                };
                let progress = workspace.progress_of(&by_name)?;
                let unclaimed = unclaimed(workspace, &by_name, &claimed, &edits)?;
                Ok((unclaimed, progress))
            })
            .await?;
        (plan.unclaimed, plan.progress) = by_name;
        Ok(plan)
    }

    /// A server's plan with the texts that it leads to.
    async fn renamed(
        &self,
        in_force: &InForce,
        symbol: &SymbolDefinition,
        server: String,
        plan: ServerRenamePlan,
    ) -> Result<ServerRename, Error> {
        let name = symbol.symbol.name.clone();
        self.on_disk(in_force, move |workspace| {
            if let Some(moved) = plan.moves.first() {
                let message = format!("Renaming `{name}` would move {} too", moved.from);
                let error = CodeError::new(CodeKind::LanguageServer, message);
                return Err(error.with_hint(NextStep::MoveFile).into());
            }
            let mut files = Vec::new();
            let mut edits = EditsByFile::new();
            for change in plan.files {
                let path = match &change.file {
                    FileRef::Inside(path) if workspace.readable(path) => path.clone(),
                    _ => return Err(out_of_reach(&name)),
                };
                let read = workspace.read_file(&path)?;
                let text = read.editable();
                if !fits(&change.edits, &text, &name) {
                    return Err(changed_meanwhile(&path));
                }
                let starts: Vec<Position> =
                    change.edits.iter().map(|edit| edit.range.start).collect();
                let places = references_at(&path, &text, &starts);
                files.push(RenamedFile {
                    text: change.apply(&text),
                    places: places.into_iter().map(|it| it.place).collect(),
                    revision: read.revision,
                    path: path.clone(),
                });
                edits.insert(path, change.edits);
            }
            let plan = Rename {
                name,
                files,
                unclaimed: Vec::new(),
                source: AnswerSource::Servers(vec![server]),
                progress: COMPLETE,
                doubt: None,
            };
            Ok(ServerRename { plan, edits })
        })
        .await
    }
}

fn is_empty(plan: &ServerRenamePlan) -> bool {
    plan.files.is_empty() && plan.moves.is_empty()
}

/// The files with places of the name that nothing counts to a symbol, renamed together with what the server changes.
fn unclaimed(
    workspace: &Workspace,
    by_name: &NameRenamePlan,
    claimed: &PlacesByFile,
    edits: &EditsByFile,
) -> Result<Vec<RenamedFile>, Error> {
    let mut files = Vec::new();
    for FileRename { path, places, .. } in &by_name.files {
        let own = edits.get(path).map(Vec::as_slice).unwrap_or_default();
        let is_claimed = |place: &&NamePlace| {
            let at = position(place);
            let is_edited = |edit: &TextEdit| edit.range.start <= at && at < edit.range.end;
            let known = claimed.get(path).is_some_and(|known| known.contains(&at));
            known || own.iter().any(is_edited)
        };
        let places: Vec<NamePlace> = places
            .iter()
            .filter(|it| !is_claimed(it))
            .cloned()
            .collect();
        if places.is_empty() {
            continue;
        }
        let read = workspace.read_file(path)?;
        let text = read.editable();
        let length = u32::try_from(by_name.old.chars().count()).unwrap_or(u32::MAX);
        let mut all: Vec<TextEdit> = places
            .iter()
            .map(|place| {
                let (start, mut end) = (position(place), position(place));
                end.column = end.column.saturating_add(length);
                TextEdit {
                    range: Range { start, end },
                    text: by_name.new.clone(),
                }
            })
            .collect();
        if !fits(&all, &text, &by_name.old) {
            return Err(changed_meanwhile(path));
        }
        all.extend(own.iter().cloned());
        all.sort_by_key(|edit| edit.range.start);
        let file = FileRef::Inside(path.clone());
        files.push(RenamedFile {
            path: path.clone(),
            text: FileEdits { file, edits: all }.apply(&text),
            revision: read.revision,
            places,
        });
    }
    Ok(files)
}

fn position(place: &NamePlace) -> Position {
    Position {
        line: place.line,
        column: place.column,
    }
}

fn out_of_reach(name: &str) -> Error {
    let message = format!(
        "`{name}` is used in files that this mode cannot read or the project does not have"
    );
    let error = CodeError::new(CodeKind::PermissionDenied, message);
    error
        .with_hint("rename it in a mode that may read them")
        .into()
}

/// Whether a server has planned edits for this text and not for an older one: what they replace has the name in it.
fn fits(edits: &[TextEdit], text: &str, name: &str) -> bool {
    let replaced = |edit: &TextEdit| -> Option<String> {
        let Range { start, end } = edit.range;
        let line = text.lines().nth(start.line.checked_sub(1)? as usize)?;
        let length = end.column.checked_sub(start.column)? as usize;
        let is_whole = start.line == end.line && line.chars().count() + 1 >= end.column as usize;
        let characters = line.chars().skip(start.column.checked_sub(1)? as usize);
        is_whole.then(|| characters.take(length).collect())
    };
    edits
        .iter()
        .all(|edit| replaced(edit).is_some_and(|text| text.is_empty() || text.contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(line: u32, start: u32, end: u32) -> TextEdit {
        let at = |column| Position { line, column };
        TextEdit {
            range: Range {
                start: at(start),
                end: at(end),
            },
            text: "new".to_owned(),
        }
    }

    #[test]
    fn edits_of_an_older_text_do_not_fit() {
        let text = "é old\n\"old\"\n";
        let fits = |edits: &[TextEdit]| fits(edits, text, "old");
        assert!(fits(&[edit(1, 3, 6), edit(2, 1, 6)]));
        // An insertion, as for `{old}` that becomes `{new: old}`.
        assert!(fits(&[edit(1, 3, 3)]));
        assert!(!fits(&[edit(1, 2, 5)]));
        assert!(!fits(&[edit(1, 3, 7)]));
        assert!(!fits(&[edit(2, 2, 5), edit(3, 1, 4)]));
    }
}
