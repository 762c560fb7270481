//! Who is at the other end of a connection: the kernel knows which user a local socket belongs to, and its number.
//!
//! Decides nothing; [`crate::guard`] does.

use std::net::{IpAddr, SocketAddr};

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    pub address: IpAddr,
    pub user: PeerUser,
    /// The number of its socket, where it is a process of this user.
    pub socket: Option<u64>,
}

/// Whose process a peer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerUser {
    /// A process on this machine of the user that runs this server.
    Same,
    /// A process on this machine of another user, or of one the kernel does not tell.
    Other,
    /// Another machine.
    Remote,
}

impl Peer {
    /// Looks the peer of an accepted connection up, once.
    pub fn of(peer: SocketAddr, local: SocketAddr) -> Self {
        let (peer, local) = (canonical(peer), canonical(local));
        let (user, socket) = if peer.ip().is_loopback() || peer.ip() == local.ip() {
            lookup(peer, local)
        } else {
            (PeerUser::Remote, None)
        };
        Self {
            address: peer.ip(),
            user,
            socket,
        }
    }
}

/// An IPv4 address that came in over an IPv6 socket is an IPv4 address.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(target_os = "linux")]
fn lookup(peer: SocketAddr, local: SocketAddr) -> (PeerUser, Option<u64>) {
    let owner = linux::ask_kernel(peer, local).or_else(|| linux::read_table(peer, local));
    match owner {
        Some((uid, socket)) if uid == rustix::process::geteuid().as_raw() => {
            (PeerUser::Same, Some(socket))
        }
        Some(_) | None => (PeerUser::Other, None),
    }
}

/// Where the kernel cannot be asked, being on this machine is all that is known.
#[cfg(not(target_os = "linux"))]
fn lookup(_peer: SocketAddr, _local: SocketAddr) -> (PeerUser, Option<u64>) {
    (PeerUser::Same, None)
}

#[cfg(target_os = "linux")]
mod linux {
    //! Two ways to the same row: a question about one socket, or the table of all of them where a container forbids
    //! the question.

    use std::fs;
    use std::net::{IpAddr, SocketAddr};
    use std::time::Duration;

    use rustix::net::netlink::{self, SocketAddrNetlink};
    use rustix::net::sockopt::{Timeout, set_socket_timeout};
    use rustix::net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with,
    };

    const SOCK_DIAG_BY_FAMILY: u16 = 20;
    const NLM_F_REQUEST: u16 = 1;
    const NLMSG_HEADER: usize = 16;
    /// Where `struct inet_diag_msg` has `idiag_uid`, and after it `idiag_inode`.
    const UID_AT: usize = NLMSG_HEADER + 64;

    /// User and number of the socket that is bound to `peer` and connected to `local`.
    pub(super) fn ask_kernel(peer: SocketAddr, local: SocketAddr) -> Option<(u32, u64)> {
        let socket = socket_with(
            AddressFamily::NETLINK,
            SocketType::DGRAM,
            SocketFlags::CLOEXEC,
            Some(netlink::SOCK_DIAG),
        )
        .ok()?;
        set_socket_timeout(&socket, Timeout::Recv, Some(Duration::from_millis(100))).ok()?;
        let kernel = SocketAddrNetlink::new(0, 0);
        sendto(&socket, &question(peer, local), SendFlags::empty(), &kernel).ok()?;
        let mut answer = [0_u8; 512];
        let (length, _) = recv(&socket, answer.as_mut_slice(), RecvFlags::empty()).ok()?;
        let answer = answer.get(..length)?;
        let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
        if kind != SOCK_DIAG_BY_FAMILY {
            return None;
        }
        let number = |at: usize| {
            let bytes = answer.get(at..at + 4)?;
            Some(u32::from_ne_bytes(bytes.try_into().ok()?))
        };
        Some((number(UID_AT)?, u64::from(number(UID_AT + 4)?)))
    }

    /// `struct nlmsghdr` and `struct inet_diag_req_v2` for exactly one socket.
    fn question(peer: SocketAddr, local: SocketAddr) -> Vec<u8> {
        let family = match peer {
            SocketAddr::V4(_) => AddressFamily::INET,
            SocketAddr::V6(_) => AddressFamily::INET6,
        };
        const LENGTH: u32 = 16 + 56;
        const TCP: u8 = 6;
        let mut bytes = Vec::with_capacity(LENGTH as usize);
        bytes.extend(LENGTH.to_ne_bytes());
        bytes.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
        bytes.extend(NLM_F_REQUEST.to_ne_bytes());
        bytes.extend([0; 8]); // sequence, port
        bytes.extend([family.as_raw() as u8, TCP, 0, 0]);
        bytes.extend(u32::MAX.to_ne_bytes()); // any state
        bytes.extend(peer.port().to_be_bytes());
        bytes.extend(local.port().to_be_bytes());
        bytes.extend(sixteen(peer.ip()));
        bytes.extend(sixteen(local.ip()));
        bytes.extend([0; 4]); // any interface
        bytes.extend([0xff; 8]); // no cookie
        bytes
    }

    fn sixteen(address: IpAddr) -> [u8; 16] {
        let mut bytes = [0; 16];
        match address {
            IpAddr::V4(address) => bytes[..4].copy_from_slice(&address.octets()),
            IpAddr::V6(address) => bytes = address.octets(),
        }
        bytes
    }

    /// The same from `/proc/net/tcp` or `tcp6`: costs more with every socket there is.
    pub(super) fn read_table(peer: SocketAddr, local: SocketAddr) -> Option<(u32, u64)> {
        let table = match peer {
            SocketAddr::V4(_) => "/proc/net/tcp",
            SocketAddr::V6(_) => "/proc/net/tcp6",
        };
        let (peer, local) = (shown(peer), shown(local));
        fs::read_to_string(table).ok()?.lines().find_map(|line| {
            let mut fields = line.split_ascii_whitespace().skip(1);
            let found = fields.next()? == peer && fields.next()? == local;
            let uid = fields.nth(4)?.parse().ok()?;
            let socket = fields.nth(1)?.parse().ok()?;
            found.then_some((uid, socket))
        })
    }

    /// An address as the table writes it: each 32 bits in this machine's order.
    fn shown(address: SocketAddr) -> String {
        let words = |bytes: &[u8]| -> String {
            let words = bytes.chunks_exact(4);
            words
                .filter_map(|word| Some(u32::from_ne_bytes(word.try_into().ok()?)))
                .map(|word| format!("{word:08X}"))
                .collect()
        };
        let ip = match address.ip() {
            IpAddr::V4(address) => words(&address.octets()),
            IpAddr::V6(address) => words(&address.octets()),
        };
        format!("{ip}:{:04X}", address.port())
    }
}
