//! `modekeeper exec` on the built binary: what a mode may not touch stays untouched, and can be undone.
#![cfg(target_os = "linux")]

use crate::support::sandbox::Sandbox;

const MODES: &str = r"customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write documents.
    groups: [read, command, [edit, {fileRegex: '\.md$'}]]
";

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".roomodes", MODES);
    sandbox.write("README.md", "read me\n");
    sandbox.write("src/a.rs", "fn a() {}\n");
    sandbox
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    std::fs::read_to_string(sandbox.project().join(path)).unwrap()
}

#[test]
fn a_mode_s_command_changes_what_the_mode_may_edit() {
    let sandbox = project();
    let line = "echo new > README.md; echo x > src/a.rs; echo x > .roomodes; echo done";
    let ran = sandbox.run(&["exec", "--mode", "docs", "--", "sh", "-c", line]);
    assert_eq!(ran.stdout, "done\n", "{ran:#?}");
    assert_eq!(text(&sandbox, "README.md"), "new\n");
    assert_eq!(text(&sandbox, "src/a.rs"), "fn a() {}\n");
    assert_eq!(text(&sandbox, ".roomodes"), MODES);
    let expected = "modekeeper: mode \"docs\" may edit only \\.md$ – refused: write src/a.rs, write .roomodes. \
                    Switch with: modekeeper mode code";
    assert!(ran.stderr.contains(expected), "{ran:#?}");
}

#[test]
fn a_mode_without_commands_runs_none() {
    let sandbox = project();
    let ran = sandbox.run(&["exec", "--mode", "ask", "--", "true"]);
    assert_eq!(ran.status.code(), Some(125), "{ran:#?}");
}

#[test]
fn what_a_command_changed_is_undone() {
    let sandbox = project();
    let line = "echo new > README.md; rm src/a.rs; echo x > src/b.rs";
    let ran = sandbox.run(&["exec", "--", "sh", "-c", line]);
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
    sandbox.ok(&["undo"]);
    assert_eq!(text(&sandbox, "README.md"), "read me\n");
    assert_eq!(text(&sandbox, "src/a.rs"), "fn a() {}\n");
    assert!(!sandbox.project().join("src/b.rs").exists());
}

#[test]
fn people_s_commands_do_not_run_inside() {
    let sandbox = project();
    let program = env!("CARGO_BIN_EXE_modekeeper");
    let ran = sandbox.run(&["exec", "--", program, "approve"]);
    assert_eq!(ran.status.code(), Some(125), "{ran:#?}");
    assert!(ran.stderr.contains("is for the user to run"), "{ran:#?}");
    // A line that does not say what it starts is not refused by its words.
    sandbox.write("ask.sh", "\"$1\" \"$2\"\n");
    let ran = sandbox.run(&["exec", "--", "sh", "ask.sh", program, "approve"]);
    assert_eq!(ran.status.code(), Some(1), "{ran:#?}");
    assert!(
        ran.stderr.contains("does not run inside the wall"),
        "{ran:#?}"
    );
    let ran = sandbox.run(&["exec", "--", program, "exec", "--inside"]);
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
}
