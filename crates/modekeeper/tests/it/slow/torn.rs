//! kill −9 while files are written: a file is the old or the new one, and what was replaced can be had back.

use std::time::Instant;

use serde_json::json;

use crate::support::dice::{Dice, Moment};
use crate::support::sandbox::Sandbox;
use crate::support::stdio::Client;

const KILLS: usize = 150;
/// Large enough that writing it takes a while.
const LINES: usize = 60_000;
const FILES: [&str; 2] = ["data.txt", "deep/er/data.txt"];
const MEMORY: &str = ".modekeeper/memories/data.md";

fn version(number: usize) -> String {
    format!("{number}\n").repeat(LINES)
}

/// The version that a text is; torn ones are none.
#[track_caller]
fn whole(text: &str, what: &str) -> usize {
    let first = text.lines().next().and_then(|line| line.parse().ok());
    let number = first.unwrap_or_else(|| panic!("{what} begins with {:?}", text.get(..20)));
    assert!(text == version(number), "{what} is torn after {number}");
    number
}

#[test]
fn a_killed_writer_leaves_the_old_file_or_the_new_one() {
    let seed = 20_261_116;
    eprintln!("seed {seed}");
    let mut dice = Dice::new(seed);
    let sandbox = Sandbox::new();
    for path in FILES.into_iter().chain([MEMORY]) {
        sandbox.write(path, version(0));
    }
    let mut moment = Moment::default();
    let (mut number, mut answered, mut changed) = (0, 0, 0);
    let mut last = [0; FILES.len()];
    for _ in 0..KILLS {
        let mut client = Client::start(&sandbox);
        for path in FILES {
            client.request(
                "tools/call",
                &Client::call_params("read_file", &json!({ "file_path": path, "end_line": 1 })),
            );
        }
        let mut under_way = Vec::new();
        for path in FILES {
            number += 1;
            let new = json!({ "file_path": path, "content": version(number) });
            under_way.push(client.post("tools/call", &Client::call_params("write_file", &new)));
        }
        let new = json!({ "name": "data", "content": version(number) });
        under_way.push(client.post("tools/call", &Client::call_params("write_memory", &new)));
        let end = Instant::now() + moment.pick(&mut dice);
        let mut left = under_way.len();
        while left > 0
            && let Ok(line) = client
                .lines()
                .recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            assert!(!line.contains("isError\":true"), "{line}");
            answered += 1;
            left -= 1;
        }
        moment.learn(left == 0);
        client.child().kill().unwrap();
        client.child().wait().unwrap();
        for (path, last) in FILES.into_iter().zip(&mut last) {
            let now = whole(
                &std::fs::read_to_string(sandbox.project().join(path)).unwrap(),
                path,
            );
            changed += usize::from(now != *last);
            *last = now;
        }
        let memory = std::fs::read_to_string(sandbox.project().join(MEMORY)).unwrap();
        whole(&memory, MEMORY);
    }
    eprintln!(
        "{answered} writes were answered, {changed} of {} took place",
        KILLS * 2
    );
    assert!(changed > KILLS / 10, "killed too early to show anything");
    assert!(changed < KILLS * 2, "killed too late to show anything");
    undo(&sandbox);
    assert_eq!(temporary_files(&sandbox), Vec::<String>::new());
}

/// Every backup that is listed can be restored, and is whole.
fn undo(sandbox: &Sandbox) {
    let backups = sandbox.json(&["backups", "list", "--json"]);
    let backups = backups.as_array().unwrap();
    assert!(backups.len() > KILLS / 20, "{}", backups.len());
    for backup in backups.iter().take(30) {
        let id = backup["id"].as_str().unwrap();
        sandbox.ok(&["backups", "restore", id]);
        for path in FILES {
            let text = std::fs::read_to_string(sandbox.project().join(path)).unwrap();
            whole(&text, path);
        }
    }
}

fn temporary_files(sandbox: &Sandbox) -> Vec<String> {
    let folders = ["", "deep/er"].map(|folder| sandbox.project().join(folder));
    let names = folders.iter().flat_map(|folder| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap())
    });
    names.filter(|name| name.ends_with(".tmp")).collect()
}
