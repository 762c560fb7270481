//! From a slug to its [`Mode`]: the file that decides, what it takes over from others, and its limits compiled.

use std::sync::Arc;

use mk_document::{Diagnostic, DocumentReport, Located, to_json};
use mk_jsregex::Pattern;
use mk_types::{AbsPath, ModeSlug};

use super::{CatalogueEntry, ModeLayer};
use crate::evaluate::{Decision, Policy, evaluate};
use crate::mode::{CommandLimit, FileLimit, Grant, Mode, PatternLimit};
use crate::mode_file::{GroupFile, McpFilter, ModeFile};

/// Deeper chains of `extends` are mistakes.
const DEEPEST: usize = 16;

/// The mode of that slug, with warnings; or why it cannot be had.
pub(super) fn resolve(
    slug: &ModeSlug,
    layers: &[ModeLayer],
    policy: &Policy,
) -> Result<(Mode, Vec<Diagnostic>), Vec<Diagnostic>> {
    let Some((layer, CatalogueEntry::Mode(file))) = find(slug, layers, 0) else {
        // What is wrong with it was said when the file was read.
        return Err(Vec::new());
    };
    let mut out = DocumentReport::new(&layers[layer].file);
    out.enter("mode", Some(slug.as_str()));
    let mut chain = vec![ExtendsLink { layer, file }];
    if let (Err(broken), Some(base)) = (follow(&mut chain, layers), &file.extends) {
        let base_slug = &base.value;
        let message = match broken {
            BrokenExtends::Missing if chain.len() == 1 => {
                format!("`extends: {base_slug}` names a mode that does not exist")
            }
            BrokenExtends::Loop => format!("`extends: {base_slug}` leads back to this mode"),
            BrokenExtends::TooLong => "the chain of `extends` is too long".to_owned(),
            // The base has the same trouble and says what it is.
            BrokenExtends::Missing | BrokenExtends::Base => broken_base(base_slug),
        };
        out.error(base.position, message);
        return Err(out.into_found());
    }
    let groups = chain.iter().find_map(|link| link.file.groups.as_deref());
    let grants = groups.unwrap_or_default().iter();
    let grants = grants.map(|entry| Arc::new(compile(entry))).collect();
    let mut mode = assemble(&chain, &layers[layer], grants);
    let weakest = chain.iter().map(|link| link.layer).max().unwrap_or(layer);
    let mut stronger = layers.iter().take(weakest);
    if let Some(obscure) = stronger.find(|layer| layer.is_obscure()) {
        mode.hold_to_reading(&obscure.file);
    } else {
        check_examples(&mode, file, policy, &mut out);
    }
    if out.errors() > 0 {
        Err(out.into_found())
    } else {
        Ok((mode, out.into_found()))
    }
}

/// One mode of a chain of `extends`, and the layer it is in.
struct ExtendsLink<'a> {
    layer: usize,
    file: &'a ModeFile,
}

/// Why a chain of `extends` does not end in a mode.
enum BrokenExtends {
    Missing,
    Base,
    /// It comes back to where it began.
    Loop,
    TooLong,
}

/// Adds every mode that the last of the chain takes over from.
fn follow<'a>(
    chain: &mut Vec<ExtendsLink<'a>>,
    layers: &'a [ModeLayer],
) -> Result<(), BrokenExtends> {
    while let Some(ExtendsLink { layer, file }) = chain.last()
        && let Some(base) = &file.extends
    {
        // Its own slug means the next weaker mode of that name.
        let start = if base.value == file.slug.value {
            layer + 1
        } else {
            0
        };
        let Some((layer, entry)) = find(&base.value, layers, start) else {
            return Err(BrokenExtends::Missing);
        };
        let CatalogueEntry::Mode(file) = entry else {
            return Err(BrokenExtends::Base);
        };
        match chain.iter().position(|link| std::ptr::eq(link.file, file)) {
            Some(0) => return Err(BrokenExtends::Loop),
            Some(_) => return Err(BrokenExtends::Base),
            None if chain.len() == DEEPEST => return Err(BrokenExtends::TooLong),
            None => chain.push(ExtendsLink { layer, file }),
        }
    }
    Ok(())
}

fn broken_base(base: &ModeSlug) -> String {
    format!("`extends: {base}` names a mode that is itself broken")
}

/// The first layer that names a slug. What a file that cannot be read as a whole fails to say is looked for further on;
/// there it can only be read-only.
fn find<'a>(
    slug: &ModeSlug,
    layers: &'a [ModeLayer],
    start: usize,
) -> Option<(usize, CatalogueEntry<'a>)> {
    let mut named = layers
        .iter()
        .enumerate()
        .skip(start)
        .filter_map(|(layer_idx, layer)| Some((layer_idx, layer.get(slug)?)));
    let first = named.next()?;
    if matches!(first.1, CatalogueEntry::Broken) && layers[first.0].is_obscure() {
        return Some(named.next().unwrap_or(first));
    }
    Some(first)
}

/// Takes each field from the first of the chain that has it.
fn assemble(chain: &[ExtendsLink<'_>], layer: &ModeLayer, grants: Vec<Arc<Grant>>) -> Mode {
    let files = || chain.iter().map(|link| link.file);
    let text = |field: fn(&ModeFile) -> &Option<Located<String>>| {
        files()
            .find_map(|file| field(file).as_ref())
            .map(|text| text.value.clone())
    };
    let own = chain[0].file;
    Mode {
        slug: own.slug.value.clone(),
        name: text(|file| &file.name).unwrap_or_else(|| own.slug.value.to_string()),
        source: layer.source,
        file: layer.file.clone(),
        description: text(|file| &file.description),
        when_to_use: text(|file| &file.when_to_use),
        role_definition: text(|file| &file.role_definition).unwrap_or_default(),
        custom_instructions: text(|file| &file.custom_instructions),
        grants,
        // Each list on its own: a mode that blocks one server more keeps the list of those it may use.
        mcp: McpFilter {
            allowed_servers: files().find_map(|file| file.mcp.allowed_servers.clone()),
            blocked_servers: files()
                .map(|file| &file.mcp.blocked_servers)
                .find(|list| !list.is_empty())
                .cloned()
                .unwrap_or_default(),
            ..McpFilter::default()
        },
        switch_to: files().find_map(|file| file.switch_to.clone()),
        // A hidden base is often hidden because it is only a base.
        hidden: own.hidden.unwrap_or(false),
        model: files().find_map(|file| file.model.clone()),
        auto_approve: files().find_map(|file| file.auto_approve),
        rules_files: files()
            .rev()
            .flat_map(|file| file.rules_files.iter().cloned())
            .collect(),
        unknown: own
            .unknown
            .iter()
            .map(|(key, value)| (key.value.clone(), to_json(&value.value)))
            .collect(),
        held_back: None,
    }
}

/// What is wrong with a limit was said when its file was read; here it only has to deny.
fn compile(entry: &GroupFile) -> Grant {
    let options = &entry.options;
    let limit = |pattern: &Option<Located<String>>| pattern.as_ref().map(compile_limit);
    let mut globs = Vec::new();
    let mut regex = limit(&options.file_regex);
    for glob in &options.globs {
        match mk_types::path_glob(&glob.value) {
            Ok(built) => globs.push(built.compile_matcher()),
            // Left out, it would leave no limit where it is the only one.
            Err(_) => regex = Some(unusable(glob)),
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
        commands: CommandLimit {
            allow: limit(&options.command_regex),
            deny: limit(&options.command_deny),
        },
        mcp: options.mcp.clone(),
        description: options.description.clone(),
    }
}

fn compile_limit(pattern: &Located<String>) -> PatternLimit {
    match Pattern::parse(&pattern.value) {
        Ok(compiled) => PatternLimit::Pattern(compiled),
        Err(_) => unusable(pattern),
    }
}

fn unusable(pattern: &Located<String>) -> PatternLimit {
    PatternLimit::Unusable {
        source: pattern.value.clone(),
    }
}

/// `examples` hold for the resolved mode. They name paths inside the project, so any root will do.
fn check_examples(mode: &Mode, file: &ModeFile, policy: &Policy, out: &mut DocumentReport) {
    let Some(root) = AbsPath::new(std::path::Path::new("/project")) else {
        return;
    };
    for example in &file.examples {
        let words = example.text.value.trim();
        let (tool, target) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        let target = Some(target.trim()).filter(|target| !target.is_empty());
        if policy.tools.group_of(tool).is_none() {
            out.error(
                example.text.position,
                format!("example `{words}` names an unknown tool"),
            );
            continue;
        }
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
