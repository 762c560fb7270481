//! The stream of decisions: thousands of them in a handful of rows.

use mk_store::{NewDecision, Ruling, Store, StoreLocation};
use mk_types::{Clock, ModeSlug};

use serde_json::json;

use super::World;
use crate::support::sandbox::Sandbox;

/// A server whose store has this many decisions.
fn decided(many: usize) -> World {
    let sandbox = Sandbox::new();
    let store = Store::new(StoreLocation::File(sandbox.database()), Clock::System);
    for number in 0..many {
        store.record_decision(NewDecision {
            conversation: None,
            client: ["claude", "codex", "gemini"][number % 3].to_owned(),
            project: None,
            mode: ModeSlug::parse("code").unwrap(),
            tool: "Edit".to_owned(),
            target: format!("src/file_{number}.rs"),
            ruling: [Ruling::Allow, Ruling::Deny][number % 2],
            rule: "group".to_owned(),
            reason: "because".to_owned(),
            hint: None,
            policy_hash: "0".to_owned(),
            input: "{}".to_owned(),
            tool_use: None,
        });
    }
    store.flush();
    drop(store);
    World::at(sandbox, &[])
}

/// The targets of the rows, as the document has them.
const TARGETS: &str = "[...document.querySelectorAll('.pane .row')].map((it) => it.querySelector('.c-target').textContent)";

#[test]
fn ten_thousand_decisions_are_a_handful_of_rows() {
    let world = decided(10_000);
    let browser = &world.browser;
    browser.sees("500 decisions");
    // To the end, as often as there is more.
    browser.wait("(document.querySelector('.window').scrollTop = 1e9, document.querySelector('.total').textContent === '10,000 decisions')");
    browser.wait("(document.querySelector('.window').scrollTop = 1e9, document.querySelector('.pane').innerText.includes('src/file_0.rs'))");
    // On the way back there are never more rows than can be seen, in the order in which they are seen.
    let most = browser.run_later(
        "const view = document.querySelector('.window'); let most = 0; \
         const step = () => { most = Math.max(most, document.querySelectorAll('.pane .row').length); \
           if (view.scrollTop > 0) { view.scrollTop -= 7000; requestAnimationFrame(step); } else done(most); }; step()",
    );
    assert!((20..60).contains(&most.as_u64().unwrap()), "{most}");
    browser.run("document.querySelector('.window').scrollTop = 3000");
    browser.wait(&format!("{TARGETS}.includes('src/file_9895.rs')"));
    let rows = browser.run(&format!("return {TARGETS}"));
    let numbers: Vec<i64> = rows.as_array().unwrap().iter().map(number).collect();
    assert!(
        numbers.is_sorted_by(|one, other| one - 1 == *other),
        "{numbers:?}"
    );
    browser.fill(".filters input", "file_42.rs");
    browser.sees("1 decision");
    browser.fill(".filters input", "no such file");
    browser.sees("No decision matches the filters.");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

fn number(target: &serde_json::Value) -> i64 {
    let name = target.as_str().unwrap().strip_prefix("src/file_").unwrap();
    name.strip_suffix(".rs").unwrap().parse().unwrap()
}

#[test]
fn a_new_decision_leaves_the_rows_of_others_alone() {
    let world = decided(300);
    world.sandbox.ok(&["mode", "ask"]);
    let browser = &world.browser;
    browser.sees("300 decisions");
    browser.wait("document.querySelectorAll('.pane .row').length > 10");
    // Each row keeps a mark that a new row would not have.
    browser.run("for (const row of document.querySelectorAll('.pane .row')) row.kept = row.querySelector('.c-target').textContent");
    world.hook("Bash", &json!({ "command": "first" }));
    browser.wait(&format!("{TARGETS}[0] === 'first'"));
    let moved = browser.run(
        "return [...document.querySelectorAll('.pane .row')].slice(1).filter((it) => it.kept !== it.querySelector('.c-target').textContent).length",
    );
    assert_eq!(moved, 0, "rows were drawn again");
    // Who reads further down keeps what they read.
    browser.run("document.querySelector('.window').scrollTop = 3000");
    let top = "(() => { const box = document.querySelector('.window').getBoundingClientRect(); \
               return document.elementFromPoint(box.x + 300, box.y + 200).closest('.row').innerText; })()";
    browser.wait(&format!("{TARGETS}.includes('src/file_200.rs')"));
    let before = browser.run(&format!("return {top}"));
    world.hook("Bash", &json!({ "command": "second" }));
    browser.sees("302 decisions");
    browser.wait(&format!("{top} === {before}"));
    // A row that leaves takes the focus along to the list, not out of it.
    browser.run("document.querySelector('.pane .row button').focus(); document.querySelector('.window').scrollTop = 8000");
    browser.wait("document.activeElement === document.querySelector('.window')");
    browser.run("document.querySelector('.window').scrollTop = 0");
    browser.wait(&format!("{TARGETS}[0] === 'second'"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
