//! Someone who listens and checks that what it is told makes sense.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Deleted, Event, Handler, Thing};

/// What a listener knows from events alone; clones are the same one.
#[derive(Clone, Default)]
pub(super) struct History {
    state: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    objects: BTreeMap<String, Arc<Thing>>,
    /// The newest revision ever seen of each name.
    newest: BTreeMap<String, u64>,
    faults: Vec<String>,
    events: usize,
}

fn name(thing: &Thing) -> String {
    format!("{}/{}", thing.metadata.namespace, thing.metadata.name)
}

fn revision(thing: &Thing) -> u64 {
    thing.metadata.resource_version.parse().expect("revisions are numbers")
}

impl History {
    pub(super) fn take(&self, event: &Event<Thing>) {
        let mut known = self.state.lock();
        known.events += 1;
        let key = name(event.object());
        let at = revision(event.object());
        let newest = known.newest.insert(key.clone(), at).unwrap_or(0);
        if at < newest {
            known.faults.push(format!("{key} went back from {newest} to {at}"));
        }
        let before = known.objects.get(&key).cloned();
        match event {
            Event::Added { object, .. } => {
                if before.is_some() {
                    known.faults.push(format!("{key} was added twice"));
                }
                known.objects.insert(key, object.clone());
            }
            Event::Updated { old, new } => {
                if !before.is_some_and(|before| Arc::ptr_eq(&before, old)) {
                    known.faults.push(format!("{key} was updated from something else"));
                }
                known.objects.insert(key, new.clone());
            }
            Event::Deleted(deleted) => {
                match before {
                    None => known.faults.push(format!("{key} was deleted twice")),
                    Some(before)
                        if deleted.is_final_state_unknown() && !Arc::ptr_eq(&before, deleted.object()) =>
                    {
                        known.faults.push(format!("{key} was lost in another state than the last one"));
                    }
                    Some(_) => {}
                }
                known.objects.remove(&key);
            }
        }
    }

    pub(super) fn objects(&self) -> Vec<Thing> {
        self.state.lock().objects.values().map(|thing| (**thing).clone()).collect()
    }

    pub(super) fn shared(&self) -> Vec<Arc<Thing>> {
        self.state.lock().objects.values().cloned().collect()
    }

    pub(super) fn faults(&self) -> Vec<String> {
        self.state.lock().faults.clone()
    }

    pub(super) fn events(&self) -> usize {
        self.state.lock().events
    }
}

/// A handler that keeps a history, and may panic after that.
pub(super) struct Recorder {
    pub(super) history: History,
    /// Panics at every so many events; never if zero.
    pub(super) panics: usize,
}

impl Recorder {
    fn take(&mut self, event: &Event<Thing>) {
        self.history.take(event);
        if self.panics > 0 && self.history.events().is_multiple_of(self.panics) {
            // Not `panic!`: hundreds of messages would hide those of a failed test.
            std::panic::resume_unwind(Box::new("as asked"));
        }
    }
}

impl Handler<Thing> for Recorder {
    fn on_add(&mut self, object: Arc<Thing>, is_in_initial_list: bool) {
        self.take(&Event::Added { object, is_in_initial_list });
    }
    fn on_update(&mut self, old: Arc<Thing>, new: Arc<Thing>) {
        self.take(&Event::Updated { old, new });
    }
    fn on_delete(&mut self, object: Deleted<Thing>) {
        self.take(&Event::Deleted(object));
    }
}
