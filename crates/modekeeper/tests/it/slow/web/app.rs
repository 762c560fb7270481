//! The view that clients with MCP Apps show, in a frame as they make it: it talks to its host and to nobody else.

use serde_json::{Value, json};

use super::{EVIL, World};

/// What a client does for a view: makes it a frame without an origin, answers it, and writes down what it said.
const HOST: &str = "
const [html, state] = arguments;
window.heard = [];
const frame = document.createElement('iframe');
frame.setAttribute('sandbox', 'allow-scripts');
frame.style = 'width: 100%; height: 700px; border: 0';
frame.title = 'view';
addEventListener('message', ({ data, source }) => {
  window.heard.push(data.method);
  const answer = (result) => source.postMessage({ jsonrpc: '2.0', id: data.id, result }, '*');
  if (data.method === 'ui/initialize') answer({ protocolVersion: '2026-01-26', hostInfo: { name: 'host', version: '1' }, hostCapabilities: { serverResources: {} }, hostContext: { theme: 'dark' } });
  if (data.method === 'resources/read') answer({ contents: [{ uri: data.params.uri, mimeType: 'application/json', text: state }] });
});
frame.srcdoc = html;
document.body.append(frame);
";

#[test]
fn the_view_in_a_client_shows_what_waits_the_mode_and_the_tasks() {
    let world = World::new(&["--switching", "ask_to_widen"]);
    world.sandbox.ok(&["mode", "architect"]);
    let mut agent = world.agent();
    let made = agent.call(
        "create_task",
        &json!({ "mode_slug": "architect", "initial_message": EVIL }),
    );
    let made = crate::support::http::lift(made);
    let session = made["result"]["metadata"]["session_id"].clone();
    agent.call(
        "create_task",
        &json!({ "mode_slug": "ask", "initial_message": "Ask around", "parent_session_id": session }),
    );
    let mut asking = world.agent();
    let waits = std::thread::spawn(move || {
        asking.call(
            "create_task",
            &json!({ "mode_slug": "code", "initial_message": "x" }),
        )
    });
    let browser = &world.browser;
    browser.sees("Waiting for you: 1");

    let listed = agent.request("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let tool = tools.iter().find(|it| it["name"] == "list_modes").unwrap();
    let uri = tool["_meta"]["ui"]["resourceUri"].as_str().unwrap();
    let view = contents(&agent.request("resources/read", &json!({ "uri": uri })));
    assert_eq!(view["mimeType"], "text/html;profile=mcp-app");
    let state = json!({ "uri": "ui://modekeeper/overview.json" });
    let state = contents(&agent.request("resources/read", &state));

    browser.open("about:blank");
    browser.run_with(HOST, &[view["text"].clone(), state["text"].clone()]);
    browser.enter_frame();
    browser.sees("Mode: ");
    browser.sees("Let the agent");
    browser.sees("Ask around");
    browser.sees("window.pwned=1");
    let nested = browser.run("return document.querySelectorAll('#tasks ul li').length");
    assert_eq!(nested, 1, "a child stands below its parent");
    let theme = browser.run("return document.documentElement.dataset.theme");
    assert_eq!(theme, "dark");
    let found = browser.run(
        "return [window.pwned ?? null, document.querySelectorAll('img, svg, button, form, input').length]",
    );
    assert_eq!(
        found,
        json!([null, 0]),
        "nothing to click, nothing that runs"
    );
    assert_eq!(browser.barriers(), Vec::<String>::new());
    browser.picture("mcp-app");
    browser.leave_frame();
    let heard = browser.run("return [...new Set(window.heard)].sort()");
    let expected = [
        "resources/read",
        "ui/initialize",
        "ui/notifications/initialized",
        "ui/notifications/size-changed",
    ];
    assert_eq!(heard, json!(expected));
    world.log_in();
    browser.click("Deny");
    waits.join().unwrap();
}

fn contents(answer: &Value) -> Value {
    answer["result"]["contents"][0].clone()
}
