//! Where a request comes from when a reverse proxy brings it.
//!
//! Only the header of a proxy that the operator has named is believed, and of that header only what such proxies added:
//! everything to the left of the first address that is not one of them, its sender may have written.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;

use crate::peer::{Peer, PeerUser};

/// Reverse proxies that say where requests come from.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies {
    networks: Vec<(IpAddr, u8)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidProxy(String);

impl fmt::Display for InvalidProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = &self.0;
        write!(
            f,
            "`{given}` is not an address such as 10.0.0.5, or a network such as 10.0.0.0/24"
        )
    }
}

impl std::error::Error for InvalidProxy {}

impl TrustedProxies {
    pub fn parse(proxies: &[String]) -> Result<Self, InvalidProxy> {
        let networks = proxies
            .iter()
            .map(|text| network(text.trim()).ok_or_else(|| InvalidProxy(text.clone())));
        let networks = networks.collect::<Result<_, _>>()?;
        Ok(Self { networks })
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.networks
            .iter()
            .any(|(network, length)| shares(*network, address, *length))
    }

    /// The client behind a proxy; everyone else as the connection has them. Who comes through a proxy is never a
    /// process of this user, wherever the proxy runs.
    pub(crate) fn sender(&self, peer: Peer, headers: &HeaderMap) -> Peer {
        if !self.trusts(peer.address) {
            return peer;
        }
        let forwarded = self.client(peer.address, &values(headers, "forwarded", named_in));
        let listed = self.client(peer.address, &values(headers, "x-forwarded-for", as_listed));
        let address = match (forwarded, listed) {
            // A proxy that forgets the header must not make everyone a process of this user.
            (None, None) => peer.address,
            (Some(one), None) | (None, Some(one)) => one,
            (Some(one), Some(other)) if one == other => one,
            // One of the two came from the client: the proxy writes only the other.
            (Some(_), Some(_)) => peer.address,
        };
        Peer {
            address,
            user: PeerUser::Remote,
            socket: None,
        }
    }

    /// The first address from the right that is not a proxy's; the last proxy before one that cannot be read.
    fn client(&self, proxy: IpAddr, hops: &[String]) -> Option<IpAddr> {
        if hops.is_empty() {
            return None;
        }
        let mut client = proxy;
        for hop in hops.iter().rev() {
            let Some(address) = address(hop) else { break };
            client = address;
            if !self.trusts(address) {
                break;
            }
        }
        Some(client)
    }
}

/// The parts of all headers of a name, in order.
fn values(headers: &HeaderMap, name: &str, read: fn(&str) -> String) -> Vec<String> {
    let lines = headers.get_all(name).iter();
    let lines = lines.map(|line| line.to_str().unwrap_or("unknown"));
    lines.flat_map(|line| line.split(',')).map(read).collect()
}

fn as_listed(hop: &str) -> String {
    hop.trim().to_owned()
}

/// The `for=` of one hop of `Forwarded`.
fn named_in(hop: &str) -> String {
    let named = hop.split(';').find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        name.eq_ignore_ascii_case("for").then_some(value)
    });
    named.unwrap_or_default().trim_matches('"').to_owned()
}

/// An address with or without a port, IPv6 with or without brackets.
fn address(hop: &str) -> Option<IpAddr> {
    let bare = hop.trim_matches(['[', ']']).parse::<IpAddr>().ok();
    let with_port = || hop.parse::<SocketAddr>().ok().map(|it| it.ip());
    bare.or_else(with_port).map(|it| it.to_canonical())
}

fn network(text: &str) -> Option<(IpAddr, u8)> {
    let (base, length) = match text.split_once('/') {
        Some((base, length)) => (base, Some(length.parse::<u8>().ok()?)),
        None => (text, None),
    };
    let base = base.parse::<IpAddr>().ok()?;
    let longest = if base.is_ipv4() { 32 } else { 128 };
    let length = length.unwrap_or(longest);
    (length <= longest).then_some((base, length))
}

/// Whether the first bits of two addresses are the same.
fn shares(one: IpAddr, other: IpAddr, length: u8) -> bool {
    let difference = match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => (u32::from(one) ^ u32::from(other)).leading_zeros(),
        (IpAddr::V6(one), IpAddr::V6(other)) => {
            (u128::from(one) ^ u128::from(other)).leading_zeros()
        }
        _ => return false,
    };
    difference >= u32::from(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a request seems to come from, sent by 10.0.0.5 with these headers.
    #[track_caller]
    fn check(proxies: &[&str], headers: &[(&'static str, &str)], expected: &str) {
        let proxies: Vec<String> = proxies.iter().map(|it| (*it).to_owned()).collect();
        let mut sent = HeaderMap::new();
        for (name, value) in headers {
            sent.append(*name, value.parse().unwrap());
        }
        let peer = Peer {
            address: "10.0.0.5".parse().unwrap(),
            user: PeerUser::Same,
            socket: None,
        };
        let sender = TrustedProxies::parse(&proxies).unwrap().sender(peer, &sent);
        let shown = format!("{} {:?}", sender.address, sender.user);
        assert_eq!(shown, expected, "{proxies:?} {headers:?}");
    }

    #[test]
    fn a_header_counts_only_from_a_trusted_proxy() {
        let header = [("x-forwarded-for", "203.0.113.7")];
        check(&[], &header, "10.0.0.5 Same");
        check(&["10.0.0.6"], &header, "10.0.0.5 Same");
        check(&["10.0.0.5"], &header, "203.0.113.7 Remote");
        check(&["10.0.0.0/24"], &header, "203.0.113.7 Remote");
        check(&["10.0.0.5"], &[], "10.0.0.5 Remote");
    }

    #[test]
    fn what_the_client_wrote_itself_does_not_count() {
        let forged = [("x-forwarded-for", "198.51.100.1, 203.0.113.7")];
        check(&["10.0.0.5"], &forged, "203.0.113.7 Remote");
        let through = [("x-forwarded-for", "198.51.100.1, 203.0.113.7, 10.0.0.9")];
        check(&["10.0.0.0/8"], &through, "203.0.113.7 Remote");
        let lines = [
            ("x-forwarded-for", "198.51.100.1"),
            ("x-forwarded-for", "203.0.113.7"),
        ];
        check(&["10.0.0.5"], &lines, "203.0.113.7 Remote");
        let both = [
            ("x-forwarded-for", "203.0.113.7"),
            ("forwarded", "for=198.51.100.1"),
        ];
        check(&["10.0.0.5"], &both, "10.0.0.5 Remote");
        check(
            &["10.0.0.5"],
            &[("x-forwarded-for", "203.0.113.7, unknown")],
            "10.0.0.5 Remote",
        );
    }

    #[test]
    fn forwarded_is_read_as_its_standard_writes_it() {
        let plain = [("forwarded", "for=192.0.2.60;proto=http;by=203.0.113.43")];
        check(&["10.0.0.5"], &plain, "192.0.2.60 Remote");
        let port = [("forwarded", "For=\"[2001:db8:cafe::17]:4711\"")];
        check(&["10.0.0.5"], &port, "2001:db8:cafe::17 Remote");
        let hops = [("forwarded", "for=_hidden, for=192.0.2.43:80")];
        check(&["10.0.0.5"], &hops, "192.0.2.43 Remote");
        let hidden = [("forwarded", "for=_hidden")];
        check(&["10.0.0.5"], &hidden, "10.0.0.5 Remote");
    }

    #[test]
    fn a_network_has_its_length() {
        for wrong in ["proxy.internal", "10.0.0.0/33", "10.0.0.0/x", ""] {
            assert!(
                TrustedProxies::parse(&[wrong.to_owned()]).is_err(),
                "{wrong}"
            );
        }
        check(
            &["::/0"],
            &[("x-forwarded-for", "1.1.1.1")],
            "10.0.0.5 Same",
        );
        check(
            &["0.0.0.0/0"],
            &[("x-forwarded-for", "1.1.1.1")],
            "1.1.1.1 Remote",
        );
    }
}
