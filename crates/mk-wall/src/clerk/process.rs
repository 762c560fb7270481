//! What the clerk learns about the thread that waits for its answer: its memory, its root, who it is.

use std::ffi::CString;
use std::fs::File;
use std::io::Read as _;

use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags};
use rustix::io::Errno;

use crate::sys;

const PAGE: u64 = 4096;
const LONGEST_PATH: usize = 4096;

/// Which directory a process takes for `/`: a file system object of one mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessRoot {
    mount: u64,
    inode: u64,
}

impl ProcessRoot {
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        [self.mount.to_ne_bytes(), self.inode.to_ne_bytes()].concat()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (mount, rest) = bytes.split_first_chunk()?;
        let (inode, _) = rest.split_first_chunk()?;
        Some(Self {
            mount: u64::from_ne_bytes(*mount),
            inode: u64::from_ne_bytes(*inode),
        })
    }
}

impl ThreadIdentity {
    /// The same with one more filter, as a command of ours has it.
    pub(crate) fn filtered(self) -> Self {
        Self {
            filters: self.filters + 1,
            ..self
        }
    }
}

/// Who a thread is, as far as files are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ThreadIdentity {
    users: String,
    groups: String,
    /// Filters on it: one more than at the start means that it has limited itself further.
    filters: u32,
}

/// One waiting thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitingThread {
    pub(crate) tid: u32,
}

impl WaitingThread {
    /// The process that asks.
    pub(crate) fn this() -> Self {
        let tid = rustix::process::getpid().as_raw_nonzero().get();
        Self {
            tid: tid.cast_unsigned(),
        }
    }

    /// Copies bytes; fewer than asked for where its memory ends.
    pub(crate) fn memory(self, address: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        let copied = sys::read_memory(self.tid, address, &mut bytes);
        bytes.truncate(copied);
        bytes
    }

    /// Copies a path, page by page, because the next page may not be there.
    pub(crate) fn path(self, address: u64) -> Result<CString, Errno> {
        let mut path = Vec::new();
        let mut at = address;
        while path.len() < LONGEST_PATH {
            let in_page = usize::try_from(PAGE - at % PAGE).map_err(|_| Errno::FAULT)?;
            let wanted = in_page.min(256);
            let chunk = self.memory(at, wanted);
            if chunk.is_empty() {
                return Err(Errno::FAULT);
            }
            if let Some(end) = chunk.iter().position(|byte| *byte == 0) {
                path.extend(&chunk[..end]);
                return CString::new(path).map_err(|_| Errno::INVAL);
            }
            at += chunk.len() as u64;
            path.extend(chunk);
        }
        Err(Errno::NAMETOOLONG)
    }

    /// The directory it takes for `/`.
    pub(crate) fn root(self) -> Result<ProcessRoot, Errno> {
        let stat = rustix::fs::statx(
            rustix::fs::CWD,
            format!("/proc/{}/root", self.tid),
            AtFlags::empty(),
            StatxFlags::INO | StatxFlags::MNT_ID,
        )?;
        Ok(ProcessRoot {
            mount: stat.stx_mnt_id,
            inode: stat.stx_ino,
        })
    }

    fn status(self) -> Result<String, Errno> {
        let io = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
        let mut file = File::open(format!("/proc/{}/status", self.tid)).map_err(io)?;
        let mut text = String::with_capacity(2048);
        file.read_to_string(&mut text).map_err(io)?;
        Ok(text)
    }

    /// Who it is, and its umask.
    pub(crate) fn identity(self) -> Result<(ThreadIdentity, Mode), Errno> {
        let text = self.status()?;
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        let umask = value("Umask:").and_then(|it| u32::from_str_radix(it.trim(), 8).ok());
        let identity = ThreadIdentity {
            users: value("Uid:").ok_or(Errno::SRCH)?.to_owned(),
            groups: value("Gid:").ok_or(Errno::SRCH)?.to_owned(),
            filters: value("Seccomp_filters:")
                .and_then(|it| it.trim().parse().ok())
                .unwrap_or(0),
        };
        Ok((identity, Mode::from_raw_mode(umask.ok_or(Errno::SRCH)?)))
    }

    /// The process a thread belongs to.
    pub(crate) fn process(self) -> Result<rustix::process::Pid, Errno> {
        let text = self.status()?;
        let tgid = text.lines().find_map(|line| line.strip_prefix("Tgid:"));
        let tgid = tgid.and_then(|it| it.trim().parse().ok());
        tgid.and_then(rustix::process::Pid::from_raw)
            .ok_or(Errno::SRCH)
    }

    /// Whether our own process is above it: everything that the command starts stays below its supervisor.
    pub(crate) fn is_below_this(self) -> bool {
        const DEEPEST: usize = 256;
        let supervisor = Self::this().tid;
        let mut thread = self;
        for _ in 0..DEEPEST {
            let Ok(text) = thread.status() else {
                return false;
            };
            let parent = text.lines().find_map(|line| line.strip_prefix("PPid:"));
            let Some(parent) = parent.and_then(|it| it.trim().parse().ok()) else {
                return false;
            };
            if parent == supervisor {
                return true;
            }
            if parent == 0 {
                return false;
            }
            thread = Self { tid: parent };
        }
        false
    }

    /// Opens one of its directories or descriptors, without using it.
    pub(crate) fn pin(self, what: &str) -> Result<rustix::fd::OwnedFd, Errno> {
        let path = format!("/proc/{}/{what}", self.tid);
        rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
    }
}
