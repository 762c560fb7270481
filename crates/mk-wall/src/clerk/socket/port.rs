//! Who listens on a port, by the kernel's own table: a port that a command has closed may be another's by now.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
/// The state of a socket that waits for connections.
const LISTENS: &str = "0A";

/// Whether all that listen on an address of this machine are among `inodes`. Where nothing listens, nothing is reached.
pub(super) fn is_served_by(address: SocketAddr, inodes: &HashSet<u64>) -> bool {
    TABLES.iter().all(|table| {
        // Without a table of the second family, nothing listens there.
        let Ok(file) = std::fs::File::open(table) else {
            return true;
        };
        let lines = BufReader::new(file).lines().skip(1);
        // Those that listen come first.
        let listeners = lines.map_while(|line| listener(&line.ok()?));
        let mut here = listeners.filter(|it| it.takes(address));
        here.all(|it| inodes.contains(&it.inode))
    })
}

/// A socket that waits for connections.
#[derive(Debug, PartialEq, Eq)]
struct ListeningSocket {
    address: SocketAddr,
    inode: u64,
}

impl ListeningSocket {
    /// Whether a connection to `address` may end here.
    fn takes(&self, address: SocketAddr) -> bool {
        let (here, asked) = (self.address.ip(), address.ip());
        let any = [
            IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        ];
        self.address.port() == address.port() && (here == asked || any.contains(&here))
    }
}

/// One line of the table; `None` from the first one that does not listen.
fn listener(line: &str) -> Option<ListeningSocket> {
    let mut fields = line.split_whitespace();
    let (address, port) = fields.nth(1)?.split_once(':')?;
    if fields.nth(1)? != LISTENS {
        return None;
    }
    let inode = fields.nth(5)?.parse().ok()?;
    let words = address.as_bytes().chunks(8);
    let words = words.map(|word| u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok());
    let bytes: Vec<u8> = words
        .collect::<Option<Vec<u32>>>()?
        .into_iter()
        .flat_map(u32::to_ne_bytes)
        .collect();
    let ip = match bytes.len() {
        4 => IpAddr::from(<[u8; 4]>::try_from(bytes).ok()?),
        _ => IpAddr::from(<[u8; 16]>::try_from(bytes).ok()?),
    };
    Some(ListeningSocket {
        address: SocketAddr::new(ip.to_canonical(), u16::from_str_radix(port, 16).ok()?),
        inode,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, u64)>) {
        let expected = expected.map(|(address, inode)| ListeningSocket {
            address: address.parse().unwrap(),
            inode,
        });
        assert_eq!(listener(line), expected, "{line}");
    }

    #[test]
    fn lines_of_the_kernel_s_table_are_read() {
        check(
            "   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0 48213 1 0000 100 0 0 10 0",
            Some(("127.0.0.1:5432", 48213)),
        );
        check(
            "   1: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0  0 7 1 0000 100 0 0 10 0",
            Some(("[::]:8080", 7)),
        );
        check(
            "   2: 0100007F:1538 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000  0 48214 1 0000 20 4 30 10 -1",
            None,
        );
        check("nonsense", None);
    }

    #[test]
    fn a_port_of_a_stranger_is_not_ours() {
        let stranger = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = stranger.local_addr().unwrap();
        assert!(!is_served_by(address, &HashSet::new()));
        let inode = rustix::fs::fstat(&stranger).unwrap().st_ino;
        assert!(is_served_by(address, &HashSet::from([inode])));
        drop(stranger);
        assert!(is_served_by(address, &HashSet::new()));
    }
}
