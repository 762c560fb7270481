//! Mode files as they change: what is kept, what is dropped, and from where modes come.

use insta::assert_snapshot;

use super::{MODES, World};

const ONE: &str = "customModes:\n  - {slug: one, name: One, roleDefinition: x, groups: [read]}\n";
const TWO: &str = "customModes:\n  - {slug: two, name: Two, roleDefinition: x, groups: [read]}\n";

/// Reads the files again, as the watcher does.
fn reload(world: &mut World) {
    let engine = world.engine();
    engine.open(&world.caller.project).reload(engine);
    world.modes();
}

fn world() -> World {
    let mut world = World::new(&format!("//- /.roomodes\n{ONE}"));
    world.modes();
    world
}

#[test]
fn a_changed_file_changes_the_modes() {
    let mut world = world();
    world.fixture.write(".roomodes", TWO);
    reload(&mut world);
    assert_snapshot!(world.log(), @r#"
    1 custom modes: ["one"]
    1 custom modes: ["two"]
    "#);
}

#[test]
fn a_deleted_file_drops_its_modes() {
    let mut world = world();
    world.fixture.remove(".roomodes");
    reload(&mut world);
    // Nothing of it comes back with a file that cannot be read.
    world.fixture.write(".roomodes", "customModes: [");
    reload(&mut world);
    assert_snapshot!(world.log(), @r#"
    1 custom modes: ["one"]
    0 custom modes: []
    0 custom modes: []
    .roomodes:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read (no hint)
    .roomodes:1:14: error: unclosed bracket '[' (no hint)
    "#);
}

#[test]
fn a_broken_file_leaves_the_modes_it_had() {
    let mut world = world();
    world.log();
    for text in [
        "customModes: [",
        "",
        "# only a remark\n",
        "customMo",
        "- slug: one\n",
        "customModes: none\n",
    ] {
        world.fixture.write(".roomodes", text);
        reload(&mut world);
    }
    assert_snapshot!(world.log(), @r#"
    1 custom modes: ["one"]
    .roomodes:1:14: error: unclosed bracket '[' (the modes of the last readable version stay in force)
    1 custom modes: ["one"]
    .roomodes:1:1: warning: the file is empty (no hint)
    1 custom modes: ["one"]
    .roomodes:1:1: warning: the file is empty (no hint)
    1 custom modes: ["one"]
    .roomodes:1:1: error: there is no `customModes` list (put modes in a list under `customModes:`)
    1 custom modes: ["one"]
    .roomodes:1:1: error: the file is a list, not a map with `customModes` (put `customModes:` before the list and indent it)
    1 custom modes: ["one"]
    .roomodes:1:14: error: `customModes` is text, not a list (the modes of the last readable version stay in force)
    "#);
}

#[test]
fn a_list_that_is_empty_is_a_decision_to_have_no_modes() {
    let mut world = world();
    world.log();
    world.fixture.write(".roomodes", "customModes: []\n");
    reload(&mut world);
    assert_eq!(world.log(), "0 custom modes: []\n");
}

#[test]
fn a_broken_mode_keeps_its_last_good_text() {
    let mut world = world();
    world.fixture.write(
        ".roomodes",
        ONE.replace("[read]", "[[edit, {fileRegex: '('}]]"),
    );
    reload(&mut world);
    world.create("one");
    assert_snapshot!(world.log(), @r#"
    1 custom modes: ["one"]
    1 custom modes: ["one"]
    .roomodes:2:75: error: mode `one`: `(` is not a JavaScript regular expression: Unbalanced parenthesis (the modes of the last readable version stay in force)
    sess_1 task_1 in one (One), active
    "#);
}

#[test]
fn a_file_that_cannot_be_read_leaves_its_modes_until_it_can_be_read_again() {
    let mut world = world();
    world.log();
    // A folder in its place stands for everything that cannot be read: the tests may run as root.
    world.fixture.remove(".roomodes");
    world.fixture.folder(".roomodes");
    reload(&mut world);
    reload(&mut world);
    world.fixture.remove(".roomodes");
    world.fixture.write(".roomodes", b"\xff");
    reload(&mut world);
    world.fixture.write(".roomodes", TWO);
    reload(&mut world);
    world.fixture.write(".roomodes", "customModes: [");
    reload(&mut world);
    assert_snapshot!(world.log(), @r#"
    1 custom modes: ["one"]
    .roomodes:1:1: error: `/project/.roomodes` is not a regular file (only regular files are read; replace the directory, pipe or device)
    1 custom modes: ["one"]
    .roomodes:1:1: error: `/project/.roomodes` is not a regular file (only regular files are read; replace the directory, pipe or device)
    1 custom modes: ["one"]
    .roomodes:1:1: error: `/project/.roomodes` is not UTF-8 text (byte 0) (save the file as UTF-8)
    1 custom modes: ["two"]
    1 custom modes: ["two"]
    .roomodes:1:14: error: unclosed bracket '[' (the modes of the last readable version stay in force)
    "#);
}

#[test]
fn a_broken_file_does_not_hurt_those_of_other_files() {
    let mut world = World::new(&format!(
        "//- /.roomodes\ncustomModes: [\n//- /.kilocodemodes\n{TWO}"
    ));
    world.modes();
    assert_snapshot!(world.log(), @r#"
    1 custom modes: ["two"]
    .roomodes:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read (no hint)
    .roomodes:1:14: error: unclosed bracket '[' (no hint)
    "#);
}

#[test]
fn modes_come_from_every_place_and_the_first_that_has_a_slug_wins() {
    let mode = |slug: &str, name: &str| {
        format!(
            "customModes:\n  - {{slug: {slug}, name: {name}, roleDefinition: x, groups: [read]}}\n"
        )
    };
    let world = World::new("");
    let files = [
        ".roomodes",
        ".kilocodemodes",
        ".bob/custom_modes.yaml",
        "global/config/modes.yaml",
        "global/roo/modes.yaml",
        "global/home/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/custom_modes.yaml",
        "global/home/.bob/settings/custom_modes.yaml",
    ];
    let found = || {
        let project = world.engine().open(&world.caller.project);
        project.reload(world.engine());
        let catalogue = project.catalogue();
        let mode = catalogue.get("docs").unwrap();
        (mode.name.clone(), mode.source)
    };
    // From the weakest to the strongest, each takes over from the one before.
    for (file_idx, file) in files.iter().enumerate().rev() {
        world
            .fixture
            .write(file, mode("docs", &format!("M{file_idx}")));
        let source = if file_idx < 3 {
            mk_policy::ModeSource::Project
        } else {
            mk_policy::ModeSource::Global
        };
        assert_eq!(found(), (format!("M{file_idx}"), source), "{file}");
    }
}

#[test]
fn a_custom_mode_takes_the_place_of_a_builtin() {
    let world = World::new(
        "
//- /.roomodes
customModes:
  - {slug: zebra, name: Zebra, roleDefinition: x, groups: [read]}
  - {slug: ask, name: My Ask, roleDefinition: x, groups: [read]}
",
    );
    let catalogue = world.engine().modes().catalogue(&world.caller);
    let shown: Vec<String> = catalogue
        .modes()
        .iter()
        .map(|mode| format!("{} {:?}", mode.name, mode.source))
        .collect();
    assert_snapshot!(shown.join("\n"), @"
    💻 Code Builtin
    🏗️ Architect Builtin
    My Ask Project
    🪲 Debug Builtin
    🪃 Orchestrator Builtin
    Zebra Project
    ");
}

#[test]
fn a_changed_ignore_file_counts_after_reading_it_again() {
    let mut world = World::new(MODES);
    world.call(None, "read_file", "secret");
    world.fixture.write(".rooignore", "secret\n");
    reload(&mut world);
    world.call(None, "read_file", "secret");
    world.fixture.write(".rooignore", b"\xff");
    reload(&mut world);
    world.call(None, "read_file", "open");
    assert_snapshot!(world.log(), @r#"
    ✓ read_file [secret]
    2 custom modes: ["docs", "scribe"]
    ✗ denied file: Cannot read 'secret' in 'code' mode. 'secret' is hidden by .rooignore. (work without this file; its owner keeps it from agents)
    2 custom modes: ["docs", "scribe"]
    ✗ denied file: Cannot read 'open' in 'code' mode. 'open' is hidden by .rooignore. (work without this file; its owner keeps it from agents)
    "#);
}
