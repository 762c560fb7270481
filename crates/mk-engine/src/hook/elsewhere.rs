//! An agent that was started where nothing holds it, and works in a project that a person has set a mode for: the project
//! decides about what is done in it.
//!
//! Its shell is not led through the wall there, so a line that cannot be read needs approval. A line that names nothing of
//! a project is not seen to work in it.

use std::path::{Path, PathBuf};

use mk_clients::{HookEvent, HookMoment, HookVerdict, ToolUse};
use mk_project::{IgnoredFiles, resolve};
use mk_store::{Conversation, Project};
use mk_types::AbsPath;

use super::{AgentShell, HookOutcome, Hooks, call};
use crate::conversation::{HeldConversation, root_at};
use crate::error::Error;
use crate::mode;

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
        let projects = self.projects(event, tool, conversation)?;
        let Some(first) = projects.first() else {
            return Ok(HookOutcome::Decided(HookVerdict::pass()));
        };
        if self.engine.project_of(&first.root) != first.root {
            return Ok(HookOutcome::Elsewhere(first.root.clone()));
        }
        let held = self.held_by(first, &projects, conversation)?;
        self.before(event, tool, &held, &AgentShell::Open).await
    }

    /// The projects with a mode that the call touches.
    fn projects(
        &self,
        event: &HookEvent,
        tool: &ToolUse,
        conversation: &Conversation,
    ) -> Result<Vec<Project>, Error> {
        let mut projects: Vec<Project> = Vec::new();
        for place in self.places(event, tool, &conversation.root.path) {
            if let Some(project) = self.held_project(&place)?
                && !projects.iter().any(|it| it.id == project.id)
            {
                projects.push(project);
            }
        }
        Ok(projects)
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
                Some(resolve(root, &IgnoredFiles::Nothing, raw))
            });
        }
        places.push(directory);
        places
    }

    /// The nearest project around a place that a person has set a mode for.
    fn held_project(&self, place: &Path) -> Result<Option<Project>, Error> {
        let real = place
            .ancestors()
            .find_map(|it| std::fs::canonicalize(it).ok());
        let above = real.iter().flat_map(|real| real.ancestors());
        for root in above.filter_map(AbsPath::new) {
            let project = self.engine.inner.store.project_at(&root)?;
            if let Some(project) = project.filter(|project| project.mode.is_some()) {
                return Ok(Some(project));
            }
        }
        Ok(None)
    }
}
