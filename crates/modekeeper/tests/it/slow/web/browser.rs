//! Chromium, driven over WebDriver: plain HTTP with JSON, spoken by the testkit's own client.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::slow::tools;
use crate::support::http::Request;
use crate::support::sandbox::{Sandbox, bare_command, overwrite};
use crate::support::wait_within;

/// A browser is slow to start and to draw on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(90);

/// A page in a browser of its own.
#[derive(Debug)]
pub(super) struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
    tools: PathBuf,
}

/// A driver and its port; none if it ended.
fn start_driver(tools: &Path, sandbox: &Sandbox) -> Option<(Child, u16)> {
    let mut driver = bare_command(tools.join("bin/chromedriver"), &sandbox.root())
        .args(["--port=0"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(driver.stdout.take().unwrap());
    let port = output.lines().find_map(|line| {
        let line = line.unwrap();
        let (_, port) = line.rsplit_once("on port ")?;
        // The first line repeats what was asked for.
        let port = port.trim_end_matches('.').parse::<u16>().ok();
        port.filter(|port| *port != 0)
    });
    if port.is_none() {
        driver.wait().unwrap();
    }
    port.map(|port| (driver, port))
}

impl Browser {
    pub(super) fn start(sandbox: &Sandbox) -> Self {
        let tools = tools::browser();
        // It wants one port of both families, takes the first at random, and ends if the other's is in use.
        let started = (0..5).find_map(|_| start_driver(&tools, sandbox));
        let (driver, port) = started.unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let data = sandbox.root().join("browser");
        let options = json!({
            "binary": tools.join("bin/chromium"),
            "args": [
                "--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
                "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
                "--disable-extensions", "--hide-scrollbars", format!("--user-data-dir={}", data.display()),
            ],
        });
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
            "timeouts": { "script": PATIENCE.as_millis() as u64 },
        } } });
        let mut browser = Self {
            driver,
            address,
            session: String::new(),
            tools,
        };
        let made = browser.send("POST", "/session", &capabilities);
        made["sessionId"]
            .as_str()
            .unwrap()
            .clone_into(&mut browser.session);
        browser
    }

    #[track_caller]
    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, mut answer) = self.try_send(method, path, body);
        assert_eq!(status, 200, "{path} {body}: {answer}");
        answer["value"].take()
    }

    #[track_caller]
    fn try_send(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let request = Request {
            method,
            path,
            headers: vec![("Content-Type", "application/json".to_owned())],
            body: if body.is_null() {
                String::new()
            } else {
                body.to_string()
            },
        };
        let response = request.send_within(PATIENCE, self.address);
        let status = response.status;
        (status, serde_json::from_str(&response.text()).unwrap())
    }

    #[track_caller]
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        self.send(method, &format!("/session/{}/{path}", self.session), body)
    }

    #[track_caller]
    pub(super) fn open(&self, url: &str) {
        self.ask("POST", "url", &json!({ "url": url }));
    }

    pub(super) fn resize(&self, width: u32, height: u32) {
        self.ask(
            "POST",
            "window/rect",
            &json!({ "width": width, "height": height }),
        );
    }

    /// What a script returns.
    #[track_caller]
    pub(super) fn run(&self, script: &str) -> Value {
        self.ask(
            "POST",
            "execute/sync",
            &json!({ "script": script, "args": [] }),
        )
    }

    /// The same with arguments.
    #[track_caller]
    pub(super) fn run_with(&self, script: &str, arguments: &[Value]) -> Value {
        let body = json!({ "script": script, "args": arguments });
        self.ask("POST", "execute/sync", &body)
    }

    /// From now on scripts run in the page's first frame.
    #[track_caller]
    pub(super) fn enter_frame(&self) {
        self.ask("POST", "frame", &json!({ "id": 0 }));
    }

    /// From now on scripts run in the page again.
    #[track_caller]
    pub(super) fn leave_frame(&self) {
        self.ask("POST", "frame", &json!({ "id": null }));
    }

    /// What a script hands to its callback, `done`.
    #[track_caller]
    pub(super) fn run_later(&self, script: &str) -> Value {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        self.ask(
            "POST",
            "execute/async",
            &json!({ "script": script, "args": [] }),
        )
    }

    /// Waits until an expression is true in the page.
    #[track_caller]
    pub(super) fn wait(&self, expression: &str) {
        wait_within(PATIENCE, expression, || {
            let script = format!("try {{ return !!({expression}); }} catch {{ return false; }}");
            (self.run(&script) == true).then_some(())
        });
    }

    /// Waits until the page shows a text.
    #[track_caller]
    pub(super) fn sees(&self, text: &str) {
        self.wait(&format!(
            "document.body.innerText.includes({})",
            json!(text)
        ));
    }

    /// Clicks the button that is called so, once it can be clicked.
    #[track_caller]
    pub(super) fn click(&self, name: &str) {
        let name = json!(name);
        self.click_on(&format!(
            "[...document.querySelectorAll('button, a, summary')].find((it) => !it.disabled && \
             (it.getAttribute('aria-label') || it.textContent).trim() === {name})"
        ));
    }

    /// Clicks what an expression finds, as a mouse does: where it is covered or out of reach, it is not clicked.
    #[track_caller]
    pub(super) fn click_on(&self, expression: &str) {
        // A person scrolls to what they want to click.
        let find = format!(
            "try {{ const it = {expression}; it.scrollIntoView({{ block: 'center' }}); return it; }} catch {{ return null; }}"
        );
        wait_within(PATIENCE, expression, || {
            let found = self.run(&find);
            let (_, id) = found.as_object()?.iter().next()?;
            let path = format!("/session/{}/element/{}/click", self.session, id.as_str()?);
            // It may have been drawn again, or be on its way.
            let (status, _) = self.try_send("POST", &path, &json!({}));
            (status == 200).then_some(())
        });
    }

    /// Presses keys, wherever the focus is.
    #[track_caller]
    pub(super) fn press(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                [
                    json!({ "type": "keyDown", "value": key }),
                    json!({ "type": "keyUp", "value": key }),
                ]
            })
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.ask("POST", "actions", &json!({ "actions": [keyboard] }));
    }

    /// Types into a field as if it had been typed.
    #[track_caller]
    pub(super) fn fill(&self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        self.wait(&format!("document.querySelector({selector})"));
        self.run(&format!(
            "const field = document.querySelector({selector}); field.focus(); field.value = {text}; \
             field.dispatchEvent(new Event('input', {{ bubbles: true }}))"
        ));
    }

    /// Types with real keys, at the end of what is there.
    #[track_caller]
    pub(super) fn type_into(&self, selector: &str, text: &str) {
        let found = json!({ "using": "css selector", "value": selector });
        let found = self.ask("POST", "element", &found);
        let (_, id) = found.as_object().unwrap().iter().next().unwrap();
        let path = format!("element/{}/value", id.as_str().unwrap());
        self.ask("POST", &path, &json!({ "text": text }));
    }

    /// Gives the page a permission that a person would be asked for.
    #[track_caller]
    pub(super) fn permit(&self, name: &str) {
        let grant = json!({ "descriptor": { "name": name }, "state": "granted" });
        self.ask("POST", "permissions", &grant);
    }

    /// Where files go that the page gives.
    #[track_caller]
    pub(super) fn save_into(&self, directory: &Path) {
        let params = json!({ "behavior": "allow", "downloadPath": directory });
        let command = json!({ "cmd": "Browser.setDownloadBehavior", "params": params });
        self.ask("POST", "goog/cdp/execute", &command);
    }

    /// Chooses an option as if with the mouse.
    #[track_caller]
    pub(super) fn choose(&self, selector: &str, value: &str) {
        let (selector, value) = (json!(selector), json!(value));
        self.wait(&format!(
            "[...document.querySelector({selector}).options].some((it) => it.value === {value})"
        ));
        self.run(&format!(
            "const field = document.querySelector({selector}); field.value = {value}; \
             field.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ));
    }

    /// Goes to a view without loading the page again.
    #[track_caller]
    pub(super) fn go(&self, hash: &str) {
        self.run(&format!("location.hash = {}", json!(hash)));
    }

    /// What axe calls serious or critical.
    #[track_caller]
    pub(super) fn barriers(&self) -> Vec<String> {
        let axe = std::fs::read_to_string(self.tools.join("axe.min.js")).unwrap();
        self.run(&axe);
        let found = self.run_later(
            "axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations \
             .filter((it) => it.impact === 'serious' || it.impact === 'critical') \
             .map((it) => it.id + ': ' + it.help + ' ' + it.nodes.map((node) => node.html.slice(0, 160)).join(' | '))))",
        );
        let found = found.as_array().unwrap().iter();
        found.map(|it| it.as_str().unwrap().to_owned()).collect()
    }

    /// Errors and refusals that the page has met.
    #[track_caller]
    pub(super) fn complaints(&self) -> Vec<String> {
        let log = self.ask("POST", "se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().unwrap().iter();
        let bad = entries.filter(|it| it["level"] == "SEVERE" || it["level"] == "WARNING");
        bad.map(|it| it["message"].as_str().unwrap().to_owned())
            .collect()
    }

    /// What can be read on the page, and in what is typed into it.
    fn shown(&self) -> String {
        let script = "const typed = [...document.querySelectorAll('input:not([type=password]), textarea')]; \
            return [document.title, location.href, document.body.innerText, ...typed.map((it) => it.value)].join('\\n')";
        self.run(script).as_str().unwrap().to_owned()
    }

    /// Keeps a picture of the page for people to look at. No picture shows a secret.
    pub(super) fn picture(&self, name: &str) {
        let shown = self.shown();
        for secret in ["mks_", "eyJ", "link="] {
            assert!(!shown.contains(secret), "{name} shows {secret}: {shown}");
        }
        let folder = pictures();
        std::fs::create_dir_all(&folder).unwrap();
        let picture = self.ask("GET", "screenshot", &Value::Null);
        let bytes = decoded(picture.as_str().unwrap());
        assert!(bytes.starts_with(b"\x89PNG"));
        overwrite(&folder.join(format!("{name}.png")), &bytes);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            let path = format!("/session/{}", self.session);
            self.send("DELETE", &path, &Value::Null);
        }
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}

/// Artefacts of the run.
fn pictures() -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_modekeeper"))
        .parent()
        .unwrap();
    target.join("../web-pictures")
}

/// Base 64, as a driver sends pictures.
fn decoded(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = text.bytes().filter_map(value).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let number = group
            .iter()
            .fold(0_u32, |number, digit| number << 6 | u32::from(*digit));
        let number = number << (6 * (4 - group.len()));
        bytes.extend(number.to_be_bytes().iter().skip(1).take(group.len() - 1));
    }
    bytes
}
