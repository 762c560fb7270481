//! kill −9 at random moments of edits over many files: afterwards all of them are changed, or none.

use std::fs;

use serde_json::json;

use crate::support::dice::{Dice, Moment};
use crate::support::sandbox::Sandbox;
use crate::support::stdio::Client;

const KILLS: usize = 40;
const FILES: usize = 120;

fn path(number: usize) -> String {
    format!("d{}/f{number}.txt", number % 9)
}

#[test]
fn a_killed_edit_of_many_files_is_never_half() {
    let seed = 20_261_117;
    eprintln!("seed {seed}");
    let mut dice = Dice::new(seed);
    let sandbox = Sandbox::new();
    for number in 0..FILES {
        sandbox.write(path(number), "version 0\n");
    }
    let mut moment = Moment::default();
    let (mut version, mut half_before, mut happened) = (0, 0, 0);
    let versions = |sandbox: &Sandbox| -> Vec<String> {
        let read = |number| fs::read_to_string(sandbox.project().join(path(number))).unwrap();
        (0..FILES).map(read).collect()
    };
    for round in 1..=KILLS {
        let mut client = Client::start(&sandbox);
        client.request("ping", &json!({}));
        let replace =
            json!({ "find": format!("version {version}"), "replace": format!("version {round}") });
        client.post(
            "tools/call",
            &Client::call_params("replace_in_files", &replace),
        );
        let answer = client.lines().recv_timeout(moment.pick(&mut dice));
        moment.learn(answer.is_ok());
        client.child().kill().unwrap();
        client.child().wait().unwrap();
        let mut left = versions(&sandbox);
        left.dedup();
        half_before += usize::from(left.len() > 1);
        // The next change finishes it.
        let mut next = Client::start(&sandbox);
        let write = json!({ "file_path": "other.txt", "content": round.to_string() });
        let answer = next.call("write_file", &write);
        assert!(answer["result"]["isError"] != true, "{answer:#}");
        let mut all = versions(&sandbox);
        all.dedup();
        assert_eq!(all.len(), 1, "half in round {round}: {all:?}");
        if all[0] == format!("version {round}\n") {
            (version, happened) = (round, happened + 1);
        }
    }
    eprintln!(
        "{KILLS} kills: {happened} edits took place, {half_before} were half until the next edit"
    );
    assert!(happened > 0, "killed too early to show anything");
    let left = sandbox.run(&["backups", "list"]);
    assert!(left.status.success(), "{left:#?}");
    for folder in (0..9).map(|number| sandbox.project().join(format!("d{number}"))) {
        for entry in fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.ends_with(".tmp"), "{name} stayed");
        }
    }
}
