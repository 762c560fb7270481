//! Everything that can be clicked or typed into, on every view: each is used by some test, and none is forgotten.

use std::collections::BTreeSet;
use std::thread::JoinHandle;

use serde_json::{Value, json};

use super::browser::Browser;
use super::{MODES, World};
use crate::support::http::lift;

/// The controls of the page, by their names with `*` for what differs, and the words of the tests that use them.
const CONTROLS: &[(&str, &str)] = &[
    ("Skip to content", "document.querySelector('.skip').focus()"),
    ("Now", "click(\"Now\")"),
    ("Modes", "click(\"Modes\")"),
    ("Enforcement", "click(\"Enforcement\")"),
    ("Project", "click(\"Project\")"),
    ("Usage", "click(\"Usage\")"),
    (
        "Switch between dark and light",
        "click(\"Switch between dark and light\")",
    ),
    ("Log out", "click(\"Log out\")"),
    ("Log in", "click(\"Log in\")"),
    ("Or use a token:", "fill(\"#token\""),
    ("Notify me", "click(\"Notify me\")"),
    ("Approve", "click(\"Approve\")"),
    ("Deny", "click(\"Deny\")"),
    ("task", "click(\"task\")"),
    (
        "Show more: *",
        "click_on(\"document.querySelector('.plan .more:not([hidden])')\")",
    ),
    // Now.
    ("Plan the release", "click(\"Plan the release\")"),
    ("Write the notes", "click(\"Write the notes\")"),
    ("Filter by mode", "choose(\"#f-mode\""),
    ("Filter by verdict", "choose(\"#f-verdict\""),
    ("Filter by agent", "choose(\"#f-client\""),
    ("Search decisions", "fill(\".filters input\""),
    ("Explain *", "click(\"Explain Bash\")"),
    ("Close", "click(\"Close\")"),
    // A task.
    ("New mode", "choose(\"select[name=mode]\""),
    ("Reason", "fill(\"input[name=reason]\""),
    ("Switch mode", "click(\"Switch mode\")"),
    ("Complete", "click(\"Complete\")"),
    ("Cancel task", "click(\"Cancel task\")"),
    ("Undo", "click(\"Undo\")"),
    ("Back to Now", "click(\"Back to Now\")"),
    // Modes and their editor.
    ("Edit .roomodes", "click(\"Edit .roomodes\")"),
    ("Use * here", "click(\"Use docs here\")"),
    ("Trust *", "click(\"Trust ask\")"),
    ("Show *", "click(\"Show Docs\")"),
    ("What would", "choose(\"#play-mode\""),
    ("say to", "fill(\"#play-tool\""),
    ("on", "fill(\"#play-target\""),
    ("Ask", "click(\"Ask\")"),
    ("Mode file", "type_into(\"#draft\""),
    ("Save", "click(\"Save\")"),
    ("Back", "click(\"Back\")"),
    // Enforcement.
    ("Check again", "click(\"Check again\")"),
    // Project.
    ("Restart *", "click(\"Restart python\")"),
    (
        "* installed",
        "click_on(\"document.querySelector('details summary')\")",
    ),
    ("Open architecture", "click(\"Open architecture\")"),
    ("Delete *", "click(\"Delete plans\")"),
    ("Name of a new memory", "fill(\"input[name=name]\""),
    ("New", "click(\"New\")"),
    ("Text of *", "fill(\"#memory-text\""),
    ("Save memory", "click(\"Save memory\")"),
    ("Search the playbook", "fill(\"input[name=q]\""),
    ("Search", "click(\"Search\")"),
    ("Dismiss", "click(\"Dismiss\")"),
    // Usage.
    ("Time span", "choose(\"select[aria-label='Time span']\""),
    ("Decisions as CSV", "\"Decisions as CSV\""),
    ("Decisions as JSON", "\"Decisions as JSON\""),
    ("Usage as CSV", "\"Usage as CSV\""),
    ("Usage as JSON", "\"Usage as JSON\""),
    ("All figures", "click(\"All figures\")"),
];

const TESTS: [&str; 5] = [
    include_str!("../web.rs"),
    include_str!("drive.rs"),
    include_str!("steer.rs"),
    include_str!("stream.rs"),
    include_str!("controls.rs"),
];

/// The names of what can be used now, as a screen reader would say them.
const NAMES: &str = "
return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
  .filter((it) => !it.hidden && !it.closest('[hidden]'))
  .map((it) => (it.getAttribute('aria-label') || (it.labels && it.labels[0] && it.labels[0].firstChild.textContent) || it.textContent || it.placeholder).trim())";

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name
            .strip_prefix(before)
            .is_some_and(|rest| rest.len() > after.len() && rest.ends_with(after)),
    }
}

#[test]
fn every_control_is_used_by_some_test() {
    let used = TESTS.map(|text| {
        text.split_once("const TESTS")
            .map_or(text, |(_, rest)| rest)
    });
    for (name, words) in CONTROLS {
        assert!(
            used.iter().any(|text| text.contains(words)),
            "`{name}` is used by no test: {words}"
        );
    }
}

/// Goes through the views by the controls that only lead somewhere, and looks at what each view offers.
#[test]
fn every_control_is_on_the_page_and_in_the_list() {
    let world = World::new(&["--switching", "ask_to_widen"]);
    let browser = &world.browser;
    let mut seen = BTreeSet::new();
    let mut look = || {
        let names = browser.run(NAMES);
        for name in names.as_array().unwrap() {
            let name = name.as_str().unwrap();
            let known = CONTROLS.iter().find(|(pattern, _)| fits(pattern, name));
            let (pattern, _) = known.unwrap_or_else(|| panic!("`{name}` is not in the list"));
            seen.insert(*pattern);
        }
    };
    let asking = start_requests(&world);
    look_at_now_and_a_task(browser, &mut look);
    look_at_modes_and_memories(&world, &mut look);
    browser.click("Usage");
    browser.click("All figures");
    browser.sees("p95");
    look();
    browser.run("document.querySelector('.skip').focus()");
    browser.press("\u{e007}");
    browser.wait("document.activeElement === document.querySelector('main')");
    browser.click("Log out");
    browser.sees("modekeeper dashboard");
    look();
    for thread in asking {
        thread.join().unwrap();
    }
    let elsewhere = ["Restart *", "* installed", "Undo"];
    let missing: Vec<&str> = CONTROLS
        .iter()
        .map(|(pattern, _)| *pattern)
        .filter(|pattern| !seen.contains(pattern) && !elsewhere.contains(pattern))
        .collect();
    assert_eq!(missing, Vec::<&str>::new(), "not on the page any more");
}

/// Two agents that ask: one for a wider mode, one to write a long file that is shown in parts.
fn start_requests(world: &World) -> [JoinHandle<Value>; 2] {
    let mut agent = super::fill(world);
    let made = lift(agent.call(
        "create_task",
        &json!({ "mode_slug": "ask", "initial_message": "Plan the release" }),
    ));
    let session = made["result"]["metadata"]["session_id"].clone();
    let switch = std::thread::spawn(move || {
        let switch = json!({ "session_id": session, "new_mode_slug": "code", "reason": "x" });
        agent.call("switch_mode", &switch)
    });
    let mut second = world.agent();
    let write = std::thread::spawn(move || {
        let long = format!("{MODES}{}", "# more\n".repeat(900));
        second.call(
            "write_file",
            &json!({ "file_path": ".roomodes", "content": long }),
        )
    });
    [switch, write]
}

fn look_at_now_and_a_task(browser: &Browser, look: &mut impl FnMut()) {
    browser.sees("Waiting for you: 2");
    browser.wait("document.querySelectorAll('.pane .row').length > 5");
    look();
    browser.click_on("document.querySelector('.plan .more:not([hidden])')");
    browser.wait("document.querySelectorAll('.diff .plus').length === 900");
    browser.click("Explain Bash");
    browser.wait("document.querySelector('dialog')");
    look();
    browser.click("Close");
    browser.click("task");
    browser.sees("Mode history");
    browser.click("Deny");
    browser.sees("Waiting for you: 1");
    browser.click("Deny");
    browser.sees("Nothing waits for you");
    browser.click("Now");
    browser.click("Plan the release");
    browser.sees("Mode history");
    browser.wait("document.querySelector('[aria-labelledby=p-undo] tbody tr') || document.querySelector('[aria-labelledby=p-undo] .quiet')");
    look();
    browser.fill("input[name=reason]", "a reason of a person");
    browser.choose("select[name=mode]", "ask");
    browser.click("Switch mode");
    browser.sees("a reason of a person");
    browser.go("#/task/sess_0000000000000000");
    browser.sees("Back to Now");
    look();
    browser.click("Back to Now");
    browser.sees("Agents and tasks");
}

fn look_at_modes_and_memories(world: &World, look: &mut impl FnMut()) {
    let browser = &world.browser;
    let wider = "customModes:\n  - slug: ask\n    name: Questions\n    roleDefinition: x\n    groups: [read, edit]\n";
    world.sandbox.write(".roomodes", wider);
    browser.click("Modes");
    browser.sees("1 mode waits for trust");
    look();
    browser.click("Edit .roomodes");
    browser.wait("document.querySelector('#draft')");
    look();
    browser.click("Back");
    browser.sees("Playground");
    browser.click("Enforcement");
    browser.sees("Check again");
    look();
    browser.click("Project");
    browser.click("Open architecture");
    browser.wait("document.querySelector('#memory-text')");
    look();
    // A memory without a name that can be one: the refusal is shown, and goes away.
    browser.click("Close");
    browser.fill("input[name=name]", "../escape");
    browser.click("New");
    browser.fill("#memory-text", "x");
    browser.click("Save memory");
    browser.wait("document.querySelector('.toast')");
    look();
    browser.click("Dismiss");
    browser.wait("!document.querySelector('.toast')");
    browser.click("Close");
}
