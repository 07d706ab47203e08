//! The document being patched: a tree that is opened where pointers lead.
//!
//! A list that is open gives and takes elements anywhere ([`Sequence`]), so that many operations on a long one cost
//! no more than their number. What was moved knows how deep it is nested from then on, so that it isn't measured anew
//! with every move.

use std::collections::BTreeMap;

use serde_json::Value;

use super::sequence::Sequence;

/// A value of the document.
#[derive(Debug)]
pub(super) enum Node {
    /// A scalar, or a value that no pointer led into yet.
    Closed(Value),
    Object(Box<Open<BTreeMap<String, Node>>>),
    List(Box<Open<Sequence<Node>>>),
}

/// An opened object or list.
#[derive(Debug)]
pub(super) struct Open<C> {
    pub(super) parts: C,
    /// Depths of its entries, if measured; then nothing in it is closed.
    depths: Option<Depths>,
}

/// Number of values by depth.
#[derive(Debug, Default)]
struct Depths(Vec<usize>);

impl Depths {
    fn add(&mut self, depth: usize) {
        if self.0.len() <= depth {
            self.0.resize(depth + 1, 0);
        }
        if let Some(count) = self.0.get_mut(depth) {
            *count += 1;
        }
    }

    fn remove(&mut self, depth: usize) {
        if let Some(count) = self.0.get_mut(depth) {
            *count = count.saturating_sub(1);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// Returns the depth of a value with these entries.
    fn around(&self) -> usize {
        self.0.len()
    }
}

impl<C> Open<C> {
    fn new(parts: C) -> Box<Self> {
        Box::new(Open { parts, depths: None })
    }

    /// Notes what is put in.
    pub(super) fn came(&mut self, node: &mut Node) {
        if let Some(depths) = &mut self.depths {
            depths.add(node.measure());
        }
    }

    /// Notes what was taken out.
    pub(super) fn went(&mut self, node: &Node) {
        if let Some(depths) = &mut self.depths {
            depths.remove(node.depth());
        }
    }
}

/// Returns the depth of a value, measured from its entries.
fn measure<'n>(depths: &mut Option<Depths>, parts: impl Iterator<Item = &'n mut Node>) -> usize {
    let measured = depths.get_or_insert_with(|| {
        let mut depths = Depths::default();
        parts.for_each(|part| depths.add(part.measure()));
        depths
    });
    measured.around()
}

impl Node {
    /// Opens an object or list.
    pub(super) fn open(&mut self) {
        let Node::Closed(value @ (Value::Object(_) | Value::Array(_))) = self else { return };
        *self = match std::mem::take(value) {
            Value::Object(map) => {
                let parts = map.into_iter().map(|(key, value)| (key, Node::Closed(value)));
                Node::Object(Open::new(parts.collect()))
            }
            Value::Array(items) => Node::List(Open::new(items.into_iter().map(Node::Closed).collect())),
            scalar => Node::Closed(scalar),
        };
    }

    /// Reports whether it is an object or a list.
    pub(super) fn is_container(&self) -> bool {
        !matches!(self, Node::Closed(value) if !value.is_object() && !value.is_array())
    }

    /// Returns the depth, which is cached; a scalar has depth 0.
    pub(super) fn measure(&mut self) -> usize {
        self.open();
        match self {
            Node::Closed(_) => 0,
            Node::Object(open) => measure(&mut open.depths, open.parts.values_mut()),
            Node::List(open) => measure(&mut open.depths, open.parts.iter_mut()),
        }
    }

    /// Returns the cached depth.
    fn depth(&self) -> usize {
        let depths = match self {
            Node::Closed(_) => &None,
            Node::Object(open) => &open.depths,
            Node::List(open) => &open.depths,
        };
        depths.as_ref().map_or(0, Depths::around)
    }

    /// Does something with a part of it, if there is such a part that is an object or a list. The part is found by
    /// `key` in an object and by `position` in a list of some length.
    pub(super) fn within<R>(
        &mut self,
        key: &str,
        position: impl FnOnce(usize) -> Option<usize>,
        act: impl FnOnce(&mut Node) -> Option<R>,
    ) -> Option<R> {
        let (part, depths) = match self {
            Node::Closed(_) => return None,
            Node::Object(open) => {
                let open = &mut **open;
                (open.parts.get_mut(key)?, &mut open.depths)
            }
            Node::List(open) => {
                let open = &mut **open;
                let index = position(open.parts.len())?;
                (open.parts.get_mut(index)?, &mut open.depths)
            }
        };
        if !part.is_container() {
            return None;
        }
        let before = part.depth();
        let done = act(part)?;
        if let Some(depths) = depths {
            depths.remove(before);
            depths.add(part.depth());
        }
        Some(done)
    }

    /// Reports whether it is equal to a value.
    pub(super) fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Node::Closed(value), other) => value == other,
            (Node::Object(open), Value::Object(map)) => {
                let parts = open.parts.iter().zip(map);
                open.parts.len() == map.len()
                    && parts
                        .into_iter()
                        .all(|((key, node), (other, value))| key == other && node.equals(value))
            }
            (Node::List(open), Value::Array(items)) => {
                open.parts.len() == items.len()
                    && open.parts.iter().zip(items).all(|(node, value)| node.equals(value))
            }
            _ => false,
        }
    }

    /// Returns the value, copied.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Node::Closed(value) => value.clone(),
            Node::Object(open) => {
                Value::Object(open.parts.iter().map(|(key, node)| (key.clone(), node.to_value())).collect())
            }
            Node::List(open) => Value::Array(open.parts.iter().map(Node::to_value).collect()),
        }
    }

    /// Returns the value itself.
    pub(super) fn into_value(self) -> Value {
        match self {
            Node::Closed(value) => value,
            Node::Object(open) => {
                let entries = open.parts.into_iter().map(|(key, node)| (key, node.into_value()));
                Value::Object(entries.collect())
            }
            Node::List(open) => Value::Array(open.parts.into_iter().map(Node::into_value).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_measured_stays_so() {
        let mut node = Node::Closed(json!({"a": [{"b": 1}, {}], "c": 2}));
        assert_eq!(node.measure(), 3);
        let taken = node.within(
            "a",
            |_| None,
            |list| {
                let Node::List(list) = list else { return None };
                let taken = list.parts.remove(0)?;
                list.went(&taken);
                Some(taken)
            },
        );
        assert_eq!((taken.map(|taken| taken.depth()), node.depth()), (Some(1), 2));
        let mut deep = Node::Closed(json!([[[[]]]]));
        let put = node.within(
            "a",
            |_| None,
            |list| {
                let Node::List(list) = list else { return None };
                list.came(&mut deep);
                list.parts.push(deep);
                Some(())
            },
        );
        assert_eq!((put, node.depth()), (Some(()), 5));
        let value = node.to_value();
        assert_eq!(value, json!({"a": [{}, [[[[]]]]], "c": 2}));
        assert!(node.equals(&value) && crate::depth(&value) == 5);
        assert_eq!(node.into_value(), value);
    }
}
