//! Strategic merge patches as kustomize's library applies them.
//!
//! They differ from those of a server: lists are merged only where the kind's schema says so, what a patch
//! adds comes first, an element marked with `$patch: replace` stays as it was, and keys of lists are compared
//! as texts. Where a rule here looks odd it is kustomize's, and its output depends on it.

use std::collections::BTreeSet;

use crate::fault::{Outcome, fail};
use crate::node::{Kind, Node};
use crate::schema::{Schema, Schemas};

const DIRECTIVE: &str = "$patch";

/// Directive of a patch for a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Directive {
    Merge,
    Replace,
    Delete,
}

impl Directive {
    fn from_text(text: &str) -> Outcome<Directive> {
        match text {
            "merge" => Ok(Directive::Merge),
            "replace" => Ok(Directive::Replace),
            "delete" => Ok(Directive::Delete),
            other => fail(format!("unknown patch strategy '{other}'")),
        }
    }
}

/// Result of merging two nodes.
struct Merged {
    node: Option<Node>,
    /// Whether it is what was there, changed; not something that takes its place.
    in_place: bool,
}

impl Merged {
    fn new(node: Option<Node>) -> Merged {
        Merged { node, in_place: false }
    }
}

/// Applies a patch to an object; nothing is left if the patch deletes it.
pub(crate) fn merge(object: Node, patch: Node, schemas: &Schemas) -> Outcome<Option<Node>> {
    Ok(Merger { schemas }.walk(Some(object), Some(patch), None)?.node)
}

struct Merger<'s> {
    schemas: &'s Schemas,
}

impl<'s> Merger<'s> {
    fn walk(&self, dest: Option<Node>, patch: Option<Node>, schema: Option<Schema<'s>>) -> Outcome<Merged> {
        let schema =
            schema.or_else(|| self.schema_of(dest.as_ref())).or_else(|| self.schema_of(patch.as_ref()));
        let sources = [dest.as_ref(), patch.as_ref()];
        let mut present = sources.iter().flatten().filter(|node| !node.is_null());
        let kind = present.next().map(|node| node.kind_of_node());
        let wanted = kind.unwrap_or(Kind::Mapping);
        sources.iter().flatten().try_for_each(|node| node.expect(wanted))?;
        match kind {
            Some(Kind::Scalar) => Ok(Merged::new(patch.or(dest))),
            Some(Kind::Sequence) => match schema.and_then(|schema| schema.merge_keys()) {
                Some(keys) => {
                    let elements = schema.and_then(|schema| schema.elements());
                    self.walk_list(dest, patch, &keys, elements).map(Merged::new)
                }
                None => Ok(Merged::new(patch.or(dest))),
            },
            Some(Kind::Mapping) | None => self.walk_mapping(dest, patch, schema),
        }
    }

    fn schema_of(&self, node: Option<&Node>) -> Option<Schema<'s>> {
        let node = node?;
        let (api_version, kind) = (node.api_version(), node.kind());
        if api_version.is_empty() || kind.is_empty() {
            return None;
        }
        self.schemas.of_kind(api_version, kind)
    }

    fn walk_mapping(
        &self,
        dest: Option<Node>,
        patch: Option<Node>,
        schema: Option<Schema<'s>>,
    ) -> Outcome<Merged> {
        let (mut base, mut patch, in_place) = match (dest.filter(|node| !node.is_null()).ok_or(()), patch) {
            // There is nothing to patch.
            (Err(()), None) => return Ok(Merged::new(None)),
            (Err(()), Some(mut patch)) => {
                if matches!(mapping_directive(&mut patch), Ok(Directive::Delete)) {
                    return Ok(Merged::new(None));
                }
                (patch.clone(), Some(patch), false)
            }
            (Ok(dest), None) => (dest, None, true),
            (Ok(_), Some(patch)) if patch.is_null() => return Ok(Merged::new(None)),
            (Ok(dest), Some(mut patch)) => match mapping_directive(&mut patch)? {
                Directive::Delete => return Ok(Merged::new(None)),
                Directive::Replace => (patch.clone(), Some(patch), false),
                Directive::Merge => (dest, Some(patch), true),
            },
        };
        let keys: BTreeSet<String> = base
            .entries()
            .iter()
            .chain(patch.as_ref().map_or(&[][..], Node::entries))
            .map(|(key, _)| key.clone())
            .collect();
        for key in keys {
            let from_patch = patch.as_mut().and_then(|patch| patch.remove(&key));
            let schema = schema.and_then(|schema| schema.field(&key));
            self.merge_field(&mut base, &key, from_patch, schema)?;
        }
        Ok(Merged { node: Some(base), in_place })
    }

    fn merge_field(
        &self,
        base: &mut Node,
        key: &str,
        patch: Option<Node>,
        schema: Option<Schema<'s>>,
    ) -> Outcome<()> {
        if key.is_empty() {
            // kustomize takes a field without a name for the node itself.
            base.expect(Kind::Scalar)?;
        }
        let old = match base.get(key) {
            // A scalar nobody patches stays, and so does null if it was written out.
            Some(Node::Scalar(scalar)) if patch.is_none() => {
                if scalar.is_null() && scalar.text.is_empty() {
                    base.remove(key);
                }
                return Ok(());
            }
            Some(Node::Scalar(scalar)) => Some(Node::Scalar(scalar.clone())),
            Some(_) => base.get_mut(key).map(|value| std::mem::replace(value, Kind::Mapping.empty())),
            None => None,
        };
        let merged = self.walk(old, patch, schema)?;
        match merged.node {
            None => {
                base.remove(key);
                Ok(())
            }
            Some(node) => base.set_field(key, node),
        }
    }

    /// Merges lists whose elements are told apart by keys, or are what they are if there are none.
    fn walk_list(
        &self,
        dest: Option<Node>,
        patch: Option<Node>,
        keys: &[String],
        elements: Option<Schema<'s>>,
    ) -> Outcome<Option<Node>> {
        let (dest, patch) = match (dest.filter(|node| !node.is_null()), patch) {
            (None, None) => return Ok(None),
            (None, Some(patch)) => (patch.clone(), Some(patch)),
            (Some(_), Some(patch)) if patch.is_null() => return Ok(None),
            (Some(dest), None) => (dest, None),
            (Some(dest), Some(mut patch)) => match list_directive(&mut patch)? {
                Directive::Delete => return Ok(None),
                Directive::Replace => (patch.clone(), Some(patch)),
                Directive::Merge => (dest, Some(patch)),
            },
        };
        let Node::Sequence(mut dest) = dest else { return Ok(Some(dest)) };
        let patch = match patch {
            Some(Node::Sequence(items)) => items,
            _ => Vec::new(),
        };
        if keys.is_empty() {
            let mut values: Vec<Vec<String>> = Vec::new();
            for item in patch.iter().chain(&dest) {
                let value = vec![item.text().to_owned()];
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            return self.merge_elements(values, &[String::new()], &mut dest, &patch, elements);
        }
        let mut values: Vec<Vec<String>> = Vec::new();
        for item in patch.iter().chain(&dest) {
            let value: Vec<String> = keys.iter().map(|key| key_text(item, key)).collect();
            if !values.contains(&value) {
                values.push(value);
            }
        }
        self.merge_elements(values, keys, &mut dest, &patch, elements)
    }

    fn merge_elements(
        &self,
        mut values: Vec<Vec<String>>,
        keys: &[String],
        dest: &mut Vec<Node>,
        patch: &[Node],
        elements: Option<Schema<'s>>,
    ) -> Outcome<Option<Node>> {
        if keys.len() > 1 {
            merge_values(&mut values);
        }
        let mut added: Vec<Node> = Vec::new();
        let mut valid_keys: Vec<String> = Vec::new();
        for value in &values {
            let (now_keys, now_values) = valid(&values, value, keys);
            valid_keys = now_keys;
            let (own_keys, own_values) = valid(std::slice::from_ref(&now_values), &now_values, &valid_keys);
            let place = find_element(dest, &own_keys, &own_values);
            let old = place.and_then(|at| dest.get(at)).cloned();
            let new = find_element(patch, &own_keys, &own_values).and_then(|at| patch.get(at)).cloned();
            let merged = self.walk(old, new, elements)?;
            let gone = merged.node.as_ref().is_none_or(|node| node.is_null() || node.is_empty_mapping());
            let Some(mut node) = merged.node.filter(|_| !gone) else {
                set_element(dest, &valid_keys, &now_values, None)?;
                continue;
            };
            for (key, value) in valid_keys.iter().zip(&now_values) {
                if !key.is_empty() && node.get(key).is_none() && !value.is_empty() {
                    node.set_field(key, Node::unset(value.as_str()))?;
                }
            }
            if merged.in_place
                && let Some(slot) = place.and_then(|at| dest.get_mut(at))
            {
                slot.clone_from(&node);
            }
            set_element(&mut added, &valid_keys, &now_values, Some(&node))?;
        }
        if values.is_empty() {
            return Ok(Some(Node::Sequence(std::mem::take(dest))));
        }
        append(&mut added, dest, &valid_keys)?;
        Ok(Some(Node::Sequence(added)))
    }
}

/// Takes the directive out of a mapping.
fn mapping_directive(patch: &mut Node) -> Outcome<Directive> {
    match patch {
        Node::Mapping(_) => match patch.get(DIRECTIVE) {
            None => Ok(Directive::Merge),
            Some(value) => {
                let directive = Directive::from_text(value.text())?;
                patch.remove(DIRECTIVE);
                Ok(directive)
            }
        },
        _ => fail("no implemented strategic merge patch strategy"),
    }
}

/// Takes the directive out of a list: an element that has nothing else.
fn list_directive(patch: &mut Node) -> Outcome<Directive> {
    let Node::Sequence(items) = patch else { return Ok(Directive::Merge) };
    let Some(element) = items.iter().find(|item| item.get(DIRECTIVE).is_some()) else {
        return Ok(Directive::Merge);
    };
    if element.entries().len() > 1 {
        return Ok(Directive::Merge);
    }
    let text = element.get(DIRECTIVE).map_or("", Node::text).to_owned();
    let directive = Directive::from_text(&text)?;
    set_element(items, &[DIRECTIVE.to_owned()], &[text], None)?;
    Ok(directive)
}

fn key_text(item: &Node, key: &str) -> String {
    let value = item.get(key).filter(|value| !value.is_null_or_empty());
    value.map_or("", Node::text).to_owned()
}

/// Makes values that agree in one key, and contradict in none, the same.
fn merge_values(values: &mut [Vec<String>]) {
    for one in 0..values.len() {
        for other in 0..values.len() {
            let common = match (values.get(one), values.get(other)) {
                (Some(one), Some(other)) => combine(one, other),
                _ => None,
            };
            if let Some(common) = common {
                for at in [one, other] {
                    if let Some(slot) = values.get_mut(at) {
                        slot.clone_from(&common);
                    }
                }
            }
        }
    }
}

fn combine(one: &[String], other: &[String]) -> Option<Vec<String>> {
    if one.len() != other.len() {
        return None;
    }
    let mut agree = false;
    let mut common = Vec::with_capacity(one.len());
    for (one, other) in one.iter().zip(other) {
        if one == other {
            agree = true;
        } else if !one.is_empty() && !other.is_empty() {
            return None;
        }
        common.push(if one.is_empty() { other.clone() } else { one.clone() });
    }
    agree.then_some(common)
}

/// Returns the keys that any of the elements has, with an element's values for them.
fn valid(all: &[Vec<String>], values: &[String], keys: &[String]) -> (Vec<String>, Vec<String>) {
    let used = |at: usize| all.iter().any(|values| values.get(at).is_some_and(|value| !value.is_empty()));
    let places: Vec<usize> = (0..keys.len()).filter(|at| used(*at)).collect();
    if places.is_empty() {
        return (keys.to_vec(), values.to_vec());
    }
    let pick = |list: &[String]| places.iter().filter_map(|at| list.get(*at).cloned()).collect();
    (pick(keys), pick(values))
}

/// Finds the element with these values under these keys.
fn find_element(items: &[Node], keys: &[String], values: &[String]) -> Option<usize> {
    if keys.first().is_none_or(String::is_empty) {
        let value = values.first().map_or("", String::as_str);
        return items.iter().position(|item| item.text() == value);
    }
    items.iter().position(|item| {
        matches!(item, Node::Mapping(_))
            && keys.len() == values.len()
            && keys
                .iter()
                .zip(values)
                .all(|(key, value)| item.get(key).is_some_and(|found| found.text() == value))
    })
}

/// Reports whether an element has a value under a key; an empty value stands for any.
fn has_value(item: &Node, key: &str, value: &str) -> Outcome<bool> {
    if key.is_empty() {
        item.expect(Kind::Scalar)?;
        return Ok(item.value_text() == value);
    }
    item.expect(Kind::Mapping)?;
    Ok(item.get(key).is_some_and(|found| value.is_empty() || found.text() == value))
}

/// Puts an element in the place of those with the same values, or at the end; without an element it only
/// takes those away.
fn set_element(
    items: &mut Vec<Node>,
    keys: &[String],
    values: &[String],
    element: Option<&Node>,
) -> Outcome<()> {
    let wants_mappings = keys.first().is_some_and(|key| !key.is_empty())
        && values.first().is_some_and(|value| !value.is_empty());
    let mut kept = Vec::with_capacity(items.len() + 1);
    let mut found_any = false;
    for item in items.drain(..) {
        if item.is_null() || item.is_empty_mapping() {
            continue;
        }
        if wants_mappings && !matches!(item, Node::Mapping(_)) {
            kept.push(item);
            continue;
        }
        // A key without a value is as its predecessor was.
        let mut has = false;
        for (at, key) in keys.iter().enumerate() {
            if let Some(value) = values.get(at) {
                has = has_value(&item, key, value)?;
            }
            if !has {
                break;
            }
        }
        if !has {
            if !values.is_empty() {
                kept.push(item);
            }
            continue;
        }
        found_any = true;
        kept.extend(element.cloned());
    }
    if let Some(element) = element.filter(|_| !found_any) {
        kept.push(element.clone());
    }
    *items = kept;
    Ok(())
}

/// Adds the elements of one list to another that has those of the same keys already.
fn append(items: &mut Vec<Node>, more: &[Node], keys: &[String]) -> Outcome<()> {
    for item in more {
        if keys.first().is_none_or(String::is_empty) {
            set_element(items, &[String::new()], &[item.text().to_owned()], Some(item))?;
            continue;
        }
        let mut values = Vec::new();
        for key in keys {
            item.expect(Kind::Mapping)?;
            match item.get(key) {
                Some(value) => values.push(value.text().to_owned()),
                None => items.push(item.clone()),
            }
        }
        if keys.len() > 1 {
            set_element(items, keys, &values, None)?;
        }
        set_element(items, keys, &values, Some(item))?;
    }
    Ok(())
}
