//! `content/policy/build-dirs.yaml`: where builds go, what is not kept, what is dropped and hidden. And what a mode says
//! about the network; both are the same on every system.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use mk_engine::CommandLimits;
use mk_policy::NetworkReach;
use mk_wall::Network;
use serde::Deserialize;

use crate::env::Env;

const TABLE: &str = include_str!("build_dirs.json");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BuildDirs {
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) not_kept: Vec<String>,
    pub(crate) drop: Vec<String>,
    pub(crate) credentials: Vec<String>,
}

/// Variables that send a build elsewhere.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Redirect {
    /// Not needed where this may be edited.
    pub(crate) instead_of: Option<String>,
    pub(crate) set: BTreeMap<String, String>,
}

pub(crate) fn read() -> anyhow::Result<BuildDirs> {
    serde_json::from_str(TABLE).context("build-dirs.yaml cannot be read")
}

/// Where keys and passwords are, of what is there.
pub(crate) fn credentials(table: &BuildDirs, env: &Env) -> Vec<PathBuf> {
    let usual = env.home.iter().flat_map(|home| {
        let names = table.credentials.iter();
        names.map(move |name| home.join(name))
    });
    let named = usual.chain(env.password_file.clone());
    // Most are not there; following every link on the way would take longer to find that out.
    let there = named.filter(|path| path.symlink_metadata().is_ok());
    there.filter_map(|path| path.canonicalize().ok()).collect()
}

/// What the modes that hold a command say about the network, in the wall's words.
pub(crate) fn network(limits: &CommandLimits) -> Network {
    match limits.network() {
        NetworkReach::Off => Network::Off,
        NetworkReach::Own => Network::Own,
        NetworkReach::On => Network::On,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_that_ships_is_readable() {
        let table = super::read().unwrap();
        assert!(table.drop.contains(&"SSH_AUTH_SOCK".to_owned()));
    }

    #[test]
    fn what_no_line_may_name_no_command_reads() {
        let table = super::read().unwrap();
        let secrets = include_str!("../../../content/policy/secrets.yaml");
        let names = secrets
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- glob: \"**/"));
        let names: Vec<&str> = names
            .map(|name| name.trim_end_matches('"').trim_end_matches("/**"))
            // The state directory is hidden wherever it is, and macOS has another wall.
            .filter(|name| !name.starts_with("Library/") && !name.ends_with("state/modekeeper"))
            .collect();
        assert!(names.len() > 20);
        for name in names {
            let start = name.trim_end_matches('*');
            let is_hidden = table.credentials.iter().any(|it| it.starts_with(start));
            assert!(is_hidden, "{name}");
        }
        assert!(table.redirects.iter().all(|row| !row.set.is_empty()));
    }
}
