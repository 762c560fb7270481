//! The `groups` of a mode: names, restricted pairs, and the options that narrow them.

use mk_document::{DocumentNode, DocumentPosition, DocumentReport, Located};
use mk_jsregex::{Pattern, PatternError};

use super::value::{optional_text, positioned_texts, text};
use super::{GroupFile, GroupOptions, McpFilter, meant};
use crate::group::Group;

const OPTIONS: [&str; 9] = [
    "fileRegex",
    "glob",
    "commandRegex",
    "commandDeny",
    "allowedMcpServers",
    "blockedMcpServers",
    "allowedTools",
    "blockedTools",
    "description",
];

pub(super) fn read_groups(
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Option<Vec<GroupFile>> {
    let DocumentNode::List(items) = &value.value else {
        out.error(
            value.position,
            format!("`groups` is {}, not a list", value.value.kind()),
        );
        // Present but unusable is not the same as missing: one complaint is enough.
        return Some(Vec::new());
    };
    Some(
        items
            .iter()
            .filter_map(|item| read_group(item, out))
            .collect(),
    )
}

fn read_group(item: &Located<DocumentNode>, out: &mut DocumentReport) -> Option<GroupFile> {
    match &item.value {
        DocumentNode::Text(name) => {
            let group = group_named(name, item.position, out)?;
            Some(GroupFile {
                group,
                options: GroupOptions::default(),
            })
        }
        DocumentNode::List(parts) => match parts.as_slice() {
            [
                Located {
                    value: DocumentNode::Text(name),
                    position,
                },
                options,
            ] => {
                let group = group_named(name, *position, out)?;
                let options = read_options(group.value, options, out)?;
                Some(GroupFile { group, options })
            }
            [_, _] => {
                out.error(
                    item.position,
                    "a restricted group starts with the group's name",
                );
                None
            }
            _ => {
                out.error(
                    item.position,
                    format!("a restricted group has 2 parts, this has {}", parts.len()),
                )
                .hint("write `[edit, { fileRegex: … }]`, one entry per pattern");
                None
            }
        },
        other => {
            out.error(
                item.position,
                format!(
                    "a group is a name or `[name, {{…}}]`, this is {}",
                    other.kind()
                ),
            );
            None
        }
    }
}

fn group_named(
    name: &str,
    position: DocumentPosition,
    out: &mut DocumentReport,
) -> Option<Located<Group>> {
    let group = Group::parse(name);
    if group.is_none() {
        let known = Group::ALL.map(Group::as_str).join(", ");
        let hint = match name {
            "terminal" | "shell" | "execute" | "bash" => {
                "the group for commands is `command`".to_owned()
            }
            "write" => "the group for changes is `edit`".to_owned(),
            name => match Group::parse(&name.to_lowercase()) {
                Some(group) => format!("write `{group}`"),
                None => format!("groups are {known}"),
            },
        };
        // Groups of other products and of tomorrow grant nothing here; the rest of the mode is as good as before.
        out.warning(position, format!("there is no group `{name}`"))
            .hint(hint);
    }
    group.map(|value| Located { value, position })
}

fn read_options(
    group: Group,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Option<GroupOptions> {
    let DocumentNode::Map(entries) = &value.value else {
        out.error(
            value.position,
            format!(
                "the options of a group are a map, this is {}",
                value.value.kind()
            ),
        );
        return None;
    };
    let mut options = GroupOptions::default();
    let mut unknown = None;
    for (key, value) in entries {
        if !groups_with(&key.value).contains(&group) {
            out.warning(
                key.position,
                format!("`{}` has no effect on group `{group}`", key.value),
            );
            continue;
        }
        if read_option(&mut options, key, value, out) == IsOption::Yes {
            continue;
        }
        let message = format!("`{}` is not an option of a group", key.value);
        match meant_option(&key.value) {
            // What was meant to narrow would otherwise leave the group wide open.
            Some(option) => out
                .error(key.position, message)
                .hint(format!("write `{option}`")),
            None => {
                unknown.get_or_insert((key.position, message));
            }
        }
    }
    match unknown {
        Some((position, message)) if options.limits_nothing() => {
            let fitting = OPTIONS.iter().filter(|it| groups_with(it).contains(&group));
            let fitting: Vec<&str> = fitting.copied().collect();
            out.error(position, message).hint(format!(
                "options of `{group}` are {}; without any, the whole group is allowed",
                fitting.join(", ")
            ));
        }
        Some((position, message)) => {
            out.warning(position, message);
        }
        None => {}
    }
    Some(options)
}

/// The groups that an option can limit.
fn groups_with(option: &str) -> &'static [Group] {
    match option {
        "fileRegex" | "glob" => &[Group::Edit, Group::Read],
        "commandRegex" | "commandDeny" => &[Group::Command],
        "allowedMcpServers" | "blockedMcpServers" | "allowedTools" | "blockedTools" => {
            &[Group::Mcp]
        }
        _ => &Group::ALL,
    }
}

#[derive(PartialEq, Eq)]
enum IsOption {
    Yes,
    No,
}

fn read_option(
    options: &mut GroupOptions,
    key: &Located<String>,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> IsOption {
    match key.value.as_str() {
        // An empty pattern matches everything and has always meant «no restriction».
        "fileRegex" => {
            let effect = "it matches no file, so this entry allows none";
            options.file_regex = pattern(key, value, effect, out);
        }
        "commandRegex" => {
            let effect = "it matches no command, so this entry allows none";
            options.command_regex = pattern(key, value, effect, out);
        }
        "commandDeny" => {
            let effect = "it counts as a match, so this entry allows no command";
            options.command_deny = pattern(key, value, effect, out);
        }
        "glob" => options.globs = globs(key, value, out),
        "description" => {
            options.description = optional_text(key, value, out).map(|it| it.value);
        }
        "allowedMcpServers" | "blockedMcpServers" | "allowedTools" | "blockedTools" => {
            read_mcp_filter(&mut options.mcp, key, value, out);
        }
        _ => return IsOption::No,
    }
    IsOption::Yes
}

pub(super) fn read_mcp_filter(
    filter: &mut McpFilter,
    key: &Located<String>,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) {
    let names = positioned_texts(key, value, out);
    for name in names.iter().filter(|name| name.value.contains('*')) {
        out.error(
            name.position,
            format!("`{}`: names are compared as a whole, and `*` is not a wildcard", name.value),
        )
        .hint("for all tools of a server, name the server in `allowedMcpServers` or `blockedMcpServers`");
    }
    let names = names.into_iter().map(|name| name.value).collect();
    match key.value.as_str() {
        "allowedMcpServers" => filter.allowed_servers = Some(names),
        "blockedMcpServers" => filter.blocked_servers = names,
        "allowedTools" => filter.allowed_tools = Some(names),
        _ => filter.blocked_tools = names,
    }
}

/// A pattern, complained about here so that every problem of a broken mode is told, not only the first.
/// `effect` is what becomes of the entry when the pattern cannot be run.
fn pattern(
    key: &Located<String>,
    value: &Located<DocumentNode>,
    effect: &str,
    out: &mut DocumentReport,
) -> Option<Located<String>> {
    let pattern = text(key, value, out).filter(|pattern| !pattern.value.is_empty())?;
    if let Err(error) = Pattern::parse(&pattern.value) {
        let found = match &error {
            PatternError::NotJavaScript { .. } => out.error(pattern.position, error.to_string()),
            _ => out.warning(pattern.position, format!("{error}; {effect}")),
        };
        found.hint = error.hint();
    }
    Some(pattern)
}

fn globs(
    key: &Located<String>,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Vec<Located<String>> {
    let globs = positioned_texts(key, value, out);
    // No glob at all would leave the group wide open.
    if matches!(&value.value, DocumentNode::List(items) if items.is_empty()) {
        out.error(value.position, "`glob` is an empty list").hint(
            "leave the group out to deny every file, or leave `glob` out to allow every file",
        );
    }
    for glob in &globs {
        if let Err(error) = mk_types::path_glob(&glob.value) {
            let message = format!("`{}` is not a glob: {error}", glob.value);
            out.error(glob.position, message);
        }
    }
    globs
}

fn meant_option(key: &str) -> Option<&'static str> {
    match key {
        "regex" | "pattern" | "filePattern" | "fileRegexp" => Some("fileRegex"),
        "commandRegexp" | "commandPattern" => Some("commandRegex"),
        "fileGlob" => Some("glob"),
        key => meant(key, &OPTIONS),
    }
}
