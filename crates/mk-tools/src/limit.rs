//! How often a client may call a tool: one bucket per tool and client.
//!
//! Who the client is, and how it is told, is the face's business.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use mk_types::lock;

use crate::tool::Tool;

/// Past this many clients of one tool, those with full buckets are forgotten.
const MANY_CLIENTS: usize = 10_000;

type Buckets =
    RateLimiter<String, DefaultKeyedStateStore<String>, DefaultClock, StateInformationMiddleware>;

/// The buckets of all tools and clients. Cheap to clone; all clones are one limiter.
#[derive(Debug, Clone, Default)]
pub struct Limiter {
    tools: Arc<Mutex<HashMap<&'static str, Arc<Buckets>>>>,
}

/// What a client has left of a tool's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallAllowance {
    /// Calls per minute.
    pub limit: u32,
    pub remaining: u32,
    /// Until the bucket is full again, or until the next call where it is empty.
    pub wait: Duration,
}

impl CallAllowance {
    /// `wait` in whole seconds, rounded up, because a client that comes back then must find a call.
    pub fn retry_after(&self) -> u64 {
        let seconds = self.wait.as_millis().div_ceil(1000).max(1);
        u64::try_from(seconds).unwrap_or(u64::MAX)
    }
}

impl Limiter {
    /// Takes one call from a client's bucket: `Err` if there was none, `None` where the tool has no limit.
    pub fn take(&self, tool: &Tool, client: &str) -> Option<Result<CallAllowance, CallAllowance>> {
        let limit = tool.calls_per_minute().and_then(NonZeroU32::new)?;
        let buckets = {
            let mut tools = lock(&self.tools);
            let make = || {
                let limiter = RateLimiter::keyed(Quota::per_minute(limit));
                Arc::new(limiter.with_middleware::<StateInformationMiddleware>())
            };
            Arc::clone(tools.entry(tool.name).or_insert_with(make))
        };
        if buckets.len() > MANY_CLIENTS {
            buckets.retain_recent();
        }
        let allowance = |remaining, wait| CallAllowance {
            limit: limit.get(),
            remaining,
            wait,
        };
        Some(match buckets.check_key(&client.to_owned()) {
            Ok(snapshot) => {
                let remaining = snapshot.remaining_burst_capacity();
                let refill = Duration::from_secs(60) / limit.get();
                Ok(allowance(remaining, refill * (limit.get() - remaining)))
            }
            Err(refused) => Err(allowance(
                0,
                refused.wait_time_from(DefaultClock::default().now()),
            )),
        })
    }
}
