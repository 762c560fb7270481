//! A PostgreSQL and a pooler of a test's own, that can be killed and started again.

use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::slow::authority::Authority;
use crate::support::sandbox::{bare_command, overwrite, set_mode};
use crate::support::wait_for;

/// Debian's PostgreSQL on a socket in a directory of its own.
#[derive(Debug)]
pub(super) struct Database {
    directory: tempfile::TempDir,
    programs: PathBuf,
    server: Child,
    port: u16,
}

impl Database {
    pub(super) fn start() -> Self {
        let database = Self::make(&|_| String::new());
        database.wait_until_ready();
        database
    }

    /// The same, and others on this machine reach it without TLS.
    pub(super) fn start_on_a_port() -> Self {
        Self::start_with(&|_| String::new())
    }

    /// On a free port of this machine, with these lines in its settings.
    fn start_with(settings: &dyn Fn(&Path) -> String) -> Self {
        for _ in 0..10 {
            let free = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            let mut database = Self::make(&|directory| {
                let more = settings(directory);
                format!("listen_addresses = '127.0.0.1'\nport = {port}\n{more}")
            });
            database.port = port;
            let ready = wait_for("the database", || {
                // Somebody else may have taken the port meanwhile: it ends then.
                match database.server.try_wait().unwrap() {
                    Some(_) => Some(false),
                    None => database.is_ready().then_some(true),
                }
            });
            if ready {
                return database;
            }
        }
        panic!("no free port");
    }

    fn make(settings: &dyn Fn(&Path) -> String) -> Self {
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
        let file = data.join("postgresql.conf");
        let mut all = std::fs::read_to_string(&file).unwrap();
        all.push_str("listen_addresses = ''\nmax_connections = 200\n");
        all.push_str(&settings(directory.path()));
        overwrite(&file, all.as_bytes());
        let server = run(&programs, directory.path());
        Self {
            directory,
            programs,
            server,
            port: 5432,
        }
    }

    pub(super) fn url(&self) -> String {
        let socket = self.directory.path().display();
        let port = self.port;
        format!("postgres://modekeeper@/postgres?host={socket}&port={port}")
    }

    /// Through its port.
    pub(super) fn host_url(&self, host: &str, parameters: &str) -> String {
        let port = self.port;
        format!("postgres://modekeeper@{host}:{port}/postgres?{parameters}")
    }

    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// kill −9; what belongs to it goes with it.
    pub(super) fn kill(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }

    /// To the process that connections are made by.
    pub(super) fn signal(&self, signal: Signal) {
        let process = i32::try_from(self.server.id()).unwrap();
        kill_process(Pid::from_raw(process).unwrap(), signal).unwrap();
    }

    /// Starts it again on what it has on disk.
    pub(super) fn restart(&mut self) {
        // The processes of the one that was killed go by themselves, soon.
        self.server = run(&self.programs, self.directory.path());
        let directory = self.directory.path().to_owned();
        let programs = self.programs.clone();
        let port = self.port;
        let server = &mut self.server;
        wait_for("the database again", || {
            if server.try_wait().unwrap().is_some() {
                *server = run(&programs, &directory);
            }
            is_ready(&programs, &directory, port).then_some(())
        });
    }

    /// The rows of a query, columns separated by `|`.
    pub(super) fn rows(&self, query: &str) -> Vec<String> {
        rows(&self.url(), query).unwrap()
    }

    fn wait_until_ready(&self) {
        wait_for("the database", || self.is_ready().then_some(()));
    }

    fn is_ready(&self) -> bool {
        is_ready(&self.programs, self.directory.path(), self.port)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// A PostgreSQL that admits encrypted connections only, with a certificate for `localhost`.
#[derive(Debug)]
pub(super) struct EncryptedDatabase {
    database: Database,
    authorities: tempfile::TempDir,
    pub(super) authority: Authority,
    pub(super) certificate: PathBuf,
}

impl EncryptedDatabase {
    pub(super) fn start() -> Self {
        let authorities = tempfile::tempdir().unwrap();
        let authority = Authority::new(authorities.path(), "ours");
        let (certificate, key) = authority.sign("localhost");
        let (signed, secret) = (std::fs::read(&certificate), std::fs::read(key));
        let (signed, secret) = (signed.unwrap(), secret.unwrap());
        let database = Database::start_with(&|directory| {
            let data = directory.join("data");
            overwrite(&data.join("server.crt"), &signed);
            let key = data.join("server.key");
            overwrite(&key, &secret);
            set_mode(&key, 0o600);
            give_to_owner(&key);
            let admitted = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
            overwrite(&data.join("pg_hba.conf"), admitted.as_bytes());
            "ssl = on\n".to_owned()
        });
        Self {
            database,
            authorities,
            authority,
            certificate,
        }
    }

    pub(super) fn url(&self, host: &str, parameters: &str) -> String {
        self.database.host_url(host, parameters)
    }

    /// Where there is room for more authorities.
    pub(super) fn directory(&self) -> &Path {
        self.authorities.path()
    }

    pub(super) fn rows(&self, query: &str) -> Vec<String> {
        self.database.rows(query)
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

    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(self.directory.join("log")).unwrap()
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
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn is_ready(programs: &Path, directory: &Path, port: u16) -> bool {
    let mut asked = bare_command(programs.join("pg_isready"), directory);
    asked.arg("--quiet").arg("--host").arg(directory);
    let asked = asked.args(["--port", &port.to_string()]).status();
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
fn owner() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let user = users.lines().find(|line| line.starts_with("postgres:"));
    let mut fields = user.unwrap().split(':');
    let uid = fields.nth(2).and_then(|it| it.parse().ok()).unwrap();
    let gid = fields.next().and_then(|it| it.parse().ok()).unwrap();
    Some((uid, gid))
}

fn give_to_owner(file: &Path) {
    if let Some((uid, gid)) = owner() {
        std::os::unix::fs::chown(file, Some(uid), Some(gid)).unwrap();
    }
}

fn as_owner(program: &Path, directory: &Path) -> Command {
    let mut command = bare_command(program, directory);
    if let Some((uid, gid)) = owner() {
        command.uid(uid).gid(gid);
    }
    command
}
