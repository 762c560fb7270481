//! Where Git takes its hooks from.

use mk_testkit::Fixture;
use mk_types::ProjectPath;

use crate::hooks_directory;

#[track_caller]
fn check(config: &str, expected: Option<&str>) {
    let fixture = Fixture::new("");
    fixture.write(".git/config", config);
    let found = hooks_directory(fixture.root());
    assert_eq!(
        found.as_ref().map(ProjectPath::as_str),
        expected,
        "{config}"
    );
}

#[test]
fn the_configured_directory_is_found_however_it_is_written() {
    check("[core]\n\thooksPath = tools/hooks\n", Some("tools/hooks"));
    check("[CORE]\nHOOKSPATH=\"tools/hooks/\"\n", Some("tools/hooks"));
    check("[core] hooksPath = a\n[core]\n hookspath = b\n", Some("b"));
    check("[user]\n\thooksPath = tools/hooks\n", None);
    check("[core]\n\tbare = false\n", None);
    check("[core]\n\thooksPath = /elsewhere\n", None);
    check("[core]\n\thooksPath = .\n", None);
}
