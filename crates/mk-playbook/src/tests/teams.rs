//! 300 files in the shapes that teams have, for every product: each is loaded, found by its words, and applied where its
//! product would apply it.

use std::fmt::Write as _;

use mk_testkit::Fixture;

use crate::{Playbook, ResourceBody, SearchLimits, Sources, UserFolders};

/// When a file counts.
#[derive(Clone, Copy)]
enum Counts {
    /// For every file.
    Always,
    /// For this file, and not for `elsewhere/other.xyz`.
    For(&'static str),
    /// Only when somebody asks for it.
    Asked,
    /// In this mode only.
    In(&'static str),
    Agent,
    Skill,
}

struct Shape {
    /// `#` is a number, in the project; below `~` in the home directory.
    path: &'static str,
    head: &'static str,
    counts: Counts,
    /// Files of this shape; one where the path has no number.
    copies: usize,
}

const fn shape(path: &'static str, head: &'static str, counts: Counts, copies: usize) -> Shape {
    Shape {
        path,
        head,
        counts,
        copies,
    }
}

use Counts::{Agent, Always, Asked, For, In, Skill};

const SHAPES: [Shape; 62] = [
    // Claude Code
    shape("CLAUDE.md", "", Always, 1),
    shape("CLAUDE.local.md", "", Always, 1),
    shape(".claude/CLAUDE.md", "", Always, 1),
    shape("~/.claude/CLAUDE.md", "", Always, 1),
    shape(
        "packages/claude-#/CLAUDE.md",
        "",
        For("packages/claude-#/src/a.ts"),
        8,
    ),
    shape(".claude/rules/plain-#.md", "", Always, 6),
    shape(
        ".claude/rules/api/deep-#.md",
        "paths: \"src/api/**/*.ts\"",
        For("src/api/x/y.ts"),
        8,
    ),
    shape(
        ".claude/rules/list-#.md",
        "paths:\n  - \"tests/**\"\n  - \"**/*.spec.ts\"",
        For("tests/a.py"),
        6,
    ),
    shape("~/.claude/rules/mine-#.md", "", Always, 3),
    shape(
        ".claude/agents/helper-#.md",
        "name: helper-#\ndescription: Helps with #\ntools: Read, Grep\nmodel: inherit",
        Agent,
        10,
    ),
    shape(
        ".claude/agents/group/sub-#.md",
        "name: sub-#\ndescription: Helps with #",
        Agent,
        4,
    ),
    shape(
        ".claude/skills/claude-skill-#/SKILL.md",
        "name: claude-skill-#\ndescription: Does #. Use for #.\nallowed-tools: Read, Bash(git add:*)",
        Skill,
        12,
    ),
    shape(
        "~/.claude/skills/home-skill-#/SKILL.md",
        "name: home-skill-#\ndescription: Does # at home.",
        Skill,
        4,
    ),
    // AGENTS.md
    shape("AGENTS.md", "", Always, 1),
    shape(
        "services/agents-#/AGENTS.md",
        "",
        For("services/agents-#/main.go"),
        10,
    ),
    shape("~/.codex/AGENTS.md", "", Always, 1),
    shape(
        ".agents/skills/open-skill-#/SKILL.md",
        "name: open-skill-#\ndescription: Does # in the open format.\nlicense: MIT\nmetadata:\n  version: \"1\"",
        Skill,
        12,
    ),
    // Copilot
    shape(".github/copilot-instructions.md", "", Always, 1),
    shape(
        ".github/instructions/glob-#.instructions.md",
        "applyTo: \"**/*.cp\"",
        For("lib/a.cp"),
        8,
    ),
    shape(
        ".github/instructions/list-#.instructions.md",
        "description: #\napplyTo: \"web/**/*.wa,web/**/*.wb\"",
        For("web/x.wb"),
        6,
    ),
    shape(
        ".github/instructions/all-#.instructions.md",
        "applyTo: \"**\"",
        Always,
        4,
    ),
    shape(
        ".github/instructions/none-#.instructions.md",
        "description: when # is asked for",
        Asked,
        4,
    ),
    shape(
        ".github/agents/pilot-#.agent.md",
        "name: pilot-#\ndescription: Plans #\ntools: ['read']",
        Agent,
        8,
    ),
    shape(
        ".github/skills/hub-skill-#/SKILL.md",
        "name: hub-skill-#\ndescription: Does # on the hub.",
        Skill,
        6,
    ),
    // Cursor
    shape(".cursorrules", "", Always, 1),
    shape(
        ".cursor/rules/always-#.mdc",
        "description: #\nglobs:\nalwaysApply: true",
        Always,
        6,
    ),
    shape(
        ".cursor/rules/auto-#.mdc",
        "description: #\nglobs: *.cur,src/cur/**\nalwaysApply: false",
        For("a/b.cur"),
        8,
    ),
    shape(
        ".cursor/rules/wanted-#.mdc",
        "description: about #\nalwaysApply: false",
        Asked,
        6,
    ),
    shape(".cursor/rules/manual-#.mdc", "alwaysApply: false", Asked, 4),
    shape(
        "frontend/.cursor/rules/nested-#.mdc",
        "alwaysApply: true",
        For("frontend/src/a.ts"),
        6,
    ),
    shape(
        "backend/.cursor/rules/nested-#.mdc",
        "globs: [\"**/*.bk\"]",
        For("backend/src/a.bk"),
        6,
    ),
    // Windsurf
    shape(".windsurfrules", "", Always, 1),
    shape(".windsurf/rules/on-#.md", "trigger: always_on", Always, 4),
    shape(
        ".windsurf/rules/glob-#.md",
        "trigger: glob\nglobs: \"**/*.wind\"",
        For("x/y.wind"),
        4,
    ),
    shape(
        ".windsurf/rules/model-#.md",
        "trigger: model_decision\ndescription: #",
        Asked,
        4,
    ),
    shape(".windsurf/rules/manual-#.md", "trigger: manual", Asked, 3),
    shape(
        "~/.codeium/windsurf/memories/global_rules.md",
        "",
        Always,
        1,
    ),
    // Roo
    shape(".roorules", "", Always, 1),
    shape(".roo/rules/0#-style.md", "", Always, 6),
    shape(".roo/rules/deep/more-#.txt", "", Always, 3),
    shape(".roo/rules-architect/plan-#.md", "", In("architect"), 6),
    shape(".roo/rules-code/#.md", "", In("code"), 4),
    shape(".roorules-debug", "", In("debug"), 1),
    shape("~/.roo/rules/home-#.md", "", Always, 3),
    // Kilo, Bob
    shape(".kilocode/rules/kilo-#.md", "", Always, 6),
    shape(".kilocode/rules-code/kilo-#.md", "", In("code"), 4),
    shape(".kilocoderules", "", Always, 1),
    shape(".bob/rules/bob-#.md", "", Always, 4),
    // Cline
    shape(".clinerules/0#-cline.md", "", Always, 6),
    shape(
        ".clinerules/paths-#.md",
        "paths:\n  - \"**/*.cli\"",
        For("a/b.cli"),
        4,
    ),
    // Continue
    shape(".continue/rules/plain-#.md", "name: #", Always, 4),
    shape(
        ".continue/rules/glob-#.md",
        "name: #\nglobs: [\"**/*.con\"]",
        For("a/b.con"),
        6,
    ),
    shape(
        ".continue/rules/always-#.md",
        "name: #\nalwaysApply: true",
        Always,
        3,
    ),
    // Gemini, Qwen
    shape("GEMINI.md", "", Always, 1),
    shape("mobile/gem-#/GEMINI.md", "", For("mobile/gem-#/a.dart"), 6),
    shape("~/.gemini/GEMINI.md", "", Always, 1),
    shape("QWEN.md", "", Always, 1),
    shape("libs/qwen-#/QWEN.md", "", For("libs/qwen-#/a.py"), 6),
    shape(
        ".qwen/agents/qwen-agent-#.md",
        "name: qwen-agent-#\ndescription: Does #",
        Agent,
        4,
    ),
    // Junie, JetBrains
    shape(".junie/guidelines.md", "", Always, 1),
    shape(".junie/guidelines/part-#.md", "", Always, 4),
    shape(".aiassistant/rules/jet-#.md", "", Always, 4),
];

struct Planted {
    path: String,
    marker: String,
    counts: Counts,
    number: String,
}

fn plant(project: &Fixture, home: &Fixture) -> Vec<Planted> {
    let mut planted = Vec::new();
    for (kind, shape) in SHAPES.iter().enumerate() {
        let is_single = !shape.path.contains('#');
        let copies = shape.copies + usize::from(!is_single);
        for copy in 0..copies {
            let number = format!("{copy}");
            let path = shape.path.replace('#', &number);
            let marker = format!("zq{kind}x{copy}mark");
            let mut text = String::new();
            if !shape.head.is_empty() {
                let _ = write!(text, "---\n{}\n---\n", shape.head.replace('#', &number));
            }
            let _ = write!(
                text,
                "# How we handle {marker}\n\nKeep {marker} in one place.\n\n- Run its checks before a commit.\n"
            );
            match path.strip_prefix("~/") {
                Some(path) => home.write(path, text),
                None => project.write(&path, text),
            };
            planted.push(Planted {
                path,
                marker,
                counts: shape.counts,
                number,
            });
        }
    }
    planted
}

fn applies(playbook: &Playbook, file: &str, mode: Option<&str>, marker: &str) -> bool {
    let applied = playbook.rules_for_files(&[file.to_owned()], mode);
    applied.iter().any(|it| it.rule.text.contains(marker))
}

#[test]
fn files_of_every_product_are_loaded_found_and_applied() {
    let (project, home) = (Fixture::new(""), Fixture::new(""));
    let planted = plant(&project, &home);
    assert!(planted.len() >= 300, "{}", planted.len());
    let playbook = Playbook::open(Sources {
        project: Some(project.root().clone()),
        user: UserFolders {
            home: Some(home.root().clone()),
            ..UserFolders::default()
        },
    });
    let agents = playbook.agents();
    let skills = playbook.skills();
    let mut wrong = Vec::new();
    for Planted {
        path,
        marker,
        counts,
        number,
    } in &planted
    {
        let found = playbook.search(marker, &SearchLimits::default());
        if found.files.is_empty() {
            wrong.push(format!("{path}: not found"));
        }
        let elsewhere = |mode| applies(&playbook, "elsewhere/other.xyz", mode, marker);
        let is_right = match counts {
            Counts::Always => elsewhere(None),
            Counts::For(file) => {
                let file = file.replace('#', number);
                applies(&playbook, &file, None, marker) && !elsewhere(None)
            }
            Counts::Asked => !elsewhere(None) && !elsewhere(Some("code")),
            Counts::In(mode) => elsewhere(Some(mode)) && !elsewhere(Some("ask")),
            Counts::Agent => agents.iter().any(|it| {
                let text = it.instructions.as_deref();
                text.is_some_and(|text| text.contains(marker.as_str()))
            }),
            Counts::Skill => skills.iter().any(|it| it.text.contains(marker.as_str())),
        };
        if !is_right {
            wrong.push(format!("{path}: not applied as it should"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        planted.len(),
        wrong.join("\n")
    );
}

#[test]
fn imports_are_read_where_their_product_reads_them() {
    let fixture = Fixture::new(
        "
//- /CLAUDE.md
# Team
See @docs/style.md and @./docs/api.md for more. Mail @anna about it. Code: `@docs/no.md`.
@../outside.md
//- /docs/style.md
Tabs, says zqstyle. @more/deep.md
//- /docs/more/deep.md
Deep zqdeep. @../../CLAUDE.md
//- /docs/api.md
Versions, says zqapi.
//- /docs/no.md
zqno
//- /AGENTS.md
@docs/no.md stays a word here.
",
    );
    let playbook = super::playbook(&fixture);
    let text = playbook.rule("CLAUDE.md").expect("a rule").text.clone();
    for word in ["zqstyle", "zqdeep", "zqapi"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains("zqno"), "{text}");
    let agents = playbook.rule("AGENTS.md").expect("a rule").text.clone();
    assert!(!agents.contains("zqno"), "{agents}");
    let problems = super::problems(&playbook).join("\n");
    assert!(
        problems.contains("`@../outside.md` leads out of the project"),
        "{problems}"
    );
    fixture.write("docs/style.md", "Spaces, says zqnew.");
    assert!(playbook.refresh());
    let text = playbook.rule("CLAUDE.md").expect("a rule").text.clone();
    assert!(text.contains("zqnew"), "{text}");
}

#[test]
fn what_contradicts_repeats_or_has_drifted_is_reported() {
    let copy = "# Rules\n\n- Handle errors at the border of the module.\n- Log no secrets anywhere.\n- Name tests after behaviour, not after functions.\n- Keep functions short and flat.\n";
    let fixture = Fixture::new("");
    fixture.write(
        "AGENTS.md",
        format!("{copy}- Use pnpm for packages.\n- Use semicolons.\n"),
    );
    fixture.write(
        "CLAUDE.md",
        format!("{copy}- Ask before adding a dependency to the project.\n"),
    );
    fixture.write(
        ".codingbuddy/rules/a.md",
        "- Install with npm.\n- No semicolons.\n- Maximum line length is 100.\n",
    );
    fixture.write(".codingbuddy/rules/b.md", "- Line length: at most 120 columns.\n- Log no secrets anywhere, whatever the log level is.\n- Log no secrets anywhere, whatever the log level is.\n");
    fixture.write("web/AGENTS.md", "- Use yarn here.\n");
    let playbook = super::playbook(&fixture);
    let problems = super::problems(&playbook);
    let has = |parts: &[&str]| {
        let found = problems
            .iter()
            .any(|it| parts.iter().all(|part| it.contains(part)));
        assert!(found, "{parts:?}:\n{}", problems.join("\n"));
    };
    has(&["`Install with npm.`", "contradicts", "pnpm", "AGENTS.md:7"]);
    has(&["`No semicolons.`", "contradicts"]);
    has(&["120 columns", "contradicts", "100"]);
    has(&["whatever the log level is", "is also in"]);
    has(&[
        "a copy of",
        "that has drifted",
        "Ask before adding a dependency",
    ]);
    assert!(
        problems.iter().all(|it| !it.contains("yarn")),
        "{problems:?}"
    );
    let shares = playbook.context_shares();
    assert!(
        shares
            .iter()
            .any(|it| it.client.atlas().slug == "claude-code" && it.always > 40),
        "{shares:?}"
    );
}

#[test]
fn the_files_of_a_skill_are_listed_and_read() {
    let fixture = Fixture::new(
        "
//- /.claude/skills/pdf/SKILL.md
---
name: pdf
description: Merges, splits and fills PDF files.
---
Run `scripts/merge.py`.
//- /.claude/skills/pdf/scripts/merge.py
print(1)
//- /.claude/skills/pdf/reference/forms.md
# Forms
//- /.claude/skills/pdf/secret.txt
hidden
//- /.rooignore
.claude/skills/pdf/secret.txt
",
    );
    let playbook = super::playbook(&fixture);
    let files = playbook.skill_files("pdf").expect("a skill");
    assert_eq!(
        files.path,
        Some(fixture.path(".claude/skills/pdf/SKILL.md"))
    );
    let paths: Vec<&str> = files.files.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["reference/forms.md", "scripts/merge.py"]);
    let read = |path: &str| {
        playbook
            .resource(path)
            .and_then(|it| it.text().map(str::to_owned))
    };
    assert_eq!(
        read("skills/pdf/scripts/merge.py").as_deref(),
        Some("print(1)\n")
    );
    assert_eq!(read("skills/pdf/secret.txt"), None);
    assert_eq!(read("skills/pdf/../../CLAUDE.md"), None);
    fixture.write(".claude/skills/pdf/logo.png", b"\x89PNG\0\xff");
    let logo = playbook.resource("skills/pdf/logo.png").expect("an image");
    assert_eq!(logo.mime_type, "image/png");
    assert_eq!(logo.body, ResourceBody::Bytes(b"\x89PNG\0\xff".to_vec()));
    let index = read("skills/index.json").expect("an index");
    assert!(index.contains("scripts/merge.py") && index.contains("systematic-debugging"));
}

#[test]
fn an_own_skill_and_an_own_agent_are_found_among_hundreds() {
    let fixture = Fixture::new("");
    let subjects = [
        "kafka",
        "invoices",
        "terraform",
        "slides",
        "spreadsheets",
        "charts",
        "emails",
        "calendars",
        "translations",
        "backups",
    ];
    for number in 0..612 {
        let subject = subjects[number % subjects.len()];
        fixture.write(
            &format!(".claude/skills/skill-{number}/SKILL.md"),
            format!("---\nname: skill-{number}\ndescription: Works with {subject} of tenant {number}, reads files and merges reports. Use for {subject}.\n---\n# {subject}\n"),
        );
    }
    fixture.write(
        ".claude/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads, merges, splits and fills PDF files. Use for anything with PDF documents.\n---\n# PDF\n",
    );
    fixture.write(
        ".claude/agents/ledger-keeper.md",
        "---\nname: ledger-keeper\ndescription: Maintains the double-entry ledger, postings and reconciliation of accounts.\n---\nKeep the books.\n",
    );
    let playbook = super::playbook(&fixture);
    let found = playbook.recommend("merge two pdf files");
    assert_eq!(
        found.first().map(|it| it.skill.as_str()),
        Some("pdf"),
        "{found:?}"
    );
    let briefing = playbook.briefing();
    let config = mk_prompt::PromptConfig::default();
    let request = mk_prompt::ModeRequest {
        prompt: "ACT fix the reconciliation of ledger postings",
        roster: &briefing.roster,
        config: &config,
        recommended_agent: None,
        files: &[],
    };
    let parsed = mk_prompt::parse_mode(&request);
    assert_eq!(
        parsed.delegates_to.agent, "ledger-keeper",
        "{:?}",
        parsed.delegates_to
    );
}

#[test]
fn instructions_in_plain_sight_come_before_those_of_a_product() {
    let fixture = Fixture::new(
        "
        //- /.cursorrules
        Cursor's copy.
        //- /.junie/guidelines.md
        Junie's copy.
        //- /AGENTS.md
        What the team means.
        //- /CLAUDE.md
        What Claude must know.
        ",
    );
    let playbook = super::playbook(&fixture);
    let briefing = playbook.briefing();
    for files in [vec![], vec!["src/cart.rs".to_owned()]] {
        let applied = briefing.team_rules(&files, "code", 2);
        let paths: Vec<&str> = applied.iter().map(|it| it.rule.path.as_str()).collect();
        assert_eq!(paths, ["AGENTS.md", "CLAUDE.md"], "{files:?}");
    }
}
