//! The pages under `docs/` are true: their tables are run, their YAML is loaded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::fixture::{With, mode, policy, request};
use crate::{
    Catalogue, DecidingRule, GroupFile, ModeLayer, ModeSource, Severity, evaluate, load_modes,
};

const FEWEST_ROWS: usize = 15;

const RULES: [DecidingRule; 18] = [
    DecidingRule::UnknownTool,
    DecidingRule::AlwaysAvailable,
    DecidingRule::GroupDisabled,
    DecidingRule::OutsideProject,
    DecidingRule::IgnoredFile,
    DecidingRule::TargetUnknown,
    DecidingRule::FilePattern,
    DecidingRule::CommandPattern,
    DecidingRule::CommandDeny,
    DecidingRule::CommandWrite,
    DecidingRule::CommandRead,
    DecidingRule::CommandUnproven,
    DecidingRule::CommandTooLarge,
    DecidingRule::OperatorCommand,
    DecidingRule::Secret,
    DecidingRule::McpFilter,
    DecidingRule::ProtectedFile,
    DecidingRule::Group,
];

/// Runs every row of a page on the mode that the page is named after, and compares the groups it shows.
#[track_caller]
fn check(slug: &str, page: &str) {
    let (shown, shipped) = (groups_of(&blocks(page, "yaml")[0]), shipped_groups(slug));
    assert_eq!(shown, shipped, "the groups of {slug}");
    let mode = mode(slug);
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
    let (header, rows) = rows.split_at(2);
    assert_eq!(header[0], "| tool | target | verdict | rule |", "{slug}");
    assert!(rows.len() >= FEWEST_ROWS, "{slug} has {} rows", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [tool, target, verdict, rule] = cells.as_slice() else {
            panic!("{slug}: a row has four cells: {row}");
        };
        assert!(["allow", "ask", "deny"].contains(verdict), "{slug}: {row}");
        assert!(
            RULES.iter().any(|known| known.as_str() == *rule),
            "{slug}: {row}"
        );
        let with = match *target {
            "-" => With::Nothing,
            target => With::from(target.strip_prefix("$ ").unwrap_or(target)),
        };
        let evaluation = evaluate(policy(), &mode, &request(policy(), tool, &with));
        let found = (evaluation.decision.as_str(), evaluation.rule.as_str());
        assert_eq!(found, (*verdict, *rule), "{slug}: {row}");
    }
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// The fenced blocks of a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let starts = page.split(fence.as_str()).skip(1);
    starts
        .filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()))
        .collect()
}

/// A block with a whole file, or with the groups of one mode.
fn as_file(block: &str) -> String {
    if block.contains("customModes") {
        return block.to_owned();
    }
    let block = block.replace('\n', "\n    ");
    format!("customModes:\n  - slug: m\n    name: M\n    roleDefinition: R\n    {block}")
}

/// Groups and their options without positions.
fn groups_of(block: &str) -> Vec<String> {
    let loaded = load_modes("page", &as_file(block));
    assert_eq!(loaded.diagnostics, []);
    loaded.modes[0].groups.iter().flatten().map(show).collect()
}

fn shipped_groups(slug: &str) -> Vec<String> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../content/modes/{slug}.yaml"));
    groups_of(&fs::read_to_string(path).expect("a page is named after a shipped mode"))
}

fn show(entry: &GroupFile) -> String {
    let options = &entry.options;
    let regex = options.file_regex.as_ref().map(|regex| &regex.value);
    let others = (
        &options.command_regex,
        &options.command_deny,
        &options.globs,
        &options.mcp,
    );
    format!(
        "{} {regex:?} {:?} {others:?}",
        entry.group.value, options.description
    )
}

#[test]
fn every_row_of_every_page_holds() {
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(docs().join("policy")).expect("the pages") {
        let path = entry.expect("a page").path();
        let slug = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        pages.insert(slug, fs::read_to_string(&path).expect("a page"));
    }
    let shipped = Catalogue::build(Vec::new(), policy());
    for mode in shipped.modes() {
        assert!(
            pages.contains_key(mode.slug.as_str()),
            "no page about {}",
            mode.slug
        );
    }
    for (slug, page) in &pages {
        check(slug, page);
    }
}

#[test]
fn every_example_of_the_reference_loads() {
    let page = fs::read_to_string(docs().join("guides/mode-files.md")).expect("the reference");
    let examples = [blocks(&page, "yaml"), blocks(&page, "json")].concat();
    assert_eq!(examples.len(), 12, "an example was not found");
    for example in examples {
        let layer = ModeLayer {
            source: ModeSource::Project,
            file: "example".to_owned(),
            loaded: load_modes("example", &as_file(&example)),
        };
        let catalogue = Catalogue::build(vec![layer], policy());
        assert_eq!(catalogue.diagnostics(), [], "{example}");
        let own = catalogue
            .modes()
            .iter()
            .any(|mode| mode.source == ModeSource::Project);
        assert!(own, "{example}");
    }
}

#[test]
fn the_reference_names_every_rule() {
    let page = fs::read_to_string(docs().join("concepts/decisions.md")).expect("the reference");
    for rule in RULES {
        assert!(
            page.contains(&format!("`{}`", rule.as_str())),
            "{}",
            rule.as_str()
        );
    }
}

#[test]
fn the_shipped_modes_have_nothing_to_complain_about() {
    let shipped = Catalogue::build(Vec::new(), policy());
    let errors = shipped
        .diagnostics()
        .iter()
        .filter(|found| found.severity >= Severity::Warning);
    assert_eq!(errors.count(), 0, "{:?}", shipped.diagnostics());
}
