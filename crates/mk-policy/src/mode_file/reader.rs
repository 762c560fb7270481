//! From a spanned tree to [`ModeFile`]s: every problem of a mode is reported, and one broken mode leaves the others alone.

use mk_document::{DocumentNode, DocumentPosition, DocumentReport, Located};
use mk_types::ModeSlug;

use super::group_reader::{read_groups, read_mcp_filter};
use super::value::{flag, optional_text, positioned_texts, slug_value, text, texts};
use super::{AutoApprove, ExampleFile, LegibleFile, LoadedFile, McpFilter, ModeFile, meant};

pub(super) fn read_document(
    root: &Located<DocumentNode>,
    loaded: &mut LoadedFile,
    out: &mut DocumentReport,
) -> LegibleFile {
    let items = match (&root.value, root.value.get("customModes")) {
        (
            _,
            Some(Located {
                value: DocumentNode::List(items),
                ..
            }),
        ) => items,
        (
            _,
            Some(Located {
                value: DocumentNode::Null,
                ..
            }),
        ) => {
            // What a file that is cut off behind its first line says, too.
            out.error(root.position, "`customModes` has no list")
                .hint("write `customModes: []` if there are no modes");
            return LegibleFile::NotAll;
        }
        (_, Some(other)) => {
            out.error(
                other.position,
                format!("`customModes` is {}, not a list", other.value.kind()),
            );
            return LegibleFile::NotAll;
        }
        (DocumentNode::List(_), None) => {
            out.error(
                root.position,
                "the file is a list, not a map with `customModes`",
            )
            .hint("put `customModes:` before the list and indent it");
            return LegibleFile::NotAll;
        }
        // An empty file is what an editor leaves for a moment while it saves.
        (DocumentNode::Null, None) => {
            out.warning(DocumentPosition::START, "the file is empty");
            return LegibleFile::Empty;
        }
        _ => {
            out.error(root.position, "there is no `customModes` list")
                .hint("put modes in a list under `customModes:`");
            return LegibleFile::NotAll;
        }
    };
    read_items(items, loaded, out)
}

/// Reads the items of the list. One that does not name its slug, or is cut off there, may be about any mode.
pub(super) fn read_items(
    items: &[Located<DocumentNode>],
    loaded: &mut LoadedFile,
    out: &mut DocumentReport,
) -> LegibleFile {
    let mut legible = LegibleFile::Whole;
    for item in items {
        let slug = read_slug(item);
        out.enter("mode", slug.as_ref().ok().map(|slug| slug.value.as_str()));
        let errors = out.errors();
        let mode = read_mode(item, &slug, out);
        match (mode, slug) {
            (_, Ok(slug)) if is_defined(loaded, &slug.value) => {
                out.error(
                    slug.position,
                    "the slug is defined twice in this file; the first one counts",
                );
            }
            (Some(mode), Ok(_)) if out.errors() == errors => loaded.modes.push(mode),
            (_, Ok(slug)) => {
                if is_only_a_name(item) {
                    legible = LegibleFile::NotAll;
                }
                loaded.broken.push(slug.value);
            }
            (_, Err(_)) if is_nameless(item) => legible = LegibleFile::NotAll,
            (_, Err(_)) => {}
        }
        out.enter("mode", None);
    }
    legible
}

/// Whether it cannot be told which mode is meant.
fn is_nameless(item: &Located<DocumentNode>) -> bool {
    let slug = item.value.get("slug").map(|slug| &slug.value);
    !matches!(slug, Some(DocumentNode::Text(text)) if !text.is_empty())
}

/// Whether the file may be cut off in the name.
fn is_only_a_name(item: &Located<DocumentNode>) -> bool {
    matches!(&item.value, DocumentNode::Map(entries) if entries.len() == 1)
}

/// A broken definition counts too: a second, perhaps wider one must not stand in for it.
fn is_defined(loaded: &LoadedFile, slug: &ModeSlug) -> bool {
    loaded.modes.iter().any(|mode| mode.slug.value == *slug) || loaded.broken.contains(slug)
}

fn read_slug(
    item: &Located<DocumentNode>,
) -> Result<Located<ModeSlug>, (DocumentPosition, String, Option<String>)> {
    match item.value.get("slug") {
        None => Err((item.position, "`slug` is missing".to_owned(), None)),
        Some(Located {
            value: DocumentNode::Text(text),
            position,
        }) if text.is_empty() => Err((*position, "`slug` is empty".to_owned(), None)),
        Some(Located {
            value: DocumentNode::Text(text),
            position,
        }) => match ModeSlug::parse(text) {
            Ok(slug) => Ok(Located {
                value: slug,
                position: *position,
            }),
            Err(error) => {
                let tidy: String = text
                    .to_lowercase()
                    .chars()
                    .map(|letter| {
                        if letter.is_ascii_alphanumeric() {
                            letter
                        } else {
                            '-'
                        }
                    })
                    .collect();
                let tidy = tidy.trim_matches('-').to_owned();
                let hint = (!tidy.is_empty()).then(|| format!("write `{tidy}`"));
                Err((*position, error.to_string(), hint))
            }
        },
        Some(other) => Err((
            other.position,
            format!("`slug` is {}, not text", other.value.kind()),
            None,
        )),
    }
}

type Slug = Result<Located<ModeSlug>, (DocumentPosition, String, Option<String>)>;

fn read_mode(
    item: &Located<DocumentNode>,
    slug: &Slug,
    out: &mut DocumentReport,
) -> Option<ModeFile> {
    let DocumentNode::Map(entries) = &item.value else {
        out.error(
            item.position,
            format!("a mode is a map, this is {}", item.value.kind()),
        );
        return None;
    };
    let slug = match slug {
        Ok(slug) => Some(slug.clone()),
        Err((position, message, hint)) => {
            out.error(*position, message.clone()).hint = hint.clone();
            None
        }
    };
    let mut mode = ModeFile {
        // Only returned when the slug is good; until then a stand-in lets the rest be checked too.
        slug: slug.clone().unwrap_or_else(|| Located {
            value: stand_in(),
            position: item.position,
        }),
        name: None,
        role_definition: None,
        when_to_use: None,
        description: None,
        custom_instructions: None,
        groups: None,
        extends: None,
        hidden: None,
        switch_to: None,
        mcp: McpFilter::default(),
        model: None,
        auto_approve: None,
        examples: Vec::new(),
        rules_files: Vec::new(),
        unknown: Vec::new(),
    };
    for (key, value) in entries {
        read_key(&mut mode, key, value, out);
    }
    check_required(&mode, item.position, out);
    slug.map(|_| mode)
}

#[expect(clippy::expect_used, reason = "a constant that the slug tests cover")]
fn stand_in() -> ModeSlug {
    ModeSlug::parse("unnamed").expect("a valid slug")
}

fn read_key(
    mode: &mut ModeFile,
    key: &Located<String>,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) {
    match key.value.as_str() {
        "slug" => {}
        "name" => mode.name = text(key, value, out),
        "roleDefinition" => mode.role_definition = text(key, value, out),
        "whenToUse" => mode.when_to_use = optional_text(key, value, out),
        "description" => mode.description = optional_text(key, value, out),
        "customInstructions" => mode.custom_instructions = optional_text(key, value, out),
        "groups" => mode.groups = read_groups(value, out),
        "source" => check_source(value, out),
        "extends" => mode.extends = slug_value(key, value, out),
        "hidden" => mode.hidden = flag(key, value, out),
        "switchTo" => mode.switch_to = Some(texts(key, value, out)),
        "allowedMcpServers" | "blockedMcpServers" => {
            read_mcp_filter(&mut mode.mcp, key, value, out);
        }
        "model" => mode.model = text(key, value, out).map(|model| model.value),
        "autoApprove" => mode.auto_approve = read_auto_approve(value, out),
        "examples" => mode.examples = read_examples(value, out),
        "rulesFiles" => mode.rules_files = read_rules_files(value, out),
        "network" => keep_choice(mode, key, value, &["off", "own", "on"], out),
        "git" => keep_choice(mode, key, value, &["local", "none"], out),
        "fileRegex" => {
            out.warning(key.position, "`fileRegex` has no effect next to `groups`")
                .hint("write it into the group: `- [edit, { fileRegex: … }]`");
            mode.unknown.push((key.clone(), value.clone()));
        }
        _ => {
            check_unknown(key, out);
            mode.unknown.push((key.clone(), value.clone()));
        }
    }
}

/// A key that is almost one of ours would silently be without effect.
fn check_unknown(key: &Located<String>, out: &mut DocumentReport) {
    const LIMITS: [&str; 7] = [
        "groups",
        "extends",
        "allowedMcpServers",
        "blockedMcpServers",
        "switchTo",
        "autoApprove",
        "network",
    ];
    const OTHERS: [&str; 10] = [
        "slug",
        "name",
        "roleDefinition",
        "whenToUse",
        "description",
        "customInstructions",
        "hidden",
        "model",
        "examples",
        "rulesFiles",
    ];
    let message = format!("`{}` is not a key of a mode", key.value);
    if let Some(known) = meant(&key.value, &LIMITS) {
        out.error(key.position, message)
            .hint(format!("write `{known}`"));
    } else if let Some(known) = meant(&key.value, &OTHERS) {
        out.warning(key.position, message)
            .hint(format!("write `{known}`"));
    }
}

/// A mode that extends another one may leave out what it takes over.
fn check_required(mode: &ModeFile, position: DocumentPosition, out: &mut DocumentReport) {
    let required = [
        ("name", &mode.name),
        ("roleDefinition", &mode.role_definition),
    ];
    for (key, value) in required {
        match value {
            Some(text) if text.value.trim().is_empty() => {
                out.error(text.position, format!("`{key}` is empty"));
            }
            None if mode.extends.is_none() => {
                out.error(position, format!("`{key}` is missing"));
            }
            _ => {}
        }
    }
    if mode.groups.is_none() && mode.extends.is_none() {
        out.error(position, "`groups` is missing")
            .hint("a mode without tools says so: `groups: []`");
    }
}

fn check_source(value: &Located<DocumentNode>, out: &mut DocumentReport) {
    let known = matches!(&value.value, DocumentNode::Text(text) if matches!(text.as_str(), "global" | "project" | "organization"));
    if !known {
        out.warning(
            value.position,
            "`source` is decided by where the file is; this value is ignored",
        );
    }
}

/// A key that the wall reads from the mode's further keys; another value would silently be the default.
fn keep_choice(
    mode: &mut ModeFile,
    key: &Located<String>,
    value: &Located<DocumentNode>,
    choices: &[&str],
    out: &mut DocumentReport,
) {
    let is_known =
        matches!(&value.value, DocumentNode::Text(text) if choices.contains(&text.as_str()));
    if !is_known {
        let choices = choices.join(", ");
        out.error(
            value.position,
            format!("`{}` is one of {choices}", key.value),
        );
    }
    mode.unknown.push((key.clone(), value.clone()));
}

fn read_auto_approve(
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Option<AutoApprove> {
    let choice = match &value.value {
        DocumentNode::Text(text) => match text.as_str() {
            "none" => Some(AutoApprove::None),
            "read" => Some(AutoApprove::Read),
            "all" => Some(AutoApprove::All),
            _ => None,
        },
        _ => None,
    };
    if choice.is_none() {
        out.error(value.position, "`autoApprove` is one of none, read, all");
    }
    choice
}

fn read_examples(value: &Located<DocumentNode>, out: &mut DocumentReport) -> Vec<ExampleFile> {
    let DocumentNode::Map(entries) = &value.value else {
        out.error(
            value.position,
            "`examples` is a map with `allow` and `deny`",
        );
        return Vec::new();
    };
    let mut examples = Vec::new();
    for (key, value) in entries {
        let allowed = match key.value.as_str() {
            "allow" => true,
            "deny" => false,
            other => {
                out.error(
                    key.position,
                    format!("`examples` has `allow` and `deny`, not `{other}`"),
                );
                continue;
            }
        };
        let texts = positioned_texts(key, value, out);
        examples.extend(texts.into_iter().map(|text| ExampleFile { text, allowed }));
    }
    examples
}

fn read_rules_files(
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Vec<(String, String)> {
    let DocumentNode::List(items) = &value.value else {
        out.warning(
            value.position,
            "`rulesFiles` is a list of `relativePath` and `content`",
        );
        return Vec::new();
    };
    let mut files = Vec::new();
    for item in items {
        let field = |name: &str| match item.value.get(name).map(|field| &field.value) {
            Some(DocumentNode::Text(text)) => Some(text.clone()),
            _ => None,
        };
        match (field("relativePath"), field("content")) {
            (Some(path), Some(content)) => files.push((path, content)),
            _ => {
                out.warning(
                    item.position,
                    "an entry of `rulesFiles` has `relativePath` and `content`",
                );
            }
        }
    }
    files
}
