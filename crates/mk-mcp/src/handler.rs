//! The methods of the protocol, each handed to the module that knows its subject.

#![expect(
    deprecated,
    reason = "logging is deprecated from 2026-07-28 on; older clients use it"
)]

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::SessionRestoreMarker;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::connection::Connection;
use crate::era::Era;
use crate::guard::{answered, guarded};
use crate::{error, listen, prompt, resource, tool};

/// Larger than any list we have seen: some clients read only the first page.
const PAGE: usize = 1000;
/// Teams have hundreds of rules and skills, and a page of these is 40 KB; the index of skills is on the first.
const RESOURCE_PAGE: usize = 200;

const INSTRUCTIONS: &str = "Modekeeper keeps you in a mode: a role, and limits on what you may touch. \
    Call `create_task` with a mode from `list_modes` before you start, keep its session_id, and pass it on. \
    Read `mode://{slug}/system_prompt` for how to work in a mode. \
    Ask `validate_tool_use` when unsure, and `switch_mode` when the work needs another mode. \
    `parse_mode` answers a prompt with the team's own rules, the agent, skills and checks for it.";

/// Serves one connection.
#[derive(Debug, Clone)]
pub struct Handler {
    connection: Arc<Connection>,
}

impl Handler {
    pub fn new(connection: Connection) -> Self {
        Self {
            connection: Arc::new(connection),
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions();
        let capabilities = capabilities.enable_logging().build();
        let version = self.connection.server().version();
        let mut info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("modekeeper", version).with_title("Modekeeper"))
            .with_instructions(INSTRUCTIONS);
        info.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        info
    }

    async fn initialize(
        &self,
        params: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        // A session that rested has said `initialize` before; it goes on where it was.
        if let Some(restored) = context.extensions.get::<SessionRestoreMarker>() {
            self.connection.remember_as(&restored.id);
        }
        context.peer.set_peer_info(params.clone());
        self.negotiate_initialize(&params)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        guarded(self.connection.server(), &context, async {
            self.connection.find_project(&context).await;
            let mut result = tool::list(&self.connection, &context);
            (result.tools, result.next_cursor) = paginate(result.tools, PAGE, page)?;
            Ok(result)
        })
        .await
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // It may wait for a person, and must not hold its turn meanwhile. Boxed, because asking makes it large.
        answered(Box::pin(tool::call(&self.connection, params, &context))).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        mk_tools::find(name).map(tool::describe)
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        guarded(self.connection.server(), &context, async {
            self.connection.find_project(&context).await;
            let (items, next) = paginate(
                resource::list(&self.connection, Era::of(&context)).await,
                RESOURCE_PAGE,
                page,
            )?;
            let mut result = ListResourcesResult::with_all_items(items);
            result.next_cursor = next;
            (result.ttl_ms, result.cache_scope) = Era::of(&context).cache_hints();
            Ok(result)
        })
        .await
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        guarded(self.connection.server(), &context, async {
            let (items, next) = paginate(resource::templates(&self.connection), PAGE, page)?;
            let mut result = ListResourceTemplatesResult::with_all_items(items);
            result.next_cursor = next;
            (result.ttl_ms, result.cache_scope) = Era::of(&context).cache_hints();
            Ok(result)
        })
        .await
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        guarded(self.connection.server(), &context, async {
            self.connection.find_project(&context).await;
            let mut result =
                resource::read(&self.connection, &params.uri, Era::of(&context)).await?;
            (result.ttl_ms, result.cache_scope) = Era::of(&context).cache_hints();
            Ok(result.into())
        })
        .await
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        guarded(self.connection.server(), &context, async {
            self.connection.find_project(&context).await;
            let prompts = prompt::list(&self.connection, Era::of(&context));
            let (items, next) = paginate(prompts, PAGE, page)?;
            let mut result = ListPromptsResult::with_all_items(items);
            result.next_cursor = next;
            (result.ttl_ms, result.cache_scope) = Era::of(&context).cache_hints();
            Ok(result)
        })
        .await
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        guarded(self.connection.server(), &context, async {
            self.connection.find_project(&context).await;
            prompt::get(&self.connection, &params, Era::of(&context))
                .await
                .map(Into::into)
        })
        .await
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        guarded(self.connection.server(), &context, async {
            self.connection.find_project(&context).await;
            let era = Era::of(&context);
            let known = resource::complete(&self.connection, &params.r#ref, &params.argument, era);
            Ok(CompleteResult::new(known.await))
        })
        .await
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match Era::of(&context) {
            Era::Connected => {
                self.connection.recognise(&context.extensions);
                self.connection.set_log_level(params.level);
                Ok(())
            }
            Era::Stateless => Err(error::unknown_method("logging/setLevel")),
        }
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Some(_stream) = self.connection.stream() else {
            return Err(error::too_many("subscriptions"));
        };
        answered(async {
            listen::notify_subscriber(&self.connection, &context).await;
            Ok(())
        })
        .await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        listen::tell_peer(&self.connection, context.peer);
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        let connection = Arc::clone(&self.connection);
        // Beside the reader, which has to bring the answer.
        tokio::spawn(async move {
            connection.roots().renew(&context.peer).await;
            connection.acted().notify_one();
        });
    }

    /// What rmcp could not read as one of its own requests: a method nobody has, or one whose parameters are off.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let required = match request.method.as_str() {
            "tools/call" | "prompts/get" => "name",
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
            "completion/complete" => "ref",
            "logging/setLevel" => "level",
            "initialize" => "protocolVersion",
            "tools/list" | "resources/list" | "prompts/list" | "resources/templates/list" => {
                "cursor"
            }
            "ping" | "server/discover" | "subscriptions/listen" => "params",
            method => return Err(error::unknown_method(method)),
        };
        let given = request
            .params
            .as_ref()
            .and_then(|params| params.get(required));
        Err(error::invalid_params(match given {
            None => format!("Missing required parameter: {required}"),
            Some(_) => format!("Invalid parameters of {}", request.method),
        }))
    }
}

/// One page of a list; the cursor is where the next one starts.
fn paginate<T>(
    items: Vec<T>,
    most: usize,
    page: Option<PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match page.and_then(|page| page.cursor) {
        None => 0,
        Some(cursor) => {
            let start = cursor
                .parse()
                .ok()
                .filter(|start| *start > 0 && *start < items.len());
            start.ok_or_else(|| error::invalid_params(format!("Invalid cursor: {cursor}")))?
        }
    };
    let end = items.len().min(start + most);
    let next = (end < items.len()).then(|| end.to_string());
    Ok((items.into_iter().skip(start).take(most).collect(), next))
}
