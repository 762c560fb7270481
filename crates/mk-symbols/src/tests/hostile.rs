//! Texts that nobody would write: whatever they hold, an outline is a list or a reason, soon.

use proptest::prelude::*;

use crate::language::Language;
use crate::outline::Outline;
use crate::{SkipReason, Symbol};

const EXAMPLES: [(&str, &str); 22] = [
    ("a.sh", include_str!("../../languages/bash/example.sh")),
    ("a.c", include_str!("../../languages/c/example.c")),
    ("a.cpp", include_str!("../../languages/cpp/example.cpp")),
    ("a.cs", include_str!("../../languages/csharp/example.cs")),
    ("a.dart", include_str!("../../languages/dart/example.dart")),
    ("a.ex", include_str!("../../languages/elixir/example.ex")),
    ("a.go", include_str!("../../languages/go/example.go")),
    ("a.hs", include_str!("../../languages/haskell/example.hs")),
    ("a.java", include_str!("../../languages/java/example.java")),
    (
        "a.js",
        include_str!("../../languages/javascript/example.js"),
    ),
    ("a.kt", include_str!("../../languages/kotlin/example.kt")),
    ("a.lua", include_str!("../../languages/lua/example.lua")),
    ("a.md", include_str!("../../languages/markdown/example.md")),
    ("a.php", include_str!("../../languages/php/example.php")),
    ("a.py", include_str!("../../languages/python/example.py")),
    ("a.rb", include_str!("../../languages/ruby/example.rb")),
    ("a.rs", include_str!("../../languages/rust/example.rs")),
    (
        "a.scala",
        include_str!("../../languages/scala/example.scala"),
    ),
    (
        "a.swift",
        include_str!("../../languages/swift/example.swift"),
    ),
    ("a.tsx", include_str!("../../languages/tsx/example.tsx")),
    (
        "a.ts",
        include_str!("../../languages/typescript/example.ts"),
    ),
    ("a.zig", include_str!("../../languages/zig/example.zig")),
];

#[track_caller]
fn check(path: &str, text: &str) -> Result<Vec<Symbol>, SkipReason> {
    let outline = Outline::parse(path, text)?;
    let symbols = outline.map(|outline| outline.symbols).unwrap_or_default();
    for symbol in &symbols {
        let Symbol {
            range,
            name_range,
            attributes_start,
            comments_start,
            lines,
            ..
        } = symbol;
        for range in [range, name_range, &symbol.whole()] {
            assert!(
                text.get(range.start as usize..range.end as usize).is_some(),
                "{path}: {symbol:?}"
            );
        }
        assert!(comments_start <= attributes_start && *attributes_start <= range.start);
        assert!(lines.start >= 1 && lines.start <= lines.end);
        assert!(lines.end as usize <= text.lines().count().max(1));
    }
    Ok(symbols)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_edit_of_any_example_has_an_outline(
        language in 0..EXAMPLES.len(),
        start in 0.0..1.0_f64,
        length in 0..200_usize,
        insert in "[\\PC\\n\\t{}()<>\"'#é]{0,12}",
    ) {
        let (path, text) = EXAMPLES.get(language).unwrap();
        let start = text.floor_char_boundary((text.len() as f64 * start) as usize);
        let end = text.floor_char_boundary((start + length).min(text.len()));
        let edited = [text.get(..start).unwrap(), &insert, text.get(end..).unwrap()].concat();
        check(path, &edited).unwrap();
    }

    #[test]
    fn any_text_has_an_outline(language in 0..EXAMPLES.len(), text in "\\PC{0,200}") {
        let (path, _) = EXAMPLES.get(language).unwrap();
        check(path, &text).unwrap();
    }
}

#[test]
fn deep_nesting_is_survived_in_every_language() {
    for opening in [
        "(",
        "[",
        "{",
        "<",
        "class A {",
        "if (x) {",
        "a::",
        "- ",
        "mod m { ",
    ] {
        for (path, _) in EXAMPLES {
            // Refused or not, it comes back.
            drop(check(path, &opening.repeat(3_000 / opening.len())));
            drop(check(path, &format!("{opening}\n").repeat(1_000)));
        }
    }
}

#[test]
fn deeper_nesting_is_refused_at_once() {
    assert_eq!(
        check("a.js", &"(\n".repeat(100_000)),
        Err(SkipReason::TooDeep)
    );
    assert_eq!(
        check("a.rs", &"mod m {\n".repeat(100_000)),
        Err(SkipReason::TooDeep)
    );
}

#[test]
fn very_long_lines_are_refused() {
    assert_eq!(
        check("a.js", &"a".repeat(30_000)),
        Err(SkipReason::Minified)
    );
    let wide = format!("{}\n", "x = 1; ".repeat(100)).repeat(100);
    assert_eq!(check("a.py", &wide), Err(SkipReason::Minified));
    assert_eq!(
        check("a.py", &"x = 1\n".repeat(400_000)),
        Err(SkipReason::TooLarge)
    );
}

#[test]
fn a_half_saved_file_gives_what_is_whole() {
    let text = "fn first() {}\n\nfn second() {\n    if x {\n";
    let names: Vec<String> = check("a.rs", text)
        .unwrap()
        .into_iter()
        .map(|symbol| symbol.name)
        .collect();
    assert_eq!(names.first().map(String::as_str), Some("first"));
}

#[test]
fn a_language_is_told_by_name_extension_or_first_line() {
    let told = |path: &str, text: &str| Language::of_file(path, text).map(Language::name);
    assert_eq!(told("src/a.RS", ""), Some("rust"));
    assert_eq!(told("Rakefile", ""), Some("ruby"));
    assert_eq!(
        told("bin/tool", "#!/usr/bin/env -S python3.12\n"),
        Some("python")
    );
    assert_eq!(told("bin/tool", "#!/bin/bash -e\n"), Some("bash"));
    assert_eq!(told("a.h", "struct a;\n"), Some("c"));
    assert_eq!(told("a.h", "namespace b {\n"), Some("cpp"));
    assert_eq!(told(".rs", ""), None);
    assert_eq!(told("LICENSE", "MIT"), None);
    assert_eq!(told("a.txt", "#!/bin/sh\n"), Some("bash"));
}
