//! Listers: read the cache by namespace, name and labels.

use std::sync::Arc;

use rhumb_meta::Object;
use rhumb_meta::labels::Selector;

use super::indexer::{Indexer, NAMESPACE_INDEX};
use super::key::ObjectKey;

/// Reads the cache of a resource. Its objects are shared and immutable.
#[derive(Debug)]
pub struct Lister<K> {
    indexer: Arc<Indexer<K>>,
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Lister { indexer: self.indexer.clone() }
    }
}

impl<K: Object> Lister<K> {
    /// Creates a lister over an indexer.
    pub fn new(indexer: Arc<Indexer<K>>) -> Self {
        Lister { indexer }
    }

    /// Lists matching objects in all namespaces.
    pub fn list(&self, selector: &Selector) -> Vec<Arc<K>> {
        selected(self.indexer.list(), selector)
    }

    /// Returns a cluster-scoped object by name.
    pub fn get(&self, name: &str) -> Option<Arc<K>> {
        self.indexer.get_by_text(name)
    }

    /// Restricts the lister to a namespace.
    pub fn namespace(&self, namespace: &str) -> NamespaceLister<K> {
        NamespaceLister { indexer: self.indexer.clone(), namespace: namespace.to_owned() }
    }
}

/// Reads the cache of a resource in one namespace.
#[derive(Debug)]
pub struct NamespaceLister<K> {
    indexer: Arc<Indexer<K>>,
    namespace: String,
}

impl<K> Clone for NamespaceLister<K> {
    fn clone(&self) -> Self {
        NamespaceLister { indexer: self.indexer.clone(), namespace: self.namespace.clone() }
    }
}

impl<K: Object> NamespaceLister<K> {
    /// Lists matching objects of the namespace.
    pub fn list(&self, selector: &Selector) -> Vec<Arc<K>> {
        selected(self.indexer.by_index(NAMESPACE_INDEX, &self.namespace).unwrap_or_default(), selector)
    }

    /// Returns an object of the namespace by name.
    pub fn get(&self, name: &str) -> Option<Arc<K>> {
        self.indexer.get(&ObjectKey::new(&self.namespace, name))
    }
}

fn selected<K: Object>(mut objects: Vec<Arc<K>>, selector: &Selector) -> Vec<Arc<K>> {
    if !selector.is_empty() {
        objects.retain(|object| object.is_selected(selector));
    }
    objects
}
