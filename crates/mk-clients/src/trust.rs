//! Whether a product reads what a project's own files tell it. Some do so only in directories that their user trusts,
//! and run no hook elsewhere, without a word.
//!
//! Pure: the installer reads the files.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::install::Setup;
use crate::settings::json_value;

/// How a product knows which directories its user trusts.
#[derive(Debug)]
pub struct ProjectTrust {
    pub(crate) files: fn(&TrustPlace<'_>) -> Vec<PathBuf>,
    pub(crate) is_trusted: fn(&TrustQuestion<'_>) -> bool,
    /// What a person does to trust a directory.
    pub advice: &'static str,
}

/// Where a product looks.
#[derive(Debug, Clone, Copy)]
pub struct TrustPlace<'a> {
    pub setup: &'a Setup,
    /// Those of [`crate::TRUST_VARIABLES`] that are set.
    pub variables: &'a [(&'static str, String)],
}

/// What a product looks at before it reads a project's files.
#[derive(Debug, Clone, Copy)]
pub struct TrustQuestion<'a> {
    pub place: TrustPlace<'a>,
    /// The texts of [`ProjectTrust::files`], in their order.
    pub texts: &'a [String],
    /// Where a path leads; links are followed.
    pub resolve: fn(&Path) -> PathBuf,
}

impl ProjectTrust {
    /// The files that say it. One that is missing reads as empty.
    pub fn files(&self, place: &TrustPlace<'_>) -> Vec<PathBuf> {
        (self.files)(place)
    }

    /// Whether the product reads the files of the setup's project.
    pub fn is_trusted(&self, question: &TrustQuestion<'_>) -> bool {
        (self.is_trusted)(question)
    }
}

impl TrustPlace<'_> {
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let (_, value) = self.variables.iter().find(|(known, _)| *known == name)?;
        Some(value)
    }
}

impl TrustQuestion<'_> {
    pub(crate) fn json(&self, index: usize) -> Option<Value> {
        json_value(self.texts.get(index)?)
    }

    /// Whether the project is this directory or lies below it.
    pub(crate) fn is_in(&self, directory: &Path) -> bool {
        let project = (self.resolve)(&self.place.setup.project);
        project.starts_with((self.resolve)(directory))
    }

    /// What the last of these settings files that names it says about `security.folderTrust.enabled`.
    pub(crate) fn is_switched_on(&self, settings: Range<usize>) -> Option<bool> {
        let said = settings.filter_map(|it| self.json(it));
        let mut said = said.filter_map(|it| it["security"]["folderTrust"]["enabled"].as_bool());
        said.next_back()
    }

    /// What the longest rule says that covers the project. Without one nothing is trusted.
    pub(crate) fn longest_rule(&self, rules: usize) -> bool {
        let Some(Value::Object(rules)) = self.json(rules) else {
            return false;
        };
        let covering = rules.iter().filter(|(path, level)| {
            let path = Path::new(path);
            match level.as_str() {
                Some("TRUST_PARENT") => self.is_in(path.parent().unwrap_or(path)),
                _ => self.is_in(path),
            }
        });
        let longest = covering.max_by_key(|(path, _)| path.len());
        longest.is_some_and(|(_, level)| {
            matches!(level.as_str(), Some("TRUST_FOLDER" | "TRUST_PARENT"))
        })
    }
}
