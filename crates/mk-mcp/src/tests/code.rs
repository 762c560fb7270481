//! Contract 4 on a line: its examples with whole answers, and every code that a call can fail with.

mod mode;
mod symbol;
mod write;

use std::fs;

use mk_engine::{CodeError, CodeKind, Error, ErrorSubject};
use serde_json::{Value, json};

use super::World;
use super::transcript::Transcript;
use super::wire::{Wire, call, request, text};
use crate::era::Era;
use crate::error::{ErrorPlace, refused_code_call};

pub(super) const PROJECT: &str = r"
//- /.gitignore
*.log
//- /src/example.py
import os


def example():
    pass


print(example())
//- /src/models.py
class MyClass:
    pass
//- /trace.py.log
hidden
//- /.modekeeper/memories/project_architecture.md
# Project Architecture

This project follows...
";

/// The code a call fails with, in all the places where a client may look for it, and what would help.
#[track_caller]
fn check(answer: &Value, code: &str, message: &str, suggestion: &str) {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer:#}");
    assert_eq!(
        text(answer),
        format!("Error: {message}\nHint: {suggestion}"),
        "{answer:#}"
    );
    assert_eq!(result["error_code"], code, "{answer:#}");
    assert_eq!(result["details"]["suggestion"], suggestion, "{answer:#}");
    let again = json!({
        "error_code": result["error_code"], "message": text(answer), "details": result["details"],
    });
    assert_eq!(result["structuredContent"], again, "{answer:#}");
}

/// A conversation without what differs from run to run: the project's folder, backups' names, times of files.
fn stable(talk: &Transcript, answers: &[Value]) -> String {
    let mut shown = talk
        .text
        .replace(talk.world.files.root().as_str(), "/path/to/project");
    for answer in answers {
        let facts = &answer["result"]["structuredContent"];
        let listed = |key: &str| facts[key].as_array().cloned().unwrap_or_default();
        for change in listed("changes") {
            shown = shown.replace(change["backup"].as_str().unwrap_or("\0"), "<backup>");
        }
        for memory in listed("memories") {
            shown = shown.replace(memory["modified"].as_str().unwrap_or("\0"), "<modified>");
        }
    }
    shown
}

/// The contract's calls and the texts it answers them with, for the project at `root`.
pub(super) fn examples(root: &str) -> Vec<(&'static str, Value, String)> {
    let activated = format!("Project activated: {root}");
    let examples = [
        (
            "read_file",
            json!({ "file_path": "src/example.py", "start_line": 4, "end_line": 5 }),
            "def example():\n    pass",
        ),
        (
            "read_file",
            json!({ "file_path": "src/models.py" }),
            "class MyClass:\n    pass\n",
        ),
        (
            "read_file",
            json!({ "file_path": "src/models.py", "start_line": -1 }),
            "    pass",
        ),
        (
            "find_files",
            json!({ "pattern": "*.py", "max_results": 100 }),
            "src/example.py\nsrc/models.py",
        ),
        (
            "find_files",
            json!({ "pattern": "*.py", "max_results": 1 }),
            "src/example.py\n[1 of 2 shown]",
        ),
        (
            "find_symbols",
            json!({ "query": "MyClass", "symbol_type": "class", "file_pattern": "*.py" }),
            "Found symbols:\n- MyClass in src/models.py:1-2",
        ),
        (
            "read_memory",
            json!({ "name": "project_architecture" }),
            "# Project Architecture\n\nThis project follows...\n",
        ),
        (
            "write_memory",
            json!({ "name": "style/naming", "content": "# Naming\n" }),
            "Memory written: style/naming",
        ),
        (
            "list_memories",
            json!({}),
            "project_architecture\nstyle/naming",
        ),
        (
            "activate_project",
            json!({ "project_root": root }),
            activated.as_str(),
        ),
    ];
    let owned = |(tool, arguments, text): (_, _, &str)| (tool, arguments, text.to_owned());
    examples.into_iter().map(owned).collect()
}

#[tokio::test]
async fn the_contracts_examples_have_its_answers() {
    let mut talk = Transcript::new(World::new(PROJECT));
    talk.wire.initialize("2024-11-05", json!({})).await;
    let root = talk.world.files.root().to_string();
    let mut answers = Vec::new();
    for (tool, arguments, text) in examples(&root) {
        let example = json!({ "result": { "content": [{ "type": "text", "text": text }] } });
        answers.push(talk.check(call(1, tool, arguments), example).await);
    }
    let write = json!({ "file_path": "src/new_file.py", "content": "print('Hello World')" });
    for (tool, arguments) in [("write_file", write), ("get_project_info", json!({}))] {
        let example = json!({ "result": { "content": [{ "type": "text" }] } });
        answers.push(talk.check(call(1, tool, arguments), example).await);
    }
    let written = fs::read_to_string(talk.world.files.path("src/new_file.py"));
    assert_eq!(written.expect("a file"), "print('Hello World')");
    insta::assert_snapshot!("examples", stable(&talk, &answers));
}

#[tokio::test]
async fn a_file_that_is_not_there_comes_with_the_nearest_that_is() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let missing = json!({ "file_path": "src/exampel.py" });
    let answer = wire.call("read_file", missing).await;
    check(
        &answer,
        "FILE_NOT_FOUND",
        "File not found: src/exampel.py",
        "did you mean src/example.py?",
    );
    assert_eq!(answer["result"]["details"]["file_path"], "src/exampel.py");
    let far = json!({ "file_path": "nothing/like/this.rs" });
    check(
        &wire.call("read_file", far).await,
        "FILE_NOT_FOUND",
        "File not found: nothing/like/this.rs",
        "check the path, or find it with find_files",
    );
}

#[tokio::test]
async fn a_missing_or_wrong_argument_is_named() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let cases = [
        (
            "read_file",
            json!({}),
            "Missing required parameter for read_file: file_path",
        ),
        (
            "write_file",
            json!({ "file_path": "a.md" }),
            "Missing required parameter for write_file: content",
        ),
        (
            "read_file",
            json!({ "file_path": 7 }),
            "Parameter file_path must be a string",
        ),
        (
            "find_files",
            json!({ "pattern": "*", "max_results": "x" }),
            "Parameter max_results must be an integer",
        ),
        (
            "list_memories",
            json!({ "session_id": 1 }),
            "Parameter session_id must be a string",
        ),
    ];
    for (tool, arguments, message) in cases {
        let answer = wire.call(tool, arguments).await;
        let suggestion = format!("tools/list shows the parameters of {tool}");
        check(&answer, "INVALID_ARGUMENTS", message, &suggestion);
    }
    let unknown = json!({ "file_path": "src/models.py", "session_id": "sess_000000000000" });
    check(
        &wire.call("read_file", unknown).await,
        "INVALID_ARGUMENTS",
        "Session not found: sess_000000000000",
        "leave session_id out, or take the one that create_task answered",
    );
    let beyond = json!({ "file_path": "src/models.py", "start_line": 9 });
    check(
        &wire.call("read_file", beyond).await,
        "INVALID_ARGUMENTS",
        "`src/models.py` has 2 lines; line 9 does not exist",
        "lines are counted from 1; negative numbers count from the end",
    );
}

#[tokio::test]
async fn a_memory_that_is_not_there_comes_with_the_nearest_names() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let answer = wire
        .call("read_memory", json!({ "name": "project_architectur" }))
        .await;
    check(
        &answer,
        "MEMORY_ERROR",
        "There is no memory `project_architectur`",
        "the nearest names are: project_architecture",
    );
    let outside = json!({ "name": "../outside", "content": "x" });
    let answer = wire.call("write_memory", outside).await;
    assert_eq!(answer["result"]["error_code"], "MEMORY_ERROR", "{answer:#}");
}

#[tokio::test]
async fn a_project_that_is_gone_is_not_active() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let nowhere = world.files.path("no/such/folder");
    let nowhere = nowhere.to_str().expect("a readable name");
    let answer = wire
        .call("activate_project", json!({ "project_root": nowhere }))
        .await;
    check(
        &answer,
        "PROJECT_NOT_ACTIVE",
        &format!("Directory not found: {nowhere}"),
        "give the absolute path of an existing directory",
    );
    world.files.folder("part");
    let part = json!({ "project_root": world.files.path("part") });
    wire.call("activate_project", part).await;
    world.files.remove("part");
    let answer = wire.call("get_project_info", json!({})).await;
    let result = &answer["result"];
    assert_eq!(result["error_code"], "PROJECT_NOT_ACTIVE", "{answer:#}");
    assert_eq!(
        result["details"]["suggestion"],
        "activate an existing directory with activate_project"
    );
}

#[tokio::test]
async fn what_leaves_the_project_is_refused_and_not_looked_at() {
    let world = World::new(PROJECT);
    world.files.link("outside.txt", "/etc/hostname");
    let mut wire = Wire::open(&world).await;
    for path in ["../secret.txt", "/etc/hostname", "outside.txt"] {
        let answer = wire.call("read_file", json!({ "file_path": path })).await;
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer:#}");
        assert_eq!(result["error_code"], "PERMISSION_DENIED", "{answer:#}");
        assert_eq!(result["details"]["code"], -32006, "{answer:#}");
    }
}

#[test]
fn every_kind_of_failure_has_its_code_in_every_era_and_place() {
    for (kind, code) in [
        (CodeKind::FileNotFound, "FILE_NOT_FOUND"),
        (CodeKind::PermissionDenied, "PERMISSION_DENIED"),
        (CodeKind::InvalidArguments, "INVALID_ARGUMENTS"),
        (CodeKind::ProjectNotActive, "PROJECT_NOT_ACTIVE"),
        (CodeKind::MemoryMissing, "MEMORY_ERROR"),
        (CodeKind::Memory, "MEMORY_ERROR"),
        (CodeKind::SymbolNotFound, "SYMBOL_NOT_FOUND"),
        (CodeKind::LanguageServer, "LANGUAGE_SERVER_ERROR"),
        (CodeKind::Timeout, "TIMEOUT"),
    ] {
        let error = Error::Code(Box::new(CodeError {
            kind,
            message: "It failed".to_owned(),
            hint: Some("try again".into()),
            subject: Some(ErrorSubject::File("a.txt".to_owned())),
            revision: None,
        }));
        for era in [Era::Connected, Era::Stateless] {
            for place in [ErrorPlace::Call, ErrorPlace::CallOnSession] {
                let result = refused_code_call(&error, era, place).expect("a result");
                assert_eq!(
                    json!(result),
                    json!({
                        "resultType": "complete",
                        "content": [{ "type": "text", "text": "Error: It failed\nHint: try again" }],
                        "isError": true,
                        "structuredContent": {
                            "error_code": code,
                            "message": "Error: It failed\nHint: try again",
                            "details": { "file_path": "a.txt", "suggestion": "try again" },
                        },
                    })
                );
            }
        }
    }
}

/// Claude Code and Codex show their model structured content, if there is some, and nothing else of a result.
#[tokio::test]
async fn no_client_loses_the_text_of_a_result() {
    for (client, structured) in [
        ("claude-code", None),
        ("codex-mcp-client", None),
        ("another", Some("class MyClass:\n    pass\n")),
    ] {
        let world = World::new(PROJECT);
        let mut wire = Wire::connect(&world);
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": client, "version": "1.0.0" },
        });
        wire.request(request("hello", "initialize", hello)).await;
        let arguments = json!({ "file_path": "src/models.py" });
        let answer = wire.call("read_file", arguments).await;
        assert_eq!(text(&answer), "class MyClass:\n    pass\n", "{client}");
        let found = answer["result"].get("structuredContent");
        let found = found.map(|it| it["text"].as_str());
        assert_eq!(found, structured.map(Some), "{client}");
    }
}
