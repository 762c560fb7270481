//! What a text asks for, compared with what was in force.

use serde_json::{Value, json};

use super::fixture::mode;
use crate::Mode;

/// A mode with limited edits that says this about the wall. A file with another value than the known words is refused as
/// a whole, so it is put in here.
fn saying(keys: &Value) -> Mode {
    let mut mode = Mode::clone(&mode("groups: [read, [edit, { fileRegex: x }], command]"));
    mode.unknown.extend(keys.as_object().unwrap().clone());
    mode
}

/// Whether the first allows more than the second.
#[track_caller]
fn check(text: &Value, bound: &Value, exceeds: bool) {
    let (wanted, held_to) = (saying(text), saying(bound));
    assert_eq!(wanted.exceeds(&held_to), exceeds, "{text} after {bound}");
    let mut held = wanted.clone();
    held.hold_to(&held_to);
    assert!(!held.exceeds(&held_to), "{text} after {bound}");
    assert!(held.network() <= wanted.network() && held.git() <= wanted.git());
}

#[test]
fn what_the_wall_opens_counts_as_wider() {
    check(&json!({ "network": true }), &json!({}), true);
    check(
        &json!({ "network": true }),
        &json!({ "network": "own" }),
        true,
    );
    check(
        &json!({ "network": "on" }),
        &json!({ "network": "off" }),
        true,
    );
    check(
        &json!({ "network": "own" }),
        &json!({ "network": false }),
        true,
    );
    check(&json!({}), &json!({ "network": false }), true);
    check(&json!({}), &json!({ "network": "own" }), false);
    check(&json!({}), &json!({ "git": "none" }), true);
}

#[test]
fn a_word_that_the_wall_does_not_know_opens_nothing() {
    check(&json!({ "network": "onn" }), &json!({}), false);
    check(&json!({ "network": 1 }), &json!({ "network": "off" }), true);
    check(
        &json!({ "network": "on" }),
        &json!({ "network": "onn" }),
        true,
    );
    check(&json!({ "git": "local" }), &json!({ "git": "off" }), true);
    check(&json!({}), &json!({ "git": false }), true);
    check(&json!({ "git": true }), &json!({ "git": "none" }), false);
}
