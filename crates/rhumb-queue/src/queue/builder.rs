//! Builder of queues.

use std::fmt;
use std::sync::Arc;

use super::{Item, Queue, Shared};
use crate::limit::{RateLimiter, default_limiter};
use crate::metrics::{Metrics, Unfinished};
use crate::state::State;
use crate::sync::{Clock, Mutex};

/// Configuration of a queue.
///
/// ```
/// use rhumb_queue::{Exponential, Metrics, Queue};
/// use std::time::Duration;
///
/// let metrics = Metrics::default();
/// let queue = Queue::builder()
///     .metrics(&metrics, "pods")
///     .limiter(Exponential::new(Duration::from_millis(5), Duration::from_secs(60)))
///     .build();
/// queue.add("default/web");
/// assert!(metrics.render().contains("workqueue_depth{name=\"pods\"} 1\n"));
/// ```
pub struct Builder<T: Item> {
    metrics: Option<(Metrics, String)>,
    limiter: Option<Box<dyn RateLimiter<T>>>,
    clock: Clock,
}

impl<T: Item> Default for Builder<T> {
    fn default() -> Self {
        Builder { metrics: None, limiter: None, clock: Clock::default() }
    }
}

impl<T: Item> Builder<T> {
    /// Records metrics under a name. Queues of the same name share them.
    pub fn metrics(mut self, metrics: &Metrics, name: impl Into<String>) -> Self {
        self.metrics = Some((metrics.clone(), name.into()));
        self
    }

    /// Sets the rate limiter for [`Queue::add_rate_limited`].
    pub fn limiter(mut self, limiter: impl RateLimiter<T>) -> Self {
        self.limiter = Some(Box::new(limiter));
        self
    }

    #[cfg(test)]
    pub(crate) fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Creates the queue.
    pub fn build(self) -> Queue<T> {
        let series = self.metrics.map(|(metrics, name)| metrics.series(&name));
        let limiter = self.limiter.unwrap_or_else(|| Box::new(default_limiter()));
        let shared = Arc::new(Shared {
            state: Mutex::new(State::new(series.clone())),
            limiter: Mutex::new(limiter),
            clock: self.clock,
        });
        if let Some(series) = series {
            let source: Arc<dyn Unfinished> = shared.clone();
            series.watch(Arc::downgrade(&source));
        }
        Queue { shared }
    }
}

impl<T: Item> fmt::Debug for Builder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("name", &self.metrics.as_ref().map(|(_, name)| name))
            .finish_non_exhaustive()
    }
}

impl<T: Item> Unfinished for Shared<T> {
    fn unfinished(&self) -> (std::time::Duration, std::time::Duration) {
        let now = self.clock.now();
        self.change(|state| {
            // Items that fell due unnoticed are to be counted as added.
            state.ready(now);
            state.unfinished(now)
        })
    }
}
