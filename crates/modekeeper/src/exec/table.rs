//! `content/policy/build-dirs.yaml`: where builds go, what is not kept, what is dropped and hidden.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde::Deserialize;

const TABLE: &str = include_str!("../../../../content/policy/build-dirs.yaml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecTable {
    pub(super) redirects: Vec<Redirect>,
    pub(super) not_kept: Vec<String>,
    pub(super) drop: Vec<String>,
    pub(super) credentials: Vec<String>,
}

/// Variables that send a build elsewhere.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Redirect {
    /// Not needed where this may be edited.
    pub(super) instead_of: Option<String>,
    pub(super) set: BTreeMap<String, String>,
}

pub(super) fn read() -> anyhow::Result<ExecTable> {
    serde_saphyr::from_str(TABLE).context("build-dirs.yaml cannot be read")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_that_ships_is_readable() {
        let table = super::read().unwrap();
        assert!(table.drop.contains(&"SSH_AUTH_SOCK".to_owned()));
        assert!(table.redirects.iter().all(|row| !row.set.is_empty()));
    }
}
