//! What a conversation has said so far. Over HTTP it outlives its connection.

#![expect(
    deprecated,
    reason = "logging is deprecated from 2026-07-28 on; older clients use it"
)]

use axum::http::request::Parts;
use mk_engine::CallerConversation;
use mk_types::{AbsPath, ConversationId};
use rmcp::model::{Extensions, LoggingLevel};

use super::CredentialLimits;
use crate::http::SESSION;

/// What a conversation has said so far.
#[derive(Debug)]
pub(super) struct ConversationMemory {
    pub(super) conversation: CallerConversation,
    /// The project this conversation has activated.
    pub(super) project: Option<AbsPath>,
    pub(super) log_level: Option<LoggingLevel>,
}

impl ConversationMemory {
    /// A new conversation, which tells whether a credential has opened it.
    pub(super) fn new(limits: &CredentialLimits) -> Self {
        let id = match limits.conversation {
            Some(_) => ConversationId::random_of_credential(),
            None => ConversationId::random(),
        };
        Self {
            conversation: CallerConversation {
                id: Some(id),
                tasks: Vec::new(),
            },
            project: None,
            log_level: None,
        }
    }
}

/// The name of a session over HTTP.
pub(super) fn session_name(extensions: &Extensions) -> Option<&str> {
    let parts = extensions.get::<Parts>()?;
    parts.headers.get(SESSION)?.to_str().ok()
}
