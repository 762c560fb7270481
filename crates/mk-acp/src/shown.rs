//! Modes as an editor shows them: `modes`, and an option of category `mode`, always in step.

use mk_engine::Engine;
use mk_policy::{Catalogue, Mode};
use mk_types::{AbsPath, ModeSlug};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::message::RawObject;
use crate::session::AgentSelector;

/// The id of our option. It takes the place of the agent's own.
pub(crate) const OPTION: &str = "mode";

/// The modes of a project with the one that is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownModes {
    current: String,
    /// Id, name, description.
    modes: Vec<(String, String, Option<String>)>,
}

impl ShownModes {
    pub(crate) fn of(engine: &Engine, directory: &AbsPath, current: &ModeSlug) -> Self {
        let catalogue = engine.modes().catalogue_at(directory);
        let mut modes: Vec<_> = catalogue.visible().map(|mode| entry(mode)).collect();
        // A mode that is hidden or gone is still the one in force, and an editor must be able to show it.
        if !modes.iter().any(|(id, _, _)| id == current.as_str()) {
            modes.push(match catalogue.get(current.as_str()) {
                Some(mode) => entry(mode),
                None => (
                    current.to_string(),
                    format!("{current} (not available)"),
                    Some("Its file no longer defines it: every call is refused".to_owned()),
                ),
            });
        }
        Self {
            current: current.to_string(),
            modes,
        }
    }

    /// `modes` of a session.
    pub(crate) fn modes(&self) -> Value {
        let available = self.modes.iter().map(|(id, name, description)| {
            let mut mode = json!({ "id": id, "name": name });
            if let Some(description) = description {
                mode["description"] = json!(description);
            }
            mode
        });
        json!({ "currentModeId": self.current, "availableModes": available.collect::<Value>() })
    }

    fn option(&self) -> Value {
        let options = self.modes.iter().map(|(id, name, description)| {
            let mut option = json!({ "value": id, "name": name });
            if let Some(description) = description {
                option["description"] = json!(description);
            }
            option
        });
        json!({
            "id": OPTION, "name": "Mode", "description": "What the agent may do", "category": "mode",
            "type": "select", "currentValue": self.current, "options": options.collect::<Value>(),
        })
    }

    /// The whole list of options: ours first, then the agent's own.
    pub(crate) fn options(&self, others: &[Box<RawValue>]) -> Vec<Box<RawValue>> {
        let own = serde_json::value::to_raw_value(&self.option()).ok();
        own.into_iter().chain(others.iter().cloned()).collect()
    }

    /// What an editor is told when the mode has changed: both ways, because editors listen to one of them.
    pub(crate) fn mode_update(&self) -> Value {
        // The protocol's field, and the one that its page on modes shows.
        json!({
            "sessionUpdate": "current_mode_update", "currentModeId": self.current, "modeId": self.current,
        })
    }
}

fn entry(mode: &Mode) -> (String, String, Option<String>) {
    let description = mode
        .description
        .clone()
        .or_else(|| mode.when_to_use.clone());
    (mode.slug.to_string(), mode.name.clone(), description)
}

/// A mode that a person may choose, by the id that an editor sent.
pub(crate) fn choose(catalogue: &Catalogue, id: &str) -> Result<ModeSlug, String> {
    let slug = ModeSlug::parse(id).ok();
    let known = slug.filter(|slug| catalogue.get(slug.as_str()).is_some());
    known.ok_or_else(|| {
        let available: Vec<&str> = catalogue.visible().map(|mode| mode.slug.as_str()).collect();
        format!("Mode not found: {id}. Available: {}", available.join(", "))
    })
}

/// Reads the agent's own selector from `modes` of a result.
pub(crate) fn read_modes(modes: Option<Value>, inner: &mut AgentSelector) {
    let Some(modes) = modes.filter(Value::is_object) else {
        return;
    };
    inner.has_modes = true;
    inner.current = modes["currentModeId"].as_str().map(str::to_owned);
    let available = modes["availableModes"].as_array().into_iter().flatten();
    inner.available = available
        .filter_map(|mode| Some(mode["id"].as_str()?.to_owned()))
        .collect();
}

/// Takes the agent's own selector out of its options, and gives the others as they came.
pub(crate) fn read_options(
    options: &RawValue,
    hidden: &[(&str, &str)],
    inner: &mut AgentSelector,
) -> Vec<Box<RawValue>> {
    let Ok(options) = serde_json::from_str::<Vec<Box<RawValue>>>(options.get()) else {
        return Vec::new();
    };
    let mut others = Vec::new();
    inner.loose.clear();
    for raw in options {
        // One that cannot be read might be the selector.
        let Ok(value) = serde_json::from_str::<Value>(raw.get()) else {
            continue;
        };
        let id = value["id"].as_str().unwrap_or_default();
        let is_mode = value["category"] == "mode" || id == OPTION;
        if is_mode && inner.option.is_none() {
            inner.option = Some(id.to_owned());
        }
        if is_mode {
            inner.current = value["currentValue"].as_str().map(str::to_owned);
            inner.available = values(&value["options"]);
        } else if hidden.iter().any(|(name, _)| *name == id) {
            let now = match &value["currentValue"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            inner.loose.push((id.to_owned(), now));
        } else {
            others.push(raw);
        }
    }
    others
}

/// The values of a select, through its groups.
fn values(options: &Value) -> Vec<String> {
    let options = options.as_array().into_iter().flatten();
    options
        .flat_map(|option| match option["value"].as_str() {
            Some(value) => vec![value.to_owned()],
            None => values(&option["options"]),
        })
        .collect()
}

/// Puts our modes into a result or an update that has `modes` or `configOptions`.
pub(crate) fn put(target: &mut RawObject, shown: &ShownModes, others: &[Box<RawValue>]) {
    target.set("modes", &shown.modes());
    target.set("configOptions", &shown.options(others));
}
