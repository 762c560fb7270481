//! The questions by key, as they are on the wire.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::fixture::Arguments;

pub(crate) fn find(key: &str, arguments: &Arguments) -> Value {
    let argument = |name: &str| {
        arguments
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match key {
        "capital_question" => sample("What is the capital of France?"),
        "greeting" => sample("Generate a greeting"),
        "prompt" => sample(argument("prompt")),
        "client_roots" => json!({ "method": "roots/list", "params": {} }),
        "user_name" => ask("What is your name?", "name", "string"),
        "step1" => ask("Step 1: What is your name?", "name", "string"),
        "step2" => ask("Step 2: What is your favorite color?", "color", "string"),
        "user_context" => ask("What context should the prompt use?", "context", "string"),
        "user" => form(argument("message"), &USER),
        "defaults" => form("Please check these values", &DEFAULTS),
        "enums" => form("Please choose", &ENUMS),
        _ => ask("Please confirm", "ok", "boolean"),
    }
}

/// The capability of a client that can answer.
pub(crate) fn capability(question: &Value) -> &'static str {
    match question["method"].as_str() {
        Some("sampling/createMessage") => "sampling",
        Some("roots/list") => "roots",
        _ => "elicitation",
    }
}

/// Whether the client's result has the shape that the question asks for.
pub(crate) fn is_answered_by(question: &Value, answer: &Value) -> bool {
    let required = question["params"]["requestedSchema"]["required"].as_array();
    let mut fields = required.into_iter().flatten().filter_map(Value::as_str);
    match capability(question) {
        "sampling" => answer["content"].is_object(),
        "roots" => answer["roots"].is_array(),
        _ => answer["action"] == "accept" && fields.all(|it| answer["content"].get(it).is_some()),
    }
}

/// A form with one field.
pub(crate) fn ask(message: &str, field: &str, kind: &str) -> Value {
    form(message, &json!({ field: { "type": kind } }))
}

/// A form whose fields are all required.
fn form(message: &str, properties: &Value) -> Value {
    let required: Vec<_> = properties
        .as_object()
        .into_iter()
        .flat_map(|it| it.keys())
        .collect();
    let schema = json!({ "type": "object", "required": required, "properties": properties });
    let params = json!({ "message": message, "requestedSchema": schema });
    json!({ "method": "elicitation/create", "params": params })
}

fn sample(prompt: &str) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    let params = json!({ "messages": [message], "maxTokens": 100 });
    json!({ "method": "sampling/createMessage", "params": params })
}

static USER: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "username": { "type": "string", "description": "User's response" },
        "email": { "type": "string", "description": "User's email address" },
    })
});

/// A default for each primitive type (SEP-1034).
static DEFAULTS: LazyLock<Value> = LazyLock::new(|| {
    let statuses = ["active", "inactive", "pending"];
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": statuses, "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
});

/// Each way to write an enumeration (SEP-1330).
static ENUMS: LazyLock<Value> = LazyLock::new(|| {
    let plain = ["option1", "option2", "option3"];
    let titled = json!([
        { "const": "value1", "title": "First" },
        { "const": "value2", "title": "Second" },
        { "const": "value3", "title": "Third" },
    ]);
    let names = ["Option One", "Option Two", "Option Three"];
    json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": names },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    })
});
