//! The processes above this one, as the kernel knows them: which agent started us, and who started that agent.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use mk_engine::{AgentLink, ProcessIdentity};

use crate::env::{Env, client_sessions};

/// More than this is a loop or somebody's joke.
const DEEPEST: usize = 64;
/// Programs that only pass a command on: the client is above them.
const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "fish", "env", "timeout", "nice",
];

/// How this process is tied to the agent that started it.
pub(crate) fn agent_link(env: &Env) -> AgentLink {
    let link = AgentLink::new(ancestors());
    let sessions = env.client_sessions.iter();
    sessions.fold(link, |link, (client, session)| {
        link.with_session(client, session)
    })
}

/// The client that started us first, then every process above it.
pub(crate) fn ancestors() -> Vec<ProcessIdentity> {
    ancestors_from(parent_of("self"))
}

/// What leads from the processes that have a socket of this number to an agent: those above them, and the session that
/// a client has named to them. Those of other users show nothing.
pub(crate) fn owners_of(socket: u64) -> AgentLink {
    let name = format!("socket:[{socket}]");
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|it| it.file_name().to_str()?.parse::<u32>().ok());
    let has_it = |id: &u32| {
        let files = std::fs::read_dir(format!("/proc/{id}/fd"));
        let mut files = files.into_iter().flatten().flatten();
        files.any(|file| {
            let target = std::fs::read_link(file.path());
            target.is_ok_and(|target| target.as_os_str() == name.as_str())
        })
    };
    let owners: Vec<u32> = numbers.filter(has_it).collect();
    let above = owners.iter().flat_map(|id| ancestors_from(Some(*id)));
    let link = AgentLink::new(above.collect());
    let sessions = owners.iter().flat_map(|id| sessions_of(*id));
    sessions.fold(link, |link, (client, session)| {
        link.with_trace(client, &session)
    })
}

/// The sessions that clients have named to a process.
fn sessions_of(id: u32) -> Vec<(&'static str, String)> {
    let variables = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    client_sessions(|name| {
        let mut variables = variables.split(|it| *it == 0);
        let value = |it: &[u8]| {
            Some(
                it.strip_prefix(name.as_bytes())?
                    .strip_prefix(b"=")?
                    .to_vec(),
            )
        };
        String::from_utf8(variables.find_map(value)?).ok()
    })
}

/// The same for a process whose parent is known.
pub(crate) fn ancestors_from(parent: Option<u32>) -> Vec<ProcessIdentity> {
    let mut found = Vec::new();
    let mut next = parent;
    while let Some(id) = next.filter(|id| *id > 1 && found.len() < DEEPEST) {
        let Some(seen) = ProcessStat::read(&id.to_string()) else {
            break;
        };
        if !found.is_empty() || !SHELLS.contains(&seen.name.as_str()) {
            found.push(ProcessIdentity {
                id,
                started: seen.started,
            });
        }
        next = Some(seen.parent);
    }
    found
}

/// Whether the user's login shell is bash, as the system's list of users says. One that is not in the list is none.
pub(crate) fn is_bash_login_shell() -> bool {
    login_shell().is_some_and(|shell| shell.file_name().is_some_and(|name| name == "bash"))
}

/// The user's login shell.
pub(crate) fn login_shell() -> Option<PathBuf> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let id = rustix::process::getuid().as_raw().to_string();
    let user = users
        .lines()
        .find(|line| line.split(':').nth(2) == Some(&id))?;
    user.split(':').nth(6).map(PathBuf::from)
}

fn parent_of(process: &str) -> Option<u32> {
    ProcessStat::read(process).map(|seen| seen.parent)
}

/// What `/proc` says about a process.
#[derive(Debug, PartialEq, Eq)]
struct ProcessStat {
    name: String,
    parent: u32,
    started: u64,
}

impl ProcessStat {
    fn read(process: &str) -> Option<Self> {
        // The kernel gives all of it at once; what is read here stands in the first part.
        let mut text = [0; 512];
        let mut file = File::open(format!("/proc/{process}/stat")).ok()?;
        let length = file.read(&mut text).ok()?;
        Self::parse(&String::from_utf8_lossy(text.get(..length)?))
    }

    /// A program's name may have blanks and brackets, so what follows it is counted from its end.
    fn parse(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once('(')?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let parent = fields.nth(1)?.parse().ok()?;
        let started = fields.nth(17)?.parse().ok()?;
        Some(Self {
            name: name.to_owned(),
            parent,
            started,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ProcessStat, ancestors};

    #[test]
    fn names_with_brackets_do_not_move_the_fields() {
        let text = "7 (a (b) c) S 5 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 9 10\n";
        let expected = ProcessStat {
            name: "a (b) c".to_owned(),
            parent: 5,
            started: 4711,
        };
        assert_eq!(ProcessStat::parse(text), Some(expected));
        assert_eq!(ProcessStat::parse("7 (cut"), None);
    }

    #[test]
    fn whoever_runs_this_test_is_above_it() {
        let found = ancestors();
        assert!(found.len() < 64, "{found:?}");
        assert!(found.iter().all(|process| process.id > 1), "{found:?}");
    }
}
