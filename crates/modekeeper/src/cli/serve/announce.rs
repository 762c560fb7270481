//! Where the server is: a file that says it to `modekeeper dashboard`, as long as the server runs.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

const NAME: &str = "serve.address";

/// Removes the file at the end, unless another server has written its own meanwhile.
#[derive(Debug)]
pub(super) struct AnnouncementFile {
    file: PathBuf,
    address: SocketAddr,
}

/// Says where the server is. Without a file, the configured address is what others try.
pub(super) fn write(state: &Path, address: SocketAddr) -> Option<AnnouncementFile> {
    let file = state.join(NAME);
    let written = std::fs::create_dir_all(state).and_then(|()| {
        let mut new = tempfile::NamedTempFile::new_in(state)?;
        std::io::Write::write_all(&mut new, address.to_string().as_bytes())?;
        new.persist(&file).map_err(|error| error.error)
    });
    match written {
        Ok(_) => Some(AnnouncementFile { file, address }),
        Err(error) => {
            tracing::warn!(%error, "`modekeeper dashboard` may not find this server");
            None
        }
    }
}

/// Where the server that was started last said it is.
pub(in crate::cli) fn read(state: &Path) -> Option<SocketAddr> {
    std::fs::read_to_string(state.join(NAME))
        .ok()?
        .trim()
        .parse()
        .ok()
}

impl Drop for AnnouncementFile {
    fn drop(&mut self) {
        let own =
            std::fs::read_to_string(&self.file).is_ok_and(|text| text == self.address.to_string());
        if own && let Err(error) = std::fs::remove_file(&self.file) {
            tracing::debug!(%error, "the file with the address stays");
        }
    }
}
