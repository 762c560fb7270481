//! Nothing that a server starts outlives us, however we end.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mk_testkit::Fixture;
use rustix::process::{Pid, Signal, kill_process};

use super::fake::{World, program};
use crate::process::{ServerProcess, ServerProgram};

const ROUNDS: usize = 20;

/// The processes of a group that are not mere entries waiting to be collected.
fn members(group: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("a list of processes");
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers
        .filter(|pid| stat(*pid).is_some_and(|(state, of)| of == group && state != "Z"))
        .collect()
}

/// State and group of a process.
fn stat(pid: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    Some((fields.first()?.to_string(), fields.get(2)?.parse().ok()?))
}

fn group_of(pid: u32) -> u32 {
    stat(pid).expect("a process that runs").1
}

/// Waits until nothing of a group is left, which takes the kernel a moment.
#[track_caller]
fn check_gone(group: u32) {
    let begun = Instant::now();
    while !members(group).is_empty() {
        let left = members(group);
        assert!(begun.elapsed() < Duration::from_secs(10), "left: {left:?}");
        std::thread::yield_now();
    }
}

async fn started(world: &World) -> u32 {
    world.define("a.fake").await.expect("an answer");
    let status = world.servers.status();
    let pid = status.first().and_then(|status| status.pid);
    group_of(pid.expect("a server that runs"))
}

#[tokio::test]
async fn closing_a_project_kills_the_server_and_what_it_started() {
    for _ in 0..ROUNDS {
        let world = World::new("parent");
        let group = started(&world).await;
        assert!(members(group).len() >= 3, "guard, server, grandchild");
        drop(world);
        check_gone(group);
    }
}

#[tokio::test]
async fn a_server_that_is_killed_takes_what_it_started_with_it() {
    for _ in 0..ROUNDS {
        let world = World::new("parent");
        let group = started(&world).await;
        let status = world.servers.status();
        let pid = status.first().and_then(|status| status.pid);
        signal(pid.expect("a server that runs"), Signal::KILL);
        // The next question notices, and starts another one.
        let mut answer = world.define("a.fake").await;
        while answer.is_err() {
            answer = world.define("a.fake").await;
        }
        check_gone(group);
    }
}

#[test]
fn nothing_stays_when_we_are_killed() {
    let fixture = Fixture::new("//- /a.fake\none\n");
    for _ in 0..ROUNDS {
        let mut holder = hold(&fixture, "parent");
        let mut line = String::new();
        let stdout = holder.stdout.take().expect("its output");
        BufReader::new(stdout)
            .read_line(&mut line)
            .expect("a process");
        let group = group_of(line.trim().parse().expect("a number"));
        holder.kill().expect("a holder that runs");
        holder.wait().expect("a holder that ends");
        check_gone(group);
    }
}

/// Processes that stand in a fixture's directory, in whatever group and session.
fn standing_in(fixture: &Fixture) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("a list of processes");
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers
        .filter(|pid: &u32| {
            let directory = std::fs::read_link(format!("/proc/{pid}/cwd"));
            let is_here = directory.is_ok_and(|it| it.starts_with(fixture.root().as_path()));
            is_here && stat(*pid).is_some_and(|(state, _)| state != "Z")
        })
        .collect()
}

#[track_caller]
fn check_none_in(fixture: &Fixture) {
    let begun = Instant::now();
    while !standing_in(fixture).is_empty() {
        let left = standing_in(fixture);
        assert!(begun.elapsed() < Duration::from_secs(10), "left: {left:?}");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn what_a_server_has_put_into_a_session_of_its_own_ends_too() {
    let world = World::new("runaway");
    let group = started(&world).await;
    while standing_in(&world.fixture).len() <= members(group).len() {
        std::thread::yield_now();
    }
    let World { fixture, servers } = world;
    drop(servers);
    check_none_in(&fixture);

    let mut holder = hold(&fixture, "runaway");
    let mut line = String::new();
    let stdout = holder.stdout.take().expect("its output");
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    let group = group_of(line.trim().parse().expect("a number"));
    while standing_in(&fixture).len() <= members(group).len() {
        std::thread::yield_now();
    }
    holder.kill().expect("a holder that runs");
    holder.wait().expect("a holder that ends");
    check_none_in(&fixture);
}

#[expect(clippy::disallowed_methods, reason = "not a server, but who has one")]
fn hold(fixture: &Fixture, behaviour: &str) -> Child {
    let program = program();
    Command::new(&program)
        .arg("hold")
        .arg(fixture.root().as_path())
        .args(["a.fake", "/usr/bin:/bin"])
        .arg(&program)
        .arg(behaviour)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a holder")
}

pub(super) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).expect("a number"));
    kill_process(pid.expect("a process"), signal).expect("a process that runs");
}

#[test]
fn what_has_left_the_group_does_not_outlive_the_guard() {
    let fixture = Fixture::new("");
    let script = "setsid sh -c 'echo started; exec sleep 1000' & read -r _";
    let (mut process, pipes) = ServerProcess::start(&ServerProgram {
        path: Path::new("/bin/sh"),
        arguments: &["-c".to_owned(), script.to_owned()],
        folder: fixture.root().as_path(),
        search_path: OsStr::new("/usr/bin:/bin"),
        held_by: &[],
    })
    .expect("a shell");
    let mut line = String::new();
    let mut stdout = BufReader::new(pipes.stdout);
    stdout.read_line(&mut line).expect("a line");
    assert!(process.memory() > 0);
    // The guard is gone after this, and the process is not dropped yet.
    process.last_words();
    let begun = Instant::now();
    while process.memory() > 0 {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "something is left"
        );
        std::thread::yield_now();
    }
}
