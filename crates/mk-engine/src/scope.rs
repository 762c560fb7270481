//! Scopes of access tokens that another issuer signed: `mode:<slug>` caps what their holder's agents do, and
//! `role:<role>` lets a person look and do more.
//!
//! Whether a token is genuine is the face's to find out; here is what its words mean.

use mk_policy::{Catalogue, could_allow, widens};
use mk_store::{AccessRole, Credential, CredentialKind};
use mk_types::{CredentialId, ModeSlug, Timestamp};
use sha2::{Digest as _, Sha256};

use crate::Engine;
use crate::access::{Credentials, Principal, hex};
use crate::mode::Modes;

/// The longest name of a holder that is kept.
const LONGEST_NAME: usize = 200;
/// What a scope begins with that names a mode.
const MODE: &str = "mode:";
/// The mode for all work, which a token from elsewhere needs for what no mode bounds.
const WHOLE: &str = "code";
/// What a scope begins with that names a role.
const ROLE: &str = "role:";

/// What a genuine token says of its holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedGrant {
    pub issuer: String,
    pub subject: String,
    pub scopes: Vec<String>,
    pub expires_at: Timestamp,
}

/// What the scopes of a token came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeOutcome {
    /// All of them cap.
    pub modes: Vec<ModeSlug>,
    /// Without a role it is an agent's: it sees nothing of others' work.
    pub has_role: bool,
    /// Whether they take nothing from the mode for all work.
    pub is_whole: bool,
}

impl Credentials<'_> {
    /// Who holds a genuine token; `None` if no scope of it names a builtin or global mode.
    ///
    /// The same holder has the same id with every token, so that a session survives a wider one.
    pub fn granted(self, grant: &SignedGrant) -> Option<Principal> {
        let named = |prefix| {
            let scopes = grant.scopes.iter();
            scopes.filter_map(move |scope| scope.strip_prefix(prefix))
        };
        let modes = self.widest(named(MODE).filter_map(|slug| ModeSlug::parse(slug).ok()));
        if modes.is_empty() {
            return None;
        }
        let role = [AccessRole::Admin, AccessRole::Operator, AccessRole::Viewer]
            .into_iter()
            .find(|role| named(ROLE).any(|name| name == role.as_str()));
        let credential = Credential {
            id: holder(&grant.issuer, &grant.subject)?,
            kind: CredentialKind::Token,
            name: format!("{} at {}", one_line(&grant.subject), grant.issuer),
            role: role.unwrap_or(AccessRole::Viewer),
            mode: None,
            projects: Vec::new(),
            created_at: self.now(),
            expires_at: Some(grant.expires_at),
            revoked_at: None,
        };
        Some(Principal {
            credential,
            csrf: String::new(),
            scoped: Some(ScopeOutcome {
                is_whole: self.are_whole(&modes),
                modes,
                has_role: role.is_some(),
            }),
        })
    }

    /// Whether each includes the mode for all work as it ships: an operator may have narrowed the one of that name.
    fn are_whole(self, modes: &[ModeSlug]) -> bool {
        let catalogue = self.engine.modes().operators();
        let shipped = Catalogue::build(Vec::new(), self.engine.policy());
        let Some(whole) = shipped.get(WHOLE).filter(|_| !modes.is_empty()) else {
            return false;
        };
        let includes = |slug: &ModeSlug| {
            let mode = catalogue.get(slug.as_str());
            mode.is_some_and(|mode| !widens(mode, whole))
        };
        modes.iter().all(includes)
    }

    /// Of the modes named, those that no other named one includes. All of them cap: two that do not include each
    /// other allow what both do.
    fn widest(self, named: impl Iterator<Item = ModeSlug>) -> Vec<ModeSlug> {
        let catalogue = self.engine.modes().operators();
        let found: Vec<_> = named
            .filter_map(|slug| catalogue.get(slug.as_str()))
            .collect();
        let mut kept: Vec<ModeSlug> = Vec::new();
        for (place, mode) in found.iter().enumerate() {
            let includes = |(other_place, other): (usize, &&std::sync::Arc<mk_policy::Mode>)| {
                let earlier = other_place < place;
                other_place != place && !widens(other, mode) && (earlier || widens(mode, other))
            };
            if !found.iter().enumerate().any(includes) {
                kept.push(mode.slug.clone());
            }
        }
        kept
    }
}

impl Principal {
    /// The mode to ask the issuer for if no call of this tool can be allowed with this token: the first that could.
    /// `None` if the token is enough, or was made here, where there is nobody to ask.
    pub fn scope_lacking(&self, engine: &Engine, tool: &str) -> Option<String> {
        let scoped = self.scoped.as_ref()?;
        let catalogue = engine.modes().operators();
        let could = |mode: &mk_policy::Mode| could_allow(engine.policy(), mode, tool);
        let held = scoped.modes.iter();
        let mut held = held.filter_map(|slug| engine.modes().ceiling(slug.as_str()).ok());
        if held.all(|ceiling| ceiling.could_allow(engine, tool)) {
            return None;
        }
        let wider = catalogue.modes().iter().find(|mode| could(mode))?;
        Some(mode_scope(&wider.slug))
    }

    /// Whether a token from elsewhere has the mode itself, or one that includes it.
    pub fn scope_covers(&self, engine: &Engine, mode: &ModeSlug) -> bool {
        let Some(scoped) = &self.scoped else {
            return true;
        };
        let catalogue = engine.modes().operators();
        let Some(wanted) = catalogue.get(mode.as_str()) else {
            return true;
        };
        let mut held = scoped
            .modes
            .iter()
            .filter_map(|slug| catalogue.get(slug.as_str()));
        held.all(|held| !widens(held, wanted))
    }
}

impl Modes<'_> {
    /// The scope of each builtin and global mode.
    pub fn scopes(self) -> Vec<String> {
        let modes = self.operators().modes().iter();
        modes.map(|mode| mode_scope(&mode.slug)).collect()
    }
}

/// The scope for what no mode bounds.
pub fn whole_scope() -> String {
    format!("{MODE}{WHOLE}")
}

/// A name as lists show it: an issuer's users choose theirs.
fn one_line(subject: &str) -> String {
    let shown = subject.chars().map(|letter| match letter.is_control() {
        true => ' ',
        false => letter,
    });
    shown.take(LONGEST_NAME).collect()
}

/// The scope that stands for a mode.
pub fn mode_scope(mode: &ModeSlug) -> String {
    format!("{MODE}{mode}")
}

/// An id for the holder of tokens: the same for the same subject of the same issuer.
fn holder(issuer: &str, subject: &str) -> Option<CredentialId> {
    let mut hash = Sha256::new();
    hash.update(issuer.as_bytes());
    hash.update(b"\0");
    hash.update(subject.as_bytes());
    let digest = hash.finalize();
    let short = digest.get(..16)?;
    CredentialId::parse(&format!("tok_{}", hex(short))).ok()
}

/// The scope that stands for a role.
pub fn role_scope(role: AccessRole) -> String {
    format!("{ROLE}{role}")
}
