//! Moments and the clock that gives them. Nothing else in the workspace asks the system for the time.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment in milliseconds since 1970, shown as ISO 8601 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// How long ago `earlier` was; zero if it lies in the future.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The moment `duration` after this one.
    pub fn after(self, duration: Duration) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// The moment `duration` before this one.
    pub fn before(self, duration: Duration) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)),
        )
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(moment) => write!(f, "{moment:.3}"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

/// Where times come from: the system, or a hand that a test moves.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    #[default]
    System,
    Manual(Arc<AtomicI64>),
    /// The system's, so many milliseconds later: as others tell the time.
    Shifted(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands at `start` until [`Clock::advance`] moves it.
    pub fn manual(start: Timestamp) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(start.as_millis())))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => {
                let elapsed = SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default();
                Timestamp(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
            }
            Self::Manual(millis) => Timestamp(millis.load(Ordering::SeqCst)),
            Self::Shifted(by) => {
                let millis = Self::System.now().0;
                Timestamp(millis.saturating_add(by.load(Ordering::SeqCst)))
            }
        }
    }

    /// Moves a manual clock forward; the system's clock is not ours to move.
    pub fn advance(&self, by: Duration) {
        if let Self::Manual(millis) = self {
            millis.fetch_add(
                i64::try_from(by.as_millis()).unwrap_or(i64::MAX),
                Ordering::SeqCst,
            );
        }
    }
}
