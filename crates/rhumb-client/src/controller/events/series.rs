//! Correlation of `events.k8s.io/v1` events into series.

use std::collections::HashMap;
use std::time::Duration;

use rhumb_api::core::v1::ObjectReference;
use rhumb_api::events::v1::{Event, EventSeries};
use rhumb_meta::{MicroTime, ObjectMeta};
use serde_json::json;
use tokio::time::Instant;

use super::{Correlator, Happening, Write, name_for, namespace_for};

/// Interval between updates of a continuing series. Servers delete events after about an hour.
const REFRESH: Duration = Duration::from_secs(30 * 60);
/// Time without another event after which a series is finished.
const FINISH: Duration = Duration::from_secs(6 * 60);

/// Maximum length of a note in bytes.
const NOTE_LIMIT: usize = 1024;

/// Key of equal events, without the message.
type Key = Vec<String>;

struct Ongoing {
    event: Event,
    last_seen: Instant,
    last_written: Instant,
}

/// Correlator that writes the first event of its kind, starts a series with the second, and counts the rest. The
/// server gets an update every half hour and the final count when a series is finished, six minutes after its last
/// event.
#[derive(Default)]
pub struct Series {
    ongoing: HashMap<Key, Ongoing>,
}

impl Series {
    /// Creates an empty correlator.
    pub fn new() -> Self {
        Series::default()
    }
}

impl Correlator for Series {
    type Event = Event;

    fn happened(&mut self, happening: Happening, now: Instant) -> Option<Write<Event>> {
        let at = happening.at;
        let event = event_of(happening);
        let key = key_of(&event);
        let Some(ongoing) = self.ongoing.get_mut(&key) else {
            let write = Write { event: event.clone(), patch: None };
            self.ongoing.insert(key, Ongoing { event, last_seen: now, last_written: now });
            return Some(write);
        };
        ongoing.last_seen = now;
        if let Some(series) = &mut ongoing.event.series {
            series.count = series.count.saturating_add(1);
            series.last_observed_time = at;
            return None;
        }
        ongoing.event.series = Some(Box::new(EventSeries { count: 2, last_observed_time: at }));
        ongoing.last_written = now;
        write_of(&ongoing.event)
    }

    fn next_refresh(&self) -> Option<Instant> {
        self.ongoing
            .values()
            .map(|ongoing| (ongoing.last_seen + FINISH).min(ongoing.last_written + REFRESH))
            .min()
    }

    fn refresh(&mut self, now: Instant, _: MicroTime) -> Vec<Write<Event>> {
        let mut writes = Vec::new();
        self.ongoing.retain(|_, ongoing| {
            let over = now.saturating_duration_since(ongoing.last_seen) >= FINISH;
            if over || now.saturating_duration_since(ongoing.last_written) >= REFRESH {
                ongoing.last_written = now;
                writes.extend(write_of(&ongoing.event));
            }
            !over
        });
        writes
    }
}

/// Returns the write of a series' count; none for a single event.
fn write_of(event: &Event) -> Option<Write<Event>> {
    let series = event.series.as_ref()?;
    let patch = json!({"series": {
        "count": series.count,
        "lastObservedTime": series.last_observed_time.to_string(),
    }});
    Some(Write { event: event.clone(), patch: Some(patch) })
}

fn key_of(event: &Event) -> Key {
    let none = ObjectReference::default();
    let mut key = Key::new();
    for object in [&event.regarding, event.related.as_deref().unwrap_or(&none)] {
        let parts = [
            &object.kind,
            &object.namespace,
            &object.name,
            &object.uid,
            &object.api_version,
            &object.field_path,
        ];
        key.extend(parts.map(Clone::clone));
    }
    let parts =
        [&event.type_, &event.action, &event.reason, &event.reporting_controller, &event.reporting_instance];
    key.extend(parts.map(Clone::clone));
    key
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
        event_time: at,
        reporting_controller: source.controller,
        reporting_instance: source.instance,
        action: draft.action,
        reason: draft.reason,
        regarding: draft.about,
        related: draft.related.map(Box::new),
        note: cut(draft.message),
        type_: draft.type_.as_str().to_owned(),
        ..Event::default()
    }
}

/// Returns the note, or its beginning if servers would refuse it for its length.
fn cut(mut note: String) -> String {
    if note.len() > NOTE_LIMIT {
        let end = note.floor_char_boundary(NOTE_LIMIT.saturating_sub(3));
        note.truncate(end);
        note.push_str("...");
    }
    note
}
