//! What a person sees of it: `init`, an agent's edit refused, the person's switch, the same edit done. The README shows
//! this run as a picture, which `cargo xtask codegen` draws.

use mk_testkit::model::Heard;

use super::agent::Agent;
use super::world::World;

const PROMPT: &str = "Let main say hello.";
const FILE: &str = "src/main.rs";

/// The run as lines of a terminal.
#[track_caller]
pub(super) fn record() -> String {
    let agent = Agent::ClaudeCode;
    let world = World::new(agent);
    let mut lines = vec!["$ modekeeper init --mode architect".to_owned()];
    let said = world.init(&["--mode", "architect"]);
    let canary = said.lines().find(|line| line.contains("enforced")).unwrap();
    // How long it took differs from run to run.
    let (held, _) = canary.split_once(" (").unwrap();
    lines.push(held.to_owned());
    lines.push(String::new());
    lines.extend(turn(&world, "fn main() {}"));
    lines.push(String::new());
    lines.push("$ modekeeper mode code".to_owned());
    lines.extend(
        world
            .sandbox
            .ok(&["mode", "code"])
            .lines()
            .map(str::to_owned),
    );
    lines.push(String::new());
    lines.extend(turn(&world, "fn main() {}"));
    assert!(world.text(FILE).contains("hello"), "{lines:#?}");
    let text = lines.join("\n");
    let text = text.replace(&world.sandbox.project().display().to_string(), "~/project");
    // Ids are random.
    let decided = |line: &str| match line.split_once(" (Modekeeper, dec_") {
        Some((before, _)) => before.to_owned(),
        None => line.to_owned(),
    };
    text.lines().map(decided).collect::<Vec<_>>().join("\n")
}

/// One turn: the prompt, what the agent did, and what it was answered.
#[track_caller]
fn turn(world: &World, old: &str) -> Vec<String> {
    let agent = world.agent;
    let edit = agent.edit(&world.path(FILE), old, "fn main() { println!(\"hello\") }");
    let Heard { results, .. } = world.run(vec![agent.read(&world.path(FILE)), edit]);
    let answer = results.last().unwrap().lines().next().unwrap();
    vec![
        format!("$ claude -p \"{PROMPT}\""),
        format!("● Read {FILE}"),
        format!("● Edit {FILE}"),
        format!("  ⎿ {answer}"),
    ]
}
