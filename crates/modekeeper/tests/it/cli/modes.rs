//! `modekeeper modes`

use crate::support::sandbox::Sandbox;

const MODES: &str = "\
customModes:
  - slug: docs
    name: 📚 Docs
    description: Writes documentation
    whenToUse: When words are missing.
    roleDefinition: You write documentation.
    customInstructions: Be brief.
    groups:
      - read
      - [edit, { fileRegex: '\\.mdx?$', description: Markdown }]
  - slug: ask
    name: Ask us
    roleDefinition: You answer for this project.
    groups: [read]
  - slug: secret
    name: Secret
    roleDefinition: You hide.
    hidden: true
    groups: []
";

const BROKEN: &str = "\
customModes:
  - slug: under_score
    name: Underscore
    roleDefinition: You are named wrongly.
    groups: [read]
  - slug: lost
    name: Lost
    groups: [read, terminal, [edit, { fileRegex: '[' }]]
  - slug: idle
    name: Idle
    roleDefinition: You wait for a file.
    groups: [[edit, { fileRegex: '\\.nowhere$' }]]
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(".roomodes", MODES);
    sandbox.write("README.md", "# A project");
    sandbox
}

#[test]
fn list_shows_builtin_and_own_modes() {
    let sandbox = sandbox();
    insta::assert_snapshot!("modes_list", sandbox.show(&["modes", "list"]));
    insta::assert_snapshot!(
        "modes_list_json",
        sandbox.show(&["modes", "list", "--json"])
    );
    let all = sandbox.ok(&["modes", "list", "--all"]);
    assert!(all.contains("secret"), "{all}");
}

#[test]
fn show_shows_one_mode() {
    let sandbox = sandbox();
    insta::assert_snapshot!("modes_show", sandbox.show(&["modes", "show", "docs"]));
    insta::assert_snapshot!(
        "modes_show_json",
        sandbox.show(&["modes", "show", "docs", "--json"])
    );
    insta::assert_snapshot!(
        "modes_show_unknown",
        sandbox.show(&["modes", "show", "nobody"])
    );
}

#[test]
fn prompt_is_the_same_every_time() {
    let sandbox = sandbox();
    sandbox.write(".roo/rules/style.md", "Use short sentences.");
    sandbox.write(".roo/rules-docs/tone.md", "Be kind.");
    sandbox.write("AGENTS.md", "Ask before you publish.");
    let prompt = sandbox.show(&["modes", "prompt", "docs"]);
    assert_eq!(prompt, sandbox.show(&["modes", "prompt", "docs"]));
    insta::assert_snapshot!("modes_prompt", prompt);
}

#[test]
fn lint_reports_every_problem() {
    let sandbox = Sandbox::with(".roomodes", BROKEN);
    insta::assert_snapshot!("modes_lint", sandbox.show(&["modes", "lint"]));
    insta::assert_snapshot!(
        "modes_lint_json",
        sandbox.show(&["modes", "lint", "--json"])
    );
    // A file by name needs no project around it.
    sandbox.write("elsewhere.yaml", BROKEN);
    let one = sandbox.run(&["modes", "lint", "elsewhere.yaml"]);
    assert_eq!(one.status.code(), Some(1));
    assert!(
        one.stdout.contains("elsewhere.yaml:2:11: error:"),
        "{}",
        one.stdout
    );
    let missing = sandbox.run(&["modes", "lint", "nowhere.yaml"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(missing.stdout.contains("nowhere.yaml"), "{missing:#?}");
}

#[test]
fn lint_of_good_modes_is_quiet() {
    let sandbox = sandbox();
    insta::assert_snapshot!("modes_lint_good", sandbox.show(&["modes", "lint"]));
}

#[test]
fn global_modes_come_from_the_documented_places() {
    let sandbox = Sandbox::new();
    let mode = |slug: &str, name: &str| {
        format!("customModes: [{{slug: {slug}, name: {name}, roleDefinition: You., groups: []}}]")
    };
    let home = sandbox.home();
    sandbox.write(
        home.join(".config/modekeeper/modes.yaml"),
        mode("both", "ours"),
    );
    sandbox.write(home.join(".roo-code/modes.yaml"), mode("both", "theirs"));
    let list = sandbox.json(&["modes", "list", "--json"]);
    let found = list
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["slug"] == "both");
    assert_eq!(found.unwrap()["name"], "ours");
    assert_eq!(found.unwrap()["source"], "global");

    let elsewhere = sandbox.root().join("elsewhere");
    sandbox.write(elsewhere.join("modes.yaml"), mode("only", "elsewhere"));
    let mut command = sandbox.command(&["modes", "show", "only"]);
    let ran = crate::support::sandbox::run(command.env("ROO_CONFIG_DIR", &elsewhere));
    assert!(ran.status.success(), "{ran:#?}");
}
