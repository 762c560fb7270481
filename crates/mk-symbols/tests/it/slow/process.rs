//! Processes as the kernel sees them.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// All processes that run; those that only wait to be collected do not.
pub(super) fn all() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").unwrap();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| stat(*pid).is_some_and(|(state, _)| state != "Z" && state != "X"))
}

pub(super) fn members(group: u32) -> Vec<u32> {
    let belongs = |pid: &u32| stat(*pid).is_some_and(|(_, of)| of == group);
    all().filter(belongs).collect()
}

pub(super) fn group(pid: u32) -> u32 {
    stat(pid).unwrap().1
}

/// State and group of a process.
fn stat(pid: u32) -> Option<(String, u32)> {
    stat_at(Path::new(&format!("/proc/{pid}")))
}

fn stat_at(folder: &Path) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(folder.join("stat")).ok()?;
    let (_, rest) = text.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    Some((fields.next()?.to_owned(), fields.nth(1)?.parse().ok()?))
}

pub(super) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Stops a process, and waits until its last thread has noticed, which may still answer until then.
pub(super) fn stop(pid: u32) {
    signal(pid, Signal::STOP);
    let begun = Instant::now();
    let runs = |thread: &std::fs::DirEntry| {
        stat_at(&thread.path()).is_some_and(|(state, _)| !state.eq_ignore_ascii_case("t"))
    };
    let threads = || std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    while threads().flatten().any(|thread| runs(&thread)) {
        assert!(begun.elapsed() < Duration::from_secs(10), "{pid} goes on");
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
        assert!(begun.elapsed() < Duration::from_secs(10), "{names:?}");
        std::thread::yield_now();
    }
}
