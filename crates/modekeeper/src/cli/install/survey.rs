//! Which products are on this machine, in which version.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use mk_clients::ClientId;

use super::process::{self, ProgramCall};

/// A product that is here.
#[derive(Debug)]
pub(crate) struct FoundClient {
    pub(crate) client: ClientId,
    /// The program that starts it; `None` for one that only left traces in the home.
    pub(crate) program: Option<PathBuf>,
    /// As it says itself; `None` where it was not asked or did not say.
    pub(crate) version: Option<String>,
}

/// How long a product may take to say its version: those in Node need seconds on a busy machine, all at once.
const PATIENCE: Duration = Duration::from_secs(30);

impl FoundClient {
    /// `Claude Code 2.1.325`
    pub(crate) fn title(&self) -> String {
        let name = self.client.atlas().name;
        match &self.version {
            Some(version) => format!("{name} {version}"),
            None => name.to_owned(),
        }
    }

    /// What to say about its version, if it is not the one that was tested.
    pub(crate) fn untested(&self) -> Option<String> {
        let tested = self.client.atlas().tested?;
        let version = self.version.as_deref()?;
        (version != tested).then(|| format!("tested with {tested}"))
    }
}

/// Where products are looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SurveyPlace<'a> {
    pub(crate) home: &'a Path,
    pub(crate) search_path: &'a OsStr,
    pub(crate) versions: VersionSource,
}

/// Who says the version of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VersionSource {
    /// The product, in a home that is thrown away, because it may write caches. One that needs its own, such as a program
    /// of a version manager, is asked there.
    Itself,
    /// The product, in a home that is thrown away. One that needs its own does not say.
    Trace,
}

/// Looks for these products.
pub(crate) async fn survey(
    clients: impl Iterator<Item = ClientId>,
    place: SurveyPlace<'_>,
) -> anyhow::Result<Vec<FoundClient>> {
    let throwaway = tempfile::tempdir().context("cannot make a directory")?;
    let throwaway = throwaway.path();
    let SurveyPlace {
        home, search_path, ..
    } = place;
    let look = clients.map(|client| async move {
        let atlas = client.atlas();
        let program = process::find(atlas.programs, search_path);
        let traces = atlas.traces.iter().any(|trace| home.join(trace).is_dir());
        if program.is_none() && !traces {
            return None;
        }
        // Others open a window when they are asked.
        let asked = program.as_deref().filter(|_| atlas.tested.is_some());
        let version = match asked {
            Some(program) => version(program, throwaway, &moved_home(throwaway)).await,
            None => None,
        };
        let version = match (version, asked) {
            (None, Some(program)) if place.versions == VersionSource::Itself => {
                version_at_home(program, home).await
            }
            (version, _) => version,
        };
        Some(FoundClient {
            client,
            program,
            version,
        })
    });
    let found = futures::future::join_all(look).await;
    Ok(found.into_iter().flatten().collect())
}

async fn version_at_home(program: &Path, home: &Path) -> Option<String> {
    version(program, home, &[]).await
}

async fn version(
    program: &Path,
    directory: &Path,
    variables: &[(&'static str, &Path)],
) -> Option<String> {
    let said = process::run(ProgramCall {
        program,
        arguments: &["--version"],
        directory,
        input: "",
        variables,
        limit: PATIENCE,
    })
    .await
    .ok()?;
    number(&said.stdout).or_else(|| number(&said.stderr))
}

/// Everything by which a product finds its user's home.
fn moved_home(directory: &Path) -> Vec<(&'static str, &Path)> {
    let homes = [
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_STATE_HOME",
        "TMPDIR",
    ];
    let moved = homes.into_iter().chain(mk_clients::DIRECTORY_VARIABLES);
    moved.map(|name| (name, directory)).collect()
}

/// The first word that looks like a version.
fn number(text: &str) -> Option<String> {
    text.split(|it: char| it.is_whitespace() || it == '(' || it == ')')
        .map(|word| {
            word.trim_start_matches('v')
                .trim_end_matches([',', '.', ';'])
        })
        .find(|word| {
            word.starts_with(|it: char| it.is_ascii_digit()) && word.matches('.').count() >= 2
        })
        .map(str::to_owned)
}
