//! An endpoint's mode as an upper bound, and what refused calls say.

use insta::assert_snapshot;

use super::{MODES, World};

#[test]
fn refusals_are_worded_as_the_contract_has_them() {
    let mut world = World::new("");
    world.create("ask");
    world.create("architect");
    world.log();
    world.call(Some("sess_1"), "write_to_file", "config.py");
    world.call(Some("sess_2"), "write_to_file", "config.py");
    world.call(Some("sess_2"), "write_to_file", "plan.md");
    world.call(Some("sess_2"), "no_such_tool", "plan.md");
    world.call(Some("sess_2"), "read_file", "../secret");
    assert_snapshot!(world.log(), @r"
    ✗ denied: Tool 'write_to_file' cannot be used in 'ask' mode. Tool group 'edit' is not enabled. (switch to a mode that may do this, or hand it to a subtask in such a mode)
    ✗ denied file: Cannot edit 'config.py' in 'architect' mode. Only files matching '\.md$' are allowed. (the mode says: Markdown files only; switch to a mode that may do this, or hand it to a subtask in such a mode)
    ✓ write_to_file [plan.md]
    ✗ denied: Tool 'no_such_tool' cannot be used in 'architect' mode. Unknown tool 'no_such_tool'. (use a tool that this client offers; `get_mode_info` shows the mode's groups)
    ✗ denied file: Cannot read '../secret' in 'architect' mode. '../secret' is outside the project. (name a file inside the project, relative to its root)
    ");
}

#[test]
fn nothing_on_an_endpoint_may_do_more_than_its_mode() {
    let mut world = World::new(MODES);
    world.cap("architect");
    world.create("code");
    world.log();
    world.call(Some("sess_1"), "write_to_file", "src/main.rs");
    world.call(Some("sess_1"), "write_to_file", "a.md");
    world.call(Some("sess_1"), "execute_command", "ls");
    world.call(Some("sess_1"), "find_symbol", "a.md");
    assert_snapshot!(world.log(), @r"
    ✗ denied file: Cannot edit 'src/main.rs' in 'code' mode under the bound 'architect'. Only files matching '\.md$' are allowed. (this endpoint is capped at 'architect': ask the user to allow more where the server is started)
    ✓ write_to_file [a.md]
    ✗ denied: Tool 'execute_command' cannot be used in 'code' mode under the bound 'architect'. Tool group 'command' is not enabled. (this endpoint is capped at 'architect': ask the user to allow more where the server is started)
    ✓ find_symbol [a.md]
    ");
}

#[test]
fn the_mode_in_force_may_do_less_than_the_endpoint() {
    let mut world = World::new(MODES);
    world.cap("code");
    world.create("docs");
    world.log();
    world.call(Some("sess_1"), "write_to_file", "src/main.rs");
    world.call(Some("sess_1"), "write_to_file", "a.md");
    assert_snapshot!(world.log(), @r"
    ✗ denied file: Cannot edit 'src/main.rs' in 'docs' mode. Only files matching '\.md$' are allowed. (switch to a mode that may do this, or hand it to a subtask in such a mode)
    ✓ write_to_file [a.md]
    ");
}

#[test]
fn switching_does_not_lift_the_bound() {
    let mut world = World::new(MODES);
    world.cap("ask");
    world.create("ask");
    world.switch("sess_1", "code");
    world.call(Some("sess_1"), "write_to_file", "a.md");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active
    sess_1 from ask to code (💻 Code)
    ✗ denied: Tool 'write_to_file' cannot be used in 'code' mode under the bound 'ask'. Tool group 'edit' is not enabled. (this endpoint is capped at 'ask': ask the user to allow more where the server is started)
    ");
}

#[test]
fn lists_leave_out_what_neither_could_ever_allow() {
    let mut world = World::new(MODES);
    world.cap("architect");
    let engine = world.engine();
    let in_force = engine.in_force(&world.caller, None).unwrap();
    let tools = [
        "read_file",
        "write_to_file",
        "execute_command",
        "create_task",
        "nothing",
    ];
    let could: Vec<&str> = tools
        .into_iter()
        .filter(|tool| engine.could_allow(&in_force, tool))
        .collect();
    assert_eq!(could, ["read_file", "write_to_file", "create_task"]);
}

#[test]
fn hidden_and_protected_files_are_kept_in_every_mode() {
    let mut world = World::new(
        "
//- /.rooignore
secrets/
//- /secrets/key
",
    );
    world.fixture.link("harmless", "secrets/key");
    world.call(None, "read_file", "secrets/key");
    world.call(None, "read_file", "harmless");
    world.call(None, "write_to_file", ".rooignore");
    world.call(None, "write_to_file", "open");
    assert_snapshot!(world.log(), @"
    ✗ denied file: Cannot read 'secrets/key' in 'code' mode. 'secrets/key' is hidden by .rooignore. (work without this file; its owner keeps it from agents)
    ✗ denied file: Cannot read 'harmless' in 'code' mode. 'harmless' is hidden by .rooignore. (work without this file; its owner keeps it from agents)
    ✗ denied file: Cannot edit '.rooignore' in 'code' mode without approval. '.rooignore' is protected: ignore files hide files from agents. (ask the user to approve the change)
    ✓ write_to_file [open]
    ");
}
