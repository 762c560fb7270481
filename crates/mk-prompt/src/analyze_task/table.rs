//! The content behind the analysis: kinds of work, topics, and how work goes on.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Intent, RiskLevel, TaskCategory};
use crate::parse_mode::phrases::{SubjectIndex, embedded};

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AnalysisFile {
    intents: Vec<TaskIntentRow>,
    topics: Vec<Topic>,
    workflows: HashMap<Intent, PhaseTable>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TaskIntentRow {
    intent: Intent,
}

/// Something that a task can touch.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Topic {
    pub(super) topic: String,
    pub(super) level: RiskLevel,
    pub(super) category: TaskCategory,
    pub(super) factors: Vec<String>,
    pub(super) checklists: Vec<String>,
    pub(super) specialists: Vec<String>,
    pub(super) suggestions: Vec<String>,
    /// Words of paths, the plainest first.
    pub(super) paths: Vec<String>,
}

/// What to look at in each phase.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PhaseTable {
    pub(super) plan: Vec<String>,
    pub(super) act: Vec<String>,
    pub(super) eval: Vec<String>,
    pub(super) suggestions: Vec<String>,
}

#[derive(Debug)]
pub(super) struct TaskTable {
    pub(super) intents: SubjectIndex,
    pub(super) intent_names: Vec<Intent>,
    pub(super) topic_index: SubjectIndex,
    pub(super) topics: Vec<Topic>,
    /// The topics of each word of a path.
    pub(super) paths: HashMap<String, Vec<usize>>,
    workflows: HashMap<Intent, PhaseTable>,
    unknown: PhaseTable,
}

impl TaskTable {
    pub(super) fn workflow(&self, intent: Intent) -> &PhaseTable {
        self.workflows.get(&intent).unwrap_or(&self.unknown)
    }
}

pub(super) static TABLE: LazyLock<TaskTable> = LazyLock::new(|| {
    let AnalysisFile {
        intents,
        topics,
        mut workflows,
    } = embedded(include_str!(concat!(env!("OUT_DIR"), "/analysis.json")));
    let intent_bytes = include_bytes!(concat!(env!("OUT_DIR"), "/analysis-intents.bin"));
    let topic_bytes = include_bytes!(concat!(env!("OUT_DIR"), "/analysis-topics.bin"));
    let mut paths: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, topic) in topics.iter().enumerate() {
        for word in &topic.paths {
            paths.entry(word.clone()).or_default().push(at);
        }
    }
    TaskTable {
        intents: SubjectIndex::read(intents.len(), intent_bytes),
        intent_names: intents.iter().map(|row| row.intent).collect(),
        topic_index: SubjectIndex::read(topics.len(), topic_bytes),
        topics,
        paths,
        unknown: workflows.remove(&Intent::Unknown).unwrap_or_default(),
        workflows,
    }
});
