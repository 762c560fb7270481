//! JSON Schemas of arguments and outputs, in the plain form that every client and model API takes.
//!
//! Root `type: object`, single types, no `$ref`, no combinators; and the check of arguments against them.

use mk_engine::Error;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::tool::{Tool, Toolset};

pub(crate) fn of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    simplify(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            schema.remove("title");
            schema.remove("description");
            schema
                .entry("properties")
                .or_insert_with(|| Value::Object(Map::new()));
            schema
        }
        _ => Map::new(),
    }
}

/// The schema of an output: its fields and their types. Every client carries it along with every request, so it says
/// no more than a program needs to find its way.
pub(crate) fn of_output<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = of::<T>();
    // A refusal has none of these fields, and clients check its structured content, too.
    schema.remove("required");
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields
        .into_iter()
        .flat_map(|fields| fields.values_mut())
        .filter_map(Value::as_object_mut)
    {
        let items = field.get("items").and_then(|items| items.get("type"));
        let items = items.cloned().map(|kind| json!({ "type": kind }));
        let kind = field.remove("type").unwrap_or_default();
        field.clear();
        field.insert("type".to_owned(), kind);
        field.extend(items.map(|items| ("items".to_owned(), items)));
    }
    schema
}

/// Optional fields are those that are not required; `null` as a second type says it again, and many clients cannot read it.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(mut choices)) = map.remove("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
                match choices.as_mut_slice() {
                    [Value::Object(only)] => {
                        for (key, value) in std::mem::take(only) {
                            map.entry(key).or_insert(value);
                        }
                    }
                    _ => {
                        map.insert("anyOf".to_owned(), Value::Array(choices));
                    }
                }
            }
            if let Some(Value::Array(variants)) = map.get_mut("enum") {
                variants.retain(|variant| !variant.is_null());
            }
            map.remove("format");
            // Said of every number that is not signed.
            if map.get("minimum") == Some(&json!(0)) {
                map.remove("minimum");
            }
            if map.get("default") == Some(&Value::Null) {
                map.remove("default");
            }
            map.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

/// Checks required parameters, types and choices; the message names the parameter, as the contract wants it.
pub(crate) fn check(tool: &Tool, arguments: &mut Map<String, Value>) -> Result<(), Error> {
    let schema = tool.input_schema();
    // Clients send `null` for what they leave out.
    arguments.retain(|_, value| !value.is_null());
    let invalid = |message: String| {
        Err(Error::InvalidInput {
            parameter: None,
            message,
        })
    };
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !arguments.contains_key(name) {
            return invalid(match tool.toolset {
                Toolset::Rules => format!("Missing required parameter: {name}"),
                _ => format!("Missing required parameter for {}: {name}", tool.name),
            });
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let Some(value) = arguments.get(name) else {
            continue;
        };
        let kind = property
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let (fits, article) = match kind {
            "string" => (value.is_string(), "a string"),
            "boolean" => (value.is_boolean(), "a boolean"),
            "integer" => (value.is_i64() || value.is_u64(), "an integer"),
            "number" => (value.is_number(), "a number"),
            "object" => (value.is_object(), "an object"),
            "array" => (value.is_array(), "an array"),
            _ => (true, ""),
        };
        if !fits {
            return invalid(format!("Parameter {name} must be {article}"));
        }
        if let Some(choices) = property.get("enum").and_then(Value::as_array)
            && !choices.contains(value)
        {
            let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
            return invalid(format!(
                "Parameter {name} must be one of: {}",
                choices.join(", ")
            ));
        }
    }
    Ok(())
}
