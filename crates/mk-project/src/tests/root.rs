//! Which directory the policy comes from.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use mk_testkit::Fixture;
use mk_types::AbsPath;

use crate::policy_root;

/// The root that is found from `directory`, with `home` as the home; both relative to the fixture.
#[track_caller]
fn check(fixture: &Fixture, directory: &str, home: &str, expected: &str) {
    let directory = AbsPath::new(&fixture.path(directory)).unwrap();
    let home = fixture.path(home);
    let found = policy_root(&directory, Some(&home));
    let expected = std::fs::canonicalize(fixture.path(expected)).unwrap();
    assert_eq!(found, AbsPath::new(&expected).unwrap());
}

#[test]
fn the_outermost_mark_upwards_wins() {
    let marks = [
        ".git/HEAD",
        ".git",
        ".roomodes",
        ".rooignore",
        ".kilocodemodes",
    ];
    for mark in marks {
        let fixture = Fixture::new("//- /outer/inner/src/deep/a\n//- /home/x\n");
        fixture.write(&format!("outer/{mark}"), "");
        fixture.write(&format!("outer/inner/{mark}"), "");
        check(&fixture, "outer/inner/src/deep", "home", "outer");
        check(&fixture, "outer/inner", "home", "outer");
        check(&fixture, "outer", "home", "outer");
    }
}

#[test]
fn a_directory_without_any_mark_is_its_own_project() {
    let fixture = Fixture::new("//- /a/b/file\n//- /a/.roo/rules/x.md\n");
    check(&fixture, "a/b", "a", "a/b");
}

#[test]
fn the_home_and_what_is_above_it_never_count() {
    let fixture = Fixture::new(
        "//- /.git/HEAD\n//- /home/.git/HEAD\n//- /home/notes/a\n//- /home/work/.git\n//- /home/work/sub/a\n",
    );
    check(&fixture, "home/notes", "home", "home/notes");
    check(&fixture, "home/work/sub", "home", "home/work");
    check(&fixture, "home", "home", "home");
}

#[test]
fn a_directory_that_everyone_may_write_to_never_counts() {
    let fixture =
        Fixture::new("//- /shared/.roomodes\n//- /shared/mine/.git\n//- /shared/mine/a/b\n");
    let everyone = std::fs::Permissions::from_mode(0o1777);
    std::fs::set_permissions(fixture.path("shared"), everyone).unwrap();
    check(&fixture, "shared/mine/a", "home", "shared/mine");
}

#[test]
fn links_are_resolved_first() {
    let fixture = Fixture::new("//- /real/.git/HEAD\n//- /real/src/a\n//- /other/.git/HEAD\n");
    symlink(fixture.path("real/src"), fixture.path("other/link")).unwrap();
    check(&fixture, "other/link", "home", "real");
}
