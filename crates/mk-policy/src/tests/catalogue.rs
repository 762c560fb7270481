//! Which file decides about a mode, and what modes take over from each other.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use insta::assert_snapshot;

use crate::{Catalogue, Group, Mode, ModeLayer, ModeSource, Policy, load_modes};

const BUILTIN: [&str; 5] = ["code", "architect", "ask", "debug", "orchestrator"];

/// Files, strongest first, each after a line `//- project/name` or `//- global/name`. The answer has the order of all
/// modes, then the custom ones, then what is wrong, and who is not there because of it.
#[track_caller]
fn check(fixture: &str) -> String {
    let catalogue = Catalogue::build(layers(fixture), &Policy::shipped());
    let order: Vec<&str> = catalogue
        .modes()
        .iter()
        .map(|mode| mode.slug.as_str())
        .collect();
    let mut shown = format!("{}\n", order.join(" "));
    let custom = |mode: &&Arc<Mode>| mode.source != ModeSource::Builtin;
    for mode in catalogue.modes().iter().filter(custom) {
        let _ = writeln!(shown, "{}", line_of(&catalogue, mode));
    }
    for found in catalogue.diagnostics() {
        let _ = writeln!(shown, "{found}");
    }
    for slug in missing(&catalogue, fixture) {
        let why = catalogue
            .why_broken(slug)
            .expect("who is missing is explained");
        let _ = writeln!(shown, "without {slug}: {}:{}", why.file, why.position.line);
    }
    shown
}

fn layers(fixture: &str) -> Vec<ModeLayer> {
    let layer = |part: &str| {
        let (file, text) = part.split_once('\n').expect("a file has a first line");
        let source = match file.split_once('/').expect("a file stands in a folder").0 {
            "project" => ModeSource::Project,
            "global" => ModeSource::Global,
            other => panic!("no source {other}"),
        };
        ModeLayer {
            source,
            file: file.to_owned(),
            loaded: load_modes(file, text),
        }
    };
    fixture.split("//- ").skip(1).map(layer).collect()
}

#[track_caller]
fn line_of(catalogue: &Catalogue, mode: &Mode) -> String {
    let slug = &mode.slug;
    assert!(
        catalogue.get(slug.as_str()).is_some() && catalogue.why_broken(slug.as_str()).is_none()
    );
    let groups: Vec<String> = mode
        .groups()
        .into_iter()
        .map(|group| match mode.restriction(group) {
            Some(limit) => format!("{group} [{limit}]"),
            None => group.to_string(),
        })
        .collect();
    let visible = catalogue.visible().any(|shown| shown.slug == *slug);
    let hidden = if visible { "" } else { " (hidden)" };
    let (source, name, groups) = (mode.source.as_str(), &mode.name, groups.join(", "));
    format!("{slug} «{name}» {source}{hidden}: [{groups}]")
}

/// The slugs that the fixture or the product names and the catalogue does not have, each once.
fn missing<'a>(catalogue: &Catalogue, fixture: &'a str) -> Vec<&'a str> {
    let named = fixture.lines().filter_map(|line| line.split_once("slug: "));
    let named = named.filter_map(|(_, rest)| rest.split([',', '}']).next());
    let mut missing = Vec::new();
    for slug in BUILTIN.into_iter().chain(named) {
        if catalogue.get(slug).is_none() && !missing.contains(&slug) {
            missing.push(slug);
        }
    }
    missing
}

#[test]
fn the_builtin_modes_have_an_order() {
    assert_snapshot!(check(""), @"code architect ask debug orchestrator");
}

/// They ship as JSON, which `cargo xtask codegen` writes.
#[test]
fn the_builtin_modes_are_those_of_content() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../content/modes");
    let policy = Policy::shipped();
    let shipped = Catalogue::build(Vec::new(), &policy);
    assert!(
        shipped.diagnostics().is_empty(),
        "{:?}",
        shipped.diagnostics()
    );
    assert_eq!(
        shipped.modes().len(),
        std::fs::read_dir(&folder).unwrap().count()
    );
    for mode in shipped.modes() {
        let text = std::fs::read_to_string(folder.join(format!("{}.yaml", mode.slug))).unwrap();
        let file = format!("builtin/{}.yaml", mode.slug);
        let layer = ModeLayer {
            source: ModeSource::Builtin,
            loaded: load_modes(&file, &text),
            file,
        };
        let written = Catalogue::of_file(layer, &policy);
        assert_eq!(
            without_positions(written.modes()),
            without_positions(&[Arc::clone(mode)])
        );
    }
}

fn without_positions(modes: &[Arc<Mode>]) -> String {
    let text = format!("{modes:?}");
    let mut parts = text.split("DocumentPosition {");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('}').expect("a position ends").1
    })
}

#[test]
fn custom_modes_follow_in_the_order_of_their_files() {
    assert_snapshot!(check("
//- project/a
customModes:
  - {slug: z, name: Z, roleDefinition: R, groups: []}
  - {slug: b, name: B, roleDefinition: R, groups: []}
//- global/a
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: []}
"), @"
    code architect ask debug orchestrator z b a
    z «Z» project: []
    b «B» project: []
    a «A» global: []
    ");
}

#[test]
fn the_first_file_that_names_a_slug_decides() {
    assert_snapshot!(check("
//- project/a
customModes:
  - {slug: a, name: Strong, roleDefinition: R, groups: [read]}
//- project/b
customModes:
  - {slug: a, name: Weaker, roleDefinition: R, groups: [edit]}
//- global/a
customModes:
  - {slug: a, name: Weakest, roleDefinition: R, groups: [command]}
  - {slug: b, name: Other, roleDefinition: R, groups: []}
"), @"
    code architect ask debug orchestrator a b
    a «Strong» project: [read]
    b «Other» global: []
    ");
}

#[test]
fn a_custom_mode_takes_a_builtins_place() {
    assert_snapshot!(check("
//- global/a
customModes:
  - {slug: x, name: X, roleDefinition: R, groups: []}
  - {slug: ask, name: Mine, roleDefinition: R, groups: [read]}
"), @"
    code architect ask debug orchestrator x
    ask «Mine» global: [read]
    x «X» global: []
    ");
}

#[test]
fn a_hidden_mode_is_there_but_not_shown() {
    assert_snapshot!(check("
//- project/a
customModes:
  - {slug: base, name: Base, roleDefinition: R, groups: [read], hidden: true}
  - {slug: orchestrator, extends: orchestrator, hidden: true}
"), @"
    code architect ask debug orchestrator base
    orchestrator «🪃 Orchestrator» project (hidden): [modes]
    base «Base» project (hidden): [read]
    ");
}

#[test]
fn a_base_passes_on_everything_but_that_it_is_hidden() {
    assert_snapshot!(check(r"
//- project/a
customModes:
  - {slug: base, name: Base, roleDefinition: R, groups: [[edit, {fileRegex: '\.md$'}]], hidden: true}
  - {slug: derived, extends: base}
  - {slug: named, extends: base, name: Named, groups: [read]}
"), @r"
    code architect ask debug orchestrator base derived named
    base «Base» project (hidden): [edit [\.md$]]
    derived «Base» project: [edit [\.md$]]
    named «Named» project: [read]
    ");
}

#[test]
fn its_own_slug_means_the_next_weaker_mode() {
    assert_snapshot!(check("
//- project/a
customModes:
  - {slug: architect, extends: architect, name: Project}
//- global/a
customModes:
  - {slug: architect, extends: architect, groups: [read]}
"), @"
    code architect ask debug orchestrator
    architect «Project» project: [read]
    ");
}

#[test]
fn a_base_may_stand_in_a_weaker_or_a_stronger_file() {
    assert_snapshot!(check("
//- project/a
customModes:
  - {slug: a, extends: b}
  - {slug: c, name: C, roleDefinition: R, groups: [command]}
//- global/a
customModes:
  - {slug: b, extends: c, name: B}
"), @"
    code architect ask debug orchestrator a c b
    a «B» project: [command]
    c «C» project: [command]
    b «B» global: [command]
    ");
}

#[test]
fn lists_of_mcp_servers_are_taken_over_one_by_one() {
    assert_snapshot!(check("
//- project/a
customModes:
  - {slug: base, name: Base, roleDefinition: R, groups: [mcp], allowedMcpServers: [github, docs]}
  - {slug: derived, extends: base, blockedMcpServers: [github]}
  - {slug: wider, extends: base, allowedMcpServers: [github, docs, jira]}
"), @"
    code architect ask debug orchestrator base derived wider
    base «Base» project: [mcp [servers github, docs]]
    derived «Base» project: [mcp [servers github, docs; not servers github]]
    wider «Base» project: [mcp [servers github, docs, jira]]
    ");
}

#[test]
fn a_loop_of_bases_is_refused() {
    assert_snapshot!(check("
//- project/a
customModes:
  - {slug: a, extends: b}
  - {slug: c, extends: c}
  - {slug: d, extends: a}
//- global/a
customModes:
  - {slug: b, extends: a}
"), @"
    code architect ask debug orchestrator
    global/a:2:24: error: mode `b`: `extends: a` leads back to this mode
    project/a:2:24: error: mode `a`: `extends: b` leads back to this mode
    project/a:3:24: error: mode `c`: `extends: c` names a mode that does not exist
    project/a:4:24: error: mode `d`: `extends: a` names a mode that is itself broken
    without a: project/a:2
    without c: project/a:3
    without d: project/a:4
    without b: global/a:2
    ");
}

#[test]
fn a_chain_may_be_long_but_not_endless() {
    let mut fixture = "//- project/a\ncustomModes:\n".to_owned();
    for mode in 0..18 {
        let _ = writeln!(fixture, "  - {{slug: m{mode}, extends: m{}}}", mode + 1);
    }
    fixture.push_str("  - {slug: m18, extends: code, hidden: true}\n");
    let shown = check(&fixture);
    let errors: Vec<&str> = shown
        .lines()
        .filter(|line| line.contains("error"))
        .collect();
    assert_snapshot!(errors.join("\n"), @"
    project/a:2:25: error: mode `m0`: the chain of `extends` is too long
    project/a:3:25: error: mode `m1`: the chain of `extends` is too long
    project/a:4:25: error: mode `m2`: the chain of `extends` is too long
    project/a:5:25: error: mode `m3`: the chain of `extends` is too long
    ");
}

#[test]
fn a_base_that_is_not_there_is_named() {
    assert_snapshot!(check("
//- project/a
customModes:
  - {slug: a, extends: nobody}
"), @"
    code architect ask debug orchestrator
    project/a:2:24: error: mode `a`: `extends: nobody` names a mode that does not exist
    without a: project/a:2
    ");
}

#[test]
fn a_broken_base_breaks_what_builds_on_it() {
    assert_snapshot!(check("
//- project/a
customModes:
  - {slug: a, extends: base}
  - {slug: b, extends: base, groups: []}
  - {slug: c, extends: patterns}
  - {slug: d, extends: patterns, groups: []}
//- global/g
customModes:
  - {slug: base, name: Base, roleDefinition: R, groups: [[edit, {fileRegex: '('}]]}
  - {slug: patterns, name: P, roleDefinition: R, groups: [[edit, {fileRegex: '('}]]}
"), @"
    code architect ask debug orchestrator
    global/g:2:77: error: mode `base`: `(` is not a JavaScript regular expression: Unbalanced parenthesis
    global/g:3:78: error: mode `patterns`: `(` is not a JavaScript regular expression: Unbalanced parenthesis
    project/a:2:24: error: mode `a`: `extends: base` names a mode that is itself broken
    project/a:3:24: error: mode `b`: `extends: base` names a mode that is itself broken
    project/a:4:24: error: mode `c`: `extends: patterns` names a mode that is itself broken
    project/a:5:24: error: mode `d`: `extends: patterns` names a mode that is itself broken
    without a: project/a:2
    without b: project/a:3
    without c: project/a:4
    without d: project/a:5
    without base: global/g:2
    without patterns: global/g:3
    ");
}

#[test]
fn a_limit_that_is_taken_over_is_reported_once_and_where_it_stands() {
    assert_snapshot!(check(r"
//- project/a
customModes:
  - {slug: a, extends: base}
//- global/g
customModes:
  - {slug: base, name: Base, roleDefinition: R, groups: [[edit, {fileRegex: '(a)\1'}]]}
"), @r"
    code architect ask debug orchestrator a base
    a «Base» project: [edit [(a)\1]]
    base «Base» global: [edit [(a)\1]]
    global/g:2:77: warning: mode `base`: `(a)\1` uses a backreference at character 5, which is not supported; it matches no file, so this entry allows none
    ");
}

#[test]
fn a_broken_override_hides_the_builtin() {
    assert_snapshot!(check("
//- project/a
customModes:
  - {slug: code, name: Narrow, roleDefinition: R, groups: [[edit, {fileRegex: '*.md'}]]}
  - {slug: ask, name: Narrow, groups: []}
"), @"
    architect debug orchestrator
    project/a:2:79: error: mode `code`: `*.md` is not a JavaScript regular expression: Invalid atom character
    project/a:3:5: error: mode `ask`: `roleDefinition` is missing
    without code: project/a:2
    without ask: project/a:3
    ");
}

#[test]
fn the_deciding_file_explains_why_a_mode_is_not_there() {
    assert_snapshot!(check("
//- project/z
customModes:
  - {slug: a, name: A, groups: []}
//- global/a
customModes:
  - {slug: a, roleDefinition: R, groups: []}
"), @"
    code architect ask debug orchestrator
    global/a:2:5: error: mode `a`: `name` is missing
    project/z:2:5: error: mode `a`: `roleDefinition` is missing
    without a: project/z:2
    ");
}

#[test]
fn examples_are_checked_against_what_was_taken_over() {
    assert_snapshot!(check(r"
//- project/a
customModes:
  - {slug: a, extends: architect, examples: {allow: write_to_file a.md, deny: write_to_file a.rs}}
  - {slug: b, extends: architect, groups: [edit], examples: {deny: write_to_file a.rs}}
  - {slug: c, extends: b, examples: {allow: execute_command ls}}
"), @r"
    code architect ask debug orchestrator a
    a «🏗️ Architect» project: [read, browser, mcp, modes, edit [\.md$]]
    project/a:3:68: error: mode `b`: example `write_to_file a.rs` should be denied, it is allowed
    project/a:4:45: error: mode `c`: example `execute_command ls` should be allowed, it is denied
    without b: project/a:3
    without c: project/a:4
    ");
}

#[test]
fn an_unreadable_file_leaves_the_others() {
    assert_snapshot!(check("
//- project/a
customModes: [
//- global/a
customModes:
  - {slug: a, name: A, roleDefinition: R, groups: []}
"), @"
    code architect ask debug orchestrator a
    a «A» global: []
    project/a:1:1: warning: parts of this file cannot be read and may limit any mode: until it is fixed, builtin and global modes can only read
    project/a:1:14: error: unclosed bracket '['
    ");
}

#[test]
fn a_file_that_cannot_be_read_leaves_builtins_that_only_read() {
    let text = "customModes:\n  - slug: code\n    name: Narrow\n    roleDefinition: [oops\n  - slug: docs\n";
    let layer = ModeLayer {
        source: ModeSource::Project,
        file: ".roomodes".to_owned(),
        loaded: load_modes(".roomodes", text),
    };
    let catalogue = Catalogue::build(vec![layer], &Policy::shipped());
    for mode in catalogue.modes() {
        assert_eq!(mode.source, ModeSource::Builtin);
        let groups = mode.groups();
        let only_reads = groups.iter().all(|group| *group == Group::Read);
        assert!(only_reads, "{}: {groups:?}", mode.slug);
    }
    assert!(catalogue.get("code").is_some());
    assert!(catalogue.get("docs").is_none());
    let why = catalogue
        .why_broken("docs")
        .map(|found| found.position.line);
    assert!(why.is_some_and(|line| line >= 4), "{why:?}");
}
