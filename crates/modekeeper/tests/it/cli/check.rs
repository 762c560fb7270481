//! `modekeeper check`

use crate::support::sandbox::Sandbox;

#[track_caller]
fn check(arguments: &str, code: i32, verdict: &str) {
    let sandbox = Sandbox::with(".rooignore", "secret/\n");
    let mut all = vec!["check"];
    all.extend(arguments.splitn(3, ' '));
    let ran = sandbox.run(&all);
    assert_eq!(ran.status.code(), Some(code), "{arguments}: {ran:#?}");
    assert!(ran.stdout.starts_with(verdict), "{arguments}: {ran:#?}");
}

#[test]
fn a_verdict_is_an_exit_code() {
    check("code write_to_file src/main.rs", 0, "allowed: ");
    check("architect write_to_file docs/a.md", 0, "allowed: ");
    check("architect write_to_file src/main.rs", 1, "denied: ");
    check("ask write_to_file docs/a.md", 1, "denied: ");
    check("ask read_file src/main.rs", 0, "allowed: ");
    check("ask read_file secret/key", 1, "denied: ");
    check("ask execute_command ls", 1, "denied: ");
    check("code execute_command cargo test", 0, "allowed: ");
    check("code write_to_file .roomodes", 1, "needs approval: ");
    check("code write_to_file ../x.md", 1, "denied: ");
    check("code no_such_tool", 1, "denied: ");
    check("orchestrator new_task", 0, "allowed: ");
}

#[test]
fn a_verdict_says_why() {
    let sandbox = Sandbox::new();
    let show = |arguments: &[&str]| sandbox.show(arguments);
    let call = ["check", "architect", "write_to_file", "src/main.rs"];
    insta::assert_snapshot!("check_denied", show(&call));
    insta::assert_snapshot!(
        "check_denied_json",
        show(&[&call[..], &["--json"]].concat())
    );
    let call = ["check", "code", "write_to_file", ".roomodes"];
    insta::assert_snapshot!("check_asks", show(&call));
    insta::assert_snapshot!("check_asks_json", show(&[&call[..], &["--json"]].concat()));
    insta::assert_snapshot!(
        "check_unknown_mode",
        show(&["check", "nobody", "read_file"])
    );
}
