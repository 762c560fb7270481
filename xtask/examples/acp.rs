//! What `bench acp` puts on both sides of its measure: an agent that says as much as it is told, and, as `acp relay …`,
//! the barest thing that can stand before it: two pipes, passed on.

#![expect(
    clippy::disallowed_methods,
    reason = "a program of its own, which starts another one"
)]

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};

fn main() -> io::Result<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("relay") => relay(&arguments.collect::<Vec<_>>()),
        _ => agent(),
    }
}

fn relay(command: &[String]) -> io::Result<ExitCode> {
    let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let forth = std::thread::spawn(move || pass_on(io::stdin(), input));
    pass_on(output, io::stdout())?;
    drop(forth);
    child.wait()?;
    Ok(ExitCode::SUCCESS)
}

fn pass_on(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
            return Ok(());
        };
        to.write_all(bytes)?;
        to.flush()?;
    }
}

fn agent() -> io::Result<ExitCode> {
    let mut input = BufReader::new(io::stdin());
    let mut output = io::stdout().lock();
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        line.clear();
        if message["method"].is_null() || message["id"].is_null() {
            continue;
        }
        let result = match message["method"].as_str() {
            Some("initialize") => json!({ "protocolVersion": 1, "agentCapabilities": {} }),
            Some("session/new") => json!({ "sessionId": "s1" }),
            Some("session/prompt") => {
                let text = message["params"]["prompt"][0]["text"].as_str();
                let (what, count) = text.and_then(|it| it.split_once(' ')).unwrap_or_default();
                for number in 0..count.parse::<u32>().unwrap_or_default() {
                    match what {
                        "ask" => ask(&mut input, &mut output, number)?,
                        _ => chunk(&mut output)?,
                    }
                }
                json!({ "stopReason": "end_turn" })
            }
            _ => json!({}),
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A streamed chunk, of the length that models stream.
fn chunk(output: &mut impl Write) -> io::Result<()> {
    output.write_all(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"a few words\"}}}}\n",
    )?;
    output.flush()
}

/// A question, and its answer.
fn ask(input: &mut impl io::BufRead, output: &mut impl Write, number: u32) -> io::Result<()> {
    let question = json!({
        "jsonrpc": "2.0", "id": number, "method": "session/request_permission",
        "params": {
            "sessionId": "s1",
            "toolCall": {
                "toolCallId": format!("call-{number}"), "kind": "edit", "title": "Edit src/main.rs",
                "locations": [{ "path": "src/main.rs" }],
            },
            "options": [
                { "optionId": "allow", "name": "Allow", "kind": "allow_once" },
                { "optionId": "reject", "name": "Reject", "kind": "reject_once" },
            ],
        },
    });
    writeln!(output, "{question}")?;
    output.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(())
}
