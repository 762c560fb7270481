//! How long a call waits for a language server.
//!
//! One that reads a large project is waited for as long as the call can afford; one that does not even start is not.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

/// How long a call waits for a server that an earlier call has waited for already, and that is still not ready.
const SECOND_PATIENCE: Duration = Duration::from_millis(500);
/// A call that would wait for longer has no other answer, and waits all the same for a server that has started.
const PATIENT: Duration = Duration::from_secs(10);
/// A server that has not answered its first request by now is not going to.
const START_PATIENCE: Duration = Duration::from_secs(30);

/// What a server is doing before it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ServerPace {
    /// Nothing speaks against waiting.
    Unknown,
    /// It was waited for in vain, and is not ready.
    Slow,
    /// It was waited for in vain, and has not even started.
    NotStarted,
}

/// How long a call that would wait for `patience` waits.
pub(super) fn patience_with(pace: ServerPace, patience: Duration) -> Duration {
    match pace {
        ServerPace::NotStarted => patience.min(SECOND_PATIENCE),
        ServerPace::Slow if patience <= PATIENT => patience.min(SECOND_PATIENCE),
        ServerPace::Slow | ServerPace::Unknown => patience,
    }
}

/// Waits for an answer, and no longer than a start may take for a server that is still starting.
/// The error is how long it has waited.
pub(super) async fn wait_for<T>(
    answering: impl Future<Output = T>,
    patience: Duration,
    is_starting: impl Fn() -> bool,
) -> Result<T, Duration> {
    let mut answering = pin!(answering);
    let start = patience.min(START_PATIENCE);
    if let Ok(answer) = tokio::time::timeout(start, &mut answering).await {
        return Ok(answer);
    }
    if is_starting() || start == patience {
        return Err(start);
    }
    let rest = tokio::time::timeout(patience - start, answering).await;
    rest.map_err(|_| patience)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(100);

    fn waits(is_starting: bool, answers_after: Duration, patience: Duration) -> Result<(), u64> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime");
        let answering = async { tokio::time::sleep(answers_after).await };
        let waited =
            runtime.block_on(async { wait_for(answering, patience, || is_starting).await });
        waited.map_err(|waited| waited.as_secs())
    }

    #[test]
    fn a_server_that_never_starts_is_given_up_before_the_call_is() {
        assert_eq!(waits(true, LONG * 10, LONG), Err(30));
        assert_eq!(waits(true, LONG * 10, Duration::from_secs(5)), Err(5));
    }

    #[test]
    fn a_server_that_reads_the_project_is_waited_for() {
        assert_eq!(waits(false, Duration::from_secs(80), LONG), Ok(()));
        assert_eq!(waits(false, LONG * 10, LONG), Err(100));
    }

    #[test]
    fn no_call_waits_long_for_a_server_that_has_not_started_before() {
        let seconds = |pace| patience_with(pace, LONG).as_secs();
        assert_eq!(seconds(ServerPace::NotStarted), 0);
        assert_eq!(seconds(ServerPace::Slow), 100);
        assert_eq!(patience_with(ServerPace::Slow, PATIENT), SECOND_PATIENCE);
        assert_eq!(patience_with(ServerPace::Unknown, PATIENT), PATIENT);
    }
}
