//! The prompts that make a model one of the agents: who it is, what it knows, what it is to look at.
//!
//! The same bytes for the same definition and task. Running the agent is the caller's business.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::agent::Agent;

/// The way of working that a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkMode {
    Plan,
    Act,
    Eval,
}

impl WorkMode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "PLAN",
            Self::Act => "ACT",
            Self::Eval => "EVAL",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Plan, Self::Act, Self::Eval]
            .into_iter()
            .find(|mode| mode.as_str() == text)
    }

    /// What the agent's work is called in a few words.
    fn activity(self) -> &'static str {
        match self {
            Self::Plan => "planning",
            Self::Act => "verification",
            Self::Eval => "review",
        }
    }

    fn duty(self) -> &'static str {
        match self {
            Self::Plan => {
                "The work is being planned. Say what the plan must take into account in your field, before anything is written."
            }
            Self::Act => {
                "The work is being done. Check what is written in your field as it comes, and say what to change."
            }
            Self::Eval => {
                "The work is being reviewed. Look for what is wrong or missing in your field, with the place and the consequence."
            }
        }
    }
}

/// What an agent is asked to do.
#[derive(Debug, Clone, Copy)]
pub struct AgentTask<'a> {
    pub mode: WorkMode,
    pub files: &'a [String],
    pub description: Option<&'a str>,
    /// The language to answer in, as in the configuration.
    pub language: Option<&'a str>,
}

/// An agent ready to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedAgent {
    pub id: String,
    pub name: String,
    /// A few words to show while it runs.
    pub description: String,
    pub system_prompt: String,
    pub task_prompt: String,
}

/// Agents ready to be run side by side, and those that could not be made ready.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreparedAgents {
    pub agents: Vec<PreparedAgent>,
    /// The name that was asked for, and why there is no one.
    pub failed: Vec<(String, String)>,
}

/// Makes an agent ready for a task.
pub(crate) fn prepare(agent: &Agent, task: &AgentTask<'_>) -> PreparedAgent {
    let subject = agent.name.split_whitespace().next().unwrap_or(&agent.name);
    PreparedAgent {
        id: agent.id.clone(),
        name: agent.name.clone(),
        description: format!("{subject} {}", task.mode.activity()),
        system_prompt: system_prompt(agent, task),
        task_prompt: task_prompt(agent, task),
    }
}

/// Makes several agents ready; each counts once, however often it is named.
pub(crate) fn prepare_all(
    names: &[String],
    task: &AgentTask<'_>,
    find: impl Fn(&str) -> Option<Arc<Agent>>,
) -> PreparedAgents {
    let mut prepared = PreparedAgents::default();
    for name in names {
        match find(name) {
            Some(agent) if prepared.agents.iter().all(|known| known.id != agent.id) => {
                prepared.agents.push(prepare(&agent, task));
            }
            Some(_) => {}
            None if prepared.failed.iter().all(|(known, _)| known != name) => {
                prepared
                    .failed
                    .push((name.clone(), format!("Agent '{name}' not found.")));
            }
            None => {}
        }
    }
    prepared
}

fn system_prompt(agent: &Agent, task: &AgentTask<'_>) -> String {
    let mut prompt = format!("# {}\n\n", agent.name);
    let article = if agent
        .title
        .starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o', 'u'])
    {
        "an"
    } else {
        "a"
    };
    let _ = writeln!(
        prompt,
        "You are {article} {}, working as a specialist alongside the main agent.",
        agent.title
    );
    let _ = write!(prompt, "\n## Description\n\n{}\n", agent.description.trim());
    if let Some(instructions) = agent
        .instructions
        .as_deref()
        .filter(|text| !text.is_empty())
    {
        let _ = write!(prompt, "\n## Instructions\n\n{instructions}\n");
    }
    list(&mut prompt, "Your Expertise", &agent.expertise);
    list(
        &mut prompt,
        "Your Responsibilities",
        &agent.responsibilities,
    );
    let _ = write!(
        prompt,
        "\n## Current Mode: {}\n\n{}\n",
        task.mode.as_str(),
        task.mode.duty()
    );
    let own = |texts: Vec<&str>| -> Vec<String> { texts.into_iter().map(str::to_owned).collect() };
    let duties = own(agent.duties(task.mode));
    if duties != agent.responsibilities {
        list(&mut prompt, "Look At", &duties);
    }
    list(&mut prompt, "Check Each", &own(agent.checklist(task.mode)));
    let steps = agent.workflow().into_iter();
    let steps: Vec<String> = steps
        .map(|(step, text)| format!("**{}**: {text}", step.replace('_', " ")))
        .collect();
    list(&mut prompt, "How You Work", &steps);
    push_context(&mut prompt, task);
    prompt.push_str(
        "\n## Output Format\n\nAnswer with one JSON object: `findings` (each with `severity`, `file`, `line`, `issue`), \
         `recommendations` (what to do, most important first), `summary` (two sentences), `riskLevel` (`low`, `medium`, \
         `high` or `critical`). Report only what you have seen in the code; an empty list is a good answer.\n",
    );
    if let Some(language) = task.language {
        let _ = write!(prompt, "\nWrite the texts in the language `{language}`.\n");
    }
    prompt
}

fn push_context(prompt: &mut String, task: &AgentTask<'_>) {
    if task.description.is_some() || !task.files.is_empty() {
        prompt.push_str("\n## Task Context\n");
    }
    if let Some(description) = task.description {
        let _ = write!(prompt, "\n{}\n", description.trim());
    }
    if !task.files.is_empty() {
        prompt.push_str("\nFiles:\n");
    }
    for file in task.files {
        let _ = writeln!(prompt, "- {file}");
    }
}

fn task_prompt(agent: &Agent, task: &AgentTask<'_>) -> String {
    let verb = match task.mode {
        WorkMode::Plan => "Plan",
        WorkMode::Act => "Check",
        WorkMode::Eval => "Review",
    };
    let subject = match task.files {
        [] => "the task".to_owned(),
        files => files.join(", "),
    };
    let mut prompt = format!("{verb} {subject} as {}.", agent.name);
    if let Some(description) = task.description {
        let _ = write!(prompt, " Task: {}", description.trim());
    }
    prompt
}

fn list(prompt: &mut String, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let _ = write!(prompt, "\n## {title}\n\n");
    for item in items {
        let _ = writeln!(prompt, "- {item}");
    }
}
