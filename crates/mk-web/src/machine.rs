//! What the binary knows of its machine and this face does not: which clients are held, the last lines of the log,
//! and how hooks learn that somebody can answer.

use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Value, json};

type LookAtMachine = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Value> + Send>> + Send + Sync>;
type LogTail = Arc<dyn Fn() -> Vec<String> + Send + Sync>;
type PageAttend = Arc<dyn Fn() -> PageAttendance + Send + Sync>;
/// Says, as long as it lives, that a person can be asked.
pub type PageAttendance = Box<dyn Any + Send + Sync>;

/// The machine that a server runs on; without one, nothing is known of it.
#[derive(Clone, Default)]
pub struct Machine {
    look: Option<LookAtMachine>,
    tail: Option<LogTail>,
    attend: Option<PageAttend>,
}

impl Machine {
    pub fn new<F>(
        look: impl Fn() -> F + Send + Sync + 'static,
        tail: impl Fn() -> Vec<String> + Send + Sync + 'static,
        attend: impl Fn() -> PageAttendance + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Value> + Send + 'static,
    {
        Self {
            look: Some(Arc::new(move || Box::pin(look()))),
            tail: Some(Arc::new(tail)),
            attend: Some(Arc::new(attend)),
        }
    }

    /// `{"findings": […]}`, one for each client and for what they share.
    pub(crate) async fn enforcement(&self) -> Value {
        match &self.look {
            Some(look) => look().await,
            None => json!({ "findings": [] }),
        }
    }

    /// Somebody who can answer looks at the page.
    pub(crate) fn attend(&self) -> Option<PageAttendance> {
        self.attend.as_ref().map(|attend| attend())
    }

    /// The last lines of the log, oldest first.
    pub(crate) fn logs(&self) -> Vec<String> {
        self.tail.as_ref().map(|tail| tail()).unwrap_or_default()
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").finish_non_exhaustive()
    }
}
