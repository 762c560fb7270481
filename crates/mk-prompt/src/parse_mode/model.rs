//! Which model does the work: the most specific wish wins.
//!
//! 1. the agent's; 2. the mode's; 3. the configuration's; 4. the product's default.

use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

use super::phrases::embedded;

/// Whose wish a model was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelSource {
    Agent,
    Mode,
    Global,
    System,
}

impl fmt::Display for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agent => "agent",
            Self::Mode => "mode",
            Self::Global => "global",
            Self::System => "system",
        })
    }
}

/// A model, and a doubt about its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedModel {
    pub model: String,
    pub source: ModelSource,
    pub warning: Option<String>,
}

/// What may ask for a model; blank names ask for nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelWishes<'a> {
    pub agent: Option<&'a str>,
    pub mode: Option<&'a str>,
    pub global: Option<&'a str>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    /// When a person last looked at the names.
    #[expect(dead_code, reason = "a test reads it in the file")]
    reviewed: String,
    default: String,
    prefixes: Vec<String>,
}

static MODELS: LazyLock<ModelFile> =
    LazyLock::new(|| embedded(include_str!(concat!(env!("OUT_DIR"), "/models.json"))));

/// The model to use.
pub fn resolve_model(wishes: ModelWishes<'_>) -> ResolvedModel {
    let ModelWishes {
        agent,
        mode,
        global,
    } = wishes;
    let wishes = [
        (agent, ModelSource::Agent),
        (mode, ModelSource::Mode),
        (global, ModelSource::Global),
    ];
    let wish = wishes.into_iter().find_map(|(model, source)| {
        let model = model?.trim();
        (!model.is_empty()).then_some((model, source))
    });
    let (model, source) = wish.unwrap_or((&MODELS.default, ModelSource::System));
    // Gateways write the maker before a slash: anthropic/claude-….
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let known = MODELS
        .prefixes
        .iter()
        .any(|prefix| name.starts_with(prefix));
    ResolvedModel {
        model: model.to_owned(),
        source,
        warning: (!known).then(|| format!("Unknown model `{model}`: check its name")),
    }
}
