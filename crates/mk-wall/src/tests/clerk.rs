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
