//! Lists: what an expression made, and views of what is stored elsewhere.

use std::fmt;
use std::sync::Arc;

use super::Value;
use super::view::{Data, Shape};

/// A list.
#[derive(Clone)]
pub enum List<'a> {
    /// Stored elsewhere.
    View(&'a Data, &'a Shape),
    /// Made by an expression.
    Shared(Arc<Vec<Value<'a>>>),
}

impl<'a> List<'a> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        match self {
            List::View(data, shape) => shape.view().len(*data),
            List::Shared(elements) => elements.len(),
        }
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an element, or nothing beyond the end.
    pub fn get(&self, index: usize) -> Option<Value<'a>> {
        match self {
            List::View(data, shape) => shape.view().element(*data, index),
            List::Shared(elements) => elements.get(index).cloned(),
        }
    }

    /// Returns the elements in order.
    pub fn iter(&self) -> impl Iterator<Item = Value<'a>> + '_ {
        (0..self.len()).map_while(|index| self.get(index))
    }

    /// Returns whether an element equals a value.
    pub fn contains(&self, value: &Value<'_>) -> bool {
        match self {
            List::View(..) => self.iter().any(|element| value.equal(&element)),
            List::Shared(elements) => elements.iter().any(|element| value.equal(element)),
        }
    }

    /// Returns the elements as a slice, if they are stored as one.
    pub fn as_slice(&self) -> Option<&[Value<'a>]> {
        match self {
            List::View(..) => None,
            List::Shared(elements) => Some(elements),
        }
    }
}

impl<'a> From<Vec<Value<'a>>> for List<'a> {
    fn from(elements: Vec<Value<'a>>) -> Self {
        List::Shared(Arc::new(elements))
    }
}

impl fmt::Debug for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
