//! Where a PostgreSQL is, as its URL says it. The password is in no text that is made here.

use std::fmt;
use std::path::Path;
use std::str::FromStr as _;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// How long a connection may take to be made.
const LONGEST_CONNECT: Duration = Duration::from_secs(2);
/// After so long without an answer to what was sent, the network counts as gone.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);

/// The database of a team.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    config: Config,
}

/// A URL that names no database. It does not repeat the URL, which may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPostgresUrl {
    #[error("not a PostgreSQL URL of the form postgres://user@host/database")]
    Malformed,
    #[error("the URL names no database")]
    NoDatabase,
    #[error("TLS is not supported: use a Unix socket, a private network or a local pooler")]
    Tls,
}

impl PostgresUrl {
    pub fn parse(text: &str) -> Result<Self, InvalidPostgresUrl> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(InvalidPostgresUrl::Malformed);
        }
        let config = Config::from_str(text);
        let mut config = config.map_err(|_| InvalidPostgresUrl::Malformed)?;
        if config.get_ssl_mode() == SslMode::Require {
            return Err(InvalidPostgresUrl::Tls);
        }
        if config.get_dbname().is_none() {
            return Err(InvalidPostgresUrl::NoDatabase);
        }
        if config.get_hosts().is_empty() {
            config.host("localhost");
        }
        config.connect_timeout(LONGEST_CONNECT);
        config.tcp_user_timeout(LONGEST_SILENCE);
        if config.get_application_name().is_none() {
            config.application_name("modekeeper");
        }
        Ok(Self { config })
    }

    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    #[must_use]
    pub fn with_password(mut self, password: &str) -> Self {
        self.config.password(password);
        self
    }

    /// The password that a file in the format of `.pgpass` has for this database.
    pub fn password_in(&self, passfile: &str) -> Option<String> {
        let hosts: Vec<String> = self.config.get_hosts().iter().map(host).collect();
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        let port = port.to_string();
        let wanted = [
            None,
            Some(port.as_str()),
            self.config.get_dbname(),
            self.config.get_user(),
        ];
        passfile.lines().find_map(|line| {
            let mut fields = fields(line);
            let password = fields.get_mut(4).map(std::mem::take)?;
            let matches = |(index, field): (usize, &String)| match wanted.get(index) {
                _ if field == "*" => true,
                Some(None) => hosts.contains(field),
                Some(Some(text)) => field == text,
                None => true,
            };
            fields.iter().enumerate().all(matches).then_some(password)
        })
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }
}

/// The fields of a line; `\` takes the meaning from `:` and from itself.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    if line.starts_with('#') {
        return fields;
    }
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let last = fields.len() - 1;
        match (letter, fields.get_mut(last)) {
            (':', _) if last < 4 => fields.push(String::new()),
            ('\\', Some(field)) => field.extend(letters.next()),
            (letter, Some(field)) => field.push(letter),
            (_, None) => {}
        }
    }
    fields
}

fn host(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => Path::display(path).to_string(),
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<String> = self.config.get_hosts().iter().map(host).collect();
        let database = self.config.get_dbname().unwrap_or_default();
        write!(f, "postgres://{}/{database}", hosts.join(","))
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
