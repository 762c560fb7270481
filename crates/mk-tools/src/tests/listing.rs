//! The tool list as a contract: what is in it, its form, its size.

use serde_json::{Map, Value, json};

use crate::{Tool, all, own_tools};

fn listed(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "group": tool.group.map(|group| group.to_string()),
        "hints": format!("{:?}", tool.effect),
        "inputSchema": tool.input_schema(),
        "outputSchema": tool.output_schema(),
    })
}

#[test]
fn the_tool_list_is_a_contract() {
    let list: Vec<Value> = all().map(listed).collect();
    insta::assert_json_snapshot!("tool_list", list);
}

#[test]
fn every_schema_is_plain() {
    let mut problems = Vec::new();
    for tool in all() {
        let sides = [
            ("input", Some(tool.input_schema())),
            ("output", tool.output_schema()),
        ];
        for (side, schema) in sides
            .into_iter()
            .filter_map(|(side, schema)| Some((side, schema?)))
        {
            let place = format!("{}.{side}", tool.name);
            if schema.get("type") != Some(&json!("object")) {
                problems.push(format!("{place}: the root is not an object"));
            }
            for key in ["anyOf", "oneOf", "allOf", "not", "enum", "$schema", "title"] {
                if schema.contains_key(key) {
                    problems.push(format!("{place}: the root has `{key}`"));
                }
            }
            lint(&place, &json!(schema), &mut problems);
        }
        describe(tool, &mut problems);
    }
    assert_eq!(problems, Vec::<String>::new());
}

/// No references, no combinators, one type a place: what some model API or client has choked on.
fn lint(place: &str, schema: &Value, problems: &mut Vec<String>) {
    let Some(fields) = schema.as_object() else {
        return;
    };
    for key in ["$ref", "$defs", "anyOf", "oneOf", "allOf", "format"] {
        if fields.contains_key(key) {
            problems.push(format!("{place}: `{key}`"));
        }
    }
    if fields.get("type").is_some_and(|kind| !kind.is_string()) {
        problems.push(format!("{place}: more than one type"));
    }
    let listed = properties(fields).map(|(name, property)| (name.as_str(), property));
    let nested = ["items", "additionalProperties"]
        .into_iter()
        .filter_map(|key| Some((key, fields.get(key)?)))
        .filter(|(_, schema)| schema.is_object());
    for (name, property) in listed.chain(nested) {
        if property.as_object().is_some_and(Map::is_empty) {
            problems.push(format!("{place}.{name}: says nothing"));
        }
        lint(&format!("{place}.{name}"), property, problems);
    }
    let required = fields.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !properties(fields).any(|(property, _)| property == name) {
            problems.push(format!("{place}: `{name}` is required and not a property"));
        }
    }
}

/// What a model fills in has a type and a description.
fn describe(tool: &Tool, problems: &mut Vec<String>) {
    for (name, property) in properties(tool.input_schema()) {
        for key in ["type", "description"] {
            // The server's instructions say what every tool takes it for.
            let is_known = key == "description" && name == "session_id";
            if !is_known && !property.get(key).is_some_and(Value::is_string) {
                problems.push(format!("{}.{name}: no {key}", tool.name));
            }
        }
    }
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

#[test]
fn tool_names_are_unique_and_found() {
    for tool in all() {
        let same = all().filter(|other| other.name == tool.name);
        assert_eq!(same.count(), 1, "{}", tool.name);
        assert_eq!(crate::find(tool.name).map(|it| it.name), Some(tool.name));
    }
    assert!(crate::find("write_to_file").is_none());
}

#[test]
fn the_policy_knows_every_tool_of_ours() {
    let world = super::World::new("");
    let catalogue = world.engine.modes().catalogue(&world.caller);
    let asked = own_tools();
    assert_eq!(asked.len(), all().count());
    for mk_engine::OwnTool { name, group, .. } in asked {
        // What no group guards, every mode may use; also the one with the fewest groups.
        for mode in catalogue.modes() {
            let could = mk_policy::could_allow(world.engine.policy(), mode, name);
            let expected = group.is_none_or(|group| mode.enables(group));
            assert_eq!(could, expected, "{name} in {}", mode.slug);
        }
    }
}
