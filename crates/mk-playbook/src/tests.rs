//! What a playbook makes of files, as a caller sees it.

mod checklist;
mod config;
mod content;
mod developer;
mod file_type;
mod format;
mod layer;
mod paste;
mod prompt;
mod recommend;
mod routing;
mod rules_for_files;
mod search;
mod suggest;
mod teams;

use mk_testkit::Fixture;

use crate::{Playbook, Sources};

/// The playbook of a fixture as project, without anything of a user.
fn playbook(fixture: &Fixture) -> Playbook {
    Playbook::open(Sources {
        project: Some(fixture.root().clone()),
        ..Sources::default()
    })
}

/// What everybody has.
fn shipped() -> Playbook {
    Playbook::open(Sources::default())
}

/// What is wrong, one line each.
fn problems(playbook: &Playbook) -> Vec<String> {
    playbook
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect()
}
