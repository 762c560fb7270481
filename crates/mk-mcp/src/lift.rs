//! Moves `metadata`, and the code of a failure, to the top level of a tool's result, where the contracts have them and
//! rmcp's type does not.

use std::borrow::Cow;

use rmcp::model::{
    CallToolResult, ClientNotification, ClientRequest, CustomResult, JsonObject, ProtocolVersion,
    ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use crate::error;
use crate::tool::METADATA;

/// A handler whose results have `metadata` beside `content`. For transports that take any `Service`.
#[derive(Debug)]
pub struct Lift<H>(pub H);

impl<H: ServerHandler> Service<RoleServer> for Lift<H> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        // Boxed, because rmcp moves the future of every request several times, and this one has room for all handlers.
        let result = Box::pin(Service::handle_request(&self.0, request, context)).await?;
        let ServerResult::CallToolResult(mut result) = result else {
            return Ok(result);
        };
        let metadata = result
            .meta
            .as_mut()
            .and_then(|meta| meta.0.remove(METADATA));
        let failure = match (&result.structured_content, result.is_error) {
            (Some(content), Some(true)) => content
                .get("error_code")
                .cloned()
                .zip(content.get("details").cloned()),
            _ => None,
        };
        if metadata.is_none() && failure.is_none() {
            return Ok(ServerResult::CallToolResult(result));
        }
        if result.meta.as_ref().is_some_and(|meta| meta.0.is_empty()) {
            result.meta = None;
        }
        let mut fields = fields_of(result).map_err(|error| error::internal(&error.to_string()))?;
        fields.extend(metadata.map(|metadata| ("metadata".to_owned(), metadata)));
        if let Some((code, details)) = failure {
            fields.insert("error_code".to_owned(), code);
            fields.insert("details".to_owned(), details);
        }
        let lifted = CustomResult::new(Value::Object(fields));
        Ok(ServerResult::CustomResult(lifted))
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Service::handle_notification(&self.0, notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }
}

/// The fields of a result as they go over the wire. Its facts are moved: they are JSON already, and most of it.
fn fields_of(mut result: CallToolResult) -> serde_json::Result<JsonObject> {
    let facts = result.structured_content.take();
    let Value::Object(mut fields) = serde_json::to_value(result)? else {
        return Ok(JsonObject::new());
    };
    if let Some(facts) = facts {
        // Where rmcp has them: behind the content.
        let behind = fields.keys().position(|key| key == "content");
        let behind = behind.map_or(fields.len(), |at| at + 1);
        fields.shift_insert(behind, "structuredContent".to_owned(), facts);
    }
    Ok(fields)
}
