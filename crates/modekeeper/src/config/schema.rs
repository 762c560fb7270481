//! The JSON Schema of `config.json`, made from the table of settings.

use serde_json::{Map, Value as Json, json};

use super::Fallback;
use super::table::schemas;

/// For editors: keys, types, defaults and texts.
pub(crate) fn schema() -> Json {
    let mut root = object();
    root.insert(
        "$schema".to_owned(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    root.insert("title".to_owned(), json!("Modekeeper's config.json"));
    // The original program's own name and version, and its log format: accepted, without effect.
    insert(&mut root, "$schema", json!({ "type": "string" }));
    insert(&mut root, "server", json!({ "type": "object" }));
    insert(
        &mut root,
        "logging.format",
        json!({ "type": "string", "deprecated": true }),
    );
    for (setting, value) in schemas() {
        if !setting.in_file {
            continue;
        }
        let mut about = Map::new();
        about.insert("description".to_owned(), json!(setting.text));
        if let Fallback::Json(text) = setting.default
            && let Ok(default) = serde_json::from_str::<Json>(text)
            && !default.is_null()
        {
            about.insert("default".to_owned(), default);
        }
        // `null` sets nothing.
        about.insert("anyOf".to_owned(), json!([value, { "type": "null" }]));
        insert(&mut root, setting.key, Json::Object(about));
    }
    Json::Object(root)
}

fn object() -> Map<String, Json> {
    let mut object = Map::new();
    object.insert("type".to_owned(), json!("object"));
    object.insert("properties".to_owned(), json!({}));
    object.insert("additionalProperties".to_owned(), json!(false));
    object
}

/// Puts a key's schema where `a.b` stands.
fn insert(object_schema: &mut Map<String, Json>, key: &str, value: Json) {
    let Some(Json::Object(properties)) = object_schema.get_mut("properties") else {
        return;
    };
    match key.split_once('.') {
        None => {
            properties.insert(key.to_owned(), value);
        }
        Some((section, rest)) => {
            let section = properties
                .entry(section)
                .or_insert_with(|| Json::Object(object()));
            if let Json::Object(section) = section {
                insert(section, rest, value);
            }
        }
    }
}
