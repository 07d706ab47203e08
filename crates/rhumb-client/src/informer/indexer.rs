//! `Indexer`: cache of a resource's objects by key and by index functions.
//!
//! Objects are in order of their keys, `namespace/name`, so that those of a namespace stand together: the
//! namespace index needs no memory of its own, unless a key function makes other keys. Readers take a short
//! shared lock and leave with pointers to objects; writers (one informer) hold it for one object at a time.
//! Index functions run under the lock: they look at the object they are given and must not ask the indexer.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use parking_lot::RwLock;
use rhumb_meta::Object;

use super::key::ObjectKey;

/// Name of the index by namespace, which every indexer has.
pub const NAMESPACE_INDEX: &str = "namespace";

/// Returns the values under which an object is indexed.
pub type IndexFunc<K> = Arc<dyn Fn(&K) -> Vec<String> + Send + Sync>;

/// Returns the key of an object.
pub type KeyFunc<K> = Arc<dyn Fn(&K) -> ObjectKey + Send + Sync>;

/// Objects by key and by named index functions.
///
/// It needs no informer and no server:
///
/// ```
/// use rhumb_api::core::v1::Pod;
/// use rhumb_client::informer::{Indexer, ObjectKey};
///
/// let pods = Indexer::with_key_func(|pod: &Pod| ObjectKey::from_text(&pod.metadata.uid));
/// pods.add_index("node", |pod: &Pod| vec![pod.spec.node_name.clone()])?;
/// let mut pod = Pod::default();
/// pod.metadata.uid = "b5f6".to_owned();
/// pod.spec.node_name = "north".to_owned();
/// pods.add(pod);
/// assert_eq!(pods.by_index("node", "north")?.len(), 1);
/// assert!(pods.get_by_text("b5f6").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Indexer<K> {
    /// Makes keys, if they are not namespace and name.
    key_func: Option<KeyFunc<K>>,
    state: RwLock<State<K>>,
}

struct State<K> {
    objects: BTreeMap<ObjectKey, Arc<K>>,
    indexes: BTreeMap<String, Index<K>>,
}

struct Index<K> {
    function: IndexFunc<K>,
    values: BTreeMap<Box<str>, Keys>,
}

/// Keys under one index value. A single key needs no set.
enum Keys {
    One(ObjectKey),
    Many(BTreeSet<ObjectKey>),
}

/// Error: the index doesn't exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchIndex {
    name: String,
}

impl fmt::Display for NoSuchIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Index with name {} does not exist", self.name)
    }
}

impl Error for NoSuchIndex {}

/// Error: an index of that name exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexExists {
    name: String,
}

impl fmt::Display for IndexExists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is an index {} already", self.name)
    }
}

impl Error for IndexExists {}

impl<K: Object> Default for Indexer<K> {
    fn default() -> Self {
        Indexer::new()
    }
}

impl<K> fmt::Debug for Indexer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexer").field("objects", &self.state.read().objects.len()).finish_non_exhaustive()
    }
}

impl<K: Object> Indexer<K> {
    /// Creates an empty one with the namespace index.
    pub fn new() -> Self {
        let state = State { objects: BTreeMap::new(), indexes: BTreeMap::new() };
        Indexer { key_func: None, state: RwLock::new(state) }
    }

    /// Creates an empty one with the namespace index, in which a function makes the keys: [`add`](Self::add),
    /// [`delete`](Self::delete) and a reflector go by it. Of several objects with one key the last is kept. A
    /// [`Lister`](super::Lister) finds objects by namespace and name, so it lists what is here and gets nothing.
    pub fn with_key_func(function: impl Fn(&K) -> ObjectKey + Send + Sync + 'static) -> Self {
        let mut indexer = Indexer::new();
        indexer.key_func = Some(Arc::new(function));
        let namespace: IndexFunc<K> = Arc::new(|object| vec![object.identity().namespace.into_owned()]);
        let index = Index { function: namespace, values: BTreeMap::new() };
        indexer.state.get_mut().indexes.insert(NAMESPACE_INDEX.to_owned(), index);
        indexer
    }

    /// Returns the key of an object here: namespace and name, or the key function's result.
    pub fn key_of(&self, object: &K) -> ObjectKey {
        self.own_key(object).unwrap_or_else(|| {
            let identity = object.identity();
            ObjectKey::new(&identity.namespace, &identity.name)
        })
    }

    /// Returns the key by the indexer's own key function, if it has one.
    pub(crate) fn own_key(&self, object: &K) -> Option<ObjectKey> {
        self.key_func.as_ref().map(|function| function(object))
    }

    /// Adds an object under its key and returns the one it replaces.
    pub fn add(&self, object: impl Into<Arc<K>>) -> Option<Arc<K>> {
        let object = object.into();
        self.insert(self.key_of(&object), object)
    }

    /// Removes the object with this one's key.
    pub fn delete(&self, object: &K) -> Option<Arc<K>> {
        self.remove(&self.key_of(object))
    }

    /// Adds an index and indexes the present objects.
    ///
    /// # Errors
    /// If there is one of that name.
    pub fn add_index(
        &self,
        name: &str,
        function: impl Fn(&K) -> Vec<String> + Send + Sync + 'static,
    ) -> Result<(), IndexExists> {
        self.add_index_func(name, Arc::new(function))
    }

    pub(crate) fn add_index_func(&self, name: &str, function: IndexFunc<K>) -> Result<(), IndexExists> {
        let mut state = self.state.write();
        if name == NAMESPACE_INDEX || state.indexes.contains_key(name) {
            return Err(IndexExists { name: name.to_owned() });
        }
        let mut index = Index { function, values: BTreeMap::new() };
        for (key, object) in &state.objects {
            for value in values_of(&index.function, object) {
                index.insert(value, key);
            }
        }
        state.indexes.insert(name.to_owned(), index);
        Ok(())
    }

    /// Inserts an object and returns the one it replaces.
    pub fn insert(&self, key: ObjectKey, object: Arc<K>) -> Option<Arc<K>> {
        let mut state = self.state.write();
        let State { objects, indexes } = &mut *state;
        // Mostly an object takes the place of one, and who has no index needs to look for it only once.
        if indexes.is_empty()
            && let Some(place) = objects.get_mut(&key)
        {
            return Some(std::mem::replace(place, object));
        }
        // A key that is there already is the one that all indexes share.
        let (key, old) = match objects.get_key_value(&key) {
            Some((key, old)) => (key.clone(), Some(old.clone())),
            None => (key, None),
        };
        for index in indexes.values_mut() {
            index.change(&key, old.as_deref(), Some(&object));
        }
        objects.insert(key, object);
        old
    }

    /// Removes an object.
    pub fn remove(&self, key: &ObjectKey) -> Option<Arc<K>> {
        let mut state = self.state.write();
        let old = state.objects.remove(key)?;
        for index in state.indexes.values_mut() {
            index.change(key, Some(&old), None);
        }
        Some(old)
    }

    /// Replaces all objects.
    pub fn replace(&self, objects: impl IntoIterator<Item = (ObjectKey, Arc<K>)>) {
        let objects: BTreeMap<ObjectKey, Arc<K>> = objects.into_iter().collect();
        let mut state = self.state.write();
        for index in state.indexes.values_mut() {
            index.values.clear();
            for (key, object) in &objects {
                for value in values_of(&index.function, object) {
                    index.insert(value, key);
                }
            }
        }
        state.objects = objects;
    }

    /// Returns the object with a key.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.state.read().objects.get(key).cloned()
    }

    /// Returns the object with a key in text form, `namespace/name`.
    pub fn get_by_text(&self, key: &str) -> Option<Arc<K>> {
        self.state.read().objects.get(key).cloned()
    }

    /// Returns all objects, ordered by key.
    pub fn list(&self) -> Vec<Arc<K>> {
        self.state.read().objects.values().cloned().collect()
    }

    /// Returns all keys in order.
    pub fn keys(&self) -> Vec<ObjectKey> {
        self.state.read().objects.keys().cloned().collect()
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.state.read().objects.len()
    }

    /// Reports whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the names of the indexes.
    pub fn index_names(&self) -> Vec<String> {
        let state = self.state.read();
        let built_in = (!state.indexes.contains_key(NAMESPACE_INDEX)).then(|| NAMESPACE_INDEX.to_owned());
        state.indexes.keys().cloned().chain(built_in).collect()
    }

    /// Returns the objects with an index value, ordered by key.
    ///
    /// # Errors
    /// If there is no such index.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<K>>, NoSuchIndex> {
        let state = self.state.read();
        let mut found = Vec::new();
        state.each_under(index, value, &mut |_, object| found.push(object.clone()))?;
        Ok(found)
    }

    /// Returns the keys of the objects with an index value, in order.
    ///
    /// # Errors
    /// If there is no such index.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<ObjectKey>, NoSuchIndex> {
        let state = self.state.read();
        let mut found = Vec::new();
        state.each_under(index, value, &mut |key, _| found.push(key.clone()))?;
        Ok(found)
    }

    /// Returns the objects that share an index value with this one, which need not be stored.
    ///
    /// # Errors
    /// If there is no such index.
    pub fn index(&self, index: &str, object: &K) -> Result<Vec<Arc<K>>, NoSuchIndex> {
        let state = self.state.read();
        let values = match state.indexes.get(index) {
            Some(index) => values_of(&index.function, object),
            None => vec![object.identity().namespace.into_owned()],
        };
        let mut found = BTreeMap::new();
        for value in values {
            state.each_under(index, &value, &mut |key, object| {
                found.insert(key.clone(), object.clone());
            })?;
        }
        Ok(found.into_values().collect())
    }

    /// Returns all values of an index in order.
    ///
    /// # Errors
    /// If there is no such index.
    pub fn list_index_func_values(&self, index: &str) -> Result<Vec<String>, NoSuchIndex> {
        let state = self.state.read();
        match state.indexes.get(index) {
            Some(index) => Ok(index.values.keys().map(|value| value.to_string()).collect()),
            None if index == NAMESPACE_INDEX => Ok(state.namespaces()),
            None => Err(NoSuchIndex { name: index.to_owned() }),
        }
    }
}

impl<K> State<K> {
    fn each_under(
        &self,
        index: &str,
        value: &str,
        visit: &mut dyn FnMut(&ObjectKey, &Arc<K>),
    ) -> Result<(), NoSuchIndex> {
        let index = match self.indexes.get(index) {
            Some(index) => index,
            None if index == NAMESPACE_INDEX => {
                self.each_in_namespace(value, visit);
                return Ok(());
            }
            None => return Err(NoSuchIndex { name: index.to_owned() }),
        };
        let mut found = |key: &ObjectKey| {
            if let Some(object) = self.objects.get(key) {
                visit(key, object);
            }
        };
        match index.values.get(value) {
            Some(Keys::One(key)) => found(key),
            Some(Keys::Many(keys)) => keys.iter().for_each(found),
            None => {}
        }
        Ok(())
    }

    fn each_in_namespace(&self, namespace: &str, visit: &mut dyn FnMut(&ObjectKey, &Arc<K>)) {
        if namespace.is_empty() {
            self.objects.iter().filter(|(key, _)| key.namespace().is_empty()).for_each(|(k, o)| visit(k, o));
            return;
        }
        let start = format!("{namespace}/");
        let range = self.objects.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
        range.take_while(|(key, _)| key.as_str().starts_with(&start)).for_each(|(k, o)| visit(k, o));
    }

    /// Returns the namespaces that have objects: from each the next is sought, past all that is in it.
    fn namespaces(&self) -> Vec<String> {
        let mut found = BTreeSet::new();
        let mut from = String::new();
        loop {
            let range = self.objects.range::<str, _>((Bound::Included(from.as_str()), Bound::Unbounded));
            let mut namespace = None;
            for (key, _) in range {
                match key.namespace() {
                    "" => {
                        found.insert(String::new());
                    }
                    next => {
                        namespace = Some(next);
                        break;
                    }
                }
            }
            let Some(namespace) = namespace else { break };
            // '0' is what follows '/', so this is the first text after all keys of the namespace.
            from = format!("{namespace}0");
            found.insert(namespace.to_owned());
        }
        found.into_iter().collect()
    }
}

/// Returns the distinct index values of an object.
fn values_of<K>(function: &IndexFunc<K>, object: &K) -> Vec<String> {
    let mut values = function(object);
    if values.len() > 1 {
        values.sort_unstable();
        values.dedup();
    }
    values
}

impl<K> Index<K> {
    fn change(&mut self, key: &ObjectKey, old: Option<&K>, new: Option<&K>) {
        let before = old.map(|object| values_of(&self.function, object)).unwrap_or_default();
        let after = new.map(|object| values_of(&self.function, object)).unwrap_or_default();
        if before == after {
            return;
        }
        for value in before.iter().filter(|value| !after.contains(value)) {
            self.remove(value, key);
        }
        for value in after.into_iter().filter(|value| !before.contains(value)) {
            self.insert(value, key);
        }
    }

    fn insert(&mut self, value: String, key: &ObjectKey) {
        let keys = self.values.entry(value.into_boxed_str()).or_insert_with(|| Keys::One(key.clone()));
        match keys {
            Keys::Many(keys) => {
                keys.insert(key.clone());
            }
            Keys::One(only) if only != key => *keys = Keys::Many([only.clone(), key.clone()].into()),
            Keys::One(_) => {}
        }
    }

    fn remove(&mut self, value: &str, key: &ObjectKey) {
        let empty = match self.values.get_mut(value) {
            Some(Keys::Many(keys)) => {
                keys.remove(key);
                keys.is_empty()
            }
            Some(Keys::One(only)) => only == key,
            None => false,
        };
        if empty {
            self.values.remove(value);
        }
    }
}
