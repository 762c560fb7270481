//! `modes lint`: what is wrong with mode files, and patterns that match nothing.

use insta::assert_snapshot;
use mk_policy::Diagnostic;

use super::World;
use crate::lint_file;

fn show(found: &[Diagnostic]) -> String {
    let lines: Vec<String> = found
        .iter()
        .map(|found| match &found.hint {
            Some(hint) => format!("{found} ({hint})"),
            None => found.to_string(),
        })
        .collect();
    lines.join("\n")
}

#[track_caller]
fn check(files: &str) -> String {
    let world = World::new(files);
    show(&world.engine().modes().lint(&world.caller))
}

#[test]
fn a_sound_file_has_nothing_to_say() {
    assert_eq!(check(&format!("{}//- /a.md\n", super::MODES)), "");
    assert_eq!(check(""), "");
}

#[test]
fn a_pattern_that_matches_no_file_is_most_likely_a_slip() {
    let found = check(
        r"
//- /.roomodes
customModes:
  - slug: docs
    name: Docs
    roleDefinition: x
    groups:
      - [edit, {fileRegex: '\.md$'}]
      - [edit, {fileRegex: '^/docs/'}]
      - [read, {glob: 'src/*.py'}]
//- /a.md
//- /docs/b.txt
//- /src/main.rs
",
    );
    assert_snapshot!(found, @"
    .roomodes:7:28: warning: mode `docs`: `^/docs/` matches no file of this project (patterns are searched in paths relative to the project's root, like `src/main.rs`)
    .roomodes:8:23: warning: mode `docs`: `src/*.py` matches no file of this project (patterns are searched in paths relative to the project's root, like `src/main.rs`)
    ");
}

/// Modes of an earlier text hold while a file is broken; its lines are not there to point at.
#[test]
fn a_pattern_of_an_earlier_text_has_no_place_in_the_file() {
    let one = r"
//- /.roomodes
customModes:
  - slug: one
    name: One
    roleDefinition: x
    groups: [[edit, {fileRegex: '\.none$'}]]
";
    let world = World::new(one);
    let lint = || {
        world
            .engine()
            .open(&world.caller.project)
            .reload(world.engine());
        show(&world.engine().modes().lint(&world.caller))
    };
    assert!(lint().contains("mode `one`"));
    for broken in ["customModes:\n  - slug: two\n    name: Two\n", ""] {
        world.fixture.write(".roomodes", broken);
        let catalogue = world.engine().modes().catalogue(&world.caller);
        assert!(catalogue.get("one").is_some());
        let found = lint();
        assert!(!found.contains("`one`"), "{found}");
    }
}

#[test]
fn every_problem_of_every_file_is_named_with_its_place() {
    let found = check(
        "
//- /.roomodes
customModes:
  - slug: one
    name: One
    roleDefinition: x
    groups: [reed]
  - slug: two
    name: Two
    roleDefinition: x
    groups: [[edit, {fileRegex: '(['}]]
//- /.kilocodemodes
customModes: 5
",
    );
    assert_snapshot!(found, @"
    .kilocodemodes:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    .kilocodemodes:1:14: error: `customModes` is a number, not a list
    .roomodes:5:14: warning: mode `one`: there is no group `reed` (groups are read, edit, browser, command, mcp, modes)
    .roomodes:9:33: error: mode `two`: `([` is not a JavaScript regular expression: Unbalanced bracket
    ");
}

#[test]
fn one_file_is_looked_at_by_itself() {
    let world = World::new(
        "
//- /some/file.yaml
customModes:
  - {slug: one, name: One, roleDefinition: x, groups: [read]}
  - {slug: two, name: Two, extends: one}
  - {slug: three, name: Three, extends: nothing}
",
    );
    let policy = world.engine().policy();
    let lint = |path: &str| {
        let (n_modes, found) = lint_file(&world.fixture.path(path), path, policy);
        let found = show(&found).replace(world.fixture.root().as_str(), "/project");
        format!("{n_modes} modes\n{found}")
    };
    assert_snapshot!(lint("some/file.yaml"), @"
    2 modes
    some/file.yaml:4:41: error: mode `three`: `extends: nothing` names a mode that does not exist
    ");
    assert_snapshot!(lint("some/missing.yaml"), @"
    0 modes
    some/missing.yaml:1:1: error: cannot read `/project/some/missing.yaml`: No such file or directory (check that the file exists and that you may read it)
    ");
    assert_snapshot!(lint("some"), @"
    0 modes
    some:1:1: error: `/project/some` is not a regular file (only regular files are read; replace the directory, pipe or device)
    some:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    ");
}
