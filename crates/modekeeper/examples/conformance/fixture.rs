//! The handler: routes each request to the table that answers it.
//!
//! It holds no fixture itself, and no state of a connection: every clone shares one [`Shared`],
//! because on 2026-07-28 the transport makes a handler for each request.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
        CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
        GetTaskResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, RequestStateError,
        ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
        UpdateTaskParams,
    },
    service::{RequestContext, SubscriptionContext},
    task_manager::TaskManager,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::{prompt, resource, tool};

pub(crate) type Context = RequestContext<RoleServer>;
pub(crate) type Arguments = serde_json::Map<String, Value>;

/// A list that a trigger tool reports as changed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    Tools,
    Prompts,
}

/// What outlives a request.
pub(crate) struct Shared {
    pub(crate) codec: RequestStateCodec,
    pub(crate) tasks: TaskManager,
    pub(crate) changes: broadcast::Sender<Change>,
    /// The level of `logging/setLevel`, for the whole process: the suite runs one session at a
    /// time, and clients from 2026-07-28 on send the level with each request.
    pub(crate) legacy_log_level: AtomicU8,
}

#[derive(Clone)]
pub(crate) struct Fixture(Arc<Shared>);

impl Fixture {
    pub(crate) fn new() -> Result<Self, RequestStateError> {
        // A fixed key: nothing that this server seals is worth forging.
        let codec = RequestStateCodec::try_new(*b"modekeeper conformance fixture!!")?;
        let changes = broadcast::channel(16).0;
        let (tasks, legacy_log_level) = (TaskManager::new(), AtomicU8::new(0));
        Ok(Self(Arc::new(Shared {
            codec,
            tasks,
            changes,
            legacy_log_level,
        })))
    }
}

/// Reads a part of a message from the JSON that a table writes it in. Not a whole result: one
/// that was read keeps what it lacks, and it lacks the `resultType` that 2026-07-28 requires.
pub(crate) fn decode<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(internal)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature that `map_err` calls"
)]
pub(crate) fn internal(error: impl ToString) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

pub(crate) fn is_modern(ctx: &Context) -> bool {
    (ctx.protocol_version()).is_some_and(|it| it >= ProtocolVersion::V_2026_07_28)
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = json!({
            "completions": {},
            "extensions": { "io.modelcontextprotocol/tasks": {} },
            "logging": {},
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true },
            "tools": { "listChanged": true },
        });
        ServerConfig::new(decode(capabilities).unwrap_or_default())
            .with_server_info(Implementation::new("modekeeper-conformance", "0.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tool::all()))
    }

    /// The transport checks `Mcp-Param-*` headers against this definition.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        tool::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        ctx: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        tool::call(&self.0, request, ctx).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: Context,
    ) -> Result<GetTaskResult, ErrorData> {
        self.0
            .tasks
            .get_task(&request.task_id)
            .map(GetTaskResult::new)
    }

    async fn update_task(&self, request: UpdateTaskParams, _: Context) -> Result<(), ErrorData> {
        self.0
            .tasks
            .update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(&self, request: CancelTaskParams, _: Context) -> Result<(), ErrorData> {
        self.0.tasks.cancel_task(&request.task_id)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(decode(prompt::list())?))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        ctx: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompt::get(&self.0, request, ctx).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let values = vec![format!("{}-completed", request.argument.value)];
        let completion =
            CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(completion))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(decode(
            resource::list(),
        )?))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(decode(
            resource::templates(),
        )?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resource::read(&request.uri)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: Context,
    ) -> Result<(), ErrorData> {
        resource::read(&request.uri).map(drop)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: Context,
    ) -> Result<(), ErrorData> {
        resource::read(&request.uri).map(drop)
    }

    /// Accepts all; rmcp cuts it down to the advertised capabilities. Without this method
    /// `subscriptions/listen` does not exist.
    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.0.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // An error is a change that this subscriber did not ask for, or its end.
            drop(match change {
                Ok(Change::Tools) => subscription.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => subscription.sink().notify_prompt_list_changed().await,
                Err(_) => Ok(()),
            });
        }
    }

    #[expect(deprecated, reason = "logging/setLevel is part of 2025-11-25")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _: Context,
    ) -> Result<(), ErrorData> {
        self.0
            .legacy_log_level
            .store(request.level as u8, Ordering::Relaxed);
        Ok(())
    }
}
