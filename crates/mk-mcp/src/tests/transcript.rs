//! A conversation that is compared with examples and written down for a snapshot, without our own prose.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::World;
use super::wire::Wire;

/// A conversation, written down.
pub(super) struct Transcript {
    pub(super) world: World,
    pub(super) wire: Wire,
    pub(super) text: String,
}

impl Transcript {
    pub(super) fn new(world: World) -> Self {
        let wire = Wire::connect(&world);
        Self {
            world,
            wire,
            text: String::new(),
        }
    }

    /// Sends the contract's request; the answer must have what the contract's answer has.
    pub(super) async fn check(&mut self, request: Value, example: Value) -> Value {
        let answer = self.wire.request(request.clone()).await;
        let shown = self.hide_prose(&answer);
        covers("answer", &shown, &example);
        let _ = writeln!(self.text, "→ {request}");
        let pretty = serde_json::to_string_pretty(&shown).expect("JSON");
        let _ = writeln!(self.text, "← {pretty}\n");
        answer
    }

    /// Our prose, by its name.
    fn hide_prose(&self, answer: &Value) -> Value {
        let folder = self.world.server.start().folder();
        let person = mk_engine::Caller::in_project(folder.clone(), mk_engine::Actor::Operator);
        let modes = self.world.engine.modes();
        let mut text = answer.to_string();
        for mode in modes.catalogue_at(folder).modes() {
            let prose = [
                (
                    "<system prompt>",
                    modes.system_prompt(&person, &mode.slug).ok(),
                ),
                ("<when to use>", mode.when_to_use.clone()),
                ("<role>", Some(mode.role_definition.clone())),
                ("<instructions>", mode.custom_instructions.clone()),
            ];
            for (name, prose) in prose {
                let once = escaped(prose.as_deref().unwrap_or_default().trim_end());
                // JSON within JSON is escaped twice.
                for form in [escaped(&once), once] {
                    if !form.is_empty() {
                        text = text.replace(&form, name);
                    }
                }
            }
        }
        let instructions = answer["result"]["instructions"].as_str();
        if let Some(instructions) = instructions {
            text = text.replace(&escaped(instructions), "<instructions>");
        }
        serde_json::from_str(&text).expect("still JSON")
    }
}

fn escaped(text: &str) -> String {
    let quoted = json!(text).to_string();
    quoted.trim_matches('"').to_owned()
}

/// Whether `actual` has everything that `expected` has. Lists are compared as far as the example goes.
#[track_caller]
fn covers(place: &str, actual: &Value, expected: &Value) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            for (key, expected) in expected {
                let place = format!("{place}.{key}");
                let found = actual.get(key);
                let found = found.unwrap_or_else(|| panic!("{place} is missing in {actual:#?}"));
                covers(&place, found, expected);
            }
        }
        (Value::Array(actual), Value::Array(expected)) => {
            assert!(actual.len() >= expected.len(), "{place} is too short");
            for (idx, (actual, expected)) in actual.iter().zip(expected).enumerate() {
                covers(&format!("{place}[{idx}]"), actual, expected);
            }
        }
        _ => assert_eq!(actual, expected, "{place}"),
    }
}
