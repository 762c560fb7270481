//! Who listens on a port, by the kernel's own table: a port that a command has closed may be another's by now.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// One for each family; the second may be missing.
const TABLE: &str = "/proc/self/net/tcp";
const SECOND_TABLE: &str = "/proc/self/net/tcp6";
/// The state of a socket that waits for connections.
const LISTENS: &str = "0A";

/// Whether all that listen on an address of this machine are among `inodes`. Where nothing listens, nothing is reached.
/// What cannot be read may be a stranger's.
pub(super) fn is_served_by(address: SocketAddr, inodes: &HashSet<u64>) -> bool {
    let in_second = match File::open(SECOND_TABLE) {
        Ok(file) => serves(BufReader::new(file), address, inodes),
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    in_second && File::open(TABLE).is_ok_and(|file| serves(BufReader::new(file), address, inodes))
}

/// The same by one table.
fn serves(table: impl BufRead, address: SocketAddr, inodes: &HashSet<u64>) -> bool {
    for line in table.lines().skip(1) {
        match line.ok().and_then(|line| table_line(&line)) {
            None => return false,
            // Those that listen come first.
            Some(TableLine::Other) => return true,
            Some(TableLine::Listens(it)) => {
                if it.takes(address) && !inodes.contains(&it.inode) {
                    return false;
                }
            }
        }
    }
    true
}

/// What a line of the table is about.
#[derive(Debug, PartialEq, Eq)]
enum TableLine {
    Listens(ListeningSocket),
    /// A socket in another state.
    Other,
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

/// One line of the table; `None` if it is not one.
fn table_line(line: &str) -> Option<TableLine> {
    let mut fields = line.split_whitespace();
    let (address, port) = fields.nth(1)?.split_once(':')?;
    let state = fields.nth(1)?;
    if state != LISTENS {
        let is_state = state.len() == 2 && state.bytes().all(|it| it.is_ascii_hexdigit());
        return is_state.then_some(TableLine::Other);
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
    Some(TableLine::Listens(ListeningSocket {
        address: SocketAddr::new(ip.to_canonical(), u16::from_str_radix(port, 16).ok()?),
        inode,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, u64)>) {
        let expected = expected.map(|(address, inode)| match address {
            "" => TableLine::Other,
            _ => TableLine::Listens(ListeningSocket {
                address: address.parse().unwrap(),
                inode,
            }),
        });
        assert_eq!(table_line(line), expected, "{line}");
    }

    const HEAD: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
    const LISTENER: &str = "   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0 48213 1 0000 100 0 0 10 0\n";

    #[track_caller]
    fn check_table(lines: &str, inodes: &[u64], is_served: bool) {
        let table = format!("{HEAD}{lines}");
        let address = "127.0.0.1:5432".parse().unwrap();
        let inodes = inodes.iter().copied().collect();
        assert_eq!(
            serves(table.as_bytes(), address, &inodes),
            is_served,
            "{lines}"
        );
    }

    #[test]
    fn a_table_that_cannot_be_read_to_its_end_serves_nothing() {
        check_table("", &[], true);
        check_table(LISTENER, &[], false);
        check_table(LISTENER, &[48213], true);
        let cut = "   0: 0100007F:1F90 00000000:0000 0A\n";
        check_table(&format!("{cut}{LISTENER}"), &[], false);
        check_table(&format!("{cut}{LISTENER}"), &[48213], false);
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
            Some(("", 0)),
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
    }
}
