//! Tools: one row for each, with what it does.

use std::{
    sync::{LazyLock, atomic::Ordering},
    time::Duration,
};

use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
        CreateTaskResult, ProgressNotificationParam, Tool,
    },
    task_manager::TaskOptions,
};
use serde_json::{Value, json};

use crate::{
    dialogue::{self, Answers, Dialogue, Reply, Step},
    fixture::{Arguments, Change, Context, Shared, decode, internal, is_modern},
    job::{self, Job},
};

/// One red pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A WAV header without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// `info`, as a number in the order of severity.
const INFO: u8 = 1;
const PAUSE: Duration = Duration::from_millis(50);

enum Action {
    /// Returns these content blocks.
    Say(Value),
    /// Returns a text made of the arguments.
    Echo(fn(&Arguments) -> String),
    Fail(&'static str),
    /// Asks the client, then returns a text made of the answers.
    Ask(Dialogue, fn(&Answers) -> String),
    /// The same, but the text is the result of a task.
    AskThenTask(Dialogue, fn(&Answers) -> String),
    Log(&'static [&'static str]),
    Progress,
    Announce(Change),
    Task(Job),
}

use Action::{Announce, Ask, AskThenTask, Echo, Fail, Log, Progress, Say, Task};
use Dialogue::{Once, Sealed};

#[rustfmt::skip]
static TOOLS: LazyLock<Vec<(&str, Action)>> = LazyLock::new(|| {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
    let audio = json!({ "type": "audio", "data": WAV, "mimeType": "audio/wav" });
    let resource = |uri: &str, mime_type: &str, text: &str| {
        json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime_type, "text": text } })
    };
    let plain = resource("test://embedded-resource", "text/plain", "This is an embedded resource content.");
    let data = resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#);
    let greet = |answers: &Answers| format!("Hello, {}!", dialogue::field(answers, "user_name", "name"));

    vec![
        // Content.
        ("test_simple_text", Say(json!([text("This is a simple text response for testing.")]))),
        ("test_image_content", Say(json!([image]))),
        ("test_audio_content", Say(json!([audio]))),
        ("test_embedded_resource", Say(json!([plain]))),
        ("test_multiple_content_types", Say(json!([text("Multiple content types test:"), image, data]))),
        ("test_error_handling", Fail("This tool intentionally returns an error for testing")),
        ("test_reconnection", Say(json!([text("Reconnection test completed.")]))),
        ("json_schema_2020_12_tool", Echo(|args| json!(args).to_string())),
        ("test_custom_header", Echo(|args| json!(args).to_string())),
        ("greet", Echo(|args| format!("Hello, {}!", args.get("name").and_then(Value::as_str).unwrap_or_default()))),

        // Notifications.
        ("test_tool_with_logging", Log(&["Tool execution started", "Tool processing data", "Tool execution completed"])),
        ("test_logging_tool", Log(&["A message for those who asked for it"])),
        ("test_tool_with_progress", Progress),
        ("test_trigger_tool_change", Announce(Change::Tools)),
        ("test_trigger_prompt_change", Announce(Change::Prompts)),

        // Questions to the client. The first four are called by 2025-11-25 clients only.
        ("test_sampling", Ask(Once(&["prompt"]), |it| format!("LLM response: {}", it["prompt"]["content"]))),
        ("test_elicitation", Ask(Once(&["user"]), |it| format!("User response: {}", it["user"]))),
        ("test_elicitation_sep1034_defaults", Ask(Once(&["defaults"]), |it| completed(&it["defaults"]))),
        ("test_elicitation_sep1330_enums", Ask(Once(&["enums"]), |it| completed(&it["enums"]))),
        ("test_missing_capability", Ask(Once(&["greeting"]), |it| it["greeting"].to_string())),
        ("test_streaming_elicitation", Ask(Once(&["user_name"]), greet)),
        ("test_input_required_result_elicitation", Ask(Once(&["user_name"]), greet)),
        ("test_input_required_result_sampling", Ask(Once(&["capital_question"]), |it| it["capital_question"]["content"].to_string())),
        ("test_input_required_result_list_roots", Ask(Once(&["client_roots"]), |it| it["client_roots"]["roots"].to_string())),
        ("test_input_required_result_request_state", Ask(Sealed(&[&["confirm"]]), |_| "state-ok".to_owned())),
        ("test_input_required_result_tampered_state", Ask(Sealed(&[&["confirm"]]), |_| "state-ok".to_owned())),
        ("test_input_required_result_multiple_inputs", Ask(Sealed(&[&["user_name", "greeting", "client_roots"]]), |it| json!(it).to_string())),
        ("test_input_required_result_multi_round", Ask(Sealed(&[&["step1"], &["step2"]]), |it| json!(it).to_string())),
        ("test_input_required_result_capabilities", Ask(Once(&["user_name", "greeting"]), |it| json!(it).to_string())),

        // Tasks.
        ("test_tool_with_task", AskThenTask(Once(&["user_name"]), greet)),
        ("slow_compute", Task(Job::SlowCompute)),
        ("failing_job", Task(Job::Failing)),
        ("protocol_error_job", Task(Job::ProtocolError)),
        ("confirm_delete", Task(Job::ConfirmDelete)),
        ("multi_input", Task(Job::MultiInput)),
    ]
});

/// The schema of the tools that take arguments.
fn input_schema(name: &str) -> Value {
    let string = json!({ "type": "string" });
    let header = json!({ "type": "string", "x-mcp-header": "Region" });
    let number = json!({ "type": "number" });
    let object = |key: &str, schema: Value| {
        let required = [key];
        json!({ "type": "object", "properties": { key: schema }, "required": required })
    };
    match name {
        "test_sampling" => object("prompt", string),
        "test_elicitation" => object("message", string),
        "greet" => object("name", string),
        "slow_compute" => object("seconds", number),
        "test_custom_header" => object("region", header),
        "json_schema_2020_12_tool" => json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": { "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            } },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" },
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false,
        }),
        _ => json!({ "type": "object" }),
    }
}

pub(crate) fn all() -> Vec<Tool> {
    let show = |(name, _): &(&'static str, Action)| {
        let schema: Arguments = decode(input_schema(name)).unwrap_or_default();
        Tool::new(*name, format!("Conformance fixture `{name}`"), schema)
    };
    TOOLS.iter().map(show).collect()
}

pub(crate) async fn call(
    shared: &Shared,
    request: CallToolRequestParams,
    ctx: Context,
) -> Result<CallToolResponse, ErrorData> {
    let CallToolRequestParams {
        name,
        arguments,
        input_responses,
        request_state,
        ..
    } = request;
    let arguments = arguments.unwrap_or_default();
    let unknown = || ErrorData::invalid_params(format!("unknown tool `{name}`"), None);
    let (_, action) = TOOLS
        .iter()
        .find(|(tool, _)| *tool == name)
        .ok_or_else(unknown)?;
    let result = match action {
        Say(content) => CallToolResult::success(decode(content.clone())?),
        Echo(text) => job::text(text(&arguments)),
        Fail(message) => CallToolResult::error(vec![ContentBlock::text(*message)]),
        Log(messages) => log(shared, &ctx, messages).await?,
        Progress => progress(&ctx).await?,
        Announce(change) => announce(shared, &ctx, *change).await?,
        Task(job) => return start(shared, &ctx, *job, arguments).await,
        Ask(dialogue, text) | AskThenTask(dialogue, text) => {
            let reply = Reply {
                subject: &name,
                arguments: &arguments,
                input_responses,
                request_state,
            };
            let result = match dialogue.step(shared, &ctx, reply).await? {
                Step::Ask(questions) => return Ok(questions.into()),
                Step::Done(answers) => job::text(text(&answers)),
            };
            if let AskThenTask(..) = action {
                require_tasks(&ctx)?;
                let task = shared
                    .tasks
                    .spawn(TaskOptions::new(), |_| Box::pin(async { Ok(result) }));
                return Ok(CreateTaskResult::new(task).into());
            }
            result
        }
    };
    Ok(result.into())
}

/// Starts a task, or does the work now if the job may and the client does not know tasks.
async fn start(
    shared: &Shared,
    ctx: &Context,
    job: Job,
    arguments: Arguments,
) -> Result<CallToolResponse, ErrorData> {
    match require_tasks(ctx) {
        Ok(()) => {
            let run =
                |task| -> rmcp::task_manager::TaskFuture { Box::pin(job.run(task, arguments)) };
            Ok(CreateTaskResult::new(shared.tasks.spawn(TaskOptions::new(), run)).into())
        }
        Err(_) if job == Job::SlowCompute => Ok(job::slow_compute(&arguments).await.into()),
        Err(error) => Err(error),
    }
}

fn require_tasks(ctx: &Context) -> Result<(), ErrorData> {
    if ctx
        .client_capabilities()
        .is_some_and(|it| it.supports_tasks())
    {
        return Ok(());
    }
    let tasks = ClientCapabilities::builder().enable_tasks().build();
    Err(ErrorData::missing_required_client_capability(tasks))
}

/// Sends messages at level `info`, if the client wants that level.
async fn log(
    shared: &Shared,
    ctx: &Context,
    messages: &[&str],
) -> Result<CallToolResult, ErrorData> {
    let wanted = if is_modern(ctx) {
        ctx.meta.log_level().map(|level| level as u8)
    } else {
        Some(shared.legacy_log_level.load(Ordering::Relaxed))
    };
    for message in messages {
        if wanted.is_some_and(|level| level <= INFO) {
            let params = json!({ "level": "info", "data": message });
            notify(
                ctx,
                json!({ "method": "notifications/message", "params": params }),
            )
            .await?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(job::text("Logging done.".to_owned()))
}

async fn progress(ctx: &Context) -> Result<CallToolResult, ErrorData> {
    for percent in [0.0, 50.0, 100.0] {
        if let Some(token) = ctx.meta.get_progress_token() {
            let params = ProgressNotificationParam::new(token, percent).with_total(100.0);
            notify(
                ctx,
                json!({ "method": "notifications/progress", "params": params }),
            )
            .await?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(job::text("Progress done.".to_owned()))
}

/// Tells subscribers, or the caller's own session, that a list has changed.
async fn announce(
    shared: &Shared,
    ctx: &Context,
    change: Change,
) -> Result<CallToolResult, ErrorData> {
    let list = match change {
        Change::Tools => "tools",
        Change::Prompts => "prompts",
    };
    if !is_modern(ctx) {
        notify(
            ctx,
            json!({ "method": format!("notifications/{list}/list_changed") }),
        )
        .await?;
    }
    let subscribers = shared.changes.send(change).unwrap_or(0);
    Ok(job::text(format!(
        "The list of {list} has changed; {subscribers} subscribers."
    )))
}

async fn notify(ctx: &Context, notification: Value) -> Result<(), ErrorData> {
    let sent = ctx.peer.send_notification(decode(notification)?).await;
    sent.map_err(internal)
}

fn completed(answer: &Value) -> String {
    let (action, content) = (&answer["action"], &answer["content"]);
    format!("Elicitation completed: action={action}, content={content}")
}
