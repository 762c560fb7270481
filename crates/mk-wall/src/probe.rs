//! What holds on this kernel, and what that leaves open.

use crate::door::{MARK, MARKED, NOTIFY};
use crate::error::Error;
use crate::floor::Version;
use crate::sys;

/// Whether this process is inside a wall of ours. The kernel answers, so a variable cannot pretend it.
pub fn is_inside() -> bool {
    sys::ask_mark(MARK) == i32::try_from(MARKED).ok()
}

/// Whether commands can be held here, by three questions to the kernel.
pub fn holds() -> bool {
    Version::of_kernel(None).is_ok() && sys::knows_action(NOTIFY).is_ok() && !is_inside()
}

/// One part of the wall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WallFinding {
    pub part: &'static str,
    pub holds: bool,
    /// What is there, or why not.
    pub text: String,
    /// What that leaves open, or the way out.
    pub open: Option<String>,
}

impl WallFinding {
    /// Whether commands are not started without it.
    pub fn is_needed(&self) -> bool {
        self.part != "namespaces"
    }
}

/// Everything there is to say about this kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub findings: Vec<WallFinding>,
}

impl Probe {
    /// Whether commands can be held at all.
    pub fn is_walled(&self) -> bool {
        let mut needed = self.findings.iter().filter(|it| it.is_needed());
        needed.all(|it| it.holds)
    }
}

/// Asks the kernel. Nothing is changed.
pub fn probe() -> Probe {
    Probe {
        findings: vec![landlock(), filter(), clerk(), namespaces()],
    }
}

fn landlock() -> WallFinding {
    let finding = |holds, text: String, open: Option<String>| WallFinding {
        part: "landlock",
        holds,
        text,
        open,
    };
    match Version::of_kernel(None) {
        Ok(version) => {
            let abi = version.number();
            let gaps = [
                (2, "files cannot move between writable directories"),
                (3, "truncate is held by the filter"),
                (5, "requests to devices are held by the filter only"),
                (6, "signals to processes outside are not held"),
            ];
            let gaps = gaps.iter().filter(|(since, _)| abi < *since);
            let gaps: Vec<&str> = gaps.map(|(_, text)| *text).collect();
            let open = (!gaps.is_empty()).then(|| gaps.join("; "));
            finding(true, format!("ABI {abi}"), open)
        }
        Err(error) => {
            let way_out = match error {
                Error::NoLandlock => {
                    "use a kernel from 5.13 on, built with CONFIG_SECURITY_LANDLOCK"
                }
                Error::LandlockOff => {
                    "add landlock to the lsm= parameter of the kernel's command line"
                }
                Error::LandlockForbidden => {
                    "allow the landlock_* system calls in the container's seccomp profile"
                }
                _ => "see the kernel's log",
            };
            let text = format!("{error}: commands are not walled");
            finding(false, text, Some(way_out.to_owned()))
        }
    }
}

fn filter() -> WallFinding {
    const ERRNO: u32 = 0x0005_0000;
    let known = sys::knows_action(ERRNO);
    let open = "metadata, sockets and terminals are not held: commands are not started";
    WallFinding {
        part: "filter",
        holds: known.is_ok(),
        open: known.is_err().then(|| open.to_owned()),
        text: match known {
            Ok(()) => "seccomp filters are available".to_owned(),
            Err(error) => format!("no seccomp filters ({error})"),
        },
    }
}

fn clerk() -> WallFinding {
    let known = sys::knows_action(NOTIFY);
    let inside = is_inside();
    let finding = |holds, text: String, open: Option<&str>| WallFinding {
        part: "clerk",
        holds,
        text,
        open: open.map(str::to_owned),
    };
    match known {
        Ok(()) if inside => finding(
            false,
            "this process is inside a wall, whose clerk answers".to_owned(),
            Some("patterns cannot be narrowed further"),
        ),
        Ok(()) => finding(true, "single calls can be answered".to_owned(), None),
        Err(error) => finding(
            false,
            format!("no user notification ({error})"),
            Some("patterns and guests do not work: use a kernel from 5.9 on"),
        ),
    }
}

fn namespaces() -> WallFinding {
    let most = std::fs::read_to_string("/proc/sys/user/max_user_namespaces").unwrap_or_default();
    let restricted = |path: &str| std::fs::read_to_string(path).is_ok_and(|it| it.trim() == "1");
    let forbidden = !rustix::process::geteuid().is_root()
        && (most.trim() == "0"
            || restricted("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"));
    let open = "hidden files are held by Landlock, one rule for each neighbour; beyond 5,000 the command is not started";
    WallFinding {
        part: "namespaces",
        holds: !forbidden,
        text: if forbidden {
            "user namespaces are restricted".to_owned()
        } else {
            "hidden files are covered by mounts".to_owned()
        },
        open: forbidden.then(|| open.to_owned()),
    }
}
