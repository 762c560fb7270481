//! The workspace is tidy, and the rules notice when it is not.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::tidy::layer::{Crate, Need};
use crate::tidy::package::Package;
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
    check_layers("mk-tools", "mk-engine", "may");
    check_layers("mk-tools", "mk-store", "must not");
    check_layers("mk-web", "mk-project", "must not");
    check_layers("mk-web", "dev mk-store", "may");
    check_layers("modekeeper", "mk-wall", "may");
    check_layers("xtask", "mk-types", "must not");
    check_layers("xtask", "mk-prompt", "may");
    check_layers("mk-misc", "mk-types", "must not");
}

/// A package with this licence is fine, or is not.
#[track_caller]
fn check_licence(licence: &str, expected: bool) {
    let package = Package {
        name: "other".to_owned(),
        licence: Some(licence.to_owned()),
        ..Package::default()
    };
    let problems = licence_problems(&package);
    assert_eq!(problems.is_empty(), expected, "{licence}: {problems:?}");
}

/// What is wrong with a package, besides what is missing around it.
fn licence_problems(package: &Package) -> Vec<String> {
    let mut problems = tidy::package::check(std::slice::from_ref(package));
    problems.retain(|problem| problem.contains(&format!("`{}`", package.name)));
    problems
}

#[test]
fn licences_that_cannot_be_linked_are_noticed() {
    check_licence("MIT", true);
    check_licence("MIT/Apache-2.0", true);
    check_licence("Unlicense/MIT", true);
    check_licence("(MIT OR Apache-2.0) AND Unicode-3.0", true);
    check_licence("Apache-2.0 WITH LLVM-exception", true);
    check_licence("GPL-3.0-only", false);
    check_licence("MIT AND GPL-3.0-only", false);
    check_licence("(MIT OR GPL-3.0-only) AND AGPL-3.0-only", false);
    check_licence("CC0-1.0", false);
    check_licence("MIT)", false);
    check_licence("(MIT", false);
    check_licence("", false);
}

#[test]
fn banned_foreign_and_repeated_packages_are_noticed() {
    let package = |name: &str, version: &str, source: &str| Package {
        name: name.to_owned(),
        version: version.to_owned(),
        licence: Some("MIT".to_owned()),
        source: Some(source.to_owned()),
    };
    let registry = "registry+https://github.com/rust-lang/crates.io-index";
    let packages = [
        package("native-tls", "1.0.0", registry),
        package("from-git", "1.0.0", "git+https://example.com/x"),
        package("twice", "1.0.0", registry),
        package("twice", "2.0.0", registry),
        Package {
            licence: None,
            ..package("unlicensed", "1.0.0", registry)
        },
    ];
    let problems = tidy::package::check(&packages).join("\n");
    for expected in [
        "`native-tls` is banned",
        "`from-git` 1.0.0 is not from the Rust registry",
        "`twice` is there as 1.0.0, 2.0.0",
        "`unlicensed` 1.0.0 names no licence",
    ] {
        assert!(problems.contains(expected), "{expected}: {problems}");
    }
}

#[test]
fn a_member_that_does_not_describe_itself_is_noticed() {
    let described = json!({
        "name": "a", "categories": ["c"], "description": "d", "keywords": ["k"], "license": "MIT", "repository": "r",
    });
    let mut silent = described.clone();
    silent["keywords"] = json!([]);
    silent["repository"] = json!(null);
    let problems = |package: &Value| tidy::package::undescribed(&json!({ "packages": [package] }));
    assert_eq!(problems(&described), Vec::<String>::new());
    let problems = problems(&silent).join("\n");
    assert!(problems.contains("`keywords`"), "{problems}");
    assert!(problems.contains("`repository`"), "{problems}");
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
fn check_suites(table: &str, expected: &[&str]) {
    let file = |path: &str, text: &str| (PathBuf::from(path), text.to_owned());
    let slow = "crates/modekeeper/tests/it/slow";
    let files = [
        file("tests/suites", table),
        file("tests/tools/node.sh", ""),
        file(&format!("{slow}/kill.rs"), "#[test]"),
        file(&format!("{slow}/sdk/python.rs"), "#[test]"),
        file(&format!("{slow}/process.rs"), "fn helper() {}"),
    ];
    let problems = tidy::suite::check(&files);
    assert_eq!(problems.len(), expected.len(), "{problems:?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn every_slow_test_is_in_one_suite() {
    check_suites("# a comment\na  always  2  node  kill sdk\n", &[]);
    check_suites("a  always  2  -  kill\n", &["sdk is in no suite"]);
    let twice = "a  always  2  -  kill sdk\nb  long  2  -  kill\n";
    check_suites(twice, &["in a suite already"]);
    check_suites("a  always  2  -  kill sdk process\n", &["no tests in"]);
    check_suites(
        "a  always  2  ruby  kill sdk\n",
        &["no tests/tools/ruby.sh"],
    );
    check_suites("a  never  2  -  kill sdk\n", &["always or long"]);
    let broken = ["five columns", "kill is in no suite", "sdk is in no suite"];
    check_suites("a  always  kill sdk\n", &broken);
}

#[test]
fn a_wait_that_is_not_what_the_table_says_is_noticed() {
    let row = |how_long: &str, name: &str, path: &str| {
        let table = format!("| a call | an answer | {how_long} | `{name}` in `{path}` | why |\n");
        let source = "const LOOK: Duration = Duration::from_millis(100);\n";
        tidy::waiting::check(&[
            (PathBuf::from("docs/concepts/waiting.md"), table),
            (PathBuf::from("crates/a/src/b.rs"), source.to_owned()),
        ])
    };
    let right = row("every 100 ms", "LOOK", "crates/a/src/b.rs");
    assert!(right.is_empty(), "{right:?}");
    for wrong in [
        row("every 200 ms", "LOOK", "crates/a/src/b.rs"),
        row("100 s", "LOOK", "crates/a/src/b.rs"),
        row("100 ms", "STARE", "crates/a/src/b.rs"),
        row("100 ms", "LOOK", "crates/a/src/c.rs"),
    ] {
        assert_eq!(wrong.len(), 1, "{wrong:?}");
    }
}

#[test]
fn a_type_name_that_stands_for_two_things_is_noticed() {
    let file = |path: &str, text: &str| (PathBuf::from(path), text.to_owned());
    let problems = |second: &str, text: &str| {
        tidy::type_name::check(&[
            file(
                "crates/a/src/b.rs",
                "pub(crate) struct Wait(u8);\npub enum Error {}\n",
            ),
            file(second, text),
        ])
    };
    for twice in [
        "enum Wait {}",
        "pub trait Wait {",
        "pub(in crate::x) type Wait = u8;",
        "pub type Wait = Box<dyn Fn(u8) -> u8>;",
    ] {
        let found = problems("crates/c/src/d.rs", twice);
        assert_eq!(found.len(), 1, "{twice}");
        assert!(found[0].contains("`Wait` names several types"), "{found:?}");
    }
    for (path, text) in [
        (
            "crates/c/src/d.rs",
            "struct Waiter;\npub enum Error {}\nfn f() -> Wait {}",
        ),
        ("crates/c/src/tests.rs", "struct Wait;"),
        ("crates/mk-testkit/src/d.rs", "struct Wait;"),
    ] {
        assert_eq!(problems(path, text), [""; 0], "{path}");
    }
}

#[test]
fn a_tool_without_a_true_row_in_the_map_is_noticed() {
    let map = |row: &str, tool: &str| {
        let file = |path: &str, text: String| (PathBuf::from(path), text);
        tidy::map::check(&[
            file("ARCHITECTURE.md", format!("{row}\n")),
            file(tool, "        name: \"read_file\",\n".to_owned()),
            file("crates/mk-engine/src/file.rs", "pub fn read(".to_owned()),
            file("crates/mk-project/src/read.rs", String::new()),
        ])
    };
    let tool = "crates/mk-tools/src/files/read_file.rs";
    let row = "| `read_file` | `read` in `crates/mk-engine/src/file.rs` | `crates/mk-project/src/read.rs` |";
    let right = map(row, tool);
    assert!(right.is_empty(), "{right:?}");
    for (wrong, expected) in [
        (map("", tool), "no row"),
        (map(&row.replace("`read`", "`look`"), tool), "no `look`"),
        (map(&row.replace("/file.rs", "/f.rs"), tool), "no crates"),
        (map(&row.replace("/read.rs", "/r.rs"), tool), "no crates"),
        (map(row, "crates/mk-tools/src/files/other.rs"), "is not in"),
    ] {
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].contains(expected), "{wrong:?}");
    }
}

#[track_caller]
fn check_means(path: &str, line: &str, n_expected: usize) {
    let file = |path: &str, text: &str| (PathBuf::from(path), text.to_owned());
    let tool = "crates/mk-tools/src/files/find_files.rs";
    let problems = tidy::means::check(&[
        file(path, line),
        file(tool, "        name: \"find_files\",\n"),
    ]);
    assert_eq!(problems.len(), n_expected, "{problems:?}");
}

#[test]
fn an_error_that_names_one_readers_means_is_noticed() {
    let below = "crates/mk-project/src/error.rs";
    check_means(below, "Some(\"check the path, or use find_files\")", 1);
    check_means(below, "Some(\"run `modekeeper doctor` first\")", 1);
    check_means(below, "Some(\"check the path\")", 0);
    check_means(below, "// As find_files does.", 0);
    let hint = "error.with_hint(\"use find_files\")";
    check_means("crates/mk-engine/src/file.rs", hint, 1);
    check_means("crates/mk-engine/src/next_step.rs", hint, 0);
    check_means("crates/mk-engine/src/file.rs", "tool: \"find_files\",", 0);
}

/// What a document with this line is told, next to files that have little in them.
#[track_caller]
fn check_named(path: &str, line: &str, expected: Option<&str>) {
    let file = |path: &str, text: &str| (PathBuf::from(path), text.to_owned());
    let files = [
        file(path, line),
        file(
            "crates/mk-a/src/lib.rs",
            "fn find_symbols() { MODEKEEPER_HOME }",
        ),
        file("docs/reference/cli.md", "--json  Answer with JSON"),
        file("docs/reference/config.md", "| `http.listen` |"),
        file("docs/guides/other.md", "# Use it (`now`)\n"),
    ];
    let problems = tidy::named::check(&files, &["mk-a".to_owned()]);
    match expected {
        None => assert!(problems.is_empty(), "{line}: {problems:?}"),
        Some(expected) => {
            assert_eq!(problems.len(), 1, "{line}: {problems:?}");
            assert!(problems[0].contains(expected), "{problems:?}");
        }
    }
}

#[test]
fn what_a_document_names_has_to_exist() {
    for (line, expected) in [
        (
            "`crates/mk-a/src/lib.rs`, `crates/mk-a/`, `crates/<name>`",
            None,
        ),
        (
            "`crates/mk-a/src/gone.rs`",
            Some("no `crates/mk-a/src/gone.rs`"),
        ),
        ("`mk-a`", None),
        ("`mk-b`", Some("no crate")),
        ("`--json`, `modekeeper modes --json`", None),
        ("`--yaml`", Some("no flag `--yaml`")),
        (
            "```sh\nmodekeeper modes --yaml  # --what\n```",
            Some("no flag `--yaml`"),
        ),
        ("`http.listen`", None),
        ("`http.lisen`", Some("no setting")),
        ("`find_symbols`, `MODEKEEPER_HOME`", None),
        ("`find_symbol`", Some("nowhere")),
        ("`MODEKEEPER_HOUSE`", Some("nowhere")),
        ("[x](../guides/other.md#use-it-now)", None),
        ("[x](../guides/gone.md)", Some("leads nowhere")),
        ("[x](../guides/other.md#use-it)", Some("leads nowhere")),
    ] {
        check_named("docs/concepts/a.md", line, expected);
    }
    check_named("clippy.toml", r#"{ reason = "use a::find_symbols" }"#, None);
    check_named(
        "clippy.toml",
        r#"{ reason = "use a::gone" }"#,
        Some("nowhere"),
    );
    check_named("Cargo.toml", "x = 1 # for `find_symbols`", None);
    check_named("Cargo.toml", "x = 1 # for `find_symbol`", Some("nowhere"));
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
    let again = format!("{code}use std::sync::PoisonError;\n");
    check_source("crates/a/src/b.rs", &again, &["use `mk_types::lock`"]);
    check_source("crates/mk-types/src/lock.rs", &again, &[]);
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

#[test]
fn a_promise_names_a_test_that_exists() {
    let check = |proof: &str| {
        let promises = format!("| promise | proof |\n| --- | --- |\n| It holds | {proof} |\n");
        let files = [
            ("docs/promises.md", promises.as_str()),
            (
                "crates/modekeeper/tests/it/slow/half.rs",
                "#[test]\nfn it_holds() {}\n",
            ),
            (
                "crates/mk-store/src/tests/sweep.rs",
                "fn a_clock_is_wrong() {}\n",
            ),
        ];
        let files = files.map(|(path, text)| (PathBuf::from(path), text.to_owned()));
        tidy::promise::check(&files).join("\n")
    };
    assert_eq!(
        check("`slow::half::it_holds`, `mk-store sweep::*_wrong`"),
        ""
    );
    let missing = check("`slow::half::it_broke`");
    assert_eq!(
        missing,
        "docs/promises.md: line 3: there is no test `slow::half::it_broke`"
    );
    let none = check("we looked");
    assert_eq!(none, "docs/promises.md: line 3: the promise names no test");
}

#[track_caller]
fn check_words(path: &str, text: &str, n_expected: usize) {
    let problems = tidy::word::check(&[(PathBuf::from(path), text.to_owned())]);
    assert_eq!(problems.len(), n_expected, "{problems:?}");
}

#[test]
fn words_with_a_better_one_are_found_where_people_read_them() {
    let worse = concat!("Some", "body put it be", "side the Fol", "der.");
    check_words("README.md", worse, 3);
    check_words("docs/guides/x.md", worse, 3);
    check_words("content/skills/x/SKILL.md", worse, 3);
    check_words("content/utterances/en.yaml", worse, 0);
    check_words("CHANGELOG.md", worse, 0);
    let code = format!("    fail(\"{worse}\");\n    // {worse}\n");
    check_words("crates/mk-x/src/x.rs", &code, 3);
    check_words("crates/mk-x/src/tests/x.rs", &code, 0);
    let value = concat!("format!(\"no {fol", "der} is there\")");
    check_words("crates/mk-x/src/x.rs", value, 0);
    check_words("README.md", concat!("Ren", "ew, besides"), 0);
}

#[track_caller]
fn check_functions(text: &str, expected: &[(&str, usize)]) {
    let found = tidy::function::functions(text);
    let found: Vec<_> = found.iter().map(|it| (&*it.name, it.lines)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn the_lines_of_a_function_are_counted_outside_of_texts() {
    check_functions("fn f() {\n    1;\n}\n", &[("f", 3)]);
    check_functions("trait A {\n    fn f(x: [u8; 2]);\n}\n", &[]);
    check_functions("type F = fn(u8) -> u8;\n", &[]);
    check_functions("fn f() {\n  fn g() {\n  }\n}\n", &[("f", 4), ("g", 2)]);
    for text in [
        "\"}\"",
        "\"\\\"}\"",
        "r\"}\\\"",
        "br#\"\"}\"#",
        "'}'",
        "'\\''",
        "/* } */ x",
        "x::<'a> // }",
        "\"fn g() {}\"",
    ] {
        check_functions(&format!("fn f() {{\n    {text};\n}}\n}}\n"), &[("f", 3)]);
    }
}

#[test]
fn too_many_long_functions_are_noticed() {
    let check = |short: usize| {
        let long = format!("fn long() {{\n{}}}\n", "    f();\n".repeat(59));
        let text = format!("{long}{}", "fn f() {}\n".repeat(short));
        tidy::function::check(&[(PathBuf::from("crates/a/src/b.rs"), text)])
    };
    assert_eq!(check(199), None);
    let expected = "1 of 199 functions have more than 60 lines, 5 of 1,000 may: `long` in crates/a/src/b.rs has 61";
    assert_eq!(check(198).as_deref(), Some(expected));
}
