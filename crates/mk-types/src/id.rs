//! Ids of what the store keeps: a prefix and a random tail that cannot be guessed.
//!
//! Whether an id exists is the store's knowledge; here is only its shape.

use std::fmt;

/// Characters of the random tail: 16 of 36 symbols are 82 bits.
const TAIL: usize = 16;
const SHORTEST_TAIL: usize = 12;
const LONGEST_TAIL: usize = 64;
const SYMBOLS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// A string that does not have the shape of an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not {what}")]
pub struct IdError {
    what: &'static str,
    given: String,
    prefix: &'static str,
}

impl IdError {
    /// How ids of the expected kind begin.
    pub fn prefix(&self) -> &'static str {
        self.prefix
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $($prefix:literal)|+) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Box<str>);

        impl $name {
            /// Makes a new id from the operating system's random source.
            pub fn random() -> Self {
                Self(format!("{}{}", [$($prefix),+][0], random_tail()).into())
            }

            /// Reads an id that was sent; a known older prefix becomes today's.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                for prefix in [$($prefix),+] {
                    if let Some(tail) = text.strip_prefix(prefix)
                        && is_tail(tail)
                    {
                        return Ok(Self(format!("{}{tail}", [$($prefix),+][0]).into()));
                    }
                }
                let given = text.chars().take(80).collect();
                Err(IdError {
                    what: $what,
                    given,
                    prefix: [$($prefix),+][0],
                })
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id! {
    /// Names a session: the handle with which a client speaks of its task.
    SessionId, "a session id (`sess_` and at least 12 letters or digits)", "sess_" | "ses_"
}
id! {
    /// Names a task in parent and child relations.
    TaskId, "a task id (`task_` and at least 12 letters or digits)", "task_"
}
id! {
    /// Names a question that waits for a person.
    ApprovalId, "an approval id (`appr_` and at least 12 letters or digits)", "appr_"
}

id! {
    /// Names a conversation: an agent's own session, or a connection.
    ConversationId, "a conversation id (`conv_` and at least 12 letters or digits)", "conv_"
}
/// Begins the tail of a conversation that a credential has opened. A random tail may begin so, too; it is shorter.
const OF_CREDENTIAL: &str = "tok0";

impl ConversationId {
    /// The conversation of calls that only a credential connects.
    pub fn of_credential(id: &CredentialId) -> Self {
        let id = id.as_str();
        let tail = id.strip_prefix("tok_").unwrap_or(id);
        Self(format!("conv_{OF_CREDENTIAL}{tail}").into())
    }

    /// A new conversation that a credential has opened.
    pub fn random_of_credential() -> Self {
        Self(format!("conv_{OF_CREDENTIAL}{}", random_tail()).into())
    }

    /// Whether a credential has opened it.
    pub fn is_of_credential(&self) -> bool {
        let tail = self.0.strip_prefix("conv_").unwrap_or(&self.0);
        tail.len() > TAIL && tail.starts_with(OF_CREDENTIAL)
    }
}

id! {
    /// Names a project, whatever its directory is called.
    ProjectId, "a project id (`proj_` and at least 12 letters or digits)", "proj_"
}
id! {
    /// Names a recorded decision.
    DecisionId, "a decision id (`dec_` and at least 12 letters or digits)", "dec_"
}
id! {
    /// Names the stored permit of one command.
    PermitId, "a permit id (`perm_` and at least 12 letters or digits)", "perm_"
}
id! {
    /// Names the record of a command that ran.
    CommandId, "a command id (`cmd_` and at least 12 letters or digits)", "cmd_"
}

id! {
    /// Names a credential; its secret is another matter.
    CredentialId, "a token id (`tok_` and at least 12 letters or digits)", "tok_"
}

/// A secret nobody can guess, 258 bits of the operating system's random source, behind a prefix that leak scanners know.
pub fn random_secret() -> String {
    let tails: String = (0..4).map(|_| random_tail()).collect();
    format!("mks_{tails}")
}

fn is_tail(tail: &str) -> bool {
    (SHORTEST_TAIL..=LONGEST_TAIL).contains(&tail.len())
        && tail.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn random_tail() -> String {
    random_symbols(TAIL)
}

/// Lower-case letters and digits that nobody else has chosen and nobody can guess.
#[expect(
    clippy::expect_used,
    reason = "without a random source no id is safe to hand out; there is nothing to fall back to"
)]
pub fn random_symbols(count: usize) -> String {
    let mut symbols = String::with_capacity(count);
    let mut bytes = [0_u8; 32];
    while symbols.len() < count {
        getrandom::fill(&mut bytes).expect("the operating system has a random source");
        // 252 is the largest multiple of 36 in a byte: what lies above would favour some symbols.
        let even = bytes.iter().filter(|byte| **byte < 252);
        for byte in even.take(count - symbols.len()) {
            symbols.push(char::from(SYMBOLS[usize::from(byte % 36)]));
        }
    }
    symbols
}
