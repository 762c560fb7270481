//! What the modes of a conversation, and of the projects around and inside its own, say about calls.

use std::sync::Arc;

use mk_policy::{Evaluation, Mode, Request, evaluate};
use mk_project::IgnoredFiles;
use mk_types::{ProjectPath, ToolCall};

use super::Hooks;
use crate::conversation::HeldConversation;
use crate::error::Error;
use crate::layer::{CallPlace, DecidingLayer, ProjectLayer, ignored_with};
use crate::open_project::OpenProject;
use crate::target::TargetResolver;

/// What calls of a conversation are looked at with.
#[derive(Debug)]
pub(super) struct HookGround {
    pub(super) open: Arc<OpenProject>,
    pub(super) layers: Vec<ProjectLayer>,
    pub(super) ignored: Arc<IgnoredFiles>,
    /// None where a person has paused enforcement in the project: what it hides does not count then, either.
    pub(super) modes: Vec<Arc<Mode>>,
}

/// The strictest answer to a call so far.
#[derive(Debug)]
pub(super) struct HookRuling {
    pub(super) evaluation: Evaluation,
    pub(super) request: Request,
    pub(super) by: Option<DecidingLayer>,
}

impl Hooks<'_> {
    /// What a conversation's calls are looked at with. A pause of the project leaves those inside it held.
    pub(super) fn ground(&self, held: &HeldConversation) -> Result<HookGround, Error> {
        let open = self.engine.open(&held.conversation.root.path);
        let now = self.engine.inner.clock.now();
        let is_paused = held.project.paused_until.is_some_and(|until| until > now);
        let mut layers = self.engine.layers(open.root(), &held.mode.slug)?;
        layers.retain(|layer| !layer.is_paused());
        let (own, modes) = match is_paused {
            true => (Arc::new(IgnoredFiles::Nothing), Vec::new()),
            false => {
                let modes = [&held.mode].into_iter().chain(&held.ceilings);
                (open.ignored(), modes.cloned().collect())
            }
        };
        Ok(HookGround {
            ignored: ignored_with(open.root(), &own, &layers),
            open,
            layers,
            modes,
        })
    }

    /// What the modes of a conversation and of its layers say; the strictest answer counts, and of equals the first.
    pub(super) fn rule(
        &self,
        ground: &HookGround,
        calls: Vec<ToolCall>,
    ) -> Result<Option<HookRuling>, Error> {
        let policy = self.engine.policy();
        let root = ground.open.root();
        let targets = TargetResolver::new(root, ProjectPath::root(), &ground.ignored)
            .beside(ground.open.state_folder())
            .of_user(self.engine.inner.folders.home.as_deref());
        let mut strictest: Option<HookRuling> = None;
        let mut count = |ruling: HookRuling| {
            let decision = ruling.evaluation.decision;
            let before = strictest.as_ref().map(|it| it.evaluation.decision);
            if before.is_none_or(|before| decision > before) {
                strictest = Some(ruling);
            }
        };
        for call in calls {
            let request = policy.request(call, |raw| targets.target(raw));
            for mode in &ground.modes {
                count(HookRuling {
                    evaluation: evaluate(policy, mode, &request),
                    request: request.clone(),
                    by: None,
                });
            }
            let place = CallPlace {
                root,
                directory: &ProjectPath::root(),
            };
            for ruling in self.engine.rule_layers(&ground.layers, place, &request)? {
                count(HookRuling {
                    evaluation: ruling.evaluation,
                    request: ruling.request,
                    by: Some(ruling.by),
                });
            }
        }
        Ok(strictest)
    }
}
