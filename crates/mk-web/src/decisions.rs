//! `/api/decisions`: what was decided, filtered, in full, and as files to keep.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use mk_engine::{DecisionFilter, DecisionRecord, Error, Ruling};
use mk_types::{ConversationId, DecisionId, ModeSlug, ProjectId, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::reply::{self, JsonQuery};
use crate::server::Web;

/// Decisions in one answer at most.
const MOST: usize = 10_000;
const USUAL: usize = 200;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DecisionsQuery {
    conversation: Option<String>,
    client: Option<String>,
    mode: Option<String>,
    tool: Option<String>,
    verdict: Option<String>,
    /// Seconds back from now.
    since: Option<u64>,
    before: Option<String>,
    limit: Option<usize>,
    format: Option<String>,
}

impl DecisionsQuery {
    fn filter(&self, now: Timestamp) -> Result<DecisionFilter, String> {
        fn some<T>(
            text: Option<&String>,
            read: impl Fn(&str) -> Option<T>,
        ) -> Result<Option<T>, String> {
            let given = text.filter(|text| !text.is_empty());
            given
                .map(|text| read(text).ok_or_else(|| format!("`{text}` cannot be read")))
                .transpose()
        }
        let word = |text: Option<&String>| text.filter(|text| !text.is_empty()).cloned();
        Ok(DecisionFilter {
            conversation: some(self.conversation.as_ref(), |it| {
                ConversationId::parse(it).ok()
            })?,
            client: word(self.client.as_ref()),
            mode: some(self.mode.as_ref(), |it| ModeSlug::parse(it).ok())?,
            tool: word(self.tool.as_ref()),
            ruling: some(self.verdict.as_ref(), Ruling::parse)?,
            before: some(self.before.as_ref(), |it| DecisionId::parse(it).ok())?,
            since: self
                .since
                .map(|seconds| now.before(std::time::Duration::from_secs(seconds))),
            limit: Some(self.limit.unwrap_or(USUAL).min(MOST)),
            ..DecisionFilter::default()
        })
    }
}

pub(crate) async fn list(
    State(web): State<Web>,
    JsonQuery(wanted): JsonQuery<DecisionsQuery>,
) -> Response {
    let filter = match wanted.filter(web.engine.clock().now()) {
        Ok(filter) => filter,
        Err(message) => return reply::malformed(&message),
    };
    let found = match web.engine.decisions().list(&filter) {
        Ok(found) => found,
        Err(error) => return reply::refuse(&error),
    };
    match wanted.format.as_deref() {
        None | Some("") => {
            Json(json!({ "decisions": found.iter().map(to_json).collect::<Vec<_>>() }))
                .into_response()
        }
        Some("json") => {
            let all: Value = found.iter().map(in_full).collect();
            file("application/json", "decisions.json", all.to_string())
        }
        Some("csv") => file("text/csv; charset=utf-8", "decisions.csv", csv(&found)),
        Some(other) => reply::malformed(&format!("`{other}` is not a format; csv and json are")),
    }
}

pub(crate) async fn show(State(web): State<Web>, Path(id): Path<String>) -> Response {
    let Ok(id) = DecisionId::parse(&id) else {
        return reply::missing(&format!("decision not found: {id}"));
    };
    let explained = web.engine.decisions().explain(&id);
    let made = explained.map(|found| {
        let mut value = in_full(&found.decision);
        value["project_root"] = json!(found.root.map(|root| root.to_string()));
        value["mode_now"] = json!(found.mode_now.as_ref().map(ModeSlug::as_str));
        value["advice"] = json!(found.advice);
        value
    });
    match made {
        Err(Error::NotFound(what)) => reply::missing(&what.to_string()),
        made => reply::answer(made),
    }
}

/// As lists and events show it.
pub(crate) fn to_json(decision: &DecisionRecord) -> Value {
    json!({
        "id": decision.id.as_str(),
        "at": decision.at.to_string(),
        "conversation": decision.conversation.as_ref().map(ConversationId::as_str),
        "client": decision.client,
        "mode": decision.mode.as_str(),
        "tool": decision.tool,
        "target": decision.target,
        "verdict": decision.ruling.as_str(),
        "rule": decision.rule,
        "reason": decision.reason,
    })
}

fn in_full(decision: &DecisionRecord) -> Value {
    let mut value = to_json(decision);
    value["project"] = json!(decision.project.as_ref().map(ProjectId::as_str));
    value["hint"] = json!(decision.hint);
    value["policy_hash"] = json!(decision.policy_hash);
    value["input"] = json!(decision.input);
    value["input_is_whole"] = json!(decision.has_whole_input());
    value
}

fn csv(found: &[DecisionRecord]) -> String {
    let mut text =
        "id,at,conversation,client,project,mode,tool,target,verdict,rule,reason,policy_hash\r\n"
            .to_owned();
    for decision in found {
        let fields = [
            decision.id.as_str().to_owned(),
            decision.at.to_string(),
            decision
                .conversation
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            decision.client.clone(),
            decision
                .project
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            decision.mode.to_string(),
            decision.tool.clone(),
            decision.target.clone(),
            decision.ruling.to_string(),
            decision.rule.clone(),
            decision.reason.clone(),
            decision.policy_hash.clone(),
        ];
        let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        text.push_str(&fields.join(","));
        text.push_str("\r\n");
    }
    text
}

/// A field that no spreadsheet takes for a formula: agents write some of them.
pub(crate) fn quoted(field: &str) -> String {
    let guard = if field.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        "'"
    } else {
        ""
    };
    format!("\"{guard}{}\"", field.replace('"', "\"\""))
}

pub(crate) fn file(kind: &'static str, name: &str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
    ];
    (headers, text).into_response()
}
