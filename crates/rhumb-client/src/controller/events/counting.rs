//! Correlation of `v1` events by counting.

use std::collections::BTreeSet;
use std::time::Duration;

use rhumb_api::core::v1::{Event, EventSource};
use rhumb_meta::{MicroTime, ObjectMeta, Time};
use rhumb_queue::TokenBucket;
use serde_json::json;
use tokio::time::Instant;

use super::recent::Recent;
use super::{Correlator, Happening, Write, name_for, namespace_for};

/// Limits of [`Counting`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CountingOptions {
    /// Burst of events per source and object.
    pub burst: u32,
    /// Refill rate in events per second.
    pub qps: f64,
    /// Number of events differing only in their message before they are combined.
    pub max_similar: usize,
    /// Interval without similar events after which the count restarts.
    pub similar_within: Duration,
    /// Maximum number of events remembered.
    pub memory: usize,
}

impl Default for CountingOptions {
    /// Returns client-go's limits: a burst of 25 and one event in five minutes; combination after ten similar events
    /// in ten minutes; 4096 events remembered.
    fn default() -> Self {
        CountingOptions {
            burst: 25,
            qps: 1.0 / 300.0,
            max_similar: 10,
            similar_within: Duration::from_secs(600),
            memory: 4096,
        }
    }
}

/// Key of equal events of a source about an object, from the whole to the parts.
type Key = Vec<String>;

/// Messages of otherwise equal events.
#[derive(Default)]
struct Similar {
    messages: BTreeSet<String>,
    last: Option<Instant>,
}

/// A written event with its count.
#[derive(Default)]
struct Counted {
    count: i32,
    name: String,
    first: Time,
}

/// Correlator that counts equal events, combines similar ones and drops those above the limits.
///
/// - An event that was seen before changes the count, the time and the message of the one that was written.
/// - From the tenth event within ten minutes that differs in its message only, they are written as one whose message
///   begins with `(combined from similar events): `.
/// - A source can write 25 events of a type about an object, and then one every five minutes. What is dropped still
///   counts.
pub struct Counting {
    options: CountingOptions,
    similar: Recent<Key, Similar>,
    counted: Recent<Key, Counted>,
    budgets: Recent<Key, Option<TokenBucket>>,
}

impl Counting {
    /// Creates a correlator with these limits.
    pub fn new(options: CountingOptions) -> Self {
        Counting {
            similar: Recent::new(options.memory),
            counted: Recent::new(options.memory),
            budgets: Recent::new(options.memory),
            options,
        }
    }

    /// Combines the event with others if there were too many like it. The key is that of the event or of all of them.
    fn combine(&mut self, event: &mut Event, now: Instant, wall: MicroTime) -> Key {
        let mut similar_key = source_key(event);
        similar_key.extend([
            event.reason.clone(),
            event.reporting_component.clone(),
            event.reporting_instance.clone(),
        ]);
        let similar = self.similar.entry(similar_key.clone());
        let fresh = similar
            .last
            .is_some_and(|last| now.saturating_duration_since(last) <= self.options.similar_within);
        if !fresh {
            similar.messages.clear();
        }
        similar.last = Some(now);
        let is_new = similar.messages.insert(event.message.clone());
        if similar.messages.len() < self.options.max_similar {
            similar_key.extend([event.involved_object.field_path.clone(), event.message.clone()]);
            return similar_key;
        }
        if is_new {
            // The set need not grow any more; the messages that were written stay known.
            similar.messages.remove(&event.message);
        }
        event.metadata.name = name_for(&event.involved_object, wall);
        event.message.insert_str(0, "(combined from similar events): ");
        similar_key
    }

    /// Counts the event. If it was written before, this gives what changes of it.
    fn count(&mut self, key: Key, event: &mut Event) -> Option<serde_json::Value> {
        let counted = self.counted.entry(key);
        if counted.count == 0 {
            *counted = Counted { count: 1, name: event.metadata.name.clone(), first: event.first_timestamp };
            return None;
        }
        counted.count = counted.count.saturating_add(1);
        event.count = counted.count;
        event.metadata.name.clone_from(&counted.name);
        event.first_timestamp = counted.first;
        Some(json!({
            "count": event.count,
            "lastTimestamp": event.last_timestamp.to_string(),
            "message": event.message,
        }))
    }

    fn is_too_much(&mut self, event: &Event, now: Instant) -> bool {
        let budget = self.budgets.entry(source_key(event));
        let bucket = budget.get_or_insert_with(|| TokenBucket::new(self.options.qps, self.options.burst));
        !bucket.try_take(now)
    }
}

impl Default for Counting {
    fn default() -> Self {
        Counting::new(CountingOptions::default())
    }
}

impl Correlator for Counting {
    type Event = Event;

    fn happened(&mut self, happening: Happening, now: Instant) -> Option<Write<Event>> {
        let wall = happening.at;
        let mut event = event_of(happening);
        let key = self.combine(&mut event, now, wall);
        let patch = self.count(key, &mut event);
        if self.is_too_much(&event, now) {
            return None;
        }
        Some(Write { event, patch })
    }
}

/// Returns the source of an event, the object and the type: what its budget goes by.
fn source_key(event: &Event) -> Key {
    let about = &event.involved_object;
    [
        &event.source.component,
        &event.source.host,
        &about.kind,
        &about.namespace,
        &about.name,
        &about.uid,
        &about.api_version,
        &event.type_,
    ]
    .map(Clone::clone)
    .into()
}

fn event_of(happening: Happening) -> Event {
    let Happening { draft, source, at } = happening;
    Event {
        metadata: ObjectMeta {
            name: name_for(&draft.about, at),
            namespace: namespace_for(&draft.about),
            annotations: draft.annotations,
            ..ObjectMeta::default()
        },
        reason: draft.reason,
        message: draft.message,
        source: EventSource { component: source.controller.clone(), host: source.instance.clone() },
        first_timestamp: at.into(),
        last_timestamp: at.into(),
        count: 1,
        type_: draft.type_.as_str().to_owned(),
        action: draft.action,
        related: draft.related.map(Box::new),
        reporting_component: source.controller,
        reporting_instance: source.instance,
        involved_object: draft.about,
        ..Event::default()
    }
}
