//! Comparison of two objects as field sets.
//!
//! The sets grow from the leaves up: a step is made only where something below it differs, so that comparing
//! equal parts costs no memory.

use std::collections::BTreeMap;

use rhumb_schema::budget;
use serde_json::{Map, Value};

use super::element::PathElement;
use super::items::{ItemError, same};
use super::schema::{Form, ListAtom, MapAtom, Type};
use super::set::{FieldSet, Node};

/// Differences between an old and a new object. The sets are disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Paths only in the old object.
    pub removed: FieldSet,
    /// Paths in both, with different values.
    pub modified: FieldSet,
    /// Paths only in the new object.
    pub added: FieldSet,
}

impl Comparison {
    /// Reports whether nothing is different.
    pub fn is_same(&self) -> bool {
        self.removed.is_empty() && self.modified.is_empty() && self.added.is_empty()
    }
}

impl Type<'_> {
    /// Compares two objects of this type.
    ///
    /// # Errors
    /// If a list has an element that can't be told apart from others, in Kubernetes' words.
    pub fn compare(&self, old: &Value, new: &Value) -> Result<Comparison, String> {
        let mut at = Difference::default();
        compare(self, old, new, &mut at).map_err(|error| error.into_owned())?;
        Ok(Comparison { removed: at.removed.below, modified: at.modified.below, added: at.added.below })
    }
}

/// Differences at a path and below it.
#[derive(Default)]
struct Difference {
    removed: Part,
    modified: Part,
    added: Part,
}

#[derive(Default)]
struct Part {
    here: bool,
    below: FieldSet,
}

impl Part {
    fn put(&mut self, element: &PathElement, part: Part) {
        if part.here || !part.below.is_empty() {
            self.below.put(Node { element: element.clone(), member: part.here, below: part.below });
        }
    }
}

impl Difference {
    fn put(&mut self, element: &PathElement, below: Difference) {
        self.removed.put(element, below.removed);
        self.modified.put(element, below.modified);
        self.added.put(element, below.added);
    }

    fn is_same(&self) -> bool {
        [&self.removed, &self.modified, &self.added].iter().all(|part| !part.here && part.below.is_empty())
    }
}

fn compare(ty: &Type<'_>, old: &Value, new: &Value, at: &mut Difference) -> Result<(), ItemError> {
    let atom = ty.atom();
    for form in atom.forms(Some(old), Some(new)).into_iter().flatten() {
        match form {
            Form::Scalar => at.modified.here |= !same(old, new),
            Form::List => {
                if let Some(list) = &atom.list {
                    lists(list, old, new, at)?;
                }
            }
            Form::Map => {
                if let Some(map) = &atom.map {
                    maps(map, old, new, at)?;
                }
            }
        }
    }
    Ok(())
}

fn maps(map: &MapAtom<'_>, old: &Value, new: &Value, at: &mut Difference) -> Result<(), ItemError> {
    let none = Map::new();
    let (left, right) = (old.as_object().unwrap_or(&none), new.as_object().unwrap_or(&none));
    // If neither has anything in it they are one leaf, which keeps nothing and null apart.
    if map.atomic || (left.is_empty() && right.is_empty()) {
        at.modified.here |= !same(old, new);
        return Ok(());
    }
    let (mut olds, mut news) = (left.iter().peekable(), right.iter().peekable());
    loop {
        if budget::is_stopped() {
            return Ok(());
        }
        let (name, old, new) = match (olds.peek(), news.peek()) {
            (None, None) => return Ok(()),
            (Some((name, _)), Some((other, _))) if name == other => {
                (*name, olds.next().map(|(_, value)| value), news.next().map(|(_, value)| value))
            }
            (Some((name, _)), other) if other.is_none_or(|(other, _)| name < other) => {
                (*name, olds.next().map(|(_, value)| value), None)
            }
            (_, Some((name, _))) => (*name, None, news.next().map(|(_, value)| value)),
            (Some((name, _)), None) => (*name, olds.next().map(|(_, value)| value), None),
        };
        // Equal leaves need no look at the schema, and most of an object is that.
        if let (Some(old), Some(new)) = (old, new)
            && !old.is_object()
            && !old.is_array()
            && old == new
        {
            continue;
        }
        let ty = map.entry(name).ok_or("field not declared in schema")?;
        let below = entry(&ty, old, new)?;
        if !below.is_same() {
            at.put(&PathElement::field(name), below);
        }
    }
}

fn entry(ty: &Type<'_>, old: Option<&Value>, new: Option<&Value>) -> Result<Difference, ItemError> {
    let mut at = Difference::default();
    match (old, new) {
        (Some(old), Some(new)) => compare(ty, old, new, &mut at)?,
        (Some(old), None) => at.removed = Part { here: true, below: whole(ty, old)? },
        (None, Some(new)) => at.added = Part { here: true, below: whole(ty, new)? },
        (None, None) => {}
    }
    Ok(at)
}

/// Returns what a new value has that the old one lacks: whether the value itself differs, and the paths within.
pub(super) fn gained(ty: &Type<'_>, old: &Value, new: &Value) -> Result<(bool, FieldSet), ItemError> {
    let Difference { modified, added, .. } = entry(ty, Some(old), Some(new))?;
    let mut below = modified.below;
    below.unite(&added.below);
    Ok((modified.here || added.here, below))
}

/// Returns all paths below a value that only one side has; unlike in an object's set, structs are included.
pub(super) fn whole(ty: &Type<'_>, value: &Value) -> Result<FieldSet, ItemError> {
    let atom = ty.atom();
    let mut set = FieldSet::new();
    match (atom.form(Some(value)), value) {
        (Some(Form::Map), Value::Object(fields)) => {
            let Some(map) = atom.map.filter(|map| !map.atomic) else { return Ok(set) };
            for (name, value) in fields {
                if budget::is_stopped() {
                    break;
                }
                let ty = map.entry(name).ok_or("field not declared in schema")?;
                let below = whole(&ty, value)?;
                set.nodes.push(Node { element: PathElement::field(name), member: true, below });
            }
        }
        (Some(Form::List), Value::Array(items)) => {
            let Some(list) = atom.list.filter(|list| !list.is_atomic()) else { return Ok(set) };
            for (element, values) in grouped(&list, items)? {
                let below = match values.as_slice() {
                    [value] => whole(&list.element, value)?,
                    _ => FieldSet::new(),
                };
                set.nodes.push(Node { element, member: true, below });
            }
        }
        _ => {}
    }
    Ok(set)
}

/// List elements by path element, with equal ones together.
type Groups<'v> = BTreeMap<PathElement, Vec<&'v Value>>;

fn grouped<'v>(list: &ListAtom<'_>, items: &'v [Value]) -> Result<Groups<'v>, ItemError> {
    let mut groups = Groups::new();
    for (index, value) in items.iter().enumerate() {
        if budget::is_stopped() {
            break;
        }
        let element = list.item(value).map_err(|error| format!("element {index}: {error}"))?;
        groups.entry(element).or_default().push(value);
    }
    Ok(groups)
}

fn lists(list: &ListAtom<'_>, old: &Value, new: &Value, at: &mut Difference) -> Result<(), ItemError> {
    let left = old.as_array().map(Vec::as_slice).unwrap_or_default();
    let right = new.as_array().map(Vec::as_slice).unwrap_or_default();
    if list.is_atomic() || (left.is_empty() && right.is_empty()) {
        at.modified.here |= !same(old, new);
        return Ok(());
    }
    // Telling elements apart costs more than looking whether any of them changed.
    if same(old, new) {
        return Ok(());
    }
    let (mut olds, mut news) =
        (grouped(list, left)?.into_iter().peekable(), grouped(list, right)?.into_iter().peekable());
    loop {
        if budget::is_stopped() {
            return Ok(());
        }
        let (old, new) = match (olds.peek(), news.peek()) {
            (None, None) => return Ok(()),
            (Some((old, _)), Some((new, _))) if old == new => (olds.next(), news.next()),
            (Some((old, _)), Some((new, _))) if old < new => (olds.next(), None),
            (Some(_), None) => (olds.next(), None),
            (_, Some(_)) => (None, news.next()),
        };
        let (old_element, old) = old.unzip();
        let (new_element, new) = new.unzip();
        let Some(element) = old_element.or(new_element) else { return Ok(()) };
        at.put(&element, groups(list, &old.unwrap_or_default(), &new.unwrap_or_default())?);
    }
}

/// Compares the elements at one step. What is there several times is treated as one value.
fn groups(list: &ListAtom<'_>, old: &[&Value], new: &[&Value]) -> Result<Difference, ItemError> {
    let mut at = Difference::default();
    match (old, new) {
        (&[] | &[_], &[] | &[_]) => {
            return entry(&list.element, old.first().copied(), new.first().copied());
        }
        (&[_, _, ..], &[_, _, ..]) => {
            at.modified.here =
                old.len() != new.len() || old.iter().zip(new).any(|(old, new)| !same(old, new));
        }
        (&[_, _, ..], _) => {
            if let Some(new) = new.first() {
                at = entry(&list.element, None, Some(new))?;
            }
            at.removed.here = true;
        }
        (_, _) => {
            if let Some(old) = old.first() {
                at = entry(&list.element, Some(old), None)?;
            }
            at.added.here = true;
        }
    }
    Ok(at)
}
