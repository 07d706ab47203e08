//! Field set of an object: what its applier owns.

use std::collections::BTreeMap;

use rhumb_schema::budget;
use serde_json::Value;

use super::element::PathElement;
use super::schema::{Form, ListAtom, MapAtom, Type};
use super::set::{FieldSet, Node};

impl Type<'_> {
    /// Returns every leaf and item that an object has.
    pub fn field_set(&self, value: &Value) -> FieldSet {
        owned(self, value).1
    }
}

/// Reports whether the place itself is a member, and what lies below it.
fn owned(ty: &Type<'_>, value: &Value) -> (bool, FieldSet) {
    let atom = ty.atom();
    match atom.form(Some(value)) {
        Some(Form::Map) => atom.map.map_or_else(Default::default, |map| of_map(&map, value)),
        Some(Form::List) => atom.list.map_or_else(Default::default, |list| of_list(&list, value)),
        Some(Form::Scalar) => (true, FieldSet::new()),
        None => (false, FieldSet::new()),
    }
}

fn of_map(map: &MapAtom<'_>, value: &Value) -> (bool, FieldSet) {
    if map.atomic {
        return (true, FieldSet::new());
    }
    let mut set = FieldSet::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        if budget::is_stopped() {
            break;
        }
        let named = map.field(name);
        let (mut member, below) = match named.or(map.element) {
            Some(ty) => owned(&ty, value),
            None => (false, FieldSet::new()),
        };
        // An entry of a map is owned beside what is in it, as is a struct that is there and has nothing in
        // it.
        member |=
            named.is_none() || value.is_null() || value.as_object().is_some_and(|fields| fields.is_empty());
        set.put(Node { element: PathElement::field(name), member, below });
    }
    (false, set)
}

fn of_list(list: &ListAtom<'_>, value: &Value) -> (bool, FieldSet) {
    if list.is_atomic() {
        return (true, FieldSet::new());
    }
    let mut items: BTreeMap<PathElement, Option<&Value>> = BTreeMap::new();
    for value in value.as_array().into_iter().flatten() {
        if budget::is_stopped() {
            break;
        }
        let Ok(element) = list.item(value) else { continue };
        // What is there twice is owned as a whole.
        items.entry(element).and_modify(|known| *known = None).or_insert(Some(value));
    }
    let mut set = FieldSet::new();
    for (element, value) in items {
        let below = value.map(|value| owned(&list.element, value).1).unwrap_or_default();
        set.nodes.push(Node { element, member: true, below });
    }
    (false, set)
}
