//! Checking objects against a schema, with the errors that Kubernetes has for them.
//!
//! Kubernetes walks its maps in no order; here fields are checked in the order of their names, so that an
//! object gets the same answer every time.

mod scalars;

use rhumb_meta::v1::ObjectMeta;
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{BadValue, FieldErrors, FieldPath, Shown};
use serde_json::{Map, Value as Json};

use crate::compile::{Additional, Node, Rules, Types};
use crate::ratchet::Pair;
use crate::scale::ScalePaths;
use crate::{Structural, lists, metadata};

/// The rules that the metadata of embedded objects must keep; they are those of every object.
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
        tell(check(&self.root, new, "", pair), path, errors);
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
    tell(check(schema, value, "", None), path, errors);
}

fn tell(outcome: Outcome, path: &FieldPath, errors: &mut FieldErrors) {
    outcome.problems.into_iter().for_each(|problem| problem.tell(path, errors));
}

/// What is wrong, and how it is told.
struct Problem {
    kind: Kind,
    /// Where, from the value on.
    place: String,
    /// The value that is shown.
    value: String,
    text: String,
}

enum Kind {
    Required,
    Choice(Vec<String>),
    TooLong(i64),
    TooMany(usize, i64),
    Type,
    Other,
    /// Told without its place.
    Plain,
}

impl Problem {
    fn tell(self, path: &FieldPath, errors: &mut FieldErrors) {
        let place = self.place.strip_prefix('.').unwrap_or(&self.place);
        let at = if place.is_empty() { path.clone() } else { path.child(place) };
        let value = Shown(self.value);
        let size = |number: i64| usize::try_from(number).unwrap_or_default();
        match self.kind {
            Kind::Required => errors.required(&at, ""),
            Kind::Choice(values) => errors.not_supported(&at, &value, &values),
            Kind::TooLong(maximum) => errors.too_long(&at, size(maximum)),
            Kind::TooMany(actual, maximum) => errors.too_many(&at, actual, size(maximum)),
            Kind::Type => errors.type_invalid(&at, &value, &self.text),
            Kind::Other => errors.invalid(&at, &value, &self.text),
            Kind::Plain => errors.invalid(path, "", &self.text),
        }
    }
}

/// What was found, and how much of the schema fitted: of several alternatives the one that fits best is told
/// of.
#[derive(Default)]
struct Outcome {
    problems: Vec<Problem>,
    matches: usize,
}

impl Outcome {
    fn add(&mut self, problem: Problem) {
        if self.problems.iter().all(|known| known.text != problem.text) {
            self.problems.push(problem);
        }
    }

    fn other(&mut self, place: &str, value: String, text: String) {
        self.add(Problem { kind: Kind::Other, place: place.to_owned(), value, text });
    }

    fn plain(&mut self, text: String) {
        self.add(Problem { kind: Kind::Plain, place: String::new(), value: String::new(), text });
    }

    fn merge(&mut self, other: Outcome) {
        self.matches += other.matches;
        other.problems.into_iter().for_each(|problem| self.add(problem));
    }

    fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }
}

/// As Kubernetes prints a JSON value.
pub(crate) fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => text.shown(),
        Json::Number(number) if !number.is_i64() => number.as_f64().unwrap_or_default().shown(),
        other => other.shown(),
    }
}

/// Checks a value. What it has in common with an old one is forgiven.
fn check(node: &Node, value: &Json, place: &str, pair: Option<Pair<'_>>) -> Outcome {
    let mut outcome = check_all(node, value, place, pair);
    if !outcome.is_valid() && pair.is_some_and(|pair| pair.is_same()) {
        outcome.problems.clear();
    }
    outcome
}

fn check_all(node: &Node, value: &Json, place: &str, pair: Option<Pair<'_>>) -> Outcome {
    let nothing = Rules::default();
    let rules = node.rules.as_deref().unwrap_or(&nothing);
    let mut outcome = Outcome::default();
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
fn check_logic(rules: &Rules, value: &Json, place: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let check = |node: &Node| check(node, value, place, None);
    if !rules.any_of.is_empty() {
        let mut best: Option<Outcome> = None;
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
            outcome.plain(format!("{} must validate at least one schema (anyOf)", quoted(place)));
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
            outcome.plain(format!("{} must validate all the schemas (allOf){more}", quoted(place)));
        }
    }
    if rules.not.as_ref().is_some_and(|not| check(not).is_valid()) {
        outcome.plain(format!("{} must not validate the schema (not)", quoted(place)));
    }
    outcome.matches += 1;
    outcome
}

fn check_one_of(rules: &Rules, place: &str, check: &dyn Fn(&Node) -> Outcome, outcome: &mut Outcome) {
    let mut best: Option<Outcome> = None;
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
    outcome.plain(format!("{} must validate one and only one schema (oneOf). {more}", quoted(place)));
    best.filter(|_| valid.is_empty()).into_iter().for_each(|found| outcome.merge(found));
}

fn better(best: Option<Outcome>, found: Outcome) -> Option<Outcome> {
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

fn check_list(
    node: &Node,
    rules: &Rules,
    items: &[Json],
    place: &str,
    pair: Option<Pair<'_>>,
    outcome: &mut Outcome,
) {
    if let Some(schema) = &node.items {
        for (index, item) in items.iter().enumerate() {
            let pair = pair.and_then(|pair| pair.index(index));
            outcome.merge(check(schema, item, &format!("{place}[{index}]"), pair));
        }
    }
    let size = items.len();
    if let Some(minimum) = rules.min_items.filter(|minimum| below(size, *minimum)) {
        let text = format!("{place} in body should have at least {minimum} items");
        outcome.other(place, size.to_string(), text);
    }
    if let Some(maximum) = rules.max_items.filter(|maximum| above(size, *maximum)) {
        let text = format!("{place} in body should have at most {maximum} items");
        let kind = Kind::TooMany(size, maximum);
        outcome.add(Problem { kind, place: place.to_owned(), value: String::new(), text });
    }
    let is_repeated = |(at, item): (usize, &Json)| items.iter().take(at).any(|before| before == item);
    if rules.unique_items && items.iter().enumerate().any(is_repeated) {
        outcome.other(place, "\"\"".to_owned(), format!("{place} in body shouldn't contain duplicates"));
    }
}

fn check_object(
    node: &Node,
    rules: &Rules,
    object: &Map<String, Json>,
    place: &str,
    pair: Option<Pair<'_>>,
    outcome: &mut Outcome,
) {
    let size = object.len();
    if let Some(minimum) = rules.min_properties.filter(|minimum| below(size, *minimum)) {
        let text = format!("{place} in body should have at least {minimum} properties");
        outcome.other(place, size.to_string(), text);
    }
    if let Some(maximum) = rules.max_properties.filter(|maximum| above(size, *maximum)) {
        let text = format!("{place} in body should have at most {maximum} properties");
        let kind = Kind::TooMany(size, maximum);
        outcome.add(Problem { kind, place: place.to_owned(), value: String::new(), text });
    }
    for (name, value) in object.iter().filter(|(name, _)| node.property(name).is_none()) {
        match &node.additional {
            Additional::Any(false) => {
                let text = format!("{place}.{name} in body is a forbidden property");
                outcome.other(place, name.shown(), text);
            }
            Additional::Schema(schema) => {
                let pair = pair.and_then(|pair| pair.key(name));
                outcome.merge(check(schema, value, &format!("{place}.{name}"), pair));
            }
            Additional::Any(true) | Additional::Unsaid => {}
        }
    }
    for (name, value) in object {
        let Some(property) = node.property(name) else { continue };
        let below = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
        // A change of version is not seen in what was stored, so these are always checked.
        let is_type = place.is_empty() && matches!(name.as_str(), "apiVersion" | "kind");
        let pair = pair.filter(|_| !is_type).and_then(|pair| pair.key(name));
        outcome.merge(check(property, value, &below, pair));
    }
    for name in rules.required.iter().filter(|name| !object.contains_key(&***name)) {
        let place = format!("{place}.{name}");
        let text = format!("{place} in body is required");
        outcome.add(Problem { kind: Kind::Required, place, value: String::new(), text });
    }
}
