//! The system prompt of a mode: always the same bytes for the same files.
//!
//! Which rules files there are, and reading them, is mk-project's business.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::catalogue::Catalogue;
use crate::group::Group;
use crate::mode::Mode;

/// Text that applies to a mode, and the file it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesSection {
    pub title: String,
    pub text: String,
}

/// Bytes of the list of modes; a team with 200 of them would otherwise fill every prompt with them.
const LONGEST_LIST: usize = 8 * 1024;

/// Role, limits, modes, instructions, rules: in this order, because the role frames the rest and rules have the last word.
pub fn assemble_prompt(mode: &Mode, catalogue: &Catalogue, rules: &[RulesSection]) -> String {
    let mut prompt = String::new();
    prompt.push_str(mode.role_definition.trim());
    prompt.push_str("\n\n# What this mode may do\n\n");
    for line in group_lines(mode) {
        let _ = writeln!(prompt, "- {line}");
    }
    prompt.push_str(
        "\nA call outside these limits is refused. Switch modes, or say what you would need.\n",
    );
    prompt.push_str("\n# Modes\n\n");
    let reachable = |other: &&Arc<Mode>| other.slug == mode.slug || mode.may_switch_to(&other.slug);
    let mut n_left = 0;
    let begin = prompt.len();
    for other in catalogue.visible().filter(reachable) {
        let line = format!(
            "- {} ({}): {}\n",
            other.name,
            other.slug,
            when_to_use(other)
        );
        let fits = prompt.len() - begin + line.len() <= LONGEST_LIST;
        if n_left == 0 && (fits || other.slug == mode.slug) {
            prompt.push_str(&line);
        } else {
            n_left += 1;
        }
    }
    if n_left > 0 {
        let modes = if n_left == 1 { "mode" } else { "modes" };
        let _ = writeln!(prompt, "- {n_left} more {modes}: call `list_modes`");
    }
    if let Some(instructions) = mode
        .custom_instructions
        .as_deref()
        .map(str::trim)
        .filter(|it| !it.is_empty())
    {
        let _ = write!(prompt, "\n# Instructions for this mode\n\n{instructions}\n");
    }
    if !rules.is_empty() {
        prompt.push_str("\n# Rules\n");
        for RulesSection { title, text } in rules {
            let _ = write!(prompt, "\n## {title}\n\n{}\n", text.trim());
        }
    }
    prompt
}

/// One line a group, as people read them: `✓ edit (restricted to: \.md$)`, `✗ command (not available)`.
pub fn group_lines(mode: &Mode) -> Vec<String> {
    Group::ALL
        .into_iter()
        .map(
            |group| match (mode.enables(group), mode.restriction(group)) {
                (false, _) => format!("✗ {group} (not available)"),
                (true, Some(limit)) => format!("✓ {group} (restricted to: {limit})"),
                (true, None) => format!("✓ {group}"),
            },
        )
        .collect()
}

fn when_to_use(mode: &Mode) -> String {
    let text = mode.when_to_use.as_deref().or(mode.description.as_deref());
    let text = match text.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => text,
        // The first sentence of the role says best what a mode without description is for.
        None => mode
            .role_definition
            .trim()
            .split_inclusive(". ")
            .next()
            .unwrap_or_default(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
