//! The processes above this one, as the kernel knows them: which agent started us, and who started that agent.

use std::time::Duration;

use mk_engine::{AgentLink, Process};

use crate::env::Env;

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
pub(crate) fn ancestors() -> Vec<Process> {
    let mut found = Vec::new();
    let mut next = parent_of("self");
    while let Some(id) = next.filter(|id| *id > 1 && found.len() < DEEPEST) {
        let Some(seen) = Seen::read(&id.to_string()) else {
            break;
        };
        if !found.is_empty() || !SHELLS.contains(&seen.name.as_str()) {
            found.push(Process {
                id,
                started: seen.started,
            });
        }
        next = Some(seen.parent);
    }
    found
}

/// How long the threads of this process were ready to run and did not run. Zero where the kernel does not say.
pub(crate) fn waited_for_cpu() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let waited = threads.flatten().filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    Duration::from_nanos(waited.sum())
}

fn parent_of(process: &str) -> Option<u32> {
    Seen::read(process).map(|seen| seen.parent)
}

/// What `/proc` says about a process.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    name: String,
    parent: u32,
    started: u64,
}

impl Seen {
    fn read(process: &str) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        Self::parse(&text)
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
    use super::{Seen, ancestors};

    #[test]
    fn names_with_brackets_do_not_move_the_fields() {
        let text = "7 (a (b) c) S 5 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 9 10\n";
        let expected = Seen {
            name: "a (b) c".to_owned(),
            parent: 5,
            started: 4711,
        };
        assert_eq!(Seen::parse(text), Some(expected));
        assert_eq!(Seen::parse("7 (cut"), None);
    }

    #[test]
    fn whoever_runs_this_test_is_above_it() {
        let found = ancestors();
        assert!(found.len() < 64, "{found:?}");
        assert!(found.iter().all(|process| process.id > 1), "{found:?}");
    }
}
