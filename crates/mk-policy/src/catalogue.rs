//! All modes of a project: builtin, global and project files in their order of precedence, with inheritance resolved.
//!
//! Reading the files is mk-project's business; here they are text that has been parsed.

mod resolve;

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use mk_document::{Diagnostic, DiagnosticSubject, DocumentNode, DocumentPosition, Severity};
use mk_types::ModeSlug;
use serde::Deserialize;

use crate::evaluate::Policy;
use crate::mode::{HeldWhy, Mode, ModeSource};
use crate::mode_file::{LegibleFile, LoadedFile, ModeFile, load_document};

/// The builtin modes of `content/modes`, as JSON: reading their YAML took a quarter of a short-lived process's start.
const BUILTIN: &str = include_str!("shipped/modes.json");

/// One file of builtin modes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BuiltinFile {
    file: String,
    document: serde_json::Value,
}

/// The builtin modes, parsed once: a short-lived process builds two catalogues.
static BUILTIN_LAYERS: LazyLock<Vec<ModeLayer>> = LazyLock::new(|| {
    // Without them there is no mode that a project does not bring itself; a test keeps them readable.
    let files: Vec<BuiltinFile> = serde_json::from_str(BUILTIN).unwrap_or_default();
    let layers = files
        .into_iter()
        .map(|BuiltinFile { file, document }| ModeLayer {
            source: ModeSource::Builtin,
            loaded: load_document(&file, &DocumentNode::from_json(document)),
            file,
        });
    layers.collect()
});

/// One mode file and where it stands.
#[derive(Debug, Clone)]
pub struct ModeLayer {
    pub source: ModeSource,
    /// The file's name in diagnostics.
    pub file: String,
    pub loaded: LoadedFile,
}

/// Every mode there is, in the order in which they are shown.
#[derive(Debug, Default)]
pub struct Catalogue {
    modes: Vec<Arc<Mode>>,
    /// Slugs that are named but not there, each with the file that decides about it.
    broken: Vec<(ModeSlug, String)>,
    diagnostics: Vec<Diagnostic>,
}

impl Catalogue {
    /// Puts the layers together; `files` come strongest first, project files before global ones.
    ///
    /// 1. The first file that names a slug decides about it, even if what it says is broken: then the mode is not
    ///    there at all, because falling back to a weaker file could allow what the author meant to forbid.
    /// 2. A custom mode with a builtin's slug takes the builtin's place; the others follow in the order of their files.
    /// 3. `extends` looks the slug up among all modes; its own slug means the next weaker mode of that name.
    /// 4. A mode whose examples do not hold is broken.
    /// 5. A file that cannot be read as a whole may have narrowed any mode: those of weaker files can only read.
    pub fn build(files: Vec<ModeLayer>, policy: &Policy) -> Self {
        let n_files = files.len();
        let builtin = BUILTIN_LAYERS.iter().cloned();
        let layers: Vec<ModeLayer> = files.into_iter().chain(builtin).collect();
        Self::of_layers(&layers, n_files, policy)
    }

    /// The modes of one file alone, with nothing below it.
    pub fn of_file(layer: ModeLayer, policy: &Policy) -> Self {
        Self::of_layers(&[layer], 1, policy)
    }

    fn of_layers(layers: &[ModeLayer], n_files: usize, policy: &Policy) -> Self {
        let mut order: Vec<&ModeSlug> = Vec::new();
        let (custom, builtin) = layers.split_at(n_files);
        for layer in builtin.iter().chain(custom) {
            for slug in layer.slugs() {
                if !order.contains(&slug) {
                    order.push(slug);
                }
            }
        }
        let mut catalogue = Self::default();
        for layer in layers {
            catalogue
                .diagnostics
                .extend(layer.loaded.diagnostics.iter().cloned());
            if layer.is_obscure() {
                catalogue.diagnostics.push(layer.complaint());
            }
        }
        for slug in order {
            match resolve::resolve(slug, layers, policy) {
                Ok((mode, warnings)) => {
                    catalogue.diagnostics.extend(warnings);
                    catalogue.modes.push(Arc::new(mode));
                }
                Err(problems) => {
                    let file = layers.iter().find(|layer| layer.get(slug).is_some());
                    let file = file.map(|layer| layer.file.clone()).unwrap_or_default();
                    catalogue.broken.push((slug.clone(), file));
                    catalogue.diagnostics.extend(problems);
                }
            }
        }
        for layer in custom {
            let warnings = layer.unknown_destinations(|slug| catalogue.names(slug));
            catalogue.diagnostics.extend(warnings);
        }
        let found = &mut catalogue.diagnostics;
        // A mode that inherits a limit has the same problem with it as its owner.
        let mut seen = HashSet::new();
        found.retain(|it| seen.insert((it.file.clone(), it.position, it.message.clone())));
        found.sort_by(|a, b| (&a.file, a.position).cmp(&(&b.file, b.position)));
        catalogue
    }

    /// Takes every right from a mode that `bound` does not have. `complaint` is what lint and logs say about it.
    pub fn hold(&mut self, slug: &ModeSlug, bound: &Mode, why: HeldWhy, complaint: Diagnostic) {
        let held = self.modes.iter_mut().find(|mode| mode.slug == *slug);
        if let Some(mode) = held {
            let mut narrowed = Mode::clone(mode);
            narrowed.hold_to(bound);
            narrowed.hold_back(Mode::clone(mode), why);
            *mode = Arc::new(narrowed);
            self.diagnostics.push(complaint);
        }
    }

    pub fn modes(&self) -> &[Arc<Mode>] {
        &self.modes
    }

    /// Modes that lists and prompts show.
    pub fn visible(&self) -> impl Iterator<Item = &Arc<Mode>> {
        self.modes.iter().filter(|mode| !mode.hidden)
    }

    pub fn get(&self, slug: &str) -> Option<&Arc<Mode>> {
        self.modes.iter().find(|mode| mode.slug.as_str() == slug)
    }

    /// Whether a file names a mode, usable or not.
    fn names(&self, slug: &str) -> bool {
        let is_broken = |(broken, _): &(ModeSlug, String)| broken.as_str() == slug;
        self.get(slug).is_some() || self.broken.iter().any(is_broken)
    }

    /// Every problem of every file, by file and line.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Why a slug that a file names is not there.
    pub fn why_broken(&self, slug: &str) -> Option<&Diagnostic> {
        let (_, file) = self
            .broken
            .iter()
            .find(|(broken, _)| broken.as_str() == slug)?;
        self.diagnostics.iter().find(|found| {
            found.severity == Severity::Error
                && found.file == *file
                && found
                    .subject
                    .as_ref()
                    .is_none_or(|subject| subject.name == slug)
        })
    }
}

impl ModeLayer {
    fn slugs(&self) -> impl Iterator<Item = &ModeSlug> {
        self.loaded
            .modes
            .iter()
            .map(|mode| &mode.slug.value)
            .chain(&self.loaded.broken)
    }

    /// Whether it may say more than could be read.
    fn is_obscure(&self) -> bool {
        self.loaded.legible == LegibleFile::NotAll
    }

    fn complaint(&self) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            file: self.file.clone(),
            position: DocumentPosition::START,
            subject: None,
            message: "parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read"
                .to_owned(),
            hint: None,
        }
    }

    /// A warning for each mode that `switchTo` names and no file does.
    fn unknown_destinations(&self, is_mode: impl Fn(&str) -> bool) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        for mode in &self.loaded.modes {
            let names = mode.switch_to.iter().flatten();
            for name in names.filter(|name| *name != "*" && !is_mode(name)) {
                warnings.push(Diagnostic {
                    severity: Severity::Warning,
                    file: self.file.clone(),
                    position: mode.slug.position,
                    subject: Some(DiagnosticSubject {
                        kind: "mode",
                        name: mode.slug.value.to_string(),
                    }),
                    message: format!("`switchTo` names `{name}`, which does not exist"),
                    hint: None,
                });
            }
        }
        warnings
    }

    fn get(&self, slug: &ModeSlug) -> Option<CatalogueEntry<'_>> {
        if let Some(mode) = self
            .loaded
            .modes
            .iter()
            .find(|mode| mode.slug.value == *slug)
        {
            return Some(CatalogueEntry::Mode(mode));
        }
        self.loaded
            .broken
            .contains(slug)
            .then_some(CatalogueEntry::Broken)
    }
}

enum CatalogueEntry<'a> {
    Mode(&'a ModeFile),
    Broken,
}
