//! What the model reads, word by word.

use super::fixture::{Mode, World};

#[track_caller]
fn check(mode: Mode, line: &str, expected: &str) {
    let world = World::new(mode);
    let ran = world.inside(line);
    let base = world.base.display().to_string();
    assert_eq!(ran.summary.replace(&base, "$BASE"), expected, "{ran:?}");
}

#[test]
fn refusals_name_mode_operation_path_and_way_out() {
    check(
        Mode::Docs,
        "echo x > src/a.rs; echo x > src/a.rs; chmod 777 src/a.rs",
        "modekeeper: mode \"docs\" may edit only \\.md$ – refused: write src/a.rs (2×), chmod src/a.rs. Switch with: modekeeper mode code\n",
    );
    check(
        Mode::Ask,
        "echo x > README.md; echo x > $VICTIM/file",
        "modekeeper: mode \"ask\" may not edit files – refused: write README.md, write $BASE/victim/file. Switch with: modekeeper mode code\n",
    );
    check(
        Mode::Code,
        "echo x > AGENTS.md",
        "modekeeper: mode \"code\" may edit the project but not protected files – refused: write AGENTS.md.\n",
    );
    // No mode would help.
    check(
        Mode::Docs,
        "echo x > $VICTIM/file",
        "modekeeper: mode \"docs\" may edit only \\.md$ – refused: write $BASE/victim/file.\n",
    );
    check(Mode::Docs, "echo x > README.md", "");
}

#[test]
fn guests_are_named_when_they_go() {
    check(
        Mode::Docs,
        "echo x > src/new.rs",
        "modekeeper: removed src/new.rs: mode \"docs\" may not create it. Use a name that matches \\.md$.\n",
    );
    check(
        Mode::Docs,
        "mv README.md src/b.rs",
        "modekeeper: moved src/b.rs back to README.md: mode \"docs\" may not create src/b.rs. Use a name that matches \\.md$.\n",
    );
}

#[test]
fn sockets_and_ports_are_named() {
    check(
        Mode::Ask,
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 5432))'",
        "modekeeper: refused: connect 127.0.0.1:5432: mode \"ask\" has no network; only ports this command opened itself.\n",
    );
    let world = World::new(Mode::Ask);
    let listener = std::os::unix::net::UnixListener::bind(world.base.join("sock")).unwrap();
    let ran = world.inside("python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect(os.environ[\"BASE\"]+\"/sock\")'");
    drop(listener);
    let expected = format!(
        "modekeeper: refused: connect {}/sock (unix socket outside the project).\n",
        world.base.display()
    );
    assert_eq!(ran.summary, expected);
}

#[test]
fn ten_thousand_refusals_are_one_sentence() {
    let world = World::new(Mode::Ask);
    let ran = world.inside("python3 -c '\nfor n in range(10000):\n  try: open(\"f%d\" % n, \"w\")\n  except OSError: pass'");
    assert_eq!(ran.summary.lines().count(), 1);
    assert!(
        ran.summary.contains("create f0, create f1") && ran.summary.contains("9990 more"),
        "{}",
        ran.summary
    );
}
