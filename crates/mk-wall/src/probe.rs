//! What holds on this kernel, and what that leaves open.

use crate::door::{MARK, MARKED, NOTIFY};
use crate::error::Error;
use crate::floor::Version;
use crate::sys;

/// Whether this process is inside a wall of ours. The kernel answers, so a variable cannot pretend it.
pub fn is_inside() -> bool {
    sys::ask_mark(MARK) == i32::try_from(MARKED).ok()
}

/// One part of the wall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub part: &'static str,
    pub holds: bool,
    /// What is there, or why not and what that leaves open.
    pub text: String,
}

/// Everything there is to say about this kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub findings: Vec<Finding>,
}

impl Probe {
    /// Whether commands can be held at all.
    pub fn is_walled(&self) -> bool {
        let needed = self.findings.iter().filter(|it| it.part != "namespaces");
        needed.into_iter().all(|it| it.holds)
    }
}

/// Asks the kernel. Nothing is changed.
pub fn probe() -> Probe {
    Probe {
        findings: vec![landlock(), filter(), clerk(), namespaces()],
    }
}

fn landlock() -> Finding {
    let finding = |holds, text: String| Finding {
        part: "landlock",
        holds,
        text,
    };
    match Version::of_kernel(None) {
        Ok(version) => {
            let mut text = format!("ABI {}", version.number());
            let abi = version.number();
            if abi < 2 {
                text.push_str("; files cannot move between writable directories");
            }
            if abi < 3 {
                text.push_str("; truncate is held by the filter");
            }
            if abi < 6 {
                text.push_str("; signals to processes outside are not held");
            }
            finding(true, text)
        }
        Err(error) => {
            let way_out = match error {
                Error::NoLandlock => {
                    ". Use a kernel from 5.13 on, built with CONFIG_SECURITY_LANDLOCK"
                }
                Error::LandlockOff => {
                    ". Add landlock to the lsm= parameter of the kernel's command line"
                }
                Error::LandlockForbidden => {
                    ". Allow the landlock_* system calls in the container's seccomp profile"
                }
                _ => "",
            };
            finding(false, format!("{error}: commands are not walled{way_out}"))
        }
    }
}

fn filter() -> Finding {
    const ERRNO: u32 = 0x0005_0000;
    let known = sys::knows_action(ERRNO);
    Finding {
        part: "filter",
        holds: known.is_ok(),
        text: match known {
            Ok(()) => "seccomp filters are available".to_owned(),
            Err(error) => format!(
                "no seccomp filters ({error}): metadata, sockets and terminals are not held"
            ),
        },
    }
}

fn clerk() -> Finding {
    let known = sys::knows_action(NOTIFY);
    let inside = is_inside();
    Finding {
        part: "clerk",
        holds: known.is_ok() && !inside,
        text: match known {
            Ok(()) if inside => {
                "an outer wall has the clerk: patterns cannot be narrowed further".to_owned()
            }
            Ok(()) => "single calls can be answered".to_owned(),
            Err(error) => {
                format!("no user notification ({error}): patterns and guests do not work")
            }
        },
    }
}

fn namespaces() -> Finding {
    let most = std::fs::read_to_string("/proc/sys/user/max_user_namespaces").unwrap_or_default();
    let restricted = |path: &str| std::fs::read_to_string(path).is_ok_and(|it| it.trim() == "1");
    let forbidden =
        most.trim() == "0" || restricted("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    Finding {
        part: "namespaces",
        holds: !forbidden,
        text: if forbidden {
            "user namespaces are restricted: hidden files are held by Landlock, one rule for each neighbour".to_owned()
        } else {
            "hidden files are covered by mounts".to_owned()
        },
    }
}
