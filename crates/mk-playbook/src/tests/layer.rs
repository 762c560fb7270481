//! Which file counts, where files are looked for, and what follows a change.

use std::sync::Arc;

use mk_testkit::Fixture;
use mk_types::AbsPath;

use super::{playbook, problems};
use crate::{ContentLayer, Playbook, SearchLimits, Sources, UserFolders};

const REVIEWER: &str = r#"{"name": "Ours", "description": "d", "role": {"title": "Reviewer", "expertise": []}, "zeta": 1, "alpha": {"b": [1.5]}}"#;

#[track_caller]
fn check(playbook: &Playbook, expected: &[&str]) {
    let custom = playbook.skills();
    let custom: Vec<&str> = custom
        .iter()
        .filter(|skill| skill.layer != ContentLayer::Embedded)
        .map(|skill| skill.name.as_str())
        .collect();
    assert_eq!(custom, expected);
}

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: {name} of a user\n---\n# {name}\n")
}

#[test]
fn skills_of_every_product_count() {
    let fixture = Fixture::new("");
    for folder in [".codingbuddy", ".agents", ".claude"] {
        let name = folder.trim_start_matches('.');
        fixture.write(
            &format!("{folder}/skills/{name}-skill/SKILL.md"),
            skill(&format!("{name}-skill")),
        );
    }
    let playbook = playbook(&fixture);
    check(
        &playbook,
        &["agents-skill", "claude-skill", "codingbuddy-skill"],
    );
    assert!(
        playbook
            .skill("agents-skill")
            .unwrap()
            .text
            .contains("# agents-skill")
    );
    assert_eq!(
        playbook
            .resource("skills/claude-skill/SKILL.md")
            .unwrap()
            .text(),
        Some(skill("claude-skill").as_str())
    );
}

#[test]
fn the_project_beats_the_user_and_the_user_what_ships() {
    let fixture = Fixture::new("");
    let user = Fixture::new("");
    let agent = |name: &str| REVIEWER.replace("Ours", name);
    let open = || {
        Playbook::open(Sources {
            project: Some(fixture.root().clone()),
            user: UserFolders {
                config: Some(user.root().clone()),
                ..UserFolders::default()
            },
        })
    };
    let name = || {
        open()
            .agent("code-reviewer")
            .map(|agent| (agent.name.clone(), agent.layer))
    };
    assert_eq!(
        name(),
        Some(("Code Reviewer".to_owned(), ContentLayer::Embedded))
    );
    user.write("agents/code-reviewer.json", agent("User's"));
    assert_eq!(name(), Some(("User's".to_owned(), ContentLayer::User)));
    fixture.write(".codingbuddy/agents/code-reviewer.json", agent("Project's"));
    assert_eq!(
        name(),
        Some(("Project's".to_owned(), ContentLayer::Project))
    );
    // One that cannot be read hides nothing.
    fixture.write(".codingbuddy/agents/code-reviewer.json", "{");
    assert_eq!(name(), Some(("User's".to_owned(), ContentLayer::User)));
}

#[test]
fn an_agents_own_keys_are_kept_in_their_order() {
    let fixture = Fixture::new("");
    fixture.write(".codingbuddy/agents/mine.json", REVIEWER);
    let agent = playbook(&fixture).agent("mine").unwrap();
    assert_eq!(
        serde_json::to_string(&agent.definition).unwrap(),
        REVIEWER.replace(": ", ":").replace(", ", ",")
    );
}

#[test]
fn an_agent_in_markdown_is_an_agent() {
    let fixture = Fixture::new(
        "//- /.claude/agents/db.md
---
name: Database Expert
description: Knows SQL
tools: Read, Grep
model: opus
---
Be careful with locks.
",
    );
    let playbook = playbook(&fixture);
    let agent = playbook.agent("database-expert").unwrap();
    assert_eq!(
        agent.instructions.as_deref(),
        Some("Be careful with locks.")
    );
    assert_eq!(
        agent.model.as_ref().map(|model| model.model.as_str()),
        Some("opus")
    );
    assert_eq!(agent.definition["tools"], "Read, Grep");
    assert_eq!(
        playbook.agent("Database Expert").unwrap().id,
        "database-expert"
    );
    assert!(playbook.agent("db").is_none());
}

#[test]
fn links_that_leave_the_project_are_left_out_and_circles_end() {
    let secret = Fixture::new("");
    secret.write("evil/SKILL.md", skill("evil"));
    secret.write("note.md", "secret");
    let fixture = Fixture::new("");
    fixture.write(".claude/skills/good/SKILL.md", skill("good"));
    fixture.write("shared/linked/SKILL.md", skill("linked"));
    fixture.link(".claude/skills/linked", "../../shared/linked");
    fixture.link(".claude/skills/evil", secret.path("evil"));
    fixture.link(".claude/skills/circle", ".");
    fixture.write(".codingbuddy/rules/a.md", "fine");
    fixture.link(".codingbuddy/rules/deep", "..");
    fixture.link(".codingbuddy/rules/note.md", secret.path("note.md"));
    fixture.link("AGENTS.md", secret.path("note.md"));
    let playbook = playbook(&fixture);
    check(&playbook, &["good", "linked"]);
    let rules: Vec<String> = playbook
        .rules()
        .iter()
        .filter(|rule| rule.layer == ContentLayer::Project)
        .map(|rule| rule.path.clone())
        .collect();
    assert_eq!(rules, ["rules/a.md"]);
    let problems = problems(&playbook);
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(
        problems
            .iter()
            .all(|problem| problem.ends_with("left out: it leads out of the project"))
    );
}

#[test]
fn a_file_that_becomes_a_link_is_not_followed() {
    let secret = Fixture::new("//- /note.md\nsecret\n");
    let fixture = Fixture::new("//- /.codingbuddy/rules/a.md\nfine\n");
    let playbook = playbook(&fixture);
    // Found, not read yet.
    assert!(playbook.agent("nobody").is_none());
    fixture.remove(".codingbuddy/rules/a.md");
    fixture.link(".codingbuddy/rules/a.md", secret.path("note.md"));
    assert!(playbook.rule("rules/a.md").is_none());
    assert!(problems(&playbook)[0].contains("is a symbolic link"));
}

#[test]
fn a_users_own_links_may_lead_anywhere() {
    let elsewhere = Fixture::new("");
    elsewhere.write("tidy/SKILL.md", skill("tidy"));
    let user = Fixture::new("");
    user.folder(".claude/skills");
    user.link(".claude/skills/tidy", elsewhere.path("tidy"));
    let playbook = Playbook::open(Sources {
        user: UserFolders {
            home: Some(user.root().clone()),
            ..UserFolders::default()
        },
        project: None,
    });
    check(&playbook, &["tidy"]);
}

#[test]
fn pipes_and_folders_in_a_files_place_are_skipped() {
    let fixture = Fixture::new("//- /.codingbuddy/rules/a.md\nfine\n");
    fixture.folder(".codingbuddy/rules/folder.md");
    let pipe = fixture.path(".codingbuddy/rules/pipe.md");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let playbook = playbook(&fixture);
    assert!(playbook.rule("rules/a.md").is_some());
    assert!(playbook.rule("rules/pipe.md").is_none());
    assert_eq!(problems(&playbook), Vec::<String>::new());
}

#[test]
fn ten_megabytes_of_markdown_are_a_diagnostic() {
    let fixture = Fixture::new("//- /.codingbuddy/rules/a.md\nfine\n");
    fixture.write(".codingbuddy/rules/big.md", "x\n".repeat(5 << 20));
    let playbook = playbook(&fixture);
    assert!(playbook.rule("rules/a.md").is_some());
    assert_eq!(
        problems(&playbook),
        [
            ".codingbuddy/rules/big.md:1:1: error: the file has 10485760 bytes, more than the 1048576 that are read"
        ]
    );
}

#[test]
fn what_is_not_text_is_a_diagnostic() {
    let fixture = Fixture::new("");
    fixture.write(".codingbuddy/rules/a.md", b"\x00\x01\x02\xff");
    let problems = problems(&playbook(&fixture));
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("not text"), "{problems:?}");
}

#[test]
fn what_rooignore_hides_is_no_part_of_the_playbook() {
    let fixture = Fixture::new(
        "//- /.rooignore
private/
.codingbuddy/rules/secret.md
//- /private/AGENTS.md
secret
//- /.codingbuddy/rules/secret.md
secret
//- /.codingbuddy/rules/open.md
open
",
    );
    let playbook = playbook(&fixture);
    assert!(playbook.rule("rules/open.md").is_some());
    assert!(playbook.rule("rules/secret.md").is_none());
    assert!(playbook.rule("private/AGENTS.md").is_none());
}

#[test]
fn folders_known_by_name_count_although_git_ignores_them() {
    let fixture =
        Fixture::new("//- /.gitignore\n.claude/\nvendor/\n//- /vendor/AGENTS.md\ntheirs\n");
    fixture.write(".claude/skills/own/SKILL.md", skill("own"));
    let playbook = playbook(&fixture);
    check(&playbook, &["own"]);
    assert!(playbook.rule("vendor/AGENTS.md").is_none());
}

#[test]
fn two_skills_of_one_name_in_one_layer_are_diagnosed() {
    let fixture = Fixture::new("");
    fixture.write(".claude/skills/twin/SKILL.md", skill("twin"));
    fixture.write(".agents/skills/twin/SKILL.md", skill("twin"));
    let playbook = playbook(&fixture);
    check(&playbook, &["twin"]);
    assert_eq!(
        problems(&playbook),
        [
            ".claude/skills/twin/SKILL.md:1:1: warning: another skill of the same layer is named `twin` and is used instead"
        ]
    );
}

#[test]
fn a_change_is_seen_and_only_what_changed_is_read_again() {
    let fixture =
        Fixture::new("//- /.codingbuddy/rules/a.md\nalpha\n//- /.codingbuddy/rules/b.md\nbeta\n");
    let playbook = playbook(&fixture);
    let a = playbook.rule("rules/a.md").unwrap();
    let b = playbook.rule("rules/b.md").unwrap();
    assert!(!playbook.refresh());
    fixture.save(".codingbuddy/rules/b.md", "changed\n");
    assert!(playbook.refresh());
    assert_eq!(playbook.rule("rules/b.md").unwrap().text, "changed\n");
    assert!(Arc::ptr_eq(&a, &playbook.rule("rules/a.md").unwrap()));
    assert_eq!(b.text, "beta\n");
    fixture.write(".claude/skills/late/SKILL.md", skill("late"));
    assert!(playbook.refresh());
    check(&playbook, &["late"]);
    fixture.remove(".codingbuddy/rules/a.md");
    assert!(playbook.refresh());
    assert!(playbook.rule("rules/a.md").is_none());
    assert!(!playbook.refresh());
}

#[test]
fn search_follows_changes() {
    let fixture = Fixture::new("//- /.codingbuddy/rules/a.md\nzyzzyva one\n");
    let playbook = playbook(&fixture);
    let lines = |query: &str| -> Vec<String> {
        let result = playbook.search(query, &SearchLimits::default());
        let files = result
            .files
            .iter()
            .filter(|file| file.layer == ContentLayer::Project);
        files
            .flat_map(|file| file.lines.iter().map(|line| line.text.clone()))
            .collect()
    };
    assert_eq!(lines("zyzzyva"), ["zyzzyva one"]);
    for round in 0..30 {
        fixture.save(
            ".codingbuddy/rules/a.md",
            format!("# Round\n\nzyzzyva number {round}\n"),
        );
        playbook.invalidate();
        assert_eq!(lines("zyzzyva"), [format!("zyzzyva number {round}")]);
    }
    fixture.remove(".codingbuddy/rules/a.md");
    playbook.invalidate();
    assert_eq!(lines("zyzzyva"), Vec::<String>::new());
}

#[test]
fn a_project_that_is_not_there_has_what_ships() {
    let fixture = Fixture::new("");
    let gone = AbsPath::new(&fixture.path("gone")).unwrap();
    let playbook = Playbook::open(Sources {
        project: Some(gone),
        ..Sources::default()
    });
    check(&playbook, &[]);
    assert!(playbook.agent("code-reviewer").is_some());
    assert_eq!(playbook.config().unwrap().settings.len(), 0);
}
