//! Credentials, and what was changed with them, as values.

use mk_types::{CredentialId, ModeSlug, Timestamp};

words! {
    /// What a credential is.
    CredentialKind {
        /// For programs and other machines.
        Token = "token",
        /// Opens the page once.
        Link = "link",
        /// The page's, made by a link.
        Session = "session",
    }
}
words! {
    /// How much its holder may do.
    AccessRole {
        /// Look.
        Viewer = "viewer",
        /// Answer, steer and undo, too.
        Operator = "operator",
        /// Make credentials, too.
        Admin = "admin",
    }
}

/// A credential to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCredential {
    pub kind: CredentialKind,
    /// Of the secret, which is kept nowhere.
    pub hash: String,
    pub name: String,
    pub role: AccessRole,
    /// Nothing done with it may exceed this mode.
    pub mode: Option<ModeSlug>,
    /// Roots of the projects it is for; empty for all.
    pub projects: Vec<String>,
    pub expires_at: Option<Timestamp>,
}

/// A credential without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    pub id: CredentialId,
    pub kind: CredentialKind,
    pub name: String,
    pub role: AccessRole,
    pub mode: Option<ModeSlug>,
    pub projects: Vec<String>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
}

impl Credential {
    pub fn is_good(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }
}

/// A change to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAct {
    /// The credential's name and id.
    pub who: String,
    /// The address it came from.
    pub origin: String,
    /// What was done, as a word of the interface.
    pub action: String,
    /// To what.
    pub subject: String,
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedChange {
    pub at: Timestamp,
    pub who: String,
    pub origin: String,
    pub action: String,
    pub subject: String,
}
