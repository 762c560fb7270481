//! The routes of the page, one line each.

use serde_json::{Value, json};

use super::{answer, object, operation, text};

/// What a route answers.
#[derive(Clone, Copy)]
enum RouteAnswer {
    Object,
    Text(&'static str),
}

/// Method, path, id, summary, what it gives, and the fields of its body.
type RouteRow = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    RouteAnswer,
    &'static [(&'static str, &'static str)],
);

const ROWS: &[RouteRow] = &[
    (
        "get",
        "/",
        "getPage",
        "The dashboard",
        RouteAnswer::Text("text/html"),
        &[],
    ),
    (
        "get",
        "/page/{file}",
        "getPageFile",
        "A file of the dashboard",
        RouteAnswer::Text("text/plain"),
        &[],
    ),
    (
        "get",
        "/healthz",
        "getHealth",
        "Whether the process is alive",
        RouteAnswer::Text("text/plain"),
        &[],
    ),
    (
        "get",
        "/readyz",
        "getReadiness",
        "Whether calls can be answered",
        RouteAnswer::Text("text/plain"),
        &[],
    ),
    (
        "get",
        "/metrics",
        "getMetrics",
        "Figures for Prometheus",
        RouteAnswer::Text("text/plain"),
        &[],
    ),
    (
        "get",
        "/api/session",
        "getSession",
        "Who is at the page",
        RouteAnswer::Object,
        &[],
    ),
    (
        "post",
        "/api/session",
        "openSession",
        "Open a session of the page with a one-time link, or with the token of the request",
        RouteAnswer::Object,
        &[("link", "string")],
    ),
    (
        "delete",
        "/api/session",
        "closeSession",
        "End the page's session",
        RouteAnswer::Object,
        &[],
    ),
    (
        "get",
        "/api/events",
        "getEvents",
        "What changes, as server-sent events; resume with `Last-Event-ID`",
        RouteAnswer::Text("text/event-stream"),
        &[],
    ),
    (
        "get",
        "/api/approvals",
        "listApprovals",
        "Requests that wait for a person",
        RouteAnswer::Object,
        &[],
    ),
    (
        "post",
        "/api/approvals/{id}",
        "decideApproval",
        "Approve or deny a request",
        RouteAnswer::Object,
        &[("verdict", "string")],
    ),
    (
        "get",
        "/api/acts",
        "listActs",
        "Who changed what over HTTP, and from where",
        RouteAnswer::Object,
        &[],
    ),
    (
        "get",
        "/api/tasks",
        "listTasks",
        "Tasks and live conversations of agents",
        RouteAnswer::Object,
        &[],
    ),
    (
        "get",
        "/api/tasks/{id}",
        "getTask",
        "A task with messages, history, decisions and backups",
        RouteAnswer::Object,
        &[],
    ),
    (
        "post",
        "/api/tasks/{id}/switch",
        "switchTask",
        "Switch a task to another mode",
        RouteAnswer::Object,
        &[("mode", "string")],
    ),
    (
        "post",
        "/api/tasks/{id}/finish",
        "finishTask",
        "Complete, fail or cancel a task",
        RouteAnswer::Object,
        &[("state", "string")],
    ),
    (
        "get",
        "/api/backups",
        "listBackups",
        "Changes of files that can be undone",
        RouteAnswer::Object,
        &[],
    ),
    (
        "post",
        "/api/backups/{id}/restore",
        "restoreBackup",
        "Undo a change of files",
        RouteAnswer::Object,
        &[("force", "boolean")],
    ),
    (
        "get",
        "/api/decisions",
        "listDecisions",
        "Decisions, newest first; `format` csv or json gives a file",
        RouteAnswer::Object,
        &[],
    ),
    (
        "get",
        "/api/decisions/{id}",
        "getDecision",
        "A decision, and what would change it",
        RouteAnswer::Object,
        &[],
    ),
    (
        "get",
        "/api/modes",
        "listModes",
        "Modes with their rights, patterns and problems",
        RouteAnswer::Object,
        &[],
    ),
    (
        "get",
        "/api/modes/{slug}/prompt",
        "getModePrompt",
        "The system prompt of a mode",
        RouteAnswer::Object,
        &[],
    ),
    (
        "post",
        "/api/modes/{slug}/trust",
        "trustMode",
        "Trust a mode as its file has it now",
        RouteAnswer::Object,
        &[("hash", "string")],
    ),
    (
        "post",
        "/api/modes/draft",
        "checkDraft",
        "Check a mode file before it is saved",
        RouteAnswer::Object,
        &[("text", "string")],
    ),
    (
        "get",
        "/api/modes/file",
        "getModeFile",
        "The project's mode file and its schema",
        RouteAnswer::Object,
        &[],
    ),
    (
        "put",
        "/api/modes/file",
        "saveModeFile",
        "Save the project's mode file",
        RouteAnswer::Object,
        &[("text", "string")],
    ),
    (
        "post",
        "/api/mode",
        "setProjectMode",
        "Set the mode that agents are held in",
        RouteAnswer::Object,
        &[("mode", "string")],
    ),
    (
        "post",
        "/api/check",
        "checkCall",
        "What a mode would decide about a call",
        RouteAnswer::Object,
        &[("mode", "string"), ("tool", "string")],
    ),
    (
        "get",
        "/api/enforcement",
        "getEnforcement",
        "What holds each client on this machine",
        RouteAnswer::Object,
        &[],
    ),
    (
        "get",
        "/api/project",
        "getProject",
        "Languages, index and language servers of the project",
        RouteAnswer::Object,
        &[],
    ),
    (
        "get",
        "/api/playbook",
        "searchPlaybook",
        "Search rules, agents and skills",
        RouteAnswer::Object,
        &[],
    ),
    (
        "get",
        "/api/usage",
        "getUsage",
        "Figures about calls, decisions and approvals",
        RouteAnswer::Object,
        &[],
    ),
    (
        "get",
        "/api/logs",
        "getLogs",
        "The last lines of the server's log",
        RouteAnswer::Object,
        &[],
    ),
    (
        "put",
        "/api/memories/{name}",
        "writeMemory",
        "Write a memory",
        RouteAnswer::Object,
        &[("content", "string")],
    ),
];

/// Optional fields of bodies, which the rows leave out.
const OPTIONAL: &[(&str, &str, &str)] = &[
    ("switchTask", "reason", "string"),
    ("finishTask", "result", "string"),
    ("setProjectMode", "new_only", "boolean"),
    ("checkCall", "target", "string"),
];

/// Parameters of queries: operation, name, type.
const QUERIES: &[(&str, &str, &str)] = &[
    ("listTasks", "all", "boolean"),
    ("listBackups", "project", "string"),
    ("restoreBackup", "project", "string"),
    ("searchPlaybook", "q", "string"),
    ("getUsage", "since", "integer"),
    ("getUsage", "format", "string"),
    ("listDecisions", "conversation", "string"),
    ("listDecisions", "client", "string"),
    ("listDecisions", "mode", "string"),
    ("listDecisions", "tool", "string"),
    ("listDecisions", "verdict", "string"),
    ("listDecisions", "since", "integer"),
    ("listDecisions", "before", "string"),
    ("listDecisions", "limit", "integer"),
    ("listDecisions", "format", "string"),
];

/// What texts must look like: operation, name, and the values that there are, or else a pattern.
const TEXTS: &[(&str, &str, TextLooks)] = &[
    (
        "decideApproval",
        "verdict",
        TextLooks::OneOf(&["approve", "deny"]),
    ),
    (
        "finishTask",
        "state",
        TextLooks::OneOf(&["completed", "failed", "cancelled"]),
    ),
    ("finishTask", "id", TextLooks::Like(SESSION)),
    ("getTask", "id", TextLooks::Like(SESSION)),
    ("switchTask", "id", TextLooks::Like(SESSION)),
    ("switchTask", "mode", TextLooks::Like(SLUG)),
    ("setProjectMode", "mode", TextLooks::Like(SLUG)),
    ("checkCall", "mode", TextLooks::Like(SLUG)),
    ("getModePrompt", "slug", TextLooks::Like(SLUG)),
    ("listDecisions", "mode", TextLooks::Like(SLUG)),
    (
        "listDecisions",
        "conversation",
        TextLooks::Like("^conv_[A-Za-z0-9]{12,64}$"),
    ),
    (
        "listDecisions",
        "before",
        TextLooks::Like("^dec_[A-Za-z0-9]{12,64}$"),
    ),
    (
        "listDecisions",
        "verdict",
        TextLooks::OneOf(&["allow", "ask", "unproven", "deny", "paused"]),
    ),
    (
        "listDecisions",
        "format",
        TextLooks::OneOf(&["csv", "json"]),
    ),
    ("getUsage", "format", TextLooks::OneOf(&["csv", "json"])),
];

const SESSION: &str = "^sess_[A-Za-z0-9]{12,64}$";
const SLUG: &str = "^[A-Za-z0-9-]{1,128}$";

/// What a text looks like.
enum TextLooks {
    OneOf(&'static [&'static str]),
    Like(&'static str),
}

/// The schema of a field or parameter.
fn typed(operation: &str, name: &str, kind: &str) -> Value {
    let mut schema = json!({ "type": kind });
    let known = TEXTS
        .iter()
        .find(|(of, field, _)| (*of, *field) == (operation, name));
    match known {
        Some((.., TextLooks::OneOf(values))) => schema["enum"] = json!(values),
        Some((.., TextLooks::Like(pattern))) => schema["pattern"] = json!(pattern),
        None => {}
    }
    schema
}

/// Adds them to the paths of a document.
pub(super) fn describe(paths: &mut Value) {
    for &(method, path, id, summary, gives, body) in ROWS {
        let responses = match gives {
            RouteAnswer::Object => json!({
                "200": object("The answer"),
                "400": answer("Malformed request", "ToolResult"),
                "403": answer("The role is too low, or the request does not come from the page", "ToolResult"),
                "404": answer("There is no such thing", "ToolResult"),
                "409": answer("Something has changed in the meantime", "ToolResult"),
                "410": answer("The task has expired", "ToolResult"),
                "415": text("Send JSON"),
                "502": answer("A language server failed", "ToolResult"),
                "503": answer("The store cannot be used right now", "ToolResult"),
                "504": answer("It took too long", "ToolResult"),
            }),
            RouteAnswer::Text(kind) => json!({
                "200": { "description": "The answer", "content": { kind: { "schema": { "type": "string" } } } },
                "404": text("There is no such file"),
                "503": text("Not now"),
            }),
        };
        let mut operation = with_parameters(operation(id, summary, responses), path);
        let has_files = QUERIES.contains(&(id, "format", "string"));
        if has_files {
            let csv = json!({ "schema": { "type": "string" } });
            operation["responses"]["200"]["content"]["text/csv"] = csv;
            // A file of JSON is a list where the answer is an object.
            operation["responses"]["200"]["content"]["application/json"]["schema"] =
                json!({ "type": ["object", "array"] });
        }
        if id == "openSession" {
            operation["responses"]["401"] = answer(
                "The link was used or has expired, or the token is invalid",
                "ToolResult",
            );
        }
        if !body.is_empty() {
            operation["requestBody"] = json!({
                "required": true,
                "content": { "application/json": { "schema": schema(id, body) } },
            });
        }
        paths[path][method] = operation;
    }
}

/// The operation with the parameters that its path and its queries have.
pub(super) fn with_parameters(mut operation: Value, path: &str) -> Value {
    let in_path = path
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split('}').next());
    let id = operation["operationId"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let in_path = in_path.map(|name| {
        let mut schema = typed(&id, name, "string");
        schema["minLength"] = json!(1);
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    });
    let queries = QUERIES.iter().filter(|(of, ..)| *of == id);
    let queries = queries.map(|(_, name, kind)| {
        let mut schema = typed(&id, name, kind);
        if *kind == "integer" {
            schema["minimum"] = json!(0);
            schema["maximum"] = json!(u32::MAX);
        }
        json!({ "name": name, "in": "query", "schema": schema })
    });
    let parameters: Vec<Value> = in_path.chain(queries).collect();
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    operation
}

fn schema(id: &str, fields: &[(&str, &str)]) -> Value {
    // Undoing has nothing that must be said, and a token opens a session without a link.
    let is_needed = |name: &&str| !["force", "link"].contains(name);
    let required: Vec<&str> = fields
        .iter()
        .map(|(name, _)| *name)
        .filter(is_needed)
        .collect();
    let optional = OPTIONAL.iter().filter(|(of, ..)| *of == id);
    let all = fields
        .iter()
        .copied()
        .chain(optional.map(|(_, name, kind)| (*name, *kind)));
    let properties: serde_json::Map<String, Value> = all
        .map(|(name, kind)| (name.to_owned(), typed(id, name, kind)))
        .collect();
    json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
}
