//! Where a PostgreSQL is, as its URL says it. The password is in no text that is made here.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::tls::ServerProof;

/// How long a connection may take to be made.
const LONGEST_CONNECT: Duration = Duration::from_secs(2);
/// After so long without an answer to what was sent, the network counts as gone.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);

/// The database of a team.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    config: Config,
    proof: ServerProof,
}

/// A URL that names no database, in words for what it has to be. It does not repeat the URL, which may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPostgresUrl {
    #[error("a PostgreSQL URL of the form postgres://user@host/database")]
    Malformed,
    #[error("a PostgreSQL URL that names a database, such as postgres://user@host/database")]
    NoDatabase,
    #[error("a PostgreSQL URL whose sslmode is disable, prefer, require, verify-ca or verify-full")]
    TlsMode,
    #[error("a PostgreSQL URL with sslrootcert=/path/ca.pem, because of sslmode=verify-ca")]
    NoAuthority,
}

impl PostgresUrl {
    pub fn parse(text: &str) -> Result<Self, InvalidPostgresUrl> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(InvalidPostgresUrl::Malformed);
        }
        let (text, tls) = TlsParameters::take_from(text)?;
        let config = Config::from_str(&text);
        let mut config = config.map_err(|_| InvalidPostgresUrl::Malformed)?;
        if config.get_dbname().is_none() {
            return Err(InvalidPostgresUrl::NoDatabase);
        }
        if config.get_hosts().is_empty() {
            config.host("localhost");
        }
        let is_local = |host: &Host| !matches!(host, Host::Tcp(_));
        let (mode, proof) = match config.get_hosts().iter().all(is_local) {
            true => (SslMode::Disable, ServerProof::None),
            false => tls.resolve()?,
        };
        config.ssl_mode(mode);
        config.connect_timeout(LONGEST_CONNECT);
        config.tcp_user_timeout(LONGEST_SILENCE);
        if config.get_application_name().is_none() {
            config.application_name("modekeeper");
        }
        Ok(Self { config, proof })
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

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// With a setting of our own, by which a connection shows that no pooler is in between: a pooler refuses or drops
    /// what it does not know.
    pub(super) fn marked_config(&self) -> Config {
        let mut config = self.config.clone();
        let options = config.get_options().unwrap_or_default();
        let options = format!("{options} -c modekeeper.listens=on");
        config.options(options.trim_start());
        config
    }

    pub(super) fn proof(&self) -> &ServerProof {
        &self.proof
    }
}

/// What a URL says about TLS. The driver knows less of it than libpq, so it is read here.
#[derive(Debug, Default)]
struct TlsParameters {
    mode: Option<String>,
    authority: Option<String>,
}

impl TlsParameters {
    /// Also gives the URL without them.
    fn take_from(url: &str) -> Result<(String, Self), InvalidPostgresUrl> {
        let mut taken = Self::default();
        let Some((place, query)) = url.split_once('?') else {
            return Ok((url.to_owned(), taken));
        };
        let mut others = Vec::new();
        for parameter in query.split('&') {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = || {
                let decoded = percent_decode_str(value).decode_utf8();
                decoded.map_err(|_| InvalidPostgresUrl::Malformed)
            };
            match name {
                "sslmode" => taken.mode = Some(value()?.into_owned()),
                "sslrootcert" => taken.authority = Some(value()?.into_owned()),
                _ => others.push(parameter),
            }
        }
        Ok((format!("{place}?{}", others.join("&")), taken))
    }

    /// As libpq has it: an authority that is named is asked for, also where encryption alone would do.
    fn resolve(self) -> Result<(SslMode, ServerProof), InvalidPostgresUrl> {
        let authority = self.authority.filter(|it| it != "system");
        let authority = authority.map(PathBuf::from);
        let mode = self.mode.as_deref().unwrap_or("prefer");
        Ok(match (mode, authority) {
            ("disable", _) => (SslMode::Disable, ServerProof::None),
            ("prefer", None) => (SslMode::Prefer, ServerProof::None),
            ("prefer", Some(file)) => (SslMode::Prefer, ServerProof::Authority(file)),
            ("require", None) => (SslMode::Require, ServerProof::None),
            ("require" | "verify-ca", Some(file)) => {
                (SslMode::Require, ServerProof::Authority(file))
            }
            ("verify-ca", None) => return Err(InvalidPostgresUrl::NoAuthority),
            ("verify-full", file) => (SslMode::Require, ServerProof::Host(file)),
            _ => return Err(InvalidPostgresUrl::TlsMode),
        })
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
        let database = self.config.get_dbname().unwrap_or_default();
        let ports = self.config.get_ports();
        let port = |index: usize| {
            let port = ports.get(index).or(ports.first()).copied();
            port.filter(|port| *port != 5432)
        };
        let hosts = self.config.get_hosts();
        #[cfg(unix)]
        if let [Host::Unix(directory)] = hosts {
            write!(f, "postgres:///{database}?host={}", directory.display())?;
            return port(0).map_or(Ok(()), |port| write!(f, "&port={port}"));
        }
        let named = hosts
            .iter()
            .enumerate()
            .map(|(index, it)| match port(index) {
                Some(port) => format!("{}:{port}", host(it)),
                None => host(it),
            });
        let named: Vec<String> = named.collect();
        write!(f, "postgres://{}/{database}", named.join(","))
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expected: &Result<(SslMode, ServerProof), InvalidPostgresUrl>) {
        let parsed = PostgresUrl::parse(url);
        let found = parsed.map(|url| (url.config.get_ssl_mode(), url.proof));
        assert_eq!(&found, expected, "{url}");
    }

    #[test]
    fn sslmode_means_what_it_means_to_libpq() {
        let file = || PathBuf::from("/etc/a b.pem");
        let at = "postgres://ann@db/modekeeper";
        let named = "sslrootcert=/etc/a%20b.pem";
        check(at, &Ok((SslMode::Prefer, ServerProof::None)));
        check(
            &format!("{at}?sslmode=disable&{named}"),
            &Ok((SslMode::Disable, ServerProof::None)),
        );
        check(
            &format!("{at}?sslmode=require"),
            &Ok((SslMode::Require, ServerProof::None)),
        );
        check(
            &format!("{at}?{named}&sslmode=require"),
            &Ok((SslMode::Require, ServerProof::Authority(file()))),
        );
        check(
            &format!("{at}?sslmode=verify-ca&{named}"),
            &Ok((SslMode::Require, ServerProof::Authority(file()))),
        );
        check(
            &format!("{at}?sslmode=verify-full&{named}"),
            &Ok((SslMode::Require, ServerProof::Host(Some(file())))),
        );
        check(
            &format!("{at}?sslmode=verify-full&sslrootcert=system"),
            &Ok((SslMode::Require, ServerProof::Host(None))),
        );
        check(
            &format!("{at}?sslmode=verify-ca"),
            &Err(InvalidPostgresUrl::NoAuthority),
        );
        check(
            &format!("{at}?sslmode=never"),
            &Err(InvalidPostgresUrl::TlsMode),
        );
    }

    #[test]
    fn a_url_is_shown_without_its_user_and_password() {
        for (url, shown) in [
            (
                "postgres://ann:s3cret@db/modekeeper",
                "postgres://db/modekeeper",
            ),
            (
                "postgres://ann@db:6432/a?sslmode=require",
                "postgres://db:6432/a",
            ),
            ("postgres://a@one:1,two:5432/b", "postgres://one:1,two/b"),
            ("postgres://a@/b?host=/run/pg", "postgres:///b?host=/run/pg"),
            (
                "postgres://a@/b?host=/run/pg&port=7",
                "postgres:///b?host=/run/pg&port=7",
            ),
        ] {
            assert_eq!(PostgresUrl::parse(url).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn a_wrong_url_is_told_what_it_has_to_be() {
        for (url, expected) in [
            ("mysql://a@b/c", "of the form postgres://user@host/database"),
            (
                "postgres://a@b/c?colour=red",
                "of the form postgres://user@host/database",
            ),
            (
                "postgres://a@b",
                "that names a database, such as postgres://user@host/database",
            ),
            (
                "postgres://a@b/c?sslmode=x",
                "whose sslmode is disable, prefer, require, verify-ca or verify-full",
            ),
            (
                "postgres://a@b/c?sslmode=verify-ca",
                "with sslrootcert=/path/ca.pem, because of sslmode=verify-ca",
            ),
        ] {
            let wrong = PostgresUrl::parse(url).unwrap_err().to_string();
            assert_eq!(wrong, format!("a PostgreSQL URL {expected}"));
        }
    }

    #[test]
    fn a_socket_is_not_encrypted() {
        check(
            "postgres://ann@/modekeeper?host=/run/postgresql&sslmode=require",
            &Ok((SslMode::Disable, ServerProof::None)),
        );
    }
}
