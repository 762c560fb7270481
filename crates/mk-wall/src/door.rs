//! The doors: a seccomp filter that answers with errors, never with a kill, and sends what the clerk decides to it.
//!
//! Landlock does not hold everything (facts: metadata, sockets, terminals, io_uring, mounts as root). What it leaves
//! open is closed here by a table; what needs a path is sent to the clerk.

mod bpf;
mod table;

pub(crate) use bpf::Instruction;
#[cfg(test)]
pub(crate) use bpf::{Input, evaluate};
pub(crate) use table::{Arch, Call};

use bpf::{Condition, FilterProgram};

use crate::rights::Network;

const ALLOW: u32 = 0x7fff_0000;
const ERRNO: u32 = 0x0005_0000;
pub(crate) const NOTIFY: u32 = 0x7fc0_0000;

const EPERM: u32 = ERRNO | 1;
const EACCES: u32 = ERRNO | 13;
const ENOTTY: u32 = ERRNO | 25;
const ENOSYS: u32 = ERRNO | 38;
const EOPNOTSUPP: u32 = ERRNO | 95;

/// A request that no kernel knows, and the error with which only our filter answers it.
pub(crate) const MARK: u32 = 0x6d6b_7761;
pub(crate) const MARKED: u32 = 1907;

/// Calls above this number came after this table was written: nobody has judged them.
const LAST_KNOWN: u32 = 470;
/// Numbers from here on are the x32 calls of x86-64, a second set of doors to the same rooms.
const X32: u32 = 0x4000_0000;

/// Any of `O_WRONLY`, `O_RDWR`, `O_CREAT`, `O_TRUNC`. They are the same on both architectures.
const WRITES: u32 = 0o1 | 0o2 | 0o100 | 0o1000;

/// `PR_SET_SECCOMP`.
const SET_SECCOMP: u32 = 22;
/// `CLONE_NEWNS` and `CLONE_NEWUSER`.
const NEW_MOUNTS: u32 = 0x0002_0000;
const NEW_USERS: u32 = 0x1000_0000;

/// What the filter depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Doors {
    pub(crate) arch: Arch,
    pub(crate) network: Network,
    pub(crate) clerk: ClerkPresence,
    /// Without the right to truncate in the floor, `truncate` empties any file.
    pub(crate) floor_holds_truncate: bool,
}

/// Whether a clerk answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClerkPresence {
    Answers,
    Absent,
}

impl Doors {
    /// The filter as the kernel takes it.
    pub(crate) fn filter(self) -> Vec<Instruction> {
        let mut program = FilterProgram::new(self.arch);
        program.refuse_other_architectures(ENOSYS);
        if self.arch == Arch::X86_64 {
            program.refuse_from(X32, ENOSYS);
        }
        program.refuse_from(LAST_KNOWN + 1, ENOSYS);
        for call in table::KERNEL {
            program.call(*call, EPERM);
        }
        for call in table::RINGS {
            program.call(*call, ENOSYS);
        }
        for call in table::ATTRIBUTES {
            program.call(*call, EOPNOTSUPP);
        }
        self.terminals(&mut program);
        self.sockets(&mut program);
        self.openings(&mut program);
        self.notified(&mut program);
        self.identity(&mut program);
        program.finish(ALLOW)
    }

    /// The clerk hears of it before a process becomes another one, so that it need not ask each caller who it is.
    fn identity(self, program: &mut FilterProgram) {
        // Nothing else answers this request so; it tells a program that it is inside.
        let mut requests = vec![(vec![Condition::Equals(0, MARK)], ERRNO | MARKED)];
        if self.clerk == ClerkPresence::Answers {
            requests.push((vec![Condition::Equals(0, SET_SECCOMP)], NOTIFY));
            for call in table::IDENTITY {
                program.call(*call, NOTIFY);
            }
            program.call(Call::Umask, NOTIFY);
            for call in [Call::Clone, Call::Unshare] {
                let new_world = vec![Condition::AnyOf(0, NEW_MOUNTS | NEW_USERS)];
                program.rows(call, &[(new_world, NOTIFY)], ALLOW);
            }
            // Its flags are behind a pointer; C libraries then use the older call.
            program.call(Call::Clone3, ENOSYS);
        }
        program.rows(Call::Prctl, &requests, ALLOW);
    }

    fn terminals(self, program: &mut FilterProgram) {
        let mut rows: Vec<(Vec<Condition>, u32)> = Vec::new();
        // Typing into the calling terminal is running a command in it.
        for request in table::TERMINAL_REQUESTS {
            rows.push((vec![Condition::Equals(1, *request)], EPERM));
        }
        // Flags, labels and seals of a file, and subvolumes, need no descriptor that can write.
        for request in table::FILE_FLAG_REQUESTS {
            rows.push((vec![Condition::Equals(1, *request)], ENOTTY));
        }
        program.rows(Call::Ioctl, &rows, ALLOW);
        let new_limit_of_another = [
            (vec![Condition::Equals(0, 0)], ALLOW),
            (vec![Condition::IsNull(2)], ALLOW),
        ];
        program.rows(Call::Prlimit64, &new_limit_of_another, EPERM);
        self.scheduling(program);
    }

    /// The floor does not hold how a process outside is scheduled; the clerk knows who is inside.
    fn scheduling(self, program: &mut FilterProgram) {
        const PROCESS: u32 = 0;
        const GROUP: u32 = 1;
        let another = match self.clerk {
            ClerkPresence::Answers => NOTIFY,
            ClerkPresence::Absent => EPERM,
        };
        for call in table::SCHEDULING {
            program.rows(*call, &[(vec![Condition::Equals(0, 0)], ALLOW)], another);
        }
        // The kinds of `ioprio_set` begin at one.
        for (call, first) in [(Call::Setpriority, 0), (Call::IoprioSet, 1)] {
            let itself = [PROCESS, GROUP].map(|kind| {
                let kind = Condition::Equals(0, first + kind);
                (vec![kind, Condition::Equals(1, 0)], ALLOW)
            });
            let [process, group] = itself;
            let named = (vec![Condition::Equals(0, first + PROCESS)], another);
            program.rows(call, &[process, group, named], EPERM);
        }
    }

    fn sockets(self, program: &mut FilterProgram) {
        const FAST_OPEN: u32 = 0x2000_0000;
        for (call, flags) in [(Call::Sendto, 3), (Call::Sendmsg, 2), (Call::Sendmmsg, 3)] {
            let fast_open = (vec![Condition::AnyOf(flags, FAST_OPEN)], EOPNOTSUPP);
            program.rows(call, &[fast_open], ALLOW);
        }
        let mut kinds = vec![(vec![family(NETLINK), Condition::Equals(2, 0)], ALLOW)];
        // A datagram names its receiver behind a pointer, and a raw UNIX socket is one.
        let streams = [STREAM, SEQUENTIAL_PACKET];
        if self.clerk == ClerkPresence::Answers {
            kinds.extend(streams.map(|it| (vec![family(UNIX), kind(it)], ALLOW)));
        }
        let tcp = self.network == Network::On
            || (self.network == Network::Own && self.clerk == ClerkPresence::Answers);
        for inet in [INET, INET6] {
            if tcp {
                for protocol in [0, TCP] {
                    let protocol = Condition::Equals(2, protocol);
                    kinds.push((vec![family(inet), kind(STREAM), protocol], ALLOW));
                }
            }
            if self.network == Network::On {
                for protocol in [0, UDP] {
                    let protocol = Condition::Equals(2, protocol);
                    kinds.push((vec![family(inet), kind(DATAGRAM), protocol], ALLOW));
                }
            }
        }
        program.rows(Call::Socket, &kinds, EACCES);
        let pairs = streams.map(|it| (vec![family(UNIX), kind(it)], ALLOW));
        program.rows(Call::Socketpair, &pairs, EACCES);
    }

    fn openings(self, program: &mut FilterProgram) {
        let mut rows = |call, flags: u32| {
            let mut rows = Vec::new();
            if !self.floor_holds_truncate {
                // The floor does not see that such an open empties the file.
                let reads = Condition::Masked {
                    arg: flags,
                    mask: 0o3 | TRUNCATES,
                    value: TRUNCATES,
                };
                rows.push((vec![reads], EACCES));
            }
            if self.clerk == ClerkPresence::Answers {
                rows.push((vec![Condition::AnyOf(flags, WRITES)], NOTIFY));
            }
            program.rows(call, &rows, ALLOW);
        };
        rows(Call::Openat, 2);
        rows(Call::Open, 1);
    }

    fn notified(self, program: &mut FilterProgram) {
        if !self.floor_holds_truncate {
            // Its flags are behind a pointer.
            program.call(Call::Openat2, ENOSYS);
        }
        match self.clerk {
            ClerkPresence::Answers => {
                for call in table::PATHS {
                    program.call(*call, NOTIFY);
                }
                program.call(Call::Connect, NOTIFY);
                program.call(Call::Bind, NOTIFY);
            }
            ClerkPresence::Absent if !self.floor_holds_truncate => {
                program.call(Call::Truncate, EACCES);
            }
            ClerkPresence::Absent => {}
        }
    }
}

const UNIX: u32 = 1;
const INET: u32 = 2;
const INET6: u32 = 10;
const NETLINK: u32 = 16;
const STREAM: u32 = 1;
const DATAGRAM: u32 = 2;
const SEQUENTIAL_PACKET: u32 = 5;
const TCP: u32 = 6;
const UDP: u32 = 17;
const TRUNCATES: u32 = 0o1000;

const fn family(value: u32) -> Condition {
    Condition::Equals(0, value)
}

/// The type without its flags.
const fn kind(value: u32) -> Condition {
    Condition::Masked {
        arg: 1,
        mask: 0xf,
        value,
    }
}
