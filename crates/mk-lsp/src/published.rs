//! Diagnostics that a server sends by itself, kept until somebody asks.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Deserialize;
use serde_json::value::RawValue;

const MOST_FILES: usize = 256;
/// A file with more is described by none: nobody reads a megabyte of complaints.
const MOST_BYTES: usize = 1024 * 1024;

/// What a server last said of each file.
#[derive(Debug, Default)]
pub(crate) struct PublishedDiagnostics {
    by_uri: BTreeMap<String, PublishedProblems>,
    /// Whether the server says to which version a report belongs; then one without belongs to none.
    versioned: bool,
}

/// What a server said of a file.
#[derive(Debug)]
pub(crate) struct PublishedProblems {
    version: Option<i64>,
    pub(crate) at: Instant,
    pub(crate) diagnostics: Box<RawValue>,
}

#[derive(Deserialize)]
struct Params {
    uri: String,
    version: Option<i64>,
    diagnostics: Box<RawValue>,
}

impl PublishedDiagnostics {
    /// Takes in a `textDocument/publishDiagnostics`.
    pub(crate) fn take(&mut self, params: &RawValue, now: Instant) {
        let Ok(params) = serde_json::from_str::<Params>(params.get()) else {
            return;
        };
        let Params {
            uri,
            version,
            diagnostics,
        } = params;
        if diagnostics.get().len() > MOST_BYTES {
            tracing::warn!(uri, "too many diagnostics to keep");
            return;
        }
        if self.by_uri.len() >= MOST_FILES && !self.by_uri.contains_key(&uri) {
            let oldest = self.by_uri.iter().min_by_key(|(_, said)| said.at);
            if let Some(oldest) = oldest.map(|(uri, _)| uri.clone()) {
                self.by_uri.remove(&oldest);
            }
        }
        self.versioned |= version.is_some();
        let said = PublishedProblems {
            version,
            at: now,
            diagnostics,
        };
        self.by_uri.insert(uri, said);
    }

    /// Whether a report is about this version of a document, which was shown at this moment.
    pub(crate) fn is_current(
        &self,
        said: &PublishedProblems,
        version: i64,
        shown: Instant,
    ) -> bool {
        match said.version {
            Some(said) => said >= version,
            None => !self.versioned && said.at >= shown,
        }
    }

    /// What was said of a file. Servers spell addresses in their own way.
    pub(crate) fn of(&self, uri: &str) -> Option<&PublishedProblems> {
        self.by_uri.get(uri).or_else(|| {
            let path = crate::uri::to_path(uri)?;
            let same = |(other, _): &(&String, &PublishedProblems)| {
                crate::uri::to_path(other).as_deref() == Some(&*path)
            };
            self.by_uri.iter().find(same).map(|(_, said)| said)
        })
    }
}
