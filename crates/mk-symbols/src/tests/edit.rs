//! Edits of symbols: what the file looks like afterwards, and what is said about it.

use mk_types::{AbsPath, ProjectPath};

use crate::{EditedText, Error, SymbolEdit, plan_edit};

fn path(path: &str) -> ProjectPath {
    let root = AbsPath::new(std::path::Path::new("/project")).unwrap();
    ProjectPath::parse(path, &root).unwrap()
}

fn plan(file: &str, text: &str, name: &str, edit: SymbolEdit<'_>) -> Result<EditedText, Error> {
    plan_edit(&path(file), text, name, edit)
}

#[track_caller]
fn check(file: &str, before: &str, name: &str, edit: SymbolEdit<'_>, after: &str) -> EditedText {
    let edited = plan(file, before, name, edit).unwrap();
    assert_eq!(edited.text, after);
    assert_eq!(edited.errors, []);
    edited
}

const CART: &str = r#"class Cart:
    """A cart."""

    # Cached.
    @property
    def total(self):
        return sum(self.items)

    def add(self, item):
        self.items.append(item)


def helper():
    pass
"#;

#[test]
fn a_replacement_keeps_the_decorators_and_comments_it_does_not_bring() {
    let edited = check(
        "a.py",
        CART,
        "Cart/total",
        SymbolEdit::Replace("def total(self):\n    return 0\n"),
        &CART.replace("return sum(self.items)", "return 0"),
    );
    assert!(edited.kept_leading);
    assert_eq!((edited.lines.start, edited.lines.end), (6, 7));
}

#[test]
fn a_replacement_with_decorators_replaces_them_and_keeps_the_comment() {
    check(
        "a.py",
        CART,
        "Cart/total",
        SymbolEdit::Replace("@cached_property\ndef total(self):\n    return 0"),
        &CART
            .replace("@property", "@cached_property")
            .replace("return sum(self.items)", "return 0"),
    );
}

#[test]
fn a_replacement_with_a_comment_and_no_attribute_keeps_the_attribute() {
    check(
        "a.rs",
        "/// Old.\n#[derive(Debug)]\nstruct A;\n",
        "A",
        SymbolEdit::Replace("/// New,\n/// longer.\nstruct A {\n    x: u8,\n}"),
        "/// New,\n/// longer.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n}\n",
    );
}

#[test]
fn a_replacement_with_comment_and_attribute_replaces_all_three() {
    let edited = check(
        "a.rs",
        "/// Old.\n#[derive(Debug)]\nstruct A;\n",
        "A",
        SymbolEdit::Replace("/// New.\n#[derive(Clone)]\nstruct A;"),
        "/// New.\n#[derive(Clone)]\nstruct A;\n",
    );
    assert!(!edited.kept_leading);
}

#[test]
fn text_that_is_indented_already_is_not_indented_twice() {
    let indented = "    def add(self, item):\n        pass";
    check(
        "a.py",
        CART,
        "add",
        SymbolEdit::Replace(indented),
        &CART.replace("self.items.append(item)", "pass"),
    );
}

#[test]
fn text_copied_from_where_the_definition_begins_is_left_as_it_is() {
    check(
        "a.py",
        CART,
        "add",
        SymbolEdit::Replace("def add(self, item):\n        pass"),
        &CART.replace("self.items.append(item)", "pass"),
    );
    check(
        "a.rs",
        "impl A {\n    fn b() {\n        1;\n    }\n}\n",
        "A/b",
        SymbolEdit::Replace("fn b() {\n        2;\n    }"),
        "impl A {\n    fn b() {\n        2;\n    }\n}\n",
    );
}

#[test]
fn the_lines_of_a_long_string_are_not_moved() {
    let body = "def add(self, item):\n    text = \"\"\"\nleft\n\"\"\"\n    return text";
    let edited = plan("a.py", CART, "add", SymbolEdit::Replace(body)).unwrap();
    assert!(
        edited.text.contains(
            "    def add(self, item):\n        text = \"\"\"\nleft\n\"\"\"\n        return text\n"
        ),
        "{}",
        edited.text
    );
}

#[test]
fn an_insertion_goes_above_comments_and_decorators() {
    check(
        "a.py",
        CART,
        "Cart/total",
        SymbolEdit::InsertBefore("def first(self):\n    pass"),
        &CART.replace(
            "    # Cached.",
            "    def first(self):\n        pass\n\n    # Cached.",
        ),
    );
}

#[test]
fn python_has_two_blank_lines_at_the_top_and_one_inside() {
    check(
        "a.py",
        CART,
        "Cart",
        SymbolEdit::InsertAfter("class Basket(Cart):\n    pass"),
        &CART.replace(
            "\n\n\ndef helper",
            "\n\n\nclass Basket(Cart):\n    pass\n\n\ndef helper",
        ),
    );
    check(
        "a.py",
        CART,
        "add",
        SymbolEdit::InsertAfter("def clear(self):\n    pass"),
        &CART.replace(
            "append(item)\n",
            "append(item)\n\n    def clear(self):\n        pass\n",
        ),
    );
}

#[test]
fn single_lines_stay_together() {
    check(
        "a.rs",
        "struct A {\n    x: u8,\n    y: u8,\n}\n",
        "A/x",
        SymbolEdit::InsertAfter("z: u8,"),
        "struct A {\n    x: u8,\n    z: u8,\n    y: u8,\n}\n",
    );
}

#[test]
fn a_file_without_blank_lines_between_methods_stays_so() {
    check(
        "a.js",
        "class A {\n  b() {\n    1;\n  }\n  c() {\n    2;\n  }\n}\n",
        "A/b",
        SymbolEdit::InsertAfter("d() {\n  3;\n}"),
        "class A {\n  b() {\n    1;\n  }\n  d() {\n    3;\n  }\n  c() {\n    2;\n  }\n}\n",
    );
}

#[test]
fn carriage_returns_and_tabs_are_kept() {
    check(
        "a.go",
        "package a\r\n\r\nfunc A() {\r\n\tx()\r\n}\r\n",
        "A",
        SymbolEdit::Replace("func A() {\n    y()\n}"),
        "package a\r\n\r\nfunc A() {\r\n\ty()\r\n}\r\n",
    );
}

#[test]
fn a_deletion_takes_comments_attributes_and_one_of_the_gaps() {
    check(
        "a.rs",
        "fn a() {}\n\n/// Old.\n#[test]\nfn b() {}\n\nfn c() {}\n",
        "b",
        SymbolEdit::Delete,
        "fn a() {}\n\nfn c() {}\n",
    );
    check(
        "a.rs",
        "struct A {\n    x: u8,\n    y: u8, // why\n}\n",
        "A/y",
        SymbolEdit::Delete,
        "struct A {\n    x: u8,\n}\n",
    );
    let without_helper = CART.replace("\n\n\ndef helper():\n    pass\n", "\n");
    check("a.py", CART, "helper", SymbolEdit::Delete, &without_helper);
}

#[test]
fn deleting_the_only_member_of_a_python_class_leaves_a_pass() {
    check(
        "a.py",
        "class A:\n    def b(self):\n        pass\n\n\nx = 1\n",
        "A/b",
        SymbolEdit::Delete,
        "class A:\n    pass\n\n\nx = 1\n",
    );
}

#[test]
fn what_an_edit_breaks_is_reported_with_its_place() {
    let edited = plan(
        "a.rs",
        "fn a() {}\n\nfn b() {}\n",
        "b",
        SymbolEdit::Replace("fn b( {}"),
    )
    .unwrap();
    assert_eq!(edited.errors.first().map(|error| error.line), Some(3));
}

#[test]
fn what_was_broken_before_is_not_reported() {
    let edited = plan(
        "a.rs",
        "fn a() {}\n\nfn b( {}\n\nfn c() {}\n",
        "a",
        SymbolEdit::Replace("fn a() { 1; }"),
    )
    .unwrap();
    assert_eq!(edited.errors, []);
}

#[test]
fn a_semicolon_is_not_doubled() {
    check(
        "a.c",
        "struct a { int x; };\n",
        "a",
        SymbolEdit::Replace("struct a { int y; };"),
        "struct a { int y; };\n",
    );
}

#[test]
fn a_symbol_that_shares_its_line_is_not_deleted() {
    for (file, text) in [
        ("a.js", "const a = 1, b = 2;\n"),
        ("a.py", "a, b = 1, 2\n"),
        ("a.c", "int a, b;\n"),
        ("a.ts", "export const { a, b } = made();\n"),
    ] {
        let error = plan(file, text, "a", SymbolEdit::Delete).unwrap_err();
        assert!(
            matches!(error, Error::SharedLines { .. }),
            "{file}: {error}"
        );
    }
}

#[test]
fn the_operator_that_calls_is_a_name() {
    let text = "struct A {\n  int operator()(int a) { return a; }\n};\n";
    let body = "  int operator()(int a) { return a; }";
    let edit = SymbolEdit::Replace(body);
    check("a.cpp", text, "/A/operator()", edit, text);
}

#[test]
fn namesakes_need_an_index() {
    let text = "impl A {\n    fn b() {}\n}\n\nimpl C for A {\n    fn b() {}\n}\n";
    let error = plan("a.rs", text, "A/b", SymbolEdit::Delete).unwrap_err();
    let Error::Ambiguous { candidates, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(candidates, ["a.rs:2 A/b[0]", "a.rs:6 A/b[1]"]);
    check(
        "a.rs",
        text,
        "A/b[1]",
        SymbolEdit::Replace("fn b() { 1; }"),
        "impl A {\n    fn b() {}\n}\n\nimpl C for A {\n    fn b() { 1; }\n}\n",
    );
}

#[test]
fn a_wrong_name_gets_the_nearest_ones() {
    let error = plan("a.py", CART, "Cart/totl", SymbolEdit::Delete).unwrap_err();
    let Error::NoSymbol { nearest, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(nearest, ["Cart/total"]);
}

/// What is shown of every symbol of a text, given back as it is, at the left edge, or with one word changed.
#[track_caller]
fn check_given_back(file: &str, text: &str) {
    let outline = crate::Outline::parse(file, text).unwrap().unwrap();
    assert!(!outline.symbols.is_empty());
    for (position, symbol) in outline.symbols.iter().enumerate() {
        let whole = symbol.whole();
        let before = text.get(..whole.start as usize).unwrap();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let shown = text.get(line_start..whole.end as usize).unwrap();
        let name = format!("/{}", outline.indexed_path(position));
        let indent = shown.len() - shown.trim_start().len();
        let indent = shown.get(..indent).unwrap();
        let lines = shown
            .lines()
            .map(|line| line.strip_prefix(indent).unwrap_or(line));
        let at_left_edge: Vec<&str> = lines.collect();
        for body in [shown, shown.trim_start(), &at_left_edge.join("\n")] {
            let edited = plan(file, text, &name, SymbolEdit::Replace(body)).unwrap();
            assert_eq!(edited.text, text, "{name}\n{body}");
            assert_eq!(edited.errors, [], "{name}");
        }
        if shown.contains("answer") {
            let changed = shown.replace("answer", "result");
            let edited = plan(file, text, &name, SymbolEdit::Replace(&changed)).unwrap();
            let before = text.get(..line_start).unwrap();
            let after = text.get(whole.end as usize..).unwrap();
            let after = [before, &changed, after].concat();
            assert_eq!(edited.text, after, "{name}");
        }
    }
}

#[test]
fn a_decorated_method_comes_back_as_it_was_shown() {
    check_given_back(
        "a.py",
        "class A:\n    # Why.\n    @property\n    # Between.\n    @cached\n    def b(self):\n        answer = \"\"\"\nleft\n\"\"\"\n        return answer\n",
    );
}

#[test]
fn tabs_stay_tabs_though_strings_have_spaces() {
    let usage = "    spaces\n    more\n    and more\n    still\n    so\n".repeat(3);
    check_given_back(
        "a.go",
        &format!(
            "package a\n\nconst usage = `\n{usage}`\n\ntype A struct {{\n\t// Why.\n\tanswer int\n}}\n\nfunc (a *A) B() int {{\n\tif true {{\n\t\treturn a.answer\n\t}}\n\treturn 0\n}}\n"
        ),
    );
}

#[test]
fn heredocs_and_attributes_of_php_come_back() {
    check_given_back(
        "a.php",
        "<?php\n\nclass A\n{\n    /** Why. */\n    #[Pure]\n    public function b(): string\n    {\n        return <<<END\n          answer\n        END;\n    }\n}\n",
    );
}

#[test]
fn trailing_white_space_and_odd_indentation_come_back() {
    check_given_back(
        "a.cpp",
        "namespace a {\n\ntemplate <typename T>\nclass B {\n public:  \n  int c() {   \n      int answer = 1;\n    return answer;\n  }\n};\n\n}  // namespace a\n",
    );
}

#[test]
fn a_new_decorated_method_is_placed_by_what_parses() {
    let body = "@cached\n    def total(self):\n        return 1";
    check(
        "a.py",
        CART,
        "Cart/total",
        SymbolEdit::Replace(body),
        &CART
            .replace("@property", "@cached")
            .replace("return sum(self.items)", "return 1"),
    );
}

#[test]
fn indentation_that_python_refuses_is_a_syntax_error() {
    let edited = |body: &str| plan("a.py", CART, "helper", SymbolEdit::Replace(body)).unwrap();
    let said = |body: &str| -> Vec<String> {
        let errors = edited(body).errors.into_iter();
        errors
            .map(|error| format!("{}: {}", error.line, error.message))
            .collect()
    };
    assert_eq!(
        said("def helper():\n    x = 1\n    return (\n  x)\n"),
        [""; 0]
    );
    assert_eq!(
        said("def helper():\n    x = 1\n        return x"),
        ["15: this line is indented too far"]
    );
    assert_eq!(
        said("def helper():\n        x = 1\n    return x"),
        ["15: this line is indented less than its block, but more than the one around"]
    );
    assert_eq!(
        said("def helper():\n    if True:\n    return 1"),
        ["15: an indented block is missing here"]
    );
}

#[test]
fn nothing_is_deleted_by_replacing_it_with_nothing() {
    let error = plan("a.rs", "fn b() {}\n", "b", SymbolEdit::Replace(" \n")).unwrap_err();
    assert!(matches!(error, Error::Emptied { .. }), "{error}");
}

#[test]
fn a_module_with_slashes_in_its_name_is_called_by_it() {
    let text = "declare module \"zod/v4/mini\" {\n  interface A {\n    a: string;\n  }\n}\n";
    for name in ["/zod/v4/mini", "zod/v4/mini"] {
        check("a.ts", text, name, SymbolEdit::Replace(text), text);
    }
}

#[test]
fn the_last_key_of_json_goes_with_the_comma_before_it() {
    for (above, left) in [
        (r#""a": 1,"#, r#""a": 1"#),
        (r#""a": "https://x.org","#, r#""a": "https://x.org""#),
        (r#""a": "\"//\\","#, r#""a": "\"//\\""#),
        // This one ends a comment.
        (r#""a": 1 // one,"#, r#""a": 1 // one,"#),
    ] {
        let text = format!("{{\n  {above}\n  \"b\": {{\n    \"c\": 2\n  }}\n}}\n");
        let after = format!("{{\n  {left}\n}}\n");
        check("a.json", &text, "b", SymbolEdit::Delete, &after);
    }
}
