//! Every language by its example: what is found in it is a contract, one snapshot each.

use std::fmt::Write as _;

use crate::language::Language;
use crate::outline::Outline;
use crate::symbol::Symbol;

/// One line for each symbol: its lines, kind, name path, signature and doc line.
fn shown(outline: &Outline) -> String {
    let mut lines = String::new();
    for (position, symbol) in outline.symbols.iter().enumerate() {
        let Symbol {
            kind,
            lines: span,
            signature,
            doc,
            ..
        } = symbol;
        let doc = doc.as_ref().map(|doc| format!("  -- {doc}"));
        writeln!(
            lines,
            "{:>3}-{:<3} {}{} {}  `{signature}`{}",
            span.start,
            span.end,
            "  ".repeat(outline.depth(position)),
            kind.as_str(),
            outline.indexed_path(position),
            doc.unwrap_or_default(),
        )
        .unwrap();
    }
    lines
}

#[track_caller]
fn check(language: &str, path: &str, text: &str) {
    let outline = Outline::parse(path, text).unwrap().unwrap();
    assert_eq!(outline.language.name(), language);
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/languages/outlines")}, {
        insta::assert_snapshot!(language, shown(&outline));
    });
}

macro_rules! examples {
    ($($language:ident $extension:literal)*) => {$(
        #[test]
        fn $language() {
            let path = concat!("example.", $extension);
            let text = include_str!(concat!("../../languages/", stringify!($language), "/example.", $extension));
            check(stringify!($language), path, text);
        }
    )*};
}

examples! {
    astro "astro"
    bash "sh"
    c "c"
    cpp "cpp"
    csharp "cs"
    css "css"
    dart "dart"
    elixir "ex"
    go "go"
    haskell "hs"
    hcl "tf"
    html "html"
    java "java"
    javascript "js"
    json "json"
    kotlin "kt"
    lua "lua"
    markdown "md"
    php "php"
    python "py"
    ruby "rb"
    rust "rs"
    scala "scala"
    svelte "svelte"
    swift "swift"
    toml "toml"
    tsx "tsx"
    typescript "ts"
    vue "vue"
    yaml "yaml"
    zig "zig"
}

#[test]
fn every_query_fits_its_grammar() {
    for language in Language::all() {
        if let Err(error) = language.compile() {
            panic!("{}: {error}", language.name());
        }
    }
}
