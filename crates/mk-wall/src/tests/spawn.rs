//! The start of a command in a process with one thread, which lends its memory, and with more, which do not.

use std::hint::black_box;
use std::io;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{WaitOptions, WaitStatus, waitpid};

use super::fixture::{Mode, World};
use crate::sys::{self, Fork};
use crate::{Supervised, Supervision};

const MISSING: &str = "/nowhere/program";
/// What a supervisor ends with for an error without a number.
const OTHER: i32 = 99;

/// What comes of a command's start in a process of its own: its code, `128` and its signal, or the error's number.
#[track_caller]
fn check(program: &str, hold: fn() -> io::Result<()>) -> i32 {
    let wait = |pid| {
        let (_, status) = waitpid(Some(pid), WaitOptions::empty())?.ok_or(Errno::CHILD)?;
        let code = WaitStatus::exit_status(status);
        let code = code.or_else(|| status.terminating_signal().map(|it| it + 128));
        code.ok_or(Errno::INVAL)
    };
    match sys::fork().unwrap() {
        Fork::Parent(supervisor) => wait(supervisor).unwrap(),
        Fork::Child => {
            #[expect(clippy::disallowed_methods, reason = "it runs where the test does")]
            let mut command = Command::new(program);
            let started = sys::spawn_held(&mut command, hold);
            let code = match started.map(wait) {
                Ok(code) => code.unwrap_or(OTHER),
                Err(error) => error.raw_os_error().unwrap_or(OTHER),
            };
            // No process is left to be waited for.
            let rest = waitpid(None, WaitOptions::NOHANG);
            let is_none_left = matches!(rest, Err(Errno::CHILD));
            sys::leave(if is_none_left { code } else { OTHER + 1 })
        }
    }
}

/// Uses four pages in debug builds, and not less than one in any.
fn deep(levels: usize) -> usize {
    let page = black_box([levels; 512]);
    match levels {
        0 => page.len(),
        _ => deep(levels - 1) + page.first().map_or(0, |_| 1),
    }
}

#[test]
fn what_fails_before_the_command_is_told() {
    assert_eq!(check("/bin/true", || Ok(())), 0);
    assert_eq!(check("/bin/false", || Ok(())), 1);
    assert_eq!(
        check("/bin/true", || Err(Errno::CANCELED.into())),
        Errno::CANCELED.raw_os_error()
    );
    assert_eq!(check(MISSING, || Ok(())), Errno::NOENT.raw_os_error());
    assert_eq!(
        check("/etc/passwd", || Ok(())),
        Errno::ACCESS.raw_os_error()
    );
    assert_eq!(check("/bin/true", || panic!("of the test")), OTHER);
}

#[test]
fn too_deep_a_call_ends_the_new_process_alone() {
    let hold = || {
        black_box(deep(2000));
        Ok(())
    };
    assert_eq!(check("/bin/true", hold), 128 + libc::SIGSEGV);
}

#[test]
fn a_program_that_is_not_there_ends_as_in_a_shell() {
    let world = World::new(Mode::Ask);
    let not_executable = world.root.join("README.md");
    for (program, code) in [(MISSING, 127), (not_executable.to_str().unwrap(), 126)] {
        let code_of_run = crate::run(world.rights(), world.program(program), |_, _| {});
        assert_eq!(code_of_run.unwrap(), code, "{program}");
    }
}

#[test]
fn memory_that_another_thread_uses_is_not_lent() {
    let park = || {
        std::thread::spawn(std::thread::park);
        assert!(!sys::is_alone());
    };
    let world = World::new(Mode::Ask);
    let held = world.root.join("held.sh");
    super::fixture::write(&held, "#!/bin/sh\necho x > $0\nexit 7\n");
    std::fs::set_permissions(&held, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (program, code) in [(held.to_str().unwrap(), 7), (MISSING, 127)] {
        let supervised = crate::supervise(|| {
            park();
            Supervision::Hold {
                rights: Box::new(world.rights()),
                command: Box::new(world.program(program)),
                finish: |_: &_, _: &_| {},
            }
        });
        assert_eq!(supervised.unwrap(), Supervised::Ended(code), "{program}");
    }
    assert!(world.read("held.sh").contains("exit 7"));
}
