//! A project with fake servers, and the conversation with those that behave.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mk_testkit::Fixture;
use mk_types::{Position, ProjectPath};
use serde_json::{Value, json};

use crate::{
    AttributedAnswer, ChangeKind, CustomServer, DiskChange, FileLocation, Limits, ProjectCode,
    ServerError, ServerOptions, Servers, SourceDocument, WarmSign,
};

/// The fake server, which is built with the tests.
pub(crate) fn program() -> PathBuf {
    let test = std::env::current_exe().expect("the test itself");
    let folder = test.parent().and_then(std::path::Path::parent);
    folder
        .expect("a folder of builds")
        .join("examples/language_server")
}

/// A project with servers for `*.fake`, which behaves badly, and `*.calm`, which does not.
pub(crate) struct World {
    pub(crate) fixture: Fixture,
    pub(crate) servers: Servers,
}

pub(crate) const START: Position = Position { line: 1, column: 1 };

impl World {
    pub(crate) fn new(behaviour: &str) -> Self {
        // Short enough to wait for, long enough for a busy machine.
        Self::with_limits(
            behaviour,
            Limits {
                request: Duration::from_secs(10),
                warm_up: Duration::from_secs(10),
                hang: Duration::from_secs(10),
                back_off: Duration::from_secs(60),
                ..Limits::default()
            },
        )
    }

    pub(crate) fn with_limits(behaviour: &str, limits: Limits) -> Self {
        let fixture = Fixture::new("//- /a.fake\none\n//- /b.fake\ntwo\n//- /a.calm\ncalm\n");
        let custom = |language: &str, behaviour: &str| CustomServer {
            language: language.to_owned(),
            extensions: vec![language.to_owned()],
            command: vec![
                program().to_string_lossy().into_owned(),
                behaviour.to_owned(),
            ],
            options: Value::Null,
            settings: json!({"fake": {"deep": {"key": 1}}}),
            warm: if behaviour == "indexing" {
                WarmSign::Progress
            } else {
                WarmSign::Nothing
            },
        };
        let options = ServerOptions {
            launcher: None,
            search_path: "/usr/bin:/bin".into(),
            tools: fixture.path("tools"),
            project_code: ProjectCode::Avoid,
            custom: vec![custom("fake", behaviour), custom("calm", "polite")],
            limits,
        };
        let servers = Servers::new(fixture.root().clone(), options);
        Self { fixture, servers }
    }

    pub(crate) fn document(&self, path: &str) -> SourceDocument {
        let path = ProjectPath::parse(path, self.fixture.root()).expect("a path");
        let text = std::fs::read_to_string(path.under(self.fixture.root())).expect("a file");
        SourceDocument {
            path,
            text: text.into(),
        }
    }

    pub(crate) async fn define(
        &self,
        path: &str,
    ) -> Result<AttributedAnswer<Vec<FileLocation>>, ServerError> {
        self.servers.definition(&self.document(path), START).await
    }

    /// What reached the server so far.
    pub(crate) async fn heard(&self) -> Vec<String> {
        let document = self.document("a.fake");
        let hover = self.servers.hover(&document, START).await.expect("a hover");
        let text = hover.value.expect("a text");
        text.lines().map(str::to_owned).collect()
    }

    fn changed(&self, path: &str, kind: ChangeKind) {
        let path = ProjectPath::parse(path, self.fixture.root()).expect("a path");
        self.servers.files_changed(&[DiskChange { path, kind }]);
    }
}

#[tokio::test]
async fn a_question_starts_the_server_and_is_answered() {
    let world = World::new("polite");
    assert_eq!(world.servers.status(), []);
    let answer = world.define("a.fake").await.expect("an answer");
    assert_eq!(answer.server, "language_server");
    let [location] = answer.value.as_slice() else {
        panic!("one place, not {:?}", answer.value);
    };
    assert_eq!(location.range.start, START);
    let status = world.servers.status();
    let [status] = status.as_slice() else {
        panic!("one server, not {status:?}");
    };
    assert_eq!(
        (status.language.as_str(), status.health.as_str()),
        ("fake", "running")
    );
}

#[tokio::test]
async fn a_greeting_before_the_protocol_is_overlooked() {
    let world = World::new("chatty");
    world.define("a.fake").await.expect("an answer");
}

#[tokio::test]
async fn documents_are_shown_once_and_again_when_they_change() {
    let world = World::new("polite");
    world.define("a.fake").await.expect("an answer");
    world.define("a.fake").await.expect("an answer");
    world.fixture.write("a.fake", "one and more");
    world.define("a.fake").await.expect("an answer");
    // Changed on disk while it is open: the server must read it again.
    world.fixture.write("a.fake", "one, more and most");
    world.define("b.fake").await.expect("an answer");
    world.changed("c.txt", ChangeKind::Created);
    world.changed("c.calm", ChangeKind::Created);
    let heard = world.heard().await;
    insta::assert_snapshot!(heard.join("\n"), @"
    initialize
    initialized
    workspace/didChangeConfiguration
    textDocument/didOpen
    textDocument/definition
    textDocument/definition
    textDocument/didChange
    textDocument/definition
    textDocument/didClose
    workspace/didChangeWatchedFiles
    textDocument/didOpen
    textDocument/definition
    workspace/didChangeWatchedFiles
    textDocument/didOpen
    textDocument/hover
    ");
}

#[tokio::test]
async fn questions_of_a_server_are_answered_and_edits_refused() {
    let world = World::new("asking");
    let mut replies = Vec::new();
    // Replies to the server go their own way; each question asks whether they have arrived.
    while replies.len() < 4 {
        replies = world.heard().await;
        replies.retain(|line| line.starts_with("reply "));
    }
    insta::assert_snapshot!(replies.join("\n"), @r#"
    reply {"jsonrpc":"2.0","id":"server-0","result":[{"key":1},{"fake":{"deep":{"key":1}}}]}
    reply {"jsonrpc":"2.0","id":"server-1","result":null}
    reply {"jsonrpc":"2.0","id":"server-2","result":{"applied":false,"failureReason":"only Modekeeper changes files here"}}
    reply {"jsonrpc":"2.0","id":"server-3","error":{"code":-32601,"message":"`window/dance` is not offered"}}
    "#);
}

#[tokio::test]
async fn a_question_is_put_again_when_the_server_was_still_changing() {
    let world = World::new("modified");
    world.define("a.fake").await.expect("an answer");
}

#[tokio::test]
async fn what_a_server_cannot_do_is_said_without_asking_it() {
    let world = World::new("polite");
    let document = world.document("a.fake");
    let answer = world.servers.implementations(&document, START).await;
    assert_eq!(
        answer,
        Err(ServerError::Unsupported {
            server: "language_server".to_owned(),
            method: "textDocument/implementation",
        })
    );
}

#[tokio::test]
async fn columns_are_counted_as_the_server_counts_them() {
    for behaviour in ["polite", "utf-8"] {
        let world = World::new(behaviour);
        let mut document = world.document("a.fake");
        document.text = Arc::from("é😀漢 name\r\n");
        let position = Position { line: 1, column: 5 };
        let answer = world.servers.definition(&document, position).await;
        let answer = answer.expect("an answer");
        let places: Vec<Position> = answer.value.iter().map(|place| place.range.start).collect();
        // The fake server gives back the place it was sent, in its own counting.
        assert_eq!(places, [position], "{behaviour}");
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_cancels_its_question() {
    let world = World::new("silent");
    world.heard().await;
    {
        let question = world.define("a.fake");
        tokio::pin!(question);
        // Polled once, so that it is sent, and then dropped.
        let once = std::future::poll_fn(|context| {
            let poll = question.as_mut().poll(context);
            std::task::Poll::Ready(poll.is_pending())
        });
        assert!(once.await);
    }
    let heard = world.heard().await;
    let sent = heard.iter().any(|line| line == "textDocument/definition");
    let cancelled = heard.iter().any(|line| line == "$/cancelRequest");
    assert!(cancelled || !sent, "{heard:?}");
}

#[tokio::test]
async fn a_server_that_reads_the_project_is_waited_for() {
    let limits = Limits {
        warm_up: Duration::from_secs(2),
        ..Limits::default()
    };
    let world = World::with_limits("indexing", limits);
    let mut seen = Vec::new();
    let answer = world
        .servers
        .warm_up("fake", |status| seen.push(status.health.as_str()))
        .await;
    let error = answer.expect_err("it never ends reading");
    assert_eq!(
        error.to_string(),
        "`language_server` timed out after 2 s: it reads the project 40 % (Reading)"
    );
    assert!(seen.contains(&"indexing"), "{seen:?}");
}

#[tokio::test]
async fn a_restart_gives_another_process() {
    let world = World::new("polite");
    let first = world.servers.restart("fake").await.expect("a start").value;
    let second = world.servers.restart("FAKE").await.expect("a start").value;
    assert_ne!(first, second);
    let unknown = world.servers.restart("klingon").await;
    assert_eq!(
        unknown,
        Err(ServerError::UnknownLanguage {
            name: "klingon".to_owned()
        })
    );
}
