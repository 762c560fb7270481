//! Which rules apply to which files.

use mk_testkit::Fixture;

use crate::{ContentLayer, Reason};

const PROJECT: &str = "
//- /AGENTS.md
# Root
//- /CLAUDE.md
# Claude
//- /packages/api/AGENTS.md
# Api
## Errors
//- /packages/api/CLAUDE.md
# Claude of the api
//- /.claude/CLAUDE.md
# Hidden
//- /.cursor/rules/react.mdc
---
globs: *.tsx
---
//- /.cursor/rules/manual.mdc
nobody asked
//- /.github/instructions/py.instructions.md
---
applyTo: scripts/**/*.py
---
//- /.codingbuddy/rules/team.md
# Team
//- /packages/api-old/x.ts
";

#[track_caller]
fn check(files: &[&str], expected: &[&str]) {
    let fixture = Fixture::new(PROJECT);
    let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    let applied = super::playbook(&fixture).rules_for_files(&files, None);
    let applied: Vec<String> = applied
        .iter()
        .filter(|applied| applied.rule.layer == ContentLayer::Project)
        .map(|applied| {
            let reason = match &applied.reason {
                Reason::Always => "always".to_owned(),
                Reason::Nearest { folder } => format!("nearest {folder:?}"),
                Reason::Above { folder } => format!("above {folder:?}"),
                Reason::Glob { pattern } => format!("glob {pattern}"),
                Reason::Mode { slug } => format!("mode {slug}"),
            };
            format!(
                "{}: {reason}: {}",
                applied.rule.path,
                applied.files.join(" ")
            )
        })
        .collect();
    assert_eq!(applied, expected);
}

#[test]
fn instructions_of_folders_add_up_the_nearest_first() {
    check(
        &["packages/api/src/x.ts"],
        &[
            "packages/api/AGENTS.md: nearest \"packages/api\": packages/api/src/x.ts",
            "packages/api/CLAUDE.md: above \"packages/api\": packages/api/src/x.ts",
            "AGENTS.md: always: packages/api/src/x.ts",
            ".claude/CLAUDE.md: always: packages/api/src/x.ts",
            "CLAUDE.md: always: packages/api/src/x.ts",
            "rules/team.md: always: packages/api/src/x.ts",
        ],
    );
}

#[test]
fn a_folder_whose_name_starts_alike_is_another_folder() {
    check(
        &["packages/api-old/x.ts"],
        &[
            "AGENTS.md: nearest \"\": packages/api-old/x.ts",
            ".claude/CLAUDE.md: always: packages/api-old/x.ts",
            "CLAUDE.md: always: packages/api-old/x.ts",
            "rules/team.md: always: packages/api-old/x.ts",
        ],
    );
}

#[test]
fn globs_apply_to_the_files_that_match() {
    check(
        &["./web/App.tsx", "scripts/a/b.py", "other/b.py"],
        &[
            ".github/instructions/py.instructions.md: glob scripts/**/*.py: scripts/a/b.py",
            ".cursor/rules/react.mdc: glob *.tsx: ./web/App.tsx",
            "AGENTS.md: nearest \"\": ./web/App.tsx scripts/a/b.py other/b.py",
            ".claude/CLAUDE.md: always: ./web/App.tsx scripts/a/b.py other/b.py",
            "CLAUDE.md: always: ./web/App.tsx scripts/a/b.py other/b.py",
            "rules/team.md: always: ./web/App.tsx scripts/a/b.py other/b.py",
        ],
    );
}

#[test]
fn a_glob_that_is_too_deep_matches_nothing_and_harms_nobody() {
    let deep = format!("{}x{}", "{".repeat(400), "}".repeat(400));
    let fixture = Fixture::new("//- /.codingbuddy/rules/fine.md\n---\nglobs: '**/x'\n---\n");
    fixture.write(
        ".codingbuddy/rules/deep.md",
        format!("---\nglobs: \"{deep}\"\n---\n"),
    );
    let applied = super::playbook(&fixture).rules_for_files(&["x".to_owned()], None);
    let applied: Vec<&str> = applied
        .iter()
        .filter(|applied| applied.rule.layer == ContentLayer::Project)
        .map(|applied| applied.rule.path.as_str())
        .collect();
    assert_eq!(applied, ["rules/fine.md"]);
}

#[test]
fn no_files_have_no_rules() {
    check(&[], &[]);
}

#[test]
fn the_sections_of_a_nested_file_have_its_scope() {
    let fixture = Fixture::new(PROJECT);
    let rule = super::playbook(&fixture)
        .rule("packages/api/AGENTS.md")
        .unwrap();
    assert_eq!(rule.scope, "packages/api");
    let titles: Vec<&str> = rule
        .sections
        .iter()
        .filter_map(crate::Section::title)
        .collect();
    assert_eq!(titles, ["Api", "Errors"]);
}
