//! `modekeeper lsp`: what is there, getting what is not, and an installation that is cut off.

use std::os::unix::fs::symlink;
use std::process::{Child, Stdio};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::example::TY;
use super::world::{World, owned, places};
use crate::slow::process::{check_gone, signal};
use crate::slow::tools;
use crate::support::sandbox::{Ran, bare_command, run, set_mode};
use crate::support::stdio::{Client, server};
use crate::support::{wait_for, wait_for_end};

/// What of a language is installed: each server's name and program.
fn installed(world: &World, language: &str) -> Vec<(String, String)> {
    let ran = run(&mut world.command(&["lsp", "list", "--installed", "--json"]));
    assert!(ran.status.success(), "{ran:#?}");
    let listed: Value = serde_json::from_str(&ran.stdout).unwrap();
    let of_language = |server: &&Value| server["language"] == language;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let servers = listed.as_array().unwrap().iter().filter(of_language);
    servers
        .map(|server| (text(&server["name"]), text(&server["program"])))
        .collect()
}

fn install(world: &World, arguments: &[&str]) -> Ran {
    run(&mut world.command(&[&["lsp", "install"], arguments].concat()))
}

/// A wheel of the real ty, so that pip needs no network.
fn wheels(world: &World) -> String {
    let folder = world.sandbox.root().join("wheels");
    let name = "ty-0.0.1";
    let file = |path: &str, text: &str| {
        world.sandbox.write(folder.join(path), text);
    };
    file(
        &format!("{name}.dist-info/METADATA"),
        "Metadata-Version: 2.1\nName: ty\nVersion: 0.0.1\n",
    );
    file(
        &format!("{name}.dist-info/WHEEL"),
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    );
    file(
        &format!("{name}.dist-info/RECORD"),
        &format!(
            "{name}.dist-info/METADATA,,\n{name}.dist-info/WHEEL,,\n{name}.data/scripts/ty,,\n{name}.dist-info/RECORD,,\n"
        ),
    );
    let scripts = folder.join(format!("{name}.data/scripts"));
    std::fs::create_dir_all(&scripts).unwrap();
    symlink(tools::servers().join("bin/ty"), scripts.join("ty")).unwrap();
    let mut zip = bare_command("python3", &folder);
    let wheel = format!("{name}-py3-none-any.whl");
    zip.args(["-m", "zipfile", "-c", &wheel]);
    zip.args([format!("{name}.dist-info"), format!("{name}.data")]);
    let ran = run(&mut zip);
    assert!(ran.status.success(), "{ran:#?}");
    folder.display().to_string()
}

#[test]
fn an_installed_server_is_listed_and_answers() {
    let world = World::bare(TY.files);
    assert_eq!(installed(&world, "python"), []);
    let wheels = wheels(&world);
    let mut command = world.command(&["lsp", "install", "python", "--server", "ty", "--yes"]);
    command
        .env("PATH", world.search_path())
        .env("PIP_NO_INDEX", "1")
        .env("PIP_FIND_LINKS", wheels);
    let ran = run(&mut command);
    assert!(ran.status.success(), "{ran:#?}");
    assert!(
        ran.stdout.ends_with("ty is installed for python\n"),
        "{ran:#?}"
    );
    let program = world.sandbox.state().join("servers/ty/bin/ty");
    let program = program.display().to_string();
    assert_eq!(
        installed(&world, "python"),
        [("ty".to_owned(), program.clone())]
    );
    let all = run(&mut world.command(&["lsp", "list"])).stdout;
    assert!(
        all.contains(&program) && all.contains("not installed"),
        "{all}"
    );

    let mut command = server(&world.sandbox, &[]);
    let mut client = Client::open(command.env("PATH", "/nonexistent"));
    client.initialize(&json!({}));
    let found = client.call("find_references", &json!({ "symbol_name": TY.symbol }));
    assert_eq!(places(&found["result"]), owned(TY.references), "{found:#}");
}

#[test]
fn what_cannot_be_installed_says_why() {
    let world = World::bare("");
    let ran = install(&world, &["x", "--yes"]);
    assert!(!ran.status.success(), "{ran:#?}");
    assert!(
        ran.stderr.contains("No language server is known for `x`"),
        "{ran:#?}"
    );
    let ran = install(&world, &["python", "--server", "x", "--yes"]);
    assert!(!ran.status.success(), "{ran:#?}");
    assert!(ran.stderr.contains("ty, pyright, basedpyright"), "{ran:#?}");
    // No one agreed, and there is no installer.
    let ran = install(&world, &["python"]);
    assert!(
        !ran.status.success() && ran.stderr.contains("--yes"),
        "{ran:#?}"
    );
    let ran = install(&world, &["python", "--yes"]);
    assert!(!ran.status.success(), "{ran:#?}");
    assert!(ran.stderr.contains("there is no such program"), "{ran:#?}");
    assert_eq!(installed(&world, "python"), []);
}

/// An installer that puts the program in place and then goes on for ever, or ends.
fn npm(world: &World, then: &str) {
    let script = format!(
        "#!/bin/sh\nPATH=/usr/bin:/bin\nmkdir -p node_modules/.bin\ncd node_modules/.bin\n\
         echo '#!/bin/sh' >pyright-langserver\nchmod +x pyright-langserver\n{then}\n"
    );
    let path = world.programs().join("npm");
    world.sandbox.write(&path, script);
    set_mode(&path, 0o755);
}

fn start_install(world: &World) -> Child {
    let arguments = ["lsp", "install", "python", "--server", "pyright", "--yes"];
    let mut command = world.command(&arguments);
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn an_installation_that_was_cut_off_does_not_count() {
    for how in [Signal::INT, Signal::TERM, Signal::KILL] {
        let world = World::bare("");
        npm(&world, "sleep 1000");
        let mut installing = start_install(&world);
        let program = "servers/pyright/node_modules/.bin/pyright-langserver";
        let program = world.sandbox.state().join(program);
        wait_for("the program", || program.exists().then_some(()));
        assert!(world.running().len() > 2, "binary, guard, installer");
        signal(installing.id(), how);
        let (status, _) = wait_for_end(&mut installing);
        assert!(!status.success(), "{status}");
        check_gone(|| world.running());
        assert_eq!(installed(&world, "python"), [], "{how:?}");

        npm(&world, "exit 1");
        assert!(!wait_for_end(&mut start_install(&world)).0.success());
        assert_eq!(installed(&world, "python"), [], "it failed");

        npm(&world, "");
        assert!(wait_for_end(&mut start_install(&world)).0.success());
        let program = program.display().to_string();
        assert_eq!(
            installed(&world, "python"),
            [("pyright".to_owned(), program)]
        );
    }
}
