//! Creation of the strategic patch from one tree to another.

use rhumb_schema::budget;
use serde_json::Value;

use super::combine::same_element;
use super::order::{Elements, deduplicated, elements, key_of, sort, sorted_by_text};
use super::tables::{Strategy, Table};
use super::{Tree, directive};
use crate::{PatchError, go_text};

/// Part of the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Everything, including list order.
    Everything,
    /// Everything except list order.
    Unordered,
    /// Additions and changes, with the order of lists.
    Changes,
    /// Removals, with the order of lists.
    Removals,
}

impl Part {
    fn has_changes(self) -> bool {
        self != Part::Removals
    }

    fn has_removals(self) -> bool {
        self != Part::Changes
    }

    fn has_order(self) -> bool {
        self != Part::Unordered
    }
}

/// Returns the patch from one map to another.
pub(super) fn difference(from: &Tree, to: &Tree, table: Table, part: Part) -> Result<Tree, PatchError> {
    maps(from, to, table, part, false)
}

fn maps(from: &Tree, to: &Tree, table: Table, part: Part, retain_keys: bool) -> Result<Tree, PatchError> {
    let mut patch = Tree::new();
    for (key, wanted) in to {
        match from.get(key) {
            Some(had) if key == directive::PATCH => {
                let (Value::String(had), Value::String(word)) = (had, wanted) else {
                    let text = format!("invalid value for special key: {}", directive::PATCH);
                    return Err(PatchError::Unmergeable(text));
                };
                if had != word {
                    patch.insert(key.clone(), wanted.clone());
                }
            }
            Some(had) => entry(key, had, wanted, &mut patch, table, part)?,
            None if part.has_changes() => {
                patch.insert(key.clone(), wanted.clone());
            }
            None => {}
        }
    }
    let gone = || from.iter().filter(|(key, _)| !to.contains_key(*key));
    if part.has_removals() {
        for (key, _) in gone() {
            patch.insert(key.clone(), Value::Null);
        }
    }
    if retain_keys {
        let mut kept: Vec<&String> =
            to.iter().filter(|(_, value)| !value.is_null()).map(|(key, _)| key).collect();
        if !kept.is_empty() && (!patch.is_empty() || gone().any(|(_, value)| !value.is_null())) {
            kept.sort();
            let kept = kept.into_iter().cloned().map(Value::String).collect();
            patch.insert(directive::RETAIN_KEYS.to_owned(), kept);
        }
    }
    Ok(patch)
}

fn entry(
    key: &str,
    had: &Value,
    wanted: &Value,
    patch: &mut Tree,
    table: Table,
    part: Part,
) -> Result<(), PatchError> {
    match (had, wanted) {
        (Value::Object(from), Value::Object(to)) => {
            let field = match table.map_field(key) {
                Ok(field) => field,
                // Nobody needs to know how to merge what is the same.
                Err(_) if from == to => return Ok(()),
                Err(error) => return Err(error),
            };
            if field.strategy == Strategy::Replace {
                if part.has_changes() {
                    patch.insert(key.to_owned(), wanted.clone());
                }
                return Ok(());
            }
            let inner = maps(from, to, field.table, part, field.retain_keys)?;
            if !inner.is_empty() {
                patch.insert(key.to_owned(), Value::Object(inner));
            }
        }
        (Value::Array(from), Value::Array(to)) => {
            let field = match table.list_field(key) {
                Ok(field) => field,
                Err(_) if from == to => return Ok(()),
                Err(error) => return Err(error),
            };
            if field.strategy != Strategy::Merge {
                put_if_changed(key, had, wanted, patch, part);
                return Ok(());
            }
            let lists = lists(
                from,
                to,
                &Merging { table: field.table, key: field.merge_key, part, retain_keys: field.retain_keys },
            )?;
            let mut put = |key: String, list: Vec<Value>| {
                if !list.is_empty() {
                    patch.insert(key, Value::Array(list));
                }
            };
            put(key.to_owned(), lists.patch);
            put(format!("{}/{key}", directive::DELETE), lists.deleted);
            put(format!("{}/{key}", directive::SET_ORDER), lists.order);
        }
        (had, wanted) => put_if_changed(key, had, wanted, patch, part),
    }
    Ok(())
}

fn put_if_changed(key: &str, had: &Value, wanted: &Value, patch: &mut Tree, part: Part) {
    if part.has_changes() && (had != wanted || !go_text::same_type(had, wanted)) {
        patch.insert(key.to_owned(), wanted.clone());
    }
}

/// How two lists are merged.
struct Merging {
    table: Table,
    key: &'static str,
    part: Part,
    retain_keys: bool,
}

/// Difference of two merged lists.
#[derive(Default)]
struct Lists {
    patch: Vec<Value>,
    /// Scalars that go. Maps that go are in the patch.
    deleted: Vec<Value>,
    order: Vec<Value>,
}

fn lists(from: &[Value], to: &[Value], how: &Merging) -> Result<Lists, PatchError> {
    if from.is_empty() {
        let patch = if how.part.has_changes() { to.to_vec() } else { Vec::new() };
        return Ok(Lists { patch, ..Lists::default() });
    }
    match elements(&[from, to])? {
        Elements::Maps => lists_of_maps(from, to, how),
        Elements::Scalars => lists_of_scalars(from, to, how),
    }
}

fn lists_of_maps(from: &[Value], to: &[Value], how: &Merging) -> Result<Lists, PatchError> {
    let (changed, deleted) = changed_maps(from, to, how)?;
    let mut patch = sort(changed, to, how.key, Elements::Maps)?;
    let mut same_order = from.len() == to.len();
    if same_order {
        for (had, wanted) in from.iter().zip(to) {
            if !same_element(had, wanted, how.key)? {
                same_order = false;
                break;
            }
        }
    }
    patch.extend(deleted);
    let has_changes = how.part.has_changes() && (!patch.is_empty() || !same_order);
    let has_removals = how.part.has_removals() && !patch.is_empty();
    let mut order = Vec::new();
    if how.part.has_order() && (has_changes || has_removals) {
        for wanted in to {
            let identity = wanted.get(how.key).cloned().unwrap_or_default();
            order.push(Value::Object([(how.key.to_owned(), identity)].into_iter().collect()));
        }
    }
    Ok(Lists { patch, deleted: Vec::new(), order })
}

/// Returns the elements that are new or changed, and directives for those that go.
fn changed_maps(from: &[Value], to: &[Value], how: &Merging) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let identity = |value: &Value| go_text::shown(value.get(how.key).unwrap_or(&Value::Null));
    let mut had = sorted_by_text(from, identity).into_iter().peekable();
    let mut wanted = sorted_by_text(to, identity).into_iter().peekable();
    let (mut patch, mut deleted) = (Vec::new(), Vec::new());
    loop {
        if budget::is_stopped() {
            return Err(PatchError::Stopped);
        }
        for (_, value) in had.peek().into_iter().chain(wanted.peek()) {
            key_of(value, how.key)?;
        }
        match (had.peek(), wanted.peek()) {
            (None, None) => return Ok((patch, deleted)),
            (Some((one, from)), Some((other, to))) if one == other => {
                let (from, to) = (*from, *to);
                had.next();
                wanted.next();
                let (Value::Object(from), Value::Object(to)) = (from, to) else { continue };
                let mut inner = maps(from, to, how.table, how.part, how.retain_keys)?;
                if !inner.is_empty() {
                    inner.insert(how.key.to_owned(), to.get(how.key).cloned().unwrap_or_default());
                    patch.push(Value::Object(inner));
                }
            }
            (one, Some((other, added))) if one.is_none_or(|(one, _)| one > other) => {
                if how.part.has_changes() {
                    patch.push((*added).clone());
                }
                wanted.next();
            }
            (one, _) => {
                if let Some((_, gone)) = one
                    && how.part.has_removals()
                {
                    let mut element = Tree::new();
                    element.insert(how.key.to_owned(), key_of(gone, how.key)?.clone());
                    element.insert(directive::PATCH.to_owned(), "delete".into());
                    deleted.push(Value::Object(element));
                }
                had.next();
            }
        }
    }
}

fn lists_of_scalars(from: &[Value], to: &[Value], how: &Merging) -> Result<Lists, PatchError> {
    let had = sorted_by_text(from, go_text::shown);
    // Kubernetes sorts the list itself, so it finds the order changed unless the new list is sorted.
    let differs = !had.iter().map(|(_, value)| *value).eq(to);
    let mut had = had.into_iter().peekable();
    let mut wanted = sorted_by_text(to, go_text::shown).into_iter().peekable();
    let (mut added, mut deleted) = (Vec::new(), Vec::new());
    loop {
        match (had.peek(), wanted.peek()) {
            (None, None) => break,
            (Some((one, _)), Some((other, _))) if one == other => {
                had.next();
                wanted.next();
            }
            (one, Some((other, value))) if one.is_none_or(|(one, _)| one > other) => {
                if how.part.has_changes() {
                    added.push((*value).clone());
                }
                wanted.next();
            }
            (one, _) => {
                if let Some((_, value)) = one
                    && how.part.has_removals()
                {
                    deleted.push((*value).clone());
                }
                had.next();
            }
        }
    }
    let deleted = deduplicated(deleted);
    let patch = sort(added, to, how.key, Elements::Scalars)?;
    let has_removals = how.part.has_removals() && !deleted.is_empty();
    let has_order = how.part.has_order() && (has_removals || (how.part.has_changes() && differs));
    Ok(Lists { patch, deleted, order: if has_order { to.to_vec() } else { Vec::new() } })
}
