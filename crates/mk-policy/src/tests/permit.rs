//! Who gets a permit, and for what.

use mk_types::{ApprovalId, ModeSlug};

use super::fixture::{With, mode, policy, request};
use crate::{Authority, Permit, evaluate};

/// The targets of the permit that a call gets without, or with, an approval.
#[track_caller]
fn check(tool: &str, target: &str, approved: Option<&ApprovalId>, expected: Option<&[&str]>) {
    let mode = mode("code");
    let request = request(policy(), tool, &With::from(target));
    let evaluation = evaluate(policy(), &mode, &request);
    let permit = match approved {
        Some(id) => Permit::from_approval(&evaluation, request, id.clone(), mode.slug.clone()),
        None => Permit::from_evaluation(&evaluation, request, None, mode.slug.clone()),
    };
    let targets = permit.as_ref().map(|permit| {
        let approval = approved.cloned();
        let mode = ModeSlug::parse("code").expect("a slug");
        assert_eq!(permit.tool(), tool);
        assert_eq!(
            *permit.authority(),
            Authority::Agent {
                session: None,
                mode,
                approval
            }
        );
        permit
            .targets()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    });
    assert_eq!(
        targets.as_deref(),
        expected
            .map(|it| it.iter().map(ToString::to_string).collect::<Vec<_>>())
            .as_deref()
    );
}

#[test]
fn an_allowed_call_gets_a_permit_for_its_resolved_targets() {
    check(
        "write_to_file",
        "docs/../src/a.rs",
        None,
        Some(&["src/a.rs"]),
    );
    check("read_file", "/app/a", None, Some(&["a"]));
}

#[test]
fn files_in_a_shell_line_are_not_targets_of_an_effect() {
    check("execute_command", "echo > /tmp/x", None, Some(&[]));
}

#[test]
fn what_is_asked_about_needs_the_approval() {
    let id = ApprovalId::random();
    check("write_to_file", ".roomodes", None, None);
    check(
        "write_to_file",
        ".roomodes",
        Some(&id),
        Some(&[".roomodes"]),
    );
}

#[test]
fn no_approval_opens_what_is_denied() {
    let id = ApprovalId::random();
    check("write_to_file", "../x", None, None);
    check("write_to_file", "../x", Some(&id), None);
    check("read_file", "secret", Some(&id), None);
    check("format_disk", "x", Some(&id), None);
}
