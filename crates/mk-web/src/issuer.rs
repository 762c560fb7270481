//! Access tokens that an OAuth issuer elsewhere signed (RFC 9068): are they genuine, for this server, and in their time?
//!
//! What their scopes mean is the engine's to say. A token is checked once; until it ends, the same text is known by its
//! hash, because a signature costs more than the call it comes with.

mod keys;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jsonwebtoken::{Validation, decode, decode_header};
use mk_engine::SignedGrant;
use mk_types::{Clock, Timestamp, lock};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

pub use keys::{KeyPlace, KeyPlaceError};
use keys::{KeyRing, SigningKey};

/// How far clocks may be apart.
const LEEWAY: Duration = Duration::from_secs(60);
/// Tokens that are known by their hash at most.
const MOST_KNOWN: usize = 4096;
/// The longest token that is looked at.
const LONGEST: usize = 16 * 1024;

/// An issuer whose tokens are accepted. Cheap to clone.
#[derive(Debug, Clone)]
pub struct TokenIssuer(Arc<TrustedIssuer>);

#[derive(Debug)]
struct TrustedIssuer {
    url: String,
    clock: Clock,
    keys: KeyRing,
    known: Mutex<HashMap<[u8; 32], KnownToken>>,
}

/// A token that was genuine with the keys of that round.
#[derive(Debug, Clone)]
struct KnownToken {
    round: u64,
    claims: Arc<AccessClaims>,
}

/// What is read of a token.
#[derive(Debug, Deserialize)]
struct AccessClaims {
    sub: String,
    exp: u64,
    #[serde(default)]
    nbf: u64,
    aud: Audiences,
    /// Words in one text, as RFC 9068 has it; some issuers send a list, or call it `scp`.
    #[serde(default, alias = "scp")]
    scope: Option<Scopes>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Audiences {
    One(String),
    Many(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Scopes {
    Words(String),
    List(Vec<String>),
}

/// Why a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadToken {
    /// Not signed by the issuer, or not a token at all.
    Forged,
    /// For another server.
    Foreign,
    /// Its time is over, or has not come.
    Untimely,
    /// The issuer's keys cannot be had.
    NoKeys,
}

impl BadToken {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Forged => "the token was not signed by this server's issuer",
            Self::Foreign => "the token is for another server",
            Self::Untimely => "the token has expired, or is not valid yet",
            Self::NoKeys => "the issuer's keys cannot be read",
        }
    }
}

/// Whether a secret is such a token; those made here have no dots.
pub(crate) fn is_signed(secret: &str) -> bool {
    secret.split('.').count() == 3
}

impl TokenIssuer {
    /// `url` is what its tokens say in `iss`; its keys are read when the first token comes.
    pub fn new(url: &str, place: KeyPlace, clock: Clock) -> Self {
        let keys = KeyRing::new(place, clock.clone());
        Self(Arc::new(TrustedIssuer {
            url: url.to_owned(),
            clock,
            keys,
            known: Mutex::default(),
        }))
    }

    pub(crate) fn url(&self) -> &str {
        &self.0.url
    }

    /// What a token says, if it is genuine and for one of these audiences.
    pub(crate) async fn verify(
        &self,
        token: &str,
        audiences: &[String],
    ) -> Result<SignedGrant, BadToken> {
        if token.len() > LONGEST {
            return Err(BadToken::Forged);
        }
        let claims = self.genuine(token).await?;
        if !claims.is_for(audiences) {
            return Err(BadToken::Foreign);
        }
        let now = self.0.clock.now().as_millis() / 1000;
        let leeway = i64::try_from(LEEWAY.as_secs()).unwrap_or_default();
        let seconds = |time: u64| i64::try_from(time).unwrap_or(i64::MAX);
        let is_over = seconds(claims.exp).saturating_add(leeway) <= now;
        if is_over || seconds(claims.nbf).saturating_sub(leeway) > now {
            return Err(BadToken::Untimely);
        }
        Ok(SignedGrant {
            issuer: self.0.url.clone(),
            subject: claims.sub.clone(),
            scopes: claims.scopes(),
            expires_at: Timestamp::from_millis(seconds(claims.exp).saturating_mul(1000)),
        })
    }

    /// The claims of a token that the issuer signed, whenever and for whomever.
    async fn genuine(&self, token: &str) -> Result<Arc<AccessClaims>, BadToken> {
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let ring = self.0.keys.fresh().await;
        if let Some(known) = self.known().get(&hash)
            && known.round == ring.round
        {
            return Ok(Arc::clone(&known.claims));
        }
        let header = decode_header(token).map_err(|_| BadToken::Forged)?;
        // What an extension demands that is not known here cannot be met.
        if header.crit.is_some() {
            return Err(BadToken::Forged);
        }
        let mut ring = ring;
        if !ring.keys.iter().any(|key| key.fits(&header)) {
            ring = self.0.keys.newer().await;
        }
        if ring.keys.is_empty() {
            return Err(BadToken::NoKeys);
        }
        let mut fitting = ring.keys.iter().filter(|key| key.fits(&header));
        let claims = fitting.find_map(|key| self.claims(token, key));
        let claims = Arc::new(claims.ok_or(BadToken::Forged)?);
        let mut known = self.known();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        let entry = KnownToken {
            round: ring.round,
            claims: Arc::clone(&claims),
        };
        drop(known.insert(hash, entry));
        Ok(claims)
    }

    fn claims(&self, token: &str, key: &SigningKey) -> Option<AccessClaims> {
        let mut rules = Validation::new(key.algorithm);
        rules.set_issuer(&[&self.0.url]);
        rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        // By our own clock, and by the path it is used on.
        rules.validate_exp = false;
        rules.validate_aud = false;
        let read = decode::<AccessClaims>(token, &key.key, &rules).ok()?;
        Some(read.claims)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], KnownToken>> {
        lock(&self.0.known)
    }
}

impl AccessClaims {
    fn is_for(&self, audiences: &[String]) -> bool {
        let named = match &self.aud {
            Audiences::One(one) => std::slice::from_ref(one),
            Audiences::Many(many) => many,
        };
        let plain = |url: &str| url.trim_end_matches('/').to_owned();
        let mut named = named.iter();
        named.any(|named| audiences.iter().any(|own| plain(own) == plain(named)))
    }

    fn scopes(&self) -> Vec<String> {
        match &self.scope {
            None => Vec::new(),
            Some(Scopes::Words(words)) => words.split_whitespace().map(str::to_owned).collect(),
            Some(Scopes::List(list)) => list.clone(),
        }
    }
}
