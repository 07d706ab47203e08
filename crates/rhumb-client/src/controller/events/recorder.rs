//! Recorder: the interface for controllers to report events.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rhumb_api::core::v1::ObjectReference;
use tokio::sync::mpsc;

use super::publisher::Publisher;
use super::{Correlator, EventSink, EventType, Happening, Source};
use crate::controller::wall_clock::WallClock;

/// Maximum number of queued events; more are dropped.
const QUEUED: usize = 1000;

/// An event to record about an object.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(super) about: ObjectReference,
    pub(super) related: Option<ObjectReference>,
    pub(super) type_: EventType,
    pub(super) reason: String,
    pub(super) action: String,
    pub(super) message: String,
    pub(super) annotations: BTreeMap<String, String>,
}

impl Draft {
    /// Creates an event with a reason, one CamelCase word for programs, and a message for people.
    pub fn new(
        about: ObjectReference,
        type_: EventType,
        reason: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let reason = reason.into();
        Draft {
            about,
            related: None,
            type_,
            action: reason.clone(),
            reason,
            message: message.into(),
            annotations: BTreeMap::new(),
        }
    }

    /// Sets the action, a CamelCase word; the reason by default.
    #[must_use]
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.action = action.into();
        self
    }

    /// Sets a related object.
    #[must_use]
    pub fn related(mut self, related: ObjectReference) -> Self {
        self.related = Some(related);
        self
    }

    /// Adds an annotation to the event.
    #[must_use]
    pub fn annotation(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.annotations.insert(name.into(), value.into());
        self
    }
}

/// Queues events to be written later. It never blocks: events are dropped if too many are queued.
#[derive(Clone)]
pub struct Recorder {
    sender: mpsc::Sender<Happening>,
    source: Source,
    clock: WallClock,
    dropped: Arc<AtomicU64>,
}

impl Recorder {
    /// Creates a recorder and its publisher, which must be run.
    ///
    /// ```no_run
    /// use rhumb_client::controller::{Counting, Draft, EventSink, EventType, Recorder, Shutdown, Source, WallClock};
    /// use rhumb_client::controller::reference_to;
    ///
    /// # async fn example(sink: impl EventSink<rhumb_api::core::v1::Event>, pod: rhumb_api::core::v1::Pod) {
    /// let source = Source { controller: "example.com/backup".into(), instance: "backup-0".into() };
    /// let clock = WallClock::new(std::time::SystemTime::now);
    /// let (recorder, publisher) = Recorder::new(Counting::default(), sink, source, clock);
    /// let shutdown = Shutdown::new();
    /// tokio::spawn(publisher.run(shutdown.clone()));
    /// recorder.record(Draft::new(reference_to(&pod), EventType::Normal, "BackedUp", "All is safe."));
    /// # }
    /// ```
    pub fn new<C: Correlator, S: EventSink<C::Event>>(
        correlator: C,
        sink: S,
        source: Source,
        clock: WallClock,
    ) -> (Recorder, Publisher<C, S>) {
        let (sender, receiver) = mpsc::channel(QUEUED);
        let publisher = Publisher::new(correlator, sink, receiver, clock.clone());
        (Recorder { sender, source, clock, dropped: Arc::default() }, publisher)
    }

    /// Records an event.
    pub fn record(&self, draft: Draft) {
        let happening = Happening { draft, source: self.source.clone(), at: self.clock.now() };
        if self.sender.try_send(happening).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the number of dropped events, because the queue was full or the publisher has ended.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("source", &self.source).finish_non_exhaustive()
    }
}
