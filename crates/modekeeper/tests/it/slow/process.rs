//! Processes as the kernel sees them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

/// What a process says of itself.
#[derive(Debug)]
struct Stat {
    name: String,
    state: String,
    parent: u32,
    group: u32,
}

fn stat(pid: u32) -> Option<Stat> {
    stat_at(Path::new(&format!("/proc/{pid}")))
}

fn stat_at(folder: &Path) -> Option<Stat> {
    let text = std::fs::read_to_string(folder.join("stat")).ok()?;
    let (before, after) = text.rsplit_once(") ")?;
    let (_, name) = before.split_once('(')?;
    let mut fields = after.split(' ');
    Some(Stat {
        name: name.to_owned(),
        state: fields.next()?.to_owned(),
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
    })
}

/// All processes that run; those that only wait to be collected do not.
fn all() -> impl Iterator<Item = (u32, Stat)> {
    let entries = std::fs::read_dir("/proc").unwrap();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, stat(pid)?)))
        .filter(|(_, stat)| stat.state != "Z" && stat.state != "X")
}

pub(super) fn is_running(pid: u32) -> bool {
    all().any(|(it, _)| it == pid)
}

/// The servers that a binary has started, with what they started themselves. Each is in the group of a guard, which
/// is a shell and is not counted.
pub(super) fn servers_of(binary: u32) -> Vec<u32> {
    let guards = all().filter(|(_, stat)| stat.parent == binary && stat.name == "sh");
    let guards: Vec<u32> = guards.map(|(pid, _)| pid).collect();
    let is_server = |pid: &u32, stat: &Stat| guards.contains(&stat.group) && !guards.contains(pid);
    let servers = all().filter(|(pid, stat)| is_server(pid, stat));
    servers.map(|(pid, _)| pid).collect()
}

pub(super) fn members(group: u32) -> Vec<u32> {
    let members = all().filter(|(_, stat)| stat.group == group);
    members.map(|(pid, _)| pid).collect()
}

pub(super) fn group(pid: u32) -> u32 {
    stat(pid).unwrap().group
}

/// Processes that were started for a project, the binary included, in whatever group or session they are by now: they
/// stand in its directories, or have inherited its search path.
pub(super) fn running_for(root: &Path, search_path: &str) -> Vec<u32> {
    let belongs = |pid: &u32| {
        let process = PathBuf::from(format!("/proc/{pid}"));
        stands_in(&process, root) || has_inherited(&process, search_path)
    };
    all().map(|(pid, _)| pid).filter(belongs).collect()
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

pub(super) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Stops every process of a group but its leader, and waits until the last thread of each has noticed, which may still
/// answer until then.
///
/// What a member starts before it has noticed is a member too, so all are counted again until nothing runs. A member
/// that has ended stays a zombie for as long as its parent is stopped; it answers nothing either.
pub(super) fn stop_members(group: u32) {
    let begun = Instant::now();
    let stands_still = |state: &str| matches!(state, "T" | "t" | "Z" | "X");
    let runs = |pid: &u32| {
        // One that has vanished does not run.
        let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
        let mut threads = threads.into_iter().flatten().flatten();
        threads.any(|thread| stat_at(&thread.path()).is_some_and(|stat| !stands_still(&stat.state)))
    };
    loop {
        let mut running = members(group);
        running.retain(|pid| *pid != group && runs(pid));
        if running.is_empty() {
            return;
        }
        for pid in &running {
            let pid = Pid::from_raw(i32::try_from(*pid).unwrap()).unwrap();
            match kill_process(pid, Signal::STOP) {
                Ok(()) | Err(Errno::SRCH) => {}
                Err(error) => panic!("{error}"),
            }
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{running:?} go on"
        );
        std::thread::yield_now();
    }
}

/// Waits until there is none of these processes any more, which takes the kernel a moment.
#[track_caller]
pub(super) fn check_gone(mut left: impl FnMut() -> Vec<u32>) {
    let begun = Instant::now();
    loop {
        let left = left();
        if left.is_empty() {
            return;
        }
        let name = |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/cmdline"));
        let names: Vec<_> = left.iter().map(name).collect();
        assert!(begun.elapsed() < Duration::from_secs(60), "{names:?}");
        std::thread::yield_now();
    }
}
