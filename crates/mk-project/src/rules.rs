//! The rules files that apply to a mode, in the order in which a prompt shows them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mk_clients::{AGENTS_FILES, IGNORE_FILE, LOCAL_AGENTS_FILE, RULES_DIRECTORIES, RULES_FILES};
use mk_policy::RulesSection;
use mk_types::{AbsPath, ModeSlug, ProjectPath};

use crate::ignored::IgnoredFiles;
use crate::read::read_text;

const DEEPEST: usize = 5;
const LARGEST_FILE: u64 = 64 * 1024;
/// More than this is no longer read by anyone, model or person.
const LARGEST_SUM: usize = 256 * 1024;
const MOST_ENTRIES: usize = 2_000;
const SKIPPED: [&str; 10] = [
    "log", "bak", "tmp", "temp", "lock", "swp", "old", "cache", "pyc", "ds_store",
];

/// What a link may lead to. Rules are text for a model: a link must not pull a key or a settings file into a prompt.
const TEXTS: [&str; 3] = ["md", "mdc", "txt"];

/// Where rules for all projects stand, weakest first: each holds `rules/` and `rules-{slug}/`.
#[derive(Debug, Clone, Default)]
pub struct RulesFolders(pub Vec<PathBuf>);

/// The sections of a mode's rules: those of the mode, the ignore file, agents' files, those of all modes.
///
/// 1. `rules-{slug}/` of the global folders, then of the project; where there is none, `.roorules-{slug}`, else
///    `.clinerules-{slug}`.
/// 2. `.rooignore`.
/// 3. `AGENTS.md`, else `AGENT.md`; then `AGENTS.local.md`.
/// 4. `rules/` of the global folders, then of the project; where there is none, `.roorules`, else `.clinerules`.
pub fn rules_for(
    root: &AbsPath,
    slug: &ModeSlug,
    global: &RulesFolders,
    ignored: &IgnoredFiles,
) -> Vec<RulesSection> {
    let mut rules = Rules {
        root,
        ignored,
        sections: Vec::new(),
        left: LARGEST_SUM,
    };
    rules.add_kind(&format!("rules-{slug}"), &format!("-{slug}"), global);
    if let Some(text) = ignored.text() {
        rules.add(format!("Files hidden by {IGNORE_FILE}"), text);
    }
    AGENTS_FILES.iter().find(|name| rules.add_file(name));
    rules.add_file(LOCAL_AGENTS_FILE);
    rules.add_kind("rules", "", global);
    rules.sections
}

struct Rules<'a> {
    root: &'a AbsPath,
    ignored: &'a IgnoredFiles,
    sections: Vec<RulesSection>,
    left: usize,
}

impl Rules<'_> {
    fn add_kind(&mut self, folder: &str, suffix: &str, global: &RulesFolders) {
        let before = self.sections.len();
        for base in &global.0 {
            self.add_folder(&base.join(folder), base);
        }
        let project = self.root.as_path().to_owned();
        for product in RULES_DIRECTORIES {
            self.add_folder(&project.join(product).join(folder), &project);
        }
        if self.sections.len() == before {
            let single = RULES_FILES.map(|name| format!("{name}{suffix}"));
            single.iter().find(|name| {
                let path = project.join(name);
                if path.is_dir() {
                    self.add_folder(&path, &project)
                } else {
                    self.add_file(name)
                }
            });
        }
    }

    /// Adds every rules file below a folder, by name; links are followed while they stay below `base`.
    fn add_folder(&mut self, folder: &Path, base: &Path) -> bool {
        let mut files = Vec::new();
        let mut n_entries = 0;
        collect(folder, DEEPEST, &mut n_entries, &mut files);
        let real_base = fs::canonicalize(base).unwrap_or_else(|_| base.to_owned());
        let key = |file: &PathBuf| {
            file.file_name()
                .map(|name| name.to_string_lossy().to_lowercase())
        };
        files.sort_by(|a, b| (key(a), a).cmp(&(key(b), b)));
        // Rules are text for a model: a link in a repository must not pull in a private file from elsewhere,
        // and one that leads in a circle must not say everything again.
        let mut seen = BTreeSet::new();
        files.retain(|file| {
            let real = fs::canonicalize(file)
                .ok()
                .filter(|real| real.starts_with(&real_base) && self.may_lead_to(base, file, real));
            if real.is_none() {
                tracing::warn!(file = %file.display(), "rules file skipped: it leads out of its directory, to a hidden file or to something that is not text");
            }
            real.is_some_and(|real| seen.insert(real))
        });
        let before = self.sections.len();
        for file in files {
            self.add_path(&file);
        }
        self.sections.len() > before
    }

    fn add_file(&mut self, name: &str) -> bool {
        let path = self.root.as_path().join(name);
        let real_root = fs::canonicalize(self.root.as_path())
            .unwrap_or_else(|_| self.root.as_path().to_owned());
        let inside = fs::canonicalize(&path).is_ok_and(|real| {
            real.starts_with(real_root) && self.may_lead_to(self.root.as_path(), &path, &real)
        });
        inside && self.add_path(&path)
    }

    /// Whether the text of a rules file may come from where it really is.
    fn may_lead_to(&self, base: &Path, file: &Path, real: &Path) -> bool {
        let root = fs::canonicalize(self.root.as_path());
        let root = root.unwrap_or_else(|_| self.root.as_path().to_owned());
        let below = |path: &Path| {
            let below = path.strip_prefix(&root).ok()?.to_str()?.to_owned();
            ProjectPath::parse(&below, self.root).ok()
        };
        // A directory on the way can be a link as well as the file.
        let written = fs::canonicalize(base)
            .ok()
            .zip(file.strip_prefix(base).ok())
            .map(|(base, below)| base.join(below));
        let is_link = written.is_none_or(|written| written != real);
        let ending = real.extension().and_then(|ending| ending.to_str());
        let is_text =
            ending.is_some_and(|ending| TEXTS.contains(&ending.to_ascii_lowercase().as_str()));
        let is_hidden = || below(real).is_some_and(|path| self.ignored.hides(&path));
        !is_link || (is_text && !is_hidden())
    }

    fn add_path(&mut self, path: &Path) -> bool {
        let text = match read_text(path, LARGEST_FILE) {
            Ok(text) => text.unwrap_or_default(),
            Err(error) => {
                tracing::warn!(%error, "rules file skipped");
                return false;
            }
        };
        let shown = path.strip_prefix(self.root.as_path()).unwrap_or(path);
        self.add(format!("From {}", shown.display()), &text)
    }

    fn add(&mut self, title: String, text: &str) -> bool {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
        if text.is_empty() {
            return false;
        }
        if text.len() > self.left {
            self.left = 0;
            tracing::warn!(
                title,
                "rules left out: there are more than {LARGEST_SUM} bytes of them"
            );
            return false;
        }
        self.left -= text.len();
        self.sections.push(RulesSection {
            title,
            text: text.to_owned(),
        });
        true
    }
}

fn collect(folder: &Path, depth: usize, n_entries: &mut usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        *n_entries += 1;
        if *n_entries > MOST_ENTRIES {
            return;
        }
        let path = entry.path();
        let Ok(metadata) = fs::metadata(&path) else {
            continue;
        };
        if metadata.is_dir() && depth > 1 {
            collect(&path, depth - 1, n_entries, files);
        } else if metadata.is_file() && !is_skipped(&path) {
            files.push(path);
        }
    }
}

fn is_skipped(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    name.ends_with('~')
        || name == "thumbs.db"
        || ending.is_some_and(|ending| SKIPPED.contains(&ending))
}
