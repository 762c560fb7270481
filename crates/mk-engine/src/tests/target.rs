//! What is found on disk when a call is looked at.

use mk_policy::Decision;
use mk_types::ToolCall;

use super::{World, slug};

#[test]
fn a_build_is_unproven_while_a_command_runs_inside_the_wall() {
    let modes = "//- /.roomodes\ncustomModes:\n  - slug: docs\n    name: Docs\n    roleDefinition: Writes.\n    groups: [read, command]\n";
    let world = World::with(modes, |settings| settings.default_mode = slug("docs"));
    let decision = |line: &str| {
        let mut call = ToolCall::new("execute_command");
        call.command = Some(line.to_owned());
        let checked = world.engine().project(&world.caller).check(call).unwrap();
        checked.evaluation.decision
    };
    assert_eq!(decision("make"), Decision::Allow);
    // What a command writes down when it begins, and locks while it lives.
    world.fixture.write("global/state/guests/cmd", b"");
    let record = world.fixture.path("global/state/guests/cmd");
    let record = std::fs::File::open(record).unwrap();
    record.lock().unwrap();
    assert_eq!(decision("make"), Decision::Unproven);
    assert_eq!(decision("ls"), Decision::Allow);
    // It was killed, and had made nothing.
    drop(record);
    assert_eq!(decision("make"), Decision::Allow);
    // It was killed, and what it had made may still be there.
    world
        .fixture
        .write("global/state/guests/cmd", b"announce /p/Makefile\n");
    assert_eq!(decision("make"), Decision::Unproven);
}
