//! Validation of the defaults in a definition: they must match the schema.

use std::fmt;
use std::sync::Arc;

use rhumb_schema::budget;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Shown};
use serde_json::{Value as Json, json};

use crate::Structural;
use crate::check::{MetadataRule, check_value, shown};
use crate::compile::{CompileError, DefaultValue, Node, Purpose, compile};
use crate::metadata::{self, Malformed};
use crate::prune::prune;
use crate::rules::{BUDGET, Findings, Root, RuleSet};

/// Defaults of a schema.
pub struct Defaults {
    root: Arc<Node>,
    /// The schema, which rules in CEL are compiled from.
    source: Json,
}

impl fmt::Debug for Defaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Defaults").finish_non_exhaustive()
    }
}

/// Whether defaults may have unknown fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownFields {
    /// They may not.
    Refused,
    /// They had some before, so they may keep them.
    Allowed,
}

impl Defaults {
    /// Reads the `openAPIV3Schema` of a version.
    ///
    /// # Errors
    /// If it is no structural schema in the first place.
    pub fn compile(schema: &Json) -> Result<Defaults, CompileError> {
        let Json::Object(schema) = schema else { return Err(CompileError::NotAnObject) };
        let mut schema = schema.clone();
        // The whole is an object as those are that are embedded in others.
        schema.insert("x-kubernetes-embedded-resource".to_owned(), true.into());
        let source = Json::Object(schema);
        Ok(Defaults { root: compile(&source, Purpose::Defaults)?, source })
    }

    /// Checks the defaults. Errors name places in the schema, which stands at a path.
    pub fn check(&self, path: &FieldPath, unknown: UnknownFields, rule: MetadataRule) -> FieldErrors {
        let mut checker = Checker { unknown, rule, budget: BUDGET, errors: FieldErrors::default() };
        let way = Way { object: &self.root, steps: Vec::new(), inside_meta: false };
        checker.schema(&self.root, &self.source, path, &way);
        checker.errors
    }

    /// Reports whether a default somewhere has fields that the schema doesn't know.
    pub fn have_unknown_fields(&self) -> bool {
        self.has_unknown(&self.root, &mut Vec::new())
    }

    fn has_unknown<'a>(&'a self, schema: &'a Node, steps: &mut Vec<Step<'a>>) -> bool {
        if budget::is_stopped() {
            return false;
        }
        if let Some(DefaultValue { value: default, .. }) = schema.default.as_deref() {
            let mut object = surrounded(default, steps);
            // What is malformed is dropped, or else stays; neither is unknown.
            let _ = metadata::settle_embedded(&mut object, &self.root, &FieldPath::root(), Malformed::Drop);
            prune(&mut object, &self.root);
            if focus(&object, steps) != Some(default) {
                return true;
            }
        }
        let values = schema.additional.schema().map(|schema| (Step::Field("*"), schema));
        let items = schema.items.as_ref().map(|schema| (Step::Item, schema));
        let fields = schema.properties().map(|(name, schema)| (Step::Field(name), schema));
        values.into_iter().chain(items).chain(fields).any(|(step, schema)| {
            steps.push(step);
            let found = self.has_unknown(schema, steps);
            steps.pop();
            found
        })
    }
}

/// Step from an object to a value in it.
#[derive(Clone, Copy)]
enum Step<'a> {
    Field(&'a str),
    Item,
}

/// Returns the object that has nothing but a value at the end of some steps.
fn surrounded(value: &Json, steps: &[Step<'_>]) -> Json {
    steps.iter().rev().fold(value.clone(), |inner, step| match step {
        Step::Field(name) => json!({ *name: inner }),
        Step::Item => json!([inner]),
    })
}

/// Returns the value after some steps.
fn focus<'a>(object: &'a Json, steps: &[Step<'_>]) -> Option<&'a Json> {
    steps.iter().try_fold(object, |value, step| match step {
        Step::Field(name) => value.get(*name),
        Step::Item => value.get(0),
    })
}

/// Path to a default.
#[derive(Clone)]
struct Way<'a> {
    /// The schema of the object that the default is in.
    object: &'a Node,
    /// Steps from that object.
    steps: Vec<Step<'a>>,
    /// Whether it is within the fields that every object has.
    inside_meta: bool,
}

impl<'a> Way<'a> {
    fn below(&self, step: Step<'a>) -> Self {
        let mut way = self.clone();
        way.steps.push(step);
        way
    }
}

struct Checker {
    unknown: UnknownFields,
    rule: MetadataRule,
    /// What rules in CEL may still cost; less than nothing if there was not enough.
    budget: i64,
    errors: FieldErrors,
}

impl Checker {
    fn schema(&mut self, schema: &Node, source: &Json, path: &FieldPath, way: &Way<'_>) {
        let own = Way { object: schema, steps: Vec::new(), inside_meta: false };
        let way = if schema.embedded { &own } else { way };
        if budget::is_stopped() || self.budget < 0 {
            return;
        }
        if let Some(DefaultValue { value: default, .. }) = schema.default.as_deref() {
            let path = path.child("default");
            let is_right = if way.inside_meta {
                self.within_metadata(schema, default, way, &path)
            } else {
                self.value(schema, default, &path)
            };
            if is_right {
                self.rules(source, default, &path);
            }
        }
        // Values of maps have no defaults of their own.
        if let Some(items) = &schema.items {
            let source = source.get("items").unwrap_or(&Json::Null);
            self.schema(items, source, &path.child("items"), &way.below(Step::Item));
        }
        for (name, property) in schema.properties() {
            let mut way = way.below(Step::Field(name));
            way.inside_meta |= schema.embedded && matches!(name, "metadata" | "apiVersion" | "kind");
            let source = source.get("properties").and_then(|properties| properties.get(name));
            let source = source.unwrap_or(&Json::Null);
            self.schema(property, source, &path.child("properties").key(name), &way);
        }
    }

    /// Evaluates the rules in CEL on a default: as one that was there before, and as one that is new.
    fn rules(&mut self, source: &Json, default: &Json, path: &FieldPath) {
        let embedded = source.get("x-kubernetes-embedded-resource") == Some(&Json::Bool(true));
        let root = if embedded { Root::Resource } else { Root::Value };
        let Ok(structural) = Structural::compile(source) else { return };
        let Some(rules) = RuleSet::compile(source, &structural, root) else { return };
        let Findings { errors, budget, .. } = rules.validate_value(default, Some(default), path, self.budget);
        let is_kept = errors.is_empty();
        self.errors.extend(errors);
        let mut left = budget;
        if is_kept {
            let new = rules.validate_value(default, None, path, self.budget);
            self.errors.extend(new.errors);
            left = left.min(new.budget);
        }
        self.budget = left;
    }

    fn value(&mut self, schema: &Node, default: &Json, path: &FieldPath) -> bool {
        if self.unknown == UnknownFields::Refused {
            let mut pruned = default.clone();
            prune(&mut pruned, schema);
            if pruned != *default {
                self.errors.invalid(path, &Shown(shown(default)), "must not have unknown fields");
            }
        }
        let mut settled = default.clone();
        let mut found = self.metadata(&mut settled, schema, path);
        if found.is_empty() {
            check_value(&settled, schema, path, &mut found);
        }
        let is_right = found.is_empty();
        self.errors.extend(found);
        is_right
    }

    /// A default within metadata is looked at in an object that has nothing else.
    fn within_metadata(&mut self, schema: &Node, default: &Json, way: &Way<'_>, path: &FieldPath) -> bool {
        let mut object = surrounded(default, &way.steps);
        if let Json::Object(object) = &mut object {
            for (name, value) in [("kind", "Validation"), ("apiVersion", "validation/v1")] {
                object.entry(name).or_insert_with(|| value.into());
            }
        }
        let found = self.metadata(&mut object, way.object, &FieldPath::root());
        let before = self.errors.len();
        if found.is_empty() {
            check_value(default, schema, path, &mut self.errors);
        } else {
            let detail = format!("must result in valid metadata: {found}");
            self.errors.invalid(path, &Shown(shown(default)), &detail);
        }
        self.errors.len() == before
    }

    /// Brings the metadata of a value into its usual form, and checks it.
    fn metadata(&self, value: &mut Json, schema: &Node, path: &FieldPath) -> FieldErrors {
        let mut found = FieldErrors::default();
        match metadata::settle_embedded(value, schema, path, Malformed::Refuse) {
            Err(error) => found.push(error),
            Ok(_) => metadata::check(value, schema, path, self.rule, &mut found),
        }
        found
    }
}
