//! `analyze_task`: what a task is, how much can go wrong, and who and what should be consulted.
//!
//! It looks at the prompt and at the names of the files, never into them, and decides by content (`content/playbook/analysis.yaml`).

mod path;
mod table;

use std::fmt;

use serde::Deserialize;

use crate::parse_mode::KeywordMode;
use crate::parse_mode::phrases::SubjectEvidence;
use crate::reading::PromptReading;
use crate::segment::PastedPart;
use crate::text::{PromptText, Script};
use table::{TABLE, Topic};

const MOST_KEYWORDS: usize = 5;
const MOST_SPECIALISTS: usize = 4;
const MOST_SUGGESTIONS: usize = 5;
/// Shorter words of a prompt that no table knows are mostly small words.
const SHORTEST_KEYWORD: usize = 4;
/// A file is better evidence of what is touched than a word.
const FILE_SCORE: u32 = 2;

/// What kind of work is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    BugFix,
    Refactoring,
    CodeReview,
    Testing,
    Documentation,
    PerformanceOptimization,
    SecurityHardening,
    FeatureDevelopment,
    #[default]
    Unknown,
}

/// Which part of a product it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum TaskCategory {
    Authentication,
    Payment,
    Api,
    Ui,
    Data,
    Testing,
    Infrastructure,
    #[default]
    General,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Complexity {
    Low,
    Medium,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    #[default]
    Low,
    Medium,
    High,
    Critical,
}

/// How much can go wrong, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    pub level: RiskLevel,
    pub factors: Vec<&'static str>,
    /// A sentence without its full stop, in English.
    pub reason: String,
}

/// A specialist to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    pub name: &'static str,
    pub reason: String,
    /// Lower is more urgent, from 1.
    pub priority: usize,
}

/// One phase of the work and what to look at in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    pub mode: KeywordMode,
    pub focus: &'static [String],
}

/// What a task's description and files say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskAnalysis {
    pub intent: Intent,
    pub category: TaskCategory,
    pub complexity: Complexity,
    /// Words as they were typed.
    pub keywords: Vec<String>,
    pub risk: Risk,
    /// Domains of checklists.
    pub checklists: Vec<&'static str>,
    /// Words by which projects name the directories of what the task touches; of files that are not named yet.
    pub areas: Vec<&'static str>,
    pub specialists: Vec<Advice>,
    pub suggestions: Vec<&'static str>,
    /// From the current mode on.
    pub phases: Vec<Phase>,
}

/// Analyses a task.
pub fn analyze_task(prompt: &str, files: &[String], mode: Option<KeywordMode>) -> TaskAnalysis {
    analyze_reading(&PromptReading::of(prompt), files, mode)
}

/// Analyses a task whose description was read before.
pub fn analyze_reading(
    reading: &PromptReading<'_>,
    files: &[String],
    mode: Option<KeywordMode>,
) -> TaskAnalysis {
    let PromptReading {
        prompt,
        segments,
        spoken: texts,
    } = reading;
    let mut intents = Vec::new();
    let mut intent = Intent::Unknown;
    for text in texts {
        intents = TABLE.intents.weigh(text);
        intent = intent_of(&intents);
        if intent != Intent::Unknown {
            break;
        }
    }
    if intent == Intent::Unknown {
        intent = intent_of_paste(segments.pasted);
    }
    let topics = found_topics(texts, files);
    let n_spoken = segments.spoken().map(str::len).sum();
    let complexity = complexity_of(n_spoken, files, &topics);
    let workflow = TABLE.workflow(intent);
    let sections = [
        (KeywordMode::Plan, workflow.plan.as_slice()),
        (KeywordMode::Act, workflow.act.as_slice()),
        (KeywordMode::Eval, workflow.eval.as_slice()),
    ];
    let phases = sections
        .into_iter()
        .skip_while(|(phase, _)| {
            mode.is_some_and(|mode| mode != KeywordMode::Auto && mode != *phase)
        })
        .map(|(mode, focus)| Phase { mode, focus })
        .collect();
    TaskAnalysis {
        intent,
        category: category_of(intent, &topics),
        complexity,
        keywords: owned(&keywords(prompt, texts, &intents, &topics)),
        risk: risk_of(intent, complexity, &topics),
        checklists: checklists(intent, &topics),
        areas: areas(&topics),
        specialists: specialists(intent, &topics),
        suggestions: suggestions(&workflow.suggestions, &topics),
        phases,
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A topic that the task touches.
struct TouchedTopic<'a> {
    topic: &'static Topic,
    typed: Vec<&'a str>,
    /// The first file that belongs to it.
    file: Option<&'a str>,
    score: u32,
}

/// In the table's order, which goes from the dangerous to the harmless.
fn found_topics<'a>(texts: &[PromptText<'a>], files: &'a [String]) -> Vec<TouchedTopic<'a>> {
    let touched = path::touched(files);
    let spoken = TABLE.topic_index.weigh_all(texts);
    TABLE
        .topics
        .iter()
        .zip(spoken)
        .zip(touched)
        .map(|((topic, evidence), file)| TouchedTopic {
            topic,
            score: evidence.score + if file.is_some() { FILE_SCORE } else { 0 },
            typed: evidence.typed,
            file,
        })
        .filter(|found| found.score > 0)
        .collect()
}

/// The intent with the most evidence; the table's order decides between equals.
fn intent_of(evidence: &[SubjectEvidence<'_>]) -> Intent {
    evidence
        .iter()
        .zip(&TABLE.intent_names)
        .filter(|(evidence, _)| evidence.score > 0)
        .rev()
        .max_by_key(|(evidence, _)| evidence.score)
        .map_or(Intent::Unknown, |(_, intent)| *intent)
}

/// What the kind of a paste asks for, where nothing is said.
fn intent_of_paste(pasted: PastedPart) -> Intent {
    match pasted {
        PastedPart { diff: true, .. } => Intent::CodeReview,
        PastedPart { trace: true, .. }
        | PastedPart {
            failing_log: true, ..
        } => Intent::BugFix,
        _ => Intent::Unknown,
    }
}

fn category_of(intent: Intent, topics: &[TouchedTopic<'_>]) -> TaskCategory {
    match intent {
        Intent::Testing => TaskCategory::Testing,
        _ => topics
            .iter()
            .filter(|found| found.topic.category != TaskCategory::General)
            .rev()
            .max_by_key(|found| found.score)
            .map_or(TaskCategory::General, |found| found.topic.category),
    }
}

fn complexity_of(n_spoken: usize, files: &[String], topics: &[TouchedTopic<'_>]) -> Complexity {
    let risky = topics
        .iter()
        .filter(|found| found.topic.level >= RiskLevel::Medium)
        .count();
    if files.len() > 5 || risky > 3 || has(topics, "scale") {
        Complexity::High
    } else if files.len() > 2 || risky > 1 || has(topics, "migration") || n_spoken > 600 {
        Complexity::Medium
    } else {
        Complexity::Low
    }
}

fn has(topics: &[TouchedTopic<'_>], name: &str) -> bool {
    topics.iter().any(|found| found.topic.topic == name)
}

fn risk_of(intent: Intent, complexity: Complexity, topics: &[TouchedTopic<'_>]) -> Risk {
    let mut level = topics
        .iter()
        .map(|found| found.topic.level)
        .max()
        .unwrap_or_default();
    let mut factors: Vec<&'static str> = Vec::new();
    // Deleting is an everyday word; what is deleted makes it dangerous.
    let deletes_data = has(topics, "deletion")
        && ["records", "data", "personal-data", "production"]
            .iter()
            .any(|name| has(topics, name));
    if deletes_data {
        level = RiskLevel::Critical;
        factors.push("data-loss");
    }
    for found in topics {
        push_new(&mut factors, found.topic.factors.iter().map(String::as_str));
    }
    if complexity == Complexity::High {
        level = level.max(RiskLevel::Medium);
        push_new(&mut factors, ["large-change"]);
    }
    // Words about a dangerous thing are not the thing.
    if matches!(intent, Intent::Documentation | Intent::Testing) {
        let in_files = topics
            .iter()
            .any(|found| found.file.is_some() && found.topic.level > RiskLevel::Low);
        level = level.min(if in_files {
            RiskLevel::Medium
        } else {
            RiskLevel::Low
        });
    }
    let reasons: Vec<String> = topics
        .iter()
        .filter(|found| found.topic.level > RiskLevel::Low || deletes_data)
        .map(reason)
        .collect();
    Risk {
        level,
        factors,
        reason: if reasons.is_empty() {
            "The prompt mentions nothing risky".to_owned()
        } else {
            reasons.join("; ")
        },
    }
}

fn reason(found: &TouchedTopic<'_>) -> String {
    let topic = &found.topic.topic;
    match (found.typed.first(), found.file) {
        (Some(typed), _) => format!("{topic}: the prompt mentions `{typed}`"),
        (None, Some(file)) => format!("{topic}: touches `{file}`"),
        (None, None) => topic.clone(),
    }
}

fn areas(topics: &[TouchedTopic<'_>]) -> Vec<&'static str> {
    let words = topics.iter().filter_map(|found| found.topic.paths.first());
    words.map(String::as_str).collect()
}

fn checklists(intent: Intent, topics: &[TouchedTopic<'_>]) -> Vec<&'static str> {
    let mut domains: Vec<&'static str> = Vec::new();
    for found in topics {
        push_new(
            &mut domains,
            found.topic.checklists.iter().map(String::as_str),
        );
    }
    let own: &[&str] = match intent {
        Intent::BugFix | Intent::Testing => &["testing"],
        Intent::Refactoring => &["code-quality", "testing"],
        Intent::CodeReview => &["code-quality"],
        Intent::PerformanceOptimization => &["performance"],
        Intent::SecurityHardening => &["security"],
        Intent::FeatureDevelopment => &["testing"],
        Intent::Documentation | Intent::Unknown => &[],
    };
    push_new(&mut domains, own.iter().copied());
    domains
}

fn specialists(intent: Intent, topics: &[TouchedTopic<'_>]) -> Vec<Advice> {
    let mut advice: Vec<Advice> = Vec::new();
    let from_topics = topics.iter().flat_map(|found| {
        let names = found.topic.specialists.iter().map(String::as_str);
        names.map(|name| (name, reason(found)))
    });
    let own = match intent {
        Intent::Refactoring | Intent::CodeReview => Some("code-quality-specialist"),
        Intent::PerformanceOptimization => Some("performance-specialist"),
        Intent::SecurityHardening => Some("security-specialist"),
        Intent::Documentation => Some("documentation-specialist"),
        Intent::Testing => Some("test-strategy-specialist"),
        Intent::BugFix | Intent::FeatureDevelopment | Intent::Unknown => None,
    };
    let own = own.map(|name| (name, format!("{intent}: what the prompt asks for")));
    for (name, reason) in from_topics.chain(own) {
        if advice.len() < MOST_SPECIALISTS && advice.iter().all(|it| it.name != name) {
            advice.push(Advice {
                name,
                reason,
                priority: advice.len() + 1,
            });
        }
    }
    advice
}

fn suggestions(own: &'static [String], topics: &[TouchedTopic<'_>]) -> Vec<&'static str> {
    let mut sentences: Vec<&'static str> = Vec::new();
    push_new(&mut sentences, own.iter().map(String::as_str));
    for found in topics {
        push_new(
            &mut sentences,
            found.topic.suggestions.iter().map(String::as_str),
        );
    }
    sentences.truncate(MOST_SUGGESTIONS);
    sentences
}

/// What the tables know of the prompt, in its order; its longer words where they know nothing.
fn keywords<'a>(
    prompt: &'a str,
    texts: &[PromptText<'a>],
    intents: &[SubjectEvidence<'a>],
    topics: &[TouchedTopic<'a>],
) -> Vec<&'a str> {
    let spoken = topics.iter().flat_map(|found| &found.typed);
    let asked = intents.iter().flat_map(|evidence| &evidence.typed);
    let mut known: Vec<(usize, &str)> = spoken
        .chain(asked)
        .filter_map(|typed| Some((prompt.find(typed)?, *typed)))
        .collect();
    known.sort_by_key(|(at, typed)| (*at, std::cmp::Reverse(typed.len())));
    let mut words: Vec<&str> = Vec::new();
    let mut reached = 0;
    for (at, typed) in known {
        // "unit tests for" and "tests" say the same once.
        if at >= reached {
            push_new(&mut words, [typed]);
            reached = at + typed.len();
        }
    }
    if words.is_empty() {
        let typed = texts.iter().flat_map(|text| {
            let whole = text
                .units
                .iter()
                .enumerate()
                .filter(|(_, unit)| matches!(unit.script, Script::Alphabet | Script::Hangul));
            whole.map(|(at, _)| text.typed(at..at + 1))
        });
        push_new(
            &mut words,
            typed.filter(|word| word.chars().count() >= SHORTEST_KEYWORD),
        );
    }
    words.truncate(MOST_KEYWORDS);
    words
}

fn push_new<'a>(list: &mut Vec<&'a str>, names: impl IntoIterator<Item = &'a str>) {
    for name in names {
        if !list.contains(&name) {
            list.push(name);
        }
    }
}

impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BugFix => "bug_fix",
            Self::Refactoring => "refactoring",
            Self::CodeReview => "code_review",
            Self::Testing => "testing",
            Self::Documentation => "documentation",
            Self::PerformanceOptimization => "performance_optimization",
            Self::SecurityHardening => "security_hardening",
            Self::FeatureDevelopment => "feature_development",
            Self::Unknown => "unknown",
        })
    }
}

impl fmt::Display for TaskCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Authentication => "authentication",
            Self::Payment => "payment",
            Self::Api => "api",
            Self::Ui => "ui",
            Self::Data => "data",
            Self::Testing => "testing",
            Self::Infrastructure => "infrastructure",
            Self::General => "general",
        })
    }
}

impl fmt::Display for Complexity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

impl fmt::Display for RiskLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        })
    }
}
