//! Which checks files and domains call for.

use mk_testkit::Fixture;

use crate::{ChecklistQuery, GeneratedChecklists, TriggerReason};

const DOMAIN: &str = r#"
//- /.codingbuddy/checklists/zebra.json
{"domain": "zebra", "icon": "Z", "categories": [
  {"name": "services", "triggers": {"files": ["**/{service,query}/**"]}, "items": [
    {"id": "z1", "text": "one", "priority": "low"},
    {"id": "z2", "text": "two", "priority": "critical", "reason": "r", "reference": "u"}]},
  {"name": "names", "triggers": {"files": ["**/*{stripe,hoof}*", "*.zeb", "docs/**/*.md"]}, "items": [
    {"id": "z3", "text": "three", "priority": "high"},
    {"id": "z1", "text": "again", "priority": "low"}]}]}
"#;

fn generate(domains: &[&str], files: &[&str]) -> GeneratedChecklists {
    let fixture = Fixture::new(DOMAIN);
    let own = |list: &[&str]| -> Vec<String> { list.iter().map(|it| (*it).to_owned()).collect() };
    let (domains, files) = (own(domains), own(files));
    super::playbook(&fixture).checklist(&ChecklistQuery {
        domains: &domains,
        files: &files,
    })
}

/// The categories of the fixture's domain that a file calls for, and the patterns.
#[track_caller]
fn check(file: &str, expected: &[&str]) {
    let generated = generate(&[], &[file]);
    let found: Vec<&str> = generated
        .matched_triggers
        .iter()
        .filter(|trigger| trigger.domain == "zebra")
        .inspect(|trigger| {
            assert_eq!(
                (trigger.reason, trigger.matched.as_str()),
                (TriggerReason::FilePattern, file)
            );
        })
        .map(|trigger| trigger.category.as_str())
        .collect();
    assert_eq!(found, expected, "{file}");
}

#[test]
fn folders_match_in_singular_and_plural_in_any_case() {
    check("src/service/a.x", &["services"]);
    check("src/services/a.x", &["services"]);
    check("Services/a.x", &["services"]);
    check("src/queries/", &["services"]);
    check("src/service.x", &["services"]);
    check("src/serviceable/a.x", &[]);
    check("src/microservice/a.x", &[]);
}

#[test]
fn names_match_at_any_depth_and_paths_from_the_root() {
    check("a/b/Stripes.x", &["names"]);
    check("a/b/c.zeb", &["names"]);
    check("docs/x/y.md", &["names"]);
    check("other/docs/x/y.md", &[]);
    check("a\\service\\b.zeb", &["services", "names"]);
}

#[test]
fn a_domain_brings_all_its_items_the_most_important_first() {
    let generated = generate(&["zebra", "nonsense"], &[]);
    assert_eq!(generated.unknown_domains, ["nonsense"]);
    let [checklist] = generated.checklists.as_slice() else {
        panic!("{generated:?}");
    };
    let ids: Vec<&str> = checklist
        .items
        .iter()
        .map(|item| item.id.as_str())
        .collect();
    assert_eq!(ids, ["z2", "z3", "z1"]);
    assert_eq!(
        (checklist.priority.as_str(), checklist.icon.as_deref()),
        ("critical", Some("Z"))
    );
    let summary = generated.summary;
    assert_eq!(
        (summary.total, summary.critical, summary.high, summary.low),
        (3, 1, 1, 1)
    );
    assert_eq!(
        generated.matched_triggers[0].reason,
        TriggerReason::Explicit
    );
}

#[test]
fn only_the_domains_that_were_asked_for_are_answered() {
    let files = &["src/auth/login.ts", "src/api/users.ts"];
    let generated = generate(&["security", "testing"], files);
    let domains: Vec<&str> = generated
        .checklists
        .iter()
        .map(|it| it.domain.as_str())
        .collect();
    let mut sorted = domains.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ["security", "testing"]);
    assert!(
        ["auth", "api"]
            .iter()
            .all(|it| generated.detected_patterns.contains(&(*it).to_owned())),
        "{:?}",
        generated.detected_patterns
    );
    assert!(generated.checklists.is_sorted_by_key(|it| it.priority));
}

#[test]
fn nothing_asked_is_nothing_to_check() {
    assert_eq!(generate(&[], &[]), GeneratedChecklists::default());
}
