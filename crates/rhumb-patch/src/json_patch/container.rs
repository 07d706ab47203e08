//! Places in a document: how a JSON pointer is followed, and what can be done where it ends.

use std::fmt;
use std::num::IntErrorKind;

use rhumb_schema::text::quoted;
use serde_json::Value;

/// Where a pointer ends: the object or list it leads to, and the last step, decoded.
pub(super) struct Place<'a> {
    pub(super) container: &'a mut Value,
    pub(super) key: String,
}

/// Follows a pointer up to its last step. What stands before the first slash is passed over, as in
/// Kubernetes.
pub(super) fn find<'a>(doc: &'a mut Value, path: &str) -> Option<Place<'a>> {
    let (_, path) = path.split_once('/')?;
    let mut steps = path.split('/');
    let last = steps.next_back()?;
    let mut container = doc;
    for step in steps {
        container = match container.entry_mut(&decoded(step)) {
            Some(next @ (Value::Object(_) | Value::Array(_))) => next,
            _ => return None,
        };
    }
    Some(Place { container, key: decoded(last) })
}

fn decoded(step: &str) -> String {
    if !step.contains('~') {
        return step.to_owned();
    }
    // In this order, so that `~01` becomes `~1`.
    step.replace("~1", "/").replace("~0", "~")
}

/// Why something can't be done with an entry.
pub(super) enum Unfit {
    /// The object has no such key.
    NoKey(String),
    /// The list has no such position.
    Position(i64),
    /// The key is no number, or too large for one.
    NoNumber(String, &'static str),
    /// It is no number, said by an addition.
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

/// What operations do to the object or list that a pointer leads to.
pub(super) trait Container {
    /// The entry, if it is there.
    fn entry_mut(&mut self, key: &str) -> Option<&mut Value>;
    /// The entry. An object need not have it, a list must.
    fn entry(&self, key: &str) -> Result<Option<&Value>, Unfit>;
    /// Sets an entry of an object, or one that a list has.
    fn set(&mut self, key: String, value: Value) -> Result<(), Unfit>;
    /// Sets an entry of an object, or puts one into a list.
    fn add(&mut self, key: String, value: Value) -> Result<(), Unfit>;
    /// Takes an entry out.
    fn remove(&mut self, key: &str) -> Result<Value, Unfit>;
}

impl Container for Value {
    fn entry_mut(&mut self, key: &str) -> Option<&mut Value> {
        match self {
            Value::Object(map) => map.get_mut(key),
            Value::Array(items) => {
                let index = existing(key, items.len()).ok()?;
                items.get_mut(index)
            }
            _ => None,
        }
    }

    fn entry(&self, key: &str) -> Result<Option<&Value>, Unfit> {
        match self {
            Value::Array(items) => Ok(items.get(existing(key, items.len())?)),
            Value::Object(map) => Ok(map.get(key)),
            _ => Ok(None),
        }
    }

    fn set(&mut self, key: String, value: Value) -> Result<(), Unfit> {
        match self {
            Value::Array(items) => {
                let index = existing(&key, items.len())?;
                if let Some(slot) = items.get_mut(index) {
                    *slot = value;
                }
            }
            Value::Object(map) => {
                map.insert(key, value);
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, key: String, value: Value) -> Result<(), Unfit> {
        match self {
            Value::Array(items) if key == "-" => items.push(value),
            Value::Array(items) => {
                let index = existing(&key, items.len() + 1).map_err(|error| match error {
                    Unfit::NoNumber(key, why) => Unfit::NoPosition(key, why),
                    other => other,
                })?;
                items.insert(index, value);
            }
            Value::Object(map) => {
                map.insert(key, value);
            }
            _ => {}
        }
        Ok(())
    }

    fn remove(&mut self, key: &str) -> Result<Value, Unfit> {
        match self {
            Value::Array(items) => {
                let index = existing(key, items.len())?;
                Ok(items.remove(index))
            }
            Value::Object(map) => map.remove(key).ok_or_else(|| Unfit::NoKey(key.to_owned())),
            _ => Err(Unfit::NoKey(key.to_owned())),
        }
    }
}

/// The position that a key names among this many, less than their number. Negative ones count from the end.
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
