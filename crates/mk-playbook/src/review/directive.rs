//! Single demands of a rules file, made comparable: what they are about, whether they forbid it, what they choose.

use crate::import::IMPORTED;

/// A line of a rules file that asks for something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directive<'a> {
    /// As written, without the mark of a list.
    pub(super) text: &'a str,
    pub(super) line: u32,
    forbids: bool,
    /// Words that say what it is about, sorted.
    subject: Vec<String>,
    /// Which of several things that exclude each other it asks for.
    choices: Vec<(usize, usize)>,
    /// A number and what it counts.
    numbers: Vec<(&'static str, u32)>,
}

/// Things of which a project uses one.
const CHOICES: [&[&str]; 11] = [
    &["npm", "pnpm", "yarn", "bun"],
    &["tabs", "spaces"],
    &["single quotes", "double quotes"],
    &["jest", "vitest", "mocha"],
    &["pytest", "unittest"],
    &["poetry", "pipenv", "uv", "conda"],
    &["mypy", "pyright"],
    &["gradle", "maven"],
    &["prettier", "biome"],
    &["rebase", "merge commits"],
    &["snake_case", "camelcase", "kebab-case"],
];
/// What is counted, and the words that say so.
const COUNTED: [(&str, &[&str]); 4] = [
    (
        "line length",
        &[
            "line length",
            "columns",
            "characters per line",
            "line width",
        ],
    ),
    ("indent", &["spaces", "indent"]),
    ("coverage", &["coverage"]),
    (
        "function length",
        &["lines per function", "function length"],
    ),
];
const ASKING: [&str; 12] = [
    "use", "prefer", "run", "with", "indent", "install", "write", "format", "test", "name",
    "always", "only",
];
const FORBIDDING: [&str; 11] = [
    "never",
    "not",
    "don't",
    "dont",
    "avoid",
    "no",
    "without",
    "forbidden",
    "instead",
    "cannot",
    "disallow",
];
const SMALL: [&str; 42] = [
    "always", "must", "should", "please", "the", "a", "an", "to", "use", "using", "prefer", "do",
    "be", "any", "in", "for", "of", "and", "or", "is", "are", "new", "all", "every", "we", "you",
    "it", "this", "that", "with", "on", "at", "our", "your", "write", "only", "may", "can", "will",
    "here", "by", "allowed",
];
const LONGEST_SUBJECT: usize = 6;

impl Directive<'_> {
    /// Whether it says enough to be compared.
    pub(super) fn is_comparable(&self) -> bool {
        !self.choices.is_empty() || !self.numbers.is_empty() || !self.subject.is_empty()
    }

    pub(super) fn contradicts(&self, other: &Self) -> bool {
        let same_subject = !self.subject.is_empty()
            && self.subject.len() <= LONGEST_SUBJECT
            && self.subject == other.subject
            && self.forbids != other.forbids;
        let other_choice = !self.forbids
            && !other.forbids
            && self.choices.iter().any(|(group, choice)| {
                let same = other.choices.iter().find(|(it, _)| it == group);
                same.is_some_and(|(_, it)| it != choice)
            });
        let other_number = self.numbers.iter().any(|(counted, number)| {
            let same = other.numbers.iter().find(|(it, _)| it == counted);
            same.is_some_and(|(_, it)| it != number)
        });
        same_subject || other_choice || other_number
    }
}

/// The demands of a text whose first line has this number; what is in code blocks and headings asks for nothing.
pub(super) fn directives(text: &str, first_line: u32) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (number, line) in (first_line..).zip(text.lines()) {
        let line = line.trim();
        // What follows is reviewed where it stands.
        if line.starts_with(IMPORTED) {
            break;
        }
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced || line.starts_with('#') || line.starts_with('|') || line.starts_with("<!--") {
            continue;
        }
        let text = line
            .trim_start_matches(|sign: char| {
                matches!(sign, '-' | '*' | '+' | '.' | ')' | ' ') || sign.is_ascii_digit()
            })
            .trim();
        if text.chars().filter(|sign| sign.is_alphabetic()).count() >= 4 {
            found.push(directive(text, number));
        }
    }
    found
}

fn directive(text: &str, line: u32) -> Directive<'_> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '\'' | '_' | '-')))
        .filter(|word| !word.is_empty())
        .collect();
    let forbids = words.iter().any(|word| FORBIDDING.contains(word));
    let asks = words.iter().any(|word| ASKING.contains(word));
    let mut subject: Vec<String> = words
        .iter()
        .filter(|word| !SMALL.contains(word) && !FORBIDDING.contains(word))
        .map(|word| word.strip_suffix('s').unwrap_or(word).to_owned())
        .collect();
    subject.sort();
    subject.dedup();
    let joined = words.join(" ");
    let has = |phrase: &str| {
        joined
            .split(phrase)
            .zip(joined.split(phrase).skip(1))
            .any(|(before, after)| {
                (before.is_empty() || before.ends_with(' '))
                    && (after.is_empty() || after.starts_with(' '))
            })
    };
    let mut choices = Vec::new();
    if asks {
        for (group, names) in CHOICES.iter().enumerate() {
            let chosen: Vec<usize> = names
                .iter()
                .enumerate()
                .filter(|(_, name)| has(name))
                .map(|(choice, _)| choice)
                .collect();
            if let [choice] = chosen.as_slice() {
                choices.push((group, *choice));
            }
        }
    }
    let number = words.iter().find_map(|word| word.parse::<u32>().ok());
    let numbers = COUNTED
        .iter()
        .filter(|(_, phrases)| phrases.iter().any(|phrase| has(phrase)))
        .filter_map(|(counted, _)| Some((*counted, number?)))
        .collect();
    Directive {
        text,
        line,
        forbids,
        subject,
        choices,
        numbers,
    }
}
