//! The tool list as a contract: what is in it, its form, its size.

use serde_json::{Map, Value, json};

use crate::{Tool, Toolset, all, own_tools};

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
            // Clients check the structured content of a refusal, too, and it has none of the fields.
            if side == "output" && schema.contains_key("required") {
                problems.push(format!("{place}: fields are required"));
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
    let n_foreign = crate::serena::names().count();
    assert_eq!(asked.len(), all().count() + n_foreign);
    for mk_engine::OwnTool { name, group, .. } in asked {
        // What no group guards, every mode may use; also the one with the fewest groups.
        for mode in catalogue.modes() {
            let could = mk_policy::could_allow(world.engine.policy(), mode, name);
            let expected = group.is_none_or(|group| mode.enables(group));
            assert_eq!(could, expected, "{name} in {}", mode.slug);
        }
    }
}

#[test]
fn serenas_tools_are_listed_on_request_and_lead_to_ours() {
    let names = |offers: &dyn Fn(Toolset) -> bool| -> Vec<&str> {
        let listed = crate::listed(offers).into_iter();
        listed.map(|tool| tool.name).collect()
    };
    let by_default = names(&|family| Toolset::DEFAULT.contains(&family));
    assert_eq!(by_default, all().map(|tool| tool.name).collect::<Vec<_>>());
    let serena = names(&|family| family == Toolset::Serena);
    let wanted = "find_symbol find_referencing_symbols replace_symbol_body insert_after_symbol rename_symbol \
                  safe_delete_symbol find_file create_text_file read_memory";
    for name in wanted.split_whitespace() {
        assert!(serena.contains(&name), "{name}");
    }
    for tool in crate::listed(|family| family == Toolset::Serena) {
        assert_eq!(tool.group, tool.target().group, "{}", tool.name);
        let mut problems = Vec::new();
        lint(tool.name, &json!(tool.input_schema()), &mut problems);
        assert_eq!(problems, Vec::<String>::new());
    }
}

#[track_caller]
fn check_translated(name: &str, given: &Value, tool: &str, expected: &Value) {
    let arguments = given.as_object().cloned().unwrap_or_default();
    let offers = |family| Toolset::DEFAULT.contains(&family);
    let parsed = crate::offered(name, offers).unwrap().parse(arguments);
    let parsed = parsed.unwrap();
    assert_eq!(parsed.tool.name, tool, "{name}");
    assert_eq!(parsed.arguments(), expected, "{name}");
}

#[test]
fn serenas_arguments_are_read_as_ours() {
    check_translated(
        "find_symbol",
        &json!({ "name_path_pattern": "A/b", "relative_path": "src", "include_body": false, "max_matches": 3 }),
        "find_symbols",
        &json!({ "query": "A/b", "file_pattern": "src", "include_body": false, "max_results": 3 }),
    );
    check_translated(
        "find_symbol",
        &json!({ "name_path": "A", "relative_path": "a.py", "include_body": true }),
        "get_symbol_definition",
        &json!({ "symbol_name": "A", "file_path": "a.py", "include_body": true, "body": true }),
    );
    check_translated(
        "replace_symbol_body",
        &json!({ "name_path": "A/b", "relative_path": "a.py", "body": "def b(): pass" }),
        "edit_symbol",
        &json!({ "symbol_name": "A/b", "file_path": "a.py", "content": "def b(): pass", "operation": "replace" }),
    );
    check_translated(
        "safe_delete_symbol",
        &json!({ "name_path_pattern": "A", "relative_path": "a.py" }),
        "edit_symbol",
        &json!({ "symbol_name": "A", "file_path": "a.py", "operation": "delete" }),
    );
    // Its lines are counted from 0, ours from 1.
    check_translated(
        "read_file",
        &json!({ "relative_path": "a.py", "start_line": 0, "end_line": 4 }),
        "read_file",
        &json!({ "file_path": "a.py", "start_line": 1, "end_line": 5 }),
    );
    check_translated(
        "read_file",
        &json!({ "file_path": "a.py", "start_line": 1 }),
        "read_file",
        &json!({ "file_path": "a.py", "start_line": 1 }),
    );
    check_translated(
        "replace_content",
        &json!({ "relative_path": "a", "needle": "(x)", "repl": "$!1y", "mode": "regex" }),
        "replace_content",
        &json!({ "file_path": "a", "find": "(x)", "replace": "$1y", "regex": true }),
    );
    check_translated(
        "read_memory",
        &json!({ "memory_name": "core" }),
        "read_memory",
        &json!({ "name": "core" }),
    );
    check_translated(
        "find_file",
        &json!({ "file_mask": "*.py", "relative_path": "." }),
        "find_files",
        &json!({ "pattern": "*.py" }),
    );
}
