//! Servers that the operator names in `config.json`.

use serde_json::{Value, json};

use super::world::{World, call};
use crate::support::sandbox::{run, set_mode};

const SCRIPT: &str = include_str!("custom_server.py");

/// A server that finds `todo`, named for two languages: one that no one knows, and one that has a better server.
fn world() -> World {
    let world = World::bare(
        "//- /a.klingon\none\n  todo two\n//- /b.py\nprint('todo')\n//- /c.txt\ntodo\n",
    );
    let program = world.sandbox.home().join("finds-todo");
    world
        .sandbox
        .write(&program, format!("#!/usr/bin/env python3\n{SCRIPT}"));
    set_mode(&program, 0o755);
    let server = |language: &str, extensions: Value| {
        json!({
            "language": language, "extensions": extensions, "command": ["~/finds-todo", language],
            "options": { "from": "options" }, "settings": { "todo": { "level": "settings" } }, "warm": "nothing",
        })
    };
    let servers = [
        server("klingon", json!([".klingon"])),
        server("python", json!([])),
    ];
    let config = json!({ "language_servers": servers });
    world
        .sandbox
        .write(world.sandbox.config_file(), config.to_string());
    world
}

#[test]
fn a_named_server_answers_for_its_files() {
    let world = world();
    let mut client = world.client();
    for (file, line, told) in [
        ("a.klingon", 2, "klingon, options, settings"),
        ("b.py", 1, "python, options, settings"),
    ] {
        let found = call(
            &mut client,
            "get_diagnostics",
            &json!({ "file_path": file }),
        );
        let facts = &found["structuredContent"];
        assert_eq!(facts["source"], "finds-todo", "{found:#}");
        assert_eq!(facts["total"], 1, "{found:#}");
        assert_eq!(facts["diagnostics"][0]["line"], line, "{found:#}");
        assert_eq!(facts["diagnostics"][0]["message"], told, "{found:#}");
    }
    world.sandbox.write("a.klingon", "one\n");
    let fixed = call(
        &mut client,
        "get_diagnostics",
        &json!({ "file_path": "a.klingon" }),
    );
    assert_eq!(fixed["structuredContent"]["total"], 0, "{fixed:#}");
}

#[test]
fn a_named_server_is_listed_before_the_known_ones() {
    let world = world();
    let ran = run(&mut world.command(&["lsp", "list", "--json"]));
    let listed: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let of = |language: &str| {
        let found = listed.iter().find(|server| server["language"] == language);
        found.unwrap_or_else(|| panic!("{ran:#?}")).clone()
    };
    let program = world.sandbox.home().join("finds-todo");
    for language in ["klingon", "python"] {
        let first = of(language);
        assert_eq!(first["name"], "finds-todo");
        assert_eq!(first["program"], program.display().to_string().as_str());
    }
    let shown = run(&mut world.command(&["config", "show", "--json"]));
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    let first = &shown["language_servers"]["value"][0];
    assert_eq!(first["extensions"], json!(["klingon"]), "{shown:#}");
    assert_eq!(first["command"], json!([program, "klingon"]), "{shown:#}");
}
