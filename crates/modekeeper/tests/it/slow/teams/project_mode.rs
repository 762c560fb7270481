//! A person's mode for a project: all of it or nothing, whatever is killed in the middle.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::database::Database;
use super::{allows, create, operator, post, serve, switch};
use crate::support::sandbox::{Ran, Sandbox, bare_command};
use crate::support::wait_for;

const TASKS: usize = 40;

/// A task that another session has locked: what writes it waits.
#[derive(Debug)]
struct LockedTask {
    psql: Child,
}

impl LockedTask {
    fn new(database: &Database, session: &str) -> Self {
        let mut psql = bare_command("psql", Path::new("/"))
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .arg(database.url())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lock = format!("BEGIN; SELECT id FROM session WHERE id = '{session}' FOR UPDATE;\n");
        let stdin = psql.stdin.as_mut().unwrap();
        stdin.write_all(lock.as_bytes()).unwrap();
        let mut answer = String::new();
        let stdout = psql.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut answer).unwrap();
        assert_eq!(answer.trim(), session);
        Self { psql }
    }

    fn release(mut self) {
        drop(self.psql.stdin.take());
        self.psql.wait().unwrap();
    }
}

/// Waits until a change of ours has come as far as a task that is locked.
fn wait_for_the_middle(database: &Database) {
    let query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'modekeeper'
                 AND wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple')";
    wait_for("a change that waits for the task", || {
        (database.rows(query) != ["0"]).then_some(())
    });
}

/// Neither the project nor any of its tasks was touched.
#[track_caller]
fn check_untouched(database: &Database) {
    let queries = [
        "SELECT DISTINCT mode FROM session",
        "SELECT count(*) FROM mode_change WHERE from_mode IS NOT NULL",
        "SELECT count(*) FROM project WHERE mode IS NOT NULL",
    ];
    let found = queries.map(|query| database.rows(query).join(" "));
    assert_eq!(found, ["code", "0", "0"]);
}

fn set(sandbox: &Sandbox, database: &Database, mode: &str) -> Ran {
    let mut command = sandbox.command(&["mode", mode]);
    sandbox.run_command(command.env("MODEKEEPER_STORE", database.url()))
}

#[test]
fn a_switch_whose_database_is_lost_in_its_middle_is_an_error_and_changes_nothing() {
    let mut database = Database::start();
    let sandbox = Sandbox::new();
    let server = serve(&sandbox, &database.url());
    let sessions: Vec<_> = (0..TASKS)
        .map(|_| create(server.address).unwrap())
        .collect();
    let locked = LockedTask::new(&database, &sessions[TASKS / 2]);
    let over = AtomicBool::new(false);
    let url = database.url();
    std::thread::scope(|scope| {
        let switching = scope.spawn(|| {
            loop {
                let mut command = sandbox.command(&["mode", "ask"]);
                let ran = sandbox.run_command(command.env("MODEKEEPER_STORE", &url));
                // One that has waited for too long comes again.
                if ran.status.success() || over.load(Ordering::Relaxed) {
                    return ran;
                }
            }
        });
        wait_for_the_middle(&database);
        over.store(true, Ordering::Relaxed);
        database.kill();
        let ran = switching.join().unwrap();
        assert!(!ran.status.success(), "{ran:?}");
        assert_eq!(ran.stdout, "");
    });
    locked.release();
    database.restart();
    check_untouched(&database);
    let ran = set(&sandbox, &database, "ask");
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(database.rows("SELECT DISTINCT mode FROM session"), ["ask"]);
    // A new task in another mode would wait for a person now.
    wait_for("the server to recover", || {
        switch(server.address, &sessions[0], "ask", "again").then_some(())
    });
    for session in &sessions {
        let allowed = allows(server.address, session, "write_to_file");
        assert_eq!(allowed, Some(false), "{session}");
    }
}

#[test]
fn a_server_that_is_killed_in_the_middle_of_a_switch_has_changed_nothing() {
    let database = Database::start();
    let sandbox = Sandbox::new();
    let mut server = serve(&sandbox, &database.url());
    let token = operator(&sandbox, &database);
    let address = server.address;
    let sessions: Vec<_> = (0..TASKS).map(|_| create(address).unwrap()).collect();
    let locked = LockedTask::new(&database, &sessions[TASKS / 2]);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let ask = json!({ "mode": "ask" });
                let answer = post(address, &token, "/api/mode", &ask);
                assert_ne!(
                    answer.map(|it| it["project_mode"].clone()),
                    Some(json!("ask"))
                );
            }
        });
        wait_for_the_middle(&database);
        over.store(true, Ordering::Relaxed);
        server.child().kill().unwrap();
        server.child().wait().unwrap();
    });
    locked.release();
    wait_for("its transaction to end", || {
        let query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'modekeeper'";
        (database.rows(query) == ["0"]).then_some(())
    });
    check_untouched(&database);
    let ran = set(&sandbox, &database, "ask");
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(database.rows("SELECT DISTINCT mode FROM session"), ["ask"]);
}
