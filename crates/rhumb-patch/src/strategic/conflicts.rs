//! Detection of conflicts between two patches.

use std::collections::HashMap;

use serde_json::Value;

use super::order::{Elements, deduplicated, elements, sorted_by_text, unfit};
use super::tables::{Strategy, Table};
use super::{Tree, directive};
use crate::{PatchError, go_text};

/// Reports whether two patches change the same thing in different ways.
pub(super) fn between(left: &Tree, right: &Tree, table: Table) -> Result<bool, PatchError> {
    let (word, other) = (left.get(directive::PATCH), right.get(directive::PATCH));
    if word != other {
        return Ok(true);
    }
    entries(left, right, table)
}

fn entries(left: &Tree, right: &Tree, table: Table) -> Result<bool, PatchError> {
    for (key, left) in left {
        if key == directive::PATCH || key == directive::RETAIN_KEYS {
            continue;
        }
        let Some(right) = right.get(key) else { continue };
        let conflict = match (left, right) {
            (Value::Array(one), right) => {
                let field = table.list_field(key)?;
                match right {
                    Value::Array(other) if field.strategy == Strategy::Merge => {
                        merged_lists(one, other, field.merge_key, field.table)?
                    }
                    Value::Array(other) => whole_lists(one, other, field.table)?,
                    _ => true,
                }
            }
            (Value::Object(one), right) => {
                let field = table.map_field(key)?;
                match right {
                    Value::Object(other) if field.strategy == Strategy::Replace => {
                        one.get(directive::PATCH) != other.get(directive::PATCH)
                    }
                    Value::Object(other) => between(one, other, field.table)?,
                    _ => true,
                }
            }
            (left, right) => differ(left, right),
        };
        if conflict {
            return Ok(true);
        }
    }
    Ok(false)
}

fn differ(left: &Value, right: &Value) -> bool {
    !go_text::same_type(left, right) || left != right
}

fn merged_lists(left: &[Value], right: &[Value], merge_key: &str, table: Table) -> Result<bool, PatchError> {
    // Scalars that are merged never contradict each other.
    if elements(&[left, right])? == Elements::Scalars {
        return Ok(false);
    }
    let (left, right) = (by_key(left, merge_key)?, by_key(right, merge_key)?);
    for (key, left) in &left {
        if let Some(right) = right.get(key)
            && between(left, right, table)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn by_key<'a>(list: &'a [Value], merge_key: &str) -> Result<HashMap<String, &'a Tree>, PatchError> {
    let mut found = HashMap::with_capacity(list.len());
    for value in list {
        let Value::Object(map) = value else {
            return unfit(format!("invalid element type in merging list:{}", go_text::shown_list(list)));
        };
        let Some(key) = map.get(merge_key) else {
            return unfit(format!(
                "cannot find merge key `{merge_key}` in merging list element:{}",
                go_text::shown_map(map)
            ));
        };
        found.insert(go_text::as_text(key), map);
    }
    Ok(found)
}

fn whole_lists(left: &[Value], right: &[Value], table: Table) -> Result<bool, PatchError> {
    let kind = elements(&[left, right])?;
    if left.len() != right.len() {
        return Ok(true);
    }
    if kind == Elements::Scalars {
        let (left, right) = (deduplicated(left.to_vec()), deduplicated(right.to_vec()));
        let sorted = |list| sorted_by_text(list, go_text::shown).into_iter().map(|(_, value)| value.clone());
        return Ok(!sorted(&left).eq(sorted(&right)));
    }
    for (left, right) in left.iter().zip(right) {
        if let (Value::Object(left), Value::Object(right)) = (left, right)
            && between(left, right, table)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}
