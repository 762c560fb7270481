//! What a server asks of us, and what it is told. Nothing that it asks for is done.

use std::path::PathBuf;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::capability::workspace_folders;
use crate::message::{METHOD_NOT_FOUND, ResponseError};
use crate::table::ServerRow;

const MOST_SECTIONS: usize = 256;

pub(crate) fn answer(
    method: &str,
    params: &RawValue,
    server: &ServerRow,
    workspaces: &[PathBuf],
) -> Result<Value, ResponseError> {
    match method {
        "workspace/configuration" => {
            let params: Value = serde_json::from_str(params.get()).unwrap_or_default();
            let items = params.get("items").and_then(Value::as_array);
            let settings = items.into_iter().flatten().take(MOST_SECTIONS).map(|item| {
                let section = item.get("section").and_then(Value::as_str);
                server.setting(section)
            });
            Ok(settings.collect())
        }
        "workspace/applyEdit" => Ok(json!({
            "applied": false,
            "failureReason": "only Modekeeper changes files here",
        })),
        "workspace/workspaceFolders" => Ok(workspace_folders(workspaces)),
        "window/showDocument" => Ok(json!({"success": false})),
        "client/registerCapability"
        | "client/unregisterCapability"
        | "window/workDoneProgress/create"
        | "window/showMessageRequest"
        | "workspace/codeLens/refresh"
        | "workspace/diagnostic/refresh"
        | "workspace/inlayHint/refresh"
        | "workspace/semanticTokens/refresh" => Ok(Value::Null),
        _ => Err(ResponseError {
            code: METHOD_NOT_FOUND,
            message: format!("`{method}` is not offered"),
        }),
    }
}
