//! Merges a strategic patch into a live object or another patch.

use std::collections::{HashMap, HashSet};

use rhumb_schema::budget;
use serde_json::Value;

use super::order::{
    Elements, LIST, arrange, arrange_maps, deduplicated, elements, identities, key_of, map, no_merge_key,
    unfit, wrong_type,
};
use super::tables::{Field, Strategy, Table};
use super::{Tree, directive};
use crate::{PatchError, go_text};

/// Target of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A live object: directives are followed, nulls remove.
    Live,
    /// Another patch: directives and nulls stay, for the server to see.
    Patch,
}

/// Merges a patch into a map.
pub(super) fn merge_maps(
    mut original: Tree,
    mut patch: Tree,
    table: Table,
    mode: Mode,
) -> Result<Tree, PatchError> {
    if let Some(word) = patch.get(directive::PATCH) {
        return match word.as_str() {
            Some("replace") => {
                patch.remove(directive::PATCH);
                Ok(patch)
            }
            Some("delete") => Ok(Tree::new()),
            _ => unknown_patch_type(word, &patch),
        };
    }
    retain_keys(&mut original, &mut patch, mode)?;
    merge_ordered_lists(&mut original, &mut patch, table, mode)?;
    for (key, value) in patch {
        if budget::is_stopped() {
            return Err(PatchError::Stopped);
        }
        merge_entry(&mut original, key, value, table, mode)?;
    }
    Ok(original)
}

fn unknown_patch_type<T>(word: &Value, patch: &Tree) -> Result<T, PatchError> {
    unfit(format!("unknown patch type: {} in map: {}", go_text::as_text(word), go_text::shown_map(patch)))
}

/// Whether a directive lists the elements to delete from the field named after the slash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Value,
    Deletions,
}

fn merge_entry(
    original: &mut Tree,
    mut key: String,
    value: Value,
    table: Table,
    mode: Mode,
) -> Result<(), PatchError> {
    let mut role = Role::Value;
    if key.starts_with(directive::DELETE) {
        if mode == Mode::Patch {
            original.insert(key, value);
            return Ok(());
        }
        role = Role::Deletions;
        let name = field_name(&key, directive::DELETE).ok_or(PatchError::PrimitiveList)?;
        if !name.is_empty() {
            key = name.to_owned();
        }
    }
    if value.is_null() {
        original.remove(&key);
        if mode == Mode::Live {
            return Ok(());
        }
    }
    let merged = match (original.remove(&key), value) {
        (Some(Value::Object(had)), Value::Object(patch)) => {
            let field = table.map_field(&key)?;
            Some(Value::Object(match field.strategy {
                Strategy::Replace => patch,
                _ => merge_maps(had, patch, field.table, mode)?,
            }))
        }
        (Some(Value::Array(had)), Value::Array(patch)) => {
            let field = table.list_field(&key)?;
            // Deletions are the same whatever the strategy is.
            Some(Value::Array(if role == Role::Deletions || field.strategy == Strategy::Merge {
                merge_lists(had, patch, &field, mode, role)?.items
            } else {
                patch
            }))
        }
        (had, value) => match (had, role) {
            (had, Role::Deletions) if had.as_ref().is_none_or(|had| !go_text::same_type(had, &value)) => had,
            (_, _) => bare(value, mode),
        },
    };
    if let Some(merged) = merged {
        original.insert(key, merged);
    }
    Ok(())
}

/// Returns the field's name behind a directive and a slash.
fn field_name<'a>(key: &'a str, directive: &str) -> Option<&'a str> {
    key.strip_prefix(directive)?.strip_prefix('/')
}

/// Returns the value of a patch where there is nothing to merge it with: without directive maps, and without nulls in
/// live objects.
fn bare(value: Value, mode: Mode) -> Option<Value> {
    match value {
        Value::Object(map) if map.contains_key(directive::PATCH) => {
            // The nulls go first: a directive that is null is none.
            let none = mode == Mode::Live && map.get(directive::PATCH).is_some_and(Value::is_null);
            none.then(|| Value::Object(bare_map(map, mode)))
        }
        Value::Object(map) => Some(Value::Object(bare_map(map, mode))),
        Value::Array(items) => {
            Some(Value::Array(items.into_iter().filter_map(|item| bare(item, mode)).collect()))
        }
        scalar => Some(scalar),
    }
}

fn bare_map(map: Tree, mode: Mode) -> Tree {
    let kept = map.into_iter().filter(|(_, value)| mode == Mode::Patch || !value.is_null());
    kept.filter_map(|(key, value)| Some((key, bare(value, mode)?))).collect()
}

/// Follows the list of keys to retain, if the patch has one.
fn retain_keys(original: &mut Tree, patch: &mut Tree, mode: Mode) -> Result<(), PatchError> {
    let Some(retained) = patch.remove(directive::RETAIN_KEYS) else { return Ok(()) };
    if mode == Mode::Patch {
        return match original.get(directive::RETAIN_KEYS) {
            Some(had) if *had != retained => unfit(format!(
                "{} and {} are not deep equal: this may happen when calculating the 3-way diff patch",
                go_text::shown(had),
                go_text::shown(&retained)
            )),
            Some(_) => Ok(()),
            None => {
                original.insert(directive::RETAIN_KEYS.to_owned(), retained);
                Ok(())
            }
        };
    }
    let keys: HashSet<&str> =
        retained.as_array().ok_or(PatchError::RetainKeys)?.iter().filter_map(Value::as_str).collect();
    let is_named = |(key, value): (&String, &Value)| {
        value.is_null()
            || key.starts_with(directive::DELETE)
            || key.starts_with(directive::SET_ORDER)
            || keys.contains(key.as_str())
    };
    if !patch.iter().all(is_named) {
        return Err(PatchError::RetainKeys);
    }
    original.retain(|key, _| keys.contains(key.as_str()));
    Ok(())
}

/// Merges the lists whose order the patch gives, and takes them out of the patch.
fn merge_ordered_lists(
    original: &mut Tree,
    patch: &mut Tree,
    table: Table,
    mode: Mode,
) -> Result<(), PatchError> {
    let keys: Vec<String> =
        patch.keys().filter(|key| key.starts_with(directive::SET_ORDER)).cloned().collect();
    for key in keys {
        if budget::is_stopped() {
            return Err(PatchError::Stopped);
        }
        let Some(order) = patch.remove(&key) else { continue };
        if mode == Mode::Patch {
            match original.get(&key) {
                Some(had) if *had != order => return Err(PatchError::SetElementOrder),
                Some(_) => {}
                None => {
                    original.insert(key.clone(), order.clone());
                }
            }
        }
        let Value::Array(order) = order else { return wrong_type(LIST, &order) };
        let name = field_name(&key, directive::SET_ORDER).ok_or(PatchError::SetElementOrder)?;
        if let Some(merged) = merge_ordered(original, patch, name, &order, table, mode)? {
            original.insert(name.to_owned(), Value::Array(merged));
            patch.remove(name);
        }
    }
    Ok(())
}

fn list<'a>(map: &'a Tree, name: &str) -> Result<Option<&'a Vec<Value>>, PatchError> {
    match map.get(name) {
        None => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items)),
        Some(other) => wrong_type(LIST, other),
    }
}

/// Returns the merged list in the given order, if there is one on either side.
fn merge_ordered(
    original: &Tree,
    patch: &Tree,
    name: &str,
    order: &[Value],
    table: Table,
    mode: Mode,
) -> Result<Option<Vec<Value>>, PatchError> {
    let (had, patched) = (list(original, name)?, list(patch, name)?);
    let field = table.list_field(name)?;
    let empty = Vec::new();
    check_order(patched.unwrap_or(&empty), order, field.merge_key)?;
    // What the elements are is decided by both lists together, but complained about last.
    let kind = elements(&[had.unwrap_or(&empty), patched.unwrap_or(&empty)]);
    let kinds = *kind.as_ref().unwrap_or(&Elements::Scalars);
    let live = identities(had.unwrap_or(&empty), field.merge_key, kinds);
    let merged = match (had, patched) {
        (None, None) => return Ok(None),
        (Some(had), None) => Merged { items: had.clone(), live },
        (None, Some(patched)) => {
            // Nulls stay here, other than in lists that come without an order.
            let items = patched.iter().cloned().filter_map(|item| bare(item, Mode::Patch)).collect();
            Merged { items, live }
        }
        (Some(had), Some(patched)) if field.strategy == Strategy::Merge => {
            merge_lists(had.clone(), patched.clone(), &field, mode, Role::Value)?
        }
        (Some(_), Some(patched)) => Merged { items: patched.clone(), live },
    };
    match kind {
        Ok(kind) => arrange(merged.items, order, &merged.live, field.merge_key, kind).map(Some),
        Err(error) => Err(error),
    }
}

/// Checks that the elements of a patch's list stand in the order that the patch gives, and are all named
/// there.
fn check_order(patched: &[Value], order: &[Value], merge_key: &str) -> Result<(), PatchError> {
    if patched.is_empty() || order.is_empty() {
        return Ok(());
    }
    if !merge_key.is_empty() {
        patched.iter().try_for_each(|value| map(value).map(drop))?;
    }
    let has_directive = |value: &Value| value.get(directive::PATCH).is_some();
    let mut named = order.iter();
    for value in patched.iter().filter(|value| !has_directive(value)) {
        loop {
            let Some(next) = named.next() else {
                return unfit(format!(
                    "The order in patch list:\n{}\n doesn't match {} list:\n{}\n",
                    go_text::shown_list(patched),
                    directive::SET_ORDER,
                    go_text::shown_list(order)
                ));
            };
            if same_element(value, next, merge_key)? {
                break;
            }
        }
    }
    Ok(())
}

/// Reports whether two elements are the same one.
pub(super) fn same_element(one: &Value, other: &Value, merge_key: &str) -> Result<bool, PatchError> {
    if merge_key.is_empty() {
        return Ok(one == other);
    }
    map(one)?;
    map(other)?;
    Ok(key_of(one, merge_key)? == key_of(other, merge_key)?)
}

/// A merged list.
struct Merged {
    items: Vec<Value>,
    /// Identities of the live list's elements, in the order for sorting.
    live: Vec<Value>,
}

fn merge_lists(
    original: Vec<Value>,
    patch: Vec<Value>,
    field: &Field,
    mode: Mode,
    role: Role,
) -> Result<Merged, PatchError> {
    if original.is_empty() && patch.is_empty() {
        return Ok(Merged { items: original, live: Vec::new() });
    }
    match elements(&[&original, &patch])? {
        Elements::Scalars if role == Role::Deletions && mode == Mode::Live => {
            let gone: HashSet<&Value> = patch.iter().collect();
            let items = original.into_iter().filter(|value| !gone.contains(value)).collect();
            Ok(Merged { items, live: Vec::new() })
        }
        Elements::Scalars => merge_scalars(original, patch, field),
        Elements::Maps => merge_lists_of_maps(original, patch, field, mode),
    }
}

fn merge_scalars(original: Vec<Value>, patch: Vec<Value>, field: &Field) -> Result<Merged, PatchError> {
    let both: Vec<Value> = original.iter().chain(&patch).cloned().collect();
    let merged = deduplicated(both);
    // Without additions Kubernetes removes duplicates from the live list itself, whose order then counts.
    let live = if patch.is_empty() { merged.clone() } else { original };
    let items = arrange(merged, &patch, &live, field.merge_key, Elements::Scalars)?;
    Ok(Merged { items, live })
}

fn merge_lists_of_maps(
    mut original: Vec<Value>,
    patch: Vec<Value>,
    field: &Field,
    mode: Mode,
) -> Result<Merged, PatchError> {
    let key = field.merge_key;
    if key.is_empty() {
        return unfit(format!("cannot merge lists without merge key for {}", field.table.go_kind()));
    }
    let size = original.len();
    let special = take_special(patch, key)?;
    original.retain(|value| value.get(key).is_none_or(|value| !special.deleted.contains(value)));
    if special.replace {
        let live = identities(&special.rest, key, Elements::Maps);
        let items = arrange_maps(special.rest, &[], &live, key)?;
        return Ok(Merged { items, live: identities(&original, key, Elements::Maps) });
    }
    let live = identities(&original, key, Elements::Maps);
    let mut places: HashMap<Value, usize> = HashMap::new();
    for (place, value) in original.iter().enumerate() {
        if let Some(value) = value.get(key) {
            places.entry(value.clone()).or_insert(place);
        }
    }
    let mut order = Vec::with_capacity(special.rest.len());
    for value in special.rest {
        if budget::is_stopped() {
            return Err(PatchError::Stopped);
        }
        let identity = key_of(&value, key)?.clone();
        order.push(identity.clone());
        let slot = places.get(&identity).and_then(|place| original.get_mut(*place));
        match (slot, value) {
            (Some(Value::Object(had)), Value::Object(patch)) => {
                *had = merge_maps(std::mem::take(had), patch, field.table, mode)?;
            }
            (_, value) => {
                places.insert(identity, original.len());
                original.push(value);
            }
        }
    }
    // Elements that were added in the place of deleted ones count as live ones when the list is arranged
    // again: in Kubernetes both lists share their memory.
    let mut again = identities(&original, key, Elements::Maps);
    again.truncate(size);
    let items = arrange_maps(original, &order, &live, key)?;
    Ok(Merged { items, live: again })
}

/// Directives in a patch's list.
struct Special {
    rest: Vec<Value>,
    deleted: HashSet<Value>,
    replace: bool,
}

fn take_special(patch: Vec<Value>, merge_key: &str) -> Result<Special, PatchError> {
    let mut special = Special { rest: Vec::new(), deleted: HashSet::new(), replace: false };
    for value in patch {
        let element = map(&value)?;
        match element.get(directive::PATCH) {
            None => special.rest.push(value),
            Some(word) => match word.as_str() {
                Some("delete") => match element.get(merge_key) {
                    Some(identity) => {
                        special.deleted.insert(identity.clone());
                    }
                    None => return no_merge_key(element, merge_key),
                },
                Some("replace") => special.replace = true,
                Some("merge") => {
                    return unfit("merging lists cannot yet be specified in the patch".to_owned());
                }
                _ => return unknown_patch_type(word, element),
            },
        }
    }
    Ok(special)
}
