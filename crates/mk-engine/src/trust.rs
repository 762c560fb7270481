//! Mode files that want more than they had: what a project says about itself holds until a person has trusted it.
//!
//! Where `switching` is free, modes protect from no agent, and every text counts as it is written.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mk_policy::{
    Catalogue, Diagnostic, DiagnosticSubject, DocumentPosition, HeldWhy, LegibleFile, LoadedFile,
    Mode, ModeLayer, ModeSource, Severity, Switching, load_modes,
};
use mk_store::Project;
use mk_types::{AbsPath, ModeSlug};
use sha2::{Digest as _, Sha256};

use crate::draft::{RightsChange, rights_changes_of};
use crate::error::Error;
use crate::missing::ConflictingChange;
use crate::mode::{Modes, find};
use crate::open_project::{OpenProject, operator_catalogue};
use crate::{Caller, Engine};

/// What the rights that a project's modes had last are called.
const KEPT: &str = "the modes in force";

/// A text's hash as the store keeps it.
pub(crate) fn hash(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A mode that has less than its file says, because no person has trusted the text yet.
#[derive(Debug, Clone)]
pub struct UntrustedMode {
    pub slug: ModeSlug,
    /// What is trusted: a hash over the rights that the file wants.
    pub hash: String,
    /// What trust would change about its groups.
    pub changes: Vec<RightsChange>,
}

impl Engine {
    /// Holds the modes of a project to what they were, where their text has become wider and no person has agreed:
    /// to the operator's mode of the same slug, and to what was in force last.
    pub(crate) fn hold_untrusted(
        &self,
        root: &AbsPath,
        catalogue: &mut Catalogue,
        before: &[Arc<Mode>],
    ) -> Vec<UntrustedMode> {
        let store = &self.inner.store;
        let is_own = |mode: &Arc<Mode>| mode.source == ModeSource::Project;
        let has_bounds = !before.is_empty() || catalogue.modes().iter().any(is_own);
        if !has_bounds && !store.exists() {
            return Vec::new();
        }
        let stored = self.project_root(root).unwrap_or_else(|_| root.clone());
        let project = store.project_at(&stored);
        // While it cannot be read what the project says, it may say that a wider text waits.
        let is_free = |project: &Option<_>| self.switching_in(project.as_ref()) == Switching::Free;
        if project.as_ref().is_ok_and(is_free) {
            return Vec::new();
        }
        let project = project.ok().flatten();
        let kept = self.kept_rights(&stored);
        if let Err(error) = &kept {
            tracing::warn!(%error, "what the modes of a project were allowed to do is unknown");
        }
        if kept.as_ref().is_ok_and(Vec::is_empty) && !has_bounds {
            return Vec::new();
        }
        let operators = operator_catalogue(&self.inner.folders, self.policy());
        let mut untrusted = Vec::new();
        for mode in catalogue.modes().to_vec() {
            let own = mode.source == ModeSource::Project;
            let above = operators.get(mode.slug.as_str()).filter(|_| own);
            let same = |earlier: &&Arc<Mode>| earlier.slug == mode.slug && !is_obscured(earlier);
            // What this process has seen is later than what it found in the store.
            let earlier = before.iter().find(same);
            let earlier = earlier.or_else(|| kept.iter().flatten().find(same));
            let is_unknown = kept.is_err() && earlier.is_none();
            let unknown = is_unknown.then(|| Arc::new(mode.read_only()));
            let known = above.into_iter().chain(earlier);
            let known = known.filter(|bound| mode.exceeds(bound));
            // The first reason stays: what is held for an unknown one is never kept.
            let unknown = unknown.iter().map(|it| (it, HeldWhy::UnknownBefore));
            let bounds = unknown.chain(known.map(|it| (it, HeldWhy::Untrusted)));
            let bounds: Vec<_> = bounds.collect();
            let hash = hash(&mode.rights());
            if bounds.is_empty() || self.is_text_trusted(project.as_ref(), &mode.slug, &hash) {
                continue;
            }
            for (bound, why) in bounds {
                let complaint = complaint(&mode, &why);
                catalogue.hold(&mode.slug, bound, why, complaint);
            }
            let held = catalogue.get(mode.slug.as_str());
            untrusted.push(UntrustedMode {
                slug: mode.slug.clone(),
                hash,
                changes: rights_changes_of(&mode.slug, held, Some(&mode)),
            });
        }
        // A linked worktree may have another text checked out; what the main one had last is what both are held to.
        // Nothing is kept over what was not read.
        if let Ok(kept) = &kept
            && stored == *root
        {
            self.keep_rights(root, catalogue, kept);
        }
        untrusted
    }

    /// Whether a person trusts a mode with these rights; not while it cannot be read.
    fn is_text_trusted(&self, project: Option<&Project>, slug: &ModeSlug, hash: &str) -> bool {
        let is_trusted = |it: &Project| self.inner.store.is_trusted(&it.id, slug, hash);
        project.is_some_and(|it| is_trusted(it).unwrap_or(false))
    }

    /// The modes whose rights in this project were kept by [`Self::keep_rights`].
    fn kept_rights(&self, root: &AbsPath) -> Result<Vec<Arc<Mode>>, Error> {
        let Some(text) = self.inner.store.last_rights(root)? else {
            return Ok(Vec::new());
        };
        let layer = ModeLayer {
            source: ModeSource::Project,
            file: KEPT.to_owned(),
            loaded: load_modes(KEPT, &text),
        };
        Ok(Catalogue::of_file(layer, self.policy()).modes().to_vec())
    }

    /// Keeps what the project's modes may do now, so that the next process holds a wider text to it, too. Kept as a
    /// mode file in the place of the project's directory: no directory is a mode file.
    fn keep_rights(&self, root: &AbsPath, catalogue: &Catalogue, kept: &[Arc<Mode>]) {
        let is_kept = |mode: &Mode| kept.iter().any(|kept| kept.slug == mode.slug);
        let now = catalogue.modes().iter();
        let now = now.filter(|mode| mode.source == ModeSource::Project || is_kept(mode));
        let gone = kept
            .iter()
            .filter(|mode| catalogue.get(mode.slug.as_str()).is_none());
        let now = now.filter_map(|mode| match is_obscured(mode) {
            true => kept.iter().find(|kept| kept.slug == mode.slug),
            false => Some(mode),
        });
        let entries: Vec<_> = now.chain(gone).map(|mode| mode.rights_entry()).collect();
        if entries.is_empty() {
            return;
        }
        let text = serde_json::json!({ "customModes": entries }).to_string();
        let keeping = self.inner.store.keep_rights(root, &hash(&text), &text);
        if let Err(error) = keeping {
            tracing::warn!(%error, "the rights of a project's modes are not kept");
        }
    }

    /// Whether a project holds modes to less although a person has trusted one meanwhile, or what they were allowed to do
    /// before is known again.
    pub(crate) fn is_held_too_long(&self, open: &OpenProject) -> bool {
        let is_known = |root: AbsPath| self.kept_rights(&root).is_ok();
        if open.catalogue().modes().iter().any(|it| is_unknown(it))
            && self.project_root(open.root()).is_ok_and(is_known)
        {
            return true;
        }
        let untrusted = open.untrusted();
        if untrusted.is_empty() {
            return false;
        }
        let project = self.project_with(open.root()).ok().flatten();
        untrusted
            .iter()
            .any(|held| self.is_text_trusted(project.as_ref(), &held.slug, &held.hash))
    }

    /// What a file means whose text cannot be used as it is: for every mode that its last good text had and that cannot
    /// be told now, that text holds. A good text is kept for later, in memory and over restarts.
    pub(crate) fn with_last_good(
        &self,
        path: &Path,
        text: Option<&str>,
        loaded: LoadedFile,
        last_good: &mut LastGoodFiles,
    ) -> LoadedFile {
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        if loaded.legible == LegibleFile::Whole && !loaded.diagnostics.iter().any(is_error) {
            if let (Some(text), Some(path)) = (text, AbsPath::new(path)) {
                self.keep_text(&path, text, &loaded);
            }
            last_good.insert(path.to_owned(), Some(loaded.clone()));
            return loaded;
        }
        match last_good.get(path) {
            Some(Some(earlier)) => return with_earlier(loaded, earlier.clone()),
            Some(None) => return loaded,
            None => {}
        }
        let kept = AbsPath::new(path).map(|path| self.inner.store.last_good_mode_file(&path));
        let Some(Ok(Some(text))) = kept else {
            return loaded;
        };
        let name = loaded.diagnostics.first().map(|found| found.file.clone());
        with_earlier(loaded, load_modes(&name.unwrap_or_default(), &text))
    }

    /// Keeps the text of a file. Where nothing was ever stored, no mode is set: then only a file that says something
    /// about modes of others is worth a store, because only such a file can narrow them.
    fn keep_text(&self, path: &AbsPath, text: &str, loaded: &LoadedFile) {
        let store = &self.inner.store;
        if !store.exists() && !self.narrows(loaded) {
            return;
        }
        if let Err(error) = store.keep_mode_file(path, &hash(text), text) {
            tracing::warn!(%error, "the text of a mode file is not kept");
        }
    }

    /// Forgets the text of a file that was deleted, unless it narrowed what is not its own; tells whether it is forgotten.
    pub(crate) fn forget_text(&self, path: &Path, last: &LoadedFile) -> bool {
        let Some(path) = AbsPath::new(path).filter(|_| !self.narrows(last)) else {
            return false;
        };
        if let Err(error) = self.inner.store.forget_mode_file(&path) {
            tracing::warn!(%error, "the text of a deleted mode file is still kept");
        }
        true
    }

    fn narrows(&self, loaded: &LoadedFile) -> bool {
        let mut modes = loaded.modes.iter();
        modes.any(|mode| self.is_operators(&mode.slug.value))
    }

    fn is_operators(&self, slug: &ModeSlug) -> bool {
        let operators = self
            .inner
            .operator_modes
            .get_or_init(|| operator_catalogue(&self.inner.folders, self.policy()).into());
        operators.get(slug.as_str()).is_some()
    }
}

/// Whether a mode only reads for as long as a file that may have narrowed it, or what it was before, cannot be read. That is
/// not what it was: a text would wait for trust that allows no more than before.
pub(crate) fn is_obscured(mode: &Mode) -> bool {
    let why = mode.held_back.as_ref().map(|held| &held.why);
    matches!(why, Some(HeldWhy::BrokenFile(_) | HeldWhy::UnknownBefore))
}

fn is_unknown(mode: &Mode) -> bool {
    let held = mode.held_back.as_ref();
    held.is_some_and(|held| held.why == HeldWhy::UnknownBefore)
}

/// What this process has seen of mode files: the last good text, or `None` for a file that was deleted, whose text leaves
/// the store a moment later.
pub(crate) type LastGoodFiles = HashMap<PathBuf, Option<LoadedFile>>;

/// A file's modes, with those of an earlier text in the place of what cannot be told.
pub(crate) fn with_earlier(mut loaded: LoadedFile, earlier: LoadedFile) -> LoadedFile {
    for mode in earlier.modes {
        let slug = &mode.slug.value;
        if !loaded.modes.iter().any(|known| known.slug.value == *slug) {
            loaded.broken.retain(|broken| broken != slug);
            loaded.modes.push(mode);
        }
    }
    loaded.legible = LegibleFile::Whole;
    for found in &mut loaded.diagnostics {
        if found.severity == Severity::Error && found.hint.is_none() {
            found.hint = Some("the modes of the last readable version stay in force".to_owned());
        }
    }
    loaded
}

fn complaint(mode: &Mode, why: &HeldWhy) -> Diagnostic {
    let (message, hint) = match why {
        HeldWhy::UnknownBefore => (
            "what it was allowed to do before cannot be read: it may only read for now",
            "run `modekeeper doctor` to see what is wrong".to_owned(),
        ),
        HeldWhy::Untrusted | HeldWhy::BrokenFile(_) => (
            "allows more than before and is not trusted yet: its earlier limits still apply",
            format!(
                "look at it and run `modekeeper modes trust {}` in a terminal",
                mode.slug
            ),
        ),
    };
    Diagnostic {
        severity: Severity::Warning,
        file: mode.file.clone(),
        position: DocumentPosition::START,
        subject: Some(DiagnosticSubject {
            kind: "mode",
            name: mode.slug.to_string(),
        }),
        message: message.to_owned(),
        hint: Some(hint),
    }
}

impl Modes<'_> {
    /// Modes of the caller's project that wait for a person's trust.
    pub fn untrusted(self, caller: &Caller) -> Vec<UntrustedMode> {
        self.engine.open(&caller.project).untrusted()
    }

    /// Records that a person trusts a mode as its file has it now. `seen` is the hash of what the person was shown: a
    /// file may be written between the look and the word.
    pub async fn trust(
        self,
        caller: &Caller,
        slug: &ModeSlug,
        seen: Option<&str>,
    ) -> Result<Vec<RightsChange>, Error> {
        let open = self.engine.open(&caller.project);
        let mode = find(&open.catalogue(), slug)?;
        let held = open.untrusted();
        // What is not held here may be held by a server that has seen an earlier text.
        let held = held.into_iter().find(|held| held.slug == *slug);
        let (hash, changes) = match held {
            Some(held) => (held.hash, held.changes),
            None => (hash(&mode.rights()), Vec::new()),
        };
        if seen.is_some_and(|seen| seen != hash) {
            let change = ConflictingChange::ModeText(slug.clone());
            return Err(Error::Conflict(change));
        }
        let store = &self.engine.inner.store;
        let root = self.engine.project_root(open.root())?;
        let project = store.open_project(&root).await?;
        store.trust_mode(&project.id, slug, &hash).await?;
        open.reload(self.engine);
        Ok(changes)
    }

    /// Records that a person trusts these modes as the person has just saved them. What another has written since then is
    /// not what the person saw.
    pub(crate) async fn trust_saved(
        self,
        root: &AbsPath,
        written: &Catalogue,
        slugs: &[ModeSlug],
    ) -> Result<(), Error> {
        let open = self.engine.open(root);
        let mut held = open.untrusted();
        held.retain(|held| {
            let saved = written.get(held.slug.as_str());
            let is_same = saved.is_some_and(|mode| hash(&mode.rights()) == held.hash);
            is_same && slugs.contains(&held.slug)
        });
        if held.is_empty() {
            return Ok(());
        }
        let store = &self.engine.inner.store;
        let root = self.engine.project_root(open.root())?;
        let project = store.open_project(&root).await?;
        for held in held {
            store
                .trust_mode(&project.id, &held.slug, &held.hash)
                .await?;
        }
        open.reload(self.engine);
        Ok(())
    }
}
