//! The published JSON Schemas against the reader: what Modekeeper takes validates, what it refuses does not.
//!
//! The jsonschema library that schemathesis brings is the judge, so that the schemas are what editors understand by them. Whether a pattern is
//! JavaScript is left to the editor's `format`, so modes with a broken pattern are not compared.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use super::corpus::{invalid, items};
use super::tools::{python, repository};
use crate::support::sandbox::{Sandbox, bare_command};

const JUDGE: &str = "
import json, sys, jsonschema_rs
asked = json.load(sys.stdin)
assert jsonschema_rs.meta.is_valid(asked['schema'])
judge = jsonschema_rs.Draft202012Validator(asked['schema'])
json.dump([judge.is_valid(instance) for instance in asked['instances']], sys.stdout)
";

/// Whether each instance validates.
fn verdicts(schema: &Value, instances: &[Value]) -> Vec<bool> {
    let mut judge = bare_command(python("schemathesis"), Path::new("/"))
        .args(["-c", JUDGE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let asked = json!({ "schema": schema, "instances": instances });
    let mut input = judge.stdin.take().unwrap();
    input.write_all(asked.to_string().as_bytes()).unwrap();
    drop(input);
    let output = judge.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn check(schema: &Value, cases: &[(String, Value, bool)]) {
    let instances: Vec<Value> = cases
        .iter()
        .map(|(_, instance, _)| instance.clone())
        .collect();
    let verdicts = verdicts(schema, &instances);
    let wrong = cases.iter().zip(verdicts);
    let wrong = wrong.filter(|((_, _, expected), valid)| expected != valid);
    let wrong: Vec<String> = wrong
        .map(|((name, instance, _), valid)| format!("{name}: valid is {valid}: {instance}"))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

fn mode_files(directory: &str) -> Vec<(String, Vec<Value>)> {
    let entries = std::fs::read_dir(repository().join(directory)).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let readable = files.into_iter().filter_map(|path| {
        let modes = items(&String::from_utf8(std::fs::read(&path).unwrap()).ok()?)?;
        Some((path.file_name()?.to_string_lossy().into_owned(), modes))
    });
    readable.collect()
}

fn has_broken_pattern(mode: &Value) -> bool {
    let groups = mode["groups"].as_array().into_iter().flatten();
    groups
        .filter_map(|group| group[1]["fileRegex"].as_str())
        .any(|pattern| regress::Regex::new(pattern).is_err())
}

#[test]
fn every_builtin_and_every_valid_sample_validates_and_no_invalid_one_does() {
    let schema = Sandbox::new().json(&["schema", "modes"]);
    let mut cases = Vec::new();
    for (file, modes) in mode_files("content/modes") {
        cases.extend(modes.into_iter().map(|mode| (file.clone(), mode, true)));
    }
    let builtins = cases.len();
    assert_eq!(builtins, 5);
    for (file, modes) in mode_files("tests/mode-files") {
        let modes = modes.into_iter().filter(|mode| !has_broken_pattern(mode));
        cases.extend(modes.map(|mode| {
            // An odd `source` is ignored with a warning.
            let expected = invalid(&mode).is_none_or(|why| why == "source");
            (file.clone(), mode, expected)
        }));
    }
    assert!(cases.iter().filter(|(_, _, valid)| !valid).count() > 30);
    for (_, mode, _) in &mut cases {
        *mode = json!({ "customModes": [mode.take()] });
    }
    check(&schema, &cases);
}

#[test]
fn what_config_init_writes_validates_and_mistakes_do_not() {
    let sandbox = Sandbox::new();
    let schema = sandbox.json(&["schema", "config"]);
    sandbox.ok(&["config", "init"]);
    let written = std::fs::read_to_string(sandbox.config_file()).unwrap();
    let case =
        |text: &str, valid: bool| (text.to_owned(), serde_json::from_str(text).unwrap(), valid);
    check(
        &schema,
        &[
            case(&written, true),
            case("{}", true),
            case(
                r#"{ "$schema": "./config.schema.json", "server": { "name": "x" } }"#,
                true,
            ),
            case(
                r#"{ "paths": { "project_root": null }, "toolsets": ["modes"] }"#,
                true,
            ),
            case(
                r#"{ "language_servers": [{ "language": "zig", "command": ["zls"] }] }"#,
                true,
            ),
            case(r#"{ "language_servers": [{ "language": "zig" }] }"#, false),
            case(
                r#"{ "language_servers": [{ "language": "zig", "comand": ["zls"] }] }"#,
                false,
            ),
            case(r#"{ "sessions": { "timeout": "1h" } }"#, false),
            case(r#"{ "sessions": { "timeout": 0 } }"#, false),
            case(r#"{ "switching": "sometimes" }"#, false),
            case(r#"{ "logging": { "level": "LOUD" } }"#, false),
            case(r#"{ "run_project_code": "yes" }"#, false),
            case(r#"{ "swiching": "free" }"#, false),
            case("[]", false),
        ],
    );
}
