//! What every request goes through: a turn in the queue, and an answer even if the handler panics.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use rmcp::ErrorData;

use crate::connection::Server;
use crate::error;

/// Runs a request's work. rmcp itself would run any number at once, and never answer one that panicked.
pub(crate) async fn guarded<T>(
    server: &Server,
    work: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let Ok(_turn) = server.calls().acquire().await else {
        return Err(error::internal("the server is closing"));
    };
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
