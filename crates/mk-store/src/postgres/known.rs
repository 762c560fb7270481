//! The last answers, for the time when the database cannot be asked.
//!
//! What is known to have changed since is forgotten and asked again, so nothing here is older than
//! the last change that this server has heard of.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use mk_types::lock;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::change::EVERYTHING;
use crate::link::SqlValue;

/// Answers that are kept at most.
const ROOM: usize = 1024;
/// Rows of an answer that is worth keeping.
const MOST_ROWS: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub(super) query: String,
    values: Vec<KnownValue>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum KnownValue {
    Text(Option<String>),
    Number(Option<i64>),
}

#[derive(Debug, Default)]
pub(crate) struct KnownAnswers {
    kept: Mutex<KeptAnswers>,
}

#[derive(Debug, Default)]
struct KeptAnswers {
    answers: HashMap<Question, Arc<Vec<Row>>>,
    /// Counts what was forgotten: an answer that was under way meanwhile is not kept.
    forgotten: u64,
    /// Questions whose answers were forgotten.
    again: Vec<Question>,
}

impl Question {
    fn new(query: &str, values: &[SqlValue<'_>]) -> Self {
        let known = |value: &SqlValue<'_>| match value {
            SqlValue::Text(text) => KnownValue::Text(text.map(str::to_owned)),
            SqlValue::Number(number) => KnownValue::Number(*number),
        };
        Self {
            query: query.to_owned(),
            values: values.iter().map(known).collect(),
        }
    }

    pub(super) fn values(&self) -> Vec<SqlValue<'_>> {
        self.values.iter().map(KnownValue::value).collect()
    }

    fn names(&self, key: &str) -> bool {
        let is_key =
            |value: &KnownValue| matches!(value, KnownValue::Text(Some(text)) if text == key);
        self.values.iter().any(is_key)
    }
}

impl KnownValue {
    fn value(&self) -> SqlValue<'_> {
        match self {
            Self::Text(text) => SqlValue::Text(text.as_deref()),
            Self::Number(number) => SqlValue::Number(*number),
        }
    }
}

impl KnownAnswers {
    /// How often something was forgotten; to be asked for before the database is.
    pub(crate) fn forgotten(&self) -> u64 {
        lock(&self.kept).forgotten
    }

    pub(crate) fn keep(
        &self,
        query: &str,
        values: &[SqlValue<'_>],
        answer: &Arc<Vec<Row>>,
        forgotten: u64,
    ) {
        if answer.len() > MOST_ROWS {
            return;
        }
        let mut kept = lock(&self.kept);
        if kept.forgotten != forgotten {
            return;
        }
        if kept.answers.len() >= ROOM {
            kept.answers.clear();
        }
        let question = Question::new(query, values);
        kept.answers.insert(question, Arc::clone(answer));
    }

    pub(crate) fn find(&self, query: &str, values: &[SqlValue<'_>]) -> Option<Arc<Vec<Row>>> {
        let question = Question::new(query, values);
        lock(&self.kept).answers.get(&question).map(Arc::clone)
    }

    /// Forgets every answer in whose question or rows this id stands.
    pub(crate) fn forget(&self, key: &str) {
        match key {
            "" => return,
            EVERYTHING => return self.forget_all(),
            _ => {}
        }
        let mut kept = lock(&self.kept);
        kept.forgotten += 1;
        let is_about = |question: &Question, rows: &[Row]| {
            question.names(key) || rows.iter().any(|row| has(row, key))
        };
        let gone = kept
            .answers
            .extract_if(|question, rows| is_about(question, rows));
        let gone: Vec<Question> = gone.map(|(question, _)| question).collect();
        kept.again.extend(gone);
        kept.again.truncate(ROOM);
    }

    /// What to ask again, for a caller that can.
    pub(super) fn take_again(&self) -> Vec<Question> {
        std::mem::take(&mut lock(&self.kept).again)
    }

    fn forget_all(&self) {
        let mut kept = lock(&self.kept);
        kept.forgotten += 1;
        kept.answers.clear();
    }
}

fn has(row: &Row, key: &str) -> bool {
    let columns = row.columns().iter().enumerate();
    let mut texts = columns.filter(|(_, column)| *column.type_() == Type::TEXT);
    texts.any(|(index, _)| {
        let text: Result<Option<&str>, _> = row.try_get(index);
        matches!(text, Ok(Some(text)) if text == key)
    })
}
