//! What the proxy asks the person itself: approvals, and the way out of a plan.

use mk_clients::ClientId;
use serde_json::json;

use super::World;

#[tokio::test]
async fn a_protected_file_is_asked_by_the_proxy_and_written_once() {
    let mut world = World::new("");
    world.usual().await;
    for agreed in [true, false] {
        let mut call = world.edit(".roomodes");
        call["toolCallId"] = json!(format!("agreed {agreed}"));
        let id = world.agent_asks(call).await;
        let question = world.editor.hear_method("session/request_permission").await;
        assert!(
            question["id"].as_str().unwrap().starts_with("modekeeper-"),
            "{question:#}"
        );
        let title = question["params"]["toolCall"]["title"].as_str().unwrap();
        assert!(
            title.contains(".roomodes") && title.contains("protected"),
            "{title}"
        );
        let option = if agreed { "allow" } else { "reject" };
        let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
        world.editor.answer(&question, outcome).await;
        let answer = world.agent.hear_answer(id).await;
        assert_eq!(answer["result"]["outcome"]["optionId"], option);
    }
}

#[tokio::test]
async fn the_way_out_of_a_plan_leads_to_our_modes() {
    let mut world = World::of(ClientId::ClaudeCode);
    world.usual().await;
    world.set_mode("architect").await;
    let params = json!({
        "sessionId": "s1",
        "toolCall": {
            "toolCallId": "p1", "title": "Approve Plan", "kind": "switch_mode",
            "content": [{ "type": "content", "content": { "type": "text", "text": "## Plan" } }],
        },
        "options": [
            { "optionId": "exit-plan-auto", "name": "Auto", "kind": "allow_always" },
            { "optionId": "exit-plan-default", "name": "Ask", "kind": "allow_once" },
            { "optionId": "reject", "name": "No", "kind": "reject_once" },
        ],
    });
    let id = world
        .agent
        .ask("session/request_permission", params.clone())
        .await;
    let question = world.editor.hear_method("session/request_permission").await;
    assert_eq!(question["params"]["toolCall"]["kind"], "switch_mode");
    assert_eq!(
        question["params"]["toolCall"]["content"],
        params["toolCall"]["content"]
    );
    let options = question["params"]["options"].as_array().unwrap();
    let ids: Vec<&str> = options
        .iter()
        .filter_map(|it| it["optionId"].as_str())
        .collect();
    assert_eq!(ids, ["code", "ask", "debug", "orchestrator", "reject"]);
    assert_eq!(options[0]["kind"], "allow_always");
    assert_eq!(options[1]["kind"], "allow_once");
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "code" } });
    world.editor.answer(&question, outcome).await;
    let seen = world.editor.hear_update("current_mode_update").await;
    assert_eq!(seen["currentModeId"], "code");
    let answer = world.agent.hear_answer(id).await;
    assert_eq!(answer["result"]["outcome"]["optionId"], "exit-plan-default");
}

#[tokio::test]
async fn staying_in_the_plan_is_a_rejection() {
    let mut world = World::of(ClientId::ClaudeCode);
    world.usual().await;
    world.set_mode("architect").await;
    let call = json!({ "toolCallId": "p1", "title": "Approve Plan", "kind": "switch_mode", "rawInput": { "plan": "x" } });
    let id = world.agent_asks(call).await;
    let question = world.editor.hear_method("session/request_permission").await;
    assert_eq!(
        question["params"]["toolCall"]["content"][0]["content"]["text"],
        "x"
    );
    world
        .editor
        .answer(&question, json!({ "outcome": { "outcome": "cancelled" } }))
        .await;
    let answer = world.agent.hear_answer(id).await;
    assert_eq!(answer["result"]["outcome"]["optionId"], "reject");
}

#[tokio::test]
async fn a_plan_that_a_tool_of_ours_shows_is_asked_in_the_editor() {
    let mut world = World::new("");
    world.usual().await;
    world.set_mode("architect").await;
    let conversations = world.engine.conversations();
    let standpoint = conversations.standpoint(world.files.root()).unwrap();
    let conversation = standpoint.conversations[0].id.clone();
    let shown = conversations
        .exit_plan(Some(&conversation), "## The plan")
        .await
        .unwrap();
    assert!(
        matches!(shown, mk_engine::Outcome::NeedsApproval(_)),
        "{shown:?}"
    );
    let question = world.editor.hear_method("session/request_permission").await;
    let call = &question["params"]["toolCall"];
    assert_eq!(call["kind"], "switch_mode");
    assert_eq!(call["content"][0]["content"]["text"], "## The plan");
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "code" } });
    world.editor.answer(&question, outcome).await;
    world.editor.hear_update("current_mode_update").await;
    let mk_engine::Outcome::NeedsApproval(request) = shown else {
        unreachable!()
    };
    let verdict = world.engine.approvals().wait(&request.id).await.unwrap();
    assert_eq!(verdict, Some(mk_engine::Verdict::Granted));
}
