//! Whether a search is still wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Tells a search that its result is no longer wanted: the turn's time is over, the match has ended, or
/// the connection is lost.
///
/// It is cheap to ask and to clone, and any thread may hold one.
///
/// ```
/// # use polynya_client::Turn;
/// # fn deepen(depth: u32) -> bool { depth < 3 }
/// fn search(turn: &Turn) -> u32 {
///     let cancellation = turn.cancellation();
///     (1..).take_while(|&depth| !cancellation.is_cancelled() && deepen(depth)).last().unwrap_or(0)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Cancellation {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancellation {
    pub(crate) fn new(deadline: Option<Instant>) -> Self {
        Self { cancelled: Arc::default(), deadline }
    }

    /// Whether the search is to stop now.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}
