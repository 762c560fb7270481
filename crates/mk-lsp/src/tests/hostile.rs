//! Servers that misbehave: the error says how, and the other languages do not notice.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::fake::World;
use super::lifetime::signal;
use crate::{Health, Limits, ServerError};

const SHORT: Duration = Duration::from_secs(1);

/// Asks a server that misbehaves; another one must answer before and after.
#[track_caller]
fn check(behaviour: &str, limits: Limits, expected: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("a runtime").block_on(async {
        let world = World::with_limits(behaviour, limits);
        world.define("a.calm").await.expect("an answer");
        let (bad, calm) = tokio::join!(world.define("a.fake"), world.define("a.calm"));
        calm.expect("an answer");
        assert_eq!(describe(bad.map(drop)), expected, "{behaviour}");
        world.define("a.calm").await.expect("an answer");
    });
}

fn describe(answer: Result<(), ServerError>) -> String {
    match answer {
        Ok(()) => "ok".to_owned(),
        Err(error) => match error.hint() {
            Some(hint) => format!("{error}; {hint}"),
            None => error.to_string(),
        },
    }
}

#[test]
fn one_that_ends_at_once_did_not_start() {
    check(
        "absent",
        Limits::default(),
        "`language_server` did not start: exit status: 1; it said: no licence | for this machine",
    );
}

#[test]
fn one_that_says_that_it_cannot_read_the_project_is_believed() {
    check(
        "blind",
        Limits::default(),
        "`language_server` cannot read the project: there is no manifest; fix the problem it reports, then restart the language server",
    );
}

#[test]
fn one_that_writes_noise_did_not_start() {
    check(
        "noise",
        Limits::default(),
        "`language_server` did not start: it wrote output that is not part of the protocol: `this is not the protocol`",
    );
}

#[test]
fn one_that_announces_a_huge_message_takes_no_memory() {
    check(
        "huge",
        Limits::default(),
        "`language_server` did not start: it announced a message of 1000000000000 bytes",
    );
}

#[test]
fn one_that_announces_nonsense_did_not_start() {
    check(
        "wrong",
        Limits::default(),
        "`language_server` did not start: it announced a message of `many` bytes",
    );
}

#[test]
fn one_that_never_answers_the_handshake_is_given_up() {
    for behaviour in ["mute", "deaf"] {
        let limits = Limits {
            warm_up: SHORT,
            ..Limits::default()
        };
        check(
            behaviour,
            limits,
            "`language_server` did not start: no answer to `initialize` in 1 s",
        );
    }
}

#[test]
fn one_that_does_not_answer_in_time_says_what_was_asked() {
    let limits = Limits {
        request: SHORT,
        ..Limits::default()
    };
    check(
        "silent",
        limits,
        "`language_server` timed out after 1 s: no answer to `textDocument/definition`; \
         try again: large projects take a while the first time",
    );
}

#[test]
fn one_that_dies_while_it_is_asked_has_crashed() {
    check(
        "mortal",
        Limits::default(),
        "`language_server` exited before it answered: exit status: 1",
    );
}

#[test]
fn one_that_dies_in_the_middle_of_its_answer_has_crashed() {
    check(
        "cut",
        Limits::default(),
        "`language_server` exited before it answered: its output ended in the middle of a message",
    );
}

#[test]
fn one_that_writes_broken_messages_is_ended() {
    check(
        "broken",
        Limits::default(),
        "`language_server` exited before it answered: it writes messages that are not JSON-RPC",
    );
}

#[test]
fn one_that_refuses_is_quoted() {
    check(
        "refusing",
        Limits::default(),
        "`language_server` refused: not today",
    );
}

#[test]
fn one_that_is_unable_says_so() {
    check(
        "unable",
        Limits::default(),
        "`language_server` does not support `textDocument/definition`; search for the text instead",
    );
}

#[test]
fn one_whose_answer_makes_no_sense_is_unusable() {
    check(
        "senseless",
        Limits::default(),
        "`language_server` answered `textDocument/definition` with an unusable result: \
         data did not match any variant of untagged enum OneOrMany; restart the language server",
    );
}

#[test]
fn one_that_floods_is_still_understood() {
    check("flood", Limits::default(), "ok");
}

#[test]
fn one_that_complains_endlessly_is_not_stopped_by_it() {
    check("loud", Limits::default(), "ok");
}

#[tokio::test]
async fn one_that_hangs_is_killed_and_started_again() {
    let limits = Limits {
        request: SHORT,
        hang: SHORT,
        ..Limits::default()
    };
    let world = World::with_limits("stuck", limits);
    let slow = world.define("a.fake").await;
    assert!(matches!(slow, Err(ServerError::Timeout { .. })), "{slow:?}");
    let first = world.servers.status();
    // It hangs, so it does not answer this either, and nobody waits for it a second time.
    let hung = world.define("b.fake").await;
    assert!(matches!(hung, Err(ServerError::Suspect { .. })), "{hung:?}");
    let mut again = world.servers.status();
    while again.first().and_then(|status| status.pid) == first.first().and_then(|status| status.pid)
    {
        drop(
            world
                .servers
                .hover(&world.document("a.fake"), super::fake::START)
                .await,
        );
        again = world.servers.status();
    }
}

#[tokio::test]
async fn one_that_hangs_is_noticed_though_nobody_waits_any_more() {
    let world = World::with_limits("stuck", IMPATIENT);
    world.heard().await;
    poll_once(&mut [Box::pin(world.define("a.fake"))]).await;
    check_given_up(&world).await;
}

#[tokio::test]
async fn one_that_hangs_while_it_reads_the_project_is_noticed() {
    let world = World::with_limits("indexing", IMPATIENT);
    world.servers.restart("fake").await.expect("a start");
    stop(&world);
    let slow = world.define("a.fake").await;
    assert!(matches!(slow, Err(ServerError::Timeout { .. })), "{slow:?}");
    check_given_up(&world).await;
}

#[tokio::test]
async fn silence_means_that_nothing_is_wrong_only_if_the_server_is_there() {
    let limits = Limits {
        request: Duration::from_secs(4),
        ..IMPATIENT
    };
    let world = World::with_limits("polite", limits);
    let document = world.document("a.fake");
    let answer = world.servers.diagnostics(&document).await;
    assert_eq!(answer.expect("an answer").value, []);
    stop(&world);
    let slow = world.servers.diagnostics(&document).await;
    assert!(matches!(slow, Err(ServerError::Timeout { .. })), "{slow:?}");
    check_given_up(&world).await;
}

#[tokio::test]
async fn many_questions_at_once_are_all_answered() {
    let world = World::new("polite");
    world.heard().await;
    let mut questions: Vec<_> = (0..1_000)
        .map(|_| Box::pin(world.define("a.fake")))
        .collect();
    poll_once(&mut questions).await;
    let kept = questions.split_off(500);
    drop(questions);
    for question in kept {
        question.await.expect("an answer");
    }
    let status = world.servers.status();
    assert_eq!(status.first().map(|status| status.n_starts), Some(1));
}

const IMPATIENT: Limits = Limits {
    request: SHORT,
    warm_up: SHORT,
    hang: SHORT,
    back_off: SHORT,
    idle: Duration::from_secs(600),
    memory: u64::MAX,
};

/// Puts questions without waiting for their answers.
async fn poll_once<F: Future>(questions: &mut [std::pin::Pin<Box<F>>]) {
    std::future::poll_fn(|context| {
        for question in &mut *questions {
            assert!(question.as_mut().poll(context).is_pending());
        }
        std::task::Poll::Ready(())
    })
    .await;
}

fn stop(world: &World) {
    let status = world.servers.status();
    let pid = status.first().and_then(|status| status.pid);
    signal(pid.expect("a server that runs"), Signal::STOP);
}

/// Waits until a server that hangs has been ended.
async fn check_given_up(world: &World) {
    let begun = Instant::now();
    loop {
        let status = world.servers.status();
        let status = status.first().expect("a server");
        if let Health::Failed { error } = &status.health {
            let hung = "`language_server` exited before it answered: it does not answer any more";
            return assert_eq!(error.to_string(), hung);
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{status:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn one_that_keeps_failing_is_not_started_all_the_time() {
    let world = World::new("mortal");
    for _ in 0..5 {
        let answer = world.define("a.fake").await;
        assert!(
            matches!(answer, Err(ServerError::Crashed { .. })),
            "{answer:?}"
        );
    }
    let status = world.servers.status();
    let n_starts = status.first().map(|status| status.n_starts);
    // The first failure is forgiven, the second costs a minute.
    assert_eq!(n_starts, Some(2));
    // Who restarts it by hand does not wait.
    world.servers.restart("fake").await.expect("a start");
}

#[tokio::test]
async fn a_rename_of_files_elsewhere_is_marked_so() {
    let world = World::new("polite");
    let document = world.document("a.fake");
    let plan = world.servers.rename(&document, super::fake::START, "other");
    let error = plan.await.expect_err("a file that cannot be read");
    assert_eq!(
        error.to_string(),
        "`language_server` answered `textDocument/rename` with an unusable result: \
         `untitled:x` cannot be read"
    );
}

#[tokio::test]
async fn one_that_hangs_is_waited_for_once() {
    let limits = Limits {
        hang: Duration::from_secs(600),
        ..IMPATIENT
    };
    let world = World::with_limits("stuck", limits);
    world.heard().await;
    let first = world.define("a.fake").await;
    assert!(
        matches!(first, Err(ServerError::Timeout { .. })),
        "{first:?}"
    );
    for _ in 0..3 {
        let again = world.define("a.fake").await;
        assert!(
            matches!(again, Err(ServerError::Suspect { .. })),
            "{again:?}"
        );
    }
}

#[tokio::test]
async fn one_that_needs_too_much_memory_is_ended() {
    let limits = Limits {
        memory: 1,
        idle: SHORT,
        request: Duration::from_secs(60),
        ..IMPATIENT
    };
    let world = World::with_limits("silent", limits);
    world.heard().await;
    let answer = world.define("a.fake").await;
    let error = answer.expect_err("it is ended before it answers");
    assert!(
        error.to_string().contains("GB of memory, more than"),
        "{error}"
    );
}

#[tokio::test]
async fn one_that_nobody_needs_is_ended_and_started_again() {
    let limits = Limits {
        idle: Duration::from_millis(100),
        ..Limits::default()
    };
    let world = World::with_limits("polite", limits);
    world.define("a.fake").await.expect("an answer");
    while world.servers.status().iter().any(|it| it.pid.is_some()) {
        tokio::task::yield_now().await;
    }
    world.define("a.fake").await.expect("an answer");
    let status = world.servers.status();
    assert!(status.iter().all(|it| it.n_starts == 2), "{status:?}");
}
