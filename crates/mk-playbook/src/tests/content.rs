//! The content that ships is held to what users' files are held to.

use std::fs;
use std::path::{Path, PathBuf};

use mk_prompt::AgentKind;
use mk_types::Clock;
use serde_json::Value;

use super::shipped;
use crate::{Playbook, Sources, lint};

fn content() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../content")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the content") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn every_file_is_without_a_problem() {
    let mut found = Vec::new();
    for folder in ["agents", "checklists", "rules", "skills"] {
        files(&content().join(folder), &mut found);
    }
    let mut n_linted = 0;
    for file in found {
        let path = file.strip_prefix(content()).expect("below the content");
        let text = fs::read_to_string(&file).expect("text");
        if let Some(problems) = lint(path.to_str().expect("a readable name"), &text) {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            assert_eq!(problems, Vec::<String>::new());
            n_linted += 1;
        }
    }
    assert!(n_linted > 60, "{n_linted}");
}

#[test]
fn what_the_contract_names_is_there() {
    let playbook = Playbook::open(Sources::default());
    for rule in ["core", "project", "augmented-coding"] {
        let path = format!("rules/{rule}.md");
        assert_eq!(
            playbook.resource(&path).map(|it| it.mime_type),
            Some("text/markdown"),
            "{rule}"
        );
    }
    for agent in [
        "plan-mode",
        "frontend-developer",
        "security-specialist",
        "ui-ux-designer",
    ] {
        let path = format!("agents/{agent}.json");
        assert_eq!(
            playbook.resource(&path).map(|it| it.mime_type),
            Some("application/json"),
            "{agent}"
        );
    }
    assert_eq!(
        playbook.agent("code-reviewer").unwrap().kind,
        Some(AgentKind::Primary)
    );
    assert!(playbook.agents().len() >= 28);
    assert!(playbook.skills().len() >= 33);
    assert!(playbook.resource("rules/none.md").is_none());
    let skills = playbook.skills();
    assert!(skills.is_sorted_by_key(|skill| skill.priority));
    let domains: Vec<String> = playbook
        .checklists()
        .iter()
        .map(|it| it.domain.clone())
        .collect();
    assert_eq!(
        domains,
        [
            "accessibility",
            "code-quality",
            "performance",
            "security",
            "seo",
            "testing"
        ]
    );
    assert_eq!(
        playbook.resources().len(),
        // And the index of skills.
        1 + playbook.rules().len() + playbook.agents().len() + skills.len() + domains.len()
    );
}

#[test]
fn each_kind_has_a_schema_that_names_its_keys() {
    for (kind, keys) in [
        ("agent", "name description role model context_files"),
        (
            "skill",
            "name description license compatibility metadata allowed-tools disable-model-invocation user-invocable",
        ),
        ("checklist", "domain icon description categories"),
        ("rule", "description globs applyTo paths alwaysApply"),
        (
            "codingbuddy",
            "language projectName techStack architecture conventions testStrategy ai auto context keyFiles avoid custom",
        ),
    ] {
        let path = content().join(format!("schemas/{kind}.schema.json"));
        let text = fs::read_to_string(path).expect(kind);
        let schema: Value = serde_json::from_str(&text).expect(kind);
        assert_eq!(
            schema["$schema"], "https://json-schema.org/draft/2020-12/schema",
            "{kind}"
        );
        for key in keys.split(' ') {
            assert!(schema["properties"].get(key).is_some(), "{kind}: {key}");
        }
    }
}

/// Names of models age: somebody looks at them once a year.
#[test]
fn the_models_were_reviewed_within_a_year() {
    let text = fs::read_to_string(content().join("playbook/models.yaml")).expect("a file");
    let reviewed = text
        .lines()
        .find_map(|line| line.strip_prefix("reviewed: "))
        .expect("a date");
    let numbers: Vec<i64> = reviewed
        .split('-')
        .map(|part| part.parse().expect("a number"))
        .collect();
    let [year, month, day] = numbers.as_slice() else {
        panic!("{reviewed}");
    };
    // Months of thirty days: a few days do not matter here.
    let then = (year - 1970) * 365 + (year - 1969) / 4 + (month - 1) * 30 + day;
    let today = Clock::System.now().as_millis() / 86_400_000;
    assert!(
        today < then + 366,
        "reviewed on {reviewed}: look at content/playbook/models.yaml again"
    );
}

/// No file of ours names a model: what is newest today is retired in a year.
#[test]
fn no_agent_of_ours_names_a_model() {
    for agent in shipped().agents() {
        assert_eq!(agent.model, None, "{}", agent.id);
    }
}

/// `parse_mode` shows them: who follows a skill has to know when the work is done.
#[test]
fn every_skill_says_when_the_work_is_done() {
    for skill in shipped().skills() {
        assert!(
            skill.checks.len() >= 3,
            "{}: {:?}",
            skill.name,
            skill.checks
        );
        for check in &skill.checks {
            assert!(check.len() <= 200, "{}: {check}", skill.name);
        }
    }
}
