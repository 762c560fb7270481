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
