//! Keeps the answer short: what the conversation has been told is left out, and rules share the room that is left.

use std::io;

use mk_engine::{Caller, Engine};
use serde_json::{Map, Value, json};

/// Bytes of a standard answer.
const MOST_BYTES: usize = 4_000;
/// Of which a skill's beginning may take this much.
const MOST_OF_SKILL: usize = 800;
/// The key of a skill's beginning.
pub(super) const BEGINS: &str = "begins";
/// Less of a rule is worth nothing.
const LEAST_OF_RULE: usize = 120;
/// Parts that a conversation needs once.
const ONCE: [&str; 6] = [
    "instructions",
    "mayTouch",
    "delegate_agent_info",
    "available_act_agents",
    "checks",
    "languageInstruction",
];
/// Said where something is cut.
const CUT: &str =
    "Some rules are cut: read the rule's uri, or call rules_for_files, for the full text";
const HOW_TO_GET_ALL: &str =
    "Unchanged since an earlier answer in this conversation; verbosity full sends everything";

/// What an answer says that a conversation needs once, by part.
fn parts(answer: &Value) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for part in ONCE {
        if let Some(value) = answer.get(part) {
            // Not `to_string`, which goes through a formatter piece by piece.
            let text = serde_json::to_string(value).unwrap_or_default();
            parts.push((part.to_owned(), text));
        }
    }
    let rules = answer.get("rules").and_then(Value::as_array);
    for rule in rules.into_iter().flatten() {
        if let (Some(name), Some(content)) = (rule["name"].as_str(), rule["content"].as_str()) {
            parts.push((format!("rules/{name}"), content.to_owned()));
        }
    }
    let skills = answer.get("skills").and_then(Value::as_array);
    for skill in skills.into_iter().flatten() {
        if let (Some(name), Some(begins)) = (skill["name"].as_str(), skill[BEGINS].as_str()) {
            parts.push((format!("skills/{name}"), begins.to_owned()));
        }
    }
    parts
}

/// Leaves out what an earlier answer in the same conversation has said in the same words, makes the rest fit, and notes
/// what is told now.
pub(super) fn shorten_for(engine: &Engine, caller: &Caller, answer: &mut Value) {
    let parts = parts(answer);
    let known = engine.is_known_to(caller, &parts);
    let known: Vec<&str> = parts
        .iter()
        .zip(known)
        .filter(|(_, is_known)| *is_known)
        .map(|((part, _), _)| part.as_str())
        .collect();
    leave_out(answer, &known);
    fit(answer);
    // A rule of which only the start is sent counts as told: its address is beside it.
    let mut told = parts;
    told.retain(|(part, _)| is_sent(answer, part));
    engine.note_told(caller, &told);
}

/// Whether a part is still in an answer.
fn is_sent(answer: &Value, part: &str) -> bool {
    let has = |list: &str, name: &str, key: &str| {
        let items = answer.get(list).and_then(Value::as_array);
        let mut items = items.into_iter().flatten();
        items.any(|it| it["name"] == name && it.get(key).is_some())
    };
    match part.split_once('/') {
        Some(("rules", name)) => has("rules", name, "content"),
        Some(("skills", name)) => has("skills", name, BEGINS),
        _ => answer.get(part).is_some(),
    }
}

fn leave_out(answer: &mut Value, known: &[&str]) {
    let Some(fields) = answer.as_object_mut() else {
        return;
    };
    if known.is_empty() {
        return;
    }
    for part in ONCE.iter().filter(|part| known.contains(part)) {
        fields.shift_remove(*part);
    }
    let rules = fields.get_mut("rules").and_then(Value::as_array_mut);
    for rule in rules.into_iter().flatten() {
        let name = rule["name"].as_str().unwrap_or_default();
        if known.contains(&format!("rules/{name}").as_str())
            && let Some(rule) = rule.as_object_mut()
        {
            rule.shift_remove("content");
            rule.shift_remove("uri");
        }
    }
    let skills = fields.get_mut("skills").and_then(Value::as_array_mut);
    for skill in skills.into_iter().flatten() {
        let name = skill["name"].as_str().unwrap_or_default();
        if known.contains(&format!("skills/{name}").as_str())
            && let Some(skill) = skill.as_object_mut()
        {
            skill.shift_remove(BEGINS);
        }
    }
    fields.insert("unchanged".to_owned(), json!(known));
    fields.insert("unchangedHint".to_owned(), json!(HOW_TO_GET_ALL));
}

/// Cuts rules and the skill's beginning, and then lists, until the answer fits.
fn fit(answer: &mut Value) {
    let n_team = n_team_rules(answer);
    let mut contents = take_contents(answer);
    let lengths: Vec<usize> = contents.iter().map(String::len).collect();
    let mut begins = take_beginning(answer);
    let whole: usize = contents.iter().chain(&begins).map(|it| cost(it)).sum();
    let mut room = MOST_BYTES.saturating_sub(size(answer));
    if whole > room {
        answer["rulesCut"] = json!(CUT);
        room = room.saturating_sub(CUT.len() + 14);
    }
    let n_rules = contents.len();
    for place in 0..=n_rules {
        // What the team wrote comes first, then the skill, then what holds for every project.
        if place == n_team
            && let Some(begins) = begins.as_mut()
        {
            *begins = excerpt(begins, room.min(MOST_OF_SKILL));
            room = room.saturating_sub(cost(begins));
        }
        let Some(content) = contents.get_mut(place) else {
            continue;
        };
        // The nearest rule may have half of what is left, unless the others are short.
        let share = if n_rules - place == 1 {
            room
        } else {
            room * 3 / 5
        };
        *content = excerpt(content, share);
        room = room.saturating_sub(cost(content));
    }
    put_contents(answer, contents, &lengths);
    if let Some(begins) = begins.filter(|it| !it.is_empty()) {
        answer["skills"][0][BEGINS] = json!(begins);
    }
    let mut least_needed = ["available_act_agents", "mayTouch"].into_iter();
    while size(answer) > MOST_BYTES {
        let is_shorter = match (least_needed.next(), answer.as_object_mut()) {
            (Some(list), Some(fields)) => {
                fields.shift_remove(list);
                true
            }
            _ => shorten(answer),
        };
        if !is_shorter {
            break;
        }
    }
}

/// Takes one item from the longest list, or cuts the prompt; `false` when there is nothing left to take.
fn shorten(answer: &mut Value) -> bool {
    let Some(fields) = answer.as_object_mut() else {
        return false;
    };
    for list in ["checks", "skills", "next"] {
        if let Some(items) = fields.get_mut(list).and_then(Value::as_array_mut)
            && items.len() > 2
        {
            items.pop();
            return true;
        }
    }
    if let Some(rules) = fields.get_mut("rules").and_then(Value::as_array_mut)
        && rules.len() > 4
    {
        rules.pop();
        return true;
    }
    let prompt = fields.get("originalPrompt").and_then(Value::as_str);
    let prompt = prompt.unwrap_or_default();
    if prompt.len() > 200 {
        let kept = excerpt(prompt, (prompt.len() * 2 / 3).max(200));
        fields.insert("originalPrompt".to_owned(), json!(kept));
        fields.insert("originalPromptCut".to_owned(), json!(true));
        return true;
    }
    false
}

/// Rules that someone wrote here: they come first, and say whose they are.
fn n_team_rules(answer: &Value) -> usize {
    let rules = answer["rules"].as_array();
    let team = rules.into_iter().flatten();
    team.take_while(|rule| rule.get("source").is_some()).count()
}

/// The beginning of the first skill; only that one has it.
fn take_beginning(answer: &mut Value) -> Option<String> {
    let first = answer.get_mut("skills")?.get_mut(0)?.as_object_mut()?;
    let text = take_text(first, BEGINS);
    (!text.is_empty()).then_some(text)
}

/// Bytes that a text takes with its key.
fn cost(text: &str) -> usize {
    match text.len() {
        0 => 0,
        _ => escaped(text) + 14,
    }
}

fn size(answer: &Value) -> usize {
    let mut bytes = ByteCount(0);
    match serde_json::to_writer(&mut bytes, answer) {
        Ok(()) => bytes.0,
        Err(_) => 0,
    }
}

/// Counts what is written, and keeps nothing.
struct ByteCount(usize);

impl io::Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes that a text takes in JSON.
fn escaped(text: &str) -> usize {
    text.len()
        + text
            .bytes()
            .filter(|byte| matches!(byte, b'\n' | b'"' | b'\\'))
            .count()
}

fn take_contents(answer: &mut Value) -> Vec<String> {
    let rules = answer["rules"].as_array_mut();
    rules
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
        .map(|rule| take_text(rule, "content"))
        .collect()
}

fn take_text(rule: &mut Map<String, Value>, key: &str) -> String {
    match rule.shift_remove(key) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Puts the rules' texts back; one that is whole needs no address.
fn put_contents(answer: &mut Value, contents: Vec<String>, lengths: &[usize]) {
    let rules = answer["rules"].as_array_mut();
    let rules = rules.into_iter().flatten().filter_map(Value::as_object_mut);
    for (rule, (content, length)) in rules.zip(contents.into_iter().zip(lengths)) {
        if *length > 0 && content.len() == *length {
            rule.shift_remove("uri");
        }
        if !content.is_empty() {
            rule.insert("content".to_owned(), json!(content));
        }
    }
}

/// The start of a text in whole lines; where a line is too long, in whole sentences, or in whole words.
fn excerpt(text: &str, bytes: usize) -> String {
    if escaped(text) <= bytes {
        return text.to_owned();
    }
    if bytes < LEAST_OF_RULE {
        return String::new();
    }
    let mut kept = String::new();
    let mut room = bytes.saturating_sub(4);
    for line in text.split_inclusive('\n') {
        let cost = escaped(line);
        if cost > room {
            break;
        }
        room -= cost;
        kept.push_str(line);
    }
    if kept.len() < LEAST_OF_RULE {
        let line = text.get(kept.len()..).unwrap_or_default();
        let (mut words, mut sentences) = (0, 0);
        for word in line.split_inclusive(' ') {
            let cost = escaped(word);
            if cost > room {
                break;
            }
            room -= cost;
            words += word.len();
            // The number of a list's point ends no sentence.
            let is_number = word.starts_with(|sign: char| sign.is_ascii_digit());
            if word.trim_end().ends_with(['.', '!', '?', ';']) && !is_number {
                sentences = words;
            }
        }
        let whole = if sentences > 0 || !kept.is_empty() {
            sentences
        } else {
            words
        };
        kept.push_str(line.get(..whole).unwrap_or_default());
    }
    format!("{}\n…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_after_a_sentence() {
        let line = "- Find the nearest component that does something similar and follow its shape. Use the design system's parts before making one of your own.";
        assert_eq!(
            excerpt(line, LEAST_OF_RULE),
            "- Find the nearest component that does something similar and follow its shape.\n…"
        );
        let list = format!("# Plan\n\n1. {}", "word ".repeat(40));
        assert_eq!(excerpt(&list, LEAST_OF_RULE), "# Plan\n…");
        let long = "word ".repeat(40);
        assert!(excerpt(&long, LEAST_OF_RULE).ends_with("word\n…"));
    }
}
