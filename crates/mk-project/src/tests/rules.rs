//! Which rules apply to a mode, in which order.

use mk_testkit::Fixture;
use mk_types::ModeSlug;

use crate::{IgnoredFiles, RulesFolders, rules_for};

/// The rules of mode `docs`, one line a section; `global` folders stand beside the project.
#[track_caller]
fn check(fixture: &Fixture, expected: &[&str]) {
    assert_eq!(rules(fixture), expected);
}

/// The project is `/p`, the global folders are `/g1` and `/g2`.
fn rules(fixture: &Fixture) -> Vec<String> {
    let root = fixture.root().join("p".as_ref()).unwrap();
    let slug = ModeSlug::parse("docs").unwrap();
    let global = RulesFolders(vec![fixture.path("g1"), fixture.path("g2")]);
    let sections = rules_for(&root, &slug, &global, &IgnoredFiles::load(&root));
    let folder = format!("{}/", fixture.root());
    sections
        .iter()
        .map(|section| format!("{}: {}", section.title.replace(&folder, "/"), section.text))
        .collect()
}

#[test]
fn the_whole_order() {
    let fixture = Fixture::new(
        "
//- /g1/rules-docs/a.md
1 global mode
//- /g2/rules-docs/a.md
1 second global mode
//- /p/.roo/rules-docs/a.md
1 project mode
//- /p/.rooignore
2 ignore
//- /p/AGENTS.md
3 agents
//- /p/AGENTS.local.md
3 local
//- /g1/rules/a.md
4 global
//- /p/.roo/rules/a.md
4 project
//- /p/.roo/rules-other/a.md
another mode's
",
    );
    check(
        &fixture,
        &[
            "From /g1/rules-docs/a.md: 1 global mode",
            "From /g2/rules-docs/a.md: 1 second global mode",
            "From .roo/rules-docs/a.md: 1 project mode",
            "Files hidden by .rooignore: 2 ignore",
            "From AGENTS.md: 3 agents",
            "From AGENTS.local.md: 3 local",
            "From /g1/rules/a.md: 4 global",
            "From .roo/rules/a.md: 4 project",
        ],
    );
}

#[test]
fn rule_1_single_files_of_a_mode_stand_in_for_missing_folders() {
    let fixture = Fixture::new(
        "
//- /p/.roorules-docs
roo
//- /p/.clinerules-docs
cline
",
    );
    check(&fixture, &["From .roorules-docs: roo"]);
    fixture.write("p/.roorules-docs", " \n");
    check(&fixture, &["From .clinerules-docs: cline"]);
    fixture.write("p/.roo/rules-docs/a.md", "folder");
    check(&fixture, &["From .roo/rules-docs/a.md: folder"]);
    fixture.write("p/.roo/rules-docs/a.md", "");
    check(&fixture, &["From .clinerules-docs: cline"]);
}

#[test]
fn rule_1_a_global_folder_is_enough_to_pass_over_single_files() {
    let fixture = Fixture::new("//- /g1/rules-docs/a.md\nglobal\n//- /p/.roorules-docs\nroo\n");
    check(&fixture, &["From /g1/rules-docs/a.md: global"]);
}

#[test]
fn rule_2_an_ignore_file_that_cannot_be_read_is_not_shown() {
    let fixture = Fixture::new("//- /p/AGENTS.md\nagents\n");
    fixture.write("p/.rooignore", b"\xff");
    check(&fixture, &["From AGENTS.md: agents"]);
}

#[test]
fn rule_3_agent_md_stands_in_for_agents_md() {
    let fixture = Fixture::new("//- /p/AGENT.md\none\n//- /p/AGENTS.local.md\nlocal\n");
    check(
        &fixture,
        &["From AGENT.md: one", "From AGENTS.local.md: local"],
    );
    fixture.write("p/AGENTS.md", "all");
    check(
        &fixture,
        &["From AGENTS.md: all", "From AGENTS.local.md: local"],
    );
}

#[test]
fn rule_4_single_files_stand_in_for_missing_folders() {
    let fixture = Fixture::new(
        "
//- /p/.roorules
roo
//- /p/.clinerules
cline
",
    );
    check(&fixture, &["From .roorules: roo"]);
    fixture.remove("p/.roorules");
    check(&fixture, &["From .clinerules: cline"]);
    fixture.write("p/.roo/rules/a.md", "folder");
    check(&fixture, &["From .roo/rules/a.md: folder"]);
}

#[test]
fn rule_4_clinerules_may_be_a_folder() {
    let fixture = Fixture::new("//- /p/.clinerules/b.md\nb\n//- /p/.clinerules/a.md\na\n");
    check(
        &fixture,
        &["From .clinerules/a.md: a", "From .clinerules/b.md: b"],
    );
}

#[test]
fn files_of_a_folder_come_by_name_without_regard_to_case_or_depth() {
    let fixture = Fixture::new(
        "
//- /p/.roo/rules/B.md
2
//- /p/.roo/rules/a.md
1
//- /p/.roo/rules/sub/c.md
3
//- /p/.roo/rules/zsub/A.md
1 too
",
    );
    check(
        &fixture,
        &[
            "From .roo/rules/a.md: 1",
            "From .roo/rules/zsub/A.md: 1 too",
            "From .roo/rules/B.md: 2",
            "From .roo/rules/sub/c.md: 3",
        ],
    );
}

#[test]
fn leftovers_of_editors_and_programs_are_skipped() {
    let fixture = Fixture::new("//- /p/.roo/rules/log\nkept\n");
    for name in [
        "a.log",
        "a.BAK",
        "a.tmp",
        "a.temp",
        "a.lock",
        ".a.swp",
        "a.old",
        "a.cache",
        "a.pyc",
        ".DS_Store",
        "Thumbs.db",
        "a.md~",
    ] {
        fixture.write(&format!("p/.roo/rules/{name}"), "leftover");
    }
    check(&fixture, &["From .roo/rules/log: kept"]);
}

#[test]
fn folders_deeper_than_five_are_not_read() {
    let fixture = Fixture::new("//- /p/.roo/rules/1/2/3/4/in.md\nin\n");
    fixture.write("p/.roo/rules/1/2/3/4/5/out.md", "out");
    check(&fixture, &["From .roo/rules/1/2/3/4/in.md: in"]);
}

#[test]
fn links_are_followed_inside_the_project_only() {
    let fixture = Fixture::new(
        "
//- /p/shared/x.md
shared
//- /private/key.md
private
//- /g1/inside.md
global
",
    );
    fixture.link("p/.roo/rules/a.md", "../../shared/x.md");
    fixture.link("p/.roo/rules/b.md", "../../../private/key.md");
    fixture.link("p/.roo/rules/folder", fixture.path("private"));
    fixture.link("p/AGENTS.md", "/etc/hostname");
    fixture.link("p/AGENT.md", "../private/key.md");
    fixture.link("p/.roo/rules/dangling.md", "nowhere");
    fixture.link("g1/rules/in.md", "../inside.md");
    fixture.link("g1/rules/out.md", "../../private/key.md");
    check(
        &fixture,
        &[
            "From /g1/rules/in.md: global",
            "From .roo/rules/a.md: shared",
        ],
    );
}

#[test]
fn a_link_does_not_bring_settings_or_hidden_files_into_a_prompt() {
    let fixture = Fixture::new(
        "
//- /p/.env
KEY=1
//- /p/hidden/notes.md
hidden
//- /p/.rooignore
hidden/
//- /p/.roo/rules/a.md
a
",
    );
    fixture.link("p/.roo/rules/env.md", "../../.env");
    fixture.link("p/.roo/rules/hidden.md", "../../hidden/notes.md");
    fixture.link("p/.roo/rules/up", "../..");
    fixture.link("p/.kilocode/rules", "../hidden");
    fixture.link("p/AGENTS.md", ".env");
    check(
        &fixture,
        &[
            "Files hidden by .rooignore: hidden/",
            "From .roo/rules/a.md: a",
        ],
    );
}

#[test]
fn rules_of_kilo_and_bob_are_read() {
    let fixture = Fixture::new(
        "
//- /p/.kilocode/rules/k.md
kilo
//- /p/.kilocode/rules-docs/k.md
kilo docs
//- /p/.bob/rules/b.md
bob
",
    );
    check(
        &fixture,
        &[
            "From .kilocode/rules-docs/k.md: kilo docs",
            "From .kilocode/rules/k.md: kilo",
            "From .bob/rules/b.md: bob",
        ],
    );
}

#[test]
fn a_project_behind_a_link_has_its_rules() {
    let fixture = Fixture::new("//- /real/AGENTS.md\nagents\n//- /real/.roo/rules/a.md\nrule\n");
    fixture.link("p", "real");
    check(
        &fixture,
        &["From AGENTS.md: agents", "From .roo/rules/a.md: rule"],
    );
}

#[test]
fn a_circle_of_links_says_everything_once() {
    let fixture = Fixture::new("//- /p/.roo/rules/a.md\nonce\n");
    fixture.link("p/.roo/rules/again", ".");
    fixture.link("p/.roo/rules/copy.md", "a.md");
    check(&fixture, &["From .roo/rules/a.md: once"]);
}

#[test]
fn what_is_no_text_too_large_or_empty_is_skipped() {
    let fixture = Fixture::new("//- /p/.roo/rules/b.md\nb\n//- /p/.roo/rules/empty.md\n\n");
    fixture.write("p/.roo/rules/a.md", b"\xff");
    fixture.write("p/.roo/rules/c.md", "x".repeat(64 * 1024 + 1));
    super::read::make_pipe(&fixture.path("p/.roo/rules/d.md"));
    check(&fixture, &["From .roo/rules/b.md: b"]);
}

#[test]
fn a_mark_at_the_start_of_a_file_is_not_shown() {
    let fixture = Fixture::new("");
    fixture.write("p/AGENTS.md", "\u{feff}text\n");
    check(&fixture, &["From AGENTS.md: text"]);
}

#[test]
fn more_than_a_quarter_of_a_megabyte_is_left_out() {
    let fixture = Fixture::new("");
    for n in 1..=6 {
        fixture.write(&format!("p/.roo/rules/{n}.md"), "x".repeat(60 * 1024));
    }
    let titles: Vec<String> = rules(&fixture)
        .iter()
        .map(|rule| rule.chars().take_while(|letter| *letter != ':').collect())
        .collect();
    assert_eq!(titles.len(), 4, "{titles:?}");
    assert_eq!(titles[3], "From .roo/rules/4.md");
}

#[test]
fn a_folder_with_far_too_many_files_ends_somewhere() {
    let fixture = Fixture::new("");
    for n in 0..2_100 {
        fixture.write(&format!("p/.roo/rules/{n}.md"), "x");
    }
    assert_eq!(rules(&fixture).len(), 2_000);
}
