//! Ordinary work: editors, builds and servers do what they do outside, and leave nothing behind.

use super::fixture::{Mode, World};
use crate::rights::Network;

/// Runs a line in `docs`: it succeeds, `README.md` says what it should, nothing else is new.
#[track_caller]
fn edits(line: &str, expected: &str) {
    let world = World::new(Mode::Docs);
    let ran = world.inside(line);
    assert_eq!(ran.code, 0, "{line}: {ran:?}");
    assert_eq!(world.read("README.md"), expected, "{line}: {ran:?}");
    let mut names: Vec<_> = std::fs::read_dir(&world.root)
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["AGENTS.md", "README.md", "docs", "src"],
        "{line}: {ran:?}"
    );
}

#[test]
fn editors_change_documents_and_leave_nothing() {
    edits("echo new > README.md", "new\n");
    edits("sed -i s/read/do/ README.md", "do me\n");
    edits("sed -i.bak s/read/do/ README.md", "do me\n");
    edits("perl -pi -e s/read/do/ README.md", "do me\n");
    edits(
        "vim -es -u NONE -c 'set backup writebackup swapfile' -c '%s/read/do/' -c wq README.md",
        "do me\n",
    );
    edits(
        "printf '1s/read/do/\\nw\\nq\\n' | ed -s README.md",
        "do me\n",
    );
    edits(
        "printf -- '--- README.md\\n+++ README.md\\n@@ -1 +1 @@\\n-read me\\n+do me\\n' | patch -p0 -s",
        "do me\n",
    );
    edits("cp docs/guide.md README.md", "guide\n");
    edits("echo new > t.tmp && mv t.tmp README.md", "new\n");
    edits("echo new > $TMPDIR/t && mv $TMPDIR/t README.md", "new\n");
    edits(
        "python3 -c 'import os; open(\"x.tmp\",\"w\").write(\"new\\n\"); os.replace(\"x.tmp\",\"README.md\")'",
        "new\n",
    );
    edits("mkdir -p docs/deep && echo x > docs/deep/x.md", "read me\n");
    edits(
        "echo out > /dev/stdout; echo err > /dev/stderr; echo n > /dev/null",
        "read me\n",
    );
    edits("truncate -s 4 README.md", "read");
    edits(
        "touch -d @1000 README.md && chmod 600 README.md && test $(stat -c %a%Y README.md) = 6001000",
        "read me\n",
    );
    edits(
        "echo a >> README.md & echo b >> docs/guide.md; wait",
        "read me\na\n",
    );
}

#[test]
fn code_makes_moves_links_and_deletes() {
    let world = World::new(Mode::Code);
    let ran = world.inside(
        "set -e; mkdir -p new/deep; echo x > new/deep/x.rs; mv new other; ln -s deep/x.rs other/l; ln other/deep/x.rs other/h; \
         echo y >> other/h; rm -r src; cp -a other copy; mv other/deep/x.rs moved.rs; cat moved.rs",
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "x\ny\n"), "{ran:?}");
    assert_eq!(ran.summary, "");
    assert!(!world.root.join("src").exists());
}

#[test]
fn own_files_in_temporary_directories_may_be_changed_and_others_not() {
    let world = World::new(Mode::Ask);
    let outer = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    let line = format!(
        "set -e; f=$(mktemp /tmp/own.XXXXXX); echo x > $f; echo y >> $f; chmod 600 $f; mv $f $f.2; rm $f.2; \
         d=$(mktemp -d /tmp/own.XXXXXX); mkdir $d/e; echo z > $d/e/f; rm -r $d; mkfifo /tmp/p$$; rm /tmp/p$$; \
         python3 -c 'import multiprocessing as m; m.Semaphore()'; ! echo x > {}",
        outer.path().display()
    );
    let ran = world.inside(&line);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_tree_may_be_removed_and_made_again() {
    let world = World::new(Mode::Ask);
    let mut rights = world.rights();
    rights.trees.push(world.root.join("target"));
    let ran = world.inside_with(
        rights,
        "set -e; mkdir -p target/debug; echo x > target/debug/x; rm -r target; mkdir target; echo y > target/y; cat target/y",
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "y\n"), "{ran:?}");
}

#[test]
fn servers_on_ports_of_their_own_work() {
    let program = "import socket,threading\n\
        s=socket.create_server(('127.0.0.1',0))\n\
        threading.Thread(target=lambda: s.accept()[0].sendall(b'hi')).start()\n\
        print(socket.create_connection(s.getsockname()).recv(2))\n\
        u=socket.socket(socket.AF_UNIX); u.bind('\\0own'); u.listen()\n\
        c=socket.socket(socket.AF_UNIX); c.connect('\\0own')\n\
        import os; p=os.environ['TMPDIR']+'/s'\n\
        v=socket.socket(socket.AF_UNIX); v.bind(p); v.listen()\n\
        socket.socket(socket.AF_UNIX).connect(p)";
    for network in [Network::Own, Network::On] {
        let mut world = World::new(Mode::Ask);
        world.network = network;
        let ran = world.inside(&format!("python3 -c \"{program}\""));
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "b'hi'\n"), "{ran:?}");
    }
}

#[test]
fn exit_codes_are_a_shell_s() {
    let world = World::new(Mode::Ask);
    assert_eq!(world.inside("exit 7").code, 7);
    assert_eq!(world.inside("kill -9 $$").code, 137);
    assert_eq!(world.inside("nonsense-program").code, 127);
}

#[test]
fn the_time_limit_ends_everything() {
    let world = World::new(Mode::Ask);
    let mut rights = world.rights();
    rights.time_limit = Some(std::time::Duration::from_millis(100));
    let ran = world.inside_with(rights, "setsid sleep 600 & sleep 600");
    assert_eq!(ran.code, 124, "{ran:?}");
}
