//! The tools: what `tools/list` answers, as tables.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{Asked, cell, header};
use crate::peer::{Peer, Wire};

pub(super) fn document(asked: &Asked<'_>) -> Result<String> {
    // With the tools that only some machines offer.
    let config = asked.home.path().join("every-tool.json");
    std::fs::write(&config, r#"{ "wall": { "run_unwalled": true } }"#)?;
    let mut command = asked.command();
    command.args(["mcp", "--in-memory", "--config"]).arg(config);
    let mut server = Peer::spawn(command, Wire::Pipes)?;
    server.initialize()?;
    let mut text = header("Tools", "`tools/list` of `modekeeper mcp`");
    text.push_str(
        "Every tool of the MCP server, with what it takes and what its structured answer holds.\n",
    );
    let mut cursor = None;
    loop {
        let page = server.request("tools/list", &json!({ "cursor": cursor }))?;
        for tool in page["tools"].as_array().context("no list of tools")? {
            write_tool(tool, &mut text)?;
        }
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(text),
        }
    }
}

fn write_tool(tool: &Value, text: &mut String) -> Result<()> {
    let name = tool["name"].as_str().context("a tool without a name")?;
    let about = tool["description"].as_str().unwrap_or_default();
    write!(text, "\n## `{name}`\n\n{about}")?;
    if !about.ends_with('.') {
        text.push('.');
    }
    writeln!(text, "\n{}", hints(&tool["annotations"]))?;
    let mut arguments = Vec::new();
    fields(&tool["inputSchema"], "", &mut arguments);
    match arguments.as_slice() {
        [] => text.push_str("\nIt takes no arguments.\n"),
        rows => {
            text.push_str("\n| argument | type | required | about |\n| --- | --- | --- | --- |\n");
            for row in rows {
                let required = if row.required { "yes" } else { "" };
                let Field {
                    path, kind, about, ..
                } = row;
                writeln!(text, "| `{path}` | {kind} | {required} | {about} |")?;
            }
        }
    }
    let mut answer = Vec::new();
    fields(&tool["outputSchema"], "", &mut answer);
    if !answer.is_empty() {
        text.push_str("\n| answer | type | always | about |\n| --- | --- | --- | --- |\n");
        for row in &answer {
            let always = if row.required { "yes" } else { "" };
            let Field {
                path, kind, about, ..
            } = row;
            writeln!(text, "| `{path}` | {kind} | {always} | {about} |")?;
        }
    }
    Ok(())
}

fn hints(annotations: &Value) -> &'static str {
    match (
        annotations["readOnlyHint"].as_bool(),
        annotations["destructiveHint"].as_bool(),
    ) {
        (Some(true), _) => "Read-only.",
        (_, Some(false)) => "Creates new items; does not modify existing ones.",
        _ => "Modifies existing items.",
    }
}

struct Field {
    path: String,
    kind: String,
    required: bool,
    about: String,
}

/// The properties of a schema, those of objects and lists inside it too.
fn fields(schema: &Value, prefix: &str, rows: &mut Vec<Field>) {
    let required = schema["required"].as_array();
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    for (name, property) in properties {
        let path = format!("{prefix}{name}");
        rows.push(Field {
            kind: cell(&kind(property)),
            required: required.is_some_and(|names| names.iter().any(|it| it == name)),
            about: cell(property["description"].as_str().unwrap_or_default()),
            path: path.clone(),
        });
        fields(property, &format!("{path}."), rows);
        fields(&property["items"], &format!("{path}[]."), rows);
        fields(
            &property["additionalProperties"],
            &format!("{path}.*."),
            rows,
        );
    }
}

fn kind(schema: &Value) -> String {
    let one_of = |values: &[Value], show: &dyn Fn(&Value) -> String| {
        values.iter().map(show).collect::<Vec<_>>().join(" or ")
    };
    if let Some(values) = schema["enum"].as_array() {
        return one_of(values, &|value| match value {
            Value::String(text) => format!("`{text}`"),
            value => format!("`{value}`"),
        });
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(values) = schema[key].as_array() {
            return one_of(values, &kind);
        }
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(name) => name.clone(),
        Value::Array(names) => one_of(names, &|name| name.as_str().unwrap_or("?").to_owned()),
        _ => "any".to_owned(),
    }
}
