//! The dashboard in a real browser: every view, what appears by itself, what a click does, and what must not happen.

mod app;
mod browser;
mod controls;
mod drive;
mod steer;
mod stream;

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::slow::tools;
use crate::support::http::{HttpClient, Request, Server, lift};
use crate::support::sandbox::{Sandbox, bare_command};
use browser::Browser;

const MODES: &str = "customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write documentation.
    groups:
      - read
      - [edit, {fileRegex: '\\.md$', description: Markdown only}]
      - [edit, {fileRegex: '\\.adoc$'}]
";

/// A project, a server in it, and the page open in a browser.
struct World {
    sandbox: Arc<Sandbox>,
    server: Server,
    browser: Browser,
}

impl World {
    fn new(arguments: &[&str]) -> Self {
        Self::at(Self::project(), arguments)
    }

    /// The same with the language servers of the tests.
    fn with_servers() -> Self {
        let sandbox = Self::project();
        let mut command = sandbox.command(&["serve", "--listen", "127.0.0.1:0"]);
        let mut path = tools::servers().join("bin").into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        command.env("PATH", path);
        Self::serving(Arc::new(sandbox), &mut command)
    }

    fn project() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.write("README.md", "# An example\n");
        sandbox.write("src/main.py", "def main():\n    return 1\n");
        sandbox.write(".roomodes", MODES);
        sandbox
    }

    fn at(sandbox: Sandbox, arguments: &[&str]) -> Self {
        let all = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut command = sandbox.command(&all);
        Self::serving(Arc::new(sandbox), &mut command)
    }

    fn serving(sandbox: Arc<Sandbox>, command: &mut Command) -> Self {
        let server = Server::open(command);
        let browser = Browser::start(&sandbox);
        browser.resize(1360, 900);
        let world = Self {
            sandbox,
            server,
            browser,
        };
        world.log_in();
        world
    }

    fn log_in(&self) {
        let said = self.sandbox.ok(&["dashboard", "--no-open"]);
        let link = said.lines().next().unwrap();
        assert!(link.contains(&self.server.address.to_string()), "{said}");
        self.browser.open(link);
        self.browser.wait("document.querySelector('.dot.on')");
        let hash = self.browser.run("return location.href");
        assert!(
            !hash.as_str().unwrap().contains("link="),
            "the secret left the address"
        );
    }

    fn agent(&self) -> HttpClient {
        self.agent_called("zed")
    }

    fn agent_called(&self, name: &str) -> HttpClient {
        HttpClient::start_as(self.server.address, "/mcp", name)
    }

    /// A hook's event, as Claude Code sends it.
    fn hook(&self, tool: &str, input: &Value) -> String {
        let event = json!({
            "session_id": "0f7c1d7e-4a55-4b8e-9d39-6e0f4c0f3a11", "hook_event_name": "PreToolUse",
            "cwd": self.sandbox.project(), "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
        });
        // Below a process of its own: what this test asks over HTTP would be the same agent's otherwise.
        let hook = self.sandbox.command(&["hook", "claude"]);
        let start = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)";
        let mut below = bare_command("python3", &self.sandbox.project());
        below
            .args(["-c", start])
            .arg(hook.get_program())
            .args(hook.get_args());
        for (name, value) in hook.get_envs() {
            if let Some(value) = value {
                below.env(name, value);
            }
        }
        let mut child = below
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(event.to_string().as_bytes()).unwrap();
        drop(input);
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    }
}

/// Things to look at: a tree of tasks, decisions of several kinds, a memory, a request.
fn fill(world: &World) -> HttpClient {
    let mut agent = world.agent();
    let parent = lift(agent.call(
        "create_task",
        &json!({ "mode_slug": "code", "initial_message": "Plan the release" }),
    ));
    let parent = parent["result"]["metadata"]["session_id"].clone();
    let child = json!({ "mode_slug": "docs", "initial_message": "Write the notes", "parent_session_id": parent });
    agent.call("create_task", &child);
    agent.call(
        "write_memory",
        &json!({ "name": "architecture", "content": "# Architecture\n\nLayers." }),
    );
    for (tool, arguments) in [
        ("read_file", json!({ "file_path": "README.md" })),
        (
            "write_file",
            json!({ "file_path": "src/main.py", "content": "x = 1\n" }),
        ),
        (
            "write_file",
            json!({ "file_path": "docs/notes.md", "content": "# Notes\n" }),
        ),
        ("find_files", json!({ "pattern": "*.md" })),
        ("find_symbols", json!({ "query": "main" })),
    ] {
        agent.call(tool, &arguments);
    }
    world.sandbox.ok(&["mode", "architect"]);
    world.hook("Bash", &json!({ "command": "rm -rf src" }));
    world.hook("Edit", &json!({ "file_path": world.sandbox.project().join("README.md"), "old_string": "a", "new_string": "b" }));
    // What agents ask for later is theirs to ask.
    world.sandbox.ok(&["mode", "code"]);
    agent
}

/// The record of changes.
fn acts(world: &World, token: &str) -> String {
    let request = Request {
        method: "GET",
        path: "/api/acts",
        headers: vec![("Authorization", format!("Bearer {token}"))],
        ..Request::default()
    };
    world.server.send(&request).text()
}

const VIEWS: [(&str, &str); 7] = [
    ("#/now", "Agents and tasks"),
    ("#/modes", "Playground"),
    ("#/edit", "What it means"),
    ("#/enforcement", "Check again"),
    ("#/project", "Language servers"),
    ("#/usage", "Calls per tool"),
    ("#/nowhere", "Decisions"),
];

#[test]
fn every_view_is_without_barriers_errors_and_overflow() {
    let world = World::new(&["--switching", "ask_to_widen"]);
    let _agent = fill(&world);
    let browser = &world.browser;
    // Something that waits, with a plan, is on every view.
    let mut asking = world.agent();
    let waits = std::thread::spawn(move || {
        asking.call(
            "write_file",
            &json!({ "file_path": ".roomodes", "content": MODES.replace("Docs", "Papers") }),
        )
    });
    browser.sees("Waiting for you: 1");
    browser.sees("Papers");
    for theme in ["light", "dark"] {
        browser.run(&format!("localStorage.setItem('theme', '{theme}'); document.documentElement.dataset.theme = '{theme}'"));
        for (width, height) in [(1360, 900), (400, 800)] {
            browser.resize(width, height);
            for (hash, text) in VIEWS {
                browser.go(hash);
                browser.sees(text);
                let name = hash.trim_start_matches("#/");
                browser.picture(&format!("{name}-{theme}-{width}"));
                let wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
                assert_eq!(wide, 0, "{hash} at {width} px is too wide");
                assert_eq!(
                    browser.barriers(),
                    Vec::<String>::new(),
                    "{hash} {theme} {width}"
                );
            }
        }
    }
    browser.resize(1360, 900);
    browser.go("#/now");
    browser.wait("document.querySelector('.tree a')");
    browser.run("document.querySelector('.tree a').click()");
    browser.sees("Mode history");
    browser.picture("task");
    browser.click("Write the notes");
    browser.wait("document.querySelector('h2.title').innerText.includes('Write the notes')");
    browser.click("Plan the release");
    browser.wait("document.querySelector('h2.title').innerText.includes('Plan the release')");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    let asked = browser.run("return performance.getEntriesByType('resource').map((it) => it.name).filter((it) => !it.startsWith(location.origin))");
    assert_eq!(asked, json!([]), "something was loaded from elsewhere");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    browser.click("Deny");
    let answer = waits.join().unwrap();
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
}

#[test]
fn what_agents_do_appears_and_a_click_lets_them_go_on() {
    let world = World::new(&["--switching", "ask_to_widen"]);
    let browser = &world.browser;
    browser.sees("No agent is at work");
    world.sandbox.ok(&["mode", "ask"]);
    let mut agent = world.agent();
    let made = lift(agent.call(
        "create_task",
        &json!({ "mode_slug": "ask", "initial_message": "Explain the build" }),
    ));
    let session = made["result"]["metadata"]["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    browser.sees("Explain the build");
    let said = world.hook(
        "Edit",
        &json!({ "file_path": "src/main.py", "old_string": "1", "new_string": "2" }),
    );
    assert!(said.contains("deny"), "{said}");
    browser.wait("[...document.querySelectorAll('.row.v-deny')].some((it) => it.innerText.includes('Edit') && it.innerText.includes('claude'))");
    // The call waits; a click at the page lets it go on.
    let switch = json!({ "session_id": session, "new_mode_slug": "code", "reason": "fix it" });
    let waits = std::thread::spawn(move || lift(agent.call("switch_mode", &switch)));
    browser.sees("Waiting for you: 1");
    browser.click("Approve");
    let answer = waits.join().unwrap();
    assert_eq!(
        answer["result"]["metadata"]["new_mode"], "code",
        "{answer:#}"
    );
    browser.sees("Nothing waits for you");
    // A person steers.
    browser.go(&format!("#/task/{session}"));
    browser.sees("fix it");
    browser.choose("select[name=mode]", "ask");
    browser.click("Switch mode");
    browser.wait("document.querySelectorAll('.history li').length === 3");
    browser.click("Complete");
    browser.sees("completed");
    let shown = world.sandbox.json(&["tasks", "show", &session, "--json"]);
    assert_eq!(
        (&shown["mode"], &shown["state"]),
        (&json!("ask"), &json!("completed")),
        "{shown:#}"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_server_is_restarted_a_memory_edited_a_mode_tried_and_saved() {
    let world = World::with_servers();
    let browser = &world.browser;
    let mut agent = fill(&world);
    // A question starts the language server.
    agent.call(
        "get_symbol_definition",
        &json!({ "symbol_name": "main", "file_path": "src/main.py" }),
    );
    let before = world.sandbox.json(&["lsp", "list", "--json"]);
    assert!(before.to_string().contains("python"), "{before:#}");
    browser.go("#/project");
    browser.click("Restart python");
    browser.wait("/restarted, process \\d+/.test(document.getElementById('live').textContent)");
    let said = browser.run("return document.getElementById('live').textContent");
    let process = said
        .as_str()
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap()
        .to_owned();
    assert!(
        std::path::Path::new("/proc").join(&process).exists(),
        "{said}"
    );
    browser.click_on("document.querySelector('details summary')");
    browser.wait("document.querySelector('details').open && document.querySelector('details').innerText.includes('Restart')");
    browser.click("Open architecture");
    browser.wait("document.querySelector('#memory-text')?.value.includes('Layers')");
    browser.fill("#memory-text", "# Architecture\n\nTwo layers.");
    browser.click("Save memory");
    browser.wait("!document.querySelector('dialog')");
    let read = agent.call("read_memory", &json!({ "name": "architecture" }));
    assert!(read.to_string().contains("Two layers."), "{read:#}");

    browser.go("#/modes");
    browser.sees("matches 3 of 5 files");
    browser.choose("#play-mode", "architect");
    browser.fill("#play-tool", "Edit");
    browser.fill("#play-target", "src/main.py");
    browser.click("Ask");
    browser.sees("file-pattern");
    browser.go("#/edit");
    browser.fill(
        "#draft",
        &MODES.replace("- read", "- read\n      - command"),
    );
    browser.sees("wider");
    browser.click("Save");
    browser.sees("Playground");
    let modes = world.sandbox.json(&["modes", "show", "docs", "--json"]);
    let command = &modes["tool_groups"]["command"];
    assert_eq!(command["enabled"], true, "{modes:#}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What would run if it became markup, in every notation that a page could fall for.
const EVIL: &str = "<img src=x onerror=\"window.pwned=1\"><svg onload=window.pwned=1>'\"><script>window.pwned=1</script>";

/// A project whose files try it.
fn evil_world() -> World {
    let sandbox = Sandbox::new();
    let quoted = EVIL.replace('\'', "''");
    sandbox.write(
        ".roomodes",
        format!("customModes:\n  - slug: evil\n    name: '{quoted}'\n    roleDefinition: '{quoted}'\n    description: '{quoted}'\n    groups: [read, [edit, {{fileRegex: 'x', description: '{quoted}'}}]]\n  - slug: broken\n    name: '{quoted}'\n    groups: ['{quoted}']\n"),
    );
    sandbox.write("AGENTS.md", EVIL);
    sandbox.write(
        ".claude/skills/evil/SKILL.md",
        format!("---\nname: evil\ndescription: '{quoted}'\n---\n{EVIL}\n"),
    );
    World::at(sandbox, &["--switching", "ask_to_widen"])
}

/// A file with such a name, and a task with such a result.
fn complete_evil_task(world: &World) -> String {
    let browser = &world.browser;
    let mut builder = world.agent_called(EVIL);
    let made = json!({ "mode_slug": "code", "initial_message": EVIL });
    let ended = lift(builder.call("create_task", &made));
    let ended = ended["result"]["metadata"]["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let write = json!({ "file_path": "<img src=x onerror=window.pwned=1>.md", "content": EVIL });
    builder.call("write_file", &write);
    builder.call(
        "complete_task",
        &json!({ "session_id": ended, "status": "completed", "result": EVIL }),
    );
    let protected = json!({ "file_path": ".rooignore", "content": EVIL });
    let asks = std::thread::spawn(move || builder.call("write_file", &protected));
    browser.sees("Waiting for you: 1");
    browser.sees("+<img src=x");
    browser.click("Deny");
    asks.join().unwrap();
    ended
}

#[test]
fn nothing_that_an_agent_writes_becomes_markup() {
    let world = evil_world();
    let browser = &world.browser;
    let ended = complete_evil_task(&world);
    world.sandbox.ok(&["mode", "ask"]);
    let mut agent = world.agent_called(EVIL);
    let made = lift(agent.call(
        "create_task",
        &json!({ "mode_slug": "ask", "initial_message": EVIL }),
    ));
    let session = made["result"]["metadata"]["session_id"]
        .as_str()
        .unwrap()
        .to_owned();
    agent.call("write_memory", &json!({ "name": "notes", "content": EVIL }));
    agent.call("read_file", &json!({ "file_path": EVIL }));
    agent.call("find_files", &json!({ "pattern": EVIL }));
    world.hook(EVIL, &json!({ "x": EVIL }));
    world.hook("Bash", &json!({ "command": EVIL }));
    let switch = json!({ "session_id": session, "new_mode_slug": "code", "reason": EVIL });
    let waits = std::thread::spawn(move || agent.call("switch_mode", &switch));
    browser.sees("Waiting for you: 1");
    for hash in ["#/now", "#/modes", "#/edit", "#/project", "#/usage"] {
        browser.go(hash);
        browser.wait("!document.querySelector('main').innerText.includes('Loading')");
        browser.wait("document.querySelectorAll('main .panel').length > 0");
    }
    browser.go(&format!("#/task/{ended}"));
    browser.wait("document.querySelector('.facts').innerText.includes('Result')");
    browser.sees("<img src=x onerror=window.pwned=1>.md");
    browser.go(&format!("#/task/{session}"));
    browser.sees("window.pwned=1");
    browser.click("Approve");
    waits.join().unwrap();
    browser.go("#/now");
    browser.wait("document.querySelector('.pane .row .plain')");
    for index in 0..3 {
        browser.run(&format!(
            "document.querySelectorAll('.pane .row .plain')[{index}]?.click()"
        ));
        browser.wait("document.querySelector('dialog')");
        browser.run("document.querySelector('dialog').close()");
        browser.wait("!document.querySelector('dialog')");
    }
    check_hidden_characters(&world);
    let found = browser.run("return [window.pwned ?? null, document.querySelectorAll('main img, main script, main svg[onload], #waiting img').length]");
    assert_eq!(found, json!([null, 0]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What turns a line around or hides is written out, in titles and in the rows of decisions.
fn check_hidden_characters(world: &World) {
    let browser = &world.browser;
    let mut turned = world.agent();
    let title = json!({ "mode_slug": "ask", "initial_message": "invoice\u{202e}gpj.exe" });
    turned.call("create_task", &title);
    turned.call("read_file", &json!({ "file_path": "notes\u{202e}dm.sh" }));
    browser.sees("invoice\\u{202e}gpj.exe");
    browser.sees("notes\\u{202e}dm.sh");
    let hidden = browser.run("return /[\\u202e\\u200b]/.test(document.documentElement.outerHTML)");
    assert_eq!(hidden, false);
}

#[test]
fn without_a_session_the_page_only_says_how_to_get_one() {
    let world = World::new(&[]);
    let browser = &world.browser;
    browser.click("Log out");
    browser.sees("modekeeper dashboard");
    let answer = browser.run("return document.querySelectorAll('.card, .row').length");
    assert_eq!(answer, 0);
    for (method, path) in [
        ("POST", "/api/mode"),
        ("GET", "/api/decisions"),
        ("PUT", "/api/modes/file"),
    ] {
        let script = format!(
            "const request = new XMLHttpRequest(); request.open('{method}', '{path}', false); request.setRequestHeader('Content-Type', 'application/json'); request.send({}); return request.status",
            if method == "GET" { "null" } else { "'{}'" }
        );
        assert_eq!(browser.run(&script), 401, "{method} {path}");
    }
    // Who has no terminal there has a token.
    assert_eq!(browser.barriers(), Vec::<String>::new());
    browser.picture("locked");
    browser.fill("#token", "mks_wrong");
    browser.click("Log in");
    browser.sees("unknown, expired or revoked");
    let made = world
        .sandbox
        .json(&["token", "create", "ann", "--role", "viewer", "--json"]);
    browser.fill("#token", made["token"].as_str().unwrap());
    browser.picture("locked-with-a-token");
    browser.click("Log in");
    browser.sees("Agents and tasks");
    browser.sees("viewer");
    let kept = browser.run("return document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie");
    assert!(
        !kept.as_str().unwrap().contains("mks_"),
        "the page keeps no secret"
    );
}
