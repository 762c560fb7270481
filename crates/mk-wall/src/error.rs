//! Why a command was not started.

use std::io;
use std::path::PathBuf;

/// What could not be had. Every variant means that the command did not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("this kernel has no Landlock (not built in)")]
    NoLandlock,
    #[error("this kernel has no Landlock (off at boot)")]
    LandlockOff,
    #[error("this container does not allow Landlock")]
    LandlockForbidden,
    #[error("Landlock does not answer")]
    LandlockUnknown(#[source] io::Error),
    #[error("this processor has no table of system calls")]
    UnknownProcessor,
    #[error("this system has no wall")]
    NotWalled,
    #[error("the floor cannot be laid")]
    Floor(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("`{path}` cannot be opened for the floor")]
    FloorPath {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(
        "{count} files would have to be named one by one to hide `{path}`; at most {limit} can be"
    )]
    TooManySiblings {
        path: PathBuf,
        count: usize,
        limit: usize,
    },
    #[error("the filter cannot be installed")]
    Filter(#[source] io::Error),
    /// What the new process said when it could not hold itself.
    #[error("{0}")]
    Held(String),
    #[error("the command cannot be supervised")]
    Supervise(#[source] io::Error),
}
