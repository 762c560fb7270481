//! A PostgreSQL and a pooler of a test's own, that can be killed and started again.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::sandbox::{bare_command, overwrite, set_mode};
use crate::support::wait_for;

/// Debian's PostgreSQL on a socket in a directory of its own.
#[derive(Debug)]
pub(super) struct Database {
    directory: tempfile::TempDir,
    programs: PathBuf,
    server: Child,
}

impl Database {
    pub(super) fn start() -> Self {
        let directory = tempfile::Builder::new().prefix("mk-pg-").tempdir();
        let directory = directory.unwrap();
        set_mode(directory.path(), 0o777);
        let programs = programs();
        let data = directory.path().join("data");
        let made = as_owner(&programs.join("initdb"), directory.path())
            .arg("--pgdata")
            .arg(&data)
            .args(["--username=modekeeper", "--auth=trust", "--no-sync"])
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let server = run(&programs, directory.path());
        let database = Self {
            directory,
            programs,
            server,
        };
        database.wait_until_ready();
        database
    }

    pub(super) fn url(&self) -> String {
        let socket = self.directory.path().display();
        format!("postgres://modekeeper@/postgres?host={socket}")
    }

    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// kill −9; what belongs to it goes with it.
    pub(super) fn kill(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }

    /// Starts it again on what it has on disk.
    pub(super) fn restart(&mut self) {
        // The processes of the one that was killed go by themselves, soon.
        self.server = run(&self.programs, self.directory.path());
        let directory = self.directory.path().to_owned();
        let programs = self.programs.clone();
        let server = &mut self.server;
        wait_for("the database again", || {
            if server.try_wait().unwrap().is_some() {
                *server = run(&programs, &directory);
            }
            is_ready(&programs, &directory).then_some(())
        });
    }

    /// The rows of a query, columns separated by `|`.
    pub(super) fn rows(&self, query: &str) -> Vec<String> {
        rows(&self.url(), query).unwrap()
    }

    fn wait_until_ready(&self) {
        wait_for("the database", || {
            is_ready(&self.programs, self.directory.path()).then_some(())
        });
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// A pooler that gives every transaction another connection.
#[derive(Debug)]
pub(super) struct Pooler {
    server: Child,
    directory: PathBuf,
}

impl Pooler {
    pub(super) fn start(database: &Database) -> Self {
        let directory = database.directory().join("pooler");
        std::fs::create_dir(&directory).unwrap();
        set_mode(&directory, 0o777);
        let (ours, theirs) = (directory.display(), database.directory().display());
        let settings = format!(
            "[databases]\npostgres = host={theirs} dbname=postgres\n\
             [pgbouncer]\nlisten_addr =\nlisten_port = 5432\nunix_socket_dir = {ours}\n\
             pool_mode = transaction\nauth_type = trust\nauth_file = {ours}/users\n\
             default_pool_size = 6\nlogfile = {ours}/log\npidfile = {ours}/pid\n"
        );
        overwrite(&directory.join("users"), b"\"modekeeper\" \"\"\n");
        let file = directory.join("settings.ini");
        overwrite(&file, settings.as_bytes());
        let program = Path::new("/usr/sbin/pgbouncer");
        let server = as_owner(program, &directory)
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let socket = directory.join(".s.PGSQL.5432");
        wait_for("the pooler", || socket.exists().then_some(()));
        Self { server, directory }
    }

    pub(super) fn url(&self) -> String {
        let socket = self.directory.display();
        format!("postgres://modekeeper@/postgres?host={socket}")
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// The rows of a query, columns separated by `|`; `None` while the database does not answer.
pub(super) fn rows(url: &str, query: &str) -> Option<Vec<String>> {
    let output = bare_command("psql", Path::new("/"))
        .args(["--no-psqlrc", "--tuples-only", "--no-align", "--command"])
        .args([query, url])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(str::to_owned).collect();
    output.status.success().then_some(lines)
}

fn run(programs: &Path, directory: &Path) -> Child {
    as_owner(&programs.join("postgres"), directory)
        .arg("-D")
        .arg(directory.join("data"))
        .arg("-k")
        .arg(directory)
        .args(["-c", "listen_addresses=", "-c", "max_connections=200"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn is_ready(programs: &Path, directory: &Path) -> bool {
    let mut asked = bare_command(programs.join("pg_isready"), directory);
    let asked = asked.arg("--quiet").arg("--host").arg(directory).status();
    asked.is_ok_and(|status| status.success())
}

/// The newest that is installed.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql");
    let versions = versions.unwrap();
    let newest = versions.map(|entry| entry.unwrap().path()).max();
    newest.unwrap().join("bin")
}

/// PostgreSQL and its pooler do not run as root: the user of Debian's package is theirs.
fn as_owner(program: &Path, directory: &Path) -> Command {
    let mut command = bare_command(program, directory);
    if rustix::process::geteuid().is_root() {
        let users = std::fs::read_to_string("/etc/passwd").unwrap();
        let user = users.lines().find(|line| line.starts_with("postgres:"));
        let mut fields = user.unwrap().split(':');
        let uid = fields.nth(2).and_then(|it| it.parse().ok()).unwrap();
        let gid = fields.next().and_then(|it| it.parse().ok()).unwrap();
        command.uid(uid).gid(gid);
    }
    command
}
