//! What a command leaves behind, and a program outside follows or runs later; and races for what lies outside.

use std::net::TcpListener;

use super::{Attack, Mode, World, check, helped, write};
use crate::Network;

/// A repository that a person has made.
const REPOSITORY: &str = "git init -q . && git config user.name a && git config user.email a@b.c && git add README.md \
     && git commit -q -m first && echo ready; exec sleep 600";
const COMMITTED: &str = "git commit -q --allow-empty -m x; ! grep -qx victim $VICTIM/file";
const LOGGED: &str = "git commit -q --allow-empty -m x; test $(wc -l < $VICTIM/file) -gt 1";
/// Another user's file in a temporary directory.
const FOREIGN: &str = "touch /tmp/$(basename $BASE)-foreign; echo ready; exec sleep 600";

const PLANTED: &[Attack] = &[
    helped(
        "a link among git's own names",
        REPOSITORY,
        "ln -sf $VICTIM/file .git/COMMIT_EDITMSG",
        COMMITTED,
    ),
    helped(
        "a link moved among git's own names",
        REPOSITORY,
        "ln -s $VICTIM/file $TMPDIR/l; mv -fT $TMPDIR/l .git/COMMIT_EDITMSG",
        COMMITTED,
    ),
    helped(
        "a link among git's logs",
        REPOSITORY,
        "ln -sf $VICTIM/file .git/logs/HEAD",
        LOGGED,
    ),
    helped(
        "a link moved among git's logs",
        REPOSITORY,
        "ln -s $VICTIM/file $TMPDIR/l; mv -fT $TMPDIR/l .git/logs/HEAD",
        LOGGED,
    ),
    helped(
        "a link from a temporary directory moved among git's logs",
        REPOSITORY,
        "L=/tmp/$(basename $BASE)-l; ln -s $VICTIM/file $L; mv -fT $L .git/logs/HEAD; rm -f $L",
        LOGGED,
    ),
    helped(
        "a rebase with a strategy of its own",
        REPOSITORY,
        "mkdir -p .git/rebase-merge; echo evil > .git/rebase-merge/strategy",
        "test -e .git/rebase-merge/strategy",
    ),
    helped(
        "a series of patches that leaves the worktree",
        REPOSITORY,
        "mkdir -p .git/rebase-apply; echo --unsafe-paths > .git/rebase-apply/apply-opt",
        "test -e .git/rebase-apply/apply-opt",
    ),
    super::attack(
        "a link to a link in a writable directory",
        "ln -s $VICTIM/file $TMPDIR/l; ln -s $TMPDIR/l x.md",
        "echo x > x.md; ! grep -qx victim $VICTIM/file",
    ),
    super::attack(
        "a link to a link in a temporary directory",
        "L=/tmp/$(basename $BASE)-l; ln -s $VICTIM/file $L; ln -s $L x.md",
        "echo x > x.md; rm -f /tmp/$(basename $BASE)-l; ! grep -qx victim $VICTIM/file",
    ),
    super::attack(
        "a link that goes up from a link",
        "mkdir -p d.md/e; ln -s .. d.md/e/up.md; ln -s up.md/../src/a.rs d.md/e/x.md",
        "echo x > d.md/e/x.md; ! grep -qx 'fn a() {}' src/a.rs",
    ),
    helped(
        "a stranger's file while swapping its directory",
        FOREIGN,
        "$PY swap-directory $(basename $BASE)-foreign",
        "! rm /tmp/$(basename $BASE)-foreign",
    ),
    helped(
        "the mode of a terminal",
        "exec 7<>/dev/ptmx; T=$($BASE/call.py terminal 7); echo $T > $BASE/terminal; echo ready; exec sleep 600",
        "$PY fchmod $(cat $BASE/terminal)",
        "test $(stat -c %a $(cat $BASE/terminal)) = 777",
    ),
];

#[test]
fn no_file_outside_changes_later() {
    check(PLANTED, Mode::Docs, None);
}

#[test]
fn no_file_outside_changes_later_on_an_old_floor() {
    super::check_inside(PLANTED, 2);
}

/// A port for datagrams and one for connections are two, under the same number.
#[test]
fn a_port_bound_for_datagrams_opens_no_connection() {
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = stranger.local_addr().unwrap().port();
    let line = format!("$BASE/call.py datagram-then-connect {port} && echo reached");
    let mut world = World::new(Mode::Docs);
    world.network = Network::On;
    write(&world.base.join("call.py"), include_str!("../call.py"));
    assert_eq!(
        world.outside(&format!("python3 {line} | grep -q reached")),
        0
    );
    let ran = world.inside(&format!("python3 {line}"));
    assert!(!ran.stdout.contains("reached"), "{ran:#?}");
    assert!(
        ran.summary
            .contains(&format!("refused: connect 127.0.0.1:{port}")),
        "{ran:#?}"
    );
}

/// Name servers listen on this machine, and resolvers connect their sockets to them.
#[test]
fn datagrams_reach_this_machine_where_the_network_is_on() {
    let mut world = World::new(Mode::Docs);
    world.network = Network::On;
    write(&world.base.join("call.py"), include_str!("../call.py"));
    let ran = world.inside("python3 $BASE/call.py connect-udp && echo reached");
    assert!(ran.stdout.contains("reached"), "{ran:#?}");
}
