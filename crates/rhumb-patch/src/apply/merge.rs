//! Merge of an applied configuration into the live object.
//!
//! Nothing is removed here. Where both have a leaf, the configuration's is taken. Elements of lists keep the
//! live order where the configuration says nothing about them, and take the configuration's among those it
//! names.

use std::collections::{BTreeMap, VecDeque};

use rhumb_schema::budget;
use serde_json::{Map, Value};

use super::element::PathElement;
use super::schema::{Form, ListAtom, MapAtom, Type};

impl Type<'_> {
    /// Returns the live object with what the configuration says.
    ///
    /// # Errors
    /// If an element of a list can't be told apart from others, in Kubernetes' words.
    pub fn merge(&self, live: &Value, config: &Value) -> Result<Value, String> {
        Ok(merge(self, live, config)?.unwrap_or_default())
    }
}

fn merge(ty: &Type<'_>, live: &Value, config: &Value) -> Result<Option<Value>, String> {
    let atom = ty.atom();
    // Where the forms differ, the live one's is checked for faults only: the configuration's decides.
    match atom.forms(Some(live), Some(config)).into_iter().flatten().last() {
        Some(Form::Map) => atom.map.map_or(Ok(None), |map| maps(&map, live, config)),
        Some(Form::List) => atom.list.map_or(Ok(None), |list| lists(&list, live, config)),
        Some(Form::Scalar) => Ok(Some(config.clone())),
        None => Err("schema error: invalid atom: inlined".into()),
    }
}

fn maps(map: &MapAtom<'_>, live: &Value, config: &Value) -> Result<Option<Value>, String> {
    let none = Map::new();
    let (left, right) = (live.as_object().unwrap_or(&none), config.as_object().unwrap_or(&none));
    if map.atomic || (left.is_empty() && right.is_empty()) {
        return Ok(Some(config.clone()));
    }
    // What is merged is not copied before.
    let others = left.iter().filter(|(name, _)| !right.contains_key(*name));
    let mut out: Map<String, Value> = others.map(|(name, value)| (name.clone(), value.clone())).collect();
    for (name, wanted) in right {
        if budget::is_stopped() {
            break;
        }
        let Some(known) = left.get(name) else {
            out.insert(name.clone(), wanted.clone());
            continue;
        };
        let ty = map.entry(name).ok_or_else(|| format!(".{name}: schema error: invalid atom: inlined"))?;
        let merged = merge(&ty, known, wanted).map_err(|error| format!(".{name}{}{error}", colon(&error)))?;
        if let Some(value) = merged {
            out.insert(name.clone(), value);
        }
    }
    Ok(Some(Value::Object(out)))
}

/// Returns the separator between a path element and the rest of an error.
fn colon(rest: &str) -> &'static str {
    if rest.starts_with(['.', '[']) { "" } else { ": " }
}

/// List elements of one side: path elements in order, and values by path element, `None` for duplicates.
type Indexed<'v> = (Vec<PathElement>, BTreeMap<PathElement, Option<&'v Value>>);

fn index<'v>(list: &ListAtom<'_>, items: &'v [Value], twice: bool) -> Result<Indexed<'v>, String> {
    let mut order = Vec::with_capacity(items.len());
    let mut values: BTreeMap<PathElement, Option<&'v Value>> = BTreeMap::new();
    for (index, value) in items.iter().enumerate() {
        if budget::is_stopped() {
            break;
        }
        let element = list.item(value).map_err(|error| format!("element {index}: {error}"))?;
        match values.get_mut(&element) {
            Some(_) if !twice => return Err(format!("duplicate entries for key {element}")),
            Some(known) => *known = None,
            None => drop(values.insert(element.clone(), Some(value))),
        }
        order.push(element);
    }
    Ok((order, values))
}

fn lists(list: &ListAtom<'_>, live: &Value, config: &Value) -> Result<Option<Value>, String> {
    let left = live.as_array().map(Vec::as_slice).unwrap_or_default();
    let right = config.as_array().map(Vec::as_slice).unwrap_or_default();
    if list.is_atomic() || (left.is_empty() && right.is_empty()) {
        return Ok(Some(config.clone()));
    }
    let (right_order, wanted) = index(list, right, false)?;
    let (left_order, known) = index(list, left, true)?;
    let mut out = Vec::with_capacity(left.len().max(right.len()));
    // Both sides' elements that have not been met yet, in the order of the configuration.
    let mut shared: VecDeque<&PathElement> =
        right_order.iter().filter(|element| known.contains_key(element)).collect();
    let mut next_shared = shared.pop_front();
    let mut merged: std::collections::BTreeSet<&PathElement> = Default::default();
    let mut lefts = left_order.iter().zip(left).peekable();
    let mut rights = right_order.iter().peekable();
    let take = |element: &PathElement| -> Result<Option<Value>, String> {
        let value = wanted.get(element).copied().flatten();
        match (known.get(element).copied().flatten(), value) {
            (Some(live), Some(config)) => merge(&list.element, live, config)
                .map_err(|error| format!("{element}{}{error}", colon(&error))),
            (_, value) => Ok(value.cloned()),
        }
    };
    loop {
        if budget::is_stopped() {
            break;
        }
        match (lefts.peek(), rights.peek()) {
            (None, None) => break,
            (Some((a, _)), Some(b)) if a == b => {
                let element = *b;
                merged.insert(element);
                out.extend(take(element)?);
                lefts.next();
                rights.next();
                next_shared = shared.pop_front();
                continue;
            }
            (Some((a, _)), Some(_))
                if wanted.contains_key(*a) && next_shared.is_some_and(|next| next != *a) =>
            {
                // It will come when the configuration's order comes to it.
                lefts.next();
                continue;
            }
            _ => {}
        }
        if let Some((element, value)) = lefts.peek() {
            if !wanted.contains_key(*element) {
                out.push((*value).clone());
                lefts.next();
                continue;
            }
            if merged.contains(*element) {
                lefts.next();
            }
        }
        if let Some(element) = rights.next() {
            merged.insert(element);
            out.extend(take(element)?);
            if next_shared == Some(element) {
                next_shared = shared.pop_front();
            }
        } else if let Some((element, _)) = lefts.peek()
            && wanted.contains_key(*element)
            && !merged.contains(*element)
        {
            // Can't be: everything wanted was merged by now. Going on rather than around for ever.
            lefts.next();
        }
    }
    Ok((!out.is_empty()).then_some(Value::Array(out)))
}
