//! What could not be said about a project's symbols.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no symbol `{name_path}`")]
    NoSymbol {
        name_path: String,
        nearest: Vec<String>,
    },
    #[error("`{name_path}` was not found: the index is still being built")]
    Unfinished { name_path: String },
    /// Each candidate as `file:line name path`.
    #[error("`{name_path}` names {total} symbols")]
    Ambiguous {
        name_path: String,
        /// Some of them.
        candidates: Vec<String>,
        total: usize,
    },
    #[error("the language of `{path}` is not known")]
    NoLanguage { path: PathBuf },
    #[error("`{path}` was not searched: {reason}")]
    Skipped { path: PathBuf, reason: String },
    #[error("there is no symbol at line {line}, column {column} of `{path}`")]
    NothingHere {
        path: PathBuf,
        line: u32,
        column: u32,
    },
    #[error("`{pattern}` is not a pattern: {reason}")]
    BadPattern { pattern: String, reason: String },
    #[error("`{pattern}` cannot be used: {reason}")]
    BadStructure { pattern: String, reason: String },
    #[error("there is no language `{name}`")]
    UnknownLanguage { name: String },
    #[error("`{name}` is not an identifier")]
    BadName { name: String },
    #[error("`{name}` is reserved by the language and cannot be renamed")]
    FixedName { name: String },
    #[error("uses of `{name}` cannot be found by name")]
    NoWord { name: String },
    #[error("replacing `{name_path}` with nothing would delete it")]
    Emptied { name_path: String },
    #[error("`{name_path}` shares its lines with other code")]
    SharedLines { name_path: String },
    #[error("cannot read `{path}`")]
    Read {
        path: PathBuf,
        #[source]
        source: mk_project::Error,
    },
    #[error("cannot open the project")]
    Open(#[source] mk_project::Error),
    #[error("cannot start a thread for the index")]
    Thread(#[source] std::io::Error),
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unfinished { .. } => Some("try again, or name the file it is in"),
            Self::Ambiguous { .. } => {
                Some("name the file, or add the container (`A/b`) or the index (`b[1]`)")
            }
            Self::NoLanguage { .. } => Some("read or search the file as text"),
            Self::Skipped { .. } => Some("read the file by lines"),
            Self::BadPattern { .. } => Some("write a glob like `*.py` or `src/**`"),
            Self::BadStructure { .. } => Some(
                "write code as it stands in these files, with `$A` for one part and `$$$A` for any number of them",
            ),
            Self::UnknownLanguage { .. } => Some("leave it out, or name one like `python`"),
            Self::BadName { .. } => Some(
                "use letters, digits and `_`, with the same marks (`#`, `!`, `?`) as the old name",
            ),
            Self::FixedName { .. } => Some("rename what it belongs to, or edit the text"),
            Self::NoWord { .. } => Some("search for the text instead"),
            Self::Emptied { .. } => Some("use the operation `delete`"),
            Self::SharedLines { .. } => Some("edit the lines as text"),
            Self::Read { source, .. } | Self::Open(source) => source.hint(),
            // Where to look depends on the reader: a face says it.
            Self::NoSymbol { .. } | Self::NothingHere { .. } => None,
            Self::Thread(_) => None,
        }
    }
}
