//! What a playbook could not give.

use mk_document::Diagnostic;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("{}", first(diagnostics))]
    InvalidConfig {
        /// Everything that is wrong with it.
        diagnostics: Vec<Diagnostic>,
    },
    #[error("there is no agent `{name}`")]
    NoAgent { name: String },
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::InvalidConfig { .. } => {
                Some("correct the file; nothing of it is used until then")
            }
            Self::NoAgent { .. } => {
                Some("use the name of a file in agents/, such as `code-reviewer`")
            }
        }
    }
}

fn first(diagnostics: &[Diagnostic]) -> String {
    let more = match diagnostics.len() {
        0 | 1 => String::new(),
        n_problems => format!(" (and {} more)", n_problems - 1),
    };
    let first = diagnostics.first().map(ToString::to_string);
    format!("{}{more}", first.unwrap_or_default())
}
