//! The language of a file, by its name. Data formats are not languages.

const BY_EXTENSION: [(&str, &[&str]); 48] = [
    ("Ada", &["adb", "ads"]),
    ("Assembly", &["asm", "s"]),
    ("C", &["c", "h"]),
    ("C#", &["cs", "csx"]),
    ("C++", &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp"]),
    ("CSS", &["css", "scss", "sass", "less"]),
    ("Clojure", &["clj", "cljs", "cljc", "edn"]),
    ("Common Lisp", &["lisp", "lsp"]),
    ("Crystal", &["cr"]),
    ("Dart", &["dart"]),
    ("Elixir", &["ex", "exs"]),
    ("Elm", &["elm"]),
    ("Emacs Lisp", &["el"]),
    ("Erlang", &["erl", "hrl"]),
    ("F#", &["fs", "fsi", "fsx"]),
    ("Fortran", &["f90", "f95", "f03", "f"]),
    ("Go", &["go"]),
    ("GraphQL", &["graphql", "gql"]),
    ("Groovy", &["groovy", "gradle"]),
    ("HTML", &["html", "htm", "xhtml"]),
    ("Haskell", &["hs", "lhs"]),
    ("Java", &["java"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("Julia", &["jl"]),
    ("Kotlin", &["kt", "kts"]),
    ("Lua", &["lua"]),
    ("Markdown", &["md", "markdown", "mdx"]),
    ("Nix", &["nix"]),
    ("OCaml", &["ml", "mli"]),
    ("Objective-C", &["m", "mm"]),
    ("PHP", &["php"]),
    ("Perl", &["pl", "pm"]),
    ("PowerShell", &["ps1", "psm1"]),
    ("Protocol Buffers", &["proto"]),
    ("Python", &["py", "pyi", "pyw"]),
    ("R", &["r"]),
    ("Ruby", &["rb", "rake", "gemspec"]),
    ("Rust", &["rs"]),
    ("SQL", &["sql"]),
    ("Scala", &["scala", "sc", "sbt"]),
    ("Shell", &["sh", "bash", "zsh", "fish"]),
    ("Solidity", &["sol"]),
    ("Svelte", &["svelte"]),
    ("Swift", &["swift"]),
    ("Terraform", &["tf", "hcl"]),
    ("TypeScript", &["ts", "tsx", "mts", "cts"]),
    ("Vue", &["vue"]),
    ("Zig", &["zig"]),
];

const BY_NAME: [(&str, &[&str]); 4] = [
    ("Dockerfile", &["Dockerfile", "Containerfile"]),
    ("Make", &["Makefile", "GNUmakefile"]),
    ("CMake", &["CMakeLists.txt"]),
    ("Ruby", &["Rakefile", "Gemfile"]),
];

pub(super) fn of(name: &str) -> Option<&'static str> {
    if let Some((language, _)) = BY_NAME.iter().find(|(_, names)| names.contains(&name)) {
        return Some(language);
    }
    let (_, extension) = name.rsplit_once('.')?;
    let has = |known: &[&str]| {
        known
            .iter()
            .any(|known| known.eq_ignore_ascii_case(extension))
    };
    BY_EXTENSION
        .iter()
        .find(|(_, extensions)| has(extensions))
        .map(|(language, _)| *language)
}
