//! What every command owes its surroundings: pipes that close, shells, and places without a home.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::support::sandbox::{Sandbox, bare_command, run};

#[test]
fn completions_are_valid_scripts() {
    let sandbox = Sandbox::new();
    let bash = sandbox.ok(&["completions", "bash"]);
    sandbox.write("completions.bash", &bash);
    let mut shell = bare_command("bash", &sandbox.project());
    let ran = run(shell.args([
        "-c",
        "bash -n completions.bash && source completions.bash && complete -p modekeeper",
    ]));
    assert!(ran.status.success(), "{ran:#?}");
    assert!(ran.stdout.contains("modekeeper"), "{ran:#?}");
    for (shell, mark) in [
        ("zsh", "#compdef modekeeper"),
        ("fish", "complete -c modekeeper"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let script = sandbox.ok(&["completions", shell]);
        assert!(script.contains(mark), "{shell}: {script}");
        for command in ["approve", "completions", "lint"] {
            assert!(script.contains(command), "{shell} without {command}");
        }
    }
    let ran = sandbox.run(&["completions", "tcsh"]);
    assert_eq!(ran.status.code(), Some(2));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    // More than a pipe holds, so that the writer meets the closed end.
    let mut modes = "customModes:\n".to_owned();
    for index in 0..4000 {
        modes.push_str(&format!(
            "  - {{slug: broken-{index}, groups: [nothing]}}\n"
        ));
    }
    let sandbox = Sandbox::with(".roomodes", modes);
    for arguments in [&["modes", "lint"][..], &["modes", "lint", "--json"]] {
        let mut child = sandbox
            .command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut first)
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code().is_some(), "{:?}", output.status);
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

#[test]
fn no_home_is_no_obstacle() {
    let sandbox = Sandbox::new();
    let homeless = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        for name in [
            "HOME",
            "XDG_CONFIG_HOME",
            "XDG_STATE_HOME",
            "MODEKEEPER_STATE_DIR",
        ] {
            command.env_remove(name);
        }
        run(&mut command)
    };
    let list = homeless(&["modes", "list"]);
    assert!(list.status.success(), "{list:#?}");
    insta::assert_snapshot!(
        "homeless_config_show",
        sandbox.show_ran(&homeless(&["config", "show"]))
    );
    insta::assert_snapshot!(
        "homeless_config_init",
        sandbox.show_ran(&homeless(&["config", "init"]))
    );
    // Tasks are then kept in memory only.
    assert_eq!(homeless(&["tasks", "list"]).stdout, "no tasks\n");
}

#[test]
fn colours_are_for_terminals() {
    let sandbox = Sandbox::with(".roomodes", "customModes: [{}]");
    for arguments in [
        &["modes", "lint"][..],
        &["check", "ask", "write_to_file", "a"],
        &["config", "show"],
    ] {
        let ran = sandbox.run(arguments);
        assert!(!ran.stdout.contains('\u{1b}'), "{ran:#?}");
        assert!(!ran.stderr.contains('\u{1b}'), "{ran:#?}");
    }
}
