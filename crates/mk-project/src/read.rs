//! Reading a text file that somebody else wrote: regular files only, bounded, never waiting for a pipe.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use crate::error::Error;

/// Tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadStamp {
    device: u64,
    inode: u64,
    size: u64,
    modified_nanos: i128,
}

impl ReadStamp {
    /// The stamp of what is at `path` now, links followed; `None` if nothing is.
    pub fn of(path: &Path) -> Option<Self> {
        std::fs::metadata(path)
            .ok()
            .map(|metadata| Self::from_metadata(&metadata))
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified_nanos: i128::from(metadata.mtime()) * 1_000_000_000
                + i128::from(metadata.mtime_nsec()),
        }
    }

    #[cfg(not(unix))]
    fn from_metadata(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|moment| moment.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_nanos = since.map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(0));
        Self {
            device: 0,
            inode: 0,
            size: metadata.len(),
            modified_nanos,
        }
    }
}

/// Reads a whole text file of at most `limit` bytes. `Ok(None)` if there is none.
pub fn read_text(path: &Path, limit: u64) -> Result<Option<String>, Error> {
    let unreadable = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    let file = match open(path) {
        Ok(file) => file,
        Err(error) => {
            return match error.kind() {
                // Below something that is no folder there is nothing either.
                ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
                _ => Err(unreadable(error)),
            };
        }
    };
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Error::NotAFile {
            path: path.to_owned(),
        });
    }
    let too_large = |size| Error::TooLarge {
        path: path.to_owned(),
        size,
        limit,
    };
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    let size = file
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if size as u64 > limit {
        return Err(too_large(size as u64));
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| Error::NotText {
            path: path.to_owned(),
            offset: error.utf8_error().valid_up_to(),
        })
}

/// The bytes of a file of a known size, at most `most`, with one system call unless the size has changed since: there may
/// be 100,000 files. They are in `buffer`, which can be reused.
pub fn read_sized<'buffer>(
    mut file: &File,
    size: u64,
    most: u64,
    buffer: &'buffer mut Vec<u8>,
) -> io::Result<&'buffer [u8]> {
    let most = usize::try_from(most).unwrap_or(usize::MAX - 1);
    // One byte more shows that nothing follows.
    let room = usize::try_from(size).map_or(most, |size| size.min(most)) + 1;
    if buffer.len() < room {
        buffer.resize(room, 0);
    }
    let n_read = match file.read(buffer.get_mut(..room).unwrap_or_default()) {
        Err(error) if error.kind() == ErrorKind::Interrupted => 0,
        read => read?,
    };
    if n_read + 1 == room {
        return Ok(buffer.get(..n_read).unwrap_or_default());
    }
    buffer.truncate(n_read.min(most));
    let rest = (most - buffer.len()) as u64;
    file.take(rest).read_to_end(buffer)?;
    Ok(buffer)
}

#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    // Without NONBLOCK, opening a pipe waits for a writer that may never come.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    File::open(path)
}
