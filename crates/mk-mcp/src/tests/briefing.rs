//! Whole answers of `parse_mode` for eight situations, as a model reads them: each is enough to do the task, in at most
//! 4 KB.

use serde_json::{Value, json};

use super::World;
use super::wire::{Wire, text};

const SHOP: &str = r#"
//- /package.json
{ "name": "shop", "dependencies": { "react": "19" }, "devDependencies": { "vitest": "3" } }
//- /AGENTS.md
# Team

Use pnpm, never npm. Run `pnpm test` before you say done.
//- /src/pay/AGENTS.md
# Payment

Amounts are integers in cents.
//- /src/pay/total.ts
export const total = 0;
"#;
const SERVICE: &str = r#"
//- /Cargo.toml
[package]
name = "service"
//- /CLAUDE.md
No unwrap outside of tests.
//- /src/lib.rs
pub fn run() {}
"#;

/// The answer, indented, without the time at which it was given.
async fn brief(project: &str, arguments: Value) -> String {
    let world = World::new(project);
    let mut wire = Wire::open(&world).await;
    let answer = wire.call("parse_mode", arguments).await;
    let whole = text(&answer);
    assert!(whole.len() <= 4096, "{} bytes: {whole}", whole.len());
    let mut answer: Value = serde_json::from_str(whole).expect("JSON");
    let activations = answer["activation_message"]["activations"].as_array_mut();
    for activation in activations.into_iter().flatten() {
        activation["timestamp"] = json!("(now)");
    }
    format!("{answer:#}")
}

#[tokio::test]
async fn a_feature_is_planned() {
    let answer = brief(
        SHOP,
        json!({ "prompt": "PLAN add coupons to the checkout" }),
    )
    .await;
    insta::assert_snapshot!(answer);
}

#[tokio::test]
async fn a_file_of_a_folder_with_rules_is_changed() {
    let prompt = "ACT round the total in src/pay/total.ts";
    insta::assert_snapshot!(brief(SHOP, json!({ "prompt": prompt })).await);
}

#[tokio::test]
async fn a_change_is_judged() {
    let prompt = "EVAL the error handling in src/lib.rs";
    insta::assert_snapshot!(brief(SERVICE, json!({ "prompt": prompt })).await);
}

#[tokio::test]
async fn work_goes_on_until_it_is_done() {
    let prompt = "AUTO make the tests pass";
    insta::assert_snapshot!(brief(SERVICE, json!({ "prompt": prompt })).await);
}

#[tokio::test]
async fn an_outage_comes_without_a_keyword() {
    let prompt = "production is down, checkout returns 500";
    insta::assert_snapshot!(brief(SHOP, json!({ "prompt": prompt })).await);
}

#[tokio::test]
async fn a_trace_is_pasted() {
    let prompt = "any idea?\n\nthread 'main' panicked at src/lib.rs:4:9:\nindex out of bounds: the len is 3 but the index is 3\n";
    insta::assert_snapshot!(brief(SERVICE, json!({ "prompt": prompt })).await);
}

#[tokio::test]
async fn a_migration_is_risky() {
    let prompt = "ACT drop the password column of the users table in production";
    insta::assert_snapshot!(brief(SERVICE, json!({ "prompt": prompt })).await);
}

#[tokio::test]
async fn a_prompt_is_korean() {
    let prompt = "계획: 결제 화면을 다시 설계해줘";
    insta::assert_snapshot!(brief(SHOP, json!({ "prompt": prompt })).await);
}

async fn ask(wire: &mut Wire, prompt: &str) -> Value {
    let answer = wire.call("parse_mode", json!({ "prompt": prompt })).await;
    serde_json::from_str(text(&answer)).expect("JSON")
}

fn skills(answer: &Value) -> Vec<&str> {
    let skills = answer["skills"].as_array().expect("a list").iter();
    skills.filter_map(|it| it["name"].as_str()).collect()
}

/// Whatever a plan or a judgement is about, how to write one is the same; but nobody asked for a plan without the word.
#[tokio::test]
async fn a_mode_that_was_asked_for_brings_its_own_skill() {
    let world = World::new(SHOP);
    let mut wire = Wire::open(&world).await;
    let planned = ask(&mut wire, "PLAN add coupons to the checkout").await;
    assert_eq!(skills(&planned), ["writing-plans"]);
    assert_eq!(planned["skills"][0]["because"], json!(["PLAN"]));
    let judged = ask(&mut wire, "EVAL the error handling in src/lib.rs").await;
    assert_eq!(skills(&judged), ["pr-review"]);
    let unasked = ask(&mut wire, "add coupons to the checkout").await;
    assert!(!skills(&unasked).contains(&"writing-plans"), "{unasked:#}");
}

/// "production is down" is no request for a plan: the skill says what to do and what to check, not a planner.
#[tokio::test]
async fn without_a_keyword_the_skill_says_what_to_do() {
    let world = World::new(SHOP);
    let mut wire = Wire::open(&world).await;
    let answer = ask(&mut wire, "production is down, checkout returns 500").await;
    let begins = answer["skills"][0]["begins"].as_str().expect("a text");
    assert!(begins.starts_with("Stop the damage first."), "{begins}");
    assert!(begins.contains("one person leads"), "{begins}");
    assert!(answer["delegate_agent_info"].get("duties").is_none());
    let checks = answer["checks"].to_string();
    assert!(checks.contains("Users are served again"), "{checks}");
    assert!(!checks.contains("approaches were compared"), "{checks}");
    // What was said stays said.
    let again = ask(&mut wire, "production is down again").await;
    assert_eq!(skills(&again).first(), Some(&"incident-response"));
    assert!(again["skills"][0].get("begins").is_none(), "{again:#}");
    let unchanged = again["unchanged"].as_array().expect("a list");
    assert!(unchanged.contains(&json!("skills/incident-response")));
}
