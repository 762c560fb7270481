//! What a tool is, and how one is run.

use std::pin::Pin;
use std::sync::OnceLock;

use mk_engine::{Approval, Caller, CodeError, CodeKind, Engine, Error, Granted, Missing, Outcome};
use mk_playbook::Layer;
use mk_policy::Group;
use mk_types::{AbsPath, SessionId};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::schema;

/// One tool: what a list shows of it, and what a call does.
#[derive(Debug)]
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    /// What the model reads when it chooses.
    pub description: &'static str,
    /// `None` for tools that every mode has.
    pub group: Option<Group>,
    pub family: Family,
    pub hints: Hints,
    /// Arguments that name paths.
    pub paths: &'static [&'static str],
    pub(crate) input: Schema,
    /// Only where the contract wants one: every schema costs the client's context.
    pub(crate) output: Option<Schema>,
    pub(crate) run: Run,
}

/// Which tools belong together: they are switched on together and fail in the same words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    Modes,
    Files,
    Symbols,
    Memory,
    Project,
    Rules,
}

impl Family {
    pub const ALL: [Self; 6] = [
        Self::Modes,
        Self::Files,
        Self::Symbols,
        Self::Memory,
        Self::Project,
        Self::Rules,
    ];

    /// The family's name in `--toolsets`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Modes => "modes",
            Self::Files => "files",
            Self::Symbols => "symbols",
            Self::Memory => "memory",
            Self::Project => "project",
            Self::Rules => "rules",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.as_str() == name)
    }
}

/// What a client may assume about a tool's effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hints {
    /// Changes nothing.
    ReadOnly,
    /// Adds something; calling it twice adds twice.
    Adds,
    /// Replaces or ends something.
    Changes,
}

/// For whom and on what a tool runs.
#[derive(Debug)]
pub struct Context<'a> {
    pub engine: &'a Engine,
    pub caller: &'a Caller,
}

/// A call either has its result or waits for a person, after whose yes the same call succeeds.
#[derive(Debug)]
pub enum Answer {
    Done(Reply),
    NeedsApproval(Approval),
}

/// The result of a call.
#[derive(Debug)]
pub struct Reply {
    /// For people and models.
    pub text: String,
    /// The same facts for programs, as the output schema says.
    pub structured: Value,
    /// The few facts that the contract puts beside the content.
    pub metadata: Value,
    /// The task that the connection is about from now on.
    pub current: Option<SessionId>,
    /// The project that the connection is about from now on.
    pub project: Option<AbsPath>,
}

/// What a tool does: with a permit where it touches anything.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Run {
    Free(for<'a> fn(&'a Context<'a>, Value) -> Running<'a>),
    Granted(for<'a> fn(&'a Context<'a>, Granted, Value) -> Running<'a>),
}

pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = Result<Answer, Error>> + Send + 'a>>;

impl Tool {
    pub fn input_schema(&self) -> &Map<String, Value> {
        self.input.get()
    }

    pub fn output_schema(&self) -> Option<&Map<String, Value>> {
        self.output.as_ref().map(Schema::get)
    }

    /// How often a client may call it over HTTP: what the contract says of this tool, else of its family.
    pub fn calls_per_minute(&self) -> Option<u32> {
        match (self.name, self.family) {
            ("switch_mode", _) => Some(20),
            (_, Family::Modes | Family::Rules) => None,
            ("find_files" | "list_memories", _) => Some(50),
            ("get_project_info" | "get_symbol_definition", _) => Some(100),
            ("edit_symbol", _) => Some(20),
            ("write_memory", _) => Some(10),
            (_, Family::Files) => Some(100),
            (_, Family::Symbols) => Some(50),
            (_, Family::Memory) => Some(20),
            (_, Family::Project) => Some(10),
        }
    }

    /// Checks the arguments and runs the tool.
    pub async fn call(
        &self,
        context: &Context<'_>,
        arguments: Map<String, Value>,
    ) -> Result<Answer, Error> {
        context.engine.count_use(self.name);
        let answer = self.check_and_run(context, arguments).await;
        match self.family {
            Family::Modes | Family::Rules => answer,
            Family::Files | Family::Symbols | Family::Memory | Family::Project => {
                answer.map_err(|error| advise(self.name, error))
            }
        }
    }

    async fn check_and_run(
        &self,
        context: &Context<'_>,
        mut arguments: Map<String, Value>,
    ) -> Result<Answer, Error> {
        schema::check(self, &mut arguments)?;
        let session = arguments
            .get("session_id")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let arguments = Value::Object(arguments);
        let run = match self.run {
            Run::Free(run) => return run(context, arguments).await,
            Run::Granted(run) => run,
        };
        let session = context.session_or_none(session.as_deref())?;
        match context
            .engine
            .authorize(context.caller, session.as_ref(), self.name, &arguments)
            .await?
        {
            Outcome::NeedsApproval(question) => Ok(Answer::NeedsApproval(question)),
            Outcome::Done(granted) => run(context, granted, arguments).await,
        }
    }
}

impl Context<'_> {
    /// The session that a call means; `current` is the connection's.
    pub(crate) fn session<'b>(&'b self, given: &'b str) -> Result<&'b str, Error> {
        if given != "current" {
            return Ok(given);
        }
        let current = self.caller.current.as_ref().map(SessionId::as_str);
        current.ok_or_else(|| {
            Error::invalid(
                "session_id",
                "There is no current task on this connection: name the session_id",
            )
        })
    }
}

impl Context<'_> {
    /// The session that a call names, if it names one.
    pub(crate) fn session_or_none(&self, given: Option<&str>) -> Result<Option<SessionId>, Error> {
        given
            .map(|id| self.engine.tasks().session_id(self.session(id)?))
            .transpose()
    }
}

/// A schema that is made when it is first asked for: most processes never list their tools.
#[derive(Debug)]
pub(crate) struct Schema {
    make: fn() -> Map<String, Value>,
    made: OnceLock<Map<String, Value>>,
}

impl Schema {
    pub(crate) const fn of<T: JsonSchema>() -> Self {
        Self {
            make: schema::of::<T>,
            made: OnceLock::new(),
        }
    }

    pub(crate) const fn of_output<T: JsonSchema>() -> Self {
        Self {
            make: schema::of_output::<T>,
            made: OnceLock::new(),
        }
    }

    fn get(&self) -> &Map<String, Value> {
        self.made.get_or_init(self.make)
    }
}

/// Every failure of a code tool says what works instead; the mode tools' words are fixed by their contract.
fn advise(tool: &str, error: Error) -> Error {
    let hint = match &error {
        Error::InvalidInput { .. } => format!("tools/list shows the parameters of {tool}"),
        Error::NotFound {
            what: Missing::Task,
            ..
        } => "leave session_id out, or take the one that create_task answered".to_owned(),
        _ => return error,
    };
    Error::Code(Box::new(CodeError {
        kind: CodeKind::InvalidArguments,
        message: error.to_string(),
        hint: Some(hint),
        details: Vec::new(),
    }))
}

/// Arguments that passed the schema's check.
pub(crate) fn parse<T: DeserializeOwned>(arguments: Value) -> Result<T, Error> {
    serde_json::from_value(arguments).map_err(|error| Error::InvalidInput {
        parameter: None,
        message: error.to_string(),
    })
}

/// A reply whose structured half is `output`.
pub(crate) fn reply(text: String, output: &impl Serialize, metadata: Value) -> Reply {
    let structured = serde_json::to_value(output).unwrap_or(Value::Null);
    Reply {
        text,
        structured,
        metadata,
        current: None,
        project: None,
    }
}

/// A reply of a rules tool: JSON, once, because clients hand both halves of a result to the model.
pub(crate) fn rules_reply(answer: &Value) -> Answer {
    // Not `to_string`, which goes through a formatter piece by piece. A value can always be written.
    code_reply(
        serde_json::to_string(answer).unwrap_or_default(),
        Value::Null,
    )
}

/// What the rules tools say of a parameter that is missing or empty.
pub(crate) fn missing(parameter: &'static str) -> Error {
    Error::invalid(
        parameter,
        format!("Missing required parameter: {parameter}"),
    )
}

/// What the rules tools say of something that nobody has written.
pub(crate) fn not_found(kind: &str, name: &str, hint: &str) -> Error {
    Error::Playbook {
        message: format!("{kind} '{name}' not found."),
        hint: Some(hint.to_owned()),
    }
}

/// Whose content it is, in the words of the rules tools.
pub(crate) fn source_of(layer: Layer) -> &'static str {
    match layer {
        Layer::Embedded => "default",
        Layer::User | Layer::Project => "custom",
    }
}

/// A reply of a code tool: the text is the answer, the rest is what a program wants to know about it.
pub(crate) fn code_reply(text: String, facts: Value) -> Answer {
    Answer::Done(Reply {
        text,
        structured: facts,
        metadata: Value::Null,
        current: None,
        project: None,
    })
}
