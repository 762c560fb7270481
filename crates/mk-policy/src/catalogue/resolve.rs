//! From a slug to its [`Mode`]: the file that decides, what it takes over from others, and its limits compiled.

use globset::GlobBuilder;
use mk_types::{AbsPath, ModeSlug};
use serde_json::{Map, Value};

use super::{Entry, Layer};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::evaluate::{Decision, Policy, evaluate};
use crate::mode::{CommandLimit, FileLimit, Grant, Limit, Mode};
use crate::mode_file::{GroupFile, ModeFile};
use crate::node::{At, Node};
use crate::pattern::{Pattern, PatternError};

/// Deeper chains of `extends` are mistakes.
const DEEPEST: usize = 16;

/// The mode of that slug, with warnings; or why it cannot be had.
pub(super) fn resolve(
    slug: &ModeSlug,
    layers: &[Layer],
    policy: &Policy,
) -> Result<(Mode, Vec<Diagnostic>), Vec<Diagnostic>> {
    let Some((layer, Entry::Mode(file))) = find(slug, layers, 0) else {
        // What is wrong with it was said when the file was read.
        return Err(Vec::new());
    };
    let mut out = Diagnostics::new(&layers[layer].file);
    out.enter_mode(Some(slug.as_str()));
    let mut chain = vec![file];
    let mut base_layer = layer;
    let mut current = file;
    while let Some(base) = &current.extends {
        let start = if base.value == current.slug.value {
            base_layer + 1
        } else {
            0
        };
        match find(&base.value, layers, start) {
            Some((found, Entry::Mode(parent))) if chain.len() < DEEPEST => {
                if chain.iter().any(|seen| std::ptr::eq(*seen, parent)) {
                    out.error(
                        base.position,
                        format!("`extends: {}` leads back to this mode", base.value),
                    );
                    return Err(out.into_found());
                }
                chain.push(parent);
                base_layer = found;
                current = parent;
            }
            Some((_, Entry::Mode(_))) => {
                out.error(base.position, "the chain of `extends` is too long");
                return Err(out.into_found());
            }
            Some((_, Entry::Broken)) => {
                out.error(
                    base.position,
                    format!(
                        "`extends: {}` names a mode that is itself broken",
                        base.value
                    ),
                );
                return Err(out.into_found());
            }
            None => {
                out.error(
                    base.position,
                    format!("`extends: {}` names a mode that does not exist", base.value),
                );
                return Err(out.into_found());
            }
        }
    }
    let mode = assemble(&chain, &layers[layer], &mut out);
    check_examples(&mode, file, policy, &mut out);
    if out.errors() > 0 {
        Err(out.into_found())
    } else {
        Ok((mode, out.into_found()))
    }
}

fn find<'a>(slug: &ModeSlug, layers: &'a [Layer], start: usize) -> Option<(usize, Entry<'a>)> {
    layers
        .iter()
        .enumerate()
        .skip(start)
        .find_map(|(layer_idx, layer)| Some((layer_idx, layer.get(slug)?)))
}

/// Takes each field from the first of the chain that has it.
fn assemble(chain: &[&ModeFile], layer: &Layer, out: &mut Diagnostics) -> Mode {
    let text = |field: fn(&ModeFile) -> &Option<At<String>>| {
        chain
            .iter()
            .find_map(|file| field(file).as_ref())
            .map(|text| text.value.clone())
    };
    let own = chain[0];
    let groups = chain
        .iter()
        .find_map(|file| file.groups.as_deref())
        .unwrap_or_default();
    let filtered = chain
        .iter()
        .find(|file| file.mcp != crate::mode_file::McpFilter::default());
    Mode {
        slug: own.slug.value.clone(),
        name: text(|file| &file.name).unwrap_or_else(|| own.slug.value.to_string()),
        source: layer.source,
        file: layer.file.clone(),
        description: text(|file| &file.description),
        when_to_use: text(|file| &file.when_to_use),
        role_definition: text(|file| &file.role_definition).unwrap_or_default(),
        custom_instructions: text(|file| &file.custom_instructions),
        grants: groups.iter().map(|group| compile(group, out)).collect(),
        mcp: filtered.map(|file| file.mcp.clone()).unwrap_or_default(),
        switch_to: chain.iter().find_map(|file| file.switch_to.clone()),
        // A hidden base is often hidden because it is only a base.
        hidden: own.hidden.unwrap_or(false),
        model: chain.iter().find_map(|file| file.model.clone()),
        auto_approve: chain.iter().find_map(|file| file.auto_approve),
        rules_files: chain
            .iter()
            .rev()
            .flat_map(|file| file.rules_files.iter().cloned())
            .collect(),
        unknown: own
            .unknown
            .iter()
            .map(|(key, value)| (key.value.clone(), to_json(&value.value)))
            .collect(),
    }
}

fn compile(entry: &GroupFile, out: &mut Diagnostics) -> Grant {
    let options = &entry.options;
    let mut limit =
        |pattern: &Option<At<String>>| pattern.as_ref().map(|pattern| compile_limit(pattern, out));
    let regex = limit(&options.file_regex);
    let commands = CommandLimit {
        allow: limit(&options.command_regex),
        deny: limit(&options.command_deny),
    };
    let mut globs = Vec::new();
    for glob in &options.globs {
        match GlobBuilder::new(&glob.value)
            .literal_separator(true)
            .build()
        {
            Ok(compiled) => globs.push(compiled.compile_matcher()),
            Err(error) => {
                out.error(
                    glob.position,
                    format!("`{}` is not a glob: {}", glob.value, error.kind()),
                );
            }
        }
    }
    let position = options
        .file_regex
        .as_ref()
        .or(options.globs.first())
        .map_or(entry.group.position, |at| at.position);
    Grant {
        group: entry.group.value,
        files: FileLimit {
            regex,
            globs,
            position,
        },
        commands,
        mcp: options.mcp.clone(),
        description: options.description.clone(),
    }
}

fn compile_limit(pattern: &At<String>, out: &mut Diagnostics) -> Limit {
    match Pattern::parse(&pattern.value) {
        Ok(compiled) => Limit::Pattern(compiled),
        Err(error) => {
            let found = match &error {
                PatternError::NotJavaScript { .. } => {
                    out.error(pattern.position, error.to_string())
                }
                _ => out.warning(pattern.position, format!("{error}; it denies everything")),
            };
            found.hint = error.hint();
            Limit::Unusable {
                source: pattern.value.clone(),
            }
        }
    }
}

/// `examples` hold for the resolved mode. They name paths inside the project, so any root will do.
fn check_examples(mode: &Mode, file: &ModeFile, policy: &Policy, out: &mut Diagnostics) {
    let Some(root) = AbsPath::new(std::path::Path::new("/project")) else {
        return;
    };
    for example in &file.examples {
        let words = example.text.value.trim();
        let (tool, target) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        let target = Some(target.trim()).filter(|target| !target.is_empty());
        let request = policy.lexical(policy.tools.call_on(tool, target), &root);
        let evaluation = evaluate(policy, mode, &request);
        // A protected file is asked about, which is not a denial by the mode.
        let allowed = evaluation.decision < Decision::Deny;
        if allowed != example.allowed {
            let (meant, is) = if allowed {
                ("denied", "allowed")
            } else {
                ("allowed", "denied")
            };
            let message = format!(
                "example `{}` should be {meant}, it is {is}",
                example.text.value
            );
            let hint = evaluation.reason();
            out.error(example.text.position, message).hint = Some(hint);
        }
    }
}

fn to_json(node: &Node) -> Value {
    match node {
        Node::Null => Value::Null,
        Node::Bool(flag) => Value::Bool(*flag),
        Node::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Value::from(*number as i64)
        }
        Node::Number(number) => Value::from(*number),
        Node::Text(text) => Value::String(text.clone()),
        Node::List(items) => items.iter().map(|item| to_json(&item.value)).collect(),
        Node::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| (key.value.clone(), to_json(&value.value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
    }
}
