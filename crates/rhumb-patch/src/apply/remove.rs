//! Removal of a set's paths, or of all others, from an object.

use rhumb_schema::budget;
use serde_json::{Map, Value};

use super::schema::{Form, ListAtom, MapAtom, Type};
use super::set::FieldSet;

/// Which paths are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Paths outside the set.
    Others,
    /// Paths in the set.
    Members,
}

impl Type<'_> {
    /// Returns the object without the paths of a set. A list or map that loses everything becomes `null`.
    pub fn remove(&self, value: &Value, set: &FieldSet) -> Value {
        if set.is_empty() {
            return value.clone();
        }
        cut(Some(self), value, set, Keep::Others)
    }

    /// Returns the parts of an object that are in a set.
    pub fn extract(&self, value: &Value, set: &FieldSet) -> Value {
        cut(Some(self), value, set, Keep::Members)
    }
}

fn cut(ty: Option<&Type<'_>>, value: &Value, set: &FieldSet, keep: Keep) -> Value {
    let Some(atom) = ty.map(Type::atom) else { return Value::Null };
    match (atom.form(Some(value)), value) {
        (Some(Form::Scalar), value) => value.clone(),
        (Some(Form::List), Value::Array(items)) => {
            atom.list.map_or(Value::Null, |list| from_list(&list, items, set, keep))
        }
        (Some(Form::Map), Value::Object(fields)) => {
            atom.map.map_or(Value::Null, |map| from_map(&map, fields, set, keep))
        }
        _ => Value::Null,
    }
}

fn from_list(list: &ListAtom<'_>, items: &[Value], set: &FieldSet, keep: Keep) -> Value {
    if items.is_empty() || list.is_atomic() {
        return match keep {
            Keep::Members => Value::Array(items.to_vec()),
            Keep::Others => Value::Null,
        };
    }
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        if budget::is_stopped() {
            break;
        }
        let node = list.item(item).ok().and_then(|element| set.node(&element));
        let below = node.map(|node| &node.below).filter(|below| !below.is_empty());
        let is_member = node.is_some_and(|node| node.member);
        let wanted = match keep {
            Keep::Others => !is_member,
            Keep::Members => is_member || below.is_some(),
        };
        if wanted {
            out.push(match below {
                Some(below) => cut(Some(&list.element), item, below, keep),
                None => item.clone(),
            });
        }
    }
    if out.is_empty() { Value::Null } else { Value::Array(out) }
}

fn from_map(map: &MapAtom<'_>, fields: &Map<String, Value>, set: &FieldSet, keep: Keep) -> Value {
    if fields.is_empty() || map.atomic {
        return match keep {
            Keep::Members => Value::Object(fields.clone()),
            Keep::Others => Value::Null,
        };
    }
    let mut out = Map::new();
    for (name, value) in fields {
        if budget::is_stopped() {
            break;
        }
        let node = set.field(name);
        let below = node.map(|node| &node.below).filter(|below| !below.is_empty());
        let ty = || map.entry(name);
        let kept = match (keep, node.is_some_and(|node| node.member), below) {
            (Keep::Others, true, _) | (Keep::Members, false, None) => continue,
            // A member is looked through with the set around it, as Kubernetes does.
            (Keep::Members, true, _) => cut(ty().as_ref(), value, set, keep),
            (_, false, Some(below)) => cut(ty().as_ref(), value, below, keep),
            (Keep::Others, false, None) => value.clone(),
        };
        out.insert(name.clone(), kept);
    }
    if out.is_empty() { Value::Null } else { Value::Object(out) }
}
