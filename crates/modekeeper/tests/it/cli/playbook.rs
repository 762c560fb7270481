//! `modekeeper playbook`: the project's configuration and the problems of the team's files.

use serde_json::Value;

use crate::support::sandbox::Sandbox;

const MANIFEST: &str = r#"{ "name": "shop", "dependencies": { "react": "19", "express": "5" } }"#;

#[test]
fn init_writes_what_it_finds_and_overwrites_nothing() {
    let sandbox = Sandbox::with("package.json", MANIFEST);
    let shown = sandbox.ok(&["playbook", "init", "--dry-run"]);
    let file = sandbox.project().join("codingbuddy.config.json");
    assert!(!file.exists());
    sandbox.ok(&["playbook", "init"]);
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(written, shown);
    let config: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(config["projectName"], "shop");
    assert_eq!(
        config["techStack"]["frontend"],
        serde_json::json!(["React"])
    );
    let again = sandbox.run(&["playbook", "init"]);
    assert!(!again.status.success(), "{again:#?}");
    assert!(again.stderr.contains("already"), "{again:#?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
}

#[test]
fn a_configuration_in_another_form_is_one_too() {
    let sandbox = Sandbox::with("codingbuddy.config.js", "module.exports = {}");
    let ran = sandbox.run(&["playbook", "init"]);
    assert!(!ran.status.success(), "{ran:#?}");
    assert!(!sandbox.project().join("codingbuddy.config.json").exists());
}

#[test]
fn lint_names_every_problem_and_fails_on_errors() {
    let sandbox = Sandbox::with("package.json", MANIFEST);
    let clean = sandbox.ok(&["playbook", "lint"]);
    assert!(clean.ends_with("0 errors, 0 warnings\n"), "{clean}");
    sandbox.write(
        ".claude/skills/deploy/SKILL.md",
        "---\nname: ../x\ndescription: Deploys.\n---\n",
    );
    sandbox.write(".codingbuddy/agents/bad.json", r#"{ "__proto__": {} }"#);
    let ran = sandbox.run(&["playbook", "lint", "--json"]);
    assert_eq!(ran.status.code(), Some(1), "{ran:#?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let files: Vec<&str> = found["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["file"].as_str())
        .collect();
    for file in [
        ".claude/skills/deploy/SKILL.md",
        ".codingbuddy/agents/bad.json",
    ] {
        assert!(files.contains(&file), "{file} in {found:#}");
    }
}

#[test]
fn skills_are_exported_to_one_product_after_another() {
    let sandbox = Sandbox::with("package.json", MANIFEST);
    let first = sandbox.ok(&["playbook", "export", "claude-code"]);
    let second = sandbox.ok(&["playbook", "export", "codex"]);
    assert_eq!(second.replace(".agents", ".claude"), first);
    let read = |folder: &str| {
        std::fs::read_to_string(
            sandbox
                .project()
                .join(folder)
                .join("skills/refactoring/SKILL.md"),
        )
        .unwrap()
    };
    assert_eq!(read(".claude"), read(".agents"));
    let again = sandbox.ok(&["playbook", "export", "codex", "--skill", "refactoring"]);
    assert_eq!(again, "wrote 0 skills to .agents/skills; 1 already there\n");
}
