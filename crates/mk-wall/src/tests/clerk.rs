//! The clerk's rules, one by one.

use super::fixture::{Mode, World};

#[test]
fn docs_edits_markdown_and_nothing_else() {
    let world = World::new(Mode::Docs);
    let ran =
        world.inside("echo new > README.md; echo new > src/a.rs; echo x > $VICTIM/file; echo out");
    assert_eq!(ran.stdout, "out\n", "{ran:?}");
    assert_eq!(world.read("README.md"), "new\n");
    assert_eq!(world.read("src/a.rs"), "fn a() {}\n");
    assert_eq!(
        std::fs::read_to_string(world.victim("file")).unwrap(),
        "victim\n"
    );
    assert!(ran.summary.contains("refused: write src/a.rs"), "{ran:?}");
}

/// Callers are looked at only after one of them has changed something about itself.
#[test]
fn each_process_has_its_own_umask() {
    let world = World::new(Mode::Docs);
    let ran = world.inside(
        "echo x > a.md; (umask 077; echo x > b.md; mkdir c.md); echo x > d.md; \
         stat -c %a a.md b.md c.md d.md",
    );
    assert_eq!(ran.stdout, "644\n600\n700\n644\n", "{ran:?}");
}

#[test]
fn a_process_that_became_another_user_is_not_served() {
    let world = World::new(Mode::Docs);
    // An ordinary user cannot become another one, and the line does nothing for it either.
    let ran = world.inside(
        "echo before > README.md; setpriv --reuid=65534 --clear-groups sh -c 'echo x > README.md'; \
         echo x > docs/guide.md",
    );
    assert_eq!(world.read("README.md"), "before\n", "{ran:?}");
    assert_eq!(world.read("docs/guide.md"), "x\n", "{ran:?}");
}

/// Under its own root the same path names another file, which lies in a writable directory.
#[test]
fn a_process_with_another_root_is_not_served() {
    let world = World::new(Mode::Docs);
    let ran = world.inside(
        "mkdir -p $TMPDIR$PWD; echo copy > $TMPDIR$PWD/README.md; unshare -U --keep-caps python3 -c '\
import os; path = os.getcwd() + \"/README.md\"; os.chroot(os.environ[\"TMPDIR\"]); open(path, \"w\").write(\"x\")'; \
         cat $TMPDIR$PWD/README.md; echo y > docs/guide.md",
    );
    assert_eq!(ran.stdout, "x", "{ran:?}");
    assert_eq!(world.read("README.md"), "read me\n", "{ran:?}");
    assert_eq!(world.read("docs/guide.md"), "y\n", "{ran:?}");
}

/// Compilers give their results a second name, and move the directory when they are done.
#[test]
fn a_directory_with_second_names_of_the_command_s_own_is_moved() {
    let world = World::new(Mode::Code);
    let line = "mkdir -p out/working; echo x > out/a.o; ln out/a.o out/working/a.o; \
                mv out/working out/finished && rm out/a.o && cat out/finished/a.o";
    let ran = world.inside(line);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "x\n"), "{ran:?}");
}

#[test]
fn a_directory_with_second_names_of_others_stays() {
    let world = World::new(Mode::Code);
    std::fs::hard_link(world.victim("file"), world.root.join("src/linked")).unwrap();
    let ran = world.inside("mv src moved");
    assert_ne!(ran.code, 0, "{ran:?}");
    assert!(world.root.join("src/linked").exists(), "{ran:?}");
}
