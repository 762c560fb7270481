//! A person's hand on what agents did: undone, held, and not by another page.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::Receiver;

use serde_json::json;

use super::World;
use crate::support::http::{Request, lift};

#[test]
fn an_edit_is_undone_at_the_page() {
    let world = World::new(&[]);
    let mut agent = world.agent();
    let made = lift(agent.call(
        "create_task",
        &json!({ "mode_slug": "code", "initial_message": "Change the file" }),
    ));
    let session = made["result"]["metadata"]["session_id"].as_str().unwrap();
    let file = world.sandbox.project().join("src/main.py");
    let before = std::fs::read_to_string(&file).unwrap();
    let write =
        json!({ "file_path": "src/main.py", "content": "broken = True\n", "session_id": session });
    agent.call("write_file", &write);
    assert_ne!(std::fs::read_to_string(&file).unwrap(), before);
    let browser = &world.browser;
    browser.go(&format!("#/task/{session}"));
    browser.sees("src/main.py");
    browser.click("Undo");
    browser.wait("document.querySelectorAll('[aria-labelledby=p-undo] tbody tr').length > 1");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn enforcement_tells_a_held_client_from_one_that_is_not() {
    let world = World::new(&[]);
    let browser = &world.browser;
    browser.go("#/enforcement");
    browser.wait("document.querySelector('main table')");
    let before = browser.run("return document.querySelector('main').innerText");
    world.sandbox.ok(&["mode", "ask"]);
    world.sandbox.ok(&["install", "claude-code", "--yes"]);
    browser.click("Check again");
    browser.wait("[...document.querySelectorAll('main tbody tr')].some((it) => /claude/i.test(it.innerText) && it.innerText.includes('ok'))");
    let after = browser.run("return document.querySelector('main').innerText");
    assert_ne!(before, after);
    browser.picture("enforcement-held");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_mode_that_wants_more_waits_until_it_is_trusted_at_the_page() {
    let world = World::new(&["--switching", "ask_to_widen"]);
    let browser = &world.browser;
    browser.go("#/modes");
    browser.sees("Every mode is trusted as it is written");
    let wider = "customModes:\n  - slug: ask\n    name: Questions\n    roleDefinition: x\n    groups: [read, edit]\n";
    world.sandbox.write(".roomodes", wider);
    browser.sees("1 mode waits for trust");
    browser.sees("its earlier limits still apply");
    let ask = |verdict: &str| {
        browser.choose("#play-mode", "ask");
        browser.fill("#play-target", "src/main.py");
        browser.click("Ask");
        browser.wait(&format!(
            "document.querySelector('.answer .badge')?.textContent === '{verdict}'"
        ));
    };
    ask("deny");
    browser.click("Trust ask");
    browser.sees("Every mode is trusted as it is written");
    ask("allow");
    let token = world
        .sandbox
        .json(&["token", "create", "ci", "--role", "admin", "--json"]);
    let acts = super::acts(&world, token["token"].as_str().unwrap());
    assert!(acts.contains("trust mode"), "{acts}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// A page of another origin on this machine: its address, and the requests that it gets.
fn other_page() -> (String, Receiver<String>) {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("http://{}/", other.local_addr().unwrap());
    let (heard, asked_for) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in other.incoming() {
            let mut stream = stream.unwrap();
            let mut asked = [0; 4096];
            let length = stream.read(&mut asked).unwrap();
            drop(heard.send(String::from_utf8_lossy(&asked[..length]).into_owned()));
            let page = "<!doctype html><title>other</title><p>other";
            let length = page.len();
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{page}").unwrap();
        }
    });
    (place, asked_for)
}

/// A person opens another page while the dashboard's session is good.
#[test]
fn another_page_cannot_act_with_the_session() {
    let world = World::new(&[]);
    let (place, asked_for) = other_page();
    let browser = &world.browser;
    browser.open(&place);
    let target = world.server.address;
    // Cookies know no ports: a server that an agent has started gets the page's, and can do nothing with it.
    let asked = asked_for.recv().unwrap();
    let cookie = asked.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("cookie")
            .then(|| value.to_owned())
    });
    let cookie = cookie.expect("the browser sends it along");
    for (method, path, status) in [
        ("GET", "/api/session", 401),
        ("GET", "/api/approvals", 401),
        ("GET", "/api/events", 401),
        ("POST", "/api/mode", 403),
    ] {
        let request = Request {
            method,
            path,
            headers: vec![
                ("Cookie", cookie.clone()),
                ("Content-Type", "application/json".to_owned()),
            ],
            body: if method == "POST" {
                json!({ "mode": "ask" }).to_string()
            } else {
                String::new()
            },
        };
        assert_eq!(
            world.server.send(&request).status,
            status,
            "{method} {path}"
        );
    }
    for (kind, mode) in [("application/json", "cors"), ("text/plain", "no-cors")] {
        let script = format!(
            "fetch('http://{target}/api/mode', {{ method: 'POST', mode: '{mode}', credentials: 'include', \
             headers: {{ 'Content-Type': '{kind}' }}, body: JSON.stringify({{ mode: 'ask' }}) }}) \
             .then((it) => done(it.type + it.status), (it) => done('refused'))"
        );
        let answer = browser.run_later(&script);
        assert!(answer == "refused" || answer == "opaque0", "{answer}");
    }
    browser.run(&format!(
        "const form = document.createElement('form'); form.method = 'post'; form.enctype = 'text/plain'; \
         form.action = 'http://{target}/api/mode'; document.body.append(form); form.submit()"
    ));
    browser.wait("document.title !== 'other'");
    world.log_in();
    let mode = world.sandbox.ok(&["mode"]);
    assert!(!mode.contains("ask"), "{mode}");
}

/// The two pictures of the README, with what they tell about.
#[test]
fn the_pictures_of_the_readme_are_made() {
    let world = World::new(&["--switching", "ask_to_widen"]);
    let _agent = super::fill(&world);
    let browser = &world.browser;
    browser.run(
        "localStorage.setItem('theme', 'light'); document.documentElement.dataset.theme = 'light'",
    );
    browser.resize(1360, 900);
    let mut asking = world.agent();
    let waits = std::thread::spawn(move || {
        let write =
            json!({ "file_path": ".roomodes", "content": super::MODES.replace("Docs", "Papers") });
        asking.call("write_file", &write)
    });
    browser.sees("Waiting for you: 1");
    browser.go("#/now");
    browser.wait(
        "document.querySelectorAll('.pane .row').length > 5 && document.querySelector('.tree a')",
    );
    browser.picture("dashboard");
    browser.run("[...document.querySelectorAll('.pane .row')].find((it) => it.innerText.includes('rm -rf')).querySelector('.plain').click()");
    browser.wait("document.querySelector('dialog')?.innerText.includes('rm -rf')");
    browser.picture("decision");
    browser.run("document.querySelector('dialog').close()");
    browser.click("Deny");
    waits.join().unwrap();
}
