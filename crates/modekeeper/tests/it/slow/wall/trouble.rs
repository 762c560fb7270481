//! A clerk that is killed, a kernel without Landlock, walls in walls, processes that go on.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::{exec, project, shell};
use crate::support::sandbox::{bare_command, run};
use crate::support::wait_for;

#[test]
fn what_a_killed_clerk_left_is_removed_by_the_next_command() {
    let sandbox = project();
    let line = "echo x > src/guest.rs; echo ready; exec sleep 600";
    let mut command = exec(&sandbox, "docs", line);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut said)
        .unwrap();
    assert_eq!(said, "ready\n");
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let clerk = std::fs::read_to_string(children).unwrap();
    let ran = shell(&sandbox.project(), &format!("kill -KILL {}", clerk.trim()));
    assert!(ran.status.success(), "{ran:#?}");
    assert_eq!(child.wait().unwrap().code(), Some(125));
    let guest = sandbox.project().join("src/guest.rs");
    assert!(guest.exists(), "it was removed without a clerk");
    // The command itself has died with its clerk; the next one finds the record.
    wait_for("the guest to be removed", || {
        let ran = run(&mut exec(&sandbox, "docs", "true"));
        assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
        (!guest.exists()).then_some(())
    });
}

/// Makes `landlock_create_ruleset` answer with an error, and becomes a program.
const WITHOUT_LANDLOCK: &str = r"
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50000 | int(sys.argv[1])), (0x06, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *step) for step in steps))
program = struct.pack('HxxxxxxQ', len(steps), ctypes.addressof(code))
libc.prctl(38, 1, 0, 0, 0)
assert libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[2], sys.argv[2:])
";

#[test]
fn without_landlock_nothing_is_started_and_the_reason_is_named() {
    let sandbox = project();
    let reasons = [
        ("38", "this kernel has no Landlock (not built in)"),
        ("95", "this kernel has no Landlock (off at boot)"),
        ("1", "this container does not allow Landlock"),
    ];
    for (errno, reason) in reasons {
        let held = exec(&sandbox, "docs", "echo started > README.md");
        let mut command = bare_command("/usr/bin/python3", &sandbox.project());
        command
            .args(["-c", WITHOUT_LANDLOCK, errno])
            .arg(held.get_program())
            .args(held.get_args());
        for (name, value) in held.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        let ran = run(&mut command);
        assert_eq!(ran.status.code(), Some(125), "{ran:#?}");
        let expected = format!("modekeeper: not started: {reason}. Run \"modekeeper doctor\".");
        assert!(ran.stderr.contains(&expected), "{ran:#?}");
        let text = std::fs::read_to_string(sandbox.project().join("README.md")).unwrap();
        assert_eq!(text, "read me\n");
    }
}

#[test]
fn a_wall_in_a_wall_only_narrows() {
    let sandbox = project();
    let program = env!("CARGO_BIN_EXE_modekeeper");
    let line = format!("{program} exec -- sh -c 'echo x > src/a.rs; echo in > README.md'");
    let ran = run(&mut exec(&sandbox, "docs", &line));
    let read = |path: &str| std::fs::read_to_string(sandbox.project().join(path)).unwrap();
    assert_eq!(
        (read("src/a.rs").as_str(), read("README.md").as_str()),
        ("fn a() {}\n", "in\n"),
        "{ran:#?}"
    );
    let line = format!("{program} exec --mode look -- sh -c 'echo x > README.md'");
    let ran = run(&mut exec(&sandbox, "docs", &line));
    assert_eq!(read("README.md"), "in\n", "{ran:#?}");
}

#[test]
fn a_process_in_the_background_is_held_as_before() {
    let sandbox = project();
    let pipe = sandbox.home().join("go");
    let made = shell(&sandbox.project(), &format!("mkfifo {}", pipe.display()));
    assert!(made.status.success(), "{made:#?}");
    let line = format!(
        "(read go < {}; echo x > src/a.rs; echo x > src/b.rs; echo late > README.md) >/dev/null 2>&1 & echo started",
        pipe.display()
    );
    let ran = run(&mut exec(&sandbox, "docs", &line));
    assert_eq!(
        (ran.status.code(), ran.stdout.as_str()),
        (Some(0), "started\n"),
        "{ran:#?}"
    );
    crate::support::sandbox::overwrite(&pipe, b"go\n");
    let read =
        |path: &str| std::fs::read_to_string(sandbox.project().join(path)).unwrap_or_default();
    wait_for("the background process", || {
        (read("README.md") == "late\n").then_some(())
    });
    assert_eq!(read("src/a.rs"), "fn a() {}\n");
    wait_for("the guest to go", || {
        (!sandbox.project().join("src/b.rs").exists()).then_some(())
    });
}

/// A clerk that asked again and again whether its launcher has gone took a whole processor.
#[test]
fn a_clerk_of_a_background_process_waits() {
    let sandbox = project();
    let pipe = sandbox.home().join("go");
    let made = shell(&sandbox.project(), &format!("mkfifo {}", pipe.display()));
    assert!(made.status.success(), "{made:#?}");
    let line = format!(
        "(read go < {}) >/dev/null 2>&1 & echo $PPID",
        pipe.display()
    );
    let ran = run(&mut exec(&sandbox, "docs", &line));
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
    let clerk = format!("/proc/{}/stat", ran.stdout.trim());
    let state = || {
        let stat = std::fs::read_to_string(&clerk).unwrap_or_default();
        let (_, rest) = stat.rsplit_once(") ")?;
        rest.chars().next()
    };
    wait_for("the clerk to sleep", || {
        (state() == Some('S')).then_some(())
    });
    crate::support::sandbox::overwrite(&pipe, b"go\n");
    wait_for("the clerk to end", || state().is_none().then_some(()));
}

#[test]
fn hidden_files_are_not_read() {
    let sandbox = project();
    sandbox.write(".rooignore", "secret.txt\nprivate/\n");
    sandbox.write("secret.txt", "secret one\n");
    sandbox.write("private/key", "secret two\n");
    sandbox.write(sandbox.home().join(".ssh/id"), "secret three\n");
    let line = "cat secret.txt private/key ~/.ssh/id; cp secret.txt copy.md; ln secret.txt link.md; cat *.md; \
                cat /proc/self/root$PWD/secret.txt; mv secret.txt moved.md; cat moved.md; tar c secret.txt | cat";
    let outside = shell(&sandbox.project(), "cat secret.txt private/key");
    assert_eq!(outside.stdout, "secret one\nsecret two\n");
    let ran = run(&mut exec(&sandbox, "docs", line));
    assert!(!ran.stdout.contains("secret "), "{ran:#?}");
    assert!(!ran.stderr.contains("secret one"), "{ran:#?}");
    let kept = std::fs::read_to_string(sandbox.project().join("secret.txt")).unwrap();
    assert_eq!(kept, "secret one\n");
    // A program that finds it empty says nothing, so the summary does.
    assert!(
        ran.stderr
            .contains("hidden, so empty inside the wall: secret.txt."),
        "{ran:#?}"
    );
    let quiet = run(&mut exec(&sandbox, "docs", "cat README.md"));
    assert!(!quiet.stderr.contains("hidden"), "{quiet:#?}");
}

#[test]
fn tmux_outside_is_not_typed_into() {
    let sandbox = project();
    let socket = sandbox.home().join("tmux");
    let typed = sandbox.home().join("typed");
    let tmux = format!("tmux -S {}", socket.display());
    let started = shell(
        &sandbox.project(),
        &format!("{tmux} -f /dev/null new-session -d -x 80 -y 24 /bin/sh"),
    );
    assert!(started.status.success(), "{started:#?}");
    let attack = |name: &str| {
        let file = typed.with_extension(name);
        (
            format!("{tmux} send-keys 'touch {}' Enter", file.display()),
            file,
        )
    };
    let (line, file) = attack("inside");
    let ran = run(&mut exec(&sandbox, "docs", &line));
    assert_ne!(ran.status.code(), Some(0), "{ran:#?}");
    // What is typed outside comes after it.
    let (line, outside) = attack("outside");
    let ran = shell(&sandbox.project(), &line);
    assert!(ran.status.success(), "{ran:#?}");
    wait_for("what was typed outside", || outside.exists().then_some(()));
    assert!(
        !file.exists(),
        "a command inside typed into a terminal outside"
    );
    shell(&sandbox.project(), &format!("{tmux} kill-server"));
}
