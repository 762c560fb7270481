//! Macros of C and C++ and directives of Swift that their grammars cannot know, made invisible to the parser.
//!
//! `class SPDLOG_API logger`, `FMT_BEGIN_NAMESPACE` and `FMT_CONSTEXPR auto f()` are no C++ before they are expanded, and
//! a parser that guesses takes the macro for a name, or loses the rest of the file. Macros are written in capital
//! letters, so those that stand where only a macro can are replaced by spaces; every byte stays where it is.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::language::Language;

/// A macro with its arguments, nested once.
const MACRO: &str = r"[A-Z][A-Z0-9_]*(?:\((?:[^()]|\([^()]*\))*\))?";
/// One that cannot be a constant or a type: it has an underscore.
const LONG_MACRO: &str = r"[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\((?:[^()]|\([^()]*\))*\))?";

fn pattern(text: &str) -> Option<Regex> {
    let text = text
        .replace("LONG_MACRO", LONG_MACRO)
        .replace("MACRO", MACRO);
    Regex::new(&text).ok()
}

static ALONE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^\s*(LONG_MACRO)\s*(?://.*|/\*.*\*/\s*)?$"));
static IN_HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"\b(?:class|struct|union|enum(?:\s+class)?)\s+((?:MACRO\s+)+)[A-Za-z_][\w:]*(?:<[^;{}]*>)?(?:\s+final)?\s*(?:$|\{|:[^:]|//)",
    )
});
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?:^|\b(?:static|inline|virtual|extern|explicit|friend|constexpr|typedef)|>)\s*\b(MACRO)\s+(?:(?:const|unsigned|signed|struct|enum|class|static|inline|virtual|constexpr|explicit|friend|extern)\s+)*([A-Za-z_]\w*)(?:(?:::\w+)*(?:<[^;{}]*>)?[\s*&]+[*&]*[A-Za-z_~]|(?:<[^;{}()]*>)?(?:::~?\w+(?:<[^;{}()]*>)?)+\()",
    )
});
static MACROS: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^(?:MACRO\s*)+$"));
static ATTRIBUTE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^LONG_MACRO$"));
static BEHIND: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\)\s*(?:const\s*)?(LONG_MACRO)\s*(?:[;{=:]|$)"));

/// The text as it is parsed; `None` if that is the text itself.
pub(crate) fn masked(language: &Language, text: &str) -> Option<String> {
    let hidden = hidden_in_file(language, text);
    if hidden.is_empty() {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in hidden {
        for byte in bytes.get_mut(range).into_iter().flatten() {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    // Whole macros and lines were replaced, byte by byte.
    String::from_utf8(bytes).ok()
}

/// The bytes of a text that are hidden from the parser.
pub(crate) fn hidden_in_file(language: &Language, text: &str) -> Vec<Range<usize>> {
    match language.name() {
        "c" | "cpp" => hidden(text),
        "swift" => directives(text),
        "kotlin" => annotation_words(text),
        _ => Vec::new(),
    }
}

/// The lines `#if …`, `#else` and `#endif` of Swift, which may stand where its grammar has no place for them, as
/// between the cases of a `switch`; what they choose between is code.
fn directives(text: &str) -> Vec<Range<usize>> {
    let mut hidden = Vec::new();
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim();
        let word = line.split_whitespace().next().unwrap_or_default();
        if matches!(word, "#if" | "#elseif" | "#else" | "#endif") {
            let indent = whole.len() - whole.trim_start().len();
            hidden.push(start + indent..start + indent + line.len());
        }
        start += whole.len();
    }
    hidden
}

/// The word `annotation` below an annotation, which Kotlin's grammar takes for a value there. The class that it
/// belongs to begins with the annotation above, so that the word stays part of it.
fn annotation_words(text: &str) -> Vec<Range<usize>> {
    let mut hidden = Vec::new();
    let mut start = 0;
    let mut above = "";
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_start();
        if above.starts_with('@') && line.starts_with("annotation class ") {
            let indent = whole.len() - line.len();
            hidden.push(start + indent..start + indent + "annotation".len());
        }
        if !line.trim().is_empty() {
            above = line;
        }
        start += whole.len();
    }
    hidden
}

/// Where a definition of C or C++ begins with the macros that the parser does not see: on its first line, and with
/// those on lines of their own above.
pub(crate) fn with_macros(language: &Language, text: &str, start: usize) -> (usize, usize) {
    if !matches!(language.name(), "c" | "cpp") {
        return (start, start);
    }
    let line_start = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        before.rfind('\n').map_or(0, |position| position + 1)
    };
    let indented = |from: usize, to: usize| {
        let line = text.get(from..to).unwrap_or_default();
        (from + line.len() - line.trim_start().len(), line.trim())
    };
    let mut line = line_start(start);
    let (begin, before) = indented(line, start);
    let is_macros = MACROS.as_ref().is_some_and(|it| it.is_match(before));
    let start = if is_macros { begin } else { start };
    let mut first = start;
    while let Some(end) = line.checked_sub(1) {
        let below = text.get(line..).and_then(|rest| rest.lines().next());
        line = line_start(end);
        let (begin, written) = indented(line, end);
        let higher = line
            .checked_sub(1)
            .map(|end| indented(line_start(end), end).1);
        let is_attribute = ATTRIBUTE.as_ref().is_some_and(|it| it.is_match(written))
            && stands_alone(
                written,
                higher.unwrap_or_default(),
                below.unwrap_or_default().trim(),
            );
        // One that opens or closes something is no part of what follows it.
        if !is_attribute || FRAMES.iter().any(|part| written.contains(part)) {
            break;
        }
        first = begin;
    }
    (start, first)
}

/// Parts of the names of macros that open or close something.
const FRAMES: [&str; 10] = [
    "BEGIN",
    "END",
    "NAMESPACE",
    "OPEN",
    "CLOSE",
    "PUSH",
    "POP",
    "DECLS",
    "PRAGMA",
    "WARNING",
];

/// Comments inside of a directive's line; the grammar takes them for its end.
fn inner_comments(line: &str) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut from = 0;
    while let Some(begin) = line.get(from..).and_then(|rest| rest.find("/*")) {
        let begin = from + begin;
        let Some(length) = line.get(begin..).and_then(|rest| rest.find("*/")) else {
            break;
        };
        from = begin + length + "*/".len();
        if line.get(from..).is_some_and(|rest| !rest.trim().is_empty()) {
            comments.push(begin..from);
        }
    }
    comments
}

/// Macros of C and C++ that only a compiler knows.
fn hidden(text: &str) -> Vec<Range<usize>> {
    let mut hidden = Vec::new();
    let mut start = 0;
    let mut above = "";
    let mut in_directive = false;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(whole) = lines.next() {
        let line = whole.trim_end();
        let is_directive = in_directive || line.trim_start().starts_with('#');
        in_directive = is_directive && line.ends_with('\\');
        let is_comment = line.trim_start().starts_with("//") || line.trim_start().starts_with('*');
        if is_directive {
            let found = inner_comments(line).into_iter();
            hidden.extend(found.map(|range| start + range.start..start + range.end));
        }
        if !is_directive && !is_comment && line.bytes().any(|byte| byte.is_ascii_uppercase()) {
            let below = lines.peek().map_or("", |below| below.trim());
            let found = hidden_in(line, above, below).into_iter();
            hidden.extend(found.map(|range| start + range.start..start + range.end));
        }
        if !line.trim().is_empty() {
            above = if is_directive { "" } else { line };
        }
        start += whole.len();
    }
    hidden
}

fn hidden_in(line: &str, above: &str, below: &str) -> Vec<Range<usize>> {
    let mut hidden: Vec<Range<usize>> = Vec::new();
    if let Some(found) = ALONE.as_ref().and_then(|it| it.captures(line)?.get(1)) {
        if stands_alone(found.as_str(), above, below) {
            hidden.push(found.range());
        }
        return hidden;
    }
    let mut rest = line.to_owned();
    // One macro may stand before another.
    for _ in 0..4 {
        let head = IN_HEAD.as_ref().and_then(|it| it.captures(&rest)?.get(1));
        let before = BEFORE.as_ref().and_then(|it| {
            let captures = it.captures(&rest)?;
            let is_type = matches!(captures.get(2)?.as_str(), "const" | "volatile");
            captures.get(1).filter(|_| !is_type)
        });
        let behind = BEHIND.as_ref().and_then(|it| it.captures(&rest)?.get(1));
        let found = head.or(before).or(behind).map(|found| found.range());
        let Some(range) = found else { break };
        let spaces = " ".repeat(range.len());
        rest.replace_range(range.clone(), &spaces);
        hidden.push(range);
    }
    hidden
}

/// Whether a macro on a line of its own is neither the end of what is above it nor the beginning of what is below.
fn stands_alone(written: &str, above: &str, below: &str) -> bool {
    let above = above.trim_end();
    let above_goes_on = above.ends_with([
        ',', '(', '=', '+', '-', '*', '/', '|', '&', '?', '<', '.', '!',
    ]) && !above.ends_with("*/");
    let has_arguments = written.ends_with(')');
    let below_belongs = below.starts_with(['}', ',', ')', '=', ';', '.', ']'])
        || has_arguments && below.starts_with('{');
    // GNU's style has a type on a line of its own above the name of its function.
    let name = below
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next();
    let name = name.unwrap_or_default();
    let is_type = !has_arguments
        && !name.is_empty()
        && below
            .get(name.len()..)
            .is_some_and(|rest| rest.trim_start().starts_with('('));
    !above_goes_on && !below_belongs && !is_type
}

#[cfg(test)]
mod tests {
    use super::{annotation_words, directives, hidden, with_macros};
    use crate::language::Language;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = hidden(text)
            .into_iter()
            .filter_map(|it| text.get(it))
            .collect();
        let found: Vec<&str> = found.into_iter().map(str::trim).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn macros_that_only_a_compiler_knows_are_hidden() {
        check("class SPDLOG_API logger {\n", &["SPDLOG_API"]);
        check(
            "struct FMT_VISIBILITY(\"default\") a : b {\n",
            &["FMT_VISIBILITY(\"default\")"],
        );
        check("FMT_BEGIN_NAMESPACE\nint a;\n", &["FMT_BEGIN_NAMESPACE"]);
        check("FMT_API void f();\n", &["FMT_API"]);
        check(
            "static FMT_CONSTEXPR auto f() -> int;\n",
            &["FMT_CONSTEXPR"],
        );
        check(
            "SPDLOG_INLINE logger::logger(int a) {}\n",
            &["SPDLOG_INLINE"],
        );
        check(
            "SPDLOG_INLINE sink<Mutex>::sink(int a) : b(a) {}\n",
            &["SPDLOG_INLINE"],
        );
        check(
            "SPDLOG_INLINE FMT_CONSTEXPR int f();\n",
            &["SPDLOG_INLINE", "FMT_CONSTEXPR"],
        );
        check("void f() const JSON_NOEXCEPT;\n", &["JSON_NOEXCEPT"]);
    }

    #[test]
    fn macros_before_a_definition_belong_to_it() {
        let check = |text: &str, expected: &str| {
            let cpp = Language::of_path("a.cpp").unwrap();
            let (start, first) = with_macros(cpp, text, text.find("int f").unwrap());
            assert!(first <= start, "{text}");
            assert_eq!(text.get(first..), Some(expected), "{text}");
        };
        check("int a;\n\nMY_API int f();", "MY_API int f();");
        check("MY_API MY_INLINE int f();", "MY_API MY_INLINE int f();");
        check("int a;\nMY_API\nint f();", "MY_API\nint f();");
        check(
            "MY_NON_NULL(1)\n  MY_API int f();",
            "MY_NON_NULL(1)\n  MY_API int f();",
        );
        check("FMT_BEGIN_NAMESPACE\nint f();", "int f();");
        check("MY_API\n\nint f();", "int f();");
        check("int a; int f();", "int f();");
        check("g(a,\n  SOME_FLAG\nint f();", "int f();");
    }

    #[test]
    fn comments_inside_of_directives_are_hidden() {
        check("#define A (3 /*a*/ + /*b*/ B)\n", &["/*a*/", "/*b*/"]);
        check("#define A 3 /* the end */\nint a /* b */ = 1;\n", &[]);
    }

    #[test]
    fn the_word_annotation_is_hidden_below_an_annotation() {
        let text = "@Target(X)\nannotation class A\n\nannotation class B\n";
        assert_eq!(annotation_words(text), vec![11..21]);
    }

    #[test]
    fn directives_between_cases_are_hidden() {
        let text = "switch a {\n  #if os(iOS)\ncase b: c()\n#else\n#endif\n}\n#available\n";
        let found: Vec<&str> = directives(text)
            .into_iter()
            .filter_map(|it| text.get(it))
            .collect();
        assert_eq!(found, ["#if os(iOS)", "#else", "#endif"]);
    }

    #[test]
    fn what_may_be_a_name_or_a_type_stays() {
        check(
            "DWORD x = 1;\nHANDLE f(void);\nFILE *file;\nBYTE const* ip;\n",
            &[],
        );
        check("enum a {\n  FIRST_ONE,\n  LAST_ONE\n};\n", &[]);
        check("#define A_B \\\n  C_D\n", &[]);
        check(
            "struct FOO bar;\nint a[MAX_SIZE];\nreturn A_B(1) + 2;\n",
            &[],
        );
        check("RET_TYPE\nfunction(void)\n{\n}\n", &[]);
        check("A_TEST(one, two)\n{\n}\n", &[]);
        check("f(a,\n  SOME_FLAG);\n", &[]);
    }
}
