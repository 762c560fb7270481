//! Who may act over HTTP: tokens, one-time links to the page, and the page's sessions.
//!
//! Only hashes of secrets are stored. Whether a route needs a credential, and of which role, is the face's to say.

use std::time::Duration;

use mk_store::{AccessRole, AuditedChange, Credential, CredentialKind, NewAct, NewCredential};
use mk_types::{AbsPath, ConversationId, CredentialId, ModeSlug, Timestamp, random_secret};
use sha2::{Digest as _, Sha256};

use crate::Engine;
use crate::agent::AgentLink;
use crate::caller::OthersTasks;
use crate::error::Error;
use crate::scope::ScopeOutcome;

/// How long a link opens the page: time to switch to a browser.
const LINK_LIFE: Duration = Duration::from_secs(300);
/// How long a session of the page lasts: a working day.
const SESSION_LIFE: Duration = Duration::from_secs(12 * 3600);

/// A token to make.
#[derive(Debug, Clone)]
pub struct NewToken {
    pub name: String,
    pub role: AccessRole,
    /// Nothing done with it may exceed this mode.
    pub mode: Option<ModeSlug>,
    /// Roots of the projects it is for; empty for all.
    pub projects: Vec<String>,
    /// `None`: until it is revoked.
    pub life: Option<Duration>,
}

/// Who is at the other end, as a credential says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    pub credential: Credential,
    /// The half of a session's secret that only the page has, and must send along with every request.
    pub csrf: String,
    /// What an issuer elsewhere said it is for.
    pub scoped: Option<ScopeOutcome>,
}

impl Principal {
    fn of_page(credential: Credential, csrf: String) -> Self {
        Self {
            credential,
            csrf,
            scoped: None,
        }
    }

    pub fn may(&self, role: AccessRole) -> bool {
        let has_role = self.scoped.as_ref().is_none_or(|scoped| scoped.has_role);
        has_role && rank(self.credential.role) >= rank(role)
    }

    /// For records: the name and the id, never the secret.
    pub fn who(&self) -> String {
        format!("{} ({})", self.credential.name, self.credential.id)
    }
}

/// What a credential lets an agent do at most. It travels with a request to the face that answers it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct AgentLimits {
    /// Sessions of one credential are not another's.
    pub credential: Option<CredentialId>,
    /// All of them cap.
    pub modes: Vec<ModeSlug>,
    pub projects: Vec<AbsPath>,
    /// Whether an answer that its client gives counts as a person's: any program can say that it has asked one.
    pub answers: bool,
    pub others: OthersTasks,
    /// The agent that it may come from, where that is known: what holds the agent holds it.
    pub agent: Option<AgentLink>,
}

impl AgentLimits {
    /// The conversation of calls that belong to no connection: what is created or approved with one credential is not
    /// another's.
    pub fn conversation(&self) -> Option<ConversationId> {
        self.credential.as_ref().map(ConversationId::of_credential)
    }
}

impl Principal {
    /// A viewer without a mode of its own only reads.
    pub fn limits(&self) -> AgentLimits {
        let Credential {
            id,
            role,
            mode,
            projects,
            ..
        } = &self.credential;
        let reads_only = || {
            ModeSlug::parse("ask")
                .ok()
                .filter(|_| *role == AccessRole::Viewer)
        };
        let roots = projects.iter().map(std::path::Path::new);
        let modes: Vec<ModeSlug> = match &self.scoped {
            Some(scoped) => scoped.modes.clone(),
            None => mode.clone().or_else(reads_only).into_iter().collect(),
        };
        AgentLimits {
            credential: Some(id.clone()),
            answers: self.may(AccessRole::Operator) && !self.is_bounded(),
            modes,
            projects: roots.filter_map(AbsPath::new).collect(),
            others: match self.may(AccessRole::Operator) && !self.is_bounded() {
                true => OthersTasks::Change,
                false => OthersTasks::Look,
            },
            agent: None,
        }
    }

    /// Whether a highest mode takes something from what it may do, so that what no mode bounds is not for it.
    pub fn is_bounded(&self) -> bool {
        match &self.scoped {
            Some(scoped) => !scoped.is_whole,
            None => self.credential.mode.is_some(),
        }
    }
}

const fn rank(role: AccessRole) -> u8 {
    match role {
        AccessRole::Viewer => 0,
        AccessRole::Operator => 1,
        AccessRole::Admin => 2,
    }
}

/// What can be done with credentials.
#[derive(Debug, Clone, Copy)]
pub struct Credentials<'a> {
    pub(crate) engine: &'a Engine,
}

impl Engine {
    pub fn access(&self) -> Credentials<'_> {
        Credentials { engine: self }
    }
}

impl Credentials<'_> {
    /// Makes a link that opens the page once; its secret is told here and never again.
    pub async fn create_link(self, role: AccessRole) -> Result<String, Error> {
        let secret = random_secret();
        let link = NewCredential {
            kind: CredentialKind::Link,
            hash: hash(&secret),
            name: "dashboard".to_owned(),
            role,
            mode: None,
            projects: Vec::new(),
            expires_at: Some(self.after(LINK_LIFE)),
        };
        self.engine.inner.store.create_credential(link).await?;
        Ok(secret)
    }

    /// Uses a link up; the secret of a new session of the page, and who that is. `None` for a link that does not hold.
    pub async fn redeem(self, link: &str) -> Result<Option<(String, Principal)>, Error> {
        let (secret, csrf) = (random_secret(), page_secret());
        let session = NewCredential {
            kind: CredentialKind::Session,
            hash: hash(&session_secret(&secret, &csrf)),
            name: "dashboard".to_owned(),
            // The link's own.
            role: AccessRole::Viewer,
            mode: None,
            projects: Vec::new(),
            expires_at: Some(self.after(SESSION_LIFE)),
        };
        let store = &self.engine.inner.store;
        let made = store.redeem_link(hash(link), session).await?;
        Ok(made.map(|credential| (secret, Principal::of_page(credential, csrf))))
    }

    /// Makes a token; its secret is told here and never again.
    pub async fn create_token(self, new: NewToken) -> Result<(Credential, String), Error> {
        let secret = random_secret();
        let token = NewCredential {
            kind: CredentialKind::Token,
            hash: hash(&secret),
            name: new.name,
            role: new.role,
            mode: new.mode,
            projects: new.projects,
            expires_at: new.life.map(|life| self.after(life)),
        };
        let made = self.engine.inner.store.create_credential(token).await?;
        Ok((made, secret))
    }

    /// Newest first.
    pub fn list(self, kind: CredentialKind) -> Result<Vec<Credential>, Error> {
        Ok(self.engine.inner.store.credentials(kind)?)
    }

    /// A session of the page for the holder of a token, with its secret. It may what the token may, and ends with it.
    /// `None` if the token has ended meanwhile.
    pub async fn open_session(
        self,
        token: &Credential,
    ) -> Result<Option<(String, Principal)>, Error> {
        let store = &self.engine.inner.store;
        let (secret, csrf) = (random_secret(), page_secret());
        let end = self.after(SESSION_LIFE);
        let session = NewCredential {
            kind: CredentialKind::Session,
            hash: hash(&session_secret(&secret, &csrf)),
            name: token.name.clone(),
            role: token.role,
            mode: token.mode.clone(),
            projects: token.projects.clone(),
            expires_at: Some(token.expires_at.map_or(end, |token| token.min(end))),
        };
        let made = store.open_session(&token.id, session).await?;
        Ok(made.map(|credential| (secret, Principal::of_page(credential, csrf))))
    }

    /// Ends a credential, and the page's sessions that were opened with it; tells whether it was good until now.
    pub async fn revoke(self, id: &CredentialId) -> Result<bool, Error> {
        Ok(self.engine.inner.store.revoke_credential(id).await?)
    }

    /// Whether a caller who was let in would still be.
    pub fn still_holds(self, principal: &Principal) -> Result<bool, Error> {
        let credential = &principal.credential;
        if principal.scoped.is_some() {
            return Ok(credential.is_good(self.now()));
        }
        let found = self.engine.inner.store.credential_by_id(&credential.id)?;
        Ok(found.is_some_and(|it| it.is_good(self.now())))
    }

    /// Who has this secret of that kind; `None` if nobody has, or no longer.
    pub fn who(self, kind: CredentialKind, secret: &str) -> Result<Option<Principal>, Error> {
        let found = self.engine.inner.store.credential(&hash(secret))?;
        let found = found.filter(|it| it.kind == kind && it.is_good(self.now()));
        Ok(found.map(|credential| Principal {
            credential,
            csrf: String::new(),
            scoped: None,
        }))
    }

    /// Records a change that was made over HTTP.
    pub async fn record(self, act: NewAct) -> Result<(), Error> {
        Ok(self.engine.inner.store.record_act(act).await?)
    }

    /// The latest changes, newest first.
    pub fn acts(self, limit: usize) -> Result<Vec<AuditedChange>, Error> {
        Ok(self.engine.inner.store.acts(limit)?)
    }

    /// When something ends that begins now, by the clock of the database: it is known once that was asked.
    fn after(self, life: Duration) -> Timestamp {
        self.engine.inner.store.reach();
        self.now().after(life)
    }

    pub(crate) fn now(self) -> Timestamp {
        self.engine.inner.clock.now()
    }
}

/// What the store knows of a secret. Secrets are random and long, so one round is enough.
fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

/// The secret of a page's session from its halves: the cookie's, which a browser also sends to whatever else listens on
/// this machine, because cookies know no ports, and the page's own, which it sends to its server alone.
pub fn session_secret(cookie: &str, page: &str) -> String {
    format!("{cookie}.{page}")
}

/// The page's half. It does not follow from the cookie's.
fn page_secret() -> String {
    hash(&random_secret())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or_default();
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(digit).collect()
}
