//! Walking a project's files.

use mk_testkit::Fixture;

use crate::any_file;

#[test]
fn every_file_is_seen_but_what_git_keeps_or_ignores() {
    let fixture = Fixture::new(
        "
//- /.git/HEAD
//- /.gitignore
target/
//- /.hidden/a
//- /src/main.rs
//- /target/out
",
    );
    fixture.link("link", "src/main.rs");
    let mut seen = Vec::new();
    let all = any_file(fixture.root(), |path| {
        seen.push(path.to_string());
        false
    });
    seen.sort();
    assert_eq!(all, Some(false));
    assert_eq!(seen, [".gitignore", ".hidden/a", "src/main.rs"]);
}

#[test]
fn the_walk_ends_with_the_first_file_that_is_wanted() {
    let fixture = Fixture::new("//- /a\n//- /b\n");
    let mut n_seen = 0;
    let any = any_file(fixture.root(), |_| {
        n_seen += 1;
        true
    });
    assert_eq!((any, n_seen), (Some(true), 1));
}
