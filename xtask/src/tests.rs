//! The workspace is tidy, and the rules notice when it is not.

use std::path::{Path, PathBuf};

use crate::tidy::layer::{Crate, Need};
use crate::tidy::{self, Findings};

/// Where cargo puts the product's binary when it builds all of the workspace's tests.
fn built_binary() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let binary = folder.join("modekeeper");
    assert!(
        binary.is_file(),
        "{} is not built: run the tests with --workspace, or cargo build first",
        binary.display()
    );
    binary
}

#[test]
fn the_workspace_is_tidy() {
    let Findings { problems, warnings } = tidy::check(&built_binary()).unwrap();
    println!("{}", warnings.join("\n"));
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[track_caller]
fn check_layers(name: &str, need: &str, for_tests: bool, expected: bool) {
    let need = Need {
        name: need.to_owned(),
        for_tests,
    };
    let problems = tidy::layer::check(&[Crate {
        name: name.to_owned(),
        needs: vec![need],
    }]);
    assert_eq!(problems.is_empty(), expected, "{problems:?}");
}

#[test]
fn a_crate_knows_lower_layers_only() {
    check_layers("mk-engine", "mk-types", false, true);
    check_layers("mk-engine", "mk-tools", false, false);
    check_layers("mk-policy", "mk-project", true, false);
    check_layers("mk-mcp", "mk-web", false, false);
    check_layers("mk-mcp", "mk-testkit", true, true);
    check_layers("mk-mcp", "mk-testkit", false, false);
    check_layers("xtask", "mk-types", false, false);
    check_layers("mk-misc", "mk-types", false, false);
}

#[track_caller]
fn check_source(path: &str, text: &str, expected: &[&str]) {
    let path = Path::new(path);
    let mut problems = tidy::source::rust(path, text);
    problems.extend(tidy::source::places(path, text));
    problems.extend(tidy::source::content(path, text));
    problems.extend(tidy::source::growing(path, text));
    assert_eq!(problems.len(), expected.len(), "{problems:?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn every_rule_about_sources_can_fail() {
    let code = "//! Header.\nfn f() {}\n";
    check_source("crates/a/src/b.rs", code, &[]);
    check_source("crates/a/src/b/mod.rs", code, &["beside the folder"]);
    check_source("crates/a/src/b.rs", "fn f() {}\n", &["open it with"]);
    check_source("crates/a/src/b.rs", "//! Header.\n", &["no code"]);
    let leftover = format!("{code}{}{}\n", "#[ig", "nore]");
    check_source("crates/a/src/b.rs", &leftover, &["line 3"]);
    let place = format!("see {}{}x\n", "/wo", "rk/");
    check_source("README.md", &place, &["one machine"]);
    check_source("Cargo.lock", &place, &[]);
    let host = format!("from {}{}\n", "pypi", ".org");
    check_source("README.md", &host, &["registry"]);
    let long = code.repeat(300);
    check_source("crates/a/src/b.rs", &long, &["more than 500"]);
    check_source("crates/a/src/tests/b.rs", &long, &[]);
    let longer = code.repeat(401);
    check_source("crates/a/src/b.rs", &longer, &["802 lines"]);
    check_source("content/modes/a.yaml", "a: [b\n", &["not YAML"]);
}
