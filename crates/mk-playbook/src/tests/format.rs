//! Reading rules, agents, skills and checklists as people write them.

use crate::{Activation, lint};

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    let found = lint(path, text).expect("a path of the playbook");
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected, "{path}");
}

const SKILL: &str = ".claude/skills/pdf-forms/SKILL.md";

#[test]
fn a_skill_of_the_standard_is_valid() {
    check(
        SKILL,
        "---\nname: pdf-forms\ndescription: Fills forms.\nlicense: Apache-2.0\ncompatibility: needs python\n\
         metadata:\n  author: me\n  version: 1.0\nallowed-tools: Bash(git add:*) Read\n---\n# Body\n",
        &[],
    );
}

#[test]
fn keys_of_another_product_are_no_problem() {
    check(
        SKILL,
        "---\nname: pdf-forms\ndescription: Fills forms.\nargument-hint: '[file]'\ncontext: fork\nhooks:\n  Stop: []\n---\n",
        &[],
    );
}

#[test]
fn a_colon_in_a_description_is_read_as_people_mean_it() {
    check(
        SKILL,
        "---\nname: pdf-forms\ndescription: Use when: a form is to be filled\n---\n",
        &[
            ".claude/skills/pdf-forms/SKILL.md:3:22: warning: the head is not YAML (a `:` is not allowed here); read line by line",
        ],
    );
}

#[test]
fn names_that_could_leave_the_folder_are_refused() {
    for name in ["../x", "..", "a/b", "A", "a--b", "-a", "a b"] {
        let text = format!("---\nname: \"{name}\"\ndescription: x\n---\n");
        let found = lint(SKILL, &text).unwrap();
        assert_eq!(found.len(), 1, "{name}");
        assert!(
            found[0].message.contains("cannot be a skill's name"),
            "{name}: {}",
            found[0]
        );
        assert_eq!(found[0].position.line, 2);
    }
}

#[test]
fn a_folder_of_another_name_is_worth_a_warning() {
    check(
        ".claude/skills/forms/SKILL.md",
        "---\nname: pdf-forms\ndescription: x\n---\n",
        &[
            ".claude/skills/forms/SKILL.md:2:7: warning: the name `pdf-forms` differs from its directory `forms`",
        ],
    );
}

#[test]
fn the_limits_of_the_standard_are_checked_in_characters() {
    let text = format!(
        "---\nname: pdf-forms\ndescription: {}\n---\n",
        "가".repeat(1024)
    );
    check(SKILL, &text, &[]);
    let text = format!(
        "---\nname: pdf-forms\ndescription: {}\n---\n",
        "가".repeat(1025)
    );
    check(
        SKILL,
        &text,
        &[
            ".claude/skills/pdf-forms/SKILL.md:3:14: warning: `description` is longer than 1024 characters",
        ],
    );
}

#[test]
fn a_head_without_an_end_or_with_a_bad_shape_is_diagnosed() {
    check(
        SKILL,
        "---\nname: pdf-forms\n",
        &[".claude/skills/pdf-forms/SKILL.md:1:1: error: the head has no closing `---` line"],
    );
    check(
        SKILL,
        "---\n- a\n- b\n---\n",
        &[".claude/skills/pdf-forms/SKILL.md:2:1: error: the head must be a map, not a list"],
    );
}

#[test]
fn keys_that_change_an_objects_nature_reject_the_file_at_any_depth() {
    check(
        "agents/x.json",
        "{\"name\": \"X\", \"description\": \"x\", \"role\": {\"title\": \"X\"},\n \"modes\": [{\"__proto__\": {}}]}",
        &["agents/x.json:2:13: error: the key `__proto__` is not allowed at any depth"],
    );
    check(
        "checklists/x.json",
        "{\"constructor\": 1, \"categories\": []}",
        &["checklists/x.json:1:2: error: the key `constructor` is not allowed at any depth"],
    );
    check(
        SKILL,
        "---\nname: pdf-forms\ndescription: x\nmetadata:\n  prototype: y\n---\n",
        &[
            ".claude/skills/pdf-forms/SKILL.md:5:3: error: the key `prototype` is not allowed at any depth",
        ],
    );
}

#[test]
fn everything_that_an_agent_lacks_is_said() {
    check(
        "agents/x.json",
        "{\"name\": \"\", \"role\": {\"expertise\": \"much\", \"type\": \"boss\"}}",
        &[
            "agents/x.json:1:10: error: `name` is empty",
            "agents/x.json:1:1: error: `description` is missing",
            "agents/x.json:1:1: error: `title` is missing",
            "agents/x.json:1:36: warning: `role.expertise` must be a list of texts, not text",
            "agents/x.json:1:52: warning: `role.type` must be primary, specialist or utility, not `boss`",
        ],
    );
    check(
        "agents/x.json",
        "{\n  \"name\": \"x\"\n  \"description\": 1}",
        &["agents/x.json:3:3: error: expected `,`, found `\"description\":`"],
    );
}

#[test]
fn nesting_without_end_is_refused_and_costs_nothing() {
    let text = "[".repeat(500_000);
    check(
        "agents/x.json",
        &text,
        &["agents/x.json:1:65: error: the file is nested too deeply, or too large"],
    );
}

#[test]
fn one_wrong_item_of_a_checklist_leaves_the_others() {
    check(
        "checklists/x.json",
        r#"{"categories": [{"name": "a", "triggers": {"files": ["["]}, "items": [
            {"id": "1", "text": "look", "priority": "urgent"},
            {"id": "2"}]}, {"name": "b"}]}"#,
        &[
            "checklists/x.json:1:53: warning: `[` is not a glob: unclosed character class; missing ']'",
            "checklists/x.json:2:13: warning: `priority` must be critical, high, medium or low, not `urgent`",
            "checklists/x.json:3:13: warning: `text` is missing; the entry is left out",
            "checklists/x.json:3:28: warning: category `b` has no list of `items`",
        ],
    );
}

/// Rules with every kind of head.
const ACTIVATIONS: &str = "//- /.cursor/rules/always.mdc
---
alwaysApply: true
---
//- /.cursor/rules/auto.mdc
---
description: React
globs: *.tsx, src/{a,b}/**
alwaysApply: false
---
//- /.cursor/rules/list.mdc
---
globs:
  - **/*.py
---
//- /.cursor/rules/manual.mdc
text only
//- /.cursor/rules/deep/er/requested.mdc
---
description: When you write SQL
---
//- /.github/copilot-instructions.md
Be kind.
//- /.github/instructions/ts.instructions.md
---
applyTo: '**/*.ts,**/*.tsx'
---
//- /.github/instructions/all.instructions.md
---
applyTo: '**'
---
//- /.codingbuddy/rules/team.md
# Our rules
";

#[test]
fn the_activation_of_a_rule_follows_its_products_words() {
    let fixture = mk_testkit::Fixture::new(ACTIVATIONS);
    let playbook = super::playbook(&fixture);
    assert_eq!(super::problems(&playbook), Vec::<String>::new());
    let rule = |path: &str| {
        let rule = playbook.rule(path).expect(path);
        let globs: Vec<String> = rule
            .globs
            .iter()
            .map(|glob| glob.as_str().to_owned())
            .collect();
        (rule.activation, globs.join(" "))
    };
    let cursor = |name: &str| rule(&format!(".cursor/rules/{name}.mdc"));
    let none = String::new;
    assert_eq!(cursor("always"), (Activation::Always, none()));
    assert_eq!(
        cursor("auto"),
        (Activation::Auto, "*.tsx src/{a,b}/**".to_owned())
    );
    assert_eq!(cursor("list"), (Activation::Auto, "**/*.py".to_owned()));
    assert_eq!(cursor("manual"), (Activation::Manual, none()));
    assert_eq!(cursor("deep/er/requested"), (Activation::Requested, none()));
    assert_eq!(
        rule(".github/copilot-instructions.md"),
        (Activation::Always, none())
    );
    assert_eq!(
        rule(".github/instructions/ts.instructions.md"),
        (Activation::Auto, "**/*.ts **/*.tsx".to_owned())
    );
    assert_eq!(
        rule(".github/instructions/all.instructions.md").0,
        Activation::Always
    );
    assert_eq!(rule("rules/team.md"), (Activation::Always, none()));
    assert_eq!(playbook.rule("rules/team.md").unwrap().title, "Our rules");
}
