//! Defaults in schemas: they must be known, and valid, themselves.

use rhumb_scheme::validation::{FieldErrors, FieldPath, Shown};
use serde_json::{Value as Json, json};

use super::values::shown;
use super::{Purpose, Root, Structural};

/// Whether defaults with fields that the schema doesn't know are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// They are.
    Refused,
    /// They were there before, so they may stay.
    Allowed,
}

/// A step from an object down to a value in it.
#[derive(Clone)]
enum Step {
    Field(String),
    Item,
}

/// What is known on the way to a default.
#[derive(Clone)]
struct Way<'a> {
    /// The schema of the object that the default is in.
    object: &'a Structural,
    /// The way from that object.
    steps: Vec<Step>,
    /// Whether it is within the fields that every object has.
    inside_meta: bool,
}

impl Structural {
    /// Checks the defaults in the schema of a whole object.
    pub fn validate_defaults(&self, path: &FieldPath, unknown: Unknown, errors: &mut FieldErrors) {
        let way = Way { object: self, steps: Vec::new(), inside_meta: false };
        validate(self, Root::Object, path, &way, unknown, errors);
    }

    /// Whether a default somewhere has fields that the schema doesn't know.
    pub fn has_unknown_in_defaults(&self) -> bool {
        let is_unpruned = self.generic.default.as_ref().is_some_and(|default| {
            let mut pruned = default.clone();
            !self.prune(&mut pruned, Root::Part).is_empty()
        });
        let additional = self.additional_properties.as_ref().and_then(|additional| additional.schema());
        is_unpruned
            || additional.is_some_and(Structural::has_unknown_in_defaults)
            || self.items.as_deref().is_some_and(Structural::has_unknown_in_defaults)
            || self.properties.values().any(Structural::has_unknown_in_defaults)
    }
}

fn validate(
    schema: &Structural,
    root: Root,
    path: &FieldPath,
    way: &Way<'_>,
    unknown: Unknown,
    errors: &mut FieldErrors,
) {
    let is_object = root == Root::Object || schema.extensions.embedded_resource;
    let own = Way { object: schema, steps: Vec::new(), inside_meta: false };
    let way = if is_object { &own } else { way };
    if let Some(default) = &schema.generic.default {
        let path = path.child("default");
        if way.inside_meta {
            in_meta(schema, default, way, &path, errors);
        } else {
            let root = if is_object { Root::Object } else { Root::Part };
            outside_meta(schema, default, root, &path, unknown, errors);
        }
    }
    // Values of maps have no defaults of their own.
    if let Some(items) = &schema.items {
        let mut way = way.clone();
        way.steps.push(Step::Item);
        validate(items, Root::Part, &path.child("items"), &way, unknown, errors);
    }
    for (name, property) in &schema.properties {
        let mut way = way.clone();
        way.steps.push(Step::Field(name.clone()));
        if is_object && matches!(name.as_str(), "metadata" | "apiVersion" | "kind") {
            way.inside_meta = true;
        }
        validate(property, Root::Part, &path.child("properties").key(name), &way, unknown, errors);
    }
}

fn outside_meta(
    schema: &Structural,
    default: &Json,
    root: Root,
    path: &FieldPath,
    unknown: Unknown,
    errors: &mut FieldErrors,
) {
    if unknown == Unknown::Refused {
        let mut pruned = default.clone();
        schema.prune(&mut pruned, root);
        if pruned != *default {
            errors.invalid(path, &Shown(shown(default)), "must not have unknown fields");
        }
    }
    let mut settled = default.clone();
    let mut found = schema.settle_metadata(&mut settled, root, path);
    if found.is_empty() {
        schema.check_metadata(&settled, root, path, &mut found);
    }
    if found.is_empty() {
        schema.check_value(&settled, path, Purpose::Default, &mut found);
    }
    errors.extend(found);
}

/// A default within metadata is looked at in an object that has nothing else.
fn in_meta(schema: &Structural, default: &Json, way: &Way<'_>, path: &FieldPath, errors: &mut FieldErrors) {
    let mut object = default.clone();
    for step in way.steps.iter().rev() {
        object = match step {
            Step::Field(name) => json!({ name: object }),
            Step::Item => json!([object]),
        };
    }
    for (name, value) in [("kind", "Validation"), ("apiVersion", "validation/v1")] {
        if let Json::Object(object) = &mut object {
            object.entry(name).or_insert_with(|| value.into());
        }
    }
    let mut found = way.object.settle_metadata(&mut object, Root::Object, &FieldPath::root());
    if found.is_empty() {
        way.object.check_metadata(&object, Root::Object, &FieldPath::root(), &mut found);
    }
    if found.is_empty() {
        schema.check_value(default, path, Purpose::Default, errors);
    } else {
        let detail = format!("must result in valid metadata: {found}");
        errors.invalid(path, &Shown(shown(default)), &detail);
    }
}
