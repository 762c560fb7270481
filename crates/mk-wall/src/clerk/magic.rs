//! Links of `/proc` by their names: they lead to what a process holds, wherever that is, and only for that process.
//!
//! We are another process, so their names are read here instead of being followed.

/// Whose link it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkOwner {
    /// Of the process that asks.
    Itself,
    Number(u32),
}

/// One link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MagicLink {
    pub(super) process: LinkOwner,
    /// Below the directory of the process: `root`, `cwd` or `fd/7`.
    pub(super) what: String,
}

/// Splits an absolute path into the link it begins with and the rest.
pub(super) fn split(path: &[u8]) -> Option<(MagicLink, &[u8])> {
    if !path.starts_with(b"/") {
        return None;
    }
    let (first, rest) = component(path)?;
    match first {
        b"proc" => of_proc(rest),
        b"dev" => of_dev(rest),
        _ => None,
    }
}

fn of_proc(path: &[u8]) -> Option<(MagicLink, &[u8])> {
    let (process, mut rest) = component(path)?;
    let process = match process {
        b"self" => LinkOwner::Itself,
        b"thread-self" => LinkOwner::Itself,
        number => LinkOwner::Number(number_of(number)?),
    };
    let (mut what, mut after) = component(rest)?;
    if what == b"task" {
        let (_, below) = component(after)?;
        (what, after) = component(below)?;
    }
    rest = after;
    let what = match what {
        b"root" => "root".to_owned(),
        b"cwd" => "cwd".to_owned(),
        b"fd" => {
            let (number, below) = component(rest)?;
            rest = below;
            format!("fd/{}", number_of(number)?)
        }
        _ => return None,
    };
    Some((MagicLink { process, what }, trimmed(rest)))
}

fn of_dev(path: &[u8]) -> Option<(MagicLink, &[u8])> {
    let (name, rest) = component(path)?;
    let (number, rest) = match name {
        b"stdin" => (0, rest),
        b"stdout" => (1, rest),
        b"stderr" => (2, rest),
        b"fd" => {
            let (number, rest) = component(rest)?;
            (number_of(number)?, rest)
        }
        _ => return None,
    };
    let link = MagicLink {
        process: LinkOwner::Itself,
        what: format!("fd/{number}"),
    };
    Some((link, trimmed(rest)))
}

/// The first name of a path and what follows it; names that stay where they are do not count.
fn component(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = path;
    loop {
        rest = trimmed(rest);
        let end = rest.iter().position(|it| *it == b'/').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        match name {
            b"" | b".." => return None,
            b"." => rest = after,
            _ => return Some((name, after)),
        }
    }
}

fn trimmed(path: &[u8]) -> &[u8] {
    let start = path.iter().position(|it| *it != b'/');
    start.map_or(&[], |at| &path[at..])
}

fn number_of(text: &[u8]) -> Option<u32> {
    let is_plain = text.first().is_some_and(u8::is_ascii_digit);
    let text = std::str::from_utf8(text).ok().filter(|_| is_plain)?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<(LinkOwner, &str, &str)>) {
        let found = split(path.as_bytes());
        let found = found.map(|(link, rest)| (link.process, link.what, rest.to_vec()));
        let expected = expected
            .map(|(process, what, rest)| (process, what.to_owned(), rest.as_bytes().to_vec()));
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn links_are_known_by_their_names() {
        check(
            "/proc/self/root/etc/x",
            Some((LinkOwner::Itself, "root", "etc/x")),
        );
        check("//proc/./self//cwd", Some((LinkOwner::Itself, "cwd", "")));
        check("/proc/7/fd/3", Some((LinkOwner::Number(7), "fd/3", "")));
        check(
            "/proc/7/task/8/fd/3/a",
            Some((LinkOwner::Number(7), "fd/3", "a")),
        );
        check("/dev/stderr", Some((LinkOwner::Itself, "fd/2", "")));
        check("/dev/fd/63", Some((LinkOwner::Itself, "fd/63", "")));
        check("/proc/self/status", None);
        check("/proc/self/../1/fd/2", None);
        check("/proc/self/fd/+3", None);
        check("proc/self/fd/3", None);
        check("/dev/null", None);
    }
}
