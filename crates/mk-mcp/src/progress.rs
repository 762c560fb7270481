//! How far long work is, for clients that gave a token.

use std::time::Duration;

use mk_engine::{Engine, Work};
use mk_types::AbsPath;
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;

const EVERY: Duration = Duration::from_millis(100);

/// Runs a call and says meanwhile what the project's index and its language servers are doing.
pub(crate) async fn with_progress<T>(
    context: &RequestContext<RoleServer>,
    engine: &Engine,
    project: &AbsPath,
    call: impl Future<Output = T>,
) -> T {
    let Some(token) = context.meta.get_progress_token() else {
        return call.await;
    };
    tokio::pin!(call);
    // The protocol wants a number that grows; what is done may begin again.
    let mut progress = 0.0;
    let mut said: Option<Work> = None;
    loop {
        tokio::select! {
            biased;
            done = &mut call => return done,
            () = tokio::time::sleep(EVERY) => {}
        }
        let work = engine
            .work(project)
            .filter(|work| said.as_ref() != Some(work));
        let Some(work) = work else {
            continue;
        };
        let report = match work.done {
            Some((done, total)) => {
                progress = f64::max(progress, count(done));
                let report = ProgressNotificationParam::new(token.clone(), progress);
                report.with_total(count(total))
            }
            None => {
                progress += 1.0;
                ProgressNotificationParam::new(token.clone(), progress)
            }
        };
        let report = report.with_message(work.what.clone());
        drop(context.peer.notify_progress(report).await);
        said = Some(work);
    }
}

fn count(files: usize) -> f64 {
    f64::from(u32::try_from(files).unwrap_or(u32::MAX))
}
