//! What is wrong between files: rules that contradict or repeat each other, copies that have drifted apart, and how much
//! of a model's context each product's files take.
//!
//! Only rules that hold at the same place are compared: a folder may say otherwise than the folder above it.

mod directive;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use mk_clients::ClientId;
use mk_document::{Diagnostic, DocumentPosition, Severity};

use crate::glob::PathGlob;
use crate::place::ContentLayer;
use crate::rule::{Activation, RulesFile};
use directive::{Directive, directives};

/// A shorter line may well stand in two files.
const LEAST_REPEATED: usize = 30;
/// Files that share this part of their lines are copies of each other.
const COPY_PERCENT: usize = 60;
const LEAST_COPY_LINES: usize = 4;
/// Lines of a drift that are shown.
const MOST_SHOWN: usize = 3;

/// How much of a model's context the files of a product take, in tokens; an estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextShare {
    pub client: ClientId,
    pub files: usize,
    /// In every conversation.
    pub always: usize,
    /// When a file or a task calls for it.
    pub on_demand: usize,
}

pub(crate) fn context_shares(rules: &[Arc<RulesFile>]) -> Vec<ContextShare> {
    let mut shares: BTreeMap<ClientId, ContextShare> = BTreeMap::new();
    for rule in rules {
        for client in &rule.readers {
            let share = shares.entry(*client).or_insert_with(|| ContextShare {
                client: *client,
                files: 0,
                always: 0,
                on_demand: 0,
            });
            share.files += 1;
            let tokens = tokens(&rule.text);
            if holds_everywhere(rule) {
                share.always += tokens;
            } else {
                share.on_demand += tokens;
            }
        }
    }
    let mut shares: Vec<ContextShare> = shares.into_values().collect();
    shares.sort_by_key(|share| std::cmp::Reverse(share.always + share.on_demand));
    shares
}

/// Four letters of a Latin text are about a token, and so is one sign of another script.
fn tokens(text: &str) -> usize {
    let n_ascii = text.bytes().filter(u8::is_ascii).count();
    let n_other = text.chars().filter(|sign| !sign.is_ascii()).count();
    n_ascii.div_ceil(4) + n_other
}

fn holds_everywhere(rule: &RulesFile) -> bool {
    rule.activation == Activation::Always && rule.scope.is_empty() && rule.mode.is_none()
}

/// What is wrong between the rules that people wrote.
pub(crate) fn review(rules: &[Arc<RulesFile>]) -> Vec<Diagnostic> {
    let written: Vec<(&RulesFile, Vec<Directive<'_>>)> = rules
        .iter()
        .filter(|rule| rule.layer != ContentLayer::Embedded)
        .map(|rule| (&**rule, directives(&rule.text, rule.first_line)))
        .collect();
    let mut found = contradictions(&written);
    found.extend(repetitions(&written));
    found.extend(drifts(&written));
    found
}

type WrittenFiles<'a> = [(&'a RulesFile, Vec<Directive<'a>>)];

/// Whether two rules speak at the same place.
fn meet(left: &RulesFile, right: &RulesFile) -> bool {
    left.scope == right.scope
        && left.mode == right.mode
        && left.activation == right.activation
        && left
            .globs
            .iter()
            .map(PathGlob::as_str)
            .eq(right.globs.iter().map(PathGlob::as_str))
}

/// Whether some product reads both.
fn are_read_together(left: &RulesFile, right: &RulesFile) -> bool {
    let ours = |rule: &RulesFile| rule.readers.is_empty();
    ours(left) || ours(right) || left.readers.iter().any(|it| right.readers.contains(it))
}

fn contradictions(written: &WrittenFiles<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut said: Vec<(&RulesFile, &Directive<'_>)> = Vec::new();
    for (rule, directives) in written {
        for directive in directives {
            let against = said
                .iter()
                .find(|(other, earlier)| meet(other, rule) && earlier.contradicts(directive));
            if let Some((other, earlier)) = against {
                found.push(Diagnostic {
                    hint: Some("keep one of them".to_owned()),
                    ..warning(
                        rule,
                        directive.line,
                        format!(
                            "`{}` contradicts `{}` in {}:{}",
                            directive.text, earlier.text, other.file, earlier.line
                        ),
                    )
                });
            }
            if directive.is_comparable() {
                said.push((rule, directive));
            }
        }
    }
    found
}

fn repetitions(written: &WrittenFiles<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut first: HashMap<&str, (&RulesFile, u32)> = HashMap::new();
    for (rule, directives) in written {
        for directive in directives {
            if directive.text.chars().count() < LEAST_REPEATED {
                continue;
            }
            match first.get(directive.text) {
                Some((other, line)) if are_read_together(other, rule) && meet(other, rule) => {
                    found.push(Diagnostic {
                        hint: Some("say it once".to_owned()),
                        ..warning(
                            rule,
                            directive.line,
                            format!("`{}` is also in {}:{line}", directive.text, other.file),
                        )
                    });
                }
                Some(_) => {}
                None => {
                    first.insert(directive.text, (rule, directive.line));
                }
            }
        }
    }
    found
}

fn drifts(written: &WrittenFiles<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (place, (left, of_left)) in written.iter().enumerate() {
        for (right, of_right) in written.iter().skip(place + 1) {
            if !meet(left, right) || left.readers == right.readers || left.text == right.text {
                continue;
            }
            let lines = |directives: &[Directive<'_>]| -> HashSet<String> {
                directives.iter().map(|it| it.text.to_owned()).collect()
            };
            let (a, b) = (lines(of_left), lines(of_right));
            let least = a.len().min(b.len());
            let n_shared = a.intersection(&b).count();
            let are_copies = least >= LEAST_COPY_LINES && n_shared * 100 >= least * COPY_PERCENT;
            if !are_copies || n_shared == a.len().max(b.len()) {
                continue;
            }
            found.push(Diagnostic {
                hint: Some(format!(
                    "make {} a link to {}, or import it",
                    right.file, left.file
                )),
                ..warning(
                    right,
                    right.first_line,
                    format!(
                        "a copy of {} that has drifted: {}",
                        left.file,
                        differences(left, right, of_left, of_right)
                    ),
                )
            });
        }
    }
    found
}

fn differences(
    left: &RulesFile,
    right: &RulesFile,
    of_left: &[Directive<'_>],
    of_right: &[Directive<'_>],
) -> String {
    let only = |own: &[Directive<'_>], others: &[Directive<'_>], rule: &RulesFile| -> Vec<String> {
        own.iter()
            .filter(|it| others.iter().all(|other| other.text != it.text))
            .take(MOST_SHOWN)
            .map(|it| format!("only {}:{} says `{}`", rule.file, it.line, it.text))
            .collect()
    };
    let mut parts = only(of_left, of_right, left);
    parts.extend(only(of_right, of_left, right));
    parts.join("; ")
}

fn warning(rule: &RulesFile, line: u32, message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        file: rule.file.clone(),
        position: DocumentPosition { line, column: 1 },
        subject: None,
        message,
        hint: None,
    }
}
