//! `modekeeper playbook show`

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use mk_engine::{PlaybookResourceInfo, ProjectWatching};

use crate::cli::{block_on, engine, operator};
use crate::config::Config;
use crate::output::print;

/// Print a rule, agent, skill or checklist
#[derive(Debug, Args)]
pub(crate) struct PlaybookShowArgs {
    /// Path, as `playbook list` shows it, or the name in it: skills/systematic-debugging/SKILL.md or systematic-debugging
    name: String,
}

pub(crate) fn run(args: &PlaybookShowArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let (engine, operator) = (engine(config, ProjectWatching::Off), operator(config));
    let playbook = || engine.project(&operator).playbook();
    let known = block_on(playbook().resources())??;
    let fitting: Vec<&str> = match known.iter().find(|info| info.path == args.name) {
        Some(exact) => vec![&exact.path],
        None => known
            .iter()
            .filter(|info| is_called(info, &args.name))
            .map(|info| info.path.as_str())
            .collect(),
    };
    let path = match fitting[..] {
        [path] => path.to_owned(),
        [] => bail!(
            "nothing in the playbook is called `{}`; `modekeeper playbook list` shows what there is",
            args.name
        ),
        _ => bail!(
            "`{}` is ambiguous: it could be {}",
            args.name,
            fitting.join(", ")
        ),
    };
    let Some(found) = block_on(playbook().resource(path.clone()))?? else {
        bail!("`{path}` cannot be read");
    };
    let Some(text) = found.text() else {
        bail!("`{path}` is not text");
    };
    print(&format!("{}\n", text.trim_end_matches('\n')))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a part of the path, without its extension, is the name.
fn is_called(info: &PlaybookResourceInfo, name: &str) -> bool {
    let parts = info.path.split('/');
    let mut parts = parts.map(|part| part.rsplit_once('.').map_or(part, |(stem, _)| stem));
    parts.any(|part| part == name)
}
