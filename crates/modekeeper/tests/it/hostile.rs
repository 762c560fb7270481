//! Mode files and paths that mean harm: answered quickly, denied, explained.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::PATIENCE;
use crate::support::sandbox::Sandbox;
use crate::support::stdio::Client;

/// What hangs is noticed. How fast it is, `cargo xtask bench` measures: a busy machine proves nothing.
const QUICKLY: Duration = PATIENCE;

/// Serves a project prepared by `prepare`: the builtin modes work, and `modes lint` names the file and says why.
#[track_caller]
fn refused(prepare: impl Fn(&Path), said: &str) {
    let sandbox = Sandbox::new();
    let file = sandbox.project().join(".roomodes");
    prepare(&file);
    let since = Instant::now();
    let mut client = Client::start(&sandbox);
    let session = client.create("code");
    let check = json!({ "session_id": session, "tool_name": "read_file", "file_path": "a" });
    let allowed = client.call("validate_tool_use", &check);
    let time = since.elapsed();
    assert_eq!(
        allowed["result"]["metadata"]["allowed"], true,
        "{allowed:#}"
    );
    assert!(time < QUICKLY, "served after {time:?}");

    let since = Instant::now();
    let lint = sandbox.run(&["modes", "lint", "--json"]);
    let time = since.elapsed();
    assert_eq!(lint.status.code(), Some(1), "{lint:#?}");
    assert!(time < QUICKLY, "linted after {time:?}");
    let lint: serde_json::Value = serde_json::from_str(&lint.stdout).unwrap();
    let first = &lint["diagnostics"][0];
    assert_eq!(first["file"], ".roomodes", "{lint:#}");
    assert!(first["line"].as_u64() >= Some(1), "{lint:#}");
    let message = first["message"].as_str().unwrap();
    assert!(message.contains(said), "{message:?} does not say {said:?}");
}

#[track_caller]
fn refused_text(text: impl AsRef<[u8]>, said: &str) {
    refused(
        |file| crate::support::sandbox::overwrite(file, text.as_ref()),
        said,
    );
}

#[test]
fn a_file_of_twenty_megabytes() {
    refused_text("# padding\n".repeat(2_000_000), "too large");
}

#[test]
fn a_link_to_itself() {
    refused(
        |file| std::os::unix::fs::symlink(".roomodes", file).unwrap(),
        "ymbolic link",
    );
}

#[test]
fn a_pipe_nobody_writes_to() {
    refused(
        |file| {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            let kind = rustix::fs::FileType::Fifo;
            rustix::fs::mknodat(rustix::fs::CWD, file, kind, mode, 0).unwrap();
        },
        "not a",
    );
}

#[test]
fn a_folder() {
    refused(|file| std::fs::create_dir(file).unwrap(), "not a");
}

#[test]
fn bytes_that_are_no_text() {
    refused_text(b"customModes:\n  - slug: \xff\xfe", "UTF-8");
}

#[test]
fn aliases_that_multiply() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(10);
        bomb.push_str(&format!("a{level}: &a{level} [{before}]\n"));
    }
    refused_text(bomb + "customModes: *a11\n", "");
}

#[test]
fn brackets_without_end() {
    refused_text("[".repeat(400_000), "");
    refused_text("{\"a\":".repeat(80_000), "");
}

#[test]
fn a_pattern_without_end() {
    let deep = "(".repeat(100_000) + &")".repeat(100_000);
    let wide = "(a{1,1000}){1,1000}".repeat(10);
    for pattern in [deep, wide] {
        denies(&pattern);
    }
}

fn mode_with(pattern: &str) -> String {
    let mode = json!({
        "slug": "trap", "name": "Trap", "roleDefinition": "You wait.",
        "groups": ["read", ["edit", { "fileRegex": pattern }]],
    });
    json!({ "customModes": [mode] }).to_string()
}

#[test]
fn a_pattern_that_backtracks_for_ever_answers_at_once() {
    let evil = [
        r"^(a+)+$",
        r"^(a|aa)+$",
        r"^(?=(a+)+$).*b",
        r"(.*a){20}$",
        r"^(([a-z])+.)+[A-Z]([a-z])+$",
    ];
    for pattern in evil {
        denies(pattern);
    }
}

/// A mode with this pattern answers soon and allows no file that the pattern cannot be shown to cover.
#[track_caller]
fn denies(pattern: &str) {
    let sandbox = Sandbox::with(".roomodes", mode_with(pattern));
    let shown: String = pattern.chars().take(40).collect();
    let since = Instant::now();
    let lint = sandbox.run(&["modes", "lint"]);
    let time = since.elapsed();
    assert!(lint.stdout.contains(".roomodes:1:"), "{shown}: {lint:#?}");
    assert!(
        lint.stdout.len() < 10_000,
        "{shown}: {} bytes",
        lint.stdout.len()
    );
    assert!(time < QUICKLY, "{shown}: linted after {time:?}");

    let mut client = Client::start(&sandbox);
    let answer = client.call("create_task", &json!({ "mode_slug": "trap" }));
    let Some(session) = answer["result"]["metadata"]["session_id"].as_str() else {
        // The pattern itself was refused, and the mode with it.
        assert_eq!(answer["error"]["code"], -32001, "{shown}: {answer:#}");
        return;
    };
    let path = "a".repeat(4000) + "!";
    let check = json!({ "session_id": session, "tool_name": "write_to_file", "file_path": path });
    let since = Instant::now();
    let answer = client.call("validate_tool_use", &check);
    let time = since.elapsed();
    eprintln!("{shown}: {time:?}");
    assert_eq!(
        answer["result"]["metadata"]["allowed"], false,
        "{shown}: {answer:#}"
    );
    assert!(time < QUICKLY, "{shown}: {time:?}");
}

#[test]
fn a_large_file_of_good_modes_loads() {
    let mut text = "customModes:\n".to_owned();
    for index in 0..200 {
        text.push_str(&format!(
            "  - slug: mode-{index}\n    name: Mode {index}\n    groups: [read]\n    roleDefinition: |\n"
        ));
        for _ in 0..20 {
            text.push_str(&format!("      {}\n", "You are long-winded. ".repeat(5)));
        }
    }
    assert!(text.len() > 400_000, "{}", text.len());
    let sandbox = Sandbox::with(".roomodes", text);
    let since = Instant::now();
    let mut client = Client::start(&sandbox);
    client.create("mode-199");
    assert!(since.elapsed() < QUICKLY, "{:?}", since.elapsed());
}

/// No path that leaves the project may be written in any mode, whatever it is called.
#[test]
fn paths_that_leave_the_project() {
    let sandbox = Sandbox::new();
    std::os::unix::fs::symlink("/etc", sandbox.project().join("link")).unwrap();
    std::os::unix::fs::symlink("loop", sandbox.project().join("loop")).unwrap();
    let mut client = Client::start(&sandbox);
    let paths = [
        "../x.md",
        "docs/../../x.md",
        "/etc/x.md",
        "link/x.md",
        "loop/x.md",
        "..\\x.md",
        "C:\\x.md",
        "~/x.md",
        "file:///etc/x.md",
        "a\0b.md",
        "",
        ".",
    ];
    for mode in ["code", "architect"] {
        let session = client.create(mode);
        for path in paths {
            let check =
                json!({ "session_id": session, "tool_name": "write_to_file", "file_path": path });
            let since = Instant::now();
            let answer = client.call("validate_tool_use", &check);
            let time = since.elapsed();
            let allowed = &answer["result"]["metadata"]["allowed"];
            assert_ne!(*allowed, true, "{mode} {path:?}: {answer:#}");
            if answer.get("error").is_none() {
                let text = answer["result"]["content"][0]["text"].as_str().unwrap();
                assert!(text.contains("Reason: "), "{path:?}: {text}");
            }
            assert!(time < QUICKLY, "{path:?}: {time:?}");
        }
    }
}

#[test]
fn mode_files_themselves_are_protected() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    let session = client.create("code");
    for path in [
        ".roomodes",
        "docs/../.roomodes",
        ".roo/rules/a.md",
        ".rooignore",
    ] {
        let check =
            json!({ "session_id": session, "tool_name": "write_to_file", "file_path": path });
        let answer = client.call("validate_tool_use", &check);
        assert_eq!(
            answer["result"]["metadata"]["allowed"], false,
            "{path}: {answer:#}"
        );
    }
}

/// CPU time of a process so far, in hundredths of a second.
fn cpu_ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let [user, system] = [11, 12].map(|field: usize| fields[field].parse::<u64>().unwrap());
    user + system
}

#[test]
fn an_evaluation_ends_when_its_cpu_time_is_over() {
    // Where something is hidden, every pattern is compared with what is there.
    let sandbox = Sandbox::with(".rooignore", "hidden.md\n");
    for number in 0..1500 {
        sandbox.write(format!("d{}/f{number}.md", number % 30), "x");
    }
    let mut client = Client::start(&sandbox);
    let session = client.create("code");
    let patterns: Vec<String> = (0..6000).map(|number| format!("*/*/*{number}")).collect();
    let command = format!("cat {}", patterns.join(" "));
    let check = json!({
        "session_id": session,
        "tool_name": "execute_command",
        "arguments": { "command": command },
    });
    let before = cpu_ticks(client.child().id());
    let answer = client.call("validate_tool_use", &check);
    let spent = cpu_ticks(client.child().id()) - before;
    let rule = &answer["result"]["structuredContent"]["rule"];
    assert_eq!(rule, "command-too-large", "{answer:#}");
    // 100 ms at most, and what the rest of the call takes in a debug build. All of it would take ten seconds.
    assert!(spent < 100, "{spent} hundredths of a second");
}
