//! Order of the elements of merged lists.
//!
//! Elements are told apart by their merge key, or by themselves if they are scalars. Those that a patch names
//! come in the patch's order, those that only the live list has in that list's; then the two are woven
//! together, so that a live element stands before the first of the patch's that came after it.

use std::collections::{BTreeSet, HashMap, HashSet};

use rhumb_schema::budget;
use serde_json::Value;

use super::{Tree, directive, stable_sort};
use crate::{PatchError, go_text};

/// Type of list elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elements {
    Maps,
    Scalars,
}

pub(super) fn unfit<T>(text: String) -> Result<T, PatchError> {
    Err(PatchError::Unmergeable(text))
}

pub(super) fn no_merge_key<T>(map: &Tree, key: &str) -> Result<T, PatchError> {
    unfit(format!("map: {} does not contain declared merge key: {key}", go_text::shown_map(map)))
}

/// Returns the error of a value that is not the wanted map or list.
pub(super) fn wrong_type<T>(wanted: &str, got: &Value) -> Result<T, PatchError> {
    unfit(format!("expected a {wanted}, but received a {}", go_text::type_name(got)))
}

pub(super) const MAP: &str = "map[string]interface {}";
pub(super) const LIST: &str = "[]interface {}";

/// Returns the map that an element must be.
pub(super) fn map(value: &Value) -> Result<&Tree, PatchError> {
    value.as_object().map_or_else(|| wrong_type(MAP, value), Ok)
}

/// Returns the merge key's value in an element that must be a map with it.
pub(super) fn key_of<'a>(value: &'a Value, merge_key: &str) -> Result<&'a Value, PatchError> {
    let map = map(value)?;
    map.get(merge_key).map_or_else(|| no_merge_key(map, merge_key), Ok)
}

/// Returns the type of all elements of some lists, which must be the same.
pub(super) fn elements(lists: &[&[Value]]) -> Result<Elements, PatchError> {
    let mut all = lists.iter().flat_map(|list| list.iter());
    let Some(first) = all.next() else { return unfit("no elements in any of the given slices".to_owned()) };
    if first.is_array() {
        return Err(PatchError::ListOfLists);
    }
    if first.is_null() || !all.all(|other| go_text::same_type(first, other)) {
        let shown: Vec<_> = lists.iter().map(|list| go_text::shown_list(list)).collect();
        return unfit(format!("list element types are not identical: [{}]", shown.join(" ")));
    }
    Ok(if first.is_object() { Elements::Maps } else { Elements::Scalars })
}

/// Reports whether an element is there only to say that another goes.
pub(super) fn is_deletion(value: &Value) -> bool {
    value.get(directive::PATCH).is_some_and(|patch| patch == "delete")
}

/// Returns the identity of an element.
fn identity<'a>(value: &'a Value, merge_key: &str, elements: Elements) -> &'a Value {
    match elements {
        Elements::Maps => value.get(merge_key).unwrap_or(&Value::Null),
        Elements::Scalars => value,
    }
}

/// Returns the identities of a list's elements in order.
pub(super) fn identities(list: &[Value], merge_key: &str, elements: Elements) -> Vec<Value> {
    list.iter().map(|item| identity(item, merge_key, elements).clone()).collect()
}

/// Returns the rank of each identity; the first occurrence counts.
fn ranks<'a>(order: impl Iterator<Item = &'a Value>) -> HashMap<&'a Value, usize> {
    let mut ranks = HashMap::new();
    for (rank, value) in order.enumerate() {
        ranks.entry(value).or_insert(rank);
    }
    ranks
}

/// Puts the elements of a merged list into their order. `live_order` has what tells the live list's elements
/// apart.
pub(super) fn arrange(
    merged: Vec<Value>,
    patch_order: &[Value],
    live_order: &[Value],
    merge_key: &str,
    elements: Elements,
) -> Result<Vec<Value>, PatchError> {
    let (patched, live) = partition(merged, patch_order, merge_key)?;
    let patched = sort(patched, patch_order, merge_key, elements)?;
    Ok(weave(patched, live, live_order, merge_key, elements))
}

/// Puts the maps of a merged list into their order. `patch_order` has what tells the patch's elements apart, as
/// `live_order` has it of the live list's.
pub(super) fn arrange_maps(
    merged: Vec<Value>,
    patch_order: &[Value],
    live_order: &[Value],
    merge_key: &str,
) -> Result<Vec<Value>, PatchError> {
    let ranks = ranks(patch_order.iter());
    let (mut patched, mut live) = (Vec::new(), Vec::new());
    for value in merged {
        if budget::is_stopped() {
            return Err(PatchError::Stopped);
        }
        let is_named = ranks.contains_key(key_of(&value, merge_key)?);
        if is_named { patched.push(value) } else { live.push(value) }
    }
    let patched = sort_by_ranks(patched, &ranks, merge_key, Elements::Maps);
    Ok(weave(patched, live, live_order, merge_key, Elements::Maps))
}

/// Weaves the elements that a patch names, in its order, with those that only the live list has.
fn weave(
    patched: Vec<Value>,
    live: Vec<Value>,
    live_order: &[Value],
    merge_key: &str,
    elements: Elements,
) -> Vec<Value> {
    let ranks = ranks(live_order.iter());
    let live = sort_by_ranks(live, &ranks, merge_key, elements);
    let rank = |value: &Value| ranks.get(identity(value, merge_key, elements)).copied();

    let mut all = Vec::with_capacity(patched.len() + live.len());
    let mut live = live.into_iter().peekable();
    for patched in patched {
        if let Some(place) = rank(&patched) {
            while let Some(next) = live.next_if(|next| rank(next).is_some_and(|rank| rank < place)) {
                all.push(next);
            }
        }
        all.push(patched);
    }
    all.extend(live);
    all
}

/// Splits elements into those that a list names and those that it doesn't.
fn partition(
    merged: Vec<Value>,
    named: &[Value],
    merge_key: &str,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let no_map = named.iter().position(|value| !value.is_object());
    let names: HashSet<&Value> = if merge_key.is_empty() {
        if let Some(value) = named.iter().chain(&merged).find(|value| value.is_object() || value.is_array()) {
            // Kubernetes breaks here and cuts the connection; the patch is at fault.
            let text = format!("hash of unhashable type: {}", go_text::type_name(value));
            return Err(PatchError::Operation(text));
        }
        named.iter().collect()
    } else {
        named.iter().take(no_map.unwrap_or(named.len())).filter_map(|value| value.get(merge_key)).collect()
    };
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for value in merged {
        if budget::is_stopped() {
            return Err(PatchError::Stopped);
        }
        let identity = if merge_key.is_empty() { &value } else { key_of(&value, merge_key)? };
        match (names.contains(identity), no_map) {
            (true, _) => inside.push(value),
            (false, Some(position)) if !merge_key.is_empty() => {
                return unfit(format!("value for key {position} is not a map"));
            }
            (false, _) => outside.push(value),
        }
    }
    Ok((inside, outside))
}

/// Sorts elements by the order of a list; deletions come last.
pub(super) fn sort(
    items: Vec<Value>,
    order: &[Value],
    merge_key: &str,
    elements: Elements,
) -> Result<Vec<Value>, PatchError> {
    if elements == Elements::Maps {
        for value in items.iter().chain(order) {
            key_of(value, merge_key)?;
        }
    }
    let ranks = ranks(order.iter().map(|value| identity(value, merge_key, elements)));
    Ok(sort_by_ranks(items, &ranks, merge_key, elements))
}

fn sort_by_ranks(
    items: Vec<Value>,
    ranks: &HashMap<&Value, usize>,
    merge_key: &str,
    elements: Elements,
) -> Vec<Value> {
    let (deleted, kept): (Vec<_>, Vec<_>) =
        items.into_iter().partition(|value| elements == Elements::Maps && is_deletion(value));
    let rank = |value: &Value| ranks.get(identity(value, merge_key, elements)).copied();
    let mut ranked: Vec<_> = kept.into_iter().map(|value| (rank(&value), value)).collect();
    if ranked.iter().all(|(rank, _)| rank.is_some()) {
        ranked.sort_by_key(|(rank, _)| *rank);
    } else {
        // An element without a place is less than all others and they less than it. That is no order, so the
        // outcome is the algorithm's, which must be the one that Kubernetes uses.
        stable_sort::sort(&mut ranked);
    }
    ranked.into_iter().map(|(_, value)| value).chain(deleted).collect()
}

/// Removes what occurs twice from a list of scalars. The last element takes the place of one that goes, which
/// is what Kubernetes does.
pub(super) fn deduplicated(list: Vec<Value>) -> Vec<Value> {
    let distinct: HashSet<&Value> = list.iter().collect();
    if distinct.len() == list.len() {
        return list;
    }
    let mut places: HashMap<Value, BTreeSet<usize>> = HashMap::new();
    for (place, value) in list.iter().enumerate() {
        places.entry(value.clone()).or_default().insert(place);
    }
    let mut list = list;
    let mut first = 0;
    while let Some(value) = list.get(first).cloned() {
        while let Some(twice) =
            places.get(&value).and_then(|places| places.range(first + 1..).next().copied())
        {
            let Some(last) = list.pop() else { break };
            let end = list.len();
            if let Some(places) = places.get_mut(&last) {
                places.remove(&end);
            }
            if let Some(slot) = list.get_mut(twice) {
                *slot = last.clone();
                if let Some(places) = places.get_mut(&value) {
                    places.remove(&twice);
                }
                places.entry(last).or_default().insert(twice);
            }
        }
        first += 1;
    }
    list
}

/// Scalars, or maps by a key, in the order of what Go prints for them. Equal ones come out in reverse, as
/// Go's insertion sort leaves them under a comparison that calls equal ones less.
pub(super) fn sorted_by_text(list: &[Value], text: impl Fn(&Value) -> String) -> Vec<(String, &Value)> {
    let mut keyed: Vec<_> = list.iter().rev().map(|value| (text(value), value)).collect();
    keyed.sort_by(|one, other| one.0.cmp(&other.0));
    keyed
}
