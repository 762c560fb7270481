//! What an agent calls the sessions that it had to begin again, kept for the proxy's next process: an editor asks for a
//! session by the name that it knows.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Sessions are not asked for after this time.
const KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);
const LONGEST: usize = 128;

/// Keeps a name, and forgets those of long ago.
pub(crate) fn remember(directory: &Path, session: &str, own: &str) -> io::Result<()> {
    let Some(file) = file_of(directory, session) else {
        return Ok(());
    };
    fs::create_dir_all(directory)?;
    for entry in fs::read_dir(directory)?.flatten() {
        let changed = entry.metadata().and_then(|it| it.modified());
        let age = changed.ok().and_then(|it| it.elapsed().ok());
        if age.is_some_and(|age| age > KEPT) {
            match fs::remove_file(entry.path()) {
                // Another proxy forgets it at the same time.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed?,
            }
        }
    }
    // Another proxy may read it meanwhile: it sees the name whole, or the one before.
    let new = directory.join(format!(".{session}-{}", std::process::id()));
    fs::File::create(&new)?.write_all(own.as_bytes())?;
    fs::rename(new, file)
}

/// The agent's name of a session, if it was begun again.
pub(crate) fn recall(directory: &Path, session: &str) -> Option<String> {
    let own = fs::read_to_string(file_of(directory, session)?).ok()?;
    is_name(&own).then_some(own)
}

fn file_of(directory: &Path, session: &str) -> Option<PathBuf> {
    is_name(session).then(|| directory.join(session))
}

/// Whether it is an id as agents make them, and not something that leads elsewhere.
fn is_name(session: &str) -> bool {
    let fits = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    !session.is_empty() && session.len() <= LONGEST && session.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_again_and_leads_nowhere_else() {
        let directory = tempfile::tempdir().unwrap();
        let names = directory.path().join("names");
        assert_eq!(recall(&names, "s1"), None);
        remember(&names, "s1", "s2").unwrap();
        remember(&names, "../s3", "s2").unwrap();
        assert_eq!(recall(&names, "s1").as_deref(), Some("s2"));
        assert_eq!(recall(&names, "../s3"), None);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        remember(&names, "s1", "\",").unwrap();
        assert_eq!(recall(&names, "s1"), None);
    }
}
