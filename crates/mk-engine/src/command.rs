//! What a command may touch under a mode: the answers that the wall around it asks for, path by path.
//!
//! They are the policy's own answers, so that a tool's check and the wall cannot differ. Whether a line may run at all
//! is decided by `check`; running it is not the engine's business.

mod hold;
mod record;

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use mk_policy::{DecidingRule, GitReach, Grant, Group, Mode, NetworkReach, PatternLimit};
use mk_project::IgnoredFiles;
use mk_types::{AbsPath, ModeSlug, ProjectPath, ToolCall};
use sha2::{Digest as _, Sha256};

pub use hold::{CommandAsked, CommandHold, Waiver};
pub(crate) use hold::{approved, rights_of};
pub use record::{CommandEffects, CommandRecords, RecordedCommand, RefusedAct};
pub(crate) use record::{RUNS_LINES, line_of};

use crate::Engine;
use crate::check::InForce;
use crate::layer::{ProjectLayer, limits_reads};
use crate::next_step::model_hint;

/// More entries than this are not looked at one by one.
const MOST_ENTRIES: usize = 50_000;

/// The limits of one command.
#[derive(Debug, Clone)]
pub struct CommandLimits {
    engine: Engine,
    /// Each must allow what is done; the first names the limits in messages.
    modes: Vec<Arc<Mode>>,
    ignored: Arc<IgnoredFiles>,
    /// Projects around and inside this one, which hold what touches them.
    layers: Vec<ProjectLayer>,
    root: AbsPath,
    /// Where the command starts.
    directory: AbsPath,
}

/// What a command may do with a file of the project, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRight {
    Edit,
    /// The mode does not allow to change it.
    Read,
    /// Protected or hidden, whatever the mode allows.
    Shut,
}

/// One grant of edits: both parts must agree; without any, it covers every file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditGrant {
    pub regex: Option<String>,
    pub globs: Vec<String>,
}

impl EditGrant {
    fn of(grant: &Grant) -> Option<Self> {
        let regex = match &grant.files.regex {
            Some(PatternLimit::Unusable { .. }) => return None,
            Some(PatternLimit::Pattern(pattern)) => Some(pattern.source().to_owned()),
            None => None,
        };
        let globs = grant.files.globs.iter();
        let globs = globs.map(|it| it.glob().glob().to_owned()).collect();
        Some(Self { regex, globs })
    }
}

/// Why a line does not run, wall or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRefused {
    /// The mode that refuses it, and by which rule.
    pub mode: ModeSlug,
    pub rule: DecidingRule,
    pub reason: String,
    pub hint: Option<String>,
}

/// How a line is named without being kept: hook and `exec` must agree.
pub fn line_hash(line: &str) -> String {
    let digest = Sha256::digest(line.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl CommandLimits {
    /// The mode that messages name.
    pub fn mode(&self) -> Option<&ModeSlug> {
        self.modes.first().map(|mode| &mode.slug)
    }

    pub fn root(&self) -> &AbsPath {
        &self.root
    }

    /// Which modes hold, and what each may do: the same text for the same limits.
    pub fn fingerprint(&self) -> String {
        let own = self.modes.iter();
        let own = own.map(|mode| format!("{} {}", mode.slug, mode.rights()));
        let layers = self.layers.iter();
        let layers = layers.map(|layer| format!("{} {}", layer.root(), layer.rights()));
        own.chain(layers).collect::<Vec<_>>().join("\n")
    }

    /// The modes that say which lines run where this one does.
    fn line_modes(&self) -> impl Iterator<Item = &Arc<Mode>> {
        let here = |layer: &&ProjectLayer| layer.holds_in(self.directory.as_path());
        let layers = self.layers.iter().filter(here);
        // One whose mode is missing has refused the command already.
        let layers = layers.filter_map(|layer| layer.known_mode().ok().flatten());
        self.modes.iter().chain(layers)
    }

    /// Whether a line may run inside a wall: what the mode says about lines, not what it says about files, because
    /// the wall holds those.
    pub fn check_line(&self, line: &str) -> Result<(), LineRefused> {
        for mode in self.line_modes() {
            let call = self.engine.policy().tools.call_on(RUNS_LINES, Some(line));
            let evaluation = self.evaluate(mode, call);
            let is_about_lines = matches!(
                evaluation.rule,
                DecidingRule::GroupDisabled
                    | DecidingRule::CommandPattern
                    | DecidingRule::CommandDeny
                    | DecidingRule::CommandTooLarge
                    | DecidingRule::OperatorCommand
                    | DecidingRule::UnknownTool
            );
            if !evaluation.is_allowed() && is_about_lines {
                return Err(LineRefused {
                    mode: mode.slug.clone(),
                    rule: evaluation.rule,
                    reason: evaluation.reason(),
                    hint: model_hint(&evaluation),
                });
            }
        }
        Ok(())
    }

    fn evaluate(&self, mode: &Arc<Mode>, call: ToolCall) -> mk_policy::Evaluation {
        let in_force = InForce {
            mode: Arc::clone(mode),
            ceilings: Vec::new(),
            caps: Vec::new(),
            session: None,
            project: self.root.clone(),
            directory: ProjectPath::root(),
            standing: crate::ProjectStanding::InProject,
            knowledge: self.engine.knowledge(self.engine.inner.store.reach()),
            decided_by: None,
        };
        self.engine.look(in_force, call, &self.ignored).evaluation
    }

    /// Whether some file may be edited.
    pub fn edits(&self) -> bool {
        !self.modes.is_empty() && self.modes.iter().all(|mode| mode.enables(Group::Edit))
    }

    /// The files that may be edited, as messages call them; `None` for all.
    pub fn edit_restriction(&self) -> Option<String> {
        let restrictions = self.modes.iter();
        let restrictions = restrictions.filter_map(|mode| mode.restriction(Group::Edit));
        let restrictions: Vec<String> = restrictions.collect();
        (!restrictions.is_empty()).then(|| restrictions.join(" and "))
    }

    /// What each mode may edit, as its file says it. A grant whose pattern cannot be used is not among them.
    pub fn edit_grants(&self) -> Vec<Vec<EditGrant>> {
        let of_mode = |mode: &Arc<Mode>| {
            let grants = mode.grants(Group::Edit);
            grants.filter_map(EditGrant::of).collect()
        };
        self.modes.iter().map(of_mode).collect()
    }

    /// Globs of protected files, relative to the root or, with a leading `/`, of this machine.
    pub fn protected(&self) -> Vec<String> {
        self.engine.policy().protected.globs()
    }

    /// What may be done with a file, by its path relative to the root.
    pub fn file(&self, path: &str) -> FileRight {
        let Ok(parsed) = ProjectPath::parse(path, &self.root) else {
            return FileRight::Shut;
        };
        let is_protected = self.engine.policy().protected.why(path).is_some();
        if is_protected || self.ignored.hides(&parsed) {
            return FileRight::Shut;
        }
        let covers = |mode: &Arc<Mode>| {
            let mut grants = mode.grants(Group::Edit);
            grants.any(|grant| grant.files.covers(path))
        };
        let own = if !self.modes.is_empty() && self.modes.iter().all(covers) {
            FileRight::Edit
        } else {
            FileRight::Read
        };
        let place = parsed.under(&self.root);
        let layers = self.layers.iter();
        let others = layers.map(|layer| self.engine.file_in(layer, &place));
        others.fold(own, FileRight::max)
    }

    /// What commands reach over the network: of several modes, the narrowest holds.
    pub fn network(&self) -> NetworkReach {
        let said = self.line_modes().map(|mode| mode.network());
        said.min().unwrap_or(NetworkReach::Own)
    }

    /// What commands do with the repository; without edits nothing is committed.
    pub fn git(&self) -> GitReach {
        let said = self.line_modes().map(|mode| mode.git()).min();
        said.filter(|_| self.edits()).unwrap_or(GitReach::Shut)
    }

    /// What is hidden from reading: existing paths that the ignore file or the modes' own limits keep back. `None` if
    /// that cannot be told of all of them.
    pub fn hidden(&self) -> Option<Vec<PathBuf>> {
        if matches!(*self.ignored, IgnoredFiles::Everything) {
            return None;
        }
        let mut hidden = Vec::new();
        let mut waiting = self.hiding();
        let mut seen = 0;
        while let Some(directory) = waiting.pop() {
            let entries = match std::fs::read_dir(&directory) {
                Ok(entries) => entries,
                // Gone since it was listed, so there is nothing to hide.
                Err(error) if is_gone(&error) => continue,
                Err(_) => {
                    hidden.push(directory);
                    continue;
                }
            };
            for entry in entries.flatten() {
                seen += 1;
                if seen > MOST_ENTRIES {
                    return None;
                }
                let path = entry.path();
                let is_directory = entry.file_type().is_ok_and(|it| it.is_dir());
                // Repositories hold many small files, and none that a person hides by name.
                if entry.file_name() == ".git" {
                    continue;
                }
                let relative = path.strip_prefix(self.root.as_path()).ok()?.to_str()?;
                let parsed = ProjectPath::parse(relative, &self.root).ok()?;
                let unreadable = !is_directory && !self.may_read(&parsed);
                if unreadable || self.ignored.hides(&parsed) {
                    hidden.push(path);
                } else if is_directory {
                    waiting.push(path);
                }
            }
        }
        Some(hidden)
    }

    /// The directories below which something may be hidden: mostly none, and then nothing has to be walked.
    fn hiding(&self) -> Vec<PathBuf> {
        let around = self.layers.iter().filter(|layer| !layer.is_inside());
        let own = self.modes.iter().any(|mode| limits_reads(mode))
            || !matches!(
                *self.engine.open(&self.root).ignored(),
                IgnoredFiles::Nothing
            )
            || around.clone().any(ProjectLayer::hides_some);
        if own {
            return vec![self.root.as_path().to_owned()];
        }
        let inside = self.layers.iter();
        let inside = inside.filter(|layer| layer.is_inside() && layer.hides_some());
        inside
            .map(|layer| layer.root().as_path().to_owned())
            .collect()
    }

    fn may_read(&self, path: &ProjectPath) -> bool {
        let place = path.under(&self.root);
        let mut modes = self.modes.iter();
        modes.all(|mode| mk_policy::may_read(mode, None, path.as_str()))
            && self.layers.iter().all(|layer| layer.shows(&place))
    }
}

fn is_gone(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
