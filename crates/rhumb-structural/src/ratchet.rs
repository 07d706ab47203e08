//! Ratcheting: correlates new and old values, so that errors in unchanged values are ignored.

use std::collections::HashMap;
use std::sync::Arc;

use rhumb_schema::budget;
use serde_json::Value as Json;

use crate::compile::{ListType, Node, Type, Types};

/// A value with its old value.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) new: &'a Json,
    pub(crate) old: &'a Json,
    pub(crate) schema: &'a Node,
}

/// Elements of a list with keys, to be found by their keys.
pub(crate) struct Keyed<'a> {
    elements: HashMap<Vec<&'a Json>, &'a Json>,
    keys: &'a [Arc<str>],
}

impl<'a> Keyed<'a> {
    /// Returns the elements of a list by their keys, if the schema is that of a list with keys.
    pub(crate) fn of(schema: &'a Node, list: &'a [Json]) -> Option<Self> {
        let keys = &*schema.rules.as_ref()?.map_keys;
        if schema.list != ListType::Map || schema.types != Types::One(Type::Array) || keys.is_empty() {
            return None;
        }
        let mut elements = HashMap::with_capacity(list.len());
        for item in list.iter().take_while(|_| !budget::is_stopped()) {
            if let Some(key) = key_of(item, keys) {
                // Of several the first counts.
                elements.entry(key).or_insert(item);
            }
        }
        Some(Keyed { elements, keys })
    }

    /// Returns the element with the same key as another one.
    pub(crate) fn get(&self, other: &Json) -> Option<&'a Json> {
        let elements: &HashMap<Vec<&Json>, &'a Json> = &self.elements;
        elements.get(&key_of(other, self.keys)?).copied()
    }
}

/// Elements of a list with keys, correlated with old ones.
pub(crate) struct Elements<'a> {
    new: &'a [Json],
    olds: Keyed<'a>,
    schema: &'a Node,
}

impl<'a> Elements<'a> {
    /// Returns the pair at an element, if it was there before.
    pub(crate) fn at(&self, index: usize) -> Option<Pair<'a>> {
        let new = self.new.get(index)?;
        let old = self.olds.get(new)?;
        Some(Pair { new, old, schema: self.schema })
    }
}

/// Returns the key of an element; none if a key field is absent or not a scalar.
fn key_of<'a>(item: &'a Json, keys: &[Arc<str>]) -> Option<Vec<&'a Json>> {
    let scalar = |key: &Arc<str>| {
        item.get(&**key).filter(|value| !value.is_object() && !value.is_array() && !value.is_null())
    };
    keys.iter().map(scalar).collect()
}

impl<'a> Pair<'a> {
    /// Returns the pair at a field. There is none for fields that no schema describes, even if both have them.
    pub(crate) fn key(&self, name: &str) -> Option<Pair<'a>> {
        let (old, new) = (self.old.as_object()?.get(name)?, self.new.as_object()?.get(name)?);
        Some(Pair { new, old, schema: self.schema.field(name)? })
    }

    /// Returns the pairs at the elements of a list: only elements of lists with keys can be found again.
    pub(crate) fn elements(&self) -> Option<Elements<'a>> {
        let (old, new) = (self.old.as_array()?, self.new.as_array()?);
        let schema = self.schema.items.as_deref()?;
        Some(Elements { new, olds: Keyed::of(self.schema, old)?, schema })
    }

    pub(crate) fn is_same(&self) -> bool {
        match (self.new, self.old) {
            (Json::Array(new), Json::Array(old)) => {
                if new.len() != old.len() {
                    return false;
                }
                if self.schema.list != ListType::Map {
                    return new == old;
                }
                let elements = self.elements();
                (0..new.len()).all(|index| {
                    let pair = elements.as_ref().and_then(|elements| elements.at(index));
                    pair.is_some_and(|pair| pair.is_same())
                })
            }
            (Json::Object(new), Json::Object(old)) => {
                new.len() == old.len()
                    && new.keys().all(|name| self.key(name).is_some_and(|pair| pair.is_same()))
            }
            (new, old) => new == old,
        }
    }
}
