//! `docs/images/held.svg`: the terminal of a real run, drawn from the snapshot that the suite `agents` has made of it.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};

use super::Document;
use crate::workspace;

const SOURCE: &str = "crates/modekeeper/tests/it/slow/snapshots/it__slow__agents__recording.snap";
const TARGET: &str = "docs/images/held.svg";
/// Characters in a line of the terminal.
const WIDTH: usize = 96;
const LINE: usize = 20;
const TOP: usize = 46;

pub(super) fn documents() -> Result<Vec<Document>> {
    let file = workspace::root().join(SOURCE);
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {SOURCE}: run ./test agents"))?;
    let (_, text) = text
        .split_once("\n---\n")
        .context("a snapshot has a header")?;
    Ok(vec![Document {
        path: TARGET,
        text: draw(text.trim_end()),
    }])
}

fn draw(text: &str) -> String {
    let rows: Vec<(&str, String)> = text
        .lines()
        .flat_map(|line| {
            let class = class_of(line);
            wrapped(line).into_iter().map(move |row| (class, row))
        })
        .collect();
    let height = TOP + rows.len() * LINE + 10;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 {height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"14\" role=\"img\" \
         aria-label=\"An agent's edit is refused in architect mode and done in code mode\">\n  \
         <style>\n    text {{ fill: #d8dee9; white-space: pre }}\n    .prompt {{ fill: #ffffff; font-weight: 600 }}\n    \
         .good {{ fill: #8fd6a0 }}\n    .bad {{ fill: #ff8f8f }}\n    .dim {{ fill: #93a1b5 }}\n  </style>\n  \
         <rect width=\"880\" height=\"{height}\" rx=\"10\" fill=\"#1b2230\"/>\n  \
         <circle cx=\"22\" cy=\"20\" r=\"6\" fill=\"#ff5f56\"/>\n  \
         <circle cx=\"42\" cy=\"20\" r=\"6\" fill=\"#ffbd2e\"/>\n  \
         <circle cx=\"62\" cy=\"20\" r=\"6\" fill=\"#27c93f\"/>\n"
    );
    for (at, (class, row)) in rows.iter().enumerate() {
        let y = TOP + at * LINE + 4;
        if !row.is_empty() {
            let _ = writeln!(
                svg,
                "  <text x=\"16\" y=\"{y}\" class=\"{class}\">{}</text>",
                escaped(row)
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn class_of(line: &str) -> &'static str {
    match line {
        line if line.starts_with("$ ") => "prompt",
        line if line.contains("enforced") || line.contains("updated successfully") => "good",
        line if line.contains("Cannot edit") => "bad",
        line if line.starts_with('●') => "plain",
        _ => "dim",
    }
}

/// A line as a terminal breaks it, at blanks; what follows is indented like the line.
fn wrapped(line: &str) -> Vec<String> {
    let indent: String = line
        .chars()
        .take_while(|it| *it == ' ' || *it == '⎿')
        .map(|_| ' ')
        .collect();
    let mut rows = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let Some(row) = rows.last_mut() else { break };
        let fits = row.chars().count() + word.trim_end().chars().count() <= WIDTH;
        if fits || row.trim().is_empty() {
            row.push_str(word);
        } else {
            rows.push(format!("{indent}{word}"));
        }
    }
    rows
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
