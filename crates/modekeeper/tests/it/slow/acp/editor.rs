//! An editor that the test plays: it keeps what it is told, answers what it is asked, and does what an agent wants of its
//! files.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::sandbox::overwrite;
use crate::support::wait_within;

/// Agents start slowly on a busy machine; only a fault reaches it.
const PATIENCE: Duration = Duration::from_secs(240);

/// What a person chooses: the id of an option, or nothing.
pub(super) type Choose = Box<dyn FnMut(&Value) -> Option<String> + Send>;

/// A running proxy with an editor before it. All clones are one.
#[derive(Clone)]
pub(super) struct Editor {
    shared: Arc<Shared>,
}

struct Shared {
    child: Mutex<Child>,
    input: Mutex<Option<ChildStdin>>,
    choose: Mutex<Choose>,
    heard: Mutex<Heard>,
    news: Condvar,
}

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    answers: HashMap<u64, Value>,
    next: u64,
    /// Every message, in order.
    pub(super) messages: Vec<Value>,
    /// The agent's side has closed.
    ended: bool,
}

impl Editor {
    /// Starts the command; a person at this editor allows whatever is asked.
    pub(super) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let editor = Self {
            shared: Arc::new(Shared {
                input: Mutex::new(child.stdin.take()),
                child: Mutex::new(child),
                choose: Mutex::new(Box::new(allow_once)),
                heard: Mutex::default(),
                news: Condvar::new(),
            }),
        };
        let reader = editor.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                reader.hear(&line);
            }
            reader.heard().ended = true;
            reader.shared.news.notify_all();
        });
        editor
    }

    pub(super) fn heard(&self) -> MutexGuard<'_, Heard> {
        self.shared.heard.lock().unwrap()
    }

    /// What the person does from now on when asked.
    pub(super) fn choose(&self, choose: impl FnMut(&Value) -> Option<String> + Send + 'static) {
        *self.shared.choose.lock().unwrap() = Box::new(choose);
    }

    pub(super) fn send(&self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub(super) fn send_line(&self, line: &[u8]) {
        if let Some(input) = self.shared.input.lock().unwrap().as_mut() {
            // A proxy that has ended is seen by what does not come.
            drop(input.write_all(&[line, b"\n"].concat()));
        }
    }

    /// Sends a request and gives its id.
    pub(super) fn post(&self, method: &str, params: &Value) -> u64 {
        let id = {
            let mut heard = self.heard();
            heard.next += 1;
            heard.next
        };
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and waits for its answer, whole.
    #[track_caller]
    pub(super) fn ask(&self, method: &str, params: &Value) -> Value {
        let id = self.post(method, params);
        self.answer(method, id)
    }

    /// Sends a request and gives its result; an error fails the test.
    #[track_caller]
    pub(super) fn result(&self, method: &str, params: &Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer:#}");
        answer["result"].clone()
    }

    #[track_caller]
    pub(super) fn answer(&self, what: &str, id: u64) -> Value {
        self.wait(what, |heard| heard.answers.remove(&id))
    }

    /// Waits until something has been heard.
    #[track_caller]
    pub(super) fn wait<T>(&self, what: &str, mut look: impl FnMut(&mut Heard) -> Option<T>) -> T {
        let mut heard = self.heard();
        loop {
            if let Some(found) = look(&mut heard) {
                return found;
            }
            assert!(!heard.ended, "{what}: the proxy has ended; {heard:#?}");
            let (again, waited) = self.shared.news.wait_timeout(heard, PATIENCE).unwrap();
            heard = again;
            assert!(!waited.timed_out(), "{what} did not come; {heard:#?}");
        }
    }

    /// Everything that was said about a session's mode, in order.
    pub(super) fn modes_told(&self) -> Vec<String> {
        let heard = self.heard();
        let updates = heard.messages.iter().filter_map(update);
        updates
            .filter(|update| update["sessionUpdate"] == "current_mode_update")
            .filter_map(|update| Some(update["currentModeId"].as_str()?.to_owned()))
            .collect()
    }

    /// What the agent said, as one text.
    pub(super) fn said(&self) -> String {
        let heard = self.heard();
        let updates = heard.messages.iter().filter_map(update);
        updates
            .filter(|update| update["sessionUpdate"] == "agent_message_chunk")
            .filter_map(|update| update["content"]["text"].as_str())
            .collect()
    }

    /// The questions so far.
    pub(super) fn questions(&self) -> Vec<Value> {
        let heard = self.heard();
        let messages = heard.messages.iter();
        messages
            .filter(|message| message["method"] == "session/request_permission")
            .map(|message| message["params"].clone())
            .collect()
    }

    fn hear(&self, line: &str) {
        let message: Value = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("an editor got no message: {error}: {line:?}"));
        let request = message.get("method").zip(message.get("id"));
        if let Some((method, id)) = request {
            let answer = self.do_as_asked(method.as_str().unwrap(), &message["params"]);
            let mut reply = answer;
            reply["jsonrpc"] = json!("2.0");
            reply["id"] = id.clone();
            self.send(&reply);
        }
        let mut heard = self.heard();
        if let Some(id) = message["id"]
            .as_u64()
            .filter(|_| message.get("method").is_none())
        {
            heard.answers.insert(id, message.clone());
        }
        heard.messages.push(message);
        self.shared.news.notify_all();
    }

    fn do_as_asked(&self, method: &str, params: &Value) -> Value {
        let path = Path::new(params["path"].as_str().unwrap_or_default());
        match method {
            "session/request_permission" => {
                let chosen = (self.shared.choose.lock().unwrap())(params);
                let outcome = match chosen {
                    Some(id) => json!({ "outcome": "selected", "optionId": id }),
                    None => json!({ "outcome": "cancelled" }),
                };
                json!({ "result": { "outcome": outcome } })
            }
            "fs/read_text_file" => {
                // A file that is not there is an empty buffer; Gemini makes no new file otherwise.
                let text = std::fs::read_to_string(path).unwrap_or_default();
                json!({ "result": { "content": text } })
            }
            "fs/write_text_file" => {
                let text = params["content"].as_str().unwrap_or_default();
                overwrite(path, text.as_bytes());
                json!({ "result": {} })
            }
            _ => json!({ "error": { "code": -32601, "message": "Method not found" } }),
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.shared.child.lock().unwrap().id()
    }

    /// Closes the editor's side.
    pub(super) fn leave(&self) {
        self.shared.input.lock().unwrap().take();
    }

    /// Dies without a word.
    pub(super) fn kill_proxy(&self) {
        self.shared.child.lock().unwrap().kill().unwrap();
    }

    /// Waits for the proxy's end.
    #[track_caller]
    pub(super) fn end(&self) -> ExitStatus {
        wait_within(PATIENCE, "the end of the proxy", || {
            self.shared.child.lock().unwrap().try_wait().unwrap()
        })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap();
        // It has ended already, most of the time.
        drop(child.kill());
        drop(child.wait());
    }
}

fn update(message: &Value) -> Option<&Value> {
    (message["method"] == "session/update").then(|| &message["params"]["update"])
}

/// The option that allows this one call.
pub(super) fn allow_once(params: &Value) -> Option<String> {
    let options = params["options"].as_array()?;
    let option = options.iter().find(|it| it["kind"] == "allow_once")?;
    Some(option["optionId"].as_str()?.to_owned())
}
