//! Maps: what an expression made, and views of what is stored elsewhere.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::Value;
use super::view::{Computed, Data, Shape};
use crate::eval::Error;

/// A map.
#[derive(Clone)]
pub enum Map<'a> {
    /// Stored elsewhere, with texts as keys.
    View(&'a Data, &'a Shape),
    /// Computed by the caller, value by value.
    Computed(&'a (dyn Computed + 'a)),
    /// Made by an expression.
    Shared(Arc<Entries<'a>>),
}

/// The entries of a map that an expression made, in the order in which their keys came.
#[derive(Clone, Default)]
pub struct Entries<'a> {
    entries: Vec<(Value<'a>, Value<'a>)>,
    /// Where the keys stand, once there are more than [`SEARCHED`].
    index: HashMap<Key, usize>,
}

/// Maps up to this size are searched from the front.
const SEARCHED: usize = 8;

/// A key without its lifetime.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Bool(bool),
    Int(i64),
    Uint(u64),
    String(Arc<str>),
}

impl<'a> Map<'a> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        match self {
            Map::View(data, shape) => shape.view().len(*data),
            Map::Computed(values) => values.keys().len(),
            Map::Shared(entries) => entries.len(),
        }
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a key. Numbers are equal as keys if they are equal as numbers.
    pub fn get(&self, key: &Value<'_>) -> Option<Value<'a>> {
        match self {
            Map::View(data, shape) => match key {
                Value::String(key) => shape.view().get(*data, key),
                _ => None,
            },
            Map::Computed(_) => self.find(key).ok()?,
            Map::Shared(entries) => entries.get(key).cloned(),
        }
    }

    /// Returns the value of a key, which may have to be computed first.
    pub(crate) fn find(&self, key: &Value<'_>) -> Result<Option<Value<'a>>, Error> {
        match self {
            Map::View(data, shape) => match key {
                Value::String(key) => shape.view().find(*data, key),
                _ => Ok(None),
            },
            Map::Computed(values) => match key {
                Value::String(key) => values.find(key),
                _ => Ok(None),
            },
            Map::Shared(entries) => Ok(entries.get(key).cloned()),
        }
    }

    /// Returns whether a key is there.
    pub fn contains(&self, key: &Value<'_>) -> bool {
        match self {
            Map::View(data, shape) => match key {
                Value::String(key) => shape.view().contains(*data, key),
                _ => false,
            },
            Map::Computed(values) => {
                matches!(key, Value::String(key) if values.keys().iter().any(|known| **known == **key))
            }
            Map::Shared(entries) => entries.get(key).is_some(),
        }
    }

    /// Returns the entries, always in the same order. What can't be computed is left out.
    pub fn iter(&self) -> Box<dyn Iterator<Item = (Value<'a>, Value<'a>)> + '_> {
        match self {
            Map::View(data, shape) => {
                Box::new(shape.view().pairs(*data).map(|(key, value)| (Value::from(key), value)))
            }
            Map::Computed(values) => Box::new(values.keys().iter().filter_map(|key| {
                let value = values.find(key).ok()??;
                Some((Value::from(&**key), value))
            })),
            Map::Shared(entries) => Box::new(entries.entries.iter().cloned()),
        }
    }
}

impl<'a> Entries<'a> {
    /// Starts a map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entries in the order in which their keys came.
    pub fn as_slice(&self) -> &[(Value<'a>, Value<'a>)] {
        &self.entries
    }

    /// Sets the value of a key, which replaces one of the same type and value.
    pub fn insert(&mut self, key: Value<'a>, value: Value<'a>) {
        if let Some(entry) = self.exact(&key).and_then(|at| self.entries.get_mut(at)) {
            entry.1 = value;
            return;
        }
        self.entries.push((key, value));
        if self.entries.len() == SEARCHED + 1 {
            self.reindex();
        } else if self.entries.len() > SEARCHED
            && let Some(key) = self.entries.last().and_then(|(key, _)| Key::of(key))
        {
            self.index.insert(key, self.entries.len() - 1);
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &Value<'_>) {
        if let Some(at) = self.exact(key) {
            self.entries.remove(at);
            self.reindex();
        }
    }

    /// Returns the value of a key. Numbers are equal as keys if they are equal as numbers.
    pub fn get(&self, key: &Value<'_>) -> Option<&Value<'a>> {
        let at = self.exact(key).or_else(|| match *key {
            Value::Double(double) => double_to_int(double)
                .and_then(|int| self.exact(&Value::Int(int)))
                .or_else(|| double_to_uint(double).and_then(|uint| self.exact(&Value::Uint(uint)))),
            Value::Int(int) => u64::try_from(int).ok().and_then(|uint| self.exact(&Value::Uint(uint))),
            Value::Uint(uint) => i64::try_from(uint).ok().and_then(|int| self.exact(&Value::Int(int))),
            _ => None,
        })?;
        self.entries.get(at).map(|(_, value)| value)
    }

    fn reindex(&mut self) {
        self.index.clear();
        if self.entries.len() > SEARCHED {
            let keys = self.entries.iter().enumerate();
            self.index = keys.filter_map(|(at, (key, _))| Some((Key::of(key)?, at))).collect();
        }
    }

    /// Finds a key of the same type and value.
    fn exact(&self, key: &Value<'_>) -> Option<usize> {
        if self.entries.len() > SEARCHED
            && let Some(key) = Key::of(key)
        {
            return self.index.get(&key).copied();
        }
        self.entries.iter().position(|(other, _)| match (key, other) {
            (Value::String(one), Value::String(two)) => **one == **two,
            (Value::Int(one), Value::Int(two)) => one == two,
            (Value::Uint(one), Value::Uint(two)) => one == two,
            (Value::Bool(one), Value::Bool(two)) => one == two,
            (Value::Double(one), Value::Double(two)) => one == two,
            (Value::Null, Value::Null) => true,
            (Value::Duration(one), Value::Duration(two)) => one == two,
            (Value::Timestamp(one), Value::Timestamp(two)) => one == two,
            (Value::Type(one), Value::Type(two)) => one == two,
            _ => false,
        })
    }
}

/// Returns the integer that a number stands for, if there is one.
pub(crate) fn double_to_int(double: f64) -> Option<i64> {
    let inside = double > i64::MIN as f64 && double < i64::MAX as f64;
    (inside && (double as i64) as f64 == double).then_some(double as i64)
}

/// Returns the unsigned integer that a number stands for, if there is one.
fn double_to_uint(double: f64) -> Option<u64> {
    let inside = double >= 0.0 && double < u64::MAX as f64;
    (inside && (double as u64) as f64 == double).then_some(double as u64)
}

impl Key {
    fn of(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(Key::Bool(*value)),
            Value::Int(value) => Some(Key::Int(*value)),
            Value::Uint(value) => Some(Key::Uint(*value)),
            Value::String(value) => Some(Key::String(value.to_shared())),
            _ => None,
        }
    }
}

impl<'a> From<Entries<'a>> for Map<'a> {
    fn from(entries: Entries<'a>) -> Self {
        Map::Shared(Arc::new(entries))
    }
}

impl<'a> FromIterator<(Value<'a>, Value<'a>)> for Entries<'a> {
    fn from_iter<I: IntoIterator<Item = (Value<'a>, Value<'a>)>>(iter: I) -> Self {
        let mut entries = Self::new();
        for (key, value) in iter {
            entries.insert(key, value);
        }
        entries
    }
}

impl fmt::Debug for Map<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.entries.iter().map(|(key, value)| (key, value))).finish()
    }
}
