//! Resolution of JSON pointers, and operations on the containers they lead to.

use std::borrow::Cow;
use std::fmt;
use std::num::IntErrorKind;

use rhumb_schema::text::quoted;

use super::node::Node;

/// Follows a pointer up to its last step, and does something with the object or list that it leads to and that step,
/// decoded. What stands before the first slash is passed over, as in Kubernetes.
pub(super) fn at<R>(doc: &mut Node, path: &str, act: impl FnOnce(&mut Node, &str) -> R) -> Option<R> {
    let (_, path) = path.split_once('/')?;
    let (steps, last) = path.rsplit_once('/').map_or((None, path), |(steps, last)| (Some(steps), last));
    let mut steps = steps.into_iter().flat_map(|steps| steps.split('/'));
    descend(doc, &mut steps, |container| act(container, &decoded(last)))
}

fn descend<R>(
    container: &mut Node,
    steps: &mut dyn Iterator<Item = &str>,
    act: impl FnOnce(&mut Node) -> R,
) -> Option<R> {
    container.open();
    let Some(step) = steps.next() else { return Some(act(container)) };
    let step = decoded(step);
    let position = |length| existing(&step, length).ok();
    container.within(&step, position, |part| descend(part, steps, act))
}

fn decoded(step: &str) -> Cow<'_, str> {
    if !step.contains('~') {
        return Cow::Borrowed(step);
    }
    // In this order, so that `~01` becomes `~1`.
    Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
}

/// Error of an operation on an entry.
pub(super) enum Unfit {
    /// The object has no such key.
    NoKey(String),
    /// The list has no such position.
    Position(i64),
    /// The key is no number, or too large for one.
    NoNumber(String, &'static str),
    /// Not an index, for additions.
    NoPosition(String, &'static str),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::NoKey(key) => write!(f, "Unable to remove nonexistent key: {key}: missing value"),
            Unfit::Position(index) => {
                write!(f, "Unable to access invalid index: {index}: invalid index referenced")
            }
            Unfit::NoNumber(key, why) => write!(f, "strconv.Atoi: parsing {}: {why}", quoted(key)),
            Unfit::NoPosition(key, why) => {
                write!(
                    f,
                    "value was not a proper array index: '{key}': strconv.Atoi: parsing {}: {why}",
                    quoted(key)
                )
            }
        }
    }
}

/// Operations on the object or list of a pointer.
impl Node {
    /// Returns the entry. An object need not have it, a list must.
    pub(super) fn entry(&self, key: &str) -> Result<Option<&Node>, Unfit> {
        match self {
            Node::List(list) => Ok(list.parts.get(existing(key, list.parts.len())?)),
            Node::Object(object) => Ok(object.parts.get(key)),
            Node::Closed(_) => Ok(None),
        }
    }

    /// Sets an entry of an object, or one that a list has.
    pub(super) fn set(&mut self, key: &str, mut node: Node) -> Result<(), Unfit> {
        match self {
            Node::List(list) => {
                let index = existing(key, list.parts.len())?;
                list.came(&mut node);
                if let Some(slot) = list.parts.get_mut(index) {
                    let had = std::mem::replace(slot, node);
                    list.went(&had);
                }
            }
            Node::Object(_) => self.put(key, node),
            Node::Closed(_) => {}
        }
        Ok(())
    }

    /// Sets an entry of an object, or puts one into a list.
    pub(super) fn add(&mut self, key: &str, mut node: Node) -> Result<(), Unfit> {
        match self {
            Node::List(list) if key == "-" => {
                list.came(&mut node);
                list.parts.push(node);
            }
            Node::List(list) => {
                let index = existing(key, list.parts.len() + 1).map_err(|error| match error {
                    Unfit::NoNumber(key, why) => Unfit::NoPosition(key, why),
                    other => other,
                })?;
                list.came(&mut node);
                list.parts.insert(index, node);
            }
            Node::Object(_) => self.put(key, node),
            Node::Closed(_) => {}
        }
        Ok(())
    }

    fn put(&mut self, key: &str, mut node: Node) {
        let Node::Object(object) = self else { return };
        object.came(&mut node);
        if let Some(had) = object.parts.insert(key.to_owned(), node) {
            object.went(&had);
        }
    }

    /// Takes an entry out.
    pub(super) fn take(&mut self, key: &str) -> Result<Node, Unfit> {
        let no_key = || Unfit::NoKey(key.to_owned());
        match self {
            Node::List(list) => {
                let index = existing(key, list.parts.len())?;
                let node = list.parts.remove(index).ok_or_else(no_key)?;
                list.went(&node);
                Ok(node)
            }
            Node::Object(object) => {
                let node = object.parts.remove(key).ok_or_else(no_key)?;
                object.went(&node);
                Ok(node)
            }
            Node::Closed(_) => Err(no_key()),
        }
    }
}

/// Returns the position that a key names among this many, less than their number. Negative ones count from the end.
fn existing(key: &str, length: usize) -> Result<usize, Unfit> {
    let index = key.parse::<i64>().map_err(|error| {
        let why = match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        Unfit::NoNumber(key.to_owned(), why)
    })?;
    let signed = i64::try_from(length).unwrap_or(i64::MAX);
    let from_start = if index < 0 { index.saturating_add(signed) } else { index };
    match usize::try_from(from_start) {
        Ok(position) if position < length => Ok(position),
        _ => Err(Unfit::Position(index)),
    }
}
