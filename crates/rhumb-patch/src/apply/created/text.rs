//! The walk over a new object, which writes `fieldsV1` in order into one buffer.

use rhumb_schema::{List, Map, Omit, Struct, Value, View, to_tree};
use serde_json::Value as Json;

use super::key::{KeyValue, MAX_KEYS};
use super::plan::{Key, Keyed, Owned, Part, Step};
use crate::apply::compare;
use crate::apply::fields_v1::{Html, escape};
use crate::apply::schema::Type;

/// Member that marks a path itself as owned.
const ITSELF: &[u8] = b"\".\":{}";

pub(super) struct Writer<'p> {
    plans: &'p [Vec<Step>],
    out: Vec<u8>,
}

impl<'p> Writer<'p> {
    /// Returns the fields of an object; `None` if a list has an element that can't be told apart from others.
    pub(super) fn object(plans: &'p [Vec<Step>], value: &dyn Struct) -> Option<Vec<u8>> {
        let mut writer = Writer { plans, out: Vec::with_capacity(1024) };
        writer.out.push(b'{');
        writer.fields(0, value)?;
        writer.out.push(b'}');
        Some(writer.out)
    }

    fn fields(&mut self, plan: usize, value: &dyn Struct) -> Option<()> {
        let plans = self.plans;
        for step in plans.get(plan)? {
            let Some(field) = step.place.of(value) else { continue };
            let view = field.view();
            if is_left_out(step.field.omit, &view) {
                continue;
            }
            let start = self.out.len();
            self.open_known(step.field.json);
            let is_listed = match &step.owned {
                Owned::There => {
                    self.below(&step.part, field, view, true)?;
                    true
                }
                Owned::Never => {
                    self.below(&step.part, field, view, false)?;
                    false
                }
                Owned::Within => self.below(&step.part, field, view, false)?,
                Owned::NotEmpty => !view.is_empty(),
                Owned::Compared(empty) => self.compared(step, empty, field, view)?,
            };
            if is_listed {
                self.out.push(b'}');
            } else {
                self.out.truncate(start);
            }
        }
        Some(())
    }

    /// Writes a comma, except after an opening brace.
    fn comma(&mut self) {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
    }

    /// Opens the step of a field, whose name needs no escapes.
    fn open_known(&mut self, name: &str) {
        let lead: &[u8] = if self.out.last() == Some(&b'{') { b"\"f:" } else { b",\"f:" };
        self.out.reserve(name.len() + 7);
        self.out.extend_from_slice(lead);
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":{");
    }

    /// Opens the step of a map's entry.
    fn open(&mut self, name: &str) {
        self.comma();
        self.out.extend_from_slice(b"\"f:");
        escape(name.as_bytes(), Html::Plain, &mut self.out);
        self.out.extend_from_slice(b"\":{");
    }

    /// Writes the contents below a path, preceded by the path itself if it is owned. Returns whether it wrote
    /// anything.
    fn below(&mut self, part: &Part, value: &dyn Value, view: View<'_>, member: bool) -> Option<bool> {
        if matches!(part, Part::Leaf) {
            return Some(false);
        }
        let start = self.out.len();
        if member {
            self.out.extend_from_slice(ITSELF);
        }
        let before = self.out.len();
        match (part, bare(view)) {
            (Part::Struct(plan), View::Struct(inner)) => self.fields(*plan, inner)?,
            (Part::Map(element), View::Map(map)) => self.map(element, map)?,
            (Part::Set(ty), View::List(list)) => self.set(*ty, value, list)?,
            (Part::Keyed(keyed), View::List(list)) => self.keyed(keyed, value, list)?,
            (Part::Tree(ty), view) => self.tree(*ty, value, view)?,
            _ => {}
        }
        let is_some = self.out.len() > before;
        if !is_some {
            self.out.truncate(start);
        }
        Some(is_some)
    }

    fn map(&mut self, element: &Part, map: &dyn Map) -> Option<()> {
        if map.is_empty() {
            return Some(());
        }
        for (name, value) in map.entries() {
            self.open(name);
            self.below(element, value, value.view(), true)?;
            self.out.push(b'}');
        }
        Some(())
    }

    fn set(&mut self, ty: Type<'static>, value: &dyn Value, list: &dyn List) -> Option<()> {
        let all = (0..list.len()).filter_map(|index| list.get(index)).map(|value| KeyValue::of(value.view()));
        let Some(mut values) = all.collect::<Option<Vec<_>>>() else {
            return self.tree(ty, value, View::Null);
        };
        values.sort_unstable();
        values.dedup();
        for value in values {
            self.comma();
            self.out.extend_from_slice(b"\"v:");
            value.write(&mut self.out);
            self.out.extend_from_slice(b"\":{}");
        }
        Some(())
    }

    fn keyed(&mut self, keyed: &Keyed, value: &dyn Value, list: &dyn List) -> Option<()> {
        let all = (0..list.len())
            .filter_map(|index| list.get(index))
            .map(|element| Some(Element { key: key_of(&keyed.keys, element)?, value: element }));
        let Some(mut elements) = all.collect::<Option<Vec<Element<'_>>>>() else {
            return self.tree(keyed.ty, value, View::Null);
        };
        elements.sort_by(|a, b| a.key.cmp(&b.key));
        for group in elements.chunk_by(|a, b| a.key == b.key) {
            let [first, others @ ..] = group else { continue };
            self.open_element(&keyed.keys, &first.key);
            // Elements that look like each other are one value.
            if others.is_empty() {
                self.below(&keyed.element, first.value, first.value.view(), true)?;
            }
            self.out.push(b'}');
        }
        Some(())
    }

    fn open_element(&mut self, keys: &[Key], values: &[KeyValue<'_>]) {
        self.comma();
        self.out.extend_from_slice(b"\"k:{");
        for (key, value) in keys.iter().zip(values) {
            self.comma();
            self.out.extend_from_slice(b"\\\"");
            self.out.extend_from_slice(key.field.json.as_bytes());
            self.out.extend_from_slice(b"\\\":");
            value.write(&mut self.out);
        }
        self.out.extend_from_slice(b"}\":{");
    }

    /// Writes the contents of an untyped value.
    fn tree(&mut self, ty: Type<'static>, value: &dyn Value, view: View<'_>) -> Option<()> {
        if let View::Leaf(leaf) = view {
            // Most of these are numbers and texts.
            let start = self.out.len();
            leaf.write_json(&mut self.out);
            let is_object = self.out.get(start) == Some(&b'{');
            self.out.truncate(start);
            if !is_object {
                return Some(());
            }
        }
        let set = compare::whole(&ty, &to_tree(value)).ok()?;
        if !set.is_empty() {
            self.comma();
            set.write_nodes(false, &mut Vec::new(), &mut self.out);
        }
        Some(())
    }

    /// Writes the differences of a field from the empty object's. Returns whether it wrote anything.
    fn compared(&mut self, step: &Step, empty: &Json, value: &dyn Value, view: View<'_>) -> Option<bool> {
        let is_null = step.field.omit == Omit::Never && view.is_nil();
        let new = if is_null { Json::Null } else { to_tree(value) };
        let (member, below) = compare::gained(&Type::field_of(step.field), empty, &new).ok()?;
        below.write_nodes(member && !below.is_empty(), &mut Vec::new(), &mut self.out);
        Some(member || !below.is_empty())
    }
}

struct Element<'v> {
    key: [KeyValue<'v>; MAX_KEYS],
    value: &'v dyn Value,
}

/// Returns the key of an element; `None` if not all of it is there.
fn key_of<'v>(keys: &'v [Key], element: &'v dyn Value) -> Option<[KeyValue<'v>; MAX_KEYS]> {
    let View::Struct(fields) = element.view() else { return None };
    let mut values = [KeyValue::NONE; MAX_KEYS];
    for (slot, key) in values.iter_mut().zip(keys) {
        let view = key.place.of(fields)?.view();
        *slot = if is_left_out(key.field.omit, &view) {
            KeyValue::of_tree(key.default.as_ref()?)?
        } else {
            KeyValue::of(view)?
        };
    }
    Some(values)
}

/// Reports whether JSON leaves out a field with this value.
fn is_left_out(omit: Omit, view: &View<'_>) -> bool {
    match omit {
        Omit::Absent => matches!(view, View::Null),
        Omit::Empty => view.is_empty(),
        Omit::Never | Omit::NeverNull => false,
    }
}

/// Returns the contents of structs that are transparent in JSON.
fn bare(view: View<'_>) -> View<'_> {
    match view {
        View::Struct(value) if value.desc().is_transparent() => bare(value.field(0).view()),
        other => other,
    }
}
