//! Replacing code by its structure.

use mk_types::{AbsPath, ProjectPath};

use crate::{StructureQuery, replace_structure};

#[track_caller]
fn check(file: &str, text: &str, pattern: &str, replacement: &str, after: &str) {
    let root = AbsPath::new(std::path::Path::new("/project")).unwrap();
    let path = ProjectPath::parse(file, &root).unwrap();
    let query = StructureQuery {
        pattern: pattern.to_owned(),
        replacement: replacement.to_owned(),
        language: None,
        files: None,
    };
    let edit = replace_structure(&path, text, &query).unwrap();
    let new = edit.as_ref().map_or(text, |edit| &edit.text);
    assert_eq!(new, after);
    assert_eq!(edit.map(|edit| edit.errors).unwrap_or_default(), []);
}

#[test]
fn calls_over_several_lines_and_inside_of_each_other_are_found() {
    check(
        "a.py",
        "x = import_string(a)\ny = import_string(\n    b(c, d),\n)\n# import_string(e)\nz = import_string(import_string(f))\ndef import_string(path): ...\ns = \"import_string(g)\"\n",
        "import_string($A)",
        "import_string($A, purpose=None)",
        "x = import_string(a, purpose=None)\ny = import_string(b(c, d), purpose=None)\n# import_string(e)\nz = import_string(import_string(f, purpose=None), purpose=None)\ndef import_string(path): ...\ns = \"import_string(g)\"\n",
    );
}

#[test]
fn any_number_of_arguments_can_stay() {
    let text = "fn b() { old(); old(1); old(1, 2); older(3); }\n";
    check(
        "a.rs",
        text,
        "old($$$ARGS)",
        "new(ctx, $$$ARGS)",
        "fn b() { new(ctx); new(ctx, 1); new(ctx, 1, 2); older(3); }\n",
    );
    check(
        "a.rs",
        text,
        "old($FIRST, $$$REST)",
        "new($FIRST)",
        "fn b() { old(); new(1); new(1); older(3); }\n",
    );
}

#[test]
fn every_language_has_a_place_for_a_pattern() {
    check(
        "a.ts",
        "foo(a.b, 1);\n",
        "foo($A, $B)",
        "bar($B, $A)",
        "bar(1, a.b);\n",
    );
    check(
        "a.go",
        "package a\n\nfunc b() {\n\tfoo(1, 2)\n}\n",
        "foo($A, $B)",
        "bar($B, $A)",
        "package a\n\nfunc b() {\n\tbar(2, 1)\n}\n",
    );
    check(
        "A.java",
        "class A { void b() { foo(1, 2); } }\n",
        "foo($A, $B)",
        "bar($B, $A)",
        "class A { void b() { bar(2, 1); } }\n",
    );
    check(
        "a.php",
        "<?php\nfoo(1, $b);\n",
        "foo($A, $B)",
        "bar($B, $A)",
        "<?php\nbar($b, 1);\n",
    );
    check(
        "a.c",
        "int b(void) { foo(1, 2); return 0; }\n",
        "foo($A, $B)",
        "bar($B, $A)",
        "int b(void) { bar(2, 1); return 0; }\n",
    );
    check(
        "a.rb",
        "foo(1, 2)\n",
        "foo($A, $B)",
        "bar($B, $A)",
        "bar(2, 1)\n",
    );
    check(
        "a.cs",
        "class A { void B() { Foo(1, 2); } }\n",
        "Foo($A, $B)",
        "Bar($B, $A)",
        "class A { void B() { Bar(2, 1); } }\n",
    );
    check(
        "a.kt",
        "fun b() { foo(1, 2) }\n",
        "foo($A, $B)",
        "bar($B, $A)",
        "fun b() { bar(2, 1) }\n",
    );
}

#[test]
fn a_name_that_is_used_twice_is_the_same_twice() {
    check(
        "a.js",
        "a == a; a == b;\n",
        "$A == $A",
        "true",
        "true; a == b;\n",
    );
}

#[test]
fn a_name_that_the_pattern_does_not_have_is_not_written() {
    let root = AbsPath::new(std::path::Path::new("/project")).unwrap();
    let refused = |file: &str, text: &str, replacement: &str| {
        let path = ProjectPath::parse(file, &root).unwrap();
        let query = StructureQuery {
            pattern: "f($Arg)".to_owned(),
            replacement: replacement.to_owned(),
            language: None,
            files: None,
        };
        let edit = replace_structure(&path, text, &query);
        edit.map(|edit| edit.map(|edit| edit.text))
            .map_err(|error| error.to_string())
    };
    let unknown = "`g($B)` cannot be used: `$B` is not in the pattern";
    assert_eq!(refused("a.py", "f(1)\n", "g($B)"), Err(unknown.to_owned()));
    assert_eq!(refused("a.py", "h(1)\n", "g($B)"), Ok(None));
    assert_eq!(
        refused("a.py", "f(1)\n", "g($Arg)"),
        Ok(Some("g(1)\n".to_owned()))
    );
    assert_eq!(
        refused("a.php", "<?php\nf(1);\n", "g($Arg, $_GET)"),
        Ok(Some("<?php\ng(1, $_GET);\n".to_owned()))
    );
}
