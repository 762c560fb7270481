//! `GET /openapi.json`: the REST interface described for programs, from the tools themselves.

mod page;

use axum::Json;
use axum::extract::State;
use axum::http::Method;
use mk_tools::Tool;
use serde_json::{Value, json};

use crate::gate::{RouteNeed, need};
use crate::server::Web;

pub(crate) async fn document(State(web): State<Web>) -> Json<Value> {
    let tools = || mk_tools::listed(|family| web.offers(family)).into_iter();
    let calls: Vec<Value> = tools()
        .map(|tool| json!({ "$ref": format!("#/components/schemas/{}", tool.name) }))
        .collect();
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Modekeeper",
            "version": web.version,
            "description": "The tools of Modekeeper over plain HTTP. `GET /tools/list` has the schema of each tool's arguments.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "paths": paths(&calls),
        "components": { "schemas": schemas() },
    });
    page::describe(&mut document["paths"]);
    secure(&mut document);
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.extend(tools().map(|tool| (tool.name.to_owned(), call(tool))));
    }
    Json(document)
}

fn paths(calls: &[Value]) -> Value {
    let example = json!({ "name": "read_file", "arguments": { "file_path": "README.md" } });
    json!({
        "/server/info": { "get": operation("getServerInfo", "Server name, version and capabilities", json!({ "200": answer("The server", "ServerInfo") })) },
        "/openapi.json": { "get": operation("getOpenApi", "This document", json!({ "200": object("The document") })) },
        "/tools/list": { "get": operation("listTools", "List the tools", json!({ "200": answer("The tools", "ToolList") })) },
        "/tools/call": { "post": {
            "operationId": "callTool",
            "summary": "Call a tool",
            "requestBody": { "required": true, "content": { "application/json": {
                "schema": { "oneOf": calls, "discriminator": { "propertyName": "name" } },
                "example": example,
            } } },
            "responses": {
                "200": limited(answer("The result; `isError` is true if the tool failed", "ToolResult")),
                "400": answer("Malformed request", "ToolResult"),
                "403": text("Host or Origin is not allowed"),
                "413": text("The body is too large"),
                "429": limited(answer("Too many calls", "ToolResult")),
            },
        } },
        "/api/status": { "get": operation("getStatus", "Status of the project, its index and tool usage", json!({
            "200": answer("The status", "Status"),
            "400": answer("The project cannot be read", "ToolResult"),
        })) },
        "/api/language-servers/{language}/restart": { "post": {
            "operationId": "restartLanguageServer",
            "summary": "Restart the language server of a language",
            "parameters": [{ "name": "language", "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } }],
            "responses": {
                "200": answer("Restarted", "Restarted"),
                "400": answer("The project cannot be read", "ToolResult"),
                "404": answer("No server is known for this language", "ToolResult"),
                "409": answer("The server is not installed", "ToolResult"),
                "502": answer("The server does not start", "ToolResult"),
                "504": answer("The server did not start in time", "ToolResult"),
            },
        } },
        "/api/memories": { "get": operation("listMemories", "List the memories of the project", json!({
            "200": answer("The memories", "MemoryList"),
            "400": answer("The project cannot be read", "ToolResult"),
        })) },
        "/api/memories/{name}": { "get": page::with_parameters(operation("readMemory", "Read a memory", json!({
            "200": answer("The memory", "Memory"),
            "400": answer("The name is not allowed", "ToolResult"),
            "404": answer("There is no such memory", "ToolResult"),
        })), "/api/memories/{name}"), "delete": {
            "operationId": "deleteMemory",
            "summary": "Delete a memory",
            "parameters": [{ "name": "name", "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } }],
            "responses": {
                "200": answer("Deleted", "Deleted"),
                "400": answer("The project cannot be read", "ToolResult"),
                "403": answer("The memory is read-only", "ToolResult"),
                "404": answer("There is no such memory", "ToolResult"),
            },
        } },
    })
}

fn schemas() -> Value {
    json!({
        "ServerInfo": shape(&[("name", "string"), ("version", "string"), ("protocol_version", "string"), ("capabilities", "object")]),
        "ToolList": shape(&[("tools", "array")]),
        "Status": {
            "type": "object",
            "required": ["status", "project", "language_servers", "memory_count", "tool_usage"],
            "properties": {
                "status": { "enum": ["active", "inactive"] },
                "project": { "type": ["string", "null"] },
                "language_servers": { "type": "object", "additionalProperties": { "type": "string" } },
                "index": { "type": ["object", "null"] },
                "memory_count": { "type": "integer" },
                "tool_usage": { "type": "object", "additionalProperties": { "type": "integer" } },
            },
        },
        "Restarted": shape(&[("status", "string"), ("language", "string"), ("pid", "integer")]),
        "Memory": shape(&[("name", "string"), ("content", "string")]),
        "MemoryList": shape(&[("memories", "array")]),
        "Deleted": shape(&[("status", "string"), ("name", "string")]),
        "ToolResult": {
            "type": "object",
            "required": ["content", "isError"],
            "properties": {
                "content": { "type": "array", "items": shape(&[("type", "string"), ("text", "string")]) },
                "isError": { "type": "boolean" },
                "structuredContent": {},
                "metadata": { "type": "object" },
                "error_code": { "type": "string" },
                "details": { "type": "object" },
            },
        },
    })
}

/// Says of every operation which credentials it wants: the table of [`need`] is what the gate goes by.
fn secure(document: &mut Value) {
    document["components"]["securitySchemes"] = json!({
        "token": { "type": "http", "scheme": "bearer", "description": "A token of `modekeeper token create`" },
        "session": { "type": "apiKey", "in": "cookie", "name": crate::gate::COOKIE, "description": "Half of the page's session, under this name with `_` and the port; the other half is sent as `X-CSRF-Token`" },
    });
    let Some(paths) = document["paths"].as_object_mut() else {
        return;
    };
    for (path, methods) in paths {
        for (method, operation) in methods.as_object_mut().into_iter().flatten() {
            let Ok(method) = Method::from_bytes(method.to_uppercase().as_bytes()) else {
                continue;
            };
            let (security, role) = match need(&method, path) {
                RouteNeed::Nothing => (json!([]), None),
                // On this machine the same user needs none.
                RouteNeed::Agent => (json!([{}, { "token": [] }, { "session": [] }]), None),
                RouteNeed::Role(role) => (json!([{ "token": [] }, { "session": [] }]), Some(role)),
            };
            operation["security"] = security;
            if let Some(role) = role {
                operation["x-role"] = json!(role.as_str());
            }
            if need(&method, path) != RouteNeed::Nothing {
                operation["responses"]["401"] = answer("A credential is needed", "ToolResult");
                if operation["responses"].get("403").is_none() {
                    operation["responses"]["403"] =
                        answer("The credential does not allow this", "ToolResult");
                }
                operation["responses"]["429"] =
                    answer("Too many calls, or too many wrong tokens", "ToolResult");
            }
        }
    }
}

/// The body that calls a tool.
fn call(tool: &Tool) -> Value {
    let arguments = tool.input_schema();
    let mut required = vec!["name"];
    if arguments.contains_key("required") {
        required.push("arguments");
    }
    json!({
        "type": "object",
        "description": tool.description,
        "required": required,
        "properties": { "name": { "const": tool.name }, "arguments": arguments },
    })
}

fn operation(id: &str, summary: &str, responses: Value) -> Value {
    let mut operation = json!({ "operationId": id, "summary": summary });
    operation["responses"] = responses;
    operation
}

fn answer(description: &str, schema: &str) -> Value {
    let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

fn object(description: &str) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": { "type": "object" } } } })
}

fn text(description: &str) -> Value {
    json!({ "description": description, "content": { "text/plain": { "schema": { "type": "string" } } } })
}

fn limited(mut answer: Value) -> Value {
    let header = |what: &str| json!({ "description": what, "schema": { "type": "integer" } });
    answer["headers"] = json!({
        "X-RateLimit-Limit": header("Calls a minute"),
        "X-RateLimit-Remaining": header("Calls left"),
        "X-RateLimit-Reset": header("When the bucket is full again, in seconds since 1970"),
    });
    answer
}

/// An object of which all fields are required.
fn shape(fields: &[(&str, &str)]) -> Value {
    let properties: serde_json::Map<String, Value> = fields
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), json!({ "type": kind })))
        .collect();
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    json!({ "type": "object", "required": required, "properties": properties })
}
