//! Searching contents.

use std::fs;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mk_types::ProjectPath;

use super::grove::Grove;
use crate::{
    Error, FindQuery, LetterCase, MatchSpan, PatternKind, SearchQuery, SkippedFiles,
    TextSearchResult, find_files, search,
};

fn query(grove: &Grove, pattern: &str) -> SearchQuery {
    SearchQuery {
        pattern: pattern.to_owned(),
        kind: PatternKind::Regex,
        case: LetterCase::Sensitive,
        span: MatchSpan::Line,
        folder: grove.path("."),
        include: Vec::new(),
        exclude: Vec::new(),
        context: 0,
        max_results: 100,
    }
}

fn run(grove: &Grove, query: &SearchQuery) -> TextSearchResult {
    search(&grove.root, query, &|_| true, &AtomicBool::new(false)).unwrap()
}

/// `path:line:text`, in the answer's order.
fn lines(result: &TextSearchResult) -> Vec<String> {
    let of_file = |file: &crate::FileMatches| {
        let path = file.path.clone();
        let lines = file.matches.iter();
        let line = move |found: &crate::Match| format!("{path}:{}:{}", found.line, found.text);
        lines.map(line).collect::<Vec<_>>()
    };
    result.files.iter().flat_map(of_file).collect()
}

#[track_caller]
fn check(grove: &Grove, query: &SearchQuery, expected: &[&str]) {
    let result = run(grove, query);
    assert_eq!(lines(&result), expected, "{query:?}");
    assert!(!result.cut);
    assert_eq!(result.total_matches, expected.len());
}

const TREE: &str = "
//- /.gitignore
target/
//- /src/lib.rs
use crate::Größe;
fn open() {}
let x = reopen(open);
//- /src/net/client.py
def open():
    Open.it()
//- /target/lib.rs
fn open() {}
//- /docs/open.md
Call `open` first.
";

#[test]
fn patterns_are_literal_or_regular_and_case_is_the_callers_choice() {
    let grove = Grove::new(TREE);
    grove.put(".git/HEAD", b"open");
    let base = query(&grove, "open()");
    let literal = SearchQuery {
        kind: PatternKind::Literal,
        ..base
    };
    check(
        &grove,
        &literal,
        &[
            "src/lib.rs:2:fn open() {}",
            "src/net/client.py:1:def open():",
        ],
    );
    check(
        &grove,
        &query(&grove, r"\bopen\(\)"),
        &[
            "src/lib.rs:2:fn open() {}",
            "src/net/client.py:1:def open():",
        ],
    );
    check(
        &grove,
        &query(&grove, "^fn"),
        &["src/lib.rs:2:fn open() {}"],
    );
    check(
        &grove,
        &query(&grove, "first.$"),
        &["docs/open.md:1:Call `open` first."],
    );
    check(
        &grove,
        &query(&grove, r"Gr\w+e"),
        &["src/lib.rs:1:use crate::Größe;"],
    );
    check(&grove, &query(&grove, "OPEN"), &[]);
    let smart = |pattern: &str| SearchQuery {
        case: LetterCase::Smart,
        ..query(&grove, pattern)
    };
    assert_eq!(run(&grove, &smart("open")).total_matches, 5);
    check(
        &grove,
        &smart("Open"),
        &["src/net/client.py:2:    Open.it()"],
    );
    let insensitive = SearchQuery {
        case: LetterCase::Insensitive,
        ..query(&grove, "GRÖSSE|GRÖßE")
    };
    check(&grove, &insensitive, &["src/lib.rs:1:use crate::Größe;"]);
}

#[test]
fn globs_choose_files() {
    let grove = Grove::new(TREE);
    let with = |include: &[&str], exclude: &[&str]| {
        let owned = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
        let query = SearchQuery {
            include: owned(include),
            exclude: owned(exclude),
            ..query(&grove, "open")
        };
        let result = run(&grove, &query);
        let mut paths: Vec<String> = result
            .files
            .iter()
            .map(|file| file.path.to_string())
            .collect();
        paths.sort();
        paths.join(" ")
    };
    assert_eq!(with(&["*.rs"], &[]), "src/lib.rs");
    assert_eq!(with(&["*.rs", "docs/**"], &[]), "docs/open.md src/lib.rs");
    assert_eq!(with(&["src"], &[]), "src/lib.rs src/net/client.py");
    assert_eq!(with(&["src/"], &["net"]), "src/lib.rs");
    assert_eq!(with(&["net/"], &[]), "src/net/client.py");
    assert_eq!(with(&["src/*"], &[]), "src/lib.rs");
    assert_eq!(with(&[], &["src/"]), "docs/open.md");
    assert_eq!(with(&[], &["src/**", "*.md"]), "");
    assert_eq!(with(&[], &["/net", "*.md"]), "src/lib.rs src/net/client.py");
}

#[test]
fn one_file_can_be_searched() {
    let grove = Grove::new(TREE);
    let one = |path: &str| SearchQuery {
        folder: grove.path(path),
        ..query(&grove, "open")
    };
    check(
        &grove,
        &one("src/net/client.py"),
        &["src/net/client.py:1:def open():"],
    );
    let other = SearchQuery {
        include: vec!["*.rs".to_owned()],
        ..one("src/net/client.py")
    };
    check(&grove, &other, &[]);
    let hidden = search(
        &grove.root,
        &one("src/net/client.py"),
        &|_| false,
        &AtomicBool::new(false),
    );
    assert_eq!(hidden.unwrap().files, []);
    let missing = search(
        &grove.root,
        &one("src/none.py"),
        &|_| true,
        &AtomicBool::new(false),
    );
    assert!(matches!(missing, Err(Error::Missing { .. })), "{missing:?}");
}

#[test]
fn a_bad_pattern_says_why() {
    let grove = Grove::new(TREE);
    for (pattern, reason) in [
        ("", "it is empty"),
        ("(", "unclosed group"),
        ("x{1000}{1000}{1000}", "size"),
        (&"x".repeat(10_001), "longer"),
    ] {
        let error = search(
            &grove.root,
            &query(&grove, pattern),
            &|_| true,
            &AtomicBool::new(false),
        );
        match error.unwrap_err() {
            Error::BadPattern { reason: given, .. } => assert!(given.contains(reason), "{given}"),
            error => panic!("{error}"),
        }
    }
    let bad_glob = SearchQuery {
        include: vec!["[".to_owned()],
        ..query(&grove, "x")
    };
    let error = search(&grove.root, &bad_glob, &|_| true, &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error, Error::BadPattern { .. }));
}

#[test]
fn context_is_given_and_stops_at_the_ends() {
    let grove = Grove::new("//- /a.txt\none\ntwo\nthree\nfour\nfive\n");
    let result = run(
        &grove,
        &SearchQuery {
            context: 2,
            ..query(&grove, "two|five")
        },
    );
    let around: Vec<(u64, String, String)> = result.files[0]
        .matches
        .iter()
        .map(|found| (found.line, found.before.join(","), found.after.join(",")))
        .collect();
    let expected = [
        (2, "one".to_owned(), "three,four".to_owned()),
        (5, "three,four".to_owned(), String::new()),
    ];
    assert_eq!(around, expected);
    let much = run(
        &grove,
        &SearchQuery {
            context: usize::MAX,
            ..query(&grove, "three")
        },
    );
    assert_eq!(much.files[0].matches[0].before, ["one", "two"]);
    assert_eq!(much.files[0].matches[0].after, ["four", "five"]);
}

#[test]
fn windows_line_endings_are_line_endings() {
    let grove = Grove::new("");
    grove.put("a.txt", b"alpha\r\nbeta\r\ngamma\r\n");
    check(
        &grove,
        &query(&grove, "a$"),
        &["a.txt:1:alpha", "a.txt:2:beta", "a.txt:3:gamma"],
    );
    check(&grove, &query(&grove, "^beta$"), &["a.txt:2:beta"]);
    let literal = |pattern| SearchQuery {
        kind: PatternKind::Literal,
        ..query(&grove, pattern)
    };
    check(&grove, &literal("alpha\nbe"), &["a.txt:1:alpha\r\nbeta"]);
    check(&grove, &literal("alpha\r\nbe"), &["a.txt:1:alpha\r\nbeta"]);
    let result = run(
        &grove,
        &SearchQuery {
            context: 1,
            ..query(&grove, "beta")
        },
    );
    assert_eq!(result.files[0].matches[0].before, ["alpha"]);
    assert_eq!(result.files[0].matches[0].after, ["gamma"]);
}

#[test]
fn a_match_may_go_over_lines() {
    let grove = Grove::new("//- /a.rs\nfn a() {\n    x();\n}\n\nfn b() {\n    y();\n}\n// end\n");
    let across = |pattern: &str| SearchQuery {
        span: MatchSpan::Lines,
        ..query(&grove, pattern)
    };
    check(
        &grove,
        &across(r"fn \w\(.*?^\}"),
        &[
            "a.rs:1:fn a() {\n    x();\n}",
            "a.rs:5:fn b() {\n    y();\n}",
        ],
    );
    // Neighbouring lines are matches of their own, several in one line are one.
    check(
        &grove,
        &across(r"[({]$|[xy]\(\)"),
        &[
            "a.rs:1:fn a() {",
            "a.rs:2:    x();",
            "a.rs:5:fn b() {",
            "a.rs:6:    y();",
        ],
    );
    check(
        &grove,
        &query(&grove, r"\{\n +y"),
        &["a.rs:5:fn b() {\n    y();"],
    );
    check(&grove, &query(&grove, r"fn.*\}"), &[]);
    let result = run(
        &grove,
        &SearchQuery {
            context: 1,
            ..across(r"fn b.*?^\}")
        },
    );
    assert_eq!(result.files[0].matches[0].before, [""]);
    assert_eq!(result.files[0].matches[0].after, ["// end"]);
}

#[test]
fn long_lines_are_cut_around_the_match() {
    let grove = Grove::new("");
    let text = |before: usize, after: usize| {
        grove.put(
            "a.txt",
            format!("{}needle{}\n", "ä".repeat(before), "ö".repeat(after)).as_bytes(),
        );
        let text = run(&grove, &query(&grove, "needle")).files[0].matches[0]
            .text
            .clone();
        assert!(text.contains("needle"));
        assert!(text.chars().count() <= 500, "{}", text.chars().count());
        assert!(!text.contains('\u{fffd}'), "{text}");
        (text.starts_with('…'), text.ends_with('…'))
    };
    assert_eq!(text(10, 10), (false, false));
    assert_eq!(text(10, 10_000), (false, true));
    assert_eq!(text(10_000, 10), (true, false));
    assert_eq!(text(10_000, 10_000), (true, true));
    assert_eq!(text(5_000_000, 3_000_000), (true, true));
    // A line with very many matches is one match, however it is searched.
    grove.put("a.txt", "needle ".repeat(200_000).as_bytes());
    for span in [MatchSpan::Line, MatchSpan::Lines] {
        let result = run(
            &grove,
            &SearchQuery {
                span,
                ..query(&grove, "needle")
            },
        );
        assert_eq!(result.total_matches, 1);
        assert!(result.files[0].matches[0].text.starts_with("needle needle"));
    }
}

#[test]
fn encodings_are_understood_and_data_is_skipped() {
    let grove = Grove::new("//- /plain.txt\nneedle\n");
    let utf16: Vec<u8> = "\u{feff}erste\nneedle grün\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    grove.put("utf16.txt", &utf16);
    grove.put("latin1.txt", b"needle gr\xfcn\n");
    grove.put(
        "late.bin",
        &[b"needle\n".repeat(20_000).as_slice(), b"\0"].concat(),
    );
    grove.put("early.bin", b"\0needle");
    grove.put("short.bin", b"needle\n\0");
    grove.put(
        "large.txt",
        &[b"needle\n".as_slice(), &[b' '; 20 * 1024 * 1024]].concat(),
    );
    for span in [MatchSpan::Line, MatchSpan::Lines] {
        let result = run(
            &grove,
            &SearchQuery {
                context: 1,
                span,
                ..query(&grove, "needle")
            },
        );
        assert_eq!(
            lines(&result),
            [
                "latin1.txt:1:needle gr\u{fffd}n",
                "plain.txt:1:needle",
                "utf16.txt:2:needle grün"
            ]
        );
        assert_eq!(result.files[2].matches[0].before, ["erste"]);
        assert_eq!(result.total_matches, 3);
        assert_eq!(
            result.skipped,
            SkippedFiles {
                binary: 3,
                too_large: 1,
                unreadable: 0
            }
        );
    }
}

#[test]
fn links_and_pipes_are_not_opened_and_unreadable_files_stay_hidden() {
    let grove = Grove::new("//- /a.txt\nneedle\n//- /b.txt\nneedle\n");
    super::grove::put(&grove.beside("outside/secret.txt"), b"needle");
    grove.link("out", "../outside");
    grove.link("link.txt", "a.txt");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        grove.at("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let readable = |path: &ProjectPath| path.as_str() != "b.txt";
    let result = search(
        &grove.root,
        &query(&grove, "needle"),
        &readable,
        &AtomicBool::new(false),
    )
    .unwrap();
    assert_eq!(lines(&result), ["a.txt:1:needle"]);
    let linked = SearchQuery {
        folder: grove.path("out"),
        ..query(&grove, "needle")
    };
    let error = search(&grove.root, &linked, &readable, &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error, Error::Link { .. }));
}

/// The paths of the answer, the best first.
#[track_caller]
fn check_order(fixture: &str, pattern: &str, expected: &[&str]) {
    let grove = Grove::new(fixture);
    let result = run(&grove, &query(&grove, pattern));
    let paths: Vec<&str> = result.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, expected);
}

#[test]
fn whole_words_come_before_parts_and_definitions_before_uses() {
    check_order(
        "
//- /a.rs
reopen_file();
//- /b.rs
open();
//- /c/d/e.rs
fn open() {}
//- /f.rs
fn reopen() {}
",
        "open",
        &["c/d/e.rs", "b.rs", "f.rs", "a.rs"],
    );
}

#[test]
fn definitions_are_known_in_many_languages() {
    for line in [
        "pub async fn thing(",
        "pub struct thing {",
        "    let mut thing = 1;",
        "class thing(Base):",
        "func (s *Server) thing(x int) {",
        "export const thing = 1",
        "exports.thing = async (x) => {",
        "  thing: function () {",
        "static int thing(void)",
        "void *thing(int x) {",
        "#define thing 1",
        "macro_rules! thing {",
        "CREATE TABLE thing (",
        "type thing interface {",
        "defmodule thing do",
        "create index if not exists thing on",
    ] {
        check_order(
            &format!("//- /a.x\nuse(thing);\n//- /b.x\n{line}\n"),
            "thing",
            &["b.x", "a.x"],
        );
    }
    for line in [
        "return thing(x)",
        "thing(a, b);",
        "x = thing + 1",
        "// the thing",
        "int x = thing(1);",
        "obj.thing()",
    ] {
        check_order(
            &format!("//- /a.x\nuse(thing);\n//- /b.x\n{line}\n"),
            "thing",
            &["a.x", "b.x"],
        );
    }
}

#[test]
fn sources_come_before_tests_vendored_and_generated_files() {
    let minified = "thing;".repeat(2000);
    let fixture = format!(
        "
//- /Cargo.lock
thing
//- /app.min.js
thing
//- /b/src/main.go
thing
//- /bundled.js
{minified}
//- /main_test.go
thing
//- /node_modules/a.js
thing
//- /tests/a.rs
thing
//- /z.rs
thing
"
    );
    check_order(
        &fixture,
        "thing",
        &[
            "z.rs",
            "b/src/main.go",
            "main_test.go",
            "tests/a.rs",
            "node_modules/a.js",
            "Cargo.lock",
            "app.min.js",
            "bundled.js",
        ],
    );
}

#[test]
fn a_cut_answer_takes_from_every_file_in_turn() {
    let grove = Grove::new("");
    for name in ["a.rs", "b.rs", "c.rs"] {
        grove.put(name, "use thing;\nreuse_things;\n".repeat(50).as_bytes());
    }
    grove.put("d.rs", b"first\nfn thing() {}\n");
    let most = |max_results| {
        let query = SearchQuery {
            max_results,
            ..query(&grove, "thing")
        };
        run(&grove, &query)
    };
    let result = most(6);
    let shown: Vec<(&str, Vec<u64>, usize)> = result
        .files
        .iter()
        .map(|file| {
            let lines = file.matches.iter().map(|found| found.line).collect();
            (file.path.as_str(), lines, file.total)
        })
        .collect();
    let expected = [
        ("d.rs", vec![2], 1),
        ("a.rs", vec![1, 3], 100),
        ("b.rs", vec![1, 3], 100),
        ("c.rs", vec![1], 100),
    ];
    assert_eq!(shown, expected);
    assert_eq!(
        (result.total_matches, result.total_files, result.cut),
        (301, 4, true)
    );
    let two = most(2);
    assert_eq!(lines(&two), ["d.rs:2:fn thing() {}", "a.rs:1:use thing;"]);
    assert_eq!((two.total_matches, two.total_files), (301, 4));
    let none = most(0);
    assert_eq!(
        (none.files.len(), none.total_matches, none.cut),
        (0, 301, true)
    );
    let all = most(usize::MAX);
    assert_eq!(lines(&all).len(), 301);
}

#[test]
fn the_answer_is_the_same_every_time() {
    let grove = Grove::new("");
    for idx in 0..250_usize {
        let word = ["thing", "things", "fn thing()", "other"][idx % 4];
        let text = format!("{word}\n").repeat(idx % 13 + 1);
        grove.put(
            &format!("m{}/p{}/f{idx}.rs", idx % 5, idx % 3),
            text.as_bytes(),
        );
    }
    // Few places, so that every thread cuts down what it keeps again and again.
    for max_results in [7, 60, 5000] {
        let query = SearchQuery {
            max_results,
            context: 1,
            ..query(&grove, "thing")
        };
        let first = run(&grove, &query);
        let shown: usize = first.files.iter().map(|file| file.matches.len()).sum();
        assert_eq!(shown, max_results.min(first.total_matches));
        for _ in 0..20 {
            assert_eq!(run(&grove, &query), first);
        }
    }
}

#[test]
fn a_search_can_be_cancelled() {
    let grove = Grove::new("");
    for idx in 0..300 {
        grove.put(&format!("{idx}.txt"), b"needle\n");
    }
    let cancel = AtomicBool::new(false);
    let n_asked = AtomicUsize::new(0);
    let readable = |_: &ProjectPath| {
        if n_asked.fetch_add(1, Ordering::SeqCst) == 5 {
            cancel.store(true, Ordering::SeqCst);
        }
        true
    };
    let error = search(&grove.root, &query(&grove, "needle"), &readable, &cancel).unwrap_err();
    assert!(matches!(error, Error::Cancelled));
    assert!(n_asked.load(Ordering::SeqCst) < 100);
}

#[test]
fn a_folder_that_becomes_a_link_meanwhile_shows_nothing_of_what_it_leads_to() {
    let grove = Grove::new("//- /dir/inner/plain.txt\nneedle\n");
    super::grove::put(&grove.beside("outside/inner/secret.txt"), b"needle secret");
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::SeqCst) {
                fs::rename(grove.at("dir"), grove.beside("aside")).unwrap();
                grove.link("dir", "../outside");
                fs::remove_file(grove.at("dir")).unwrap();
                fs::rename(grove.beside("aside"), grove.at("dir")).unwrap();
            }
        });
        let _stop = Stop(&is_done);
        let find = FindQuery {
            pattern: "*.txt".to_owned(),
            folder: grove.path("."),
            max_results: 10,
        };
        let never = AtomicBool::new(false);
        for _ in 0..100 {
            let result = run(&grove, &query(&grove, "needle"));
            assert!(lines(&result).iter().all(|line| !line.contains("secret")));
            let found = find_files(&grove.root, &find, &|_| true, &never).unwrap();
            assert!(
                found
                    .paths
                    .iter()
                    .all(|path| !path.as_str().contains("secret"))
            );
        }
    });
}

/// Ends the other thread, also when an assertion fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_pattern_may_look_around() {
    let grove = Grove::new(
        "//- /a.py\nimport_string(a)\nreimport_string(b)\nimport_string = 1\n//- /b.bin\n",
    );
    let mut binary = fs::File::create(grove.root.as_path().join("b.bin")).unwrap();
    binary.write_all(b"\xffimport_string(\n").unwrap();
    let ahead = query(&grove, r"(?<!re)import_string(?=\()");
    check(&grove, &ahead, &["a.py:1:import_string(a)"]);
    // One that cannot be read by any engine is refused with the reason of the fast one.
    let broken = query(&grove, "(?<!");
    let failed = search(&grove.root, &broken, &|_| true, &AtomicBool::new(false));
    assert!(
        matches!(failed, Err(Error::BadPattern { .. })),
        "{failed:?}"
    );
}
