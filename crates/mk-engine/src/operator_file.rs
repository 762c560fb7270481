//! Files that a person reads and writes through the command line, outside of any mode: their own settings and cases.

use std::path::{Path, PathBuf};

use mk_policy::Permit;
use mk_types::{AbsPath, ProjectPath};

use crate::error::Error;

/// The text of a file, `None` if there is none; follows the rules that all reading does: regular, bounded, UTF-8.
pub fn read_operator_file(path: &Path, limit: u64) -> Result<Option<String>, Error> {
    Ok(mk_project::read_text(path, limit)?)
}

/// Writes a file that is not there yet, whole or not at all; the file.
pub fn write_operator_file(
    directory: &AbsPath,
    name: &str,
    command: &str,
    contents: &[u8],
) -> Result<PathBuf, Error> {
    let target = ProjectPath::parse(name, directory)
        .map_err(|error| Error::invalid("file", error.to_string()))?;
    let path = target.under(directory);
    let permit = Permit::operator(command, vec![target]);
    mk_project::write_new(directory, permit, contents)?;
    Ok(path)
}
