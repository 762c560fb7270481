//! A model that follows a script: it speaks the wires of Anthropic, OpenAI (chat and responses) and Gemini on loopback,
//! answers each request with the next tool call of its script, and remembers what it was told.
//!
//! It keeps no state of a conversation: the step is the number of tool calls in the history that the agent sends, so an
//! agent may repeat a request, resume a session, or run a subagent with a script of its own at the same time.
//! A prompt chooses its script by the words `SCRIPT name`, and the last such prompt of a conversation counts: what an
//! agent asks about an earlier turn, whenever that comes, takes no step of the next. It does not judge: a tool that is not
//! offered is called too.

mod anthropic;
mod chat;
mod gemini;
mod http;
mod responses;

use std::collections::BTreeMap;
use std::fmt;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use mk_types::lock;
use serde_json::Value;

use http::{Reply, Request};

/// What the model says when its script has ended.
pub const LAST_WORDS: &str = "FINAL: the script has ended";

type Before = Arc<Mutex<dyn FnMut() + Send>>;

/// One call of a tool.
pub struct Step {
    tools: Vec<String>,
    arguments: Value,
    before: Option<Before>,
}

impl Step {
    /// The first of these tools that is offered, by its name or by the end of its name; else the first.
    pub fn new(tools: &[&str], arguments: Value) -> Self {
        let tools = tools.iter().map(|it| (*it).to_owned()).collect();
        Self {
            tools,
            arguments,
            before: None,
        }
    }

    /// Does something each time this step is about to be sent, such as what a person does between two calls.
    #[must_use]
    pub fn after(mut self, act: impl FnMut() + Send + 'static) -> Self {
        self.before = Some(Arc::new(Mutex::new(act)));
        self
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} {}", self.tools, self.arguments)
    }
}

/// What the model remembers of one script.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// What came of each step, in order: the text that the agent gave back.
    pub results: Vec<String>,
    /// The names of the tools that were offered at last.
    pub offered: Vec<String>,
    /// The last request, whole.
    pub request: Value,
    /// Whether the model was asked once more after its last step, so that the turn went on to its end.
    pub ended: bool,
}

/// A running model; it ends with the test's process. All clones are one.
#[derive(Debug, Clone)]
pub struct ScriptedModel {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    scripts: BTreeMap<String, Vec<Step>>,
    heard: BTreeMap<String, Heard>,
    requests: Vec<String>,
    next_id: u64,
}

/// What a wire makes of a request.
#[derive(Debug, Default)]
struct Conversation {
    /// The words of the user, without what tools answered.
    user: String,
    offered: Vec<String>,
    /// Tool calls in the history.
    calls: usize,
    results: Vec<String>,
}

/// What the model answers.
#[derive(Debug)]
enum Answer {
    Text(&'static str),
    Call { tool: String, arguments: Value },
}

/// An answer with an id of its own, for a wire to write.
#[derive(Debug)]
struct Turn {
    id: u64,
    model: String,
    stream: bool,
    answer: Answer,
}

impl ScriptedModel {
    /// Listens on a free port of loopback.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, state }
    }

    /// `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the script of conversations whose last prompt with `SCRIPT` names it, and forgets what was heard of it.
    pub fn script(&self, name: &str, steps: Vec<Step>) {
        let mut state = lock(&self.state);
        state.heard.remove(name);
        state.scripts.insert(name.to_owned(), steps);
    }

    pub fn heard(&self, name: &str) -> Heard {
        lock(&self.state)
            .heard
            .get(name)
            .cloned()
            .unwrap_or_default()
    }

    /// Method and path of every request so far, for a test that has heard nothing.
    pub fn requests(&self) -> Vec<String> {
        lock(&self.state).requests.clone()
    }
}

impl State {
    fn next_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// The script that a request is part of. What offers no tools is asked beside a conversation, and so is what comes with
    /// less of the past: after a turn Qwen wants to know what to keep and what the user might say next, and sends its last
    /// forty messages along.
    fn script_of(&self, conversation: &Conversation) -> Option<(String, &[Step])> {
        let name = named(&conversation.user)?;
        let steps = self.scripts.get(name)?;
        let heard = self.heard.get(name).map_or(0, |it| it.results.len());
        let is_part = !conversation.offered.is_empty() && conversation.results.len() >= heard;
        is_part.then(|| (name.to_owned(), steps.as_slice()))
    }

    /// What has to be done before the next thing is said in this conversation.
    fn before(&self, conversation: &Conversation) -> Option<Before> {
        let (_, steps) = self.script_of(conversation)?;
        steps.get(conversation.calls)?.before.clone()
    }

    /// The next thing to say in this conversation.
    fn answer(&mut self, conversation: Conversation, body: &Value) -> Answer {
        let Some((name, steps)) = self.script_of(&conversation) else {
            return Answer::Text(LAST_WORDS);
        };
        let step = steps.get(conversation.calls);
        let step = step.map(|step| (step.tools.clone(), step.arguments.clone()));
        let heard = self.heard.entry(name).or_default();
        heard.results = conversation.results;
        heard.request = body.clone();
        heard.offered.clone_from(&conversation.offered);
        let Some((tools, arguments)) = step else {
            heard.ended = true;
            return Answer::Text(LAST_WORDS);
        };
        Answer::Call {
            tool: choose(&tools, &conversation.offered),
            arguments,
        }
    }
}

/// The name after the last `SCRIPT` of the prompts: letters, digits, `-` and `_`.
fn named(prompts: &str) -> Option<&str> {
    let (_, rest) = prompts.rsplit_once("SCRIPT ")?;
    let end = rest.find(|next: char| !(next.is_alphanumeric() || matches!(next, '-' | '_')));
    rest.get(..end.unwrap_or(rest.len()))
}

fn choose(wanted: &[String], offered: &[String]) -> String {
    let exact = wanted.iter().find(|name| offered.contains(name));
    let by_end = || {
        wanted.iter().find_map(|name| {
            offered.iter().find(|it| {
                it.strip_suffix(name.as_str())
                    .is_some_and(|before| before.ends_with(['_', '-', '.']))
            })
        })
    };
    let chosen = exact.or_else(by_end).or(wanted.first());
    chosen.cloned().unwrap_or_default()
}

fn serve(mut stream: TcpStream, state: &Mutex<State>) {
    // An agent that hangs up is no concern of the test; what it heard is.
    if let Some(request) = Request::read(&stream) {
        let reply = reply(&request, state);
        drop(reply.write(&mut stream));
    }
}

fn reply(request: &Request, state: &Mutex<State>) -> Reply {
    let path = request.path.split('?').next().unwrap_or_default();
    let line = format!("{} {}", request.method, request.path);
    lock(state).requests.push(line);
    if request.method != "POST" {
        return http::models();
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let turn = |conversation: Conversation, stream: bool| {
        // Others are answered meanwhile: what is waited for may be another script.
        let before = lock(state).before(&conversation);
        if let Some(act) = before {
            lock(&act)();
        }
        let mut state = lock(state);
        Turn {
            id: state.next_id(),
            model: body["model"].as_str().unwrap_or("scripted").to_owned(),
            stream,
            answer: state.answer(conversation, &body),
        }
    };
    let asked_to_stream = body["stream"].as_bool().unwrap_or_default();
    if path.ends_with("/count_tokens") || path.ends_with(":countTokens") {
        return Reply::json(&serde_json::json!({ "input_tokens": 10, "totalTokens": 10 }));
    }
    if path.ends_with("/messages") {
        return anthropic::write(turn(anthropic::read(&body), asked_to_stream));
    }
    if path.ends_with("/chat/completions") {
        return chat::write(turn(chat::read(&body), asked_to_stream));
    }
    if path.ends_with("/responses") {
        let tools = responses::Tools::read(&body);
        return responses::write(turn(responses::read(&body, &tools), true), &tools);
    }
    if path.to_ascii_lowercase().ends_with("generatecontent") {
        return gemini::write(turn(gemini::read(&body), path.contains(":stream")));
    }
    Reply::json(&serde_json::json!({}))
}

/// The text of a message's content: a string, a list of parts with `text`, or whatever it is.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        // Some wires give what a tool answered as it is.
        other => other.to_string(),
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests;
