//! Whether a line is program text: by its signs, its ends and the words it opens with.

/// How a line of code begins, whatever follows.
const STARTS: [&str; 13] = [
    "//", "/*", "*/", "#!", "#include", "import {", "</", ");", "});", "],", "},", ")", "--  ",
];
const ENDS: [&str; 14] = [
    "{", "};", ");", "});", "=>", "->", ") {", "},", "],", "(", "[", "</div>", "/>", "\\",
];
/// Words that open a statement, and many an English sentence.
const OPENERS: [&str; 38] = [
    "import ",
    "from ",
    "def ",
    "fn ",
    "pub ",
    "const ",
    "let ",
    "var ",
    "class ",
    "struct ",
    "enum ",
    "impl ",
    "return ",
    "if ",
    "elif ",
    "else",
    "for ",
    "while ",
    "package ",
    "using ",
    "public ",
    "private ",
    "protected ",
    "func ",
    "function ",
    "export ",
    "async ",
    "await ",
    "@",
    "SELECT ",
    "INSERT ",
    "UPDATE ",
    "CREATE ",
    "FROM ",
    "WHERE ",
    "type ",
    "interface ",
    "with ",
];
const SYMBOLS: &str = "{}()[];=<>&|$_\\*+\"%^~@/";

/// Lines of a program, of markup or of data.
pub(super) fn is_code(text: &str, indented: bool) -> bool {
    let n_words = text.split_whitespace().filter(|it| is_word(it)).count();
    let n_signs = text.chars().filter(|sign| !sign.is_whitespace()).count();
    let n_symbols = text.chars().filter(|sign| SYMBOLS.contains(*sign)).count();
    let is_dense = n_signs >= 6 && n_symbols * 100 >= n_signs * 22 && n_symbols >= 3;
    is_fragment(text)
        || is_statement(text, n_words)
        || is_dense
        || opens_statement(text, n_words)
        || is_assignment(text) && n_words <= 8
        || is_entry(text)
        || indented && n_words < 6 && n_symbols >= 2
}

fn is_word(word: &str) -> bool {
    let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
    word.chars().count() > 1 && word.chars().all(char::is_alphabetic)
}

fn is_fragment(text: &str) -> bool {
    text.starts_with(['{', '}', '<', '$']) && text.len() > 1
        || matches!(text, "{" | "}" | "(" | ")" | "[" | "]" | "};" | "end")
        || STARTS.iter().any(|start| text.starts_with(start))
        || ENDS.iter().any(|end| text.ends_with(end))
}

fn is_statement(text: &str, n_words: usize) -> bool {
    text.ends_with(';') && text.is_ascii() && (n_words < 8 || text.contains(['=', '(']))
}

fn opens_statement(text: &str, n_words: usize) -> bool {
    let has_signs =
        text.contains(['(', '{', '=', ';']) || text.contains("::") || text.ends_with(':');
    let opens = OPENERS.iter().any(|start| text.starts_with(start));
    opens && has_signs && n_words <= 7 && !text.ends_with(['?', '!', '.'])
}

/// `total = 3`, `user.name = get()`
fn is_assignment(text: &str) -> bool {
    text.split_once(" = ").is_some_and(|(left, _)| {
        !left.is_empty() && left.split_whitespace().count() <= 3 && left.is_ascii()
    })
}

/// `"key": value`
fn is_entry(text: &str) -> bool {
    text.starts_with('"') && text.contains("\":")
}
