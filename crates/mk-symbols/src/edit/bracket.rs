//! Brackets of C and C++ as they are written, before anybody has expanded a macro.
//!
//! What macros and directives make of a text only a compiler knows, so most of what a grammar cannot read is right all
//! the same. Brackets close in what is written too, whichever branch of a directive counts.

use std::sync::LazyLock;

use regex::Regex;

/// A bracket that is not closed, or closes nothing: where, and what there is to say.
pub(super) type UnevenBracket = (usize, String);

/// Of two branches the one that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Branch {
    First,
    Last,
}

/// A word in capital letters that is no constant of one letter, or a directive that chooses.
static MACRO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^[ \t]*#[ \t]*(?:if|define)|\b[A-Z][A-Z0-9]*_?[A-Z0-9_]+\b").ok()
});

/// Whether a text may mean something else than what is written.
pub(super) fn has_macros(text: &str) -> bool {
    MACRO.as_ref().is_none_or(|it| it.is_match(text))
}

/// Brackets that do not close; none if they do when only the first branches, or only the last ones, count.
pub(super) fn uneven_brackets(text: &str) -> Vec<UnevenBracket> {
    let first = uneven(text, Branch::First);
    if first.is_empty() || uneven(text, Branch::Last).is_empty() {
        return Vec::new();
    }
    first
}

fn uneven(text: &str, counts: Branch) -> Vec<UnevenBracket> {
    let mut scan = BracketScan {
        bytes: text.as_bytes(),
        at: 0,
        is_line_start: true,
        branches: Vec::new(),
        open: Vec::new(),
        uneven: Vec::new(),
        counts,
    };
    while scan.step() {}
    let open = scan.open.iter().map(|(at, bracket)| {
        let message = format!("`{}` is not closed", char::from(*bracket));
        (*at, message)
    });
    let mut uneven: Vec<UnevenBracket> = open.collect();
    uneven.extend(scan.uneven);
    uneven.sort_by_key(|(at, _)| *at);
    uneven
}

/// A directive that chooses, and whether what is read counts.
struct Choice {
    /// Of `#if 0`, nothing counts before an `#else`.
    is_never: bool,
    in_first: bool,
    /// What was open before it, and how much was uneven: each branch begins there.
    open: Vec<(usize, u8)>,
    n_uneven: usize,
}

struct BracketScan<'a> {
    bytes: &'a [u8],
    at: usize,
    is_line_start: bool,
    branches: Vec<Choice>,
    open: Vec<(usize, u8)>,
    uneven: Vec<UnevenBracket>,
    counts: Branch,
}

impl BracketScan<'_> {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Reads what comes next; `false` at the end.
    fn step(&mut self) -> bool {
        let Some(byte) = self.bytes.get(self.at).copied() else {
            return false;
        };
        let was_line_start = self.is_line_start;
        self.is_line_start = byte == b'\n' || was_line_start && byte.is_ascii_whitespace();
        match byte {
            b'#' if was_line_start => self.directive(),
            b'/' if self.rest().starts_with(b"//") => self.at = self.line_end(),
            b'/' if self.rest().starts_with(b"/*") => self.skip_past(b"*/", 2),
            b'"' if self.is_raw() => self.raw_string(),
            b'"' => self.quoted(b'"'),
            // `1'000` is a number.
            b'\'' if self.is_in_number() => self.at += 1,
            b'\'' => self.quoted(b'\''),
            b'(' | b'[' | b'{' => {
                if self.does_count() {
                    self.open.push((self.at, byte));
                }
                self.at += 1;
            }
            b')' | b']' | b'}' => {
                if self.does_count() {
                    self.close(byte);
                }
                self.at += 1;
            }
            _ => self.at += 1,
        }
        true
    }

    fn does_count(&self) -> bool {
        self.branches.iter().all(|choice| {
            let is_wanted = match self.counts {
                Branch::First => choice.in_first,
                // What the branch before did is taken back when the next one begins.
                Branch::Last => true,
            };
            is_wanted && !choice.is_never
        })
    }

    fn close(&mut self, byte: u8) {
        let opening = match byte {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        if self.open.last().is_some_and(|(_, open)| *open == opening) {
            self.open.pop();
        } else {
            let message = format!("`{}` closes nothing", char::from(byte));
            self.uneven.push((self.at, message));
        }
    }

    fn directive(&mut self) {
        let end = self.directive_end();
        let line = self.bytes.get(self.at + 1..end).unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_whitespace();
        match words.next().unwrap_or_default() {
            "if" | "ifdef" | "ifndef" => self.branches.push(Choice {
                is_never: words.next() == Some("0"),
                in_first: true,
                open: self.open.clone(),
                n_uneven: self.uneven.len(),
            }),
            "else" | "elif" | "elifdef" | "elifndef" => {
                if let Some(choice) = self.branches.last_mut() {
                    // After `#if 0` the second branch is the first that counts.
                    choice.in_first = choice.is_never;
                    choice.is_never = false;
                    if self.counts == Branch::Last {
                        self.open.clone_from(&choice.open);
                        self.uneven.truncate(choice.n_uneven);
                    }
                }
            }
            "endif" => {
                self.branches.pop();
            }
            _ => {}
        }
        self.at = end;
    }

    /// Behind the last line that a backslash makes part of it, and behind a comment that goes on below it.
    fn directive_end(&self) -> usize {
        let end = self.last_line_end();
        let line = self.bytes.get(self.at..end).unwrap_or_default();
        let last = |mark: &[u8]| line.windows(mark.len()).rposition(|it| it == mark);
        match (last(b"/*"), last(b"*/")) {
            (Some(begin), close) if close.is_none_or(|close| close < begin) => {
                let rest = self.bytes.get(end..).unwrap_or_default();
                let close = rest.windows(2).position(|it| it == b"*/");
                close.map_or(self.bytes.len(), |close| end + close + 2)
            }
            _ => end,
        }
    }

    fn last_line_end(&self) -> usize {
        let mut at = self.at;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let Some(length) = rest.iter().position(|byte| *byte == b'\n') else {
                return self.bytes.len();
            };
            let line = rest.get(..length).unwrap_or_default();
            at += length;
            if !line.trim_ascii_end().ends_with(b"\\") {
                return at;
            }
            at += 1;
        }
    }

    fn line_end(&self) -> usize {
        let length = self.rest().iter().position(|byte| *byte == b'\n');
        length.map_or(self.bytes.len(), |length| self.at + length)
    }

    fn skip_past(&mut self, mark: &[u8], from: usize) {
        let rest = self.rest().get(from..).unwrap_or_default();
        let found = rest.windows(mark.len()).position(|it| it == mark);
        self.at = found.map_or(self.bytes.len(), |found| {
            self.at + from + found + mark.len()
        });
    }

    /// A string or character ends with its line at the latest: in what is left out there may be an apostrophe.
    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            match byte {
                b'\\' => self.at += 2,
                b'\n' => return,
                _ if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    fn before(&self) -> Option<u8> {
        let position = self.at.checked_sub(1)?;
        self.bytes.get(position).copied()
    }

    /// Whether the word that ends here is a number.
    fn is_in_number(&self) -> bool {
        let before = self.bytes.get(..self.at).unwrap_or_default();
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'\'';
        let first = before.iter().rev().take_while(is_part).last();
        first.is_some_and(u8::is_ascii_digit)
    }

    /// `R"(…)"`.
    fn is_raw(&self) -> bool {
        self.before() == Some(b'R')
    }

    fn raw_string(&mut self) {
        let rest = self.rest().get(1..).unwrap_or_default();
        let Some(length) = rest.iter().position(|byte| *byte == b'(') else {
            self.at += 1;
            return;
        };
        let mut end = vec![b')'];
        end.extend(rest.get(..length).unwrap_or_default());
        end.push(b'"');
        self.skip_past(&end, 1 + length);
    }
}

#[cfg(test)]
mod tests {
    use super::{has_macros, uneven_brackets};

    #[track_caller]
    fn check(text: &str, expected: &[(usize, &str)]) {
        let found = uneven_brackets(text);
        let found: Vec<(usize, &str)> = found.iter().map(|(at, it)| (*at, it.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn brackets_close_in_what_is_written() {
        check("int f(int a[2]) { return a[0]; }\n", &[]);
        check("int f() {\n", &[(8, "`{` is not closed")]);
        check("int f() }\n", &[(8, "`}` closes nothing")]);
        check(
            "f(a];\n",
            &[(1, "`(` is not closed"), (3, "`]` closes nothing")],
        );
    }

    #[test]
    fn strings_comments_and_numbers_hold_no_brackets() {
        check(
            "char a = '('; // (\nconst char *b = \"(\\\"{\"; /* { */\n",
            &[],
        );
        check(
            "auto a = R\"x(({ )\" )x\"; int b = 1'000;\nswitch (c) { case'a': f(0, '('); }\n",
            &[],
        );
        check("#define A 1 /* one (of\n  two) */\nint a;\n", &[]);
        check(
            "#define OPEN namespace a {\n#define TWO ( \\\n  {\nint a;\n",
            &[],
        );
    }

    #[test]
    fn one_branch_of_a_choice_counts() {
        check("#if A\nif (a) {\n#else\nif (b) {\n#endif\n}\n", &[]);
        check(
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a;\n#ifdef __cplusplus\n}\n#endif\n",
            &[],
        );
        check("#if 0\nisn't this ({\n#endif\nint a;\n", &[]);
        check("#if A\n}\n#else\n}\n#endif\n", &[(6, "`}` closes nothing")]);
    }

    #[test]
    fn a_text_without_macros_means_what_is_written() {
        assert!(!has_macros("#include <a.h>\nstruct Point { int x; };\n"));
        assert!(has_macros("FMT_API void f();\n"));
        assert!(has_macros("int a[] = {16 KB};\n"));
        assert!(has_macros("#ifdef A\n#endif\n"));
    }
}
