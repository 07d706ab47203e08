//! Plan of the walk over a new object of a kind: its fields in order, and which of them are listed.
//!
//! The empty object has what is always shown: the structs down from the object, and zeros in them. Along these, a
//! field is its creator's only if it is another than the empty one's; away from them, whatever is there is. What
//! the strategy resets and what nobody owns lies there too, so all of that is decided here.

use std::collections::HashMap;

use rhumb_schema::text::is_plain;
use rhumb_schema::{FieldDesc, JsonForm, Shape, Struct, StructDesc, Value, View};
use serde_json::{Map, Value as Json};

use super::key::{KeyValue, MAX_KEYS};
use crate::apply::endpoint::STRIPPED;
use crate::apply::filter::Filter;
use crate::apply::schema::{Keys, ListAtom, Related, Type};
use crate::apply::set::FieldSet;

/// Handling of a field.
pub(super) struct Step {
    pub(super) field: &'static FieldDesc,
    pub(super) place: Place,
    pub(super) owned: Owned,
    pub(super) part: Part,
}

/// Position of a field in a struct.
#[derive(Clone)]
pub(super) struct Place {
    /// The inlined structs on the way.
    inlined: Box<[usize]>,
    position: usize,
}

impl Place {
    pub(super) fn of<'v>(&self, mut value: &'v dyn Struct) -> Option<&'v dyn Value> {
        for position in &self.inlined {
            match value.field(*position).view() {
                View::Struct(inner) => value = inner,
                _ => return None,
            }
        }
        Some(value.field(self.position))
    }
}

/// When the creator owns a field.
pub(super) enum Owned {
    /// Never, nor what lies in it. It is walked all the same: where elements of a list can't be told apart nothing
    /// is listed at all.
    Never,
    /// If it is present.
    There,
    /// Never; what lies in it is.
    Within,
    /// If it is not empty.
    NotEmpty,
    /// If it differs from this value of the empty object. Its contents are compared as well.
    Compared(Box<Json>),
}

/// Contents of a value.
pub(super) enum Part {
    /// No owned parts.
    Leaf,
    /// The fields of a struct, by the plan at this place.
    Struct(usize),
    /// The entries of a map.
    Map(Box<Part>),
    /// The values of a set.
    Set(Type<'static>),
    /// The elements of a list with keys.
    Keyed(Box<Keyed>),
    /// Contents of its JSON tree.
    Tree(Type<'static>),
}

/// A list with keys.
pub(super) struct Keyed {
    pub(super) ty: Type<'static>,
    /// Keys in the order of their names.
    pub(super) keys: Vec<Key>,
    pub(super) element: Part,
}

/// A key field.
pub(super) struct Key {
    pub(super) field: &'static FieldDesc,
    pub(super) place: Place,
    /// Default of the field.
    pub(super) default: Option<Json>,
}

/// Returns the plans of a kind; `None` if there is something that they can't say.
pub(super) fn of(desc: &'static StructDesc, empty: &Json, filter: Option<&Filter>) -> Option<Vec<Vec<Step>>> {
    let excluded = match filter {
        None => None,
        Some(Filter::Exclude(set)) => Some(set),
        Some(Filter::Include(_)) => return None,
    };
    if !matches!(desc.form, JsonForm::Object) {
        return None;
    }
    let mut planner = Planner::default();
    planner.structure(desc, Beside { empty: empty.as_object(), excluded, stripped: Some(&STRIPPED) })?;
    Some(planner.plans)
}

/// Counterparts of a struct.
#[derive(Clone, Copy, Default)]
struct Beside<'s> {
    /// Counterpart in the empty object.
    empty: Option<&'s Map<String, Json>>,
    /// Paths excluded with everything below them.
    excluded: Option<&'s FieldSet>,
    /// Paths excluded by themselves.
    stripped: Option<&'s FieldSet>,
}

impl Beside<'_> {
    fn is_nothing(&self) -> bool {
        self.empty.is_none() && self.excluded.is_none() && self.stripped.is_none()
    }
}

#[derive(Default)]
struct Planner {
    plans: Vec<Vec<Step>>,
    /// The plans of structs beside which nothing stands, by the addresses of their tables.
    known: HashMap<*const StructDesc, usize>,
}

impl Planner {
    fn structure(&mut self, desc: &'static StructDesc, beside: Beside<'_>) -> Option<usize> {
        if beside.is_nothing()
            && let Some(known) = self.known.get(&std::ptr::from_ref(desc))
        {
            return Some(*known);
        }
        let index = self.plans.len();
        self.plans.push(Vec::new());
        if beside.is_nothing() {
            // A struct may contain itself.
            self.known.insert(desc, index);
        }
        let mut steps = Vec::new();
        for (field, place) in fields(desc)? {
            self.step(field, place, beside, &mut steps)?;
        }
        *self.plans.get_mut(index)? = steps;
        Some(index)
    }

    fn step(
        &mut self,
        field: &'static FieldDesc,
        place: Place,
        beside: Beside<'_>,
        steps: &mut Vec<Step>,
    ) -> Option<()> {
        let excluded = beside.excluded.and_then(|set| set.field(field.json));
        if excluded.is_some_and(|node| node.member) {
            let part = self.part(Type::field_of(field), &field.shape)?;
            if !matches!(part, Part::Leaf) {
                steps.push(Step { field, place, owned: Owned::Never, part });
            }
            return Some(());
        }
        let excluded = excluded.map(|node| &node.below);
        let stripped = beside.stripped.and_then(|set| set.field(field.json));
        let is_stripped = stripped.is_some_and(|node| node.member);
        let stripped = stripped.map(|node| &node.below).filter(|below| !below.is_empty());
        let empty = beside.empty.and_then(|fields| fields.get(field.json));
        let ty = Type::field_of(field);
        let (owned, part) = match (members(ty, &field.shape), empty) {
            (Some(desc), None | Some(Json::Object(_))) if !is_optional(&field.shape) || empty.is_none() => {
                let beside = Beside { empty: empty.and_then(Json::as_object), excluded, stripped };
                let owned = if empty.is_some() || is_stripped { Owned::Within } else { Owned::There };
                (owned, Part::Struct(self.structure(desc, beside)?))
            }
            _ => {
                let part = self.part(ty, &field.shape)?;
                let is_leaf = matches!(part, Part::Leaf);
                if is_stripped && is_leaf {
                    return Some(());
                }
                if is_stripped || stripped.is_some() || (excluded.is_some() && !is_leaf) {
                    return None;
                }
                (empty.map_or(Owned::There, |empty| owned(&field.shape, empty, &part)), part)
            }
        };
        steps.push(Step { field, place, owned, part });
        Some(())
    }

    /// Returns the plan of a value that the empty object lacks.
    fn part(&mut self, ty: Type<'static>, shape: &'static Shape) -> Option<Part> {
        let atom = ty.atom();
        if let Some(desc) = members(ty, shape) {
            return Some(Part::Struct(self.structure(desc, Beside::default())?));
        }
        let is_whole = atom.list.is_none_or(|list| list.is_atomic()) && atom.map.is_none_or(|map| map.atomic);
        if is_whole {
            return Some(Part::Leaf);
        }
        Some(match (atom.list, atom.map, bare(shape)) {
            (Some(list), None, Shape::List(element)) => match list.relation {
                Related::Set if is_simple(element) => Part::Set(ty),
                Related::Keys(keys) => match self.keyed(ty, &list, keys, element)? {
                    Some(keyed) => Part::Keyed(Box::new(keyed)),
                    None => Part::Tree(ty),
                },
                _ => Part::Tree(ty),
            },
            (None, Some(map), Shape::Map(value)) => match map.element {
                Some(element) => Part::Map(Box::new(self.part(element, value)?)),
                None => Part::Tree(ty),
            },
            _ => Part::Tree(ty),
        })
    }

    /// Returns the keys of a list, if they are simple.
    fn keyed(
        &mut self,
        ty: Type<'static>,
        list: &ListAtom<'static>,
        names: Keys<'static>,
        element: &'static Shape,
    ) -> Option<Option<Keyed>> {
        let Shape::Struct(desc) = element else { return Some(None) };
        if !matches!(desc().form, JsonForm::Object) {
            return Some(None);
        }
        let defaults = list.element.atom().map;
        let fields = fields(desc())?;
        let mut keys = Vec::new();
        for name in names.iter() {
            let known = fields.iter().find(|(field, _)| field.json == name);
            let Some((field, place)) = known.filter(|(field, _)| is_simple(field.shape.inner())) else {
                return Some(None);
            };
            let default = defaults.and_then(|map| map.default(name));
            if default.as_ref().is_some_and(|default| KeyValue::of_tree(default).is_none()) {
                return Some(None);
            }
            keys.push(Key { field, place: place.clone(), default });
        }
        if keys.is_empty() || keys.len() > MAX_KEYS {
            return Some(None);
        }
        keys.sort_by(|a, b| a.field.json.cmp(b.field.json));
        Some(Some(Keyed { ty, keys, element: self.part(list.element, element)? }))
    }
}

/// Returns the fields that a struct has in JSON, those of inlined ones among them, in the order of their names. `None`
/// if names don't tell them apart, or if they are those of other times.
fn fields(desc: &'static StructDesc) -> Option<Vec<(&'static FieldDesc, Place)>> {
    let mut found = Vec::with_capacity(desc.fields.len());
    collect(desc, &[], &mut found)?;
    found.sort_by(|(a, _), (b, _)| a.json.cmp(b.json));
    let is_doubled = found.windows(2).any(|pair| matches!(pair, [(a, _), (b, _)] if a.json == b.json));
    (!is_doubled).then_some(found)
}

fn collect(
    desc: &'static StructDesc,
    inlined: &[usize],
    found: &mut Vec<(&'static FieldDesc, Place)>,
) -> Option<()> {
    if desc.retired || !matches!(desc.form, JsonForm::Object) {
        return None;
    }
    for (position, field) in desc.fields.iter().enumerate() {
        if !field.inline {
            if field.exists(false) && !is_plain(field.json.as_bytes()) {
                return None;
            }
            if field.exists(false) {
                found.push((field, Place { inlined: inlined.into(), position }));
            }
            continue;
        }
        let Shape::Struct(inner) = field.shape else { return None };
        collect(inner(), &[inlined, &[position]].concat(), found)?;
    }
    Some(())
}

/// Returns the struct of a place, if its fields are owned one by one.
fn members(ty: Type<'static>, shape: &'static Shape) -> Option<&'static StructDesc> {
    let atom = ty.atom();
    match (atom.scalar, atom.list, atom.map, bare(shape)) {
        (None, None, Some(map), Shape::Struct(desc)) if !map.atomic => Some(desc()),
        _ => None,
    }
}

/// Returns when the creator owns a field that the empty object has too and that is not a struct.
fn owned(shape: &Shape, empty: &Json, part: &Part) -> Owned {
    let is_zero = match empty {
        Json::Null => matches!(bare(shape), Shape::List(_) | Shape::Map(_) | Shape::Bytes),
        Json::Bool(value) => !value,
        Json::Number(number) => number.as_i64() == Some(0),
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(fields) => fields.is_empty(),
    };
    let is_own = matches!(bare(shape), Shape::Struct(_) | Shape::Leaf(_) | Shape::Json);
    match part {
        _ if !is_zero || is_own || is_optional(shape) => Owned::Compared(Box::new(empty.clone())),
        Part::Leaf => Owned::NotEmpty,
        Part::Struct(_) | Part::Tree(_) => Owned::Compared(Box::new(empty.clone())),
        Part::Map(_) | Part::Set(_) | Part::Keyed(_) => Owned::Within,
    }
}

/// Returns the shape inside of options and of structs that JSON doesn't see.
fn bare(shape: &Shape) -> &Shape {
    match shape {
        Shape::Option(inner) => bare(inner),
        Shape::Struct(desc) if desc().is_transparent() => {
            desc().fields.first().map_or(shape, |field| bare(&field.shape))
        }
        other => other,
    }
}

fn is_optional(shape: &Shape) -> bool {
    match shape {
        Shape::Option(_) => true,
        Shape::Struct(desc) if desc().is_transparent() => {
            desc().fields.first().is_some_and(|field| is_optional(&field.shape))
        }
        _ => false,
    }
}

/// Reports whether values of a shape can tell elements apart as they stand.
fn is_simple(shape: &Shape) -> bool {
    matches!(shape, Shape::Bool | Shape::Int32 | Shape::Int64 | Shape::Str)
}
