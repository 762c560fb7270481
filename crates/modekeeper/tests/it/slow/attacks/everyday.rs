//! Everyday lines: `tests/attacks/everyday.txt`. What is refused without need is counted, because a guard that is in the
//! way gets switched off.

use std::path::Path;

use serde_json::json;

use super::world::World;
use crate::support::stdio::Client;

#[test]
fn everyday_lines_pass() {
    let world = World::new();
    let mut client = Client::start(&world.sandbox);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/attacks/everyday.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let mut changing = false;
    let mut lines: Vec<(String, bool)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line {
            "@ all" => changing = false,
            "@ changing" => changing = true,
            line => lines.push((world.fill(line, "src/main.py"), changing)),
        }
    }
    assert!(lines.len() >= 300, "{} lines", lines.len());
    let mut too_many = String::new();
    for (mode, percent, counted) in [
        ("code", 1, &["ask", "unproven", "deny"][..]),
        ("reviewer", 10, &["unproven"]),
        ("docs", 10, &["unproven"]),
    ] {
        let session = client.create(mode);
        let mut refused = Vec::new();
        let fitting = lines
            .iter()
            .filter(|(_, changing)| mode == "code" || !changing);
        let fitting: Vec<&String> = fitting.map(|(line, _)| line).collect();
        for line in &fitting {
            let call = json!({
                "session_id": session,
                "tool_name": "execute_command",
                "arguments": { "command": line },
            });
            let answer = client.call("validate_tool_use", &call);
            let answer = &answer["result"]["structuredContent"];
            let decision = answer["decision"].as_str().unwrap();
            if counted.contains(&decision) {
                refused.push(format!(
                    "{decision}: {line} ({})",
                    answer["error"].as_str().unwrap_or_default()
                ));
            }
        }
        eprintln!(
            "everyday lines in {mode}: {} of {} are {}",
            refused.len(),
            fitting.len(),
            counted.join(", ")
        );
        let shown = refused.join("\n");
        eprintln!("{shown}");
        if refused.len() * 100 > fitting.len() * percent {
            too_many.push_str(&format!("{mode}:\n{shown}\n"));
        }
    }
    assert!(too_many.is_empty(), "{too_many}");
}
