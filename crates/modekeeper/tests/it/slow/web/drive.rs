//! The rest of what can be clicked: every control of every view, as a person uses it.

use std::sync::Arc;

use serde_json::json;

use super::World;
use crate::slow::agents::agent::Agent;
use crate::slow::agents::world::World as AgentWorld;
use crate::support::PATIENCE;
use crate::support::http::lift;
use crate::support::wait_within;

#[test]
fn a_real_agent_is_refused_and_let_go_on_at_the_page() {
    let agent = AgentWorld::new(Agent::ClaudeCode);
    agent.init(&["--mode", "architect"]);
    let mut command = agent.sandbox.command(&["serve", "--listen", "127.0.0.1:0"]);
    let world = World::serving(Arc::clone(&agent.sandbox), &mut command);
    let browser = &world.browser;
    let (source, modes) = (agent.path("src/new.rs"), agent.path(".roomodes"));
    agent.run(vec![Agent::ClaudeCode.write(&source, "fn new() {}\n")]);
    assert!(!agent.exists("src/new.rs"));
    browser.wait("[...document.querySelectorAll('.row.v-deny')].some((it) => it.innerText.includes('Write') && it.innerText.includes('src/new.rs') && it.querySelector('.c-agent').textContent === 'claude-code')");
    browser.wait("[...document.querySelectorAll('.tree .badge.client')].some((it) => it.textContent === 'claude-code')");
    agent.sandbox.ok(&["mode", "code"]);
    let text = "customModes: []\n";
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| agent.run(vec![Agent::ClaudeCode.write(&modes, text)]));
        browser.sees("Waiting for you: 1");
        browser.wait("document.querySelector('.card .badge.client').textContent === 'claude-code'");
        browser.click("Approve");
        waits.join().unwrap();
    });
    assert_eq!(agent.text(".roomodes"), text);
    browser.sees("Nothing waits for you");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn figures_and_decisions_are_saved_as_files() {
    let world = World::new(&[]);
    let _agent = super::fill(&world);
    let browser = &world.browser;
    let files = world.sandbox.root().join("downloads");
    std::fs::create_dir(&files).unwrap();
    browser.save_into(&files);
    browser.go("#/usage");
    browser.sees("Denials per tool");
    browser.choose("select[aria-label='Time span']", "3600");
    for (link, name, expected) in [
        (
            "Decisions as CSV",
            "decisions.csv",
            "\"rm -rf src\",\"deny\"",
        ),
        ("Decisions as JSON", "decisions.json", "\"policy_hash\""),
        ("Usage as CSV", "usage.csv", "\"Bash\",deny,1"),
        ("Usage as JSON", "usage.json", "\"approvals\""),
    ] {
        browser.click(link);
        wait_within(PATIENCE, name, || {
            let text = std::fs::read_to_string(files.join(name)).ok()?;
            text.contains(expected).then_some(())
        });
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_mode_is_written_with_completion_and_its_rights_are_compared() {
    let world = World::new(&[]);
    let browser = &world.browser;
    browser.go("#/modes");
    browser.click("Show Docs");
    browser.wait(
        "document.querySelector('dialog .prompt')?.innerText.includes('You write documentation.')",
    );
    browser.click("Close");
    browser.click("Use docs here");
    browser.wait("document.querySelector('tr.current')?.innerText.includes('in use')");
    assert!(world.sandbox.ok(&["mode"]).contains("docs"));
    browser.go("#/edit");
    browser.wait("document.querySelector('#draft')");
    // The key is completed from the schema, with the keyboard.
    let text = "customModes:\n  - slug: docs\n    name: Docs\n    roleDefinition: You write documentation.\n    grou";
    browser.fill("#draft", "");
    browser.type_into("#draft", text);
    browser.wait(
        "document.querySelector('.suggestions [aria-selected=true] code').textContent === 'groups'",
    );
    browser.type_into("#draft", "\u{e007}: [read, [edit, {fileReg");
    browser.wait("document.querySelector('.suggestions [aria-selected=true] code').textContent === 'fileRegex'");
    browser.type_into("#draft", "\u{e007}: '\\.py$'}]]\n");
    browser.wait("document.querySelector('#draft').value.includes(\"groups: [read, [edit, {fileRegex: '\\\\.py$'}]]\")");
    browser.sees("matches 1 of 3 files");
    browser.wait("[...document.querySelectorAll('[aria-label=\"Rights that change\"] tbody tr')].some((it) => it.innerText.includes('docs') && it.innerText.includes('edit'))");
    browser.picture("edit-changed");
    browser.click("Save");
    browser.sees("Playground");
    let shown = world.sandbox.json(&["modes", "show", "docs", "--json"]);
    let edit = &shown["tool_groups"]["edit"];
    assert!(edit.to_string().contains("\\\\.py$"), "{shown:#}");
    // An example that does not hold keeps it from being saved.
    browser.go("#/edit");
    browser.wait("document.querySelector('#draft')?.value.includes('fileRegex')");
    browser.fill(
        "#draft",
        "customModes:\n  - slug: docs\n    name: Docs\n    roleDefinition: x\n    groups: [read]\n    examples: {allow: [write_to_file a.md]}\n",
    );
    browser.sees("example");
    browser.wait("document.querySelectorAll('[aria-label=Problems] tbody tr').length > 0");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_note_on_the_desktop_tells_of_a_request_where_it_is_wanted() {
    let world = World::new(&["--switching", "ask_to_widen"]);
    world.sandbox.ok(&["mode", "ask"]);
    let browser = &world.browser;
    // Off to begin with, whether the page looks before or after the browser permits them.
    browser.run("localStorage.setItem('notify', 'off')");
    browser.permit("notifications");
    // What the desktop would get; the person is elsewhere.
    browser.run(
        "window.notes = []; const Real = Notification; document.hasFocus = () => false; \
         window.Notification = class extends Real { constructor(title, options) { super(title, options); window.notes.push(options.body); } }",
    );
    let ask = || {
        let mut agent = world.agent();
        std::thread::spawn(move || {
            agent.call(
                "create_task",
                &json!({ "mode_slug": "code", "initial_message": "x" }),
            )
        })
    };
    browser.go("#/modes");
    browser.wait(
        "window.dispatchEvent(new Event('focus')) && [...document.querySelectorAll('button')].some((it) => it.textContent === 'Notify me')",
    );
    browser.click("Notify me");
    browser.sees("Notifications on");
    let first = ask();
    browser.wait("window.notes.length === 1");
    browser.click("Deny");
    first.join().unwrap();
    browser.sees("Nothing waits for you");
    browser.click("Notifications on");
    browser.sees("Notify me");
    let second = ask();
    browser.sees("Waiting for you: 1");
    assert_eq!(browser.run("return window.notes.length"), 1);
    browser.click("Deny");
    second.join().unwrap();
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn memories_the_playbook_and_filters_answer_clicks() {
    let world = World::new(&[]);
    let mut agent = super::fill(&world);
    let browser = &world.browser;
    browser.run("window.confirm = () => true");
    browser.go("#/project");
    browser.fill("input[name=name]", "plans");
    browser.click("New");
    browser.fill("#memory-text", "Soon.");
    browser.click("Save memory");
    browser.wait("!document.querySelector('dialog')");
    let read = agent.call("read_memory", &json!({ "name": "plans" }));
    assert!(read.to_string().contains("Soon."), "{read:#}");
    browser.click("Delete plans");
    browser.wait("![...document.querySelectorAll('[aria-label=Memories] th')].some((it) => it.innerText === 'plans')");
    let gone = agent.call("read_memory", &json!({ "name": "plans" }));
    assert_eq!(gone["result"]["isError"], true, "{gone:#}");
    browser.fill("input[name=q]", "debugging");
    browser.click("Search");
    browser.wait("document.querySelectorAll('[aria-labelledby=p-playbook] li code').length > 0");

    browser.go("#/now");
    browser.choose("#f-verdict", "deny");
    browser.wait("document.querySelector('.pane .row') && [...document.querySelectorAll('.pane .row')].every((it) => it.classList.contains('v-deny'))");
    browser.choose("#f-client", "claude-code");
    browser.choose("#f-mode", "architect");
    browser.sees("1 decision");
    browser.click("Switch between dark and light");
    let theme = browser.run("return document.documentElement.dataset.theme");
    assert!(theme == "dark" || theme == "light", "{theme}");

    let made = lift(agent.call(
        "create_task",
        &json!({ "mode_slug": "ask", "initial_message": "Not needed" }),
    ));
    let session = made["result"]["metadata"]["session_id"].as_str().unwrap();
    browser.go(&format!("#/task/{session}"));
    browser.click("Cancel task");
    browser.sees("Cancelled at the dashboard");
    let shown = world.sandbox.json(&["tasks", "show", session, "--json"]);
    assert_eq!(shown["state"], "cancelled", "{shown:#}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn what_a_credential_looks_like_is_on_no_view() {
    let world = World::new(&[]);
    let _agent = super::fill(&world);
    let made = world.sandbox.json(&["token", "create", "ci", "--json"]);
    let token = made["token"].as_str().unwrap();
    let signed = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl";
    let line = format!("curl -H 'Authorization: Bearer {token}' -H 'X: {signed}' http://localhost");
    world.hook("Bash", &json!({ "command": line }));
    let browser = &world.browser;
    browser
        .wait("[...document.querySelectorAll('.row')].some((it) => it.innerText.includes('curl'))");
    browser.run("[...document.querySelectorAll('.pane .row')].find((it) => it.innerText.includes('curl')).querySelector('.plain').click()");
    browser.wait("document.querySelector('dialog')?.innerText.includes('[removed]')");
    browser.picture("decision-with-a-token");
    for (hash, text) in super::VIEWS {
        let page = browser.run("return document.documentElement.outerHTML");
        let page = page.as_str().unwrap();
        assert!(
            !page.contains(token) && !page.contains(signed),
            "before {hash}"
        );
        browser.run("document.querySelector('dialog')?.close()");
        browser.go(hash);
        browser.sees(text);
    }
}
