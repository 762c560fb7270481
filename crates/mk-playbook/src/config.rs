//! The project's configuration: `codingbuddy.config.js`, `.mjs` or `.json`, read without running anything.
//!
//! What is not known is kept. A wrong type is an error, because a team that wrote a setting means it to count.

mod shape;

use std::sync::{Arc, Mutex};

use mk_clients::{PLAYBOOK_CONFIG_FILES, PLAYBOOK_CONFIG_JSON};
use mk_document::{
    Diagnostic, DocumentNode, DocumentPosition, DocumentReport, Located, read_json, read_script,
    to_json,
};
use mk_project::ReadStamp;
use mk_prompt::PromptConfig;
use mk_types::{AbsPath, lock};
use serde_json::{Map, Value};

use crate::entry::read_within;

/// What a project says of itself; empty if it says nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlaybookConfig {
    /// The file it is from.
    pub file: Option<&'static str>,
    /// As written.
    pub settings: Map<String, Value>,
}

impl PlaybookConfig {
    /// The value at a path of keys, such as `["ai", "defaultModel"]`.
    pub fn get(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        let mut value = self.settings.get(*first)?;
        for key in rest {
            value = value.get(key)?;
        }
        Some(value).filter(|value| !value.is_null())
    }

    pub fn text(&self, path: &[&str]) -> Option<&str> {
        self.get(path)?.as_str()
    }

    /// The texts of a list; none if it is not there.
    pub fn texts(&self, path: &[&str]) -> Vec<&str> {
        let list = self.get(path).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// The language to answer in.
    pub fn language(&self) -> Option<&str> {
        self.text(&["language"])
    }

    pub fn project_name(&self) -> Option<&str> {
        self.text(&["projectName"])
    }

    pub fn default_model(&self) -> Option<&str> {
        self.text(&["ai", "defaultModel"])
    }

    pub fn primary_agent(&self) -> Option<&str> {
        self.text(&["ai", "primaryAgent"])
    }

    /// What it says about modes of work.
    pub fn modes(&self) -> PromptConfig {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let rounds = self.get(&["auto", "maxIterations"]).and_then(Value::as_u64);
        PromptConfig {
            language: owned(self.language()),
            primary_agent: owned(self.primary_agent()),
            exclude_agents: self
                .excluded_agents()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            default_model: owned(self.default_model()),
            max_iterations: rounds.and_then(|rounds| u8::try_from(rounds).ok()),
        }
    }

    pub fn excluded_agents(&self) -> Vec<&str> {
        self.texts(&["ai", "excludeAgents"])
    }
}

/// Remembers the configuration until its file changes.
#[derive(Debug, Default)]
pub(crate) struct ConfigCache {
    read: Mutex<Option<(Stamps, LoadedConfig)>>,
}

type Stamps = [Option<ReadStamp>; 3];
type LoadedConfig = Result<Arc<PlaybookConfig>, Vec<Diagnostic>>;

impl ConfigCache {
    /// The configuration as it is on disk now.
    pub(crate) fn load(&self, root: &AbsPath) -> LoadedConfig {
        let stamps = PLAYBOOK_CONFIG_FILES.map(|file| ReadStamp::of(&root.as_path().join(file)));
        let mut read = lock(&self.read);
        if let Some((known, config)) = read.as_ref()
            && *known == stamps
        {
            return config.clone();
        }
        let config = load(root).map(Arc::new);
        *read = Some((stamps, config.clone()));
        config
    }
}

/// Reads the configuration; the error says everything that is wrong with it.
fn load(root: &AbsPath) -> Result<PlaybookConfig, Vec<Diagnostic>> {
    let is_there = |file: &&str| std::fs::symlink_metadata(root.as_path().join(file)).is_ok();
    let Some(file) = PLAYBOOK_CONFIG_FILES.into_iter().find(is_there) else {
        return Ok(PlaybookConfig::default());
    };
    let mut report = DocumentReport::new(file);
    let settings = read(root, file, &mut report);
    match settings {
        Some(settings) if report.errors() == 0 => Ok(PlaybookConfig {
            file: Some(file),
            settings,
        }),
        _ => Err(report.into_found()),
    }
}

fn read(root: &AbsPath, file: &str, report: &mut DocumentReport) -> Option<Map<String, Value>> {
    let text = read_within(root, file);
    let text = text
        .map_err(|message| report.error(DocumentPosition::START, message))
        .ok()?;
    check_text(file, &text, report)
}

/// The settings in a configuration's text; what is wrong goes to the report.
pub(crate) fn check_text(
    file: &str,
    text: &str,
    report: &mut DocumentReport,
) -> Option<Map<String, Value>> {
    let parsed = if file.ends_with(".json") {
        read_json(text)
    } else {
        read_script(text)
    };
    let document: Located<DocumentNode> = match parsed {
        Ok(document) => document,
        Err(unread) => {
            report
                .error(unread.position, unread.message)
                .hint(format!("write plain values, or use {PLAYBOOK_CONFIG_JSON}"));
            return None;
        }
    };
    if !report.keys_are_safe(&document.value) {
        return None;
    }
    shape::check(&document, report);
    match to_json(&document.value) {
        Value::Object(settings) => Some(settings),
        _ => None,
    }
}

/// Whether a path below the root is a configuration file.
pub(crate) fn is_config(path: &str) -> bool {
    PLAYBOOK_CONFIG_FILES.contains(&path)
}
