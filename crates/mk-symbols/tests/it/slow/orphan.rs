//! No server, and nothing that a server starts, outlives us, however we end.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::example::{CLANGD, Example, GOPLS, PYRIGHT, RUST_ANALYZER, TY, TYPESCRIPT};
use super::process::{all, check_gone};
use super::world::{PATIENT, World};

const ROUNDS: usize = 50;

/// How a round ends.
#[derive(Debug, Clone, Copy)]
enum End {
    /// The project is closed.
    Closed,
    /// The program is killed after an answer.
    Killed,
    /// The program is killed while the server starts.
    KilledAtOnce,
}

#[tokio::test]
async fn no_process_is_left_after_any_end() {
    let examples = [TY, PYRIGHT, TYPESCRIPT, RUST_ANALYZER, CLANGD, GOPLS];
    let worlds = examples.map(|example| (World::new(&[&example]), example));
    let ends = [End::Closed, End::Killed, End::KilledAtOnce];
    // Each server meets each end, because every pass over the servers begins with another end.
    let turns = ends
        .iter()
        .flat_map(|end| worlds.iter().map(move |it| (it, *end)));
    for ((world, example), end) in turns.cycle().take(ROUNDS) {
        round(world, example, end).await;
        check_gone(|| left(world));
    }
}

async fn round(world: &World, example: &Example, end: End) {
    match end {
        End::Closed => {
            let servers = world.servers(PATIENT);
            world.definition(&servers, example).await.unwrap();
            check_seen(world);
        }
        End::Killed => {
            let mut holder = hold(world, example);
            let mut line = String::new();
            let stdout = holder.stdout.take().unwrap();
            BufReader::new(stdout).read_line(&mut line).unwrap();
            let pid: u32 = line.trim().parse().unwrap();
            check_seen(world);
            assert!(left(world).contains(&pid), "{example:?}");
            kill(holder);
        }
        End::KilledAtOnce => {
            let holder = hold(world, example);
            while left(world).is_empty() {
                std::thread::yield_now();
            }
            kill(holder);
        }
    }
}

/// A guard and a server at least; else nothing being left would mean nothing.
#[track_caller]
fn check_seen(world: &World) {
    let seen = left(world);
    assert!(seen.len() >= 2, "{seen:?}");
}

/// Processes that were started for a world, in whatever group or session they are by now: they stand in its project,
/// or have inherited its search path.
fn left(world: &World) -> Vec<u32> {
    let root = world.fixture.root().as_path();
    let search_path = world.search_path();
    let belongs = |pid: &u32| {
        let process = PathBuf::from(format!("/proc/{pid}"));
        stands_in(&process, root) || has_inherited(&process, &search_path)
    };
    all().filter(belongs).collect()
}

fn stands_in(process: &Path, root: &Path) -> bool {
    let folder = std::fs::read_link(process.join("cwd"));
    folder.is_ok_and(|folder| folder.starts_with(root))
}

fn has_inherited(process: &Path, search_path: &str) -> bool {
    let wanted = format!("PATH={search_path}");
    let environment = std::fs::read(process.join("environ")).unwrap_or_default();
    let mut variables = environment.split(|byte| *byte == 0);
    variables.any(|variable| variable == wanted.as_bytes())
}

/// A program that has a server, and would keep it.
#[expect(clippy::disallowed_methods, reason = "not a server, but who has one")]
fn hold(world: &World, example: &Example) -> Child {
    let test = std::env::current_exe().unwrap();
    let builds = test.parent().and_then(Path::parent).unwrap();
    Command::new(builds.join("examples/language_server"))
        .arg("hold")
        .arg(world.fixture.root().as_path())
        .arg(example.user)
        .arg(world.search_path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn kill(mut holder: Child) {
    holder.kill().unwrap();
    holder.wait().unwrap();
}
