//! What every request goes through: a turn in the queue, and an answer even if the handler panics.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::SemaphorePermit;

use crate::connection::McpServer;
use crate::error;

/// Runs a request's work in its turn. rmcp itself would run any number at once.
pub(crate) async fn guarded<T>(
    server: &McpServer,
    context: &RequestContext<RoleServer>,
    work: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    answered(async {
        let _turn = turn(server, context).await?;
        work.await
    })
    .await
}

/// Runs a request's work that takes its turns itself. rmcp itself would never answer one that panicked.
pub(crate) async fn answered<T>(
    work: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(result) => result,
        Err(panic) => {
            let what = panic.downcast_ref::<&str>().copied().map(str::to_owned);
            let what = what
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            Err(error::internal(&format!("a request panicked: {what}")))
        }
    }
}

/// A turn to work, unless the client no longer wants the answer.
pub(crate) async fn turn<'a>(
    server: &'a McpServer,
    context: &RequestContext<RoleServer>,
) -> Result<SemaphorePermit<'a>, ErrorData> {
    let turn = tokio::select! {
        turn = server.turn() => turn,
        () = context.ct.cancelled() => None,
    };
    turn.ok_or_else(error::cancelled)
}
