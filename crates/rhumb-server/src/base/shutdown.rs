//! The word that a server is to end, and the count of the requests it still owes an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Notify, watch};

/// Hears that the server is to end. Watches and other requests without an end of their own listen to it.
#[derive(Clone, Debug)]
pub struct Shutdown {
    word: watch::Receiver<bool>,
}

/// Says that the server is to end.
#[derive(Clone, Debug)]
pub struct ShutdownTrigger {
    word: Arc<watch::Sender<bool>>,
}

impl ShutdownTrigger {
    /// A trigger that was not pulled yet, and what hears it.
    pub fn new() -> (Self, Shutdown) {
        let (sender, receiver) = watch::channel(false);
        (ShutdownTrigger { word: Arc::new(sender) }, Shutdown { word: receiver })
    }

    /// Says it. Saying it again changes nothing.
    pub fn pull(&self) {
        self.word.send_replace(true);
    }
}

impl Shutdown {
    /// Whether the server is to end.
    pub fn is_requested(&self) -> bool {
        *self.word.borrow()
    }

    /// Waits until the server is to end. A server whose trigger is gone is to end, too.
    pub async fn requested(&self) {
        let mut word = self.word.clone();
        let _ = word.wait_for(|ended| *ended).await;
    }
}

/// How many requests are being answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    count: AtomicUsize,
    empty: Notify,
}

/// One request that is being answered; it is over when this is dropped.
#[derive(Debug)]
pub(crate) struct Pending {
    shared: Arc<Shared>,
}

impl InFlight {
    /// Counts one more.
    pub(crate) fn begin(&self) -> Pending {
        self.shared.count.fetch_add(1, Ordering::SeqCst);
        Pending { shared: Arc::clone(&self.shared) }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.shared.count.load(Ordering::SeqCst)
    }

    /// Waits until there is none.
    pub(crate) async fn ended(&self) {
        loop {
            let empty = self.shared.empty.notified();
            if self.count() == 0 {
                return;
            }
            empty.await;
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.shared.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.shared.empty.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everyone_hears_the_word_and_late_comers_too() {
        let (trigger, shutdown) = ShutdownTrigger::new();
        assert!(!shutdown.is_requested());
        trigger.pull();
        shutdown.requested().await;
        shutdown.clone().requested().await;
        assert!(shutdown.is_requested());
    }

    #[tokio::test]
    async fn the_count_ends_when_the_last_request_does() {
        let requests = InFlight::default();
        requests.ended().await;
        let pending = requests.begin();
        let waiting = tokio::spawn({
            let requests = requests.clone();
            async move { requests.ended().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(pending);
        waiting.await.unwrap();
    }
}
