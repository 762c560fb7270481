//! The stream of events: live, from other processes too, and without gaps.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::{Method, StatusCode};
use futures::StreamExt as _;
use mk_engine::AccessRole;
use serde_json::json;
use tower::ServiceExt as _;

use super::{World, request};

/// Patience with a busy machine; nothing waits for it to pass.
const PATIENCE: Duration = Duration::from_secs(30);

struct Stream(BodyDataStream, String);

impl Stream {
    async fn open(world: &World, last: Option<&str>) -> Self {
        let token = world.token(AccessRole::Viewer).await;
        let mut request = request(Method::GET, "/api/events", "");
        let headers = request.headers_mut();
        headers.insert(
            "authorization",
            format!("Bearer {token}").parse().expect("a header"),
        );
        if let Some(last) = last {
            headers.insert("last-event-id", last.parse().expect("a header"));
        }
        let response = world
            .routes
            .clone()
            .oneshot(request)
            .await
            .expect("an answer");
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self(Body::into_data_stream(response.into_body()), String::new())
    }

    /// The next event of this name.
    async fn next(&mut self, name: &str) -> String {
        let wanted = format!("event: {name}\n");
        loop {
            while let Some((event, rest)) = self.1.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.1 = rest;
                if format!("{event}\n").contains(&wanted) {
                    return event;
                }
            }
            let next = tokio::time::timeout(PATIENCE, self.0.next())
                .await
                .expect("in time");
            let chunk = next.expect("no end").expect("a chunk");
            self.1.push_str(std::str::from_utf8(&chunk).expect("text"));
        }
    }
}

fn id_of(event: &str) -> String {
    let id = event.lines().find_map(|line| line.strip_prefix("id: "));
    id.expect("an id").to_owned()
}

#[tokio::test]
async fn what_happens_is_told_and_what_was_missed_too() {
    let world = World::new("//- /a.md\nx\n");
    let mut stream = Stream::open(&world, None).await;
    stream.next("approvals").await;
    world
        .call("read_file", json!({ "file_path": "a.md" }))
        .await;
    let first = stream.next("decision").await;
    assert!(first.contains("\"target\":\"a.md\""), "{first}");
    drop(stream);
    for target in ["b.md", "c.md"] {
        world
            .call("read_file", json!({ "file_path": target }))
            .await;
    }
    world.engine.flush();
    let mut again = Stream::open(&world, Some(&id_of(&first))).await;
    for target in ["b.md", "c.md"] {
        let missed = again.next("decision").await;
        assert!(
            missed.contains(&format!("\"target\":\"{target}\"")),
            "{missed}"
        );
    }
    world
        .call(
            "create_task",
            json!({ "mode_slug": "ask", "initial_message": "new" }),
        )
        .await;
    loop {
        if again.next("tasks").await.contains("\"title\":\"new\"") {
            break;
        }
    }
}
