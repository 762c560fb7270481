//! The system prompt that a mode gets.

use insta::assert_snapshot;

use super::fixture::{mode, policy};
use crate::{
    Catalogue, ModeLayer, ModeSource, RulesSection, assemble_prompt, group_lines, load_modes,
};

const SMALL: &str = r"
customModes:
  - slug: small
    name: Small
    roleDefinition: |
      You are small.
    whenToUse: |
      For small
      things.
    customInstructions: '  Be brief.  '
    groups: [read, [edit, {fileRegex: '\.md$'}]]
    switchTo: [other]
  - {slug: other, name: Other, roleDefinition: You help. You really do., groups: []}
  - {slug: shy, name: Shy, roleDefinition: R, groups: [], hidden: true}
";

/// The prompt of the mode `small` among its neighbours.
#[track_caller]
fn check(text: &str, rules: &[(&str, &str)]) -> String {
    let layer = ModeLayer {
        source: ModeSource::Project,
        file: "f".to_owned(),
        loaded: load_modes("f", text),
    };
    let catalogue = Catalogue::build(vec![layer], policy());
    let section = |(title, text): &(&str, &str)| RulesSection {
        title: (*title).to_owned(),
        text: (*text).to_owned(),
    };
    let rules: Vec<RulesSection> = rules.iter().map(section).collect();
    let small = catalogue.get("small").expect("the mode");
    assemble_prompt(small, &catalogue, &rules)
}

#[test]
fn the_prompt_has_role_limits_modes_instructions_and_rules() {
    assert_snapshot!(check(SMALL, &[("From AGENTS.md", "Use tabs.\n"), ("From .roo/rules/a.md", "\nNo tabs.")]), @r"
    You are small.

    # What this mode may do

    - ✓ read
    - ✓ edit (restricted to: \.md$)
    - ✗ browser (not available)
    - ✗ command (not available)
    - ✗ mcp (not available)
    - ✗ modes (not available)

    A call outside these limits is refused. Switch modes, or say what you would need.

    # Modes

    - Small (small): For small things.
    - Other (other): You help.

    # Instructions for this mode

    Be brief.

    # Rules

    ## From AGENTS.md

    Use tabs.

    ## From .roo/rules/a.md

    No tabs.
    ");
}

#[test]
fn the_same_files_give_the_same_bytes() {
    let rules = [("From AGENTS.md", "Use tabs.")];
    let first = check(SMALL, &rules);
    assert_eq!(first, check(SMALL, &rules));
    assert_eq!(first, check(&SMALL.replace('\n', "\r\n"), &rules));
}

#[test]
fn what_is_empty_has_no_heading() {
    let bare = "customModes: [{slug: small, name: S, roleDefinition: R, groups: [], customInstructions: ' ', switchTo: []}]";
    assert_snapshot!(check(bare, &[]), @"
    R

    # What this mode may do

    - ✗ read (not available)
    - ✗ edit (not available)
    - ✗ browser (not available)
    - ✗ command (not available)
    - ✗ mcp (not available)
    - ✗ modes (not available)

    A call outside these limits is refused. Switch modes, or say what you would need.

    # Modes

    - S (small): R
    ");
}

#[test]
fn without_a_list_of_successors_every_visible_mode_is_named() {
    let open = SMALL.replace("    switchTo: [other]\n", "");
    let prompt = check(&open, &[]);
    let named: Vec<&str> = prompt
        .lines()
        .filter_map(|line| line.split_once("): ")?.0.split_once(" (")?.1.into())
        .collect();
    assert_eq!(
        named,
        [
            "code",
            "architect",
            "ask",
            "debug",
            "orchestrator",
            "small",
            "other"
        ]
    );
}

#[test]
fn group_lines_say_what_is_there_and_what_limits_it() {
    assert_snapshot!(group_lines(&mode("architect")).join("\n"), @r"
    ✓ read
    ✓ edit (restricted to: \.md$)
    ✓ browser
    ✗ command (not available)
    ✓ mcp
    ✓ modes
    ");
    let limited = r"
groups:
  - [read, {glob: 'docs/**'}]
  - [edit, {fileRegex: '\.md$'}]
  - [edit, {fileRegex: ^docs/}]
  - [command, {commandRegex: ^git, commandDeny: push}]
  - [mcp, {allowedMcpServers: [github], blockedTools: [merge]}]
blockedMcpServers: [evil]";
    assert_snapshot!(group_lines(&mode(limited)).join("\n"), @r"
    ✓ read (restricted to: docs/**)
    ✓ edit (restricted to: (?:\.md$)|(?:^docs/))
    ✗ browser (not available)
    ✓ command (restricted to: ^git but not push)
    ✓ mcp (restricted to: not servers evil; servers github; not tools merge)
    ✗ modes (not available)
    ");
}
