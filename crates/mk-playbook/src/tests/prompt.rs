//! The prompts that make a model an agent.

use mk_testkit::Fixture;

use crate::{AgentTask, WorkMode};

const AGENT: &str = r#"
//- /.codingbuddy/agents/lock-specialist.json
{"name": "Lock Specialist", "description": "Knows locks", "role": {"title": "Expert on Locks",
 "expertise": ["Mutexes"], "responsibilities": ["Find races"]}}
"#;

#[test]
fn a_prompt_has_every_part_that_the_task_gives() {
    let fixture = Fixture::new(AGENT);
    let task = AgentTask {
        mode: WorkMode::Eval,
        files: &["src/lock.rs".to_owned()],
        description: Some("Review the lock"),
        language: Some("ko"),
    };
    let prepared = super::playbook(&fixture)
        .prepare_agent("lock-specialist", &task)
        .unwrap();
    assert_eq!(prepared.description, "Lock review");
    insta::assert_snapshot!(prepared.task_prompt, @"Review src/lock.rs as Lock Specialist. Task: Review the lock");
    insta::assert_snapshot!("system_prompt", prepared.system_prompt);
}

#[test]
fn agents_are_prepared_once_and_unknown_ones_are_named() {
    let fixture = Fixture::new(AGENT);
    let task = AgentTask {
        mode: WorkMode::Plan,
        files: &[],
        description: None,
        language: None,
    };
    let names = ["lock-specialist", "nobody", "Lock Specialist", "nobody"].map(str::to_owned);
    let prepared = super::playbook(&fixture).prepare_agents(&names, &task);
    assert_eq!(prepared.agents.len(), 1);
    assert_eq!(
        prepared.failed,
        [("nobody".to_owned(), "Agent 'nobody' not found.".to_owned())]
    );
    let error = super::playbook(&fixture)
        .prepare_agent("nobody", &task)
        .unwrap_err();
    assert_eq!(error.to_string(), "there is no agent `nobody`");
}
