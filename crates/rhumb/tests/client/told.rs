//! What a handler knows from events alone, and whether they made sense.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rhumb_client::informer::{Deleted, Handler, ObjectKey};
use rhumb_meta::Object;

/// The copy that a handler makes; clones are the same one.
pub(crate) struct Told<K> {
    state: Arc<Mutex<State<K>>>,
}

struct State<K> {
    objects: BTreeMap<ObjectKey, Arc<K>>,
    newest: BTreeMap<ObjectKey, u64>,
    faults: Vec<String>,
}

impl<K> Clone for Told<K> {
    fn clone(&self) -> Self {
        Told { state: self.state.clone() }
    }
}

impl<K: Object> Told<K> {
    pub(crate) fn new() -> Self {
        let state = State { objects: BTreeMap::new(), newest: BTreeMap::new(), faults: Vec::new() };
        Told { state: Arc::new(Mutex::new(state)) }
    }

    /// The revision of every object.
    pub(crate) fn revisions(&self) -> BTreeMap<String, String> {
        let state = self.state.lock().expect("no handler panics");
        state.objects.values().map(|object| revision(&**object)).collect()
    }

    pub(crate) fn faults(&self) -> Vec<String> {
        self.state.lock().expect("no handler panics").faults.clone()
    }

    fn note(&self, object: &Arc<K>, old: Option<&Arc<K>>, stays: bool) {
        let mut state = self.state.lock().expect("no handler panics");
        let state = &mut *state;
        let key = ObjectKey::of(&**object).expect("objects have names");
        let before = state.objects.get(&key);
        match (before, old) {
            (None, None) => {}
            (Some(before), Some(old)) if Arc::ptr_eq(before, old) => {}
            _ => state.faults.push(format!("{key} is not what it was said to be before")),
        }
        let at: u64 = revision(&**object).1.parse().expect("revisions are numbers");
        let newest = state.newest.insert(key.clone(), at).unwrap_or(0);
        if at < newest {
            state.faults.push(format!("{key} went back from {newest} to {at}"));
        }
        if stays {
            state.objects.insert(key, object.clone());
        } else if state.objects.remove(&key).is_none() {
            state.faults.push(format!("{key} was deleted twice"));
        }
    }
}

/// The key and the resource version of an object.
pub(crate) fn revision<K: Object>(object: &K) -> (String, String) {
    let identity = object.identity();
    (format!("{}/{}", identity.namespace, identity.name), identity.resource_version.into_owned())
}

impl<K: Object> Handler<K> for Told<K> {
    fn on_add(&mut self, object: Arc<K>, _is_in_initial_list: bool) {
        self.note(&object, None, true);
    }
    fn on_update(&mut self, old: Arc<K>, new: Arc<K>) {
        self.note(&new, Some(&old), true);
    }
    fn on_delete(&mut self, object: Deleted<K>) {
        let key = ObjectKey::of(&**object.object()).expect("objects have names");
        let before = self.state.lock().expect("no handler panics").objects.get(&key).cloned();
        self.note(object.object(), before.as_ref(), false);
    }
}
