//! Which folder is the project.

use mk_testkit::Fixture;
use mk_types::AbsPath;

use crate::find_root;

/// The root that is found from `folder`, with `home` as the home folder; both relative to the fixture.
#[track_caller]
fn check(fixture: &Fixture, folder: &str, home: &str, expected: &str) {
    let folder = AbsPath::new(&fixture.path(folder)).unwrap();
    let home = fixture.path(home);
    let found = find_root(&folder, Some(&home));
    assert_eq!(found, AbsPath::new(&fixture.path(expected)).unwrap());
}

#[test]
fn the_nearest_mark_upwards_wins() {
    for mark in [".git/HEAD", ".git", ".roomodes", ".kilocodemodes", ".bob/x"] {
        let fixture = Fixture::new("//- /outer/.git/HEAD\n//- /outer/inner/src/deep/a\n");
        fixture.write(&format!("outer/inner/{mark}"), "");
        check(&fixture, "outer/inner/src/deep", "home", "outer/inner");
        check(&fixture, "outer/inner", "home", "outer/inner");
        check(&fixture, "outer", "home", "outer");
    }
}

#[test]
fn a_folder_without_any_mark_is_its_own_project() {
    let fixture = Fixture::new("//- /a/b/file\n//- /a/.roo/rules/x.md\n");
    check(&fixture, "a/b", "a", "a/b");
}

#[test]
fn the_home_folder_counts_only_for_who_works_right_in_it() {
    let fixture = Fixture::new("//- /home/.git/HEAD\n//- /home/notes/a\n//- /home/work/.git\n");
    check(&fixture, "home/notes", "home", "home/notes");
    check(&fixture, "home", "home", "home");
    check(&fixture, "home/work", "home", "home/work");
    check(&fixture, "home/notes", "elsewhere", "home");
}
