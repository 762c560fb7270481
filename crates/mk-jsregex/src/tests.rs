//! Patterns answer as Node does. The expectations were checked with Node 20.

use crate::{MatchError, Pattern, PatternError};

#[path = "../examples/search.rs"]
mod example;

#[test]
fn the_example_is_true() {
    example::main().unwrap();
}

/// `subject` is in or out of the pattern, or the pattern is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Match,
    NoMatch,
    NotJavaScript,
    Unsupported(&'static str),
    TooLarge,
    NoAnswer,
}

use Expected::{Match, NoAnswer, NoMatch, NotJavaScript, TooLarge, Unsupported};

#[track_caller]
fn check(pattern: &str, subject: &str, expected: Expected) {
    let found = match Pattern::parse(pattern) {
        Ok(pattern) => match pattern.is_match(subject) {
            Ok(true) => Match,
            Ok(false) => NoMatch,
            Err(_) => NoAnswer,
        },
        Err(PatternError::NotJavaScript { .. }) => NotJavaScript,
        Err(PatternError::Unsupported { construct, .. }) => Unsupported(construct),
        Err(PatternError::TooLarge { .. } | PatternError::TooLong { .. }) => TooLarge,
    };
    assert_eq!(found, expected, "/{pattern}/ on {subject:?}");
}

#[track_caller]
fn check_hint(pattern: &str, part: &str) {
    let error = Pattern::parse(pattern).expect_err("the pattern is refused");
    let hint = error.hint().unwrap_or_default();
    assert!(
        hint.contains(part),
        "hint for /{pattern}/: {hint:?} ({error})"
    );
}

#[test]
fn mode_files_in_the_wild() {
    check(r"\.md$", "docs/a.md", Match);
    check(r"\.md$", "docs/a.mdx", NoMatch);
    check(r"\.(js|ts)$", "src/app.ts", Match);
    check(r"\.(js|ts)$", "src/app.tsx", NoMatch);
    check(r"^docs/", "docs/x", Match);
    check(r"^docs/", "src/docs/x", NoMatch);
    check(r".*\.(md|mdx|txt)$", "README.md", Match);
    check(
        r"(__tests__/.*|\.test\.(ts|tsx|js|jsx)$)",
        "a/__tests__/b",
        Match,
    );
    check(
        r"(__tests__/.*|\.test\.(ts|tsx|js|jsx)$)",
        "a.test.jsx",
        Match,
    );
    check(
        r"(__tests__/.*|\.test\.(ts|tsx|js|jsx)$)",
        "a.tests.jsx",
        NoMatch,
    );
    check(r"^(?!.*(test|spec))\.(js|ts)$", ".js", Match);
    // The recipe in Roo's documentation does not do what it says.
    check(r"^(?!.*(test|spec))\.(js|ts)$", "app.js", NoMatch);
    check(r"^(?!.*(test|spec)).*\.(js|ts)$", "app.js", Match);
    check(r"^(?!.*(test|spec)).*\.(js|ts)$", "app.spec.js", NoMatch);
    check(r"", "anything", Match);
    check(r"README", "README.md", Match);
}

#[test]
fn literals_and_anchors() {
    check("a", "xax", Match);
    check("A", "a", NoMatch);
    check("^a", "ba", NoMatch);
    check("a$", "ab", NoMatch);
    check("^$", "", Match);
    check("^$", "a", NoMatch);
    check("a$", "a\n", NoMatch);
    check("^b", "a\nb", NoMatch);
    check("日本", "日本.md", Match);
    check("é", "e", NoMatch);
    check("a^b", "a^b", NoMatch);
    check("a|^b", "b", Match);
    check("]", "a]", Match);
    check("}", "a}", Match);
    check("/", "a/b", Match);
    check("#a b", "#a b", Match);
}

#[test]
fn dot_excludes_the_four_line_ends() {
    check("^.$", "a", Match);
    check("^.$", "é", Match);
    check("^.$", "\n", NoMatch);
    check("^.$", "\r", NoMatch);
    check("^.$", "\u{2028}", NoMatch);
    check("^.$", "\u{2029}", NoMatch);
    check("^.$", "\u{85}", Match);
    check("a.b", "a\nb", NoMatch);
}

#[test]
fn quantifiers_and_literal_braces() {
    check("^a*$", "", Match);
    check("^a+$", "", NoMatch);
    check("^a?b$", "b", Match);
    check("^a{2}$", "aa", Match);
    check("^a{2}$", "aaa", NoMatch);
    check("^a{2,}$", "aaaa", Match);
    check("^a{2,3}$", "aaaa", NoMatch);
    check("^a*?b$", "aab", Match);
    check("^a+?$", "aaa", Match);
    check("^a??$", "a", Match);
    check("^a{1,2}?$", "aa", Match);
    check("^a{0}b$", "b", Match);
    check("^a{,2}$", "a{,2}", Match);
    check("^a{,2}$", "aa", NoMatch);
    check("a{", "a{", Match);
    check("a{1", "a{1", Match);
    check("a{x}", "a{x}", Match);
    check("{a}", "{a}", Match);
    check("x{2,1}", "", NotJavaScript);
    check("{1}", "", NotJavaScript);
    check("a{1}{2}", "", NotJavaScript);
    check("*", "", NotJavaScript);
    check("a**", "", NotJavaScript);
    check("a++", "", NotJavaScript);
    check("^*", "", NotJavaScript);
    check("$+", "", NotJavaScript);
    check(r"\b{1}", "", NotJavaScript);
    check(r"\b+", "", NotJavaScript);
    check(r"(?:\b)+a", "a", Match);
    check("(?:^)*a", "ba", Match);
    check("(?:a*)*$", "aaab", Match);
}

#[test]
fn groups_and_alternation() {
    check("^(a|b)c$", "bc", Match);
    check("^(?:a|b)c$", "cc", NoMatch);
    check("^(?<name>a)c$", "ac", Match);
    check("^(?<a>x)(?<b>y)$", "xy", Match);
    check("a|", "zzz", Match);
    check("^(|a)b$", "b", Match);
    check("^()$", "", Match);
    check("(?<a>x)(?<a>y)", "", NotJavaScript);
    check("(?<a>x)|(?<a>y)", "", NotJavaScript);
    check("(?<1>x)", "", NotJavaScript);
    check("(a", "", NotJavaScript);
    check("a)", "", NotJavaScript);
    check("(?P<name>a)", "", NotJavaScript);
    check("(?>a)", "", NotJavaScript);
    check("(?i)a", "", NotJavaScript);
    check("(?#c)", "", NotJavaScript);
}

#[test]
fn class_escapes_are_ascii_where_javascript_is() {
    check(r"^\d$", "7", Match);
    check(r"^\d$", "\u{663}", NoMatch);
    check(r"^\D$", "\u{663}", Match);
    check(r"^\w$", "_", Match);
    check(r"^\w$", "é", NoMatch);
    check(r"^\w$", "\u{17F}", NoMatch);
    check(r"^\W$", "é", Match);
    check(r"^\s$", "\u{A0}", Match);
    check(r"^\s$", "\u{FEFF}", Match);
    check(r"^\s$", "\u{2028}", Match);
    check(r"^\s$", "\u{85}", NoMatch);
    check(r"^\s$", "\u{180E}", NoMatch);
    check(r"^\S$", "\u{3000}", NoMatch);
    check(r"^\S$", "\u{85}", Match);
    check(r"\bmd\b", "a.md", Match);
    check(r"\bmd\b", "amd", NoMatch);
    check(r"a\b", "aé", Match);
    check(r"a\B", "ab", Match);
    check(r"a\B", "a.", NoMatch);
    check(r"\B", "", Match);
    check(r"\b", "", NoMatch);
    check(r"\bx(?=y)", "a xy", Match);
    check(r"\bx(?=y)", "axy", NoMatch);
}

#[test]
fn classes() {
    check("^[abc]$", "b", Match);
    check("^[^abc]$", "b", NoMatch);
    check("^[^abc]$", "\n", Match);
    check("^[a-c]$", "b", Match);
    check("^[a-]$", "-", Match);
    check("^[-a]$", "-", Match);
    check(r"^[\w-.]$", "-", Match);
    check(r"^[\w-.]$", ".", Match);
    check(r"^[\w-.]$", "/", NoMatch);
    check(r"^[a-\d]$", "-", Match);
    check(r"^[a-\d]$", "b", NoMatch);
    check(r"^[\d-z]$", "a", NoMatch);
    check("[]", "a", NoMatch);
    check("a[]|b", "b", Match);
    check("^[^]$", "\n", Match);
    check("^[^]$", "", NoMatch);
    check("^[a&&b]$", "&", Match);
    check("^[a&&b]$", "b", Match);
    check("^[a--b]$", "", NotJavaScript);
    check("^[a~~b]$", "~", Match);
    check("^[[:alpha:]]$", ":]", Match);
    check("^[[:alpha:]]$", "a", NoMatch);
    check("^[[]$", "[", Match);
    check(r"^[\]]$", "]", Match);
    check(r"^[\b]$", "\u{8}", Match);
    check(r"^[\b]$", "b", NoMatch);
    check(r"^[\W]$", "é", Match);
    check(r"^[^\W]$", "é", NoMatch);
    check(r"^[\s\S]$", "\n", Match);
    check("^[.]$", "a", NoMatch);
    check("^[(|)*+?$^]$", "|", Match);
    check(r"^[\x41-\x43]$", "B", Match);
    check(r"^[\u0410-\u044f]+$", "Привет", Match);
    check("[z-a]", "", NotJavaScript);
    check("[a", "", NotJavaScript);
}

#[test]
fn character_escapes() {
    check(r"^\x61$", "a", Match);
    check(r"^\u0061$", "a", Match);
    check(r"^\t\n\r\f\v$", "\t\n\r\u{c}\u{b}", Match);
    check(r"^\.\/\-\_\ \!$", "./-_ !", Match);
    check(r"^\(\)\[\]\{\}\*\+\?\^\$\|\\$", r"()[]{}*+?^$|\", Match);
    check(r"^\<\>$", "<>", Match);
    check(r"\&\&", "a && b", Match);
    check(r"\", "", NotJavaScript);
}

#[test]
fn look_around() {
    check("a(?=b)", "ab", Match);
    check("a(?=b)", "ac", NoMatch);
    check("a(?!b)", "ab", NoMatch);
    check("a(?!b)", "a", Match);
    check("(?<=a)b", "ab", Match);
    check("(?<=a)b", "cb", NoMatch);
    check("(?<!a)b", "ab", NoMatch);
    check("(?<!a)b", "b", Match);
    check("(?<=^|/)test", "a/test", Match);
    check("(?<=^|/)test", "atest", NoMatch);
    check("(?<!foo|quux)bar", "quuxbar", NoMatch);
    check("(?<!foo|quux)bar", "uxbar", Match);
    check(r"(?<!\.test)\.ts$", "a.ts", Match);
    check(r"(?<!\.test)\.ts$", "a.test.ts", NoMatch);
    check(r"^(?=.*\.md$)(?!.*secret)", "docs/a.md", Match);
    check(r"^(?=.*\.md$)(?!.*secret)", "secret/a.md", NoMatch);
    check("(?=a)*b", "b", Match);
    check("(?=a){2}a", "a", Match);
    check("(?:(?=a)a)+b", "aab", Match);
    check("(?!)", "a", NoMatch);
    check("(?=)", "", Match);
    check("(?<=a)*", "", NotJavaScript);
    check(
        "(?<=a+)b",
        "ab",
        Unsupported("a look-behind of varying length"),
    );
    check(
        "(?<!x(a|bc))d",
        "d",
        Unsupported("a look-behind of varying length"),
    );
}

#[test]
fn a_character_beyond_the_bmp_is_two() {
    check("^.$", "😀", NoMatch);
    check("^..$", "😀", Match);
    check("^[^a]{2}$", "😀", Match);
    check(r"^\ud83d\ude00$", "😀", Match);
    check(r"^[\ud800-\udbff]", "😀", Match);
    check(r"[\ud800-\udfff]", "日本", NoMatch);
    check(r"^\W\W$", "😀", Match);
    check(r"(?<=\ud83d)\ude00", "😀", Match);
    check(
        "😀",
        "😀",
        Unsupported("a character that is two in JavaScript"),
    );
    check(
        "[😀]",
        "😀",
        Unsupported("a character that is two in JavaScript"),
    );
}

#[test]
fn what_cannot_be_reproduced_is_refused() {
    check(r"(a)\1", "", Unsupported("a backreference"));
    check(r"\1", "", Unsupported("a backreference"));
    check(r"(?<n>a)\k<n>", "", Unsupported("a named backreference"));
    check(r"\k", "", Unsupported("a named backreference"));
    check(r"\p{L}", "", Unsupported("a Unicode property"));
    check(r"[\P{L}]", "", Unsupported("a Unicode property"));
    check(r"\0", "", Unsupported("an octal escape"));
    check(r"\cA", "", Unsupported("a control escape"));
    check(
        r"\a",
        "",
        Unsupported("an escaped letter without a meaning"),
    );
    check(
        r"\Aabc\z",
        "",
        Unsupported("an escaped letter without a meaning"),
    );
    check(
        r"[\B]",
        "",
        Unsupported("an escaped letter without a meaning"),
    );
    check(
        r"\x6",
        "",
        Unsupported("an incomplete `\\x` or `\\u` escape"),
    );
    check(
        r"\x+1",
        "",
        Unsupported("an incomplete `\\x` or `\\u` escape"),
    );
    check(
        r"\u{61}",
        "",
        Unsupported("an incomplete `\\x` or `\\u` escape"),
    );
}

#[test]
fn hostile_patterns_cost_little() {
    let many = "a".repeat(60_000);
    check("^(a+)+$", &format!("{many}!"), NoMatch);
    check("(a|aa)+$", &format!("{many}!"), NoMatch);
    check("(.*)*x", &many, NoMatch);
    check("^(?=(a+)+$)", &format!("{}!", "a".repeat(30)), NoMatch);
    check(
        r"(?:\B|a)*(?:a|\B)*(?:a|a)*(?:a\B|a)*$x",
        &"a".repeat(99),
        NoAnswer,
    );
    check("(?=a)", &many, NoAnswer);
    check("a", &"a".repeat(70_000), NoAnswer);
    check("a{99999999999}", "", TooLarge);
    check("(((a{99}){99}){99}){99}", "", TooLarge);
    check("(?=((a{99}){99}){99})", "", TooLarge);
    check(&"a".repeat(5000), "", TooLarge);
    check(
        &format!("{}a{}", "(?:".repeat(31), ")*".repeat(31)),
        "",
        TooLarge,
    );
    check(
        &format!("{}a{}", "(?:".repeat(30), ")*".repeat(30)),
        "b",
        Match,
    );
    check(
        &format!("{}(?=a)a{}b", "(?:".repeat(29), ")+".repeat(29)),
        "c",
        NoMatch,
    );
    check(&"(".repeat(4000), "", NotJavaScript);
}

#[test]
fn every_accepted_size_compiles() {
    for atom in [
        "a", r"\w", r"\s", r"\S", r"\W", ".", "[^a]", "[^]", "[é-日]", "(?:a?b?)",
    ] {
        for prefix in ["", "(?=x)"] {
            let largest = (1..7000)
                .rev()
                .step_by(50)
                .find_map(|count| Pattern::parse(&format!("{prefix}(?:{atom}){{{count}}}")).ok());
            let pattern = largest.expect("some size is accepted");
            assert!(pattern.is_match("").is_ok(), "{}", pattern.source());
        }
    }
}

#[test]
fn hints_name_the_other_way_to_write_it() {
    check_hint("*.md", r"write `\.md$` or use the key `glob`");
    check_hint("**/*.md", r"write `\.md$`");
    check_hint("*.{js,ts}", r"write `\.(js|ts)$`");
    check_hint("docs/**", "write `^docs/`");
    check_hint("docs/**/*.md", r"write `^docs/.*\.md$`");
    check_hint("**", "use the key `glob`");
    check_hint("*test*", "use the key `glob`");
    check_hint("(?i)readme", "write both cases");
    check_hint("(?i:readme)", "write both cases");
    check_hint("(?s)a.b", "remove it");
    check_hint("(?P<name>a)", "(?<name>");
    check_hint("a++", "possessive");
    check_hint("(?>a)", "atomic");
    check_hint(r"\Aabc", "`^`");
    check_hint(r"abc\z", "`$`");
    check_hint(r"\p{L}", "[A-Za-z]");
    check_hint(r"(a)\1", "write the repeated text out");
    check_hint("(?<=a*)b", "fixed length");
}

#[test]
fn errors_say_where() {
    let error = Pattern::parse(r"docs/(a)\1").expect_err("refused");
    assert_eq!(
        error.to_string(),
        r"`docs/(a)\1` uses a backreference at character 10, which is not supported"
    );
    let error = Pattern::parse("(a").expect_err("refused");
    assert!(
        error
            .to_string()
            .starts_with("`(a` is not a JavaScript regular expression: ")
    );
    assert_eq!(error.hint(), None);
    let pattern = Pattern::parse("(?=a)").expect("accepted");
    assert_eq!(pattern.source(), "(?=a)");
    assert!(matches!(
        pattern.is_match(&"b".repeat(9000)),
        Err(MatchError::SubjectTooLong { limit: 8192, .. })
    ));
}
