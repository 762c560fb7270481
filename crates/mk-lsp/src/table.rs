//! Which servers are known for which files: `content/servers.yaml`, and what users add.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

const KNOWN: &str = include_str!("../../../content/servers.yaml");

/// A server that a user names, for a language that is known or not.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CustomServer {
    pub language: String,
    /// What files end with; may be left out for a known language.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Program and arguments; a program with a `/` in it is relative to the project.
    pub command: Vec<String>,
    /// `initializationOptions`.
    #[serde(default)]
    pub options: Value,
    /// What it is answered when it asks for its configuration, by section.
    #[serde(default)]
    pub settings: Value,
    #[serde(default)]
    pub warm: WarmSign,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerTable {
    languages: Vec<ServedLanguage>,
}

/// A language and the servers for it, the preferred one first.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServedLanguage {
    pub(crate) name: String,
    #[serde(default)]
    aliases: Vec<String>,
    /// By what a file's name ends with; the values are the protocol's names of languages.
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    names: BTreeMap<String, String>,
    pub(crate) servers: Vec<ServerRow>,
}

/// How one server is started and where it comes from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerRow {
    pub(crate) name: String,
    pub(crate) command: Vec<String>,
    #[serde(default)]
    pub(crate) install: Install,
    pub(crate) check: Option<Check>,
    #[serde(default)]
    pub(crate) options: Value,
    #[serde(default)]
    pub(crate) settings: Value,
    #[serde(default)]
    pub(crate) careful: Value,
    #[serde(default)]
    pub(crate) warm: WarmSign,
    #[serde(default)]
    pub(crate) shown_changes: bool,
    #[serde(default)]
    pub(crate) one_at_a_time: bool,
    /// Files of which one describes a project of the language.
    #[serde(default)]
    pub(crate) manifests: Vec<String>,
    /// What its log says where it could not read the project.
    #[serde(default)]
    pub(crate) blind: Vec<String>,
}

/// Packages by their source.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Install {
    pub(crate) npm: Vec<String>,
    pub(crate) pypi: Vec<String>,
    pub(crate) debian: Vec<String>,
    pub(crate) rustup: Vec<String>,
    pub(crate) cargo: Vec<String>,
}

/// What a program must be able to do before it counts as there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    pub(crate) arguments: Vec<String>,
    pub(crate) major: Option<u32>,
}

/// How a server tells that it has seen the whole project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WarmSign {
    /// It reports its work, which begins soon after the start.
    #[default]
    Progress,
    /// It says so itself, as rust-analyzer does.
    Status,
    /// It logs a line with this text.
    Log(String),
    /// It answers when it is able to.
    Nothing,
}

/// The languages that are known, with the users' servers before ours.
pub(crate) fn languages(custom: &[CustomServer]) -> Vec<ServedLanguage> {
    // A test keeps the table readable; without it only the users' servers are known.
    let mut languages = serde_saphyr::from_str::<ServerTable>(KNOWN)
        .map(|table| table.languages)
        .unwrap_or_default();
    for (index, custom) in custom.iter().enumerate().rev() {
        let Some(program) = custom.command.first() else {
            continue;
        };
        let program = program.rsplit('/').next().unwrap_or(program);
        let server = ServerRow {
            name: program.to_owned(),
            command: custom.command.clone(),
            install: Install::default(),
            check: None,
            options: custom.options.clone(),
            settings: custom.settings.clone(),
            careful: Value::Null,
            warm: custom.warm.clone(),
            shown_changes: false,
            one_at_a_time: false,
            manifests: Vec::new(),
            blind: Vec::new(),
        };
        for language in &mut languages {
            // An extension belongs to one language: the one that was named last, by the user.
            language
                .files
                .retain(|extension, _| !custom.extensions.contains(extension));
        }
        let known = languages
            .iter_mut()
            .position(|language| language.is_called(&custom.language));
        let known = known.unwrap_or_else(|| {
            languages.push(ServedLanguage::new(&custom.language));
            languages.len() - 1
        });
        if let Some(language) = languages.get_mut(known) {
            tracing::debug!(index, program, language = language.name, "a user's server");
            let called = language.name.clone();
            let files = custom.extensions.iter();
            language
                .files
                .extend(files.map(|extension| (extension.clone(), called.clone())));
            language.servers.insert(0, server);
            if language.files.is_empty() && language.names.is_empty() {
                tracing::warn!(
                    language = language.name,
                    "no file belongs to this language server: name its extensions"
                );
            }
        }
    }
    languages
}

impl ServedLanguage {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            aliases: Vec::new(),
            files: BTreeMap::new(),
            names: BTreeMap::new(),
            servers: Vec::new(),
        }
    }

    #[cfg(test)]
    pub(crate) fn endings(&self) -> impl Iterator<Item = &String> {
        self.files.keys()
    }

    pub(crate) fn is_called(&self, name: &str) -> bool {
        let same = |known: &String| known.eq_ignore_ascii_case(name);
        same(&self.name) || self.aliases.iter().any(same)
    }

    /// What the protocol calls a document of this path, if it is of this language.
    pub(crate) fn document_language(&self, path: &str) -> Option<&str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let by_name = self.names.get(name);
        let by_ending = || {
            let (_, extension) = name.rsplit_once('.')?;
            self.files.get(&extension.to_ascii_lowercase())
        };
        by_name.or_else(by_ending).map(String::as_str)
    }
}

impl ServerRow {
    /// The options for a project whose code may be run or not.
    pub(crate) fn options(&self, careful: bool) -> Value {
        let mut options = self.options.clone();
        if careful {
            lay_over(&mut options, &self.careful);
        }
        options
    }

    /// What the configuration says about a section like `python.analysis`.
    pub(crate) fn setting(&self, section: Option<&str>) -> Value {
        let Some(section) = section.filter(|section| !section.is_empty()) else {
            return self.settings.clone();
        };
        let found = section
            .split('.')
            .try_fold(&self.settings, |value, key| value.get(key));
        found.cloned().unwrap_or_default()
    }
}

/// Objects are merged, everything else is replaced.
fn lay_over(base: &mut Value, over: &Value) {
    match (base, over) {
        (_, Value::Null) => {}
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                lay_over(base.entry(key).or_insert(Value::Null), value);
            }
        }
        (base, over) => base.clone_from(over),
    }
}
