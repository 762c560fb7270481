//! A project inside another one, with a mode of its own: it holds who works above it.

use mk_store::{ModeReach, NewProjectMode};
use mk_types::{AbsPath, Timestamp, ToolCall};

use super::{MODES, World, slug};

fn world() -> World {
    let world = World::new(MODES);
    let fixture = &world.fixture;
    fixture.write("vendor/.git/HEAD", "ref: refs/heads/main\n");
    fixture.write("vendor/.rooignore", "secret.md\n");
    fixture.write("vendor/secret.md", "hidden\n");
    fixture.write("vendor/a.rs", "fn a() {}\n");
    fixture.write("src/b.rs", "fn b() {}\n");
    let root = AbsPath::new(&fixture.path("vendor")).unwrap();
    let set = world.store.set_project_mode(NewProjectMode {
        root,
        worktrees: Vec::new(),
        mode: slug("architect"),
        reach: ModeReach::AllActiveSince(Timestamp::from_millis(0)),
        switching: None,
        reason: String::new(),
    });
    world.runtime.block_on(set).unwrap();
    world
}

fn decide(world: &World, tool: &str, target: &str) -> String {
    let call: ToolCall = world.engine().policy().tools.call_on(tool, Some(target));
    let project = world.engine().project(&world.caller);
    let checked = project.check(call).unwrap();
    let evaluation = &checked.evaluation;
    format!("{} by {}", evaluation.decision.as_str(), evaluation.mode)
}

#[test]
fn a_nested_project_holds_calls_that_touch_it() {
    let world = world();
    let checks = [
        ("write_to_file", "src/b.rs", "allow by code"),
        ("write_to_file", "vendor/a.rs", "deny by architect"),
        ("write_to_file", "src/../vendor/a.rs", "deny by architect"),
        ("write_to_file", "vendor/plan.md", "allow by code"),
        ("read_file", "vendor/a.rs", "allow by code"),
        ("read_file", "vendor/secret.md", "deny by architect"),
        ("execute_command", "rm vendor/a.rs", "deny by architect"),
        ("execute_command", "rm -rf .", "deny by architect"),
        ("execute_command", "touch src/c.rs", "allow by code"),
    ];
    for (tool, target, expected) in checks {
        assert_eq!(decide(&world, tool, target), expected, "{tool} {target}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_into_a_nested_project_leads_into_it() {
    let world = world();
    let link = world.fixture.path("src/link.rs");
    std::os::unix::fs::symlink(world.fixture.path("vendor/a.rs"), link).unwrap();
    let decided = decide(&world, "write_to_file", "src/link.rs");
    assert_eq!(decided, "deny by architect");
}
