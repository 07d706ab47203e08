//! Validation of objects against a schema, with Kubernetes' errors.
//!
//! Kubernetes walks its maps in no order; here fields are checked in the order of their names, so that an
//! object gets the same answer every time.

mod place;
mod problems;
mod scalars;

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::LazyLock;

use rhumb_meta::v1::ObjectMeta;
use rhumb_schema::budget;
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{BadValue, FieldErrors, FieldPath};
use serde_json::{Map, Value as Json};

use self::place::Place;
use self::problems::{Kind, Outcome, Problem, Told, Value};
use crate::compile::{Additional, Node, Rules, Types};
use crate::ratchet::Pair;
use crate::scale::ScalePaths;
use crate::{Structural, lists, metadata};

/// Validates the metadata of embedded objects, with the rules of all objects.
pub type MetadataRule = fn(&ObjectMeta, &FieldPath, &mut FieldErrors);

impl Structural {
    /// Checks an object that is to be made, or to take the place of an old one. Errors in what an update
    /// leaves as it was are forgiven. The object's own metadata is not checked here.
    pub fn validate(
        &self,
        new: &Json,
        old: Option<&Json>,
        scale: Option<&ScalePaths>,
        metadata_rule: MetadataRule,
    ) -> FieldErrors {
        let mut errors = FieldErrors::default();
        self.check_values(new, old, &FieldPath::root(), &mut errors);
        if let Some(scale) = scale {
            scale.check_spec(new, &mut errors);
            scale.check_status(new, &mut errors);
        }
        metadata::check(new, &self.root, &FieldPath::root(), metadata_rule, &mut errors);
        self.check_lists(new, old, &mut errors);
        errors
    }

    /// Checks an object whose status is to be replaced: only the status counts.
    pub fn validate_status(&self, new: &Json, old: &Json, scale: Option<&ScalePaths>) -> FieldErrors {
        let mut errors = FieldErrors::default();
        if let (Some(status), Some(schema)) = (new.get("status"), self.property("status")) {
            schema.check_values(status, old.get("status"), &FieldPath::new("status"), &mut errors);
        }
        if let Some(scale) = scale {
            scale.check_status(new, &mut errors);
        }
        self.check_lists(new, Some(old), &mut errors);
        errors
    }

    fn check_values(&self, new: &Json, old: Option<&Json>, path: &FieldPath, errors: &mut FieldErrors) {
        let pair = old.map(|old| Pair { new, old, schema: &self.root });
        tell(check(&self.root, new, &Place::Root(&Cell::new(0)), pair), path, errors);
    }

    /// A list that had an element twice before may have more of them.
    fn check_lists(&self, new: &Json, old: Option<&Json>, errors: &mut FieldErrors) {
        let mut before = FieldErrors::default();
        if let Some(old) = old {
            lists::check(old, &self.root, &FieldPath::root(), &mut before);
        }
        if before.is_empty() {
            lists::check(new, &self.root, &FieldPath::root(), errors);
        }
    }
}

/// Checks a value that was not there before.
pub(crate) fn check_value(value: &Json, schema: &Node, path: &FieldPath, errors: &mut FieldErrors) {
    tell(check(schema, value, &Place::Root(&Cell::new(0)), None), path, errors);
}

fn tell(outcome: Outcome<'_>, path: &FieldPath, errors: &mut FieldErrors) {
    outcome.into_problems().for_each(|problem| problem.tell(path, errors));
}

/// Formats a JSON value as Kubernetes prints it.
pub(crate) fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => text.shown(),
        Json::Number(number) if !number.is_i64() => number.as_f64().unwrap_or_default().shown(),
        other => other.shown(),
    }
}

/// Checks a value. What it has in common with an old one is forgiven.
fn check<'a>(node: &'a Node, value: &'a Json, place: &Place<'_>, pair: Option<Pair<'a>>) -> Outcome<'a> {
    let mut outcome = check_all(node, value, place, pair);
    if !outcome.is_valid() && pair.is_some_and(|pair| pair.is_same()) {
        outcome.clear();
    }
    outcome
}

/// Empty rules.
static NOTHING: LazyLock<Rules> = LazyLock::new(Rules::default);

fn check_all<'a>(node: &'a Node, value: &'a Json, place: &Place<'_>, pair: Option<Pair<'a>>) -> Outcome<'a> {
    let rules: &'a Rules = node.rules.as_deref().unwrap_or(&NOTHING);
    let mut outcome = Outcome::default();
    if budget::is_stopped() {
        return outcome;
    }
    if value.is_null() {
        scalars::check_type(node, &rules.format, value, place, &mut outcome);
        scalars::check_choices(&rules.choices, value, place, &mut outcome);
        return outcome;
    }
    if node.types != Types::Any || !rules.format.is_none() {
        scalars::check_type(node, &rules.format, value, place, &mut outcome);
        outcome.matches += 1;
    }
    outcome.merge(check_logic(rules, value, place));
    outcome.matches += 1;
    match value {
        Json::String(text) => {
            scalars::check_text(rules, text, place, &mut outcome);
            outcome.matches += 1;
            outcome.matches += scalars::check_format(&rules.format, text, place, &mut outcome);
        }
        Json::Number(number) => {
            scalars::check_number(rules, node.types, number, place, &mut outcome);
            outcome.matches += 2;
        }
        Json::Array(items) => {
            check_list(node, rules, items, place, pair, &mut outcome);
            outcome.matches += 2;
        }
        _ => {}
    }
    scalars::check_choices(&rules.choices, value, place, &mut outcome);
    outcome.matches += 1;
    if let Json::Object(object) = value {
        check_object(node, rules, object, place, pair, &mut outcome);
        outcome.matches += 1;
    }
    outcome.matches += 1;
    outcome
}

/// Alternatives and conditions. What an update leaves alone is not looked for inside of them.
fn check_logic<'a>(rules: &'a Rules, value: &'a Json, place: &Place<'_>) -> Outcome<'a> {
    let mut outcome = Outcome::default();
    let check = |node: &'a Node| check(node, value, place, None);
    if !rules.any_of.is_empty() {
        let mut best: Option<Outcome<'a>> = None;
        let mut success = None;
        for node in &rules.any_of {
            let found = check(node);
            if found.is_valid() {
                success = Some(found);
                break;
            }
            best = better(best, found);
        }
        if success.is_none() {
            outcome.plain(format!("{} must validate at least one schema (anyOf)", quoted(place.text())));
        }
        success.or(best).into_iter().for_each(|found| outcome.merge(found));
    }
    if !rules.one_of.is_empty() {
        check_one_of(rules, place, &check, &mut outcome);
    }
    if !rules.all_of.is_empty() {
        let mut valid = 0;
        for node in &rules.all_of {
            let found = check(node);
            valid += usize::from(found.is_valid());
            outcome.merge(found);
        }
        if valid != rules.all_of.len() {
            let more = if valid == 0 { ". None validated" } else { "" };
            outcome.plain(format!("{} must validate all the schemas (allOf){more}", quoted(place.text())));
        }
    }
    if rules.not.as_ref().is_some_and(|not| check(not).is_valid()) {
        outcome.plain(format!("{} must not validate the schema (not)", quoted(place.text())));
    }
    outcome.matches += 1;
    outcome
}

fn check_one_of<'a>(
    rules: &'a Rules,
    place: &Place<'_>,
    check: &dyn Fn(&'a Node) -> Outcome<'a>,
    outcome: &mut Outcome<'a>,
) {
    let mut best: Option<Outcome<'a>> = None;
    let mut valid = Vec::new();
    for node in &rules.one_of {
        let found = check(node);
        if found.is_valid() {
            valid.push(found);
        } else if valid.is_empty() {
            best = better(best, found);
        }
    }
    if valid.len() == 1 {
        valid.into_iter().for_each(|found| outcome.merge(found));
        return;
    }
    let more = match valid.len() {
        0 => "Found none valid".to_owned(),
        count => format!("Found {count} valid alternatives"),
    };
    outcome.plain(format!("{} must validate one and only one schema (oneOf). {more}", quoted(place.text())));
    best.filter(|_| valid.is_empty()).into_iter().for_each(|found| outcome.merge(found));
}

fn better<'a>(best: Option<Outcome<'a>>, found: Outcome<'a>) -> Option<Outcome<'a>> {
    match best {
        Some(best) if best.matches >= found.matches => Some(best),
        _ => Some(found),
    }
}

fn below(size: usize, minimum: i64) -> bool {
    i64::try_from(size).is_ok_and(|size| size < minimum)
}

fn above(size: usize, maximum: i64) -> bool {
    i64::try_from(size).is_ok_and(|size| size > maximum)
}

fn check_list<'a>(
    node: &'a Node,
    rules: &Rules,
    items: &'a [Json],
    place: &Place<'_>,
    pair: Option<Pair<'a>>,
    outcome: &mut Outcome<'a>,
) {
    if let Some(schema) = &node.items {
        let elements = pair.and_then(|pair| pair.elements());
        for (index, item) in items.iter().enumerate() {
            let pair = elements.as_ref().and_then(|elements| elements.at(index));
            outcome.merge(check(schema, item, &Place::Item(place, index), pair));
            if budget::is_stopped() {
                return;
            }
        }
    }
    let size = items.len();
    if let Some(minimum) = rules.min_items.filter(|minimum| below(size, *minimum)) {
        let text = format!("{place} in body should have at least {minimum} items");
        outcome.other(place, Value::Text(size.to_string()), text);
    }
    if let Some(maximum) = rules.max_items.filter(|maximum| above(size, *maximum)) {
        let text = format!("{place} in body should have at most {maximum} items");
        outcome.add(Problem::new(Kind::TooMany(size, maximum), place, Value::None, text));
    }
    let mut seen = HashSet::new();
    if rules.unique_items && !items.iter().all(|item| budget::is_stopped() || seen.insert(item)) {
        let text = format!("{place} in body shouldn't contain duplicates");
        outcome.other(place, Value::Text("\"\"".to_owned()), text);
    }
}

fn check_object<'a>(
    node: &'a Node,
    rules: &'a Rules,
    object: &'a Map<String, Json>,
    place: &Place<'_>,
    pair: Option<Pair<'a>>,
    outcome: &mut Outcome<'a>,
) {
    let size = object.len();
    if let Some(minimum) = rules.min_properties.filter(|minimum| below(size, *minimum)) {
        let text = format!("{place} in body should have at least {minimum} properties");
        outcome.other(place, Value::Text(size.to_string()), text);
    }
    if let Some(maximum) = rules.max_properties.filter(|maximum| above(size, *maximum)) {
        let text = format!("{place} in body should have at most {maximum} properties");
        outcome.add(Problem::new(Kind::TooMany(size, maximum), place, Value::None, text));
    }
    for (name, value) in object.iter().filter(|(name, _)| node.property(name).is_none()) {
        match &node.additional {
            Additional::Any(false) => {
                outcome.told(place, Value::String(name), Told::Forbidden(name));
            }
            Additional::Schema(schema) => {
                let pair = pair.and_then(|pair| pair.key(name));
                outcome.merge(check(schema, value, &Place::Other(place, name), pair));
            }
            Additional::Any(true) | Additional::Unsaid => {}
        }
        if budget::is_stopped() {
            return;
        }
    }
    for (name, value) in object {
        let Some(property) = node.property(name) else { continue };
        // A change of version is not seen in what was stored, so these are always checked.
        let is_type = place.is_empty() && matches!(name.as_str(), "apiVersion" | "kind");
        let pair = pair.filter(|_| !is_type).and_then(|pair| pair.key(name));
        outcome.merge(check(property, value, &Place::Field(place, name), pair));
    }
    for name in rules.required.iter().filter(|name| !object.contains_key(&***name)) {
        let place = Place::Other(place, name);
        outcome.add(Problem::new(
            Kind::Required,
            &place,
            Value::None,
            format!("{place} in body is required"),
        ));
    }
}
