//! `Processor`: applies changes to the store and notifies listeners.
//!
//! Both happen under one lock, so that a listener which is added meanwhile gets every object either as one
//! that is there or as an event, never both and never neither.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use parking_lot::Mutex;
use rhumb_meta::Object;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;

use super::delta_fifo::{Delta, DeltaFifo, Deltas, Processed};
use super::handler::Event;
use super::indexer::Indexer;
use super::key::ObjectKey;
use super::listener::Notice;

pub(crate) struct Processor<K> {
    indexer: Arc<Indexer<K>>,
    state: Mutex<State<K>>,
    /// Rings when a listener came whose resync may be the next.
    changed: Notify,
    phase: watch::Sender<Phase>,
}

/// State of an informer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The initial list is not in the store yet.
    Filling,
    /// The first list was processed.
    Synced,
    /// The informer has stopped.
    Stopped,
}

struct State<K> {
    entries: Vec<Entry<K>>,
    next_id: u64,
}

struct Entry<K> {
    id: u64,
    queue: mpsc::UnboundedSender<Notice<K>>,
    resync: Option<Resync>,
}

/// When a listener's next resync is due.
struct Resync {
    every: Duration,
    next: Instant,
    /// Whether the resync that is going on is for this one.
    due: bool,
}

/// Minimum resync period.
const LEAST_RESYNC: Duration = Duration::from_secs(1);

impl Resync {
    /// Creates a resync schedule; `None` if the period is zero or too long.
    fn new(every: Duration, now: Instant) -> Option<Self> {
        let every = Some(every).filter(|every| !every.is_zero())?.max(LEAST_RESYNC);
        Some(Resync { every, next: now.checked_add(every)?, due: false })
    }
}

/// Maximum number of changes processed before other tasks run.
const BATCH: u32 = 128;

impl<K: Object> Processor<K> {
    pub(crate) fn new(indexer: Arc<Indexer<K>>) -> Self {
        Processor {
            indexer,
            state: Mutex::new(State { entries: Vec::new(), next_id: 0 }),
            changed: Notify::new(),
            phase: watch::Sender::new(Phase::Filling),
        }
    }

    pub(crate) fn phase(&self) -> watch::Receiver<Phase> {
        self.phase.subscribe()
    }

    /// Begins to tell someone: all objects that are there first. `None` if nothing comes any more.
    pub(crate) fn listen(
        &self,
        resync: Option<Duration>,
    ) -> Option<(u64, mpsc::UnboundedReceiver<Notice<K>>)> {
        let mut state = self.state.lock();
        let phase = *self.phase.borrow();
        if phase == Phase::Stopped {
            return None;
        }
        let (queue, receiver) = mpsc::unbounded_channel();
        for object in self.indexer.list() {
            let _ = queue.send(Notice::Event(Event::Added { object, is_in_initial_list: true }));
        }
        if phase == Phase::Synced {
            let _ = queue.send(Notice::Synced);
        }
        let resync = resync.and_then(|every| Resync::new(every, Instant::now()));
        let id = state.next_id;
        state.next_id += 1;
        state.entries.push(Entry { id, queue, resync });
        self.changed.notify_one();
        Some((id, receiver))
    }

    /// Tells someone no more.
    pub(crate) fn forget(&self, id: u64) {
        self.state.lock().entries.retain(|entry| entry.id != id);
    }

    /// Tells nobody any more, ever.
    pub(crate) fn stop(&self) {
        let mut state = self.state.lock();
        state.entries.clear();
        self.phase.send_replace(Phase::Stopped);
    }

    /// Works off the queue for as long as it is polled. Who fills the queue does so in the same task, just before, so
    /// nobody needs to be woken for what is in it.
    pub(crate) async fn run(&self, fifo: &DeltaFifo<K>) {
        loop {
            let mut count = 0;
            while fifo.try_pop(|key, deltas, initial| self.process(key, deltas, initial)) {
                self.check_synced(fifo);
                count += 1;
                if count % BATCH == 0 {
                    tokio::task::yield_now().await;
                }
            }
            self.check_synced(fifo);
            // The queue is empty: what an earlier resync put into it has been told to those it was for.
            let next = fifo.has_synced().then(|| self.next_resync()).flatten();
            if next.is_some_and(|next| next <= Instant::now()) {
                self.begin_resync(Instant::now());
                fifo.resync();
                continue;
            }
            tokio::select! {
                () = poll_fn(|_| if self.has_news(fifo) { Poll::Ready(()) } else { Poll::Pending }) => {}
                () = self.changed.notified() => {}
                () = sleep_until(next) => {}
            }
        }
    }

    /// Reports whether something is queued, or the first list came and was empty.
    fn has_news(&self, fifo: &DeltaFifo<K>) -> bool {
        !fifo.is_empty() || (fifo.has_synced() && *self.phase.borrow() == Phase::Filling)
    }

    fn process(&self, key: &ObjectKey, deltas: Deltas<K>, initial: bool) -> Processed<K> {
        let mut state = self.state.lock();
        for delta in deltas {
            let sync = matches!(delta, Delta::Sync(_));
            let event = match delta {
                Delta::Deleted(deleted) => match self.indexer.remove(key) {
                    Some(_) => Event::Deleted(deleted),
                    // It came and went without anyone having been told.
                    None => continue,
                },
                Delta::Added(object)
                | Delta::Updated(object)
                | Delta::Replaced(object)
                | Delta::Sync(object) => match self.indexer.insert(key.clone(), object.clone()) {
                    Some(old) => Event::Updated { old, new: object },
                    None => Event::Added { object, is_in_initial_list: initial },
                },
            };
            state.distribute(&event, sync);
        }
        Processed::Done
    }

    fn check_synced(&self, fifo: &DeltaFifo<K>) {
        if !fifo.has_synced() || *self.phase.borrow() != Phase::Filling {
            return;
        }
        let state = self.state.lock();
        for entry in &state.entries {
            let _ = entry.queue.send(Notice::Synced);
        }
        self.phase.send_if_modified(|phase| {
            let filling = *phase == Phase::Filling;
            if filling {
                *phase = Phase::Synced;
            }
            filling
        });
    }

    fn next_resync(&self) -> Option<Instant> {
        let state = self.state.lock();
        state.entries.iter().filter_map(|entry| entry.resync.as_ref()).map(|resync| resync.next).min()
    }

    fn begin_resync(&self, now: Instant) {
        let mut state = self.state.lock();
        for entry in &mut state.entries {
            let Some(resync) = &mut entry.resync else { continue };
            resync.due = resync.next <= now;
            if resync.due {
                resync.next = now.checked_add(resync.every).unwrap_or(resync.next);
            }
        }
    }
}

impl<K> State<K> {
    /// Puts an event into every queue that it is for. Queues that nobody reads any more are dropped.
    fn distribute(&mut self, event: &Event<K>, sync: bool) {
        self.entries.retain(|entry| {
            let wanted = !sync || entry.resync.as_ref().is_some_and(|resync| resync.due);
            if wanted {
                entry.queue.send(Notice::Event(event.clone())).is_ok()
            } else {
                !entry.queue.is_closed()
            }
        });
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
