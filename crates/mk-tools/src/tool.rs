//! What a tool is, and how one is run.

use std::pin::Pin;
use std::sync::OnceLock;

use mk_engine::{Approval, Caller, Engine, Error};
use mk_policy::Group;
use mk_types::SessionId;
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
    pub hints: Hints,
    pub(crate) input: Schema,
    pub(crate) output: Schema,
    pub(crate) run: Run,
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
}

pub(crate) type Run = for<'a> fn(&'a Context<'a>, Map<String, Value>) -> Running<'a>;
pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = Result<Answer, Error>> + Send + 'a>>;

impl Tool {
    pub fn input_schema(&self) -> &Map<String, Value> {
        self.input.get()
    }

    pub fn output_schema(&self) -> &Map<String, Value> {
        self.output.get()
    }

    /// Checks the arguments and runs the tool.
    pub async fn call(
        &self,
        context: &Context<'_>,
        mut arguments: Map<String, Value>,
    ) -> Result<Answer, Error> {
        schema::check(self.name, self.input_schema(), &mut arguments)?;
        (self.run)(context, arguments).await
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

    fn get(&self) -> &Map<String, Value> {
        self.made.get_or_init(self.make)
    }
}

/// Arguments that passed the schema's check.
pub(crate) fn parse<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Error> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| Error::InvalidInput {
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
    }
}
