//! What a tool is, and how one is run.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Instant;

use mk_engine::{
    Actor, Caller, CodeError, CodeKind, Engine, Error, MissingThing, Outcome, Outcomes,
    PlaybookLayer, ProjectHandle, ToolRequest,
};
use mk_policy::Group;
use mk_types::{AbsPath, SessionId, ToolCall};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::schema;
use crate::serena::{self, Alias};

/// One tool: what a list shows of it, and what a call does.
#[derive(Debug)]
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    /// What the model reads when it chooses.
    pub description: &'static str,
    /// `None` for tools that every mode has.
    pub group: Option<Group>,
    pub toolset: Toolset,
    pub effect: ToolEffect,
    rate: Option<u32>,
    /// Arguments that name paths.
    pub paths: &'static [&'static str],
    input: ToolSchema,
    output: Option<ToolSchema>,
    read: fn(&Value) -> Result<Box<dyn ErasedArguments>, Error>,
    /// Of Serena's names for a tool: what it leads to.
    alias: Option<(&'static Alias, &'static Self)>,
}

/// What a tool's file says about it, once.
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) toolset: Toolset,
    pub(crate) group: Option<Group>,
    pub(crate) effect: ToolEffect,
    pub(crate) calls_per_minute: Option<u32>,
    pub(crate) paths: &'static [&'static str],
    /// Only where the contract wants one: every schema costs the client's context.
    pub(crate) output: Option<MakeSchema>,
}

type MakeSchema = fn() -> Map<String, Value>;

/// A tool by its arguments: their doc comments are what the model reads, and they are read once.
pub(crate) trait ToolDefinition:
    Debug + Clone + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    const SPEC: Spec;
    /// The argument that [`Definition::session`] comes from.
    const SESSION: &'static str = "session_id";

    /// The session that the call names; `current` is the conversation's.
    fn session(&self) -> Option<&str> {
        None
    }

    fn run(self, call: ToolRun<'_>) -> impl Future<Output = Result<ToolAnswer, Error>> + Send;
}

/// Which tools belong together: they are switched on together and fail in the same words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toolset {
    Modes,
    Files,
    Symbols,
    Memory,
    Project,
    Rules,
    /// Not offered where nothing holds commands.
    Commands,
    /// The code tools under the names that Serena gives them.
    Serena,
}

impl Toolset {
    /// Those that are offered unless somebody says which.
    pub const DEFAULT: [Self; 7] = [
        Self::Modes,
        Self::Files,
        Self::Symbols,
        Self::Memory,
        Self::Project,
        Self::Rules,
        Self::Commands,
    ];

    pub const ALL: [Self; 8] = [
        Self::Modes,
        Self::Files,
        Self::Symbols,
        Self::Memory,
        Self::Project,
        Self::Rules,
        Self::Commands,
        Self::Serena,
    ];

    /// Its name in `--toolsets`, and its directory.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Modes => "modes",
            Self::Files => "files",
            Self::Symbols => "symbols",
            Self::Memory => "memory",
            Self::Project => "project",
            Self::Rules => "rules",
            Self::Commands => "commands",
            Self::Serena => "serena",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.as_str() == name)
    }
}

/// What a client may assume about a tool's effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
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

/// One call under way.
#[derive(Debug)]
pub(crate) struct ToolRun<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) caller: &'a Caller,
    session: Option<SessionId>,
    /// What the policy sees of the call.
    pub(crate) request: ToolRequest<'a>,
}

impl<'a> ToolRun<'a> {
    /// The project, under the mode of the session that the call names.
    pub(crate) fn project(&self) -> ProjectHandle<'a> {
        self.engine.project(self.caller).on(self.session.clone())
    }

    /// The session of a tool that always names one.
    pub(crate) fn session(&self) -> Result<&SessionId, Error> {
        let missing = || Error::invalid("session_id", "Missing required parameter: session_id");
        self.session.as_ref().ok_or_else(missing)
    }
}

/// A call either has its result or waits for a person, after whose approval the same call succeeds.
pub type ToolAnswer = Outcome<ToolReply>;

/// The result of a call.
#[derive(Debug)]
pub struct ToolReply {
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

type RunningTool<'a> = Pin<Box<dyn Future<Output = Result<ToolAnswer, Error>> + Send + 'a>>;

/// Typed arguments whose type is forgotten.
trait ErasedArguments: Debug + Send + Sync {
    fn named_session(&self) -> Option<(&'static str, &str)>;
    fn start<'a>(&self, call: ToolRun<'a>) -> RunningTool<'a>;
}

impl<T: ToolDefinition> ErasedArguments for T {
    fn named_session(&self) -> Option<(&'static str, &str)> {
        self.session().map(|id| (T::SESSION, id))
    }

    fn start<'a>(&self, call: ToolRun<'a>) -> RunningTool<'a> {
        Box::pin(self.clone().run(call))
    }
}

fn read<T: ToolDefinition>(arguments: &Value) -> Result<Box<dyn ErasedArguments>, Error> {
    match T::deserialize(arguments) {
        Ok(arguments) => Ok(Box::new(arguments)),
        Err(error) => Err(Error::InvalidInput {
            parameter: None,
            message: error.to_string(),
        }),
    }
}

/// A call whose arguments have been read. It can be run again after a person has agreed.
#[derive(Debug)]
pub struct ParsedCall {
    pub tool: &'static Tool,
    given: Value,
    arguments: Box<dyn ErasedArguments>,
}

impl Tool {
    pub(crate) const fn of<T: ToolDefinition>() -> Self {
        let spec = T::SPEC;
        Self {
            name: spec.name,
            title: spec.title,
            description: spec.description,
            group: spec.group,
            toolset: spec.toolset,
            effect: spec.effect,
            rate: spec.calls_per_minute,
            paths: spec.paths,
            input: ToolSchema::new(schema::of::<T>),
            output: match spec.output {
                Some(make) => Some(ToolSchema::new(make)),
                None => None,
            },
            read: read::<T>,
            alias: None,
        }
    }

    /// A name of Serena's for a tool.
    pub(crate) fn alias(
        alias: &'static Alias,
        target: &'static Self,
        schema: Map<String, Value>,
    ) -> Self {
        Self {
            name: alias.name(),
            title: target.title,
            description: target.description,
            group: target.group,
            toolset: Toolset::Serena,
            effect: target.effect,
            rate: target.rate,
            paths: &[serena::PATH],
            input: ToolSchema {
                make: Map::new,
                made: OnceLock::from(schema),
            },
            output: None,
            read: target.read,
            alias: Some((alias, target)),
        }
    }

    /// The tool that the policy sees and that is run: itself, unless it is another's name for it.
    pub fn target(&'static self) -> &'static Self {
        self.alias.map_or(self, |(_, target)| target)
    }

    /// How often a client may call it over HTTP.
    pub fn calls_per_minute(&self) -> Option<u32> {
        self.rate
    }

    pub fn input_schema(&self) -> &Map<String, Value> {
        self.input.get()
    }

    pub fn output_schema(&self) -> Option<&Map<String, Value>> {
        self.output.as_ref().map(ToolSchema::get)
    }

    /// Reads the arguments of a call.
    pub fn parse(&'static self, mut arguments: Map<String, Value>) -> Result<ParsedCall, Error> {
        if let Some((alias, _)) = self.alias {
            arguments.retain(|_, value| !value.is_null());
            let (target, arguments) = alias.lead(arguments)?;
            return target.parse(arguments);
        }
        serena::accept(self, &mut arguments);
        let parsed = schema::check(self, &mut arguments).and_then(|()| {
            let given = Value::Object(arguments);
            Ok(ParsedCall {
                tool: self,
                arguments: (self.read)(&given)?,
                given,
            })
        });
        parsed.map_err(|error| self.advise(error))
    }

    /// Every failure of a code tool says what works instead; the other tools' words are fixed by their contracts.
    fn advise(&self, error: Error) -> Error {
        match self.toolset {
            Toolset::Modes | Toolset::Rules => error,
            Toolset::Files
            | Toolset::Symbols
            | Toolset::Memory
            | Toolset::Project
            | Toolset::Commands
            | Toolset::Serena => advise(self.name, error),
        }
    }
}

impl ParsedCall {
    /// Whether it names the session it is about, instead of meaning the conversation's.
    pub fn names_session(&self) -> bool {
        let named = self.arguments.named_session();
        named.is_some_and(|(_, id)| id != "current")
    }

    /// What was given, without what the client left out.
    pub fn arguments(&self) -> &Value {
        &self.given
    }

    pub async fn run(&self, context: &Context<'_>) -> Result<ToolAnswer, Error> {
        let begun = Instant::now();
        let answer = async {
            let call = ToolRun {
                engine: context.engine,
                caller: context.caller,
                session: self.session(context)?,
                request: ToolRequest {
                    call: self.seen_by_policy(context.engine),
                    arguments: &self.given,
                },
            };
            self.arguments.start(call).await
        };
        let answer = answer.await.map_err(|error| self.tool.advise(error));
        let outcome = match &answer {
            Ok(_) => Outcomes::Answered,
            Err(error) if error.is_refusal() => Outcomes::Refused,
            Err(_) => Outcomes::Failed,
        };
        // What a person looks at themselves is no agent's call.
        if context.caller.actor != Actor::Operator {
            let usage = context.engine.usage();
            usage.count(self.tool.name, begun.elapsed(), outcome);
        }
        answer
    }

    fn seen_by_policy(&self, engine: &Engine) -> ToolCall {
        match self.tool.group {
            Some(_) => engine.policy().tools.call(self.tool.name, &self.given),
            None => ToolCall::new(self.tool.name),
        }
    }

    fn session(&self, context: &Context<'_>) -> Result<Option<SessionId>, Error> {
        let Some((parameter, given)) = self.arguments.named_session() else {
            return Ok(None);
        };
        let tasks = context.engine.tasks();
        if given != "current" {
            return tasks.session_id(parameter, given).map(Some);
        }
        let current = tasks.current(context.caller)?;
        let none = "There is no current task on this connection: name the session_id";
        let current = current.ok_or_else(|| Error::invalid("session_id", none));
        current.map(Some)
    }
}

/// A schema that is made when it is first asked for: most processes never list their tools.
#[derive(Debug)]
struct ToolSchema {
    make: MakeSchema,
    made: OnceLock<Map<String, Value>>,
}

impl ToolSchema {
    const fn new(make: MakeSchema) -> Self {
        Self {
            make,
            made: OnceLock::new(),
        }
    }

    fn get(&self) -> &Map<String, Value> {
        self.made.get_or_init(self.make)
    }
}

fn advise(tool: &str, error: Error) -> Error {
    let hint = match &error {
        Error::InvalidInput { .. } => format!("tools/list shows the parameters of {tool}"),
        Error::NotFound(
            MissingThing::Task(_)
            | MissingThing::Session(_)
            | MissingThing::ParentSession(_)
            | MissingThing::Expired(_),
        ) => "leave session_id out, or take the one that create_task answered".to_owned(),
        _ => return error,
    };
    Error::Code(Box::new(CodeError {
        kind: CodeKind::InvalidArguments,
        message: error.to_string(),
        hint: Some(hint.into()),
        subject: None,
        revision: None,
    }))
}

/// A reply whose structured half is `output`.
pub(crate) fn reply(text: String, output: &impl Serialize, metadata: Value) -> ToolReply {
    let structured = serde_json::to_value(output).unwrap_or(Value::Null);
    ToolReply {
        text,
        structured,
        metadata,
        current: None,
        project: None,
    }
}

/// A reply of a rules tool: JSON, once, because clients hand both halves of a result to the model.
pub(crate) fn rules_reply(answer: &Value) -> ToolAnswer {
    // Not `to_string`, which goes through a formatter piece by piece. A value can always be written.
    code_answer(
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
pub(crate) fn not_found(kind: &str, name: &str, hint: &'static str) -> Error {
    Error::Playbook {
        message: format!("{kind} '{name}' not found."),
        hint: Some(hint.into()),
    }
}

/// Whose content it is, in the words of the rules tools.
pub(crate) fn source_of(layer: PlaybookLayer) -> &'static str {
    match layer {
        PlaybookLayer::Embedded => "default",
        PlaybookLayer::User | PlaybookLayer::Project => "custom",
    }
}

/// A reply of a code tool: the text is the answer, the rest is what a program wants to know about it.
pub(crate) fn code_reply(text: String, facts: Value) -> ToolReply {
    ToolReply {
        text,
        structured: facts,
        metadata: Value::Null,
        current: None,
        project: None,
    }
}

/// The same as an answer.
pub(crate) fn code_answer(text: String, facts: Value) -> ToolAnswer {
    ToolAnswer::Done(code_reply(text, facts))
}
