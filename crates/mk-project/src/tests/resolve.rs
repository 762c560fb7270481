//! What a path names after links, and every way out of a project that we could think of.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use mk_policy::{PathAccess, RawTarget};
use mk_testkit::Fixture;
use mk_types::{AbsPath, PathError};

use crate::{IgnoredFiles, resolve};

/// A project with links of every kind, and a folder beside it that nobody may reach.
fn project() -> (Fixture, AbsPath) {
    let fixture = Fixture::new(
        "
//- /root/src/main.rs
//- /root/src/deep/er/x.rs
//- /root/docs/a.md
//- /outside/secret
//- /outside/folder/secret
//- /rootless/secret
",
    );
    let root = fixture.path("root");
    for (path, to) in [
        // Inside.
        ("in-file", "docs/a.md"),
        ("in-folder", "src/deep"),
        ("src/up", "../docs"),
        ("src/deep/here", "."),
        ("new", "docs/not/there/yet"),
        ("chain1", "chain2"),
        ("chain2", "chain3"),
        ("chain3", "src"),
        ("out-and-in", "../root/docs"),
        // Outside.
        ("out-file", "../outside/secret"),
        ("out-folder", "../outside"),
        ("src/deep/out", "../../../outside"),
        ("chain-out1", "chain-out2"),
        ("chain-out2", "src/deep/out"),
        ("dangling", "../outside/not-there"),
        ("dangling-far", "/no/such/place"),
        ("etc", "/etc"),
        ("slash", "/"),
        ("parent", ".."),
        ("proc", "/proc/self/root"),
        ("proc-cwd", "/proc/self/cwd"),
        ("sibling", "../rootless"),
        ("loop", "loop"),
        ("loop-a", "loop-b"),
        ("loop-b", "loop-a"),
        ("grow", "grow/grow"),
        ("back\\slash", "docs"),
        ("to-backslash", "docs\\..\\..\\outside"),
    ] {
        fixture.link(&format!("root/{path}"), to);
    }
    fixture.link("root/in-absolute", root.join("docs"));
    fixture.link("root/out-absolute", fixture.path("outside"));
    fixture.link("root/not-text", OsStr::from_bytes(b"../outside\xff"));
    fixture.link("root/in-not-text", OsStr::from_bytes(b"docs/\xff"));
    fixture.link("entrance", "root");
    let root = AbsPath::new(&root).unwrap();
    (fixture, root)
}

/// What `text` names in the project: a path, or `outside`, or another reason.
fn resolved(root: &AbsPath, text: &str) -> String {
    let raw = RawTarget::new(text, PathAccess::Read);
    match resolve(root, &IgnoredFiles::Nothing, raw).path {
        Ok(path) => path.to_string(),
        Err(PathError::Escapes(_)) => "outside".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let (_fixture, root) = project();
    for (text, expected) in cases {
        assert_eq!(resolved(&root, text), *expected, "{text}");
    }
}

#[test]
fn a_path_without_links_is_cleaned() {
    check(&[
        ("src/main.rs", "src/main.rs"),
        ("./src//main.rs", "src/main.rs"),
        ("src/deep/../main.rs", "src/main.rs"),
        ("src\\main.rs", "src/main.rs"),
        ("src/", "src"),
        (".", "."),
        ("src/..", "."),
        ("no/such/file", "no/such/file"),
        ("no/such/../file", "no/file"),
        ("...", "..."),
        ("..hidden", "..hidden"),
        ("sp ace/ü.md", "sp ace/ü.md"),
        ("a~", "a~"),
        ("~a.swp", "~a.swp"),
    ]);
}

#[test]
fn links_inside_the_project_are_followed() {
    check(&[
        ("in-file", "docs/a.md"),
        ("in-folder/er/x.rs", "src/deep/er/x.rs"),
        ("src/up/a.md", "docs/a.md"),
        ("src/deep/here/here/er", "src/deep/er"),
        ("chain1/main.rs", "src/main.rs"),
        ("in-absolute/a.md", "docs/a.md"),
        ("out-and-in/a.md", "docs/a.md"),
        ("slash", "outside"),
    ]);
}

#[test]
fn what_a_link_promises_but_does_not_exist_is_named_where_it_would_be() {
    check(&[
        ("new", "docs/not/there/yet"),
        ("new/file.md", "docs/not/there/yet/file.md"),
    ]);
}

#[test]
fn the_parent_of_a_link_is_the_parent_of_where_it_leads() {
    check(&[
        ("in-folder/..", "src"),
        ("in-folder/../main.rs", "src/main.rs"),
        ("src/up/..", "."),
        ("out-folder/../root/docs", "docs"),
        ("out-folder/..", "outside"),
    ]);
}

/// Each of these leads out of the project, or is refused as if it did.
#[track_caller]
fn check_outside((_fixture, root): &(Fixture, AbsPath), attempts: &[&str]) {
    let found: Vec<String> = attempts
        .iter()
        .map(|text| (text, resolved(root, text)))
        .filter(|(_, found)| found != "outside")
        .map(|(text, found)| format!("{text} -> {found}"))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn dots_lead_out() {
    let long_way = format!("{}/secret", "../".repeat(200));
    check_outside(
        &project(),
        &[
            "..",
            "../",
            "../outside/secret",
            "src/../../outside/secret",
            "./.././outside/secret",
            "src/deep/../../../outside/secret",
            "no/such/../../../outside/secret",
            "..\\outside\\secret",
            "src\\..\\..\\outside\\secret",
            "..\\..\\..\\etc\\passwd",
            "docs/..\\../outside",
            &long_way,
        ],
    );
}

#[test]
fn absolute_paths_lead_out() {
    let project = project();
    let (fixture, root) = &project;
    let text = |path: &str| fixture.path(path).to_str().unwrap().to_owned();
    check_outside(
        &project,
        &[
            "/",
            "//",
            "/etc/passwd",
            "\\etc\\passwd",
            "//etc/passwd",
            "///etc///passwd",
            &text("outside/secret"),
            &text("entrance/../outside/secret"),
            &format!("{root}less/secret"),
            &format!("{root}/../outside/secret"),
        ],
    );
}

#[test]
fn paths_of_windows_lead_out() {
    check_outside(
        &project(),
        &[
            "C:\\Windows\\win.ini",
            "c:/windows",
            "C:relative",
            "\\\\server\\share\\file",
            "\\\\?\\C:\\file",
            "//server/share",
        ],
    );
}

/// The program that runs the tool may follow them.
#[test]
fn homes_and_urls_lead_out() {
    check_outside(
        &project(),
        &[
            "~",
            "~/.ssh/id_rsa",
            "~root/.ssh/id_rsa",
            "~\\secret",
            "file:///etc/passwd",
        ],
    );
}

#[test]
fn links_lead_out() {
    check_outside(
        &project(),
        &[
            "out-file",
            "out-folder",
            "out-folder/secret",
            "out-folder/new-file",
            "out-folder/folder/../secret",
            "out-absolute/secret",
            "src/deep/out/secret",
            "src/deep/here/out/secret",
            "in-folder/out/secret",
            "chain-out1/secret",
            "dangling",
            "dangling/below",
            "dangling-far",
            "etc/passwd",
            "slash/etc/passwd",
            "parent",
            "parent/outside/secret",
            "sibling/secret",
            "docs/../out-file",
        ],
    );
}

#[test]
fn links_that_never_end_lead_out() {
    check_outside(
        &project(),
        &["loop", "loop/a.md", "loop-a", "loop-b/../docs", "grow"],
    );
}

/// What a link in `/proc` leads to depends on who asks.
#[test]
fn links_of_the_kernel_lead_out() {
    let project = project();
    let through_root = format!("/proc/self/root{}", project.1);
    check_outside(
        &project,
        &[
            "/proc/self/root",
            "/proc/self/root/etc/passwd",
            "/proc/self/cwd/Cargo.toml",
            "/proc/thread-self/root/etc/passwd",
            "/proc/1/root/etc/passwd",
            &through_root,
            "proc",
            "proc/etc/passwd",
            "proc-cwd/Cargo.toml",
            "/dev/fd/0",
            "/dev/stdin",
        ],
    );
}

/// Some hide their parts behind backslashes.
#[test]
fn links_to_what_is_no_text_lead_out() {
    check_outside(
        &project(),
        &["not-text", "not-text/secret", "in-not-text", "to-backslash"],
    );
}

#[test]
fn a_backslash_separates_even_where_a_name_holds_one() {
    check(&[("back\\slash", "back/slash")]);
}

#[test]
fn absolute_paths_are_accepted_inside() {
    let (fixture, root) = project();
    let text = |path: &str| fixture.path(path).to_str().unwrap().to_owned();
    for (path, expected) in [
        ("root", "."),
        ("root/", "."),
        ("root/src/main.rs", "src/main.rs"),
        ("root/in-folder/er", "src/deep/er"),
        ("outside/../root/docs", "docs"),
        ("entrance/docs/a.md", "docs/a.md"),
        ("root/no/such/file", "no/such/file"),
    ] {
        assert_eq!(resolved(&root, &text(path)), expected, "{path}");
    }
}

#[test]
fn a_root_behind_a_link_means_what_is_behind_it() {
    let (fixture, _) = project();
    fixture.link("elsewhere/door", "../root");
    fixture.write("elsewhere/src/main.rs", "");
    let root = AbsPath::new(&fixture.path("elsewhere/door")).unwrap();
    let real = fixture.path("root/docs/a.md");
    for (text, expected) in [
        ("docs/a.md", "docs/a.md"),
        ("in-absolute/a.md", "docs/a.md"),
        ("in-folder/er", "src/deep/er"),
        ("src/..", "."),
        (real.to_str().unwrap(), "docs/a.md"),
        ("../root/docs/a.md", "docs/a.md"),
        ("out-folder/secret", "outside"),
        // The kernel goes up from where the root really is, and there is no `door` there.
        ("../door/docs/a.md", "outside"),
        ("../src/main.rs", "outside"),
        ("..", "outside"),
    ] {
        assert_eq!(resolved(&root, text), expected, "{text}");
    }
}

#[test]
fn a_root_that_does_not_exist_still_holds_what_is_below_it() {
    let (fixture, _) = project();
    let root = AbsPath::new(&fixture.path("root/to/come")).unwrap();
    for (text, expected) in [
        ("a.md", "a.md"),
        ("../x", "outside"),
        ("../come/a.md", "a.md"),
        ("../../docs", "outside"),
    ] {
        assert_eq!(resolved(&root, text), expected, "{text}");
    }
}

#[test]
fn what_cannot_be_a_path_is_refused_for_that_reason() {
    let long = "a/".repeat(3000);
    let long_link = format!("grow/{}", "a/".repeat(2000));
    check(&[
        ("", "the path is empty"),
        ("a\0b", "the path holds a NUL byte"),
        ("out-folder\0.md", "the path holds a NUL byte"),
        (&long, "the path is longer than 4096 bytes"),
        (&long_link, "outside"),
    ]);
}

#[test]
fn as_many_links_as_the_kernel_follows_and_no_more() {
    let fixture = Fixture::new("//- /end\n");
    fixture.link("l0", "end");
    for n in 1..=50 {
        fixture.link(&format!("l{n}"), format!("l{}", n - 1));
    }
    assert_eq!(resolved(fixture.root(), "l39"), "end");
    assert_eq!(resolved(fixture.root(), "l40"), "outside");
    assert!(std::fs::metadata(fixture.path("l39")).is_ok());
    assert!(std::fs::metadata(fixture.path("l40")).is_err());
}

#[test]
fn a_hidden_file_is_hidden_behind_a_link_too() {
    let fixture = Fixture::new(
        "
//- /.rooignore
secrets/
//- /secrets/key
",
    );
    fixture.link("harmless", "secrets/key");
    let ignored = IgnoredFiles::load(fixture.root());
    let hidden = |text: &str| {
        let raw = RawTarget::new(text, PathAccess::Read);
        resolve(fixture.root(), &ignored, raw).ignored
    };
    assert!(hidden("harmless"));
    assert!(hidden("secrets/../secrets/key"));
    assert!(!hidden("open"));
}
