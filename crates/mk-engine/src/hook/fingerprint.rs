//! A hash of what held a conversation when a decision was made, so that a record says under which policy it stood.

use mk_policy::{Limit, Mode};
use sha2::{Digest as _, Sha256};

use crate::conversation::Held;

/// Over the rights of every mode that counts; names and instructions decide nothing.
pub(super) fn of(held: &Held) -> String {
    let mut text = String::new();
    for mode in [&held.mode].into_iter().chain(&held.ceilings) {
        describe(mode, &mut text);
    }
    let hash = Sha256::digest(text.as_bytes());
    hash.iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn describe(mode: &Mode, text: &mut String) {
    let source = |limit: &Option<Limit>| limit.as_ref().map(|it| it.source().to_owned());
    text.push_str(&format!("{} {:?}\n", mode.slug, mode.mcp));
    for grant in &mode.grants {
        let globs: Vec<&str> = grant
            .files
            .globs
            .iter()
            .map(|it| it.glob().glob())
            .collect();
        text.push_str(&format!(
            "{:?} {:?} {globs:?} {:?} {:?} {:?}\n",
            grant.group,
            source(&grant.files.regex),
            source(&grant.commands.allow),
            source(&grant.commands.deny),
            grant.mcp
        ));
    }
}
