//! Writing files: whole or not at all, and only with a permit.

use std::fs;
use std::io::{self, Write as _};

use mk_policy::Permit;
use mk_types::AbsPath;

use crate::error::Error;

/// Creates the permit's file with `contents`; one that is there already is left alone.
#[expect(
    clippy::needless_pass_by_value,
    reason = "a permit is used up by using it"
)]
pub fn write_new(root: &AbsPath, permit: Permit, contents: &[u8]) -> Result<(), Error> {
    let target = permit.targets().first().ok_or_else(|| Error::NoTarget {
        tool: permit.tool().to_owned(),
    })?;
    let path = target.under(root);
    if target.is_root() {
        return Err(Error::Exists { path });
    }
    let failed = |source: io::Error| Error::Write {
        path: path.clone(),
        source,
    };
    let folder = path.parent().unwrap_or(root.as_path());
    fs::create_dir_all(folder).map_err(failed)?;
    let mut file = builder().tempfile_in(folder).map_err(failed)?;
    file.write_all(contents)
        .and_then(|()| file.as_file().sync_all())
        .map_err(failed)?;
    file.persist_noclobber(&path)
        .map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => Error::Exists { path: path.clone() },
            _ => failed(error.error),
        })?;
    Ok(())
}

/// What is written becomes a file of the project like any other, not a secret one as temporary files are.
#[cfg(unix)]
fn builder() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut builder = tempfile::Builder::new();
    builder.permissions(fs::Permissions::from_mode(0o666));
    builder
}

#[cfg(not(unix))]
fn builder() -> tempfile::Builder<'static, 'static> {
    tempfile::Builder::new()
}
