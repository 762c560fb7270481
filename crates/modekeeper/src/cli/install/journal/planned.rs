//! What a file would be with a client's entries in it, and which of them would be ours. Nothing is written here.

use anyhow::Context as _;
use mk_clients::settings::{self, Format, SettingsEdit};
use mk_clients::{ClientId, FileContent, SettingsChange};

use super::{EntryRecord, FileRecord};

/// What a change would leave.
pub(super) struct PlannedSettings {
    pub(super) text: String,
    pub(super) entry: EntryRecord,
    pub(super) taken: Option<String>,
}

pub(super) fn plan(
    known: Option<&FileRecord>,
    client: ClientId,
    change: &SettingsChange,
    before: Option<&[u8]>,
) -> anyhow::Result<PlannedSettings> {
    let ours = known.and_then(|record| {
        record
            .entries
            .iter()
            .find(|entry| entry.client == client.slug())
    });
    let current = match before {
        Some(bytes) => std::str::from_utf8(bytes).context("it is not UTF-8")?,
        None => "",
    };
    match &change.content {
        FileContent::Whole { text, .. } => {
            let foreign = before.is_some() && current != text && ours.is_none();
            if foreign {
                let entry = EntryRecord {
                    client: client.slug().to_owned(),
                    format: Some(Format::Json),
                    edits: Vec::new(),
                };
                let taken = Some("a file of yours has this name".to_owned());
                return Ok(PlannedSettings {
                    text: current.to_owned(),
                    entry,
                    taken,
                });
            }
            Ok(PlannedSettings {
                text: text.clone(),
                entry: EntryRecord {
                    client: client.slug().to_owned(),
                    format: None,
                    edits: Vec::new(),
                },
                taken: None,
            })
        }
        FileContent::Entries { format, edits } => {
            let (text, mine, taken) = put_in(*format, current, edits, ours)?;
            Ok(PlannedSettings {
                text,
                entry: EntryRecord {
                    client: client.slug().to_owned(),
                    format: Some(*format),
                    edits: mine,
                },
                taken: (!taken.is_empty()).then(|| format!("{} is yours", taken.join(", "))),
            })
        }
    }
}

/// One entry after the other: what was there before us is not ours to take out.
fn put_in(
    format: Format,
    current: &str,
    edits: &[SettingsEdit],
    ours: Option<&EntryRecord>,
) -> anyhow::Result<(String, Vec<SettingsEdit>, Vec<String>)> {
    let mut text = current.to_owned();
    let mut mine = ours.map(|entry| entry.edits.clone()).unwrap_or_default();
    let mut taken = Vec::new();
    for edit in edits {
        let edited = settings::apply(format, &text, std::slice::from_ref(edit))?;
        if edited.text != text && !mine.contains(edit) {
            mine.push(edit.clone());
        }
        text = edited.text;
        taken.extend(edited.taken);
    }
    Ok((text, mine, taken))
}

impl EntryRecord {
    /// Whether something of ours stands in the file.
    pub(super) fn is_ours(&self) -> bool {
        self.format.is_none() || !self.edits.is_empty()
    }
}
