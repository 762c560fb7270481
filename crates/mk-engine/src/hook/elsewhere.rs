//! An agent that was started where nothing holds it, and works in a project that a person has set a mode for: the project
//! decides about what is done in it.
//!
//! Its shell is not led through the wall there, so a line that cannot be read needs approval. A line that names nothing of
//! a project is not seen to work in it.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use mk_clients::{HookEvent, HookMoment, HookVerdict, ToolUse};
use mk_policy::Form;
use mk_project::{IgnoredFiles, resolve};
use mk_store::{Conversation, Project};
use mk_types::AbsPath;

use super::{AgentShell, HookOutcome, Hooks, call};
use crate::conversation::{HeldConversation, root_at};
use crate::error::Error;
use crate::mode;

/// Each may be a round trip to a database, and a hook has less than a second.
const MOST_DIRECTORIES: usize = 100;
/// Databases limit the values of a query.
const MOST_IN_QUERY: usize = 500;

impl Hooks<'_> {
    /// The verdict on a call in a conversation that nothing holds.
    pub(super) async fn answer_elsewhere(
        &self,
        event: &HookEvent,
        conversation: &Conversation,
    ) -> Result<HookOutcome, Error> {
        let HookMoment::BeforeTool(tool) = &event.moment else {
            return Ok(HookOutcome::Decided(HookVerdict::pass()));
        };
        let Some(projects) = self.projects(event, tool, conversation)? else {
            let reason = "The call names files in too many directories to tell whose modes hold. \
                          Hint: name fewer at once.";
            return Ok(HookOutcome::Decided(HookVerdict::deny(reason)));
        };
        let Some(first) = projects.first() else {
            return Ok(HookOutcome::Decided(HookVerdict::pass()));
        };
        if self.engine.project_of(&first.root) != first.root {
            return Ok(HookOutcome::Elsewhere(first.root.clone()));
        }
        let held = self.held_by(first, &projects, conversation)?;
        self.before(event, tool, &held, &AgentShell::Open).await
    }

    /// The projects with a mode that the call touches, the one of the first place first. `None` if there are some, and
    /// too many places to look at each.
    fn projects(
        &self,
        event: &HookEvent,
        tool: &ToolUse,
        conversation: &Conversation,
    ) -> Result<Option<Vec<Project>>, Error> {
        let mut directories: Vec<Vec<AbsPath>> = Vec::new();
        let mut seen = HashSet::new();
        for place in self.places(event, tool, &conversation.root.path) {
            let directory = real_directory(&place);
            if let Some(directory) = directory.filter(|it| seen.insert(it.clone())) {
                directories.push(directory.ancestors().filter_map(AbsPath::new).collect());
            }
        }
        if !self.is_any_set(&directories)? {
            return Ok(Some(Vec::new()));
        }
        if directories.len() > MOST_DIRECTORIES {
            return Ok(None);
        }
        let mut projects: Vec<Project> = Vec::new();
        for upwards in directories {
            if let Some(project) = self.engine.inner.store.nearest_set(&upwards)?
                && !projects.iter().any(|it| it.id == project.id)
            {
                projects.push(project);
            }
        }
        Ok(Some(projects))
    }

    /// Whether a person has set a mode for one of these directories: mostly not, and then this is all that is asked.
    fn is_any_set(&self, directories: &[Vec<AbsPath>]) -> Result<bool, Error> {
        // In order, so that the same question is remembered.
        let all: BTreeSet<&AbsPath> = directories.iter().flatten().collect();
        let all: Vec<AbsPath> = all.into_iter().cloned().collect();
        for some in all.chunks(MOST_IN_QUERY) {
            if self.engine.inner.store.nearest_set(some)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The conversation as one project holds it, and the others besides.
    fn held_by(
        &self,
        first: &Project,
        all: &[Project],
        conversation: &Conversation,
    ) -> Result<HeldConversation, Error> {
        let find = |project: &Project| {
            let catalogue = self.engine.modes().catalogue_at(&project.root);
            let slug = project.mode.clone();
            let slug = slug.unwrap_or_else(|| self.engine.settings().default_mode.clone());
            mode::find(&catalogue, &slug)
        };
        let others = all.iter().filter(|it| it.id != first.id);
        Ok(HeldConversation {
            conversation: Conversation {
                root: root_at(&first.root)?,
                ..conversation.clone()
            },
            project: first.clone(),
            mode: find(first)?,
            ceilings: others.map(find).collect::<Result<_, _>>()?,
        })
    }

    /// Where a call works, and what it names.
    fn places(&self, event: &HookEvent, tool: &ToolUse, root: &AbsPath) -> Vec<PathBuf> {
        let directory = call::directory(event, tool, root);
        let mut places = Vec::new();
        for call in self.calls(event, tool, root).unwrap_or_default() {
            self.engine.policy().request(call, |raw| {
                places.push(directory.join(&raw.path));
                let target = resolve(root, &IgnoredFiles::Nothing, raw);
                if target.raw.form == Form::Pattern {
                    let found = target.found.iter();
                    places.extend(found.map(|it| it.path.under(root)));
                }
                Some(target)
            });
        }
        places.push(directory);
        places
    }
}

/// The directory that a place is in, or is: links are followed, and what does not exist yet is where it would be made.
fn real_directory(place: &Path) -> Option<PathBuf> {
    let mut upwards = place.ancestors();
    let real = upwards.find_map(|it| std::fs::canonicalize(it).ok())?;
    match real.is_dir() {
        true => Some(real),
        false => real.parent().map(Path::to_owned),
    }
}
