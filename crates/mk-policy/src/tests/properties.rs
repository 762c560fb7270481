//! What holds for every mode and every call.

use std::sync::Arc;

use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use mk_jsregex::Pattern;
use mk_types::ModeSlug;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::fixture::{With, policy, request};
use crate::protected::ProtectedFiles;
use crate::{
    CommandLimit, Decision, DocumentPosition, FileLimit, Grant, Group, McpFilter, Mode, ModeSource,
    PatternLimit, Policy, ToolTable, evaluate, evaluate_bounded, widens,
};

const FILES: [&str; 6] = [r"\.md$", "^docs/", "^src/", r"(a)\1", "^(?!vendor/)", "a"];
const GLOBS: [&str; 4] = ["docs/**", "**/*.rs", "*", "src/?.md"];
const ALLOWED: [&str; 4] = ["^cargo (test|check)", "^git", "^echo|^rm", r"\p{L}"];
const DENIED: [&str; 4] = ["push", "^rm", ">", "x"];
const SERVERS: [&str; 4] = ["github", "docs", "my server", "evil"];
const TOOLS: [&str; 3] = ["read", "github/read", "push"];

const PROTECTED: [&str; 4] = ["**", "docs/**", "**/*.md", "src/a"];

/// One entry of `groups`, so that it can be narrowed and built again.
#[derive(Debug, Clone)]
struct Entry {
    group: Group,
    file: Option<&'static str>,
    glob: Option<&'static str>,
    allow: Option<&'static str>,
    deny: Option<&'static str>,
    mcp: McpFilter,
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn filter() -> impl Strategy<Value = McpFilter> {
    let names = |all: &'static [&str]| prop::sample::subsequence(all, 0..=all.len());
    let rarely = prop::option::weighted(0.3, names(&SERVERS));
    let parts = (
        rarely,
        names(&SERVERS),
        prop::option::weighted(0.3, names(&TOOLS)),
        names(&TOOLS),
        any::<bool>(),
    );
    parts.prop_map(|(servers, not_servers, tools, not_tools, open)| {
        if open {
            return McpFilter::default();
        }
        McpFilter {
            allowed_servers: servers.as_deref().map(owned),
            blocked_servers: owned(&not_servers),
            allowed_tools: tools.as_deref().map(owned),
            blocked_tools: owned(&not_tools),
        }
    })
}

/// An entry with options that its group understands.
fn entry() -> impl Strategy<Value = Entry> {
    let maybe = |all: &'static [&'static str]| prop::option::of(select(all));
    let parts = (
        select(&Group::ALL[..]),
        maybe(&FILES),
        maybe(&GLOBS),
        maybe(&ALLOWED),
        maybe(&DENIED),
        filter(),
    );
    parts.prop_map(|(group, file, glob, allow, deny, mcp)| {
        let files = matches!(group, Group::Read | Group::Edit);
        let commands = group == Group::Command;
        Entry {
            group,
            file: file.filter(|_| files),
            glob: glob.filter(|_| files),
            allow: allow.filter(|_| commands),
            deny: deny.filter(|_| commands),
            mcp: if group == Group::Mcp {
                mcp
            } else {
                McpFilter::default()
            },
        }
    })
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    prop::collection::vec(entry(), 0..5)
}

fn limit(source: &str) -> PatternLimit {
    match Pattern::parse(source) {
        Ok(pattern) => PatternLimit::Pattern(pattern),
        Err(_) => PatternLimit::Unusable {
            source: source.to_owned(),
        },
    }
}

fn grant(entry: &Entry) -> Grant {
    let glob = |glob: &str| {
        let glob = mk_types::path_glob(glob);
        glob.expect("a glob").compile_matcher()
    };
    Grant {
        group: entry.group,
        files: FileLimit {
            regex: entry.file.map(limit),
            globs: entry.glob.map(glob).into_iter().collect(),
            position: DocumentPosition::START,
        },
        commands: CommandLimit {
            allow: entry.allow.map(limit),
            deny: entry.deny.map(limit),
        },
        mcp: entry.mcp.clone(),
        description: None,
    }
}

fn build(entries: &[Entry], mcp: &McpFilter) -> Mode {
    Mode {
        slug: ModeSlug::parse("m").expect("a slug"),
        name: "M".to_owned(),
        source: ModeSource::Project,
        file: "f".to_owned(),
        description: None,
        when_to_use: None,
        role_definition: "R".to_owned(),
        custom_instructions: None,
        grants: entries.iter().map(|entry| Arc::new(grant(entry))).collect(),
        mcp: mcp.clone(),
        switch_to: None,
        hidden: false,
        model: None,
        auto_approve: None,
        rules_files: Vec::new(),
        unknown: serde_json::Map::new(),
        held_back: None,
    }
}

/// Path strings, honest and otherwise.
fn path() -> impl Strategy<Value = String> {
    const STARTS: [&str; 12] = [
        "",
        "",
        "",
        "",
        "./",
        "/",
        "/app/",
        "\\",
        "\\\\srv\\",
        "C:\\",
        "c:",
        "../app/",
    ];
    const PARTS: [&str; 20] = [
        "docs",
        "src",
        "a",
        "x.md",
        "y.rs",
        "vendor",
        "..",
        "..",
        ".",
        "",
        "...",
        "ä",
        "日本",
        "\0",
        "~",
        "C:",
        ".roo",
        "AGENTS.md",
        "..\u{200b}",
        "%2e%2e",
    ];
    let part = (select(&PARTS[..]), select(&["/", "/", "\\", "//"][..]));
    let parts = prop::collection::vec(part, 0..7);
    (select(&STARTS[..]), parts).prop_map(|(start, parts)| {
        let body: String = parts
            .into_iter()
            .flat_map(|(part, separator)| [part, separator])
            .collect();
        format!("{start}{}", body.trim_end_matches('/'))
    })
}

/// No builds: a mode that may edit what one runs leaves it unproven, and a narrower one does not.
fn line() -> impl Strategy<Value = String> {
    const COMMANDS: [&str; 12] = [
        "ls src",
        "cargo metadata --no-deps",
        "git status",
        "git push",
        "git pu\"sh\"",
        "echo a",
        "rm a",
        "rm -rf .roo",
        "$x",
        "eval y",
        "sudo rm docs/x.md",
        "cat src/a",
    ];
    const JOINTS: [&str; 6] = [" && ", "; ", " | ", " > docs/x.md; ", " > src/y.rs; ", "\n"];
    let piece = (select(&COMMANDS[..]), select(&JOINTS[..]));
    (prop::collection::vec(piece, 0..3), select(&COMMANDS[..])).prop_map(|(pieces, last)| {
        let body: String = pieces
            .into_iter()
            .flat_map(|(command, joint)| [command, joint])
            .collect();
        body + last
    })
}

fn call() -> impl Strategy<Value = (&'static str, With)> {
    let file_tools = [
        "read_file",
        "search_files",
        "write_to_file",
        "apply_diff",
        "delete_file",
    ];
    let files =
        (select(file_tools.to_vec()), path()).prop_map(|(tool, path)| (tool, With::Target(path)));
    let several = prop::collection::vec(path(), 0..4).prop_map(|paths| {
        let files: Vec<_> = paths
            .into_iter()
            .map(|path| json!({ "path": path }))
            .collect();
        (
            "apply_diff",
            With::Arguments(json!({"args": {"file": files}})),
        )
    });
    let commands = line().prop_map(|line| ("bash", With::Target(line)));
    let tools = (select(&SERVERS[..]), select(vec!["read", "push", "write"]))
        .prop_map(|(server, tool)| ("use_mcp_tool", With::Target(format!("{server}/{tool}"))));
    let bare = select(vec![
        "mcp__github__read",
        "mcp__my_server__read",
        "mcp_a_b_c",
        "browser_action",
        "task",
        "switch_mode",
        "nonsense",
        "write_to_file",
        "codebase_search",
        "execute_command",
    ])
    .prop_map(|tool| (tool, With::Nothing));
    prop_oneof![4 => files, 2 => several, 3 => commands, 2 => tools, 2 => bare]
}

fn decide(mode: &Mode, (tool, with): &(&str, With)) -> Decision {
    evaluate(policy(), mode, &request(policy(), tool, with)).decision
}

/// The shipped policy with one more protected glob.
fn guarded(glob_idx: usize) -> &'static Policy {
    static POLICIES: [OnceLock<Policy>; PROTECTED.len()] =
        [const { OnceLock::new() }; PROTECTED.len()];
    POLICIES[glob_idx].get_or_init(|| {
        let shipped = include_str!("../../../../content/policy/protected.yaml").trim_end();
        let glob = PROTECTED[glob_idx];
        let list = format!("{shipped}\n  - {{glob: '{glob}', reason: a test}}\n");
        Policy {
            tools: ToolTable::foreign(),
            protected: ProtectedFiles::read(&list).expect("a list"),
            ..Policy::shipped()
        }
    })
}

/// Whether the system would look outside of `/app` for this path, where both slashes separate.
fn escapes(text: &str) -> bool {
    let slashed = text.replace('\\', "/");
    let drive = slashed.as_bytes().get(1) == Some(&b':');
    let mut real = PathBuf::new();
    for component in Path::new("/app").join(&slashed).components() {
        match component {
            Component::ParentDir => {
                real.pop();
            }
            component => real.push(component),
        }
    }
    drive || slashed.contains('\0') || !real.starts_with("/app")
}

/// The property holds for this case.
#[track_caller]
fn check(holds: bool, context: &dyn std::fmt::Debug) -> Result<(), TestCaseError> {
    prop_assert!(holds, "{context:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn no_path_that_escapes_is_ever_allowed(entries in entries(), path in path(), tool in select(vec!["read_file", "write_to_file", "delete_file"])) {
        let mut open = entries.clone();
        open.extend([Group::Read, Group::Edit].map(|group| Entry { group, file: None, glob: None, allow: None, deny: None, mcp: McpFilter::default() }));
        for entries in [entries, open] {
            let decision = decide(&build(&entries, &McpFilter::default()), &(tool, With::Target(path.clone())));
            check(!escapes(&path) || decision == Decision::Deny, &(&entries, &path, decision))?;
        }
    }

    #[test]
    fn taking_a_grant_away_never_allows_more(entries in entries(), mcp in filter(), call in call(), taken in any::<prop::sample::Index>()) {
        prop_assume!(!entries.is_empty());
        let mut fewer = entries.clone();
        fewer.remove(taken.index(entries.len()));
        let (before, after) = (decide(&build(&entries, &mcp), &call), decide(&build(&fewer, &mcp), &call));
        check(before <= after, &(&entries, &call, before, after))?;
    }

    #[test]
    fn one_more_option_never_allows_more(entries in entries(), extra in entry(), mcp in filter(), call in call()) {
        let narrow = |entry: &Entry| {
            let mut narrowed = entry.clone();
            if entry.group == extra.group {
                narrowed.file = entry.file.or(extra.file);
                narrowed.glob = entry.glob.or(extra.glob);
                narrowed.allow = entry.allow.or(extra.allow);
                narrowed.deny = entry.deny.or(extra.deny);
                narrowed.mcp.blocked_servers.extend(extra.mcp.blocked_servers.clone());
                narrowed.mcp.blocked_tools.extend(extra.mcp.blocked_tools.clone());
                narrowed.mcp.allowed_servers = entry.mcp.allowed_servers.clone().or(extra.mcp.allowed_servers.clone());
                narrowed.mcp.allowed_tools = entry.mcp.allowed_tools.clone().or(extra.mcp.allowed_tools.clone());
            }
            narrowed
        };
        let narrowed: Vec<Entry> = entries.iter().map(narrow).collect();
        let (before, after) = (decide(&build(&entries, &mcp), &call), decide(&build(&narrowed, &mcp), &call));
        check(before <= after, &(&entries, &narrowed, &call, before, after))?;
    }

    #[test]
    fn a_bound_never_allows_more_than_either_mode(own in entries(), bound in entries(), call in call()) {
        let (own, bound) = (build(&own, &McpFilter::default()), build(&bound, &McpFilter::default()));
        let request = request(policy(), call.0, &call.1);
        let both = evaluate_bounded(policy(), &own, Some(&bound), &request).decision;
        let strictest = decide(&own, &call).max(decide(&bound, &call));
        check(both == strictest, &(&own, &bound, &call, both))?;
    }

    #[test]
    fn one_more_protected_or_ignored_file_never_allows_more(entries in entries(), call in call(), glob in 0..PROTECTED.len()) {
        let mode = build(&entries, &McpFilter::default());
        let before = decide(&mode, &call);
        let guarded = guarded(glob);
        let mut request = request(guarded, call.0, &call.1);
        let after = evaluate(guarded, &mode, &request).decision;
        check(before <= after, &(&entries, &call, glob, before, after))?;
        for target in &mut request.targets {
            target.ignored = true;
        }
        let ignored = evaluate(guarded, &mode, &request).decision;
        check(after <= ignored, &(&entries, &call, after, ignored))?;
    }

    #[test]
    fn several_grants_allow_what_one_of_them_allows(entries in entries(), group in select(&Group::ALL[..]), call in call()) {
        // Calls with one target; those with several may need several grants.
        let single = !matches!(&call.1, With::Arguments(_)) && !matches!(&call.1, With::Target(line) if call.0 == "bash" && line.contains(['&', ';', '|', '\n', '>']));
        let same: Vec<Entry> = entries.into_iter().map(|entry| Entry { group, ..entry }).collect();
        prop_assume!(single && !same.is_empty());
        // Commands that write need the edit group, which is then no part of the question.
        let edit = Entry { group: Group::Edit, file: None, glob: None, allow: None, deny: None, mcp: McpFilter::default() };
        let with_edit = |entries: &[Entry]| {
            let mut entries = entries.to_vec();
            entries.extend((group == Group::Command).then(|| edit.clone()));
            build(&entries, &McpFilter::default())
        };
        let together = decide(&with_edit(&same), &call);
        let best = same.iter().map(|entry| decide(&with_edit(std::slice::from_ref(entry)), &call)).min();
        check(Some(together) == best, &(&same, &call, together, best))?;
    }

    #[test]
    fn the_same_question_has_the_same_answer(entries in entries(), mcp in filter(), call in call()) {
        let request = request(policy(), call.0, &call.1);
        let first = evaluate(policy(), &build(&entries, &mcp), &request);
        check(first == evaluate(policy(), &build(&entries, &mcp), &request), &first)?;
    }

    #[test]
    fn a_change_that_does_not_widen_allows_nothing_new(from in entries(), kept in any::<u8>(), mcp in filter(), call in call()) {
        // What is left of a mode after taking entries away is often no wider; anything else seldom is.
        let to: Vec<Entry> = from.iter().enumerate().filter(|(entry_idx, _)| kept >> entry_idx & 1 == 1).map(|(_, entry)| entry.clone()).collect();
        let (from, to) = (build(&from, &mcp), build(&to, &mcp));
        check(widens(&from, &to) || decide(&from, &call) <= decide(&to, &call), &(&from, &to, &call))?;
        check(widens(&to, &from) || decide(&to, &call) <= decide(&from, &call), &(&from, &to, &call))?;
    }
}
