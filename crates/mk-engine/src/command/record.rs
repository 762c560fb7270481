//! What commands did, as `exec` recorded it and `log` shows it.

use mk_store::{CommandFilter, NewCommandRecord, NewDecision, Ruling};
use mk_types::{AbsPath, CommandId, ConversationId, ModeSlug, PermitId, ProjectId, Timestamp};
use serde_json::{Value, json};

use super::{CommandHold, LineRefused};
use crate::Engine;
use crate::error::Error;

/// Names `exec` where no client and no tool does.
const EXEC: &str = "exec";
/// The tool that a line is decided as.
pub(crate) const RUNS_LINES: &str = "execute_command";
/// Of a refused line.
const LONGEST_TARGET: usize = 400;

/// The records of commands.
#[derive(Debug, Clone, Copy)]
pub struct CommandRecords<'a> {
    engine: &'a Engine,
}

/// What one command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCommand {
    /// `None` before it is stored.
    pub id: Option<CommandId>,
    pub permit: Option<PermitId>,
    pub conversation: Option<ConversationId>,
    pub project: Option<ProjectId>,
    pub mode: ModeSlug,
    pub line_hash: String,
    pub first_word: String,
    pub exit_code: i32,
    pub started_at: Timestamp,
    pub effects: CommandEffects,
}

/// What a command changed, wrote, left and was refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandEffects {
    /// Files of the project, relative to its root.
    pub changed: Vec<String>,
    /// How many more were changed than are listed.
    pub more_changed: u64,
    /// Other files: the repository, temporary and build directories.
    pub wrote: Vec<String>,
    pub more_wrote: u64,
    pub refused: Vec<RefusedAct>,
    pub more_refused: u64,
    /// Files under names that the mode does not allow, and what became of them.
    pub removed: Vec<String>,
    /// The change set that undoes it.
    pub undo: Option<String>,
    /// What held it: version of Landlock, number of rules, clerk, mount namespace.
    pub held: Value,
}

/// Something that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedAct {
    pub operation: String,
    pub target: String,
    pub count: u64,
}

impl Engine {
    pub fn command_records(&self) -> CommandRecords<'_> {
        CommandRecords { engine: self }
    }
}

impl CommandRecords<'_> {
    /// Records of one project, conversation, or of all, newest first.
    pub fn list(&self, filter: &CommandFilter) -> Result<Vec<RecordedCommand>, Error> {
        let found = self.engine.inner.store.commands(filter)?;
        Ok(found.into_iter().map(RecordedCommand::from).collect())
    }

    /// Those that came after this one, oldest first.
    pub fn after(
        &self,
        id: Option<&CommandId>,
        filter: &CommandFilter,
    ) -> Result<Vec<RecordedCommand>, Error> {
        let found = self.engine.inner.store.commands_after(id, filter)?;
        Ok(found.into_iter().map(RecordedCommand::from).collect())
    }

    /// Records that a line was refused before it ran, as hooks record what they refuse.
    pub async fn refuse(
        &self,
        hold: &CommandHold,
        line: &str,
        refused: &LineRefused,
    ) -> Result<(), Error> {
        let store = &self.engine.inner.store;
        let project = match &hold.project {
            Some(project) => project.clone(),
            None => store.open_project(hold.limits.root()).await?.id,
        };
        let conversation = match &hold.conversation {
            Some(id) => store.conversation(id)?,
            None => None,
        };
        let decision = NewDecision {
            client: conversation.map_or_else(|| EXEC.to_owned(), |it| it.client.name),
            conversation: hold.conversation.clone(),
            project: Some(project),
            mode: refused.mode.clone(),
            tool: EXEC.to_owned(),
            target: line.chars().take(LONGEST_TARGET).collect(),
            ruling: Ruling::Deny,
            rule: refused.rule.as_str().to_owned(),
            reason: refused.reason.clone(),
            hint: refused.hint.clone(),
            policy_hash: self.engine.inner.fingerprints.of(hold.limits.modes.iter()),
            input: json!({ "command": line }).to_string(),
            tool_use: None,
        };
        store.append_decision(decision).await?;
        Ok(())
    }

    /// The change set of a command, by the id of the command or of its permit.
    pub fn undo_of(&self, id: &str) -> Result<Option<String>, Error> {
        let store = &self.engine.inner.store;
        let mut found = None;
        if let Ok(permit) = PermitId::parse(id) {
            found = store.command_of_permit(&permit)?;
        }
        if let (None, Ok(command)) = (&found, CommandId::parse(id)) {
            found = store.command(&command)?;
        }
        Ok(found.and_then(|record| RecordedCommand::from(record).effects.undo))
    }

    /// The project's id, for a filter.
    pub fn project(&self, directory: &AbsPath) -> Result<Option<ProjectId>, Error> {
        self.engine.decisions().project(directory)
    }
}

/// The line of a decision that `exec` has recorded. A client's tool of the same name has other input.
pub(crate) fn line_of<'a>(tool: &str, input: &'a Value) -> Option<&'a str> {
    let input = input
        .as_object()
        .filter(|it| tool == EXEC && it.len() == 1)?;
    input.get("command")?.as_str()
}

impl RecordedCommand {
    /// As the store keeps it.
    pub fn to_new(&self) -> NewCommandRecord {
        let effects = &self.effects;
        let refused = effects.refused.iter().map(|it| {
            json!({ "op": it.operation, "path": it.target, "rule": self.mode.as_str(), "count": it.count })
        });
        NewCommandRecord {
            permit: self.permit.clone(),
            conversation: self.conversation.clone(),
            project: self.project.clone(),
            mode: self.mode.clone(),
            argv_hash: self.line_hash.clone(),
            first_word: self.first_word.clone(),
            exit_code: Some(self.exit_code),
            refusals: json!({
                "refused": refused.collect::<Vec<_>>(),
                "more": effects.more_refused,
            })
            .to_string(),
            written: json!({
                "changed": effects.changed,
                "more_changed": effects.more_changed,
                "wrote": effects.wrote,
                "more_wrote": effects.more_wrote,
                "undo": effects.undo,
                "held": effects.held,
            })
            .to_string(),
            guests: json!(effects.removed).to_string(),
            started_at: self.started_at,
        }
    }
}

impl From<mk_store::CommandRecord> for RecordedCommand {
    fn from(record: mk_store::CommandRecord) -> Self {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let refusals = parse(&record.refusals);
        let written = parse(&record.written);
        let texts = |value: &Value| -> Vec<String> {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            let items = items.iter().filter_map(Value::as_str);
            items.map(str::to_owned).collect()
        };
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        let refused = refusals["refused"].as_array().cloned().unwrap_or_default();
        let refused = refused.iter().map(|it| RefusedAct {
            operation: it["op"].as_str().unwrap_or_default().to_owned(),
            target: it["path"].as_str().unwrap_or_default().to_owned(),
            count: number(&it["count"]),
        });
        Self {
            effects: CommandEffects {
                changed: texts(&written["changed"]),
                more_changed: number(&written["more_changed"]),
                wrote: texts(&written["wrote"]),
                more_wrote: number(&written["more_wrote"]),
                refused: refused.collect(),
                more_refused: number(&refusals["more"]),
                removed: texts(&parse(&record.guests)),
                undo: written["undo"].as_str().map(str::to_owned),
                held: written["held"].clone(),
            },
            id: Some(record.id),
            permit: record.permit,
            conversation: record.conversation,
            project: record.project,
            mode: record.mode,
            line_hash: record.argv_hash,
            first_word: record.first_word,
            exit_code: record.exit_code.unwrap_or_default(),
            started_at: record.started_at,
        }
    }
}
