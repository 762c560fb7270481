//! The keys of an issuer: where they are, and the last that were read.
//!
//! They are read again when a token names one that is not there, at most every few seconds, and now and then anyway, so
//! that a withdrawn key does not stay good. Over the network only with TLS, loopback aside.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Header};
use mk_types::{Clock, Timestamp, lock};
use serde_json::Value;

/// How soon keys are read again for the sake of one that is not there: tokens are cheap to make up.
const SOONEST: Duration = Duration::from_secs(5);
/// How long they are good without a look.
const FRESH: Duration = Duration::from_secs(600);
/// How long they are good while the issuer cannot be reached.
const STALE: Duration = Duration::from_secs(3600);
/// How long an issuer may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest answer that is read.
const LARGEST: u64 = 1024 * 1024;
/// The shortest RSA key, as RFC 7518 has it: shorter ones can be factored.
const SHORTEST_RSA: usize = 2048;

/// Where an issuer's keys are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// Where the issuer's own metadata says.
    Discovered {
        issuer: String,
    },
    Url(String),
    File(PathBuf),
}

/// Why keys cannot be read from a place.
#[derive(Debug)]
#[non_exhaustive]
pub enum KeyPlaceError {
    /// Neither https, nor on this machine.
    Unsafe { url: String },
}

impl std::fmt::Display for KeyPlaceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Unsafe { url } = self;
        write!(f, "`{url}` must begin with https://")
    }
}

impl std::error::Error for KeyPlaceError {}

impl KeyPlace {
    /// `jwks` is a URL or a file; without it the issuer is asked.
    pub fn new(issuer: &str, jwks: Option<&str>) -> Result<Self, KeyPlaceError> {
        check(issuer)?;
        match jwks {
            None => Ok(Self::Discovered {
                issuer: issuer.to_owned(),
            }),
            Some(url) if url.contains("://") => {
                check(url)?;
                Ok(Self::Url(url.to_owned()))
            }
            Some(file) => Ok(Self::File(file.into())),
        }
    }

    fn read(&self) -> Result<Value, String> {
        match self {
            Self::File(file) => {
                let text = std::fs::read(file).map_err(|error| error.to_string())?;
                serde_json::from_slice(&text).map_err(|error| error.to_string())
            }
            Self::Url(url) => fetch(url),
            Self::Discovered { issuer } => {
                let mut problem = String::new();
                for place in metadata_places(issuer) {
                    match fetch(&place) {
                        // Who speaks for another issuer is not believed.
                        Ok(found) if found["issuer"] == issuer.as_str() => {
                            let keys = found["jwks_uri"].as_str().unwrap_or_default();
                            check(keys).map_err(|error| error.to_string())?;
                            return fetch(keys);
                        }
                        Ok(_) => problem = format!("{place} is not about `{issuer}`"),
                        Err(error) => problem = format!("{place}: {error}"),
                    }
                }
                Err(problem)
            }
        }
    }
}

/// Where an issuer's metadata may be: RFC 8414's place, then OpenID Connect's two.
fn metadata_places(issuer: &str) -> [String; 3] {
    let issuer = issuer.trim_end_matches('/');
    let path_at = issuer.find("://").map_or(0, |at| at + 3);
    let path_at = issuer
        .get(path_at..)
        .and_then(|rest| rest.find('/'))
        .map_or(issuer.len(), |at| path_at + at);
    let (origin, path) = issuer.split_at(path_at);
    [
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
        format!("{issuer}/.well-known/openid-configuration"),
    ]
}

fn check(url: &str) -> Result<(), KeyPlaceError> {
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let is_local = local.iter().any(|start| {
        let rest = url.strip_prefix(start);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    });
    if url.starts_with("https://") || is_local {
        return Ok(());
    }
    Err(KeyPlaceError::Unsafe {
        url: url.to_owned(),
    })
}

fn fetch(url: &str) -> Result<Value, String> {
    let roots = ureq::tls::RootCerts::PlatformVerifier;
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        // A key is where it is said to be, or nowhere.
        .max_redirects(0)
        .tls_config(ureq::tls::TlsConfig::builder().root_certs(roots).build())
        .build();
    let answer = ureq::Agent::new_with_config(config).get(url).call();
    let mut answer = answer.map_err(|error| error.to_string())?;
    if answer.status() != 200 {
        return Err(format!("HTTP {}", answer.status()));
    }
    let body = answer.body_mut().with_config().limit(LARGEST).read_to_vec();
    let body = body.map_err(|error| error.to_string())?;
    serde_json::from_slice(&body).map_err(|error| error.to_string())
}

/// A public key, for one algorithm: a token does not choose how it is checked.
pub(super) struct SigningKey {
    id: Option<String>,
    pub(super) algorithm: Algorithm,
    pub(super) key: DecodingKey,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey")
            .field("id", &self.id)
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

impl SigningKey {
    /// The key once for each algorithm it may be used with. Shared secrets and short keys are none.
    fn of(jwk: &Jwk) -> Vec<Self> {
        let is_for_signing = match &jwk.common.public_key_use {
            None | Some(PublicKeyUse::Signature) => true,
            Some(_) => false,
        };
        let possible: &[Algorithm] = match &jwk.algorithm {
            AlgorithmParameters::RSA(key) if bits_of(&key.n) < SHORTEST_RSA => &[],
            AlgorithmParameters::RSA(_) => &[
                Algorithm::RS256,
                Algorithm::RS384,
                Algorithm::RS512,
                Algorithm::PS256,
                Algorithm::PS384,
                Algorithm::PS512,
            ],
            AlgorithmParameters::EllipticCurve(_) => &[Algorithm::ES256, Algorithm::ES384],
            AlgorithmParameters::OctetKeyPair(_) => &[Algorithm::EdDSA],
            _ => &[],
        };
        let said = jwk.common.key_algorithm.map(|said| said.to_string());
        let fits = |algorithm: &&Algorithm| {
            let name = format!("{algorithm:?}");
            said.as_ref().is_none_or(|said| *said == name)
        };
        let possible = possible.iter().filter(|_| is_for_signing).filter(fits);
        let made = possible.filter_map(|algorithm| {
            Some(Self {
                id: jwk.common.key_id.clone(),
                algorithm: *algorithm,
                key: DecodingKey::from_jwk(jwk).ok()?,
            })
        });
        made.collect()
    }

    pub(super) fn fits(&self, header: &Header) -> bool {
        self.algorithm == header.alg && (header.kid.is_none() || header.kid == self.id)
    }
}

/// The length of a number as a key set has it: its bytes in base64url, without the zeros that it begins with.
fn bits_of(number: &str) -> usize {
    let digits = number.trim_start_matches('A');
    // The first digit has six bits, of which the leading ones may be zeros.
    let leading: usize = match digits.bytes().next() {
        Some(b'B') => 5,
        Some(b'C' | b'D') => 4,
        Some(b'E'..=b'H') => 3,
        Some(b'I'..=b'P') => 2,
        Some(b'Q'..=b'Z' | b'a'..=b'f') => 1,
        _ => 0,
    };
    let zeros = (number.len() - digits.len()) * 6 + leading;
    (number.len() * 6 / 8 * 8).saturating_sub(zeros)
}

/// Keys as they were read.
#[derive(Debug, Clone, Default)]
pub(super) struct Ring {
    /// Counts the readings that brought other keys.
    pub(super) round: u64,
    pub(super) keys: Arc<Vec<SigningKey>>,
    text: Arc<Value>,
}

#[derive(Debug)]
pub(super) struct KeyRing {
    place: KeyPlace,
    clock: Clock,
    last: Mutex<LastFetch>,
    /// One reader at a time; the others wait for what it brings.
    reading: tokio::sync::Semaphore,
}

#[derive(Debug, Default)]
struct LastFetch {
    ring: Ring,
    /// When keys were last read, and when that was last tried.
    read_at: Option<Timestamp>,
    tried_at: Option<Timestamp>,
}

impl KeyRing {
    pub(super) fn new(place: KeyPlace, clock: Clock) -> Self {
        Self {
            place,
            clock,
            last: Mutex::default(),
            reading: tokio::sync::Semaphore::new(1),
        }
    }

    /// The keys, read again if that is due.
    pub(super) async fn fresh(&self) -> Ring {
        if self.is_younger(FRESH, |last| last.read_at) {
            return self.last().ring.clone();
        }
        self.read_after(FRESH).await
    }

    /// The keys, read again unless that has just been done.
    pub(super) async fn newer(&self) -> Ring {
        self.read_after(SOONEST).await
    }

    async fn read_after(&self, age: Duration) -> Ring {
        let _turn = self.reading.acquire().await;
        let just_tried = self.is_younger(SOONEST, |last| last.tried_at);
        if just_tried || self.is_younger(age, |last| last.read_at) {
            return self.last().ring.clone();
        }
        let place = self.place.clone();
        let read = tokio::task::spawn_blocking(move || place.read()).await;
        let read = read.unwrap_or_else(|_| Err("reading them failed".to_owned()));
        let now = self.clock.now();
        let is_stale = !self.is_younger(STALE, |last| last.read_at);
        let mut last = self.last();
        last.tried_at = Some(now);
        match read {
            Ok(text) => {
                last.read_at = Some(now);
                if *last.ring.text != text {
                    last.ring = Ring {
                        round: last.ring.round + 1,
                        keys: Arc::new(keys(&text)),
                        text: Arc::new(text),
                    };
                }
            }
            Err(problem) => {
                tracing::warn!("the issuer's keys cannot be read: {problem}");
                if is_stale {
                    last.ring = Ring {
                        round: last.ring.round + 1,
                        ..Ring::default()
                    };
                }
            }
        }
        last.ring.clone()
    }

    fn is_younger(&self, age: Duration, of: impl Fn(&LastFetch) -> Option<Timestamp>) -> bool {
        let now = self.clock.now();
        of(&self.last()).is_some_and(|at| at.after(age) > now)
    }

    fn last(&self) -> std::sync::MutexGuard<'_, LastFetch> {
        lock(&self.last)
    }
}

/// The keys of a set; those that are of no use here are left out, and take no other with them.
fn keys(set: &Value) -> Vec<SigningKey> {
    let listed = set["keys"].as_array().into_iter().flatten();
    let read = listed.filter_map(|key| serde_json::from_value::<Jwk>(key.clone()).ok());
    read.flat_map(|jwk| SigningKey::of(&jwk)).collect()
}
