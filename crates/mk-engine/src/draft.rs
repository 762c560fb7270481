//! A mode file before it is saved: what is wrong with it, which files its patterns match, and whose rights change.
//!
//! For people: saving is an operator's act, backed up like every edit.

use std::sync::Arc;

use mk_clients::PROJECT_MODE_FILES;
use mk_policy::{
    Catalogue, Diagnostic, Grant, Group, Mode, ModeLayer, ModeSource, Permit, Severity, load_modes,
    widens,
};
use mk_project::{FileEdit, any_file};
use mk_types::{AbsPath, ModeSlug, ProjectPath};

use crate::authorize::AllowedCall;
use crate::edit::FileChanges;
use crate::error::Error;
use crate::mode::Modes;
use crate::open_project::global_layers;
use crate::{Caller, Outcome};

/// The file that drafts are for.
const FILE: &str = PROJECT_MODE_FILES[0];

/// A text that may become the project's mode file.
#[derive(Debug)]
pub struct Draft {
    pub modes: Vec<DraftMode>,
    pub diagnostics: Vec<Diagnostic>,
    pub changes: Vec<RightsChange>,
}

impl Draft {
    /// Whether every mode that it names can be used.
    pub fn is_usable(&self) -> bool {
        let is_error = |found: &Diagnostic| found.severity == Severity::Error && found.file == FILE;
        !self.diagnostics.iter().any(is_error)
    }
}

/// A mode as the draft defines it.
#[derive(Debug, Clone)]
pub struct DraftMode {
    pub slug: ModeSlug,
    pub name: String,
    pub patterns: Vec<PatternUse>,
}

/// How many files of the project a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternUse {
    pub group: Group,
    pub pattern: String,
    pub line: u32,
    pub matched: usize,
    pub n_files: usize,
    /// Some of those it matches.
    pub examples: Vec<String>,
}

/// What a draft changes about a group of a mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RightsChange {
    pub mode: ModeSlug,
    pub group: Group,
    pub before: String,
    pub after: String,
    /// Whether the mode may do more with this group than before.
    pub widens: bool,
}

/// Examples that are shown of a pattern's files.
const MOST_EXAMPLES: usize = 5;

impl Modes<'_> {
    /// The text of the project's mode file; `None` if there is none yet.
    pub fn file_text(self, caller: &Caller) -> Result<Option<String>, Error> {
        let path = self.root(caller).as_path().join(FILE);
        let largest = crate::open_project::LARGEST_MODE_FILE;
        Ok(mk_project::read_text(&path, largest)?)
    }

    /// Looks at a text as if it were the project's mode file. Walks the project.
    pub fn draft(self, caller: &Caller, text: &str) -> Draft {
        let root = self.root(caller);
        let before = self.catalogue_at(&root);
        let after = self.as_written(text);
        let own: Vec<&Arc<Mode>> = after.modes().iter().filter(|it| it.file == FILE).collect();
        let patterns = pattern_uses(&root, &own);
        let modes = own.iter().zip(patterns).map(|(mode, patterns)| DraftMode {
            slug: mode.slug.clone(),
            name: mode.name.clone(),
            patterns,
        });
        // What the file says already is not changed by saving it, although it may wait for trust.
        let same = self.same_as_written(caller, &after);
        let mut changes = rights_changes(&before, &after);
        changes.retain(|change| !same.contains(&change.mode));
        Draft {
            modes: modes.collect(),
            changes,
            diagnostics: after.diagnostics().to_vec(),
        }
    }

    /// The modes with a text as the project's mode file, trusted or not.
    pub(crate) fn as_written(self, text: &str) -> Catalogue {
        let mut layers = vec![ModeLayer {
            source: ModeSource::Project,
            file: FILE.to_owned(),
            loaded: load_modes(FILE, text),
        }];
        layers.extend(global_layers(&self.engine.inner.folders));
        Catalogue::build(layers, self.engine.policy())
    }

    /// The modes that have the same rights in the project's mode file as it is written now.
    fn same_as_written(self, caller: &Caller, after: &Catalogue) -> Vec<ModeSlug> {
        let Ok(Some(text)) = self.file_text(caller) else {
            return Vec::new();
        };
        let now = self.as_written(&text);
        let is_same = |mode: &&Arc<Mode>| {
            let now = now.get(mode.slug.as_str());
            now.is_some_and(|now| now.rights() == mode.rights())
        };
        let modes = after.modes().iter().filter(is_same);
        modes.map(|mode| mode.slug.clone()).collect()
    }

    /// How many files each pattern of each mode matches, in the order of the catalogue. Walks the project.
    pub fn patterns(self, caller: &Caller) -> Vec<(ModeSlug, Vec<PatternUse>)> {
        let root = self.root(caller);
        let catalogue = self.catalogue_at(&root);
        let modes = catalogue.modes();
        let all: Vec<&Arc<Mode>> = modes.iter().collect();
        let uses = pattern_uses(&root, &all);
        modes
            .iter()
            .map(|mode| mode.slug.clone())
            .zip(uses)
            .collect()
    }

    /// Saves a text as the project's mode file, if every mode that it names can be used.
    pub async fn save(self, caller: &Caller, text: &str) -> Result<FileChanges, Error> {
        let draft = self.draft(caller, text);
        if !draft.is_usable() {
            let mut found = draft.diagnostics.iter();
            let first = found.find(|it| it.severity == Severity::Error && it.file == FILE);
            let message = first.map(ToString::to_string).unwrap_or_default();
            return Err(Error::invalid(
                "text",
                format!("The modes cannot be used: {message}"),
            ));
        }
        let written = self.as_written(text);
        let same = self.same_as_written(caller, &written);
        let project = self.engine.project(caller);
        let in_force = project.in_force()?;
        let path = ProjectPath::parse(FILE, &in_force.project)
            .map_err(|error| Error::invalid("text", error.to_string()))?;
        let permit = Permit::operator("modes edit", vec![path.clone()]);
        let edit = FileEdit::Write {
            path,
            contents: text.to_owned(),
            expected: None,
        };
        let root = in_force.project.clone();
        let saved = project
            .apply(AllowedCall { permit, in_force }, vec![edit])
            .await?;
        let Outcome::Done(changes) = saved else {
            return Ok(FileChanges::default());
        };
        self.engine.open(&root).reload(self.engine);
        // A person who saves a text has seen which rights it changes. What was written before them still waits.
        let slugs = draft.modes.into_iter().map(|mode| mode.slug);
        let slugs: Vec<ModeSlug> = slugs.filter(|slug| !same.contains(slug)).collect();
        self.trust_saved(&root, &written, &slugs).await?;
        Ok(changes)
    }

    fn root(self, caller: &Caller) -> AbsPath {
        self.engine.project_of(&caller.project)
    }
}

/// What each mode's patterns match, in one walk.
fn pattern_uses(root: &AbsPath, modes: &[&Arc<Mode>]) -> Vec<Vec<PatternUse>> {
    let mut uses: Vec<Vec<(&Grant, PatternUse)>> = Vec::new();
    for mode in modes {
        let grants = mode.grants.iter().filter(|grant| !grant.files.is_open());
        let unused = grants.map(|grant| {
            let found = PatternUse {
                group: grant.group,
                pattern: grant.files.show().unwrap_or_default(),
                line: grant.files.position.line,
                matched: 0,
                n_files: 0,
                examples: Vec::new(),
            };
            (&**grant, found)
        });
        uses.push(unused.collect());
    }
    if uses.iter().any(|uses| !uses.is_empty()) {
        any_file(root, |path| {
            for (grant, found) in uses.iter_mut().flatten() {
                found.n_files += 1;
                if grant.files.covers(path.as_str()) {
                    found.matched += 1;
                    if found.examples.len() < MOST_EXAMPLES {
                        found.examples.push(path.to_string());
                    }
                }
            }
            false
        });
    }
    let found =
        |uses: Vec<(&Grant, PatternUse)>| uses.into_iter().map(|(_, found)| found).collect();
    uses.into_iter().map(found).collect()
}

fn rights_changes(before: &Catalogue, after: &Catalogue) -> Vec<RightsChange> {
    let mut changes = Vec::new();
    let gone = before
        .modes()
        .iter()
        .filter(|mode| after.get(mode.slug.as_str()).is_none());
    let slugs = after.modes().iter().chain(gone).map(|mode| &mode.slug);
    for slug in slugs {
        let (old, new) = (before.get(slug.as_str()), after.get(slug.as_str()));
        changes.extend(rights_changes_of(slug, old, new));
    }
    changes
}

/// What changes about the groups of one mode.
pub(crate) fn rights_changes_of(
    slug: &ModeSlug,
    old: Option<&Arc<Mode>>,
    new: Option<&Arc<Mode>>,
) -> Vec<RightsChange> {
    let is_wider = match (old, new) {
        (Some(old), Some(new)) => widens(old, new),
        (None, Some(_)) => true,
        (_, None) => false,
    };
    let change = |group| {
        let (was, is) = (right(old, group), right(new, group));
        let is_change = was != is && (was.allows() || is.allows());
        is_change.then(|| RightsChange {
            mode: slug.clone(),
            group,
            widens: is_wider && is.allows() && was != GroupRight::All,
            before: was.to_string(),
            after: is.to_string(),
        })
    };
    Group::ALL.into_iter().filter_map(change).collect()
}

/// What a mode may do with a group.
#[derive(Debug, PartialEq, Eq)]
enum GroupRight {
    NoMode,
    No,
    Limited(String),
    All,
}

impl GroupRight {
    fn allows(&self) -> bool {
        matches!(self, Self::Limited(_) | Self::All)
    }
}

impl std::fmt::Display for GroupRight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoMode => "no mode",
            Self::No => "no",
            Self::Limited(limit) => limit,
            Self::All => "all",
        })
    }
}

fn right(mode: Option<&Arc<Mode>>, group: Group) -> GroupRight {
    match mode {
        None => GroupRight::NoMode,
        Some(mode) if !mode.enables(group) => GroupRight::No,
        Some(mode) => match mode.restriction(group) {
            Some(limit) => GroupRight::Limited(limit),
            None => GroupRight::All,
        },
    }
}
