//! Defaulting: the defaults of field tables and of registered functions, for an object and all that is in it.
//!
//! What has to be visited is planned once, at the freeze: a struct in which nothing has a default is never entered.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rhumb_schema::{FieldDesc, Shape, Struct, StructDesc, Value, View, ViewMut, from_tree};
use serde_json::Value as Json;

use crate::builder::RegisterError;

/// A defaulting function behind its struct.
pub(crate) type DefaultFn = Arc<dyn Fn(&mut dyn Struct) + Send + Sync>;

/// What defaulting does with one struct.
#[derive(Default)]
struct Plan {
    functions: Vec<DefaultFn>,
    tables: Vec<(usize, Json)>,
    descend: Vec<usize>,
}

/// The plans of all structs that have any.
#[derive(Default)]
pub(crate) struct Defaults {
    plans: HashMap<usize, Plan>,
}

/// A struct is known by the address of its table: there is one of each.
pub(crate) fn address(desc: &'static StructDesc) -> usize {
    std::ptr::from_ref(desc) as usize
}

/// Every struct that the roots are or contain, each once.
pub(crate) fn all_below(roots: impl Iterator<Item = &'static StructDesc>) -> Vec<&'static StructDesc> {
    let mut all: Vec<&'static StructDesc> = Vec::new();
    let mut seen = HashSet::new();
    let mut queue: Vec<_> = roots.collect();
    while let Some(desc) = queue.pop() {
        if seen.insert(address(desc)) {
            all.push(desc);
            queue.extend(desc.fields.iter().filter_map(|field| field.shape.element_struct()));
        }
    }
    all
}

/// The positions to descend into, by struct, in order to meet every target on the way from any struct.
pub(crate) fn ways_to(all: &[&'static StructDesc], targets: HashSet<usize>) -> HashMap<usize, Vec<usize>> {
    // A struct must be entered if it, or anything in it, is a target: found from the bottom up.
    let mut entered = targets;
    loop {
        let before = entered.len();
        for desc in all {
            if desc.fields.iter().any(|field| is_entered(field.shape.element_struct(), &entered)) {
                entered.insert(address(desc));
            }
        }
        if entered.len() == before {
            break;
        }
    }
    let mut ways = HashMap::new();
    for desc in all {
        let below = |(_, field): &(usize, &FieldDesc)| is_entered(field.shape.element_struct(), &entered);
        let descend: Vec<usize> =
            desc.fields.iter().enumerate().filter(below).map(|(position, _)| position).collect();
        if !descend.is_empty() {
            ways.insert(address(desc), descend);
        }
    }
    ways
}

impl Defaults {
    /// Works out which structs below the roots have defaults, and the way to them.
    pub(crate) fn plan(
        roots: impl Iterator<Item = &'static StructDesc>,
        functions: &[(&'static StructDesc, DefaultFn)],
    ) -> Result<Self, RegisterError> {
        let all = all_below(roots);
        let mut plans: HashMap<usize, Plan> = HashMap::new();
        for (desc, function) in functions {
            plans.entry(address(desc)).or_default().functions.push(function.clone());
        }
        for desc in &all {
            for (position, field) in desc.fields.iter().enumerate() {
                let Some(text) = field.default else { continue };
                let tree: Json = serde_json::from_str(text).map_err(|error| {
                    RegisterError::BadDefault(format!(
                        "{}.{}: default {text}: {error}",
                        desc.name, field.json
                    ))
                })?;
                if !fits(&tree, &field.shape) {
                    return Err(RegisterError::BadDefault(format!(
                        "{}.{}: default {text} is no {}",
                        desc.name,
                        field.json,
                        field.shape.go_type()
                    )));
                }
                // An empty object as a default is Kubernetes' way to say that the inside has defaults of its own; a
                // zero says something only of what may be absent.
                let optional = matches!(field.shape, Shape::Option(_));
                let says_nothing = tree.as_object().is_some_and(serde_json::Map::is_empty)
                    || matches!(&tree, Json::String(text) if text.is_empty() && !optional)
                    || matches!(&tree, Json::Number(number) if number.as_i64() == Some(0) && !optional);
                if !says_nothing {
                    plans.entry(address(desc)).or_default().tables.push((position, tree));
                }
            }
        }
        for (struct_at, descend) in ways_to(&all, plans.keys().copied().collect()) {
            plans.entry(struct_at).or_default().descend = descend;
        }
        Ok(Defaults { plans })
    }

    /// Fills in the defaults of a value: its own first, then those of what is in it.
    pub(crate) fn apply(&self, value: &mut dyn Value) {
        if matches!(value.view(), View::Null) {
            return;
        }
        match value.view_mut() {
            ViewMut::Struct(value) => {
                let Some(plan) = self.plans.get(&address(value.desc())) else { return };
                for function in &plan.functions {
                    function(value);
                }
                for (position, tree) in &plan.tables {
                    let field = value.field_mut(*position);
                    if field.view().is_empty() && !is_set_option(value, *position) {
                        // The freeze has checked that the default fits.
                        drop(from_tree(tree, value.field_mut(*position)));
                    }
                }
                for position in &plan.descend {
                    self.apply(value.field_mut(*position));
                }
            }
            ViewMut::List(list) => {
                for index in 0..list.len() {
                    if let Some(element) = list.get_mut(index) {
                        self.apply(element);
                    }
                }
            }
            ViewMut::Map(map) => map.values_mut().for_each(|value| self.apply(value)),
            _ => {}
        }
    }
}

/// Whether a tree can be put where something of a shape stands. What a leaf takes, only the leaf knows.
fn fits(tree: &Json, shape: &Shape) -> bool {
    match (shape, tree) {
        (_, Json::Null) | (Shape::Leaf(_) | Shape::Json, _) => true,
        (Shape::Option(inner), _) => fits(tree, inner),
        (Shape::Bool, Json::Bool(_)) | (Shape::Str, Json::String(_)) | (Shape::Double, Json::Number(_)) => {
            true
        }
        (Shape::Int32, Json::Number(number)) => {
            number.as_i64().is_some_and(|number| i32::try_from(number).is_ok())
        }
        (Shape::Int64, Json::Number(number)) => number.is_i64(),
        (Shape::Bytes, Json::String(text)) => rhumb_schema::text::decode_base64(text).is_ok(),
        (Shape::List(element), Json::Array(items)) => items.iter().all(|item| fits(item, element)),
        (Shape::Map(value), Json::Object(entries)) => entries.values().all(|entry| fits(entry, value)),
        (Shape::Struct(desc), _) if desc().is_transparent() => {
            desc().fields.first().is_some_and(|field| fits(tree, &field.shape))
        }
        (Shape::Struct(desc), Json::Object(entries)) => entries
            .iter()
            .all(|(name, entry)| desc().find(name).is_some_and(|field| fits(entry, &field.shape))),
        _ => false,
    }
}

/// An option that holds an empty value, such as `Some(false)`, was given and is left alone.
fn is_set_option(value: &dyn Struct, position: usize) -> bool {
    let optional =
        value.desc().fields.get(position).is_some_and(|field| matches!(field.shape, Shape::Option(_)));
    optional && !matches!(value.field(position).view(), View::Null)
}

fn is_entered(desc: Option<&'static StructDesc>, entered: &HashSet<usize>) -> bool {
    desc.is_some_and(|desc| entered.contains(&address(desc)))
}
