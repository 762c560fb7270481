//! Projects inside and around another one, with a mode that a person has set: they hold what touches them.

use mk_store::{ModeReach, NewProjectMode};
use mk_types::{AbsPath, ModeSlug, Timestamp, ToolCall};
use serde_json::{Value, json};

use super::{MODES, World, slug};
use crate::authorize::ToolRequest;
use crate::next_step::NextStep;
use crate::{CommandAsked, CommandHold, CommandLimits, FileRight, TextSearch, Waiver};

fn world() -> World {
    let world = World::new(MODES);
    let fixture = &world.fixture;
    fixture.write("inner/.git/HEAD", "ref: refs/heads/main\n");
    fixture.write("inner/.rooignore", "secret.md\n");
    fixture.write("inner/secret.md", "hidden\n");
    fixture.write("inner/a.rs", "fn a() {}\n");
    fixture.write("src/b.rs", "fn b() {}\n");
    set(&world, "inner", "architect");
    world
}

/// A person sets the mode of a directory.
fn set(world: &World, directory: &str, mode: &str) {
    let root = AbsPath::new(&world.fixture.path(directory)).unwrap();
    let set = world.store.set_project_mode(NewProjectMode {
        root,
        worktrees: Vec::new(),
        mode: slug(mode),
        reach: ModeReach::AllActiveSince(Timestamp::from_millis(0)),
        switching: None,
        reason: String::new(),
    });
    world.runtime.block_on(set).unwrap();
}

fn decide(world: &World, tool: &str, target: &str) -> String {
    let call: ToolCall = world.engine().policy().tools.call_on(tool, Some(target));
    decide_call(world, call)
}

fn decide_call(world: &World, call: ToolCall) -> String {
    let project = world.engine().project(&world.caller);
    let checked = project.check(call).unwrap();
    let evaluation = &checked.evaluation;
    format!("{} by {}", evaluation.decision.as_str(), evaluation.mode)
}

#[test]
fn a_nested_project_holds_calls_that_touch_it() {
    let world = world();
    world.fixture.write("deep/part/c.rs", "fn c() {}\n");
    set(&world, "deep/part", "architect");
    let checks = [
        ("write_to_file", "src/b.rs", "allow by code"),
        ("write_to_file", "inner/a.rs", "deny by architect"),
        ("write_to_file", "src/../inner/a.rs", "deny by architect"),
        ("write_to_file", "inner/plan.md", "allow by code"),
        ("read_file", "inner/a.rs", "allow by code"),
        ("read_file", "inner/secret.md", "deny by code"),
        ("execute_command", "rm inner/a.rs", "deny by architect"),
        ("execute_command", "rm -rf deep", "deny by architect"),
        ("execute_command", "rm in*/a.rs", "deny by architect"),
        ("execute_command", "rm */a.rs", "deny by architect"),
        ("execute_command", "rm -rf de*", "deny by architect"),
        ("execute_command", "cat in*/a.rs", "allow by code"),
        ("execute_command", "rm inner/plan.md", "allow by code"),
        ("execute_command", "rm src/*.rs", "allow by code"),
        ("execute_command", "touch src/c.rs", "allow by code"),
    ];
    for (tool, target, expected) in checks {
        assert_eq!(decide(&world, tool, target), expected, "{tool} {target}");
    }
}

#[test]
fn a_nested_project_is_read_when_it_is_touched_and_not_kept() {
    let world = world();
    decide(&world, "write_to_file", "src/b.rs");
    decide(&world, "write_to_file", "inner/a.rs");
    let root = world.fixture.root().clone();
    assert_eq!(world.engine().inner.projects.roots(), [root]);
}

#[test]
fn a_nested_project_that_is_gone_holds_nothing() {
    let world = world();
    std::fs::remove_dir_all(world.fixture.path("inner")).unwrap();
    for path in ["src/b.rs", "inner/a.rs"] {
        assert_eq!(decide(&world, "write_to_file", path), "allow by code");
    }
}

#[test]
fn a_nested_project_whose_mode_is_missing_refuses_what_touches_it_and_nothing_else() {
    let world = world();
    set(&world, "inner", "lost");
    assert_eq!(decide(&world, "write_to_file", "src/b.rs"), "allow by code");
    let tools = &world.engine().policy().tools;
    let call = tools.call_on("read_file", Some("inner/a.rs"));
    let error = world.engine().project(&world.caller).check(call);
    let error = error.unwrap_err();
    let root = AbsPath::new(&world.fixture.path("inner")).unwrap();
    let message = format!("Cannot find the mode 'lost' that the project {root} has");
    assert_eq!(error.to_string(), message);
    assert_eq!(error.next_step(), Some(&NextStep::ChangeModeOf(root)));
    // Its files are hidden from commands, and the others are not.
    let above = limits(&world, ".");
    assert_eq!(above.file("inner/a.rs"), FileRight::Shut);
    assert_eq!(above.file("src/b.rs"), FileRight::Edit);
}

#[test]
fn reading_a_directory_is_reading_the_nested_project_that_reads_only_some_files() {
    let world = world();
    assert_eq!(
        decide(&world, "execute_command", "grep -r x src"),
        "allow by code"
    );
    let modes = "customModes: [{slug: index, name: I, roleDefinition: R, groups: [[read, {fileRegex: '\\.md$'}]]}]";
    world.fixture.write("part/.roomodes", modes);
    set(&world, "part", "index");
    let checks = [
        ("grep -r x .", "deny by index"),
        ("grep -r x p*", "deny by index"),
        ("grep -r x src", "allow by code"),
        ("cat part/a.rs", "deny by index"),
        ("cat part/a.md", "allow by code"),
    ];
    world.fixture.write("part/a.rs", "x\n");
    for (line, expected) in checks {
        assert_eq!(decide(&world, "execute_command", line), expected, "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_into_a_nested_project_leads_into_it() {
    let world = world();
    let link = world.fixture.path("src/link.rs");
    std::os::unix::fs::symlink(world.fixture.path("inner/a.rs"), link).unwrap();
    let decided = decide(&world, "write_to_file", "src/link.rs");
    assert_eq!(decided, "deny by architect");
}

#[cfg(unix)]
#[test]
fn a_line_that_runs_in_a_nested_project_is_held_by_it() {
    let world = world();
    std::os::unix::fs::symlink(world.fixture.path("inner"), world.fixture.path("link")).unwrap();
    let checks = [
        ("src", "allow by code"),
        ("inner", "deny by architect"),
        ("./src/../inner", "deny by architect"),
        ("link", "deny by architect"),
    ];
    for (directory, expected) in checks {
        let arguments = json!({ "command": "ls", "cwd": directory });
        let tools = &world.engine().policy().tools;
        let call = tools.call("execute_command", &arguments);
        assert_eq!(decide_call(&world, call), expected, "{directory}");
    }
}

#[test]
fn what_a_nested_project_hides_is_not_seen_from_above() {
    let world = world();
    // No repository of its own, so a search from above goes into it.
    world.fixture.write("part/.rooignore", "secret.md\n");
    world.fixture.write("part/secret.md", "hidden\n");
    world.fixture.write("part/c.rs", "fn c() {}\n");
    set(&world, "part", "architect");
    let engine = world.engine();
    let files = || engine.project(&world.caller).files();
    let request = || ToolRequest {
        call: engine.policy().tools.call_on("list_files", Some(".")),
        arguments: &Value::Null,
    };
    let wanted = TextSearch {
        pattern: "hidden|fn".to_owned(),
        max_results: 10,
        ..TextSearch::default()
    };
    let found = world.runtime.block_on(files().search(request(), wanted));
    let found: Vec<String> = found
        .unwrap()
        .files
        .iter()
        .map(|it| it.path.to_string())
        .collect();
    assert_eq!(found, ["part/c.rs", "src/b.rs"]);
    assert_eq!(
        decide(&world, "execute_command", "cat inner/secret.md"),
        "deny by code"
    );
    assert_eq!(
        decide(&world, "execute_command", "cat inner/*.md"),
        "deny by code"
    );
    assert_eq!(
        decide(&world, "execute_command", "cat inner/a.rs"),
        "allow by code"
    );
}

/// What holds a command that starts in a directory of the project.
fn limits(world: &World, directory: &str) -> CommandLimits {
    hold(world, directory, Some(&slug("code"))).limits
}

fn hold(world: &World, directory: &str, configured: Option<&ModeSlug>) -> CommandHold {
    let directory = AbsPath::new(&world.fixture.path(directory)).unwrap();
    let asked = CommandAsked {
        sessions: &[],
        above: &[],
        directory: &directory,
        project: world.fixture.root(),
        line_hash: "",
        configured,
        narrowed: None,
        permit: None,
    };
    let held = world.runtime.block_on(world.engine().hold_command(&asked));
    held.unwrap()
}

#[test]
fn a_command_in_a_nested_project_is_held_where_nothing_else_is() {
    let world = world();
    assert_eq!(hold(&world, "inner", None).waiver, Waiver::None);
    assert_eq!(hold(&world, "src", None).waiver, Waiver::NoMode);
}

#[test]
fn a_pause_of_the_project_around_leaves_a_nested_one_held() {
    let world = world();
    set(&world, ".", "code");
    let pause = |directory: &str| {
        let root = AbsPath::new(&world.fixture.path(directory)).unwrap();
        let time = std::time::Duration::from_secs(600);
        let conversations = world.engine().conversations();
        let pause = conversations.pause(&root, Some(time));
        world.runtime.block_on(pause).unwrap();
    };
    pause(".");
    assert_eq!(hold(&world, "src", None).waiver, Waiver::Paused);
    assert_eq!(hold(&world, "inner", None).waiver, Waiver::None);
}

#[test]
fn what_is_hidden_is_told_although_directories_come_and_go() {
    let world = world();
    world.fixture.write("inner/.git/secret.md", "x");
    let above = limits(&world, ".");
    let hidden = vec![world.fixture.path("inner/secret.md")];
    assert_eq!(above.hidden(), Some(hidden));
    std::fs::remove_dir_all(world.fixture.path("inner")).unwrap();
    assert_eq!(above.hidden(), Some(Vec::new()));
}

#[test]
fn a_command_is_held_by_nested_projects_path_by_path() {
    let world = world();
    let above = limits(&world, ".");
    let checks = [
        ("src/b.rs", FileRight::Edit),
        ("inner/a.rs", FileRight::Read),
        ("inner/plan.md", FileRight::Edit),
        ("inner/secret.md", FileRight::Shut),
        ("innered/a.rs", FileRight::Edit),
    ];
    for (path, expected) in checks {
        assert_eq!(above.file(path), expected, "{path}");
    }
    assert_eq!(
        above.hidden(),
        Some(vec![world.fixture.path("inner/secret.md")])
    );
    assert_eq!(above.check_line("make"), Ok(()));
    // Its mode runs no commands.
    assert!(limits(&world, "inner").check_line("make").is_err());
    assert_ne!(
        above.fingerprint(),
        limits(&World::new(MODES), ".").fingerprint()
    );
}

const NARROW: &str = "//- /.rooignore
token.txt
//- /.roomodes
customModes:
  - slug: code
    name: Code
    roleDefinition: Reads.
    groups: [read, [edit, {fileRegex: '^src/docs/'}]]
  - slug: reader
    name: Reader
    roleDefinition: Reads.
    groups: [read]
//- /src/token.txt
secret
//- /src/.roomodes
customModes:
  - slug: code
    name: Code
    roleDefinition: Writes.
    groups: [read, edit, command]
";

#[test]
fn a_project_around_the_one_that_was_named_holds_it_by_its_own_text() {
    let mut world = World::new(NARROW);
    let below = AbsPath::new(&world.fixture.path("src")).unwrap();
    world.settings.start_root = Some(below.clone());
    world.caller.project = below;
    world.start_engine_on_same_store();
    assert_eq!(decide(&world, "write_to_file", "a.rs"), "allow by code");
    set(&world, ".", "code");
    let checks = [
        ("write_to_file", "a.rs", "deny by code"),
        ("write_to_file", "docs/a.md", "allow by code"),
        ("read_file", "a.rs", "allow by code"),
        ("read_file", "token.txt", "deny by code"),
        ("execute_command", "ls", "deny by code"),
    ];
    for (tool, target, expected) in checks {
        assert_eq!(decide(&world, tool, target), expected, "{tool} {target}");
    }
    // A mode that only the project around it knows.
    set(&world, ".", "reader");
    assert_eq!(decide(&world, "write_to_file", "a.rs"), "deny by reader");
    assert_eq!(decide(&world, "read_file", "a.rs"), "allow by reader");
}
