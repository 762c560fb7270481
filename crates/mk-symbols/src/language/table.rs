//! The table of languages: one entry each, in the order of their names.
//!
//! A new language is one more entry, and a folder under `languages/` with its query and its example.

use std::sync::{LazyLock, OnceLock};

use tree_sitter_language::LanguageFn;

use super::Language;
use crate::embedded::Embedding;

pub(super) static LANGUAGES: LazyLock<[Language; 31]> = LazyLock::new(|| {
    [
        Language {
            name: "astro",
            extensions: &["astro"],
            wrappers: &[
                "export_statement",
                "lexical_declaration",
                "variable_declaration",
                "expression_statement",
                "ambient_declaration",
            ],
            attributes: &["decorator"],
            attribute_marks: &["@"],
            embedding: Some(Embedding::FrontMatter),
            ..language(
                tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
                include_str!("../../languages/typescript/definitions.scm"),
            )
        },
        Language {
            name: "bash",
            extensions: &["sh", "bash", "bats", "ksh"],
            file_names: &[".bashrc", ".bash_profile", ".profile", "PKGBUILD"],
            interpreters: &["sh", "bash", "dash", "ksh"],
            comment_marks: &["#"],
            ..language(
                tree_sitter_bash::LANGUAGE,
                include_str!("../../languages/bash/definitions.scm"),
            )
        },
        Language {
            name: "c",
            extensions: &["c", "h"],
            ..language(
                tree_sitter_c::LANGUAGE,
                include_str!("../../languages/c/definitions.scm"),
            )
        },
        Language {
            name: "cpp",
            extensions: &[
                "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "cu", "cuh",
            ],
            wrappers: &["template_declaration"],
            attributes: &[
                "template_parameter_list",
                "requires_clause",
                "attribute_declaration",
            ],
            attribute_marks: &["template", "[["],
            separator: Some("::"),
            ..language(
                mk_grammars::CPP,
                include_str!("../../languages/cpp/definitions.scm"),
            )
        },
        Language {
            name: "csharp",
            extensions: &["cs", "csx"],
            attribute_marks: &["["],
            separator: Some("."),
            attributes: &["attribute_list"],
            ..language(
                mk_grammars::C_SHARP,
                include_str!("../../languages/csharp/definitions.scm"),
            )
        },
        Language {
            name: "css",
            extensions: &["css"],
            comment_marks: &["/*"],
            bodies: &["block", "keyframe_block_list"],
            ..language(
                tree_sitter_css::LANGUAGE,
                include_str!("../../languages/css/definitions.scm"),
            )
        },
        Language {
            name: "dart",
            extensions: &["dart"],
            interpreters: &["dart"],
            wrappers: &["member_declaration"],
            attributes: &["annotation"],
            comments: &["comment", "documentation_comment"],
            bodies: &["function_body"],
            attribute_marks: &["@"],
            ..language(
                mk_grammars::DART,
                include_str!("../../languages/dart/definitions.scm"),
            )
        },
        Language {
            name: "elixir",
            extensions: &["ex", "exs"],
            interpreters: &["elixir"],
            attributes: &["unary_operator"],
            bodies: &["do_block"],
            comment_marks: &["#"],
            attribute_marks: &["@"],
            separator: Some("."),
            ..language(
                mk_grammars::ELIXIR,
                include_str!("../../languages/elixir/definitions.scm"),
            )
        },
        Language {
            name: "go",
            extensions: &["go"],
            wrappers: &["type_declaration", "const_declaration", "var_declaration"],
            ..language(
                tree_sitter_go::LANGUAGE,
                include_str!("../../languages/go/definitions.scm"),
            )
        },
        Language {
            name: "haskell",
            extensions: &["hs", "hs-boot"],
            interpreters: &["runghc", "runhaskell"],
            comments: &["comment", "haddock"],
            bodies: &[
                "match",
                "data_constructors",
                "gadt_constructors",
                "newtype_constructor",
                "class_declarations",
                "instance_declarations",
            ],
            comment_marks: &["--", "{-"],
            ..language(
                mk_grammars::HASKELL,
                include_str!("../../languages/haskell/definitions.scm"),
            )
        },
        Language {
            name: "hcl",
            extensions: &["tf", "tfvars", "hcl"],
            comment_marks: &["#", "//", "/*"],
            bodies: &["block_start"],
            ..language(
                tree_sitter_hcl::LANGUAGE,
                include_str!("../../languages/hcl/definitions.scm"),
            )
        },
        Language {
            name: "html",
            extensions: &["html", "htm", "xhtml"],
            comment_marks: &["<!--"],
            ..language(
                tree_sitter_html::LANGUAGE,
                include_str!("../../languages/html/definitions.scm"),
            )
        },
        Language {
            name: "java",
            extensions: &["java"],
            comments: &["line_comment", "block_comment"],
            attribute_marks: &["@"],
            attributes: &["annotation", "marker_annotation"],
            ..language(
                tree_sitter_java::LANGUAGE,
                include_str!("../../languages/java/definitions.scm"),
            )
        },
        Language {
            name: "javascript",
            extensions: &["js", "jsx", "mjs", "cjs"],
            interpreters: &["node", "bun"],
            wrappers: &[
                "export_statement",
                "lexical_declaration",
                "variable_declaration",
                "expression_statement",
                "ambient_declaration",
            ],
            attributes: &["decorator"],
            attribute_marks: &["@"],
            ..language(
                tree_sitter_javascript::LANGUAGE,
                include_str!("../../languages/javascript/definitions.scm"),
            )
        },
        Language {
            name: "json",
            extensions: &["json", "jsonc", "json5"],
            comment_marks: &["//"],
            ..language(
                tree_sitter_json::LANGUAGE,
                include_str!("../../languages/json/definitions.scm"),
            )
        },
        Language {
            name: "kotlin",
            extensions: &["kt", "kts"],
            attributes: &["annotation"],
            comments: &["line_comment", "block_comment"],
            bodies: &["function_body", "class_body", "enum_class_body", "block"],
            attribute_marks: &["@"],
            ..language(
                mk_grammars::KOTLIN,
                include_str!("../../languages/kotlin/definitions.scm"),
            )
        },
        Language {
            name: "lua",
            extensions: &["lua"],
            interpreters: &["lua", "luajit"],
            wrappers: &["variable_declaration"],
            comment_marks: &["--"],
            ..language(
                tree_sitter_lua::LANGUAGE,
                include_str!("../../languages/lua/definitions.scm"),
            )
        },
        Language {
            name: "markdown",
            extensions: &["md", "markdown", "mdx"],
            comments: &[],
            comment_marks: &[],
            ..language(
                tree_sitter_md::LANGUAGE,
                include_str!("../../languages/markdown/definitions.scm"),
            )
        },
        Language {
            name: "php",
            extensions: &["php", "phtml", "php5", "inc"],
            interpreters: &["php"],
            comment_marks: &["//", "/*", "# "],
            attribute_marks: &["#["],
            separator: Some("\\"),
            attributes: &["attribute_list"],
            ..language(
                mk_grammars::PHP,
                include_str!("../../languages/php/definitions.scm"),
            )
        },
        Language {
            name: "python",
            extensions: &["py", "pyi", "pyw"],
            file_names: &["SConstruct", "SConscript"],
            interpreters: &["python"],
            wrappers: &["decorated_definition", "expression_statement"],
            attributes: &["decorator"],
            comment_marks: &["#"],
            attribute_marks: &["@"],
            opaque: &[
                "expression_statement",
                "return_statement",
                "raise_statement",
                "assert_statement",
                "delete_statement",
                "import_statement",
                "import_from_statement",
                "with_clause",
                "decorator",
                "parameters",
                "argument_list",
                "type",
            ],
            ..language(
                tree_sitter_python::LANGUAGE,
                include_str!("../../languages/python/definitions.scm"),
            )
        },
        Language {
            name: "ruby",
            extensions: &["rb", "rake", "gemspec", "ru"],
            file_names: &["Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile"],
            interpreters: &["ruby"],
            comment_marks: &["#"],
            separator: Some("::"),
            ..language(
                mk_grammars::RUBY,
                include_str!("../../languages/ruby/definitions.scm"),
            )
        },
        Language {
            name: "rust",
            extensions: &["rs"],
            attributes: &["attribute_item"],
            comments: &["line_comment", "block_comment"],
            attribute_marks: &["#["],
            separator: Some("::"),
            opaque: &[
                "use_declaration",
                "attribute_item",
                "inner_attribute_item",
                "parameters",
                "type_parameters",
                "type_arguments",
                "where_clause",
                "token_tree",
            ],
            ..language(
                tree_sitter_rust::LANGUAGE,
                include_str!("../../languages/rust/definitions.scm"),
            )
        },
        Language {
            name: "scala",
            extensions: &["scala", "sc", "sbt"],
            wrappers: &["enum_case_definitions"],
            comments: &["comment", "block_comment"],
            attribute_marks: &["@"],
            attributes: &["annotation"],
            ..language(
                mk_grammars::SCALA,
                include_str!("../../languages/scala/definitions.scm"),
            )
        },
        Language {
            name: "svelte",
            extensions: &["svelte"],
            wrappers: &[
                "export_statement",
                "lexical_declaration",
                "variable_declaration",
                "expression_statement",
                "ambient_declaration",
            ],
            attributes: &["decorator"],
            attribute_marks: &["@"],
            embedding: Some(Embedding::Scripts),
            ..language(
                tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
                include_str!("../../languages/typescript/definitions.scm"),
            )
        },
        Language {
            name: "swift",
            extensions: &["swift"],
            comments: &["comment", "multiline_comment"],
            attribute_marks: &["@"],
            attributes: &["attribute"],
            ..language(
                mk_grammars::SWIFT,
                include_str!("../../languages/swift/definitions.scm"),
            )
        },
        Language {
            name: "toml",
            extensions: &["toml"],
            comment_marks: &["#"],
            ..language(
                tree_sitter_toml_ng::LANGUAGE,
                include_str!("../../languages/toml/definitions.scm"),
            )
        },
        Language {
            name: "tsx",
            extensions: &["tsx"],
            wrappers: &[
                "export_statement",
                "lexical_declaration",
                "variable_declaration",
                "expression_statement",
                "ambient_declaration",
            ],
            attributes: &["decorator"],
            attribute_marks: &["@"],
            ..language(
                tree_sitter_typescript::LANGUAGE_TSX,
                include_str!("../../languages/typescript/definitions.scm"),
            )
        },
        Language {
            name: "typescript",
            extensions: &["ts", "mts", "cts"],
            interpreters: &["deno", "ts-node", "tsx"],
            wrappers: &[
                "export_statement",
                "lexical_declaration",
                "variable_declaration",
                "expression_statement",
                "ambient_declaration",
            ],
            attributes: &["decorator"],
            attribute_marks: &["@"],
            ..language(
                tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
                include_str!("../../languages/typescript/definitions.scm"),
            )
        },
        Language {
            name: "vue",
            extensions: &["vue"],
            wrappers: &[
                "export_statement",
                "lexical_declaration",
                "variable_declaration",
                "expression_statement",
                "ambient_declaration",
            ],
            attributes: &["decorator"],
            attribute_marks: &["@"],
            embedding: Some(Embedding::Scripts),
            ..language(
                tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
                include_str!("../../languages/typescript/definitions.scm"),
            )
        },
        Language {
            name: "yaml",
            extensions: &["yaml", "yml"],
            comment_marks: &["#"],
            ..language(
                tree_sitter_yaml::LANGUAGE,
                include_str!("../../languages/yaml/definitions.scm"),
            )
        },
        Language {
            name: "zig",
            extensions: &["zig", "zon"],
            bodies: &[
                "block",
                "struct_declaration",
                "enum_declaration",
                "union_declaration",
            ],
            comment_marks: &["//"],
            ..language(
                tree_sitter_zig::LANGUAGE,
                include_str!("../../languages/zig/definitions.scm"),
            )
        },
    ]
});

/// What most languages have in common.
fn language(grammar: LanguageFn, query: &'static str) -> Language {
    Language {
        name: "",
        extensions: &[],
        file_names: &[],
        interpreters: &[],
        grammar,
        query,
        wrappers: &[],
        attributes: &[],
        comments: &["comment"],
        bodies: &[],
        opaque: &[],
        comment_marks: &["//", "/*"],
        attribute_marks: &[],
        separator: None,
        embedding: None,
        compiled: OnceLock::new(),
    }
}
