//! Defaulting of objects and everything in them, by field descriptions and registered functions.
//!
//! What has to be visited is planned once, at the freeze: a struct in which nothing has a default is never entered.

use std::sync::Arc;

use foldhash::HashMap;
use rhumb_schema::{Shape, Struct, StructDesc, Value, View, ViewMut, budget, from_tree};
use serde_json::Value as Json;

use crate::builder::RegisterError;
use crate::reach::{Reach, address};

/// Type-erased defaulting function.
pub(crate) type DefaultFn = Arc<dyn Fn(&mut dyn Struct) + Send + Sync>;

/// Defaulting of one struct.
#[derive(Default)]
struct Plan {
    functions: Vec<DefaultFn>,
    tables: Vec<(usize, Json)>,
    descend: Vec<usize>,
}

/// Plans of all structs that have defaults.
#[derive(Default)]
pub(crate) struct Defaults {
    plans: HashMap<usize, Plan>,
}

impl Defaults {
    /// Works out which structs have defaults, and the way to them.
    pub(crate) fn plan(
        reach: &Reach,
        functions: &[(&'static StructDesc, DefaultFn)],
    ) -> Result<Self, RegisterError> {
        let mut plans: HashMap<usize, Plan> = HashMap::default();
        for (desc, function) in functions {
            plans.entry(address(desc)).or_default().functions.push(function.clone());
        }
        for desc in reach.structs() {
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
        for (struct_at, descend) in reach.ways_to(plans.keys().copied()) {
            plans.entry(struct_at).or_default().descend = descend;
        }
        Ok(Defaults { plans })
    }

    /// Fills in the defaults of a value: its own first, then those of what is in it.
    pub(crate) fn apply(&self, value: &mut dyn Value) {
        if matches!(value.view(), View::Null) || budget::is_stopped() {
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

/// Reports whether a tree can be put where something of a shape stands. What a leaf takes, only the leaf knows.
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

/// Reports whether a value is a set option. One with an empty value, such as `Some(false)`, gets no default.
fn is_set_option(value: &dyn Struct, position: usize) -> bool {
    let optional =
        value.desc().fields.get(position).is_some_and(|field| matches!(field.shape, Shape::Option(_)));
    optional && !matches!(value.field(position).view(), View::Null)
}
