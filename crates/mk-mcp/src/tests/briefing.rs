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
