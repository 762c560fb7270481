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

/// `needs` is `name`, or `dev name` for a dependency of tests.
#[track_caller]
fn check_layers(name: &str, needs: &str, expected: &str) {
    let need = Need {
        name: needs.trim_start_matches("dev ").to_owned(),
        for_tests: needs.starts_with("dev "),
    };
    let problems = tidy::layer::check(&[Crate {
        name: name.to_owned(),
        needs: vec![need],
    }]);
    let answer = if problems.is_empty() {
        "may"
    } else {
        "must not"
    };
    assert_eq!(answer, expected, "{problems:?}");
}

#[test]
fn a_crate_knows_lower_layers_only() {
    check_layers("mk-engine", "mk-types", "may");
    check_layers("mk-engine", "mk-tools", "must not");
    check_layers("mk-policy", "dev mk-project", "must not");
    check_layers("mk-mcp", "mk-web", "must not");
    check_layers("mk-mcp", "dev mk-testkit", "may");
    check_layers("mk-mcp", "mk-testkit", "must not");
    check_layers("xtask", "mk-types", "must not");
    check_layers("mk-misc", "mk-types", "must not");
}

#[test]
fn a_file_that_is_not_compiled_is_noticed() {
    let file = |path: &str, text: &str| (PathBuf::from(path), format!("//! Header.\n{text}\n"));
    let files = [
        file("crates/a/src/lib.rs", "mod b;"),
        file("crates/a/src/b.rs", "mod c;"),
        file("crates/a/src/b/c.rs", "fn f() {}"),
        file("crates/a/src/b/d.rs", "fn f() {}"),
    ];
    let mut findings = Findings::default();
    tidy::source::check(&files, &mut findings);
    let expected = "crates/a/src/b/d.rs: no `mod d;` above it: it is not compiled";
    assert_eq!(findings.problems, [expected]);
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
    let elsewhere = format!("in ..{}{}x\n", "/wo", "rk/");
    check_source("README.md", &elsewhere, &[]);
    let host = format!("from {}{}\n", "pypi", ".org");
    check_source("README.md", &host, &["registry"]);
    let long = code.repeat(300);
    check_source("crates/a/src/b.rs", &long, &["more than 500"]);
    check_source("crates/a/src/tests/b.rs", &long, &[]);
    let longer = code.repeat(401);
    check_source("crates/a/src/b.rs", &longer, &["802 lines"]);
    check_source("content/modes/a.yaml", "a: [b\n", &["not YAML"]);
}
