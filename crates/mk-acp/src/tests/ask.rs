//! What the proxy asks the person itself: approvals, and the way out of a plan.

use mk_clients::ClientId;
use mk_engine::{Actor, AgentLink, Caller, Outcome};
use serde_json::{Value, json};

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
    let call = json!({
        "toolCallId": "p1", "title": "Approve Plan", "kind": "switch_mode", "rawInput": { "plan": "x" }, "content": [],
    });
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

/// The name under which our server, which the agent starts, belongs to the session.
fn server_of(request: &Value) -> String {
    let servers = &request["params"]["mcpServers"];
    let expected = json!([{ "name": "theirs", "command": "x", "args": [], "env": [] }]);
    assert_eq!(servers[0], expected[0]);
    assert_eq!(servers[1]["name"], "modekeeper");
    assert_eq!(servers[1]["command"], "/opt/modekeeper");
    assert_eq!(servers[1]["args"], json!(["mcp"]));
    let variables = &servers[1]["env"];
    assert_eq!(variables[0], json!({ "name": "HERE", "value": "there" }));
    assert_eq!(variables[1]["name"], "WHOSE");
    let whose = variables[1]["value"].as_str().unwrap();
    whose.strip_prefix("acp:").unwrap().to_owned()
}

#[tokio::test]
async fn a_plan_that_our_own_tool_shows_is_asked_in_its_session() {
    let mut world = World::new("");
    let theirs = json!([{ "name": "theirs", "command": "x", "args": [], "env": [] }]);
    let mut names = Vec::new();
    // Two sessions of one agent: the plan belongs to the one whose server was asked.
    for session in ["s0", "s1"] {
        let cwd = world.files.root().to_string();
        let params = json!({ "cwd": cwd, "mcpServers": theirs });
        let id = world.editor.ask("session/new", params).await;
        let request = world.agent.hear_method("session/new").await;
        names.push(server_of(&request));
        let result = json!({ "sessionId": session });
        world.agent.answer(&request, result).await;
        world.editor.hear_answer(id).await;
    }
    world.set_mode("architect").await;
    let link = AgentLink::new(Vec::new()).with_session("acp", &names[1]);
    let caller = Caller {
        agent: Some(link),
        ..Caller::in_project(world.files.root().clone(), Actor::Agent)
    };
    let engine = world.engine.clone();
    let shown = engine
        .conversations()
        .exit_plan(&caller, "## The plan")
        .await
        .unwrap();
    let Outcome::NeedsApproval(request) = shown else {
        panic!("{shown:?}");
    };
    let question = world.editor.hear_method("session/request_permission").await;
    assert_eq!(question["params"]["sessionId"], "s1");
    let call = &question["params"]["toolCall"];
    assert_eq!(call["kind"], "switch_mode");
    assert_eq!(call["content"][0]["content"]["text"], "## The plan");
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "code" } });
    world.editor.answer(&question, outcome).await;
    world.editor.hear_update("current_mode_update").await;
    let verdict = world.engine.approvals().wait(&request.id).await.unwrap();
    assert_eq!(verdict, Some(mk_engine::ApprovalVerdict::Granted));
    // The same call after the approval has its answer, in the mode that the person chose.
    let again = engine
        .conversations()
        .exit_plan(&caller, "## The plan")
        .await
        .unwrap();
    let Outcome::Done(accepted) = again else {
        panic!("{again:?}");
    };
    assert_eq!(accepted.mode.as_str(), "code");
}

#[tokio::test]
async fn a_server_of_our_name_that_the_editor_brings_is_left_alone() {
    let mut world = World::new("");
    let cwd = world.files.root().to_string();
    let theirs = json!([{ "name": "modekeeper", "command": "x", "args": [], "env": [] }]);
    let params = json!({ "cwd": cwd, "mcpServers": theirs });
    world.editor.ask("session/new", params).await;
    let request = world.agent.hear_method("session/new").await;
    assert_eq!(request["params"]["mcpServers"], theirs);
}

/// Claude enters its own plan mode, which asks as much as the one it is kept in.
async fn plans_by_itself(world: &mut World) {
    let update = json!({ "sessionUpdate": "current_mode_update", "currentModeId": "plan" });
    world.agent.update("s1", update).await;
    world.editor.hear_update("current_mode_update").await;
}

/// The options of the plan that is shown next, after its answer.
async fn plan_options(world: &mut World, chosen: &str) -> Vec<String> {
    let question = world.editor.hear_method("session/request_permission").await;
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": chosen } });
    world.editor.answer(&question, outcome).await;
    let options = question["params"]["options"].as_array().unwrap();
    let ids = options.iter().filter_map(|it| it["optionId"].as_str());
    ids.map(str::to_owned).collect()
}

async fn claude_that_can_plan() -> World {
    let mut world = World::of(ClientId::ClaudeCode);
    let mut modes = super::own_modes();
    let modes_list = modes["availableModes"].as_array_mut().unwrap();
    modes_list.push(json!({ "id": "plan", "name": "Plan" }));
    world
        .open(json!({ "sessionId": "s1", "modes": modes }))
        .await;
    let pin = world.agent.hear_method("session/set_mode").await;
    world.agent.answer(&pin, json!({})).await;
    world
}

#[tokio::test]
async fn an_agent_that_plans_by_itself_is_left_there_until_its_plan_is_approved() {
    let mut world = claude_that_can_plan().await;
    world.set_mode("architect").await;
    plans_by_itself(&mut world).await;
    let call = json!({ "toolCallId": "p1", "title": "Approve Plan", "kind": "switch_mode", "rawInput": { "plan": "x" } });
    let id = world.agent_asks(call).await;
    plan_options(&mut world, "code").await;
    // Nothing but the answer: it leaves its plan by itself.
    let heard = world.agent.hear().await;
    assert_eq!(heard["id"], id, "{heard:#}");
    assert_eq!(heard["result"]["outcome"]["optionId"], "allow");
}

#[tokio::test]
async fn a_person_who_picks_a_mode_ends_the_agents_own_planning() {
    let mut world = claude_that_can_plan().await;
    plans_by_itself(&mut world).await;
    world.set_mode("debug").await;
    let pin = world.agent.hear_method("session/set_mode").await;
    assert_eq!(pin["params"]["modeId"], "default");
}

#[tokio::test]
async fn a_mode_that_may_change_everything_carries_its_plan_out_itself() {
    let mut world = claude_that_can_plan().await;
    let call = json!({ "toolCallId": "p1", "title": "Approve Plan", "kind": "switch_mode", "rawInput": { "plan": "x" } });
    let id = world.agent_asks(call).await;
    let ids = plan_options(&mut world, "code").await;
    assert_eq!(ids.first().map(String::as_str), Some("code"));
    let answer = world.agent.hear_answer(id).await;
    assert_eq!(answer["result"]["outcome"]["optionId"], "allow");
}
