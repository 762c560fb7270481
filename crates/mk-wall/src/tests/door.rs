//! The filter, evaluated for both architectures on whatever machine this is.

use crate::door::{Arch, Call, ClerkPresence, Doors, Input, NOTIFY, evaluate};
use crate::rights::Network;

const ALLOW: u32 = 0x7fff_0000;
const ARCHES: [Arch; 2] = [Arch::X86_64, Arch::Aarch64];

fn errno(number: u32) -> u32 {
    0x0005_0000 | number
}

fn doors(arch: Arch, network: Network) -> Doors {
    Doors {
        arch,
        network,
        clerk: ClerkPresence::Answers,
        floor_holds_truncate: true,
    }
}

#[track_caller]
fn check(doors: Doors, call: Call, args: &[u64], expected: u32) {
    let Some(number) = call.number(doors.arch) else {
        return;
    };
    let mut all = [0; 6];
    all[..args.len()].copy_from_slice(args);
    let input = Input {
        number,
        audit: doors.arch.audit(),
        args: all,
    };
    let answer = evaluate(&doors.filter(), &input);
    assert_eq!(
        answer, expected,
        "{call:?} {args:x?} on {:?}: {answer:x}",
        doors.arch
    );
}

#[test]
fn reads_are_allowed_and_writes_are_asked_about() {
    for arch in ARCHES {
        let doors = doors(arch, Network::Own);
        check(doors, Call::Openat, &[0, 0, 0], ALLOW);
        check(doors, Call::Openat, &[0, 0, 0o200_0000], ALLOW);
        for flags in [0o1, 0o2, 0o100, 0o1000, 0o2102] {
            check(doors, Call::Openat, &[0, 0, flags], NOTIFY);
            check(doors, Call::Open, &[0, flags], NOTIFY);
        }
        check(doors, Call::Fchmodat2, &[], NOTIFY);
        check(doors, Call::Connect, &[], NOTIFY);
    }
}

#[test]
fn upper_halves_of_registers_hide_nothing() {
    for arch in ARCHES {
        let doors = doors(arch, Network::Own);
        check(doors, Call::Ioctl, &[0, 0x5412 | 7 << 32], errno(1));
        check(doors, Call::Openat, &[0, 0, 0o1 | 9 << 32], NOTIFY);
        check(doors, Call::Prlimit64, &[1 << 32, 0, 1], ALLOW);
        check(doors, Call::Prlimit64, &[4, 0, 1 << 40], errno(1));
        check(doors, Call::Prlimit64, &[4, 0, 0], ALLOW);
    }
}

#[test]
fn sockets_follow_the_network_level() {
    let (unix, inet, inet6) = (1, 2, 10);
    let (stream, datagram, raw) = (1, 2, 3);
    let cloexec = 0o200_0000;
    for arch in ARCHES {
        for network in [Network::Off, Network::Own, Network::On] {
            let doors = doors(arch, network);
            let tcp = if network == Network::Off {
                errno(13)
            } else {
                ALLOW
            };
            let udp = if network == Network::On {
                ALLOW
            } else {
                errno(13)
            };
            check(doors, Call::Socket, &[unix, stream | cloexec], ALLOW);
            check(doors, Call::Socket, &[unix, datagram], errno(13));
            check(doors, Call::Socket, &[unix, raw], errno(13));
            check(doors, Call::Socketpair, &[unix, datagram], errno(13));
            check(doors, Call::Socketpair, &[unix, stream], ALLOW);
            for family in [inet, inet6] {
                check(doors, Call::Socket, &[family, stream], tcp);
                check(doors, Call::Socket, &[family, stream, 262], errno(13));
                check(doors, Call::Socket, &[family, stream, 132], errno(13));
                check(doors, Call::Socket, &[family, datagram, 17], udp);
                check(doors, Call::Socket, &[family, datagram, 1], errno(13));
                check(doors, Call::Socket, &[family, raw, 1], errno(13));
            }
            check(doors, Call::Socket, &[16, raw, 0], ALLOW);
            check(doors, Call::Socket, &[16, raw, 9], errno(13));
            check(doors, Call::Socket, &[17, raw, 0], errno(13));
            check(doors, Call::Sendto, &[0, 0, 0, 0x2000_0000], errno(95));
        }
    }
}

#[test]
fn unknown_calls_and_architectures_do_not_exist() {
    for arch in ARCHES {
        let filter = doors(arch, Network::On).filter();
        let answer = |number, audit| {
            evaluate(
                &filter,
                &Input {
                    number,
                    audit,
                    args: [0; 6],
                },
            )
        };
        assert_eq!(answer(0, 0x4000_0003), errno(38));
        assert_eq!(answer(471, arch.audit()), errno(38));
        assert_eq!(answer(0x4000_0001, arch.audit()), errno(38));
        assert_eq!(answer(63, arch.audit()), ALLOW);
    }
}

#[test]
fn without_truncate_in_the_floor_the_doors_hold_it() {
    for arch in ARCHES {
        for clerk in [ClerkPresence::Answers, ClerkPresence::Absent] {
            let doors = Doors {
                clerk,
                floor_holds_truncate: false,
                ..doors(arch, Network::Off)
            };
            check(doors, Call::Openat, &[0, 0, 0o1000], errno(13));
            check(doors, Call::Openat2, &[], errno(38));
            let by_path = if clerk == ClerkPresence::Answers {
                NOTIFY
            } else {
                errno(13)
            };
            check(doors, Call::Truncate, &[], by_path);
        }
    }
}

#[test]
fn the_clerk_hears_of_processes_that_become_others() {
    const NEW_USERS: u64 = 0x1000_0000;
    const NEW_MOUNTS: u64 = 0x0002_0000;
    const THREAD: u64 = 0x003d_0f00;
    for arch in ARCHES {
        let doors = doors(arch, Network::Own);
        for call in [Call::Setuid, Call::Setgroups, Call::Chroot, Call::Setns] {
            check(doors, call, &[], NOTIFY);
        }
        check(doors, Call::Umask, &[0o77], NOTIFY);
        check(doors, Call::Seccomp, &[1], NOTIFY);
        check(doors, Call::Prctl, &[22, 2], NOTIFY);
        check(doors, Call::Prctl, &[15], ALLOW);
        for call in [Call::Clone, Call::Unshare] {
            check(doors, call, &[THREAD], ALLOW);
            check(doors, call, &[THREAD | NEW_USERS], NOTIFY);
            check(doors, call, &[NEW_MOUNTS], NOTIFY);
        }
        check(doors, Call::Clone3, &[], errno(38));
        let alone = Doors {
            clerk: ClerkPresence::Absent,
            ..doors
        };
        check(alone, Call::Clone3, &[], ALLOW);
        check(alone, Call::Umask, &[], ALLOW);
    }
}

/// Numbers on both sides of each that is looked at, so that halving them loses none.
#[test]
fn calls_that_are_not_looked_at_are_allowed() {
    for arch in ARCHES {
        let known: Vec<u32> = Call::ALL.iter().filter_map(|it| it.number(arch)).collect();
        let filter = doors(arch, Network::Own).filter();
        for number in (0..=470).filter(|it| !known.contains(it)) {
            let input = Input {
                number,
                audit: arch.audit(),
                args: [0; 6],
            };
            assert_eq!(evaluate(&filter, &input), ALLOW, "{number} on {arch:?}");
        }
    }
}

#[test]
fn without_a_clerk_nothing_is_called() {
    for arch in ARCHES {
        let doors = Doors {
            clerk: ClerkPresence::Absent,
            ..doors(arch, Network::Own)
        };
        check(doors, Call::Socket, &[1, 1], errno(13));
        check(doors, Call::Socket, &[2, 1], errno(13));
        check(doors, Call::Openat, &[0, 0, 0o1], ALLOW);
    }
}

#[test]
fn no_two_calls_have_one_number() {
    for arch in ARCHES {
        let mut numbers: Vec<u32> = Call::ALL.iter().filter_map(|it| it.number(arch)).collect();
        let count = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), count);
    }
}
