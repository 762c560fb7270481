//! Ways out. Each must work outside, or the row proves nothing, and must not work inside.
//!
//! A row is a line that attacks and a line that tells whether it worked; both know `$VICTIM`, a directory outside of
//! the project, and `$PY`, a program for calls that no tool makes. Rows with a helper have a process outside that the
//! attack is aimed at; the line knows its number as `$OUTER`.

mod planted;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use super::fixture::{Mode, World, write};

/// One way out.
struct Attack {
    name: &'static str,
    /// Runs outside before the attack, as long as it lasts; it says `ready` when it is.
    helper: Option<&'static str>,
    line: &'static str,
    /// Succeeds if the attack has worked.
    worked: &'static str,
}

const fn attack(name: &'static str, line: &'static str, worked: &'static str) -> Attack {
    Attack {
        name,
        helper: None,
        line,
        worked,
    }
}

const fn helped(
    name: &'static str,
    helper: &'static str,
    line: &'static str,
    worked: &'static str,
) -> Attack {
    Attack {
        name,
        helper: Some(helper),
        line,
        worked,
    }
}

const CHANGED: &str = "! grep -qx victim $VICTIM/file";
const GONE: &str = "! test -e $VICTIM/file";
const NEW: &str = "test -e $VICTIM/new -o -L $VICTIM/new";
const SOURCE: &str = "! grep -qx 'fn a() {}' src/a.rs";
const MODE: &str = "test $(stat -c %a $VICTIM/file) = 777";
const OLD: &str = "test $(stat -c %Y $VICTIM/file) = 1000";
const ANSWERED: &str = "$PY ask $BASE/control";

const FILES: &[Attack] = &[
    attack("write", "echo x > $VICTIM/file", CHANGED),
    attack("append", "echo x >> $VICTIM/file; rm -f none", CHANGED_MORE),
    attack("create", "echo x > $VICTIM/new", NEW),
    attack("delete", "rm -f $VICTIM/file", GONE),
    attack(
        "rename over",
        "echo x > o.md; mv -f o.md $VICTIM/file",
        CHANGED,
    ),
    attack("rename away", "mv $VICTIM/file stolen.md", GONE),
    attack("make a directory", "mkdir $VICTIM/new", NEW),
    attack("link", "ln -s /etc $VICTIM/new", NEW),
    attack("hard link", "ln README.md $VICTIM/new", NEW),
    attack("pipe", "mkfifo $VICTIM/new", NEW),
    attack("truncate", "$PY truncate $VICTIM/file", CHANGED),
    attack(
        "truncate by a read",
        "$PY read-truncate $VICTIM/file",
        CHANGED,
    ),
    attack("openat2", "$PY openat2 $VICTIM/file", CHANGED),
    attack("unnamed file", "$PY tmpfile $VICTIM new", NEW),
    attack(
        "by descriptor of the directory",
        "$PY openat $VICTIM file",
        CHANGED,
    ),
    attack(
        "reopen what may be read",
        "$PY reopen $VICTIM/file",
        CHANGED,
    ),
    attack(
        "by /proc/self/root",
        "echo x > /proc/self/root$VICTIM/file",
        CHANGED,
    ),
    attack(
        "by /proc/self/cwd",
        "cd $VICTIM && echo x > /proc/self/cwd/file",
        CHANGED,
    ),
    attack(
        "through a link",
        "ln -s $VICTIM/file x.md; echo x > x.md",
        CHANGED,
    ),
    attack(
        "through a link to a directory",
        "ln -s $VICTIM docs/out; echo x > docs/out/new",
        NEW,
    ),
    attack("a source", "echo x > src/a.rs", SOURCE),
    attack(
        "a source by its link",
        "ln -s src/a.rs x.md; echo x > x.md",
        SOURCE,
    ),
    attack(
        "a source by its second name",
        "ln src/a.rs x.md; echo x > x.md",
        SOURCE,
    ),
    attack(
        "a source renamed",
        "mv src/a.rs x.md; echo x > x.md; mv x.md src/a.rs",
        SOURCE,
    ),
    attack(
        "a source by its directory",
        "mv src s.md",
        "! test -e src/a.rs",
    ),
    attack(
        "rename over a source",
        "echo x > x.md; mv -f x.md src/a.rs",
        SOURCE,
    ),
    attack("sed in place", "sed -i s/fn/no/ src/a.rs", SOURCE),
    attack(
        "protected",
        "echo x > AGENTS.md",
        "! grep -qx rules AGENTS.md",
    ),
    attack(
        "protected, replaced",
        "echo x > x.md; mv -f x.md AGENTS.md",
        "! grep -qx rules AGENTS.md",
    ),
    attack(
        "a source in exchange",
        "echo x > x.md; $PY exchange x.md src/a.rs",
        SOURCE,
    ),
    attack(
        "set-uid",
        "cp README.md x.md; chmod u+s x.md",
        "test -u x.md",
    ),
    attack("mapped memory", "$PY mmap $VICTIM/file", CHANGED),
    attack(
        "descriptor of an editor",
        "vim -es -u NONE -c 'call writefile([\"x\"],\"'$VICTIM'/file\")' -c qa!",
        CHANGED,
    ),
    attack(
        "ed",
        "printf 'a\\nx\\n.\\nw %s/file\\nq\\n' $VICTIM | ed -s",
        CHANGED,
    ),
    attack(
        "patch",
        "printf -- '--- file\\n+++ file\\n@@ -1 +1 @@\\n-victim\\n+x\\n' | patch -d $VICTIM -p0",
        CHANGED,
    ),
    attack(
        "tar",
        "mkdir t.md; cp README.md t.md/file; tar -C t.md -c file | tar -C $VICTIM -x",
        CHANGED,
    ),
    attack("dd", "echo x | dd of=$VICTIM/file status=none", CHANGED),
    attack(
        "a daemon",
        "setsid sh -c 'echo x > $VICTIM/file' & wait",
        CHANGED,
    ),
    attack("a program in memory", "$PY memfd $VICTIM/file", CHANGED),
];

const LINKED: &str = "ln $VICTIM/file $BASE/scratch/linked; echo ready; exec sleep 600";

/// A file in a writable directory that has a name outside, too.
const LINKS: &[Attack] = &[
    helped(
        "linked before",
        LINKED,
        "echo x > $BASE/scratch/linked",
        CHANGED,
    ),
    helped(
        "linked before, by /proc/self/root",
        LINKED,
        "echo x > /proc/self/root$BASE/scratch/linked",
        CHANGED,
    ),
    helped(
        "linked before, by /proc/self/cwd",
        LINKED,
        "cd $BASE/scratch && echo x > /proc/self/cwd/linked",
        CHANGED,
    ),
    helped(
        "linked before, by a link to /proc",
        LINKED,
        "ln -s /proc/self/root$BASE/scratch/linked $TMPDIR/l; echo x > ${TMPDIR:-$BASE}/l",
        CHANGED,
    ),
    helped(
        "linked before, by another process",
        LINKED,
        "sleep 600 & echo x > /proc/$!/root$BASE/scratch/linked; kill $!",
        CHANGED,
    ),
    helped(
        "linked before, reopened",
        LINKED,
        "$PY reopen $BASE/scratch/linked",
        CHANGED,
    ),
    helped(
        "linked before, emptied",
        LINKED,
        "truncate -s 0 $BASE/scratch/linked",
        CHANGED,
    ),
    helped(
        "linked before, its mode",
        LINKED,
        "chmod 777 $BASE/scratch/linked",
        MODE,
    ),
];

const CHANGED_MORE: &str = "test $(wc -l < $VICTIM/file) -gt 1";

const METADATA: &[Attack] = &[
    attack("chmod", "chmod 777 $VICTIM/file", MODE),
    attack("fchmod", "$PY fchmod $VICTIM/file", MODE),
    attack("fchmodat2", "$PY fchmodat2 $VICTIM/file", MODE),
    attack(
        "chmod in a user namespace",
        "unshare -U chmod 777 $VICTIM/file",
        MODE,
    ),
    attack(
        "chmod in another root",
        "$PY chroot-chmod $VICTIM/file",
        MODE,
    ),
    attack(
        "chmod through a link",
        "ln -s $VICTIM/file x.md; chmod 777 x.md",
        MODE,
    ),
    attack(
        "chmod a source",
        "chmod 777 src/a.rs",
        "test $(stat -c %a src/a.rs) = 777",
    ),
    attack("utime", "touch -d @1000 $VICTIM/file", OLD),
    attack("futimens", "$PY futimens $VICTIM/file", OLD),
    attack("utimes", "$PY utimes $VICTIM/file", OLD),
    attack(
        "attribute",
        "$PY setxattr $VICTIM/file",
        "$PY getxattr $VICTIM/file",
    ),
    attack(
        "flags",
        "chattr +d $VICTIM/file",
        "lsattr $VICTIM/file | cut -d' ' -f1 | grep -q d",
    ),
];

const SERVER: &str = "$PY serve-unix $BASE/sock $BASE/control";
const TCP: &str = "$PY serve-tcp $BASE/port $BASE/control";
const SLEEPER: &str = "echo ready; exec sleep 600";
/// SIGSTOP has come: it waits (bit 18), or has stopped the process; looked at twice, because it is neither for a moment.
const STOPPED: &str = "stopped() { grep -Eq 'State:.T|ShdPnd:.*[4567c-f].{4}$' /proc/$OUTER/status; }; stopped || { sleep 0.1; stopped; }";

const UNIX: &[Attack] = &[
    helped(
        "path socket",
        SERVER,
        "$PY connect-unix $BASE/sock",
        ANSWERED,
    ),
    helped(
        "path socket while swapping the address",
        SERVER,
        "$PY swap-unix $BASE/sock",
        ANSWERED,
    ),
    helped(
        "path datagram",
        "$PY serve-dgram $BASE/sock $BASE/control",
        "$PY send-dgram $BASE/sock 2",
        ANSWERED,
    ),
    helped(
        "raw path datagram",
        "$PY serve-dgram $BASE/sock $BASE/control",
        "$PY send-dgram $BASE/sock 3",
        ANSWERED,
    ),
    helped(
        "datagram of a pair",
        "$PY serve-dgram $BASE/sock $BASE/control",
        "$PY send-pair $BASE/sock",
        ANSWERED,
    ),
    helped(
        "abstract socket",
        "$PY serve-unix @mk-wall-$$ $BASE/control $BASE/name",
        "$PY connect-unix $(cat $BASE/name)",
        ANSWERED,
    ),
];

const PORTS: &[Attack] = &[
    helped(
        "loopback port",
        TCP,
        "$PY connect-tcp 127.0.0.1 $(cat $BASE/port)",
        ANSWERED,
    ),
    helped(
        "loopback port as any address",
        TCP,
        "$PY connect-tcp 0.0.0.0 $(cat $BASE/port)",
        ANSWERED,
    ),
    helped(
        "loopback port by its mapped address",
        TCP,
        "$PY connect-tcp ::ffff:127.0.0.1 $(cat $BASE/port)",
        ANSWERED,
    ),
    helped(
        "a port bound on another address",
        TCP,
        "$PY bind-then-connect 127.0.0.2 $(cat $BASE/port)",
        ANSWERED,
    ),
    helped(
        "a port bound for the other family",
        TCP,
        "$PY bind-then-connect :: $(cat $BASE/port)",
        ANSWERED,
    ),
    helped(
        "a port bound in another network",
        TCP,
        "$PY netns-then-connect $(cat $BASE/port)",
        ANSWERED,
    ),
    helped(
        "fast open",
        TCP,
        "$PY fast-open $(cat $BASE/port)",
        ANSWERED,
    ),
    helped("multipath", TCP, "$PY mptcp $(cat $BASE/port)", ANSWERED),
    helped(
        "udp",
        "$PY serve-udp $BASE/port $BASE/control",
        "$PY send-udp $(cat $BASE/port)",
        ANSWERED,
    ),
];

const PROCESSES: &[Attack] = &[
    helped(
        "limits of another process",
        SLEEPER,
        "prlimit --pid $OUTER --core=0:0",
        "prlimit --pid $OUTER --core -o HARD --noheadings | grep -qx ' *0'",
    ),
    helped("kill", SLEEPER, "kill -STOP $OUTER", STOPPED),
    helped(
        "memory of another process",
        SLEEPER,
        "$PY poke $OUTER",
        "$PY peek $OUTER",
    ),
    helped(
        "root of another process",
        SLEEPER,
        "echo x > /proc/$OUTER/root$VICTIM/file",
        CHANGED,
    ),
    helped(
        "descriptor of another process",
        "exec 9>>$VICTIM/file; echo ready; exec sleep 600",
        "$PY steal $OUTER 9",
        CHANGED_MORE,
    ),
    helped(
        "a pipe outside",
        "mkfifo $BASE/pipe; exec 8<>$BASE/pipe; echo ready; exec sleep 600",
        "echo x > $BASE/pipe",
        "read -t 1 line < /proc/$OUTER/fd/8",
    ),
    helped(
        "priority of another process",
        SLEEPER,
        "renice -n 19 -p $OUTER",
        "test $(ps -o ni= -p $OUTER) = 19",
    ),
    helped(
        "priority of another process's disk",
        SLEEPER,
        "ionice -c 3 -p $OUTER",
        "ionice -p $OUTER | grep -q idle",
    ),
    helped(
        "scheduling of another process",
        SLEEPER,
        "chrt -b -p 0 $OUTER",
        "chrt -p $OUTER | grep -q BATCH",
    ),
    attack("a ring", "$PY ring && echo > r.md", "test -e r.md"),
    attack(
        "a mount in a namespace",
        "unshare -Urm sh -c 'mount --bind $VICTIM src && echo x > src/new'",
        NEW,
    ),
];

/// Starts a helper and waits until it is ready.
fn help(world: &World, line: &str) -> Child {
    #[expect(clippy::disallowed_methods, reason = "the working directory is set")]
    let mut command = Command::new("/bin/bash");
    let mut child = command
        .args(["-c", line])
        .current_dir(&world.root)
        .env("BASE", &world.base)
        .env("VICTIM", world.base.join("victim"))
        .env("PY", world.base.join("call.py"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let stdout = child.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut said).unwrap();
    assert_eq!(said, "ready\n", "{line}");
    child
}

/// Whether an attack works on a fresh world, inside or outside.
fn works(attack: &Attack, mode: Mode, abi: Option<i32>, inside: bool) -> bool {
    let mut world = World::new(mode);
    world.abi = abi;
    write(&world.base.join("call.py"), include_str!("call.py"));
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(world.base.join("call.py"), executable).unwrap();
    let helper = attack.helper.map(|line| help(&world, line));
    let number = helper.as_ref().map_or(0, Child::id);
    let outside = "export TMPDIR=$BASE/scratch;";
    let outside = if inside { "" } else { outside };
    let line = format!(
        "{outside} export OUTER={number} PY=$BASE/call.py; {}",
        attack.line
    );
    if inside {
        world.inside(&line);
    } else {
        world.outside(&line);
    }
    let asked = format!("export OUTER={number} PY=$BASE/call.py; {}", attack.worked);
    let worked = world.outside(&asked) == 0;
    if let Some(mut helper) = helper {
        helper.kill().unwrap();
        helper.wait().unwrap();
    }
    worked
}

#[track_caller]
fn check(attacks: &[Attack], mode: Mode, abi: Option<i32>) {
    let mut void = Vec::new();
    let mut open = Vec::new();
    for attack in attacks {
        if !works(attack, mode, abi, false) {
            void.push(attack.name);
        }
        if works(attack, mode, abi, true) {
            open.push(attack.name);
        }
    }
    assert!(open.is_empty(), "these work inside: {open:?}");
    assert!(
        void.is_empty(),
        "these prove nothing, because they do not work outside: {void:?}"
    );
}

#[test]
fn no_file_outside_the_mode_changes_in_docs() {
    check(FILES, Mode::Docs, None);
}

#[test]
fn no_file_changes_in_ask() {
    check(FILES, Mode::Ask, None);
}

#[test]
fn no_file_with_a_name_outside_changes_in_a_tree() {
    check(LINKS, Mode::Docs, None);
}

#[test]
fn no_metadata_outside_the_mode_changes() {
    check(METADATA, Mode::Docs, None);
}

#[test]
fn no_unix_socket_outside_is_reached() {
    check(UNIX, Mode::Docs, None);
}

#[test]
fn no_port_outside_is_reached() {
    check(PORTS, Mode::Docs, None);
}

#[test]
fn no_process_outside_is_reached() {
    check(PROCESSES, Mode::Docs, None);
}

/// Whether rows hold on an older floor.
#[track_caller]
fn check_inside(attacks: &[Attack], abi: i32) {
    let open: Vec<&str> = attacks
        .iter()
        .filter(|attack| works(attack, Mode::Docs, Some(abi), true))
        .map(|attack| attack.name)
        .collect();
    assert!(open.is_empty(), "these work inside: {open:?}");
}

/// Older floors hold less, and the doors and the clerk hold it instead; but for what the documentation says.
#[track_caller]
fn check_version(abi: i32) {
    let all = [FILES, LINKS, METADATA, UNIX, PORTS, PROCESSES];
    let works: Vec<&str> = all
        .into_iter()
        .flatten()
        .filter(|attack| works(attack, Mode::Docs, Some(abi), true))
        .map(|attack| attack.name)
        .collect();
    let signals: &[&str] = if abi < 6 { &["kill"] } else { &[] };
    assert_eq!(works, signals, "on version {abi}");
}

#[test]
fn version_1_holds() {
    check_version(1);
}

#[test]
fn version_2_holds() {
    check_version(2);
}

#[test]
fn version_3_holds() {
    check_version(3);
}

#[test]
fn version_4_holds() {
    check_version(4);
}

#[test]
fn version_5_holds() {
    check_version(5);
}

#[test]
fn version_6_holds() {
    check_version(6);
}

/// Who runs these tests as root runs them as an ordinary user, too.
#[test]
fn no_attack_works_for_an_ordinary_user() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let readable = || std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path(), readable()).unwrap();
    let program = folder.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(&program, readable()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the working directory is set")]
    let mut command = Command::new("setpriv");
    if rustix::process::geteuid().is_root() {
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    let output = command
        .arg("--no-new-privs")
        .arg(&program)
        .args(["tests::attack::no_file", "tests::attack::no_metadata"])
        .args(["tests::attack::no_unix", "tests::attack::no_port"])
        .args([
            "tests::attack::no_process",
            "tests::attack::planted::no_file",
        ])
        .arg("--test-threads=1")
        .env("PATH", "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("9 passed"), "{said}");
}
