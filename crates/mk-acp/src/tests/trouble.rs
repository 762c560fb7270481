//! Peers that go, flood, or send what is too long.

use serde_json::json;

use super::World;
use crate::{Error, Exit};

#[tokio::test]
async fn the_editor_leaves_and_the_agent_sees_the_end_of_its_input() {
    let mut world = World::new("");
    world.usual().await;
    world.editor.leave();
    assert_eq!(world.agent.hear_line().await, None);
    assert_eq!(world.proxy.await.unwrap().unwrap(), Exit::EditorLeft);
}

#[tokio::test]
async fn the_agent_ends_and_what_the_editor_waits_for_is_answered() {
    let mut world = World::new("");
    world.usual().await;
    let prompt = json!({ "sessionId": "s1", "prompt": [] });
    let first = world.editor.ask("session/prompt", prompt).await;
    let second = world.editor.ask("_vendor/wait", json!({})).await;
    world.agent.hear_method("_vendor/wait").await;
    world.agent.leave();
    for id in [first, second] {
        let answer = world.editor.hear_answer(id).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
    }
    assert!(matches!(
        world.proxy.await.unwrap(),
        Err(Error::AgentEnded { .. })
    ));
}

#[tokio::test]
async fn a_line_of_fifty_megabytes_passes() {
    let mut world = World::new("");
    world.usual().await;
    let text = "x".repeat(50 << 20);
    let update = json!({
        "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text },
    });
    let params = json!({ "sessionId": "s1", "update": update });
    let line =
        json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }).to_string();
    let World {
        mut agent,
        mut editor,
        ..
    } = world;
    let sent = line.clone();
    let writing = tokio::spawn(async move {
        agent.line(&sent).await;
        agent
    });
    assert!(editor.hear_line().await.as_deref() == Some(line.as_str()));
    writing.await.unwrap();
}

#[tokio::test]
async fn an_editor_that_does_not_read_holds_the_agent_back() {
    let mut world = World::new("");
    world.usual().await;
    let line = json!({
        "jsonrpc": "2.0", "method": "session/update",
        "params": { "sessionId": "s1", "update": { "sessionUpdate": "agent_thought_chunk", "content": "y".repeat(64 << 10) } },
    })
    .to_string();
    let World {
        mut agent,
        mut editor,
        ..
    } = world;
    let sent = line.clone();
    let writing = tokio::spawn(async move {
        for _ in 0..2_000 {
            agent.line(&sent).await;
        }
    });
    // 125 MB do not fit into the pipes and the queue: without reading, the agent cannot get rid of them.
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
    assert!(!writing.is_finished());
    for _ in 0..2_000 {
        assert!(editor.hear_line().await.as_deref() == Some(line.as_str()));
    }
    writing.await.unwrap();
}
