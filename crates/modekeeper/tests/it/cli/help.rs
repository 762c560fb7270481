//! The help of every command: a reference, so a difference is a change of interface.

use crate::support::sandbox::Sandbox;

const COMMANDS: &[&str] = &[
    "",
    "init",
    "doctor",
    "status",
    "install",
    "uninstall",
    "run",
    "mcp",
    "acp",
    "serve",
    "dashboard",
    "token",
    "token create",
    "token list",
    "token revoke",
    "modes",
    "modes list",
    "modes show",
    "modes trust",
    "modes prompt",
    "modes new",
    "modes edit",
    "modes lint",
    "check",
    "tasks",
    "tasks list",
    "tasks show",
    "tasks switch",
    "tasks complete",
    "tasks message",
    "approve",
    "mode",
    "watch",
    "log",
    "replay",
    "explain",
    "pause",
    "hook",
    "store",
    "store check",
    "store backup",
    "store recover",
    "backups",
    "backups list",
    "backups show",
    "backups restore",
    "undo",
    "gc",
    "exec",
    "symbols",
    "symbols find",
    "symbols outline",
    "symbols refs",
    "symbols map",
    "index",
    "lsp",
    "lsp list",
    "lsp install",
    "lsp restart",
    "memories",
    "memories list",
    "memories show",
    "playbook",
    "playbook init",
    "playbook list",
    "playbook show",
    "playbook eval",
    "playbook export",
    "playbook lint",
    "config",
    "config show",
    "config init",
    "schema",
    "seatbelt",
    "completions",
    "man",
    "self",
    "self uninstall",
];

#[test]
fn every_command_says_what_it_does() {
    let sandbox = Sandbox::new();
    for command in COMMANDS {
        let mut arguments: Vec<&str> = command.split_whitespace().collect();
        arguments.push("--help");
        let name = format!("help {command}").trim().replace(' ', "_");
        insta::assert_snapshot!(name, sandbox.ok(&arguments));
    }
}

#[test]
fn no_command_is_left_out() {
    let sandbox = Sandbox::new();
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(command) = open.pop() {
        let mut arguments: Vec<&str> = command.split_whitespace().collect();
        arguments.push("--help");
        let help = sandbox.ok(&arguments);
        let listed = help
            .lines()
            .skip_while(|line| *line != "Commands:")
            .skip(1)
            .take_while(|line| !line.is_empty())
            .filter_map(|line| line.strip_prefix("  ").filter(|it| !it.starts_with(' ')))
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| *name != "help");
        open.extend(listed.map(|name| format!("{command} {name}").trim().to_owned()));
        found.push(command);
    }
    found.sort();
    let mut known = COMMANDS.to_vec();
    known.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn without_a_command_there_is_help_and_a_failure() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run::<&str>(&[]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(ran.stderr.contains("Usage: modekeeper"), "{ran:#?}");
    let version = sandbox.ok(&["--version"]);
    assert_eq!(
        version,
        format!("modekeeper {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn a_manual_page_is_found_by_one_word_or_several() {
    let sandbox = Sandbox::new();
    let page = sandbox.ok(&["man", "tasks", "list"]);
    for name in ["tasks list", "modekeeper tasks list"] {
        assert_eq!(sandbox.ok(&["man", name]), page);
    }
    let header = page.lines().find(|line| line.starts_with(".TH")).unwrap();
    let version = format!("modekeeper {}", env!("CARGO_PKG_VERSION"));
    assert!(header.contains(&version), "{header}");
    let unknown = sandbox.run(&["man", "nosuch"]);
    assert!(unknown.stderr.contains("man --list"), "{unknown:?}");
}

#[test]
fn an_id_that_is_not_found_points_to_the_list() {
    let sandbox = Sandbox::new();
    for (arguments, list) in [
        (["explain", "x"], "log"),
        (["explain", "dec_aaaaaaaaaaaaaaaa"], "log"),
        (["approve", "appr_aaaaaaaaaaaaaaaa"], "approve"),
    ] {
        let ran = sandbox.run(&arguments);
        let hint = format!("hint: `modekeeper {list}` lists the IDs");
        assert!(ran.stderr.contains(&hint), "{ran:?}");
    }
    for arguments in [
        ["tasks", "show", "sess_aaaaaaaaaaaaaaaa"],
        ["token", "revoke", "tok_aaaaaaaaaaaaaaaa"],
    ] {
        let ran = sandbox.run(&arguments);
        let list = format!("`modekeeper {} list`", arguments[0]);
        assert!(ran.stderr.contains(&list), "{ran:?}");
    }
}
