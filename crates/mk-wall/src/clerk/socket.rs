//! Who may be called: path sockets in trees, abstract names and loopback ports that this command opened itself.
//!
//! The floor holds none of this in most kernels, so the clerk connects and binds the caller's socket itself, to the
//! address it has read, and never lets the call go on.

mod port;

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6, TcpListener};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};

use super::place::{self, AskedPath, FollowLink, LostPlace, PinnedPlace};
use super::process::WaitingThread;
use super::zone::Zone;
use super::{Clerk, ClerkAnswer, GO_ON, answer, fail, int};
use crate::report::RefusedOperation;
use crate::rights::{Network, Right};
use crate::sys::{self, Notification, NotifyReply};

/// The longest address of the families we know.
const LONGEST_ADDRESS: usize = 128;

/// What the command has opened itself.
#[derive(Debug)]
pub(super) struct Sockets {
    network: Network,
    /// Addresses it has bound in our own network namespace, for streams.
    bound: HashSet<SocketAddr>,
    /// The inodes of those sockets: a port that it has given up may be a stranger's now.
    inodes: HashSet<u64>,
    /// Abstract names it has bound.
    names: HashSet<Vec<u8>>,
}

impl Sockets {
    pub(super) fn new(network: Network) -> Self {
        Self {
            network,
            bound: HashSet::new(),
            inodes: HashSet::new(),
            names: HashSet::new(),
        }
    }

    /// Whether the command may connect there.
    fn may_reach(&self, address: SocketAddr) -> bool {
        let address = canonical(address);
        if is_local(address.ip()) {
            return self.is_own(address) && port::is_served_by(address, &self.inodes);
        }
        self.network == Network::On
    }

    fn has_port(&self, port: u16) -> bool {
        self.bound.iter().any(|it| it.port() == port)
    }

    fn is_own(&self, address: SocketAddr) -> bool {
        let port = address.port();
        let any: &[IpAddr] = match address.ip() {
            IpAddr::V4(_) => &[IpAddr::V4(Ipv4Addr::UNSPECIFIED)],
            IpAddr::V6(_) => &[IpAddr::V6(Ipv6Addr::UNSPECIFIED)],
        };
        self.bound.contains(&address)
            || any
                .iter()
                .any(|ip| self.bound.contains(&SocketAddr::new(*ip, port)))
    }
}

/// `0.0.0.0` and `::` mean this machine when connected to; a mapped address is the one it maps.
fn canonical(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip().to_canonical() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Whether an address is this machine's: only then can it be bound.
fn is_local(ip: IpAddr) -> bool {
    ip.is_loopback() || TcpListener::bind((ip, 0)).is_ok()
}

/// An address as the caller wrote it.
#[derive(Debug)]
enum Address {
    Internet(SocketAddr),
    Path(PathBuf),
    Abstract(Vec<u8>),
    /// Of a UNIX socket, without a name.
    Unnamed,
    /// Ends a connection.
    Unspecified,
}

fn read(caller: WaitingThread, pointer: u64, length: u64) -> Result<Address, Errno> {
    use std::os::unix::ffi::OsStrExt as _;
    let length = usize::try_from(length)
        .unwrap_or(usize::MAX)
        .min(LONGEST_ADDRESS);
    let bytes = caller.memory(pointer, length);
    if bytes.len() < length {
        return Err(Errno::FAULT);
    }
    let (family, rest) = bytes.split_first_chunk::<2>().ok_or(Errno::INVAL)?;
    let take = |at: usize, length: usize| rest.get(at..at + length).ok_or(Errno::INVAL);
    let port = || Ok::<u16, Errno>(u16::from_be_bytes([take(0, 2)?[0], take(0, 2)?[1]]));
    match AddressFamily::from_raw(u16::from_ne_bytes(*family)) {
        AddressFamily::UNSPEC => Ok(Address::Unspecified),
        AddressFamily::INET => {
            let ip: [u8; 4] = take(2, 4)?.try_into().map_err(|_| Errno::INVAL)?;
            let address = SocketAddrV4::new(Ipv4Addr::from(ip), port()?);
            Ok(Address::Internet(address.into()))
        }
        AddressFamily::INET6 => {
            let ip: [u8; 16] = take(6, 16)?.try_into().map_err(|_| Errno::INVAL)?;
            let flow: [u8; 4] = take(2, 4)?.try_into().map_err(|_| Errno::INVAL)?;
            let scope: [u8; 4] = match rest.get(22..26) {
                Some(bytes) => bytes.try_into().map_err(|_| Errno::INVAL)?,
                None => [0; 4],
            };
            let (flow, scope) = (u32::from_be_bytes(flow), u32::from_ne_bytes(scope));
            let address = SocketAddrV6::new(Ipv6Addr::from(ip), port()?, flow, scope);
            Ok(Address::Internet(address.into()))
        }
        AddressFamily::UNIX => Ok(match rest.split_first() {
            None => Address::Unnamed,
            Some((0, name)) => Address::Abstract(name.to_vec()),
            Some(_) => {
                let end = rest.iter().position(|it| *it == 0).unwrap_or(rest.len());
                Address::Path(PathBuf::from(std::ffi::OsStr::from_bytes(&rest[..end])))
            }
        }),
        _ => Err(Errno::AFNOSUPPORT),
    }
}

impl Clerk {
    /// The caller's socket, as a descriptor of ours.
    fn socket(&self, call: &Notification) -> Result<OwnedFd, Errno> {
        let process = WaitingThread { tid: call.tid }.process()?;
        let pidfd = rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty())?;
        let flags = rustix::process::PidfdGetfdFlags::empty();
        let socket = rustix::process::pidfd_getfd(&pidfd, int(call.args[0]), flags)?;
        if self.is_waiting(call) {
            Ok(socket)
        } else {
            Err(Errno::INTR)
        }
    }

    fn find_path(&self, call: &Notification, path: &Path) -> Result<PinnedPlace, LostPlace> {
        use std::os::unix::ffi::OsStrExt as _;
        let path = std::ffi::CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::INVAL)?;
        self.find(call, AskedPath::new(libc::AT_FDCWD, &path, FollowLink::Yes))
    }

    pub(super) fn connect(&mut self, call: &Notification) -> ClerkAnswer {
        let caller = WaitingThread { tid: call.tid };
        let (address, socket) = match (read(caller, call.args[1], call.args[2]), self.socket(call))
        {
            (Ok(address), Ok(socket)) => (address, socket),
            (Err(errno), _) | (_, Err(errno)) => return fail(errno),
        };
        match address {
            // A datagram needs no connection, and name servers listen on this machine.
            Address::Internet(address) if !is_stream(&socket) => {
                self.connect_later(call, socket, ConnectTarget::Internet(address))
            }
            Address::Internet(address) if self.sockets.may_reach(address) => {
                self.connect_later(call, socket, ConnectTarget::Internet(address))
            }
            // The same port of the other family: nothing listens there, and clients then try the right one.
            Address::Internet(address) if self.sockets.has_port(address.port()) => {
                fail(Errno::CONNREFUSED)
            }
            Address::Internet(address) => {
                self.report.refuse_address(address, self.rights.network);
                fail(Errno::ACCESS)
            }
            Address::Path(path) => self.connect_path(call, socket, &path),
            Address::Abstract(name) if self.sockets.names.contains(&name) => {
                self.connect_later(call, socket, ConnectTarget::Abstract(name))
            }
            Address::Abstract(name) => {
                let shown = format!("@{}", String::from_utf8_lossy(&name));
                self.refuse(RefusedOperation::Connect, Path::new(&shown))
            }
            Address::Unnamed => fail(Errno::INVAL),
            Address::Unspecified => answer(rustix::net::connect_unspec(&socket)),
        }
    }

    fn connect_path(&mut self, call: &Notification, socket: OwnedFd, path: &Path) -> ClerkAnswer {
        let place = match self.find_path(call, path) {
            Ok(place) => place,
            Err(LostPlace::Elsewhere | LostPlace::Winding) => {
                return self.refuse(RefusedOperation::Connect, path);
            }
            Err(LostPlace::Error(errno)) => return fail(errno),
        };
        let Some(object) = &place.object else {
            return fail(Errno::NOENT);
        };
        let is_named = self.rights.sockets.contains(&place.path);
        let allowed = match self.zone(&place.path) {
            Zone::Tree => true,
            Zone::Temporary => is_named || self.is_own(object),
            _ => is_named || self.guests.has(&place.path, object.key),
        };
        if !allowed {
            return self.refuse(RefusedOperation::Connect, &place.path);
        }
        self.connect_later(call, socket, ConnectTarget::Pinned(place))
    }

    /// Connects on a thread of its own, because the other side may take its time.
    fn connect_later(
        &self,
        call: &Notification,
        socket: OwnedFd,
        to: ConnectTarget,
    ) -> ClerkAnswer {
        let (Some(listener), id) = (self.listener(), call.id) else {
            return fail(Errno::NOSYS);
        };
        let connecting = std::thread::Builder::new().spawn(move || {
            let reply = match to.connect(&socket) {
                Ok(()) => NotifyReply::Value(0),
                Err(errno) => NotifyReply::Error(errno),
            };
            // A caller that has gone needs no answer.
            drop(sys::reply(listener.as_fd(), id, reply));
        });
        match connecting {
            Ok(_) => ClerkAnswer::Later,
            Err(_) => fail(Errno::AGAIN),
        }
    }

    pub(super) fn bind(&mut self, call: &Notification) -> ClerkAnswer {
        let caller = WaitingThread { tid: call.tid };
        let address = match read(caller, call.args[1], call.args[2]) {
            Ok(address) => address,
            // Netlink binds to groups of messages; the doors let only routes through.
            Err(Errno::AFNOSUPPORT) => return GO_ON,
            Err(errno) => return fail(errno),
        };
        let socket = match self.socket(call) {
            Ok(socket) => socket,
            Err(errno) => return fail(errno),
        };
        match address {
            Address::Internet(address) => self.bind_internet(&socket, address),
            Address::Abstract(name) => {
                let bound = SocketAddrUnix::new_abstract_name(&name)
                    .and_then(|it| rustix::net::bind(&socket, &it));
                if bound.is_ok() {
                    self.sockets.names.insert(name);
                }
                answer(bound)
            }
            Address::Path(path) => self.bind_path(call, &socket, &path),
            Address::Unnamed => GO_ON,
            Address::Unspecified => fail(Errno::AFNOSUPPORT),
        }
    }

    fn bind_internet(&mut self, socket: &OwnedFd, address: SocketAddr) -> ClerkAnswer {
        // A port that a stranger shares with us would count as ours.
        rustix::net::sockopt::set_socket_reuseport(socket, false).ok();
        if let Err(errno) = rustix::net::bind(socket, &address) {
            return fail(errno);
        }
        let here = rustix::net::socket(AddressFamily::UNIX, rustix::net::SocketType::STREAM, None);
        let same_network = here.is_ok_and(|here| {
            let ours = sys::network_of(here.as_fd());
            ours.is_ok_and(|ours| sys::network_of(socket.as_fd()).is_ok_and(|it| it == ours))
        });
        let bound = rustix::net::getsockname(socket).and_then(SocketAddr::try_from);
        let inode = rustix::fs::fstat(socket).map(|it| it.st_ino);
        if let (true, true, Ok(bound), Ok(inode)) = (same_network, is_stream(socket), bound, inode)
        {
            self.sockets.inodes.insert(inode);
            let takes_both = rustix::net::sockopt::ipv6_v6only(socket).is_ok_and(|only| !only);
            if bound.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED) && takes_both {
                let any = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), bound.port());
                self.sockets.bound.insert(any);
            }
            let ip = bound.ip().to_canonical();
            self.sockets.bound.insert(SocketAddr::new(ip, bound.port()));
        }
        super::DONE
    }

    fn bind_path(&mut self, call: &Notification, socket: &OwnedFd, path: &Path) -> ClerkAnswer {
        use std::os::unix::ffi::OsStrExt as _;
        let Ok(text) = std::ffi::CString::new(path.as_os_str().as_bytes()) else {
            return fail(Errno::INVAL);
        };
        let Ok(place) = self.find(call, AskedPath::new(libc::AT_FDCWD, &text, FollowLink::No))
        else {
            return GO_ON;
        };
        let zone = self.zone(&place.path);
        if zone == Zone::Tree {
            return GO_ON;
        }
        if place.object.is_some() {
            return fail(Errno::ADDRINUSE);
        }
        if zone == Zone::Project(Right::Shut) || !self.may_make(&place) {
            return self.refuse(RefusedOperation::Create, &place.path);
        }
        let (true, Some((parent, name))) = (self.is_served(call), place.entry()) else {
            return GO_ON;
        };
        if matches!(zone, Zone::Project(_))
            && let Err(errno) = self.guests.announce(&place.path)
        {
            return fail(errno);
        }
        let through = Path::new(&place::own_path(parent)).join(name);
        let bound = SocketAddrUnix::new(through).and_then(|it| rustix::net::bind(socket, &it));
        if bound.is_ok()
            && let Ok(object) = place::entry(parent, name)
        {
            // A socket means nothing once its command has ended.
            match zone {
                Zone::Project(_) => self.guests.add(&place.path, object.key),
                _ => {
                    self.own.insert(object.key);
                }
            }
        }
        answer(bound)
    }
}

/// Whether a socket makes connections. Only `network: on` has others.
fn is_stream(socket: &OwnedFd) -> bool {
    rustix::net::sockopt::socket_type(socket).is_ok_and(|it| it == SocketType::STREAM)
}

/// Where a socket is to be connected.
#[derive(Debug)]
enum ConnectTarget {
    Internet(SocketAddr),
    Abstract(Vec<u8>),
    /// Held until the connection stands.
    Pinned(PinnedPlace),
}

impl ConnectTarget {
    fn connect(&self, socket: &OwnedFd) -> Result<(), Errno> {
        match self {
            Self::Internet(address) => rustix::net::connect(socket, address),
            Self::Abstract(name) => {
                rustix::net::connect(socket, &SocketAddrUnix::new_abstract_name(name)?)
            }
            Self::Pinned(place) => {
                let object = place.object.as_ref().ok_or(Errno::NOENT)?;
                let through = place::own_path(object.fd.as_fd());
                rustix::net::connect(socket, &SocketAddrUnix::new(through)?)
            }
        }
    }
}
