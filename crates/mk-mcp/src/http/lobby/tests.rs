//! Which sessions rest while others come.

use rmcp::model::{ClientCapabilities, Implementation, InitializeRequestParams};

use super::*;

/// A lobby, and what its sessions would be served on, which must stay.
struct Crowd {
    lobby: Lobby,
    transports: Vec<WorkerTransport<LocalSessionWorker>>,
}

impl Crowd {
    fn new() -> Self {
        Self {
            lobby: Lobby::new(Arc::new(|_| {})),
            transports: Vec::new(),
        }
    }

    /// A client that says hello and nothing more.
    async fn greet(&mut self) -> SessionId {
        let (id, transport) = self.lobby.create_session().await.expect("a session");
        let client = Implementation::new("test", "1");
        let hello = InitializeRequestParams::new(ClientCapabilities::default(), client);
        let stored = self.lobby.store(&id, &SessionState::new(hello)).await;
        stored.expect("stored");
        self.transports.push(transport);
        id
    }

    fn runs(&self, id: &SessionId) -> bool {
        self.lobby.guests().get(id).is_some_and(|guest| guest.runs)
    }

    fn running(&self) -> usize {
        let guests = self.lobby.guests();
        guests.values().filter(|guest| guest.runs).count()
    }
}

/// With 512 clients, sessions that had been found for a call were put to rest before it began: the call was answered 500.
#[tokio::test(start_paused = true)]
async fn a_session_that_was_found_does_not_rest_before_its_request_comes() {
    let mut crowd = Crowd::new();
    let mut found = Vec::new();
    for _ in 0..512 {
        let id = crowd.greet().await;
        assert!(crowd.lobby.has_session(&id).await.expect("an answer"));
        found.push(id);
    }
    for id in &found {
        assert!(crowd.runs(id));
        let there = crowd.lobby.manager.has_session(id).await;
        assert!(there.expect("an answer"));
    }
}

#[tokio::test]
async fn sessions_that_only_said_hello_rest_at_once_where_many_run() {
    let mut crowd = Crowd::new();
    for _ in 0..1024 {
        crowd.greet().await;
        assert!(crowd.running() <= MOST_RUNNING);
    }
    assert_eq!(crowd.lobby.guests().len(), 1024, "all are known");
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_request_never_comes_may_rest_after_a_while() {
    let mut crowd = Crowd::new();
    let id = crowd.greet().await;
    assert!(crowd.lobby.has_session(&id).await.expect("an answer"));
    tokio::time::advance(EXPECTED_WITHIN).await;
    for _ in 0..MOST_RUNNING {
        crowd.greet().await;
    }
    assert!(!crowd.runs(&id));
}
