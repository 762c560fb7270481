//! Swapping what a name leads to while the clerk looks at it.

use super::{exec, project};
use crate::support::sandbox::run;

/// Threads that swap a link, and a path in memory, while others open them to write.
const RACE: &str = r#"
import ctypes, os, sys, threading
victim, rounds = sys.argv[1], int(sys.argv[2])
sys.setswitchinterval(1e-5)
libc = ctypes.CDLL(None, use_errno=True)
os.makedirs("race.md.d", exist_ok=True)
stop = False

def links():
    number = 0
    while not stop:
        number += 1
        for target in (victim, "README.md", "src/a.rs"):
            try:
                os.symlink(target, f"link-{number % 3}.md")
            except OSError:
                pass
            try:
                os.unlink(f"link-{number % 3}.md")
            except OSError:
                pass
            try:
                with open(f"link-{number % 3}.md", "w") as file:
                    file.write("mine\n")
            except OSError:
                pass

buffer = ctypes.create_string_buffer(4096)
names = [victim.encode(), b"README.md", b"src/a.rs"]

def names_in_memory():
    while not stop:
        for name in names:
            ctypes.memmove(buffer, name + b"\0", len(name) + 1)

threads = [threading.Thread(target=it, daemon=True) for it in (links, names_in_memory)]
for thread in threads:
    thread.start()
for number in range(rounds):
    file = libc.open(buffer, os.O_WRONLY | os.O_CREAT, 0o644)
    if file >= 0:
        os.write(file, b"raced\n")
        os.close(file)
    for call in (lambda: os.open(f"link-{number % 3}.md", os.O_WRONLY), ):
        try:
            file = call()
            os.write(file, b"raced\n")
            os.close(file)
        except OSError:
            pass
    libc.chmod(buffer, 0o600)
    libc.rename(b"README.md", buffer)
    libc.rename(buffer, b"README.md")
stop = True
"#;

#[test]
fn swapping_links_and_paths_changes_nothing_outside() {
    let sandbox = project();
    let victim = sandbox.home().join("victim");
    crate::support::sandbox::overwrite(&victim, b"victim\n");
    sandbox.write("race.py", RACE);
    let line = format!("/usr/bin/python3 race.py {} 500", victim.display());
    let ran = run(&mut exec(&sandbox, "docs", &line));
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
    // The race got as far as the clerk with both names.
    for tried in [
        "write src/a.rs".to_owned(),
        format!("write {}", victim.display()),
    ] {
        assert!(ran.stderr.contains(&tried), "{tried}: {ran:#?}");
    }
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "victim\n");
    let source = sandbox.project().join("src/a.rs");
    assert_eq!(std::fs::read_to_string(source).unwrap(), "fn a() {}\n");
}
