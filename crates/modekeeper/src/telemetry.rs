//! OpenTelemetry: traces and metrics of tool calls, sent to a collector where one is configured.
//!
//! OTLP over HTTP with JSON, written by hand: two messages do not need a client library. Plain HTTP only; a collector
//! elsewhere is reached through one on this machine. What cannot be sent is dropped: nothing waits for a collector.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use anyhow::{Context as _, bail};
use mk_engine::{CallSpan, Engine, LATENCY_BOUNDS, Outcomes, ToolFigures};
use mk_types::Timestamp;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// How often something is sent.
const EVERY: Duration = Duration::from_secs(5);
/// How long a collector may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a collector listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TraceCollector {
    /// `name:port`
    authority: String,
    /// Without a slash at its end.
    path: String,
}

impl TraceCollector {
    /// Reads `http://name:port/path`, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it.
    pub(crate) fn parse(endpoint: &str) -> anyhow::Result<Self> {
        let Some(rest) = endpoint.strip_prefix("http://") else {
            bail!(
                "`{endpoint}` does not begin with http://; send to a collector on this machine, which speaks TLS for you"
            );
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if authority.is_empty() {
            bail!("`{endpoint}` names no host");
        }
        let authority = if authority.contains(':') {
            authority.to_owned()
        } else {
            format!("{authority}:4318")
        };
        let path = path.trim_end_matches('/');
        let path = if path.is_empty() {
            String::new()
        } else {
            format!("/{path}")
        };
        Ok(Self { authority, path })
    }

    async fn send(&self, signal: &str, body: &Value) -> anyhow::Result<()> {
        let Self { authority, path } = self;
        let body = body.to_string();
        let mut stream = TcpStream::connect(authority).await?;
        let head = format!(
            "POST {path}/v1/{signal} HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        let mut answer = [0; 64];
        let length = stream.read(&mut answer).await?;
        let answer = String::from_utf8_lossy(answer.get(..length).unwrap_or_default());
        let status = answer.split(' ').nth(1).context("no HTTP")?;
        if !status.starts_with('2') {
            bail!("HTTP {status}");
        }
        Ok(())
    }
}

/// Sends for as long as the process lives.
pub(crate) async fn export(engine: Engine, collector: TraceCollector) {
    let begun = engine.clock().now();
    engine.usage().trace();
    let mut was_down = false;
    let mut ticks = tokio::time::interval(EVERY);
    loop {
        ticks.tick().await;
        let outcome = tokio::time::timeout(PATIENCE, send_all(&engine, &collector, begun)).await;
        let problem = match outcome {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!("{error:#}")),
            Err(_) => Some("no answer in time".to_owned()),
        };
        // Once: a collector that is down is down for long.
        if let Some(problem) = &problem
            && !was_down
        {
            tracing::warn!(collector = %collector.authority, "telemetry is not sent: {problem}");
        }
        was_down = problem.is_some();
    }
}

async fn send_all(
    engine: &Engine,
    collector: &TraceCollector,
    begun: Timestamp,
) -> anyhow::Result<()> {
    let spans = engine.usage().take_spans();
    if !spans.is_empty() {
        collector.send("traces", &traces(&spans)).await?;
    }
    let figures: Vec<(&str, ToolFigures)> = engine.tool_figures().into_iter().collect();
    if !figures.is_empty() {
        let now = engine.clock().now();
        collector
            .send("metrics", &metrics(&figures, begun, now))
            .await?;
    }
    Ok(())
}

fn resource() -> Value {
    json!({ "attributes": [
        text("service.name", "modekeeper"),
        text("service.version", env!("CARGO_PKG_VERSION")),
    ] })
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn nanos(millis: i64) -> String {
    (i128::from(millis) * 1_000_000).to_string()
}

fn outcome(outcome: Outcomes) -> &'static str {
    match outcome {
        Outcomes::Answered => "answered",
        Outcomes::Refused => "refused",
        Outcomes::Failed => "failed",
    }
}

fn traces(spans: &[CallSpan]) -> Value {
    let random = RandomState::new();
    let span = |(index, span): (usize, &CallSpan)| {
        let id = |part: u8| random.hash_one((index, part));
        let end = i128::from(span.ended.as_millis()) * 1_000_000;
        let start = end - i128::try_from(span.time.as_nanos()).unwrap_or_default();
        json!({
            "traceId": format!("{:016x}{:016x}", id(0), id(1)),
            "spanId": format!("{:016x}", id(2)),
            "name": format!("tools/call {}", span.tool),
            "kind": 2,
            "startTimeUnixNano": start.to_string(),
            "endTimeUnixNano": end.to_string(),
            "attributes": [
                text("gen_ai.tool.name", span.tool),
                text("modekeeper.outcome", outcome(span.outcome)),
            ],
            "status": { "code": if span.outcome == Outcomes::Failed { 2 } else { 1 } },
        })
    };
    let spans: Vec<Value> = spans.iter().enumerate().map(span).collect();
    json!({ "resourceSpans": [{
        "resource": resource(),
        "scopeSpans": [{ "scope": { "name": "modekeeper" }, "spans": spans }],
    }] })
}

fn metrics(figures: &[(&str, ToolFigures)], begun: Timestamp, now: Timestamp) -> Value {
    let (start, time) = (nanos(begun.as_millis()), nanos(now.as_millis()));
    let calls = figures.iter().flat_map(|(tool, it)| {
        let answered = it.calls - it.refused - it.failed;
        let counts = [
            ("answered", answered),
            ("refused", it.refused),
            ("failed", it.failed),
        ];
        counts.map(|(outcome, count)| {
            json!({
                "attributes": [text("tool", tool), text("outcome", outcome)],
                "startTimeUnixNano": start,
                "timeUnixNano": time,
                "asInt": count.to_string(),
            })
        })
    });
    let bounds: Vec<f64> = LATENCY_BOUNDS
        .iter()
        .map(|micros| *micros as f64 / 1e6)
        .collect();
    let durations = figures.iter().map(|(tool, it)| {
        let classes: Vec<String> = it.classes.iter().map(ToString::to_string).collect();
        json!({
            "attributes": [text("tool", tool)],
            "startTimeUnixNano": start,
            "timeUnixNano": time,
            "count": it.calls.to_string(),
            "sum": it.total.as_secs_f64(),
            "bucketCounts": classes,
            "explicitBounds": bounds,
        })
    });
    json!({ "resourceMetrics": [{
        "resource": resource(),
        "scopeMetrics": [{ "scope": { "name": "modekeeper" }, "metrics": [
            { "name": "modekeeper.tool.calls", "unit": "{call}", "sum": {
                "aggregationTemporality": 2, "isMonotonic": true, "dataPoints": calls.collect::<Vec<_>>(),
            } },
            { "name": "modekeeper.tool.duration", "unit": "s", "histogram": {
                "aggregationTemporality": 2, "dataPoints": durations.collect::<Vec<_>>(),
            } },
        ] }],
    }] })
}

#[cfg(test)]
mod tests {
    use super::TraceCollector;

    #[test]
    fn an_endpoint_is_plain_http_with_the_usual_port() {
        let parsed =
            |endpoint: &str| TraceCollector::parse(endpoint).map(|it| it.authority + &it.path);
        assert_eq!(parsed("http://localhost").unwrap(), "localhost:4318");
        assert_eq!(
            parsed("http://127.0.0.1:99/otlp/").unwrap(),
            "127.0.0.1:99/otlp"
        );
        for wrong in ["https://x", "localhost:4318", "http://", ""] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
