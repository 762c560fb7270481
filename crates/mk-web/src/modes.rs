//! `/api/modes`: rights as a matrix, prompts, what a mode would say to a call, and the editor's checks.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use mk_engine::{
    Actor, Caller, Draft, Error, NextStep, OWN_MODE_FILE, PatternUse, SwitchAudience, UntrustedMode,
};
use mk_policy::{Diagnostic, Group, Mode, Severity};
use mk_tools::ModeInfo;
use mk_types::ModeSlug;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::gate::RequestSender;
use crate::reply;
use crate::server::Web;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaygroundCall {
    mode: String,
    tool: String,
    /// A path, a command line, or server/tool.
    target: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModeFileBody {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustBody {
    /// Of the text that the page has shown.
    hash: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModesQuery {
    mode: String,
    /// Whether conversations that run now keep their mode.
    #[serde(default)]
    new_only: bool,
}

pub(crate) async fn list(State(web): State<Web>) -> Response {
    reply::answer(beside(&web, listed).await)
}

fn listed(web: &Web, caller: &Caller) -> Result<Value, Error> {
    let modes = web.engine.modes();
    let catalogue = modes.catalogue(caller);
    let patterns = modes.patterns(caller);
    let standpoint = web.engine.conversations().standpoint(&caller.project)?;
    let untrusted = modes.untrusted(caller);
    let shown = catalogue.modes().iter().map(|mode| {
        let uses = patterns.iter().find(|(slug, _)| *slug == mode.slug);
        let uses = uses.map(|(_, uses)| uses.as_slice()).unwrap_or_default();
        let mut value = to_json(mode, uses);
        let waits = untrusted.iter().find(|it| it.slug == mode.slug);
        value["trusted"] = json!(waits.is_none());
        value["untrusted"] = json!(waits.map(untrusted_text));
        value
    });
    let project = standpoint.project.as_ref();
    Ok(json!({
        "root": standpoint.root.as_str(),
        "groups": Group::ALL.map(Group::as_str),
        "modes": shown.collect::<Vec<_>>(),
        "diagnostics": modes.lint(caller).iter().map(diagnostic).collect::<Vec<_>>(),
        "project_mode": project.and_then(|it| it.mode.as_ref()).map(ModeSlug::as_str),
        "paused_until": project.and_then(|it| it.paused_until).map(|at| at.to_string()),
        "default_mode": web.engine.settings().default_mode.as_str(),
        "switching": web.engine.switching_for(caller)?.as_str(),
        "ceiling": web.ceiling.as_ref().map(|ceiling| ceiling.slug().as_str()),
    }))
}

/// What a mode wants that waits for trust, and by which hash a person trusts exactly this.
fn untrusted_text(waits: &UntrustedMode) -> Value {
    let changes = waits
        .changes
        .iter()
        .map(|it| json!({ "group": it.group.as_str(), "before": it.before, "after": it.after }));
    json!({ "hash": waits.hash, "changes": changes.collect::<Vec<_>>() })
}

fn to_json(mode: &Mode, patterns: &[PatternUse]) -> Value {
    let mut value = json!(ModeInfo::from(mode));
    value["file"] = json!(mode.file);
    value["hidden"] = json!(mode.hidden);
    value["patterns"] = patterns.iter().map(pattern).collect();
    value
}

fn pattern(found: &PatternUse) -> Value {
    json!({
        "group": found.group.as_str(),
        "pattern": found.pattern,
        "line": found.line,
        "matched": found.matched,
        "files": found.n_files,
        "examples": found.examples,
    })
}

fn diagnostic(found: &Diagnostic) -> Value {
    json!({
        "severity": match found.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "file": found.file,
        "line": found.position.line,
        "column": found.position.column,
        "mode": found.subject.as_ref().map(|subject| subject.name.as_str()),
        "message": found.message,
        "hint": found.hint,
    })
}

pub(crate) async fn prompt(State(web): State<Web>, Path(slug): Path<String>) -> Response {
    let caller = web.caller(Actor::Operator);
    let made = web
        .engine
        .modes()
        .get(&caller, "mode", &slug)
        .and_then(|mode| {
            let prompt = web.engine.modes().system_prompt(&caller, &mode.slug)?;
            Ok(json!({ "mode": mode.slug.as_str(), "prompt": prompt }))
        });
    reply::answer(made)
}

/// What a mode would decide about a call. Nobody is asked, nothing is recorded.
pub(crate) async fn check(State(web): State<Web>, body: Bytes) -> Response {
    let PlaygroundCall { mode, tool, target } = match reply::read(&body) {
        Ok(question) => question,
        Err(refusal) => return *refusal,
    };
    let caller = web.caller(Actor::Operator);
    let target = target.filter(|target| !target.is_empty());
    let made = web.engine.modes().get(&caller, "mode", &mode).map(|mode| {
        let call = web.engine.policy().tools.call_on(&tool, target.as_deref());
        let found = web.engine.project(&caller).check_in(mode, call);
        json!({
            "allowed": found.is_allowed(),
            "verdict": found.decision.as_str(),
            "mode": found.mode.as_str(),
            "tool": found.tool,
            "target": target,
            "rule": found.rule.as_str(),
            "reason": found.reason(),
            "restriction": found.restriction,
            "hint": NextStep::of(&found).as_ref().map(NextStep::for_model),
        })
    });
    reply::answer(made)
}

/// The project's mode file.
pub(crate) async fn file(State(web): State<Web>) -> Response {
    let caller = web.caller(Actor::Operator);
    let text = web.engine.modes().file_text(&caller);
    let schema: Value =
        serde_json::from_str(include_str!("../../../content/schemas/modes.schema.json"))
            .unwrap_or_default();
    reply::answer(text.map(|text| json!({ "file": OWN_MODE_FILE, "text": text, "schema": schema })))
}

/// A text as if it were the project's mode file.
pub(crate) async fn draft(State(web): State<Web>, body: Bytes) -> Response {
    let ModeFileBody { text } = match reply::read(&body) {
        Ok(text) => text,
        Err(refusal) => return *refusal,
    };
    let made = beside(&web, move |web, caller| {
        let Draft {
            modes,
            diagnostics,
            changes,
        } = web.engine.modes().draft(caller, &text);
        let mode = |mode: &mk_engine::DraftMode| {
            json!({
                "slug": mode.slug.as_str(),
                "name": mode.name,
                "patterns": mode.patterns.iter().map(pattern).collect::<Vec<_>>(),
            })
        };
        let change = |change: &mk_engine::RightsChange| {
            json!({
                "mode": change.mode.as_str(),
                "group": change.group.as_str(),
                "before": change.before,
                "after": change.after,
                "widens": change.widens,
            })
        };
        Ok(json!({
            "modes": modes.iter().map(mode).collect::<Vec<_>>(),
            "diagnostics": diagnostics.iter().map(diagnostic).collect::<Vec<_>>(),
            "changes": changes.iter().map(change).collect::<Vec<_>>(),
        }))
    });
    reply::answer(made.await)
}

/// Saves the project's mode file.
pub(crate) async fn save(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    body: Bytes,
) -> Response {
    let ModeFileBody { text } = match reply::read(&body) {
        Ok(text) => text,
        Err(refusal) => return *refusal,
    };
    let caller = web.caller(Actor::Operator);
    match web.engine.modes().save(&caller, &text).await {
        Ok(changes) => {
            web.record(&who, "save modes", OWN_MODE_FILE).await;
            reply::answer(Ok(json!({ "status": "saved", "diff": changes.describe() })))
        }
        Err(error) => reply::refuse(&error),
    }
}

/// Trusts a mode as the page has shown it.
pub(crate) async fn trust(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    Path(slug): Path<String>,
    body: Bytes,
) -> Response {
    let TrustBody { hash } = match reply::read(&body) {
        Ok(seen) => seen,
        Err(refusal) => return *refusal,
    };
    let Ok(slug) = ModeSlug::parse(&slug) else {
        return reply::missing(&format!("mode not found: {slug}"));
    };
    let caller = web.caller(Actor::Operator);
    match web.engine.modes().trust(&caller, &slug, Some(&hash)).await {
        Ok(_) => {
            web.record(&who, "trust mode", slug.as_str()).await;
            reply::answer(Ok(json!({ "status": "trusted", "mode": slug.as_str() })))
        }
        Err(error) => reply::refuse(&error),
    }
}

/// Sets the project's mode: a person's act, which counts as the approval to widen.
pub(crate) async fn choose(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    body: Bytes,
) -> Response {
    let ModesQuery { mode, new_only } = match reply::read(&body) {
        Ok(chosen) => chosen,
        Err(refusal) => return *refusal,
    };
    let Ok(slug) = ModeSlug::parse(&mode) else {
        return reply::malformed(&format!("`{mode}` is not a slug"));
    };
    let whom = if new_only {
        SwitchAudience::NewOnes
    } else {
        SwitchAudience::Everyone
    };
    let caller = web.caller(Actor::Operator);
    let conversations = web.engine.conversations();
    match conversations
        .set_project_mode(&caller.project, &slug, whom)
        .await
    {
        Ok((project, mode)) => {
            let subject = format!("{}: {}", project.root, mode.slug);
            web.record(&who, "set project mode", &subject).await;
            let value =
                json!({ "root": project.root.as_str(), "project_mode": mode.slug.as_str() });
            reply::answer(Ok(value))
        }
        Err(error) => reply::refuse(&error),
    }
}

/// Walks of a project are no work for the runtime's threads.
async fn beside(
    web: &Web,
    work: impl FnOnce(&Web, &Caller) -> Result<Value, Error> + Send + 'static,
) -> Result<Value, Error> {
    let (web, caller) = (web.clone(), web.caller(Actor::Operator));
    let done = tokio::task::spawn_blocking(move || work(&web, &caller)).await;
    done.unwrap_or_else(|error| {
        tracing::error!(%error, "modes could not be looked at");
        Err(Error::invalid("modes", "The modes could not be looked at"))
    })
}
