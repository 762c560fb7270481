//! `/api/usage` and `/metrics`: figures for people and for Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use mk_engine::{
    DecisionCount, LATENCY_BOUNDS, SessionFilter, TaskState, ToolFigures, UsageReport,
};
use mk_types::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::decisions::{file, quoted};
use crate::reply::{self, JsonQuery};
use crate::server::Web;

/// A day, in seconds.
const DAY: u64 = 24 * 3600;

type FiguresByTool = BTreeMap<&'static str, ToolFigures>;

#[derive(Deserialize)]
pub(crate) struct UsagePeriod {
    /// Seconds back from now.
    since: Option<u64>,
    format: Option<String>,
}

pub(crate) async fn show(
    State(web): State<Web>,
    JsonQuery(span): JsonQuery<UsagePeriod>,
) -> Response {
    let seconds = span.since.unwrap_or(DAY).clamp(60, 400 * DAY);
    // About fifty points, whatever the span.
    let stretch = Duration::from_secs((seconds / 48).max(60));
    let since = web
        .engine
        .clock()
        .now()
        .before(Duration::from_secs(seconds));
    let report = match web.engine.usage().report(since, stretch) {
        Ok(report) => report,
        Err(error) => return reply::refuse(&error),
    };
    if span.format.as_deref() == Some("csv") {
        return file(
            "text/csv; charset=utf-8",
            "usage.csv",
            csv(&report.decisions),
        );
    }
    let value = to_json(&web, since, stretch, &report);
    if span.format.as_deref() == Some("json") {
        return file("application/json", "usage.json", value.to_string());
    }
    reply::answer(Ok(value))
}

fn to_json(web: &Web, since: Timestamp, stretch: Duration, report: &UsageReport) -> Value {
    let approvals = &report.approvals;
    let decided = approvals.granted + approvals.denied;
    let micros = |time: Option<Duration>| time.map(|time| time.as_micros() as u64);
    let figures = web.engine.tool_figures();
    let tools = figures.iter().map(|(tool, it)| {
        json!({
            "tool": tool,
            "calls": it.calls,
            "refused": it.refused,
            "failed": it.failed,
            "mean_us": it.total.as_micros() as u64 / it.calls.max(1),
            "p50_us": micros(it.quantile(0.5)),
            "p95_us": micros(it.quantile(0.95)),
        })
    });
    let counts = report.decisions.iter().map(|it| {
        json!({ "at": it.at.to_string(), "tool": it.tool, "verdict": it.ruling.as_str(), "count": it.count })
    });
    json!({
        "since": since.to_string(),
        "stretch_seconds": stretch.as_secs(),
        "tools": tools.collect::<Vec<_>>(),
        "decisions": counts.collect::<Vec<_>>(),
        "approvals": {
            "asked": approvals.asked,
            "granted": approvals.granted,
            "denied": approvals.denied,
            "expired": approvals.expired,
            "rate": (decided > 0).then(|| approvals.granted as f64 / decided as f64),
            "median_wait_ms": middle(&approvals.waits),
            "waits_ms": approvals.waits,
        },
    })
}

fn middle(sorted: &[u64]) -> Option<u64> {
    sorted.get(sorted.len() / 2).copied()
}

fn csv(counts: &[DecisionCount]) -> String {
    let mut text = "at,tool,verdict,count\r\n".to_owned();
    for it in counts {
        let tool = quoted(&it.tool);
        let _ = write!(text, "{},{tool},{},{}\r\n", it.at, it.ruling, it.count);
    }
    text
}

pub(crate) async fn metrics(State(web): State<Web>) -> Response {
    let kind = [(
        header::CONTENT_TYPE,
        "text/plain; version=0.0.4; charset=utf-8",
    )];
    (kind, exposition(&web)).into_response()
}

/// Prometheus' text format.
fn exposition(web: &Web) -> String {
    let mut text = String::new();
    add_head(
        &mut text,
        "modekeeper_build_info",
        "gauge",
        "The version that runs.",
    );
    let _ = writeln!(
        text,
        "modekeeper_build_info{{version=\"{}\"}} 1",
        web.version
    );
    let figures = web.engine.tool_figures();
    add_calls(&mut text, &figures);
    add_durations(&mut text, &figures);
    add_gauges(&mut text, web);
    add_decisions(&mut text, web);
    text
}

fn add_head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn add_calls(text: &mut String, figures: &FiguresByTool) {
    let name = "modekeeper_tool_calls_total";
    add_head(text, name, "counter", "Calls of tools by outcome.");
    for (tool, it) in figures {
        for (outcome, count) in [
            ("answered", it.calls - it.refused - it.failed),
            ("refused", it.refused),
            ("failed", it.failed),
        ] {
            let _ = writeln!(
                text,
                "{name}{{tool=\"{tool}\",outcome=\"{outcome}\"}} {count}"
            );
        }
    }
}

fn add_durations(text: &mut String, figures: &FiguresByTool) {
    let name = "modekeeper_tool_duration_seconds";
    add_head(text, name, "histogram", "How long calls of tools took.");
    for (tool, it) in figures {
        let mut below = 0;
        for (bound, count) in LATENCY_BOUNDS.iter().zip(it.classes) {
            below += count;
            let seconds = *bound as f64 / 1e6;
            let _ = writeln!(
                text,
                "{name}_bucket{{tool=\"{tool}\",le=\"{seconds}\"}} {below}"
            );
        }
        let (calls, sum) = (it.calls, it.total.as_secs_f64());
        let _ = writeln!(text, "{name}_bucket{{tool=\"{tool}\",le=\"+Inf\"}} {calls}");
        let _ = writeln!(text, "{name}_sum{{tool=\"{tool}\"}} {sum}");
        let _ = writeln!(text, "{name}_count{{tool=\"{tool}\"}} {calls}");
    }
}

/// What waits and what runs now.
fn add_gauges(text: &mut String, web: &Web) {
    let mut gauge = |name: &str, help: &str, count: usize| {
        add_head(text, name, "gauge", help);
        let _ = writeln!(text, "{name} {count}");
    };
    if let Ok(pending) = web.engine.approvals().pending() {
        gauge(
            "modekeeper_approvals_pending",
            "Requests that wait for a person.",
            pending.len(),
        );
    }
    let active = SessionFilter {
        state: Some(TaskState::Active),
        ..SessionFilter::default()
    };
    if let Ok(tasks) = web.engine.tasks().list(&active) {
        gauge(
            "modekeeper_tasks_active",
            "Tasks that have not ended.",
            tasks.len(),
        );
    }
}

fn add_decisions(text: &mut String, web: &Web) {
    let name = "modekeeper_decisions_last_day";
    let day = web.engine.clock().now().before(Duration::from_secs(DAY));
    let Ok(report) = web.engine.usage().report(day, Duration::from_secs(DAY)) else {
        return;
    };
    let mut sums: Vec<(&str, u64)> = Vec::new();
    for it in &report.decisions {
        let ruling = it.ruling.as_str();
        match sums.iter_mut().find(|(verdict, _)| *verdict == ruling) {
            Some((_, sum)) => *sum += it.count,
            None => sums.push((ruling, it.count)),
        }
    }
    let help = "Decisions of the last 24 hours by verdict.";
    add_head(text, name, "gauge", help);
    for (verdict, sum) in sums {
        let _ = writeln!(text, "{name}{{verdict=\"{verdict}\"}} {sum}");
    }
}

pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// Whether calls can be answered: the store can be used.
pub(crate) async fn ready(State(web): State<Web>) -> Response {
    match web.engine.version() {
        Ok(_) => "ready\n".into_response(),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            (
                axum::http::StatusCode::SERVICE_UNAVAILABLE,
                "the store cannot be used\n",
            )
                .into_response()
        }
    }
}
