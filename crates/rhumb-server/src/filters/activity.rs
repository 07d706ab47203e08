//! Activity on one connection, so that one on which nothing good happens can be closed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::sleep;

/// How long the first request may let wait for itself.
pub(crate) const FIRST_REQUEST: Duration = Duration::from_secs(32);
/// How long a connection may do nothing, and how long a request with an end may take to the end of its answer.
pub(crate) const IDLE: Duration = Duration::from_secs(90);
/// How long a connection that is to close may take for what was already answered.
pub(crate) const LAST_BYTES: Duration = Duration::from_secs(5);
/// How many requests may be given up in a second before they were answered.
pub(crate) const GIVEN_UP: u64 = 100;

/// What happens on one connection.
#[derive(Default)]
pub(crate) struct Activity {
    requests: AtomicU64,
    under_way: AtomicUsize,
    /// Requests with an end that are under way, by number.
    short: Mutex<BTreeSet<u64>>,
    /// Requests that were given up, and the second in which.
    given_up: AtomicU64,
    second: AtomicU64,
    is_abused: AtomicBool,
    /// Rung when the connection is to close after what is under way.
    pub(crate) close: Notify,
    /// Rung when it is to end at once.
    abuse: Notify,
}

/// A request that is being answered, to the end of its answer's body.
pub(crate) struct Busy {
    activity: Arc<Activity>,
    number: u64,
    is_answered: bool,
    now: Duration,
}

impl Busy {
    /// A request begins at a moment of the clock.
    pub(crate) fn begin(activity: Arc<Activity>, now: Duration) -> Self {
        let number = activity.requests.fetch_add(1, Ordering::Relaxed);
        activity.under_way.fetch_add(1, Ordering::Relaxed);
        activity.short.lock().insert(number);
        Busy { activity, number, is_answered: false, now }
    }

    /// It may go on for as long as it likes.
    pub(crate) fn may_take_long(&self) {
        self.activity.short.lock().remove(&self.number);
    }

    /// The answer was made, and has to be sent.
    pub(crate) fn answered(&mut self) {
        self.is_answered = true;
    }

    /// Whether to stop working for the connection: it asks and gives up, to keep the server busy.
    pub(crate) fn is_abused(&self) -> bool {
        self.activity.is_abused.load(Ordering::Relaxed)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let activity = &self.activity;
        activity.under_way.fetch_sub(1, Ordering::Relaxed);
        activity.short.lock().remove(&self.number);
        if !self.is_answered {
            activity.give_up(self.now.as_secs());
        }
    }
}

impl Activity {
    pub(crate) fn give_up(&self, second: u64) {
        if self.second.swap(second, Ordering::Relaxed) != second {
            self.given_up.store(0, Ordering::Relaxed);
        }
        if self.given_up.fetch_add(1, Ordering::Relaxed) >= GIVEN_UP {
            self.is_abused.store(true, Ordering::Relaxed);
            self.abuse.notify_one();
        }
    }

    /// Waits until the connection is to be closed: nothing has happened for too long.
    pub(crate) async fn idle(&self) {
        sleep(FIRST_REQUEST).await;
        let mut seen = self.requests.load(Ordering::Relaxed);
        if seen == 0 {
            return;
        }
        loop {
            sleep(IDLE).await;
            let now = self.requests.load(Ordering::Relaxed);
            if now == seen && self.under_way.load(Ordering::Relaxed) == 0 {
                return;
            }
            seen = now;
        }
    }

    /// Waits until the connection is to be ended at once, and says why: it is abused, or a request that should have
    /// ended has not, because the client doesn't take the answer.
    pub(crate) async fn bad(&self) -> &'static str {
        let stuck = async {
            let mut before = BTreeSet::new();
            loop {
                sleep(IDLE).await;
                let now = self.short.lock().clone();
                if now.intersection(&before).next().is_some() {
                    return;
                }
                before = now;
            }
        };
        tokio::select! {
            () = stuck => "a client doesn't take its answers",
            () = self.abuse.notified() => "a client asks and gives up, again and again",
        }
    }

    /// Waits until no request is under way, and a little longer for the last bytes.
    pub(crate) async fn quiet(&self) {
        loop {
            sleep(LAST_BYTES).await;
            if self.under_way.load(Ordering::Relaxed) == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    pub(crate) async fn connections_end_when_answers_are_not_taken() {
        let activity = Arc::new(Activity::default());
        let mut long = Busy::begin(Arc::clone(&activity), Duration::ZERO);
        long.may_take_long();
        assert!(tokio::time::timeout(IDLE * 10, activity.bad()).await.is_err());
        let mut stuck = Busy::begin(Arc::clone(&activity), Duration::ZERO);
        stuck.answered();
        let why = tokio::time::timeout(IDLE * 3, activity.bad()).await;
        assert_eq!(why, Ok("a client doesn't take its answers"));
        long.answered();
    }

    #[tokio::test(start_paused = true)]
    pub(crate) async fn asking_and_giving_up_ends_a_connection_and_doing_it_slowly_does_not() {
        let activity = Arc::new(Activity::default());
        for second in 0..1000 {
            drop(Busy::begin(Arc::clone(&activity), Duration::from_secs(second / 50)));
        }
        assert!(!activity.is_abused.load(Ordering::Relaxed));
        for _ in 0..=GIVEN_UP {
            drop(Busy::begin(Arc::clone(&activity), Duration::from_secs(100)));
        }
        assert!(Busy::begin(Arc::clone(&activity), Duration::ZERO).is_abused());
        activity.bad().await;
    }
}
