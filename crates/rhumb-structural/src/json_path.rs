//! Paths into objects, in the form of JSONPath that kubectl and definitions write.
//!
//! Fields, names in quotes, positions, slices, all elements, unions, filters and descent are read; loops and
//! text around a path are not, because no definition can have them.

use rhumb_scheme::validation::BadValue;
use serde_json::Value as Json;

mod parse;

/// A path that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    steps: Vec<Step>,
}

/// Why a text is no path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError(String);

impl std::fmt::Display for PathError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PathError {}

/// Why a path can't be followed in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FollowError {
    /// Something else than a list stands where one is needed.
    NoList,
    /// A position that the list doesn't have.
    OutOfBounds,
    /// Values that can't be compared.
    Comparison,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(String),
    Slice(Slice),
    All,
    Descent,
    Union(Vec<Vec<Step>>),
    /// Elements for which the comparison holds; without one, those for which the left side leads somewhere.
    Filter(Vec<Step>, Option<(Operator, Vec<Step>)>),
    Literal(Json),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slice {
    start: Option<i64>,
    end: End,
    step: Option<i64>,
}

/// Where a slice ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Behind its first element.
    AfterOne,
    At(i64),
    Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl JsonPath {
    /// Reads a path such as `.spec.list[0]` or `.status.conditions[?(@.type=="Ready")].status`.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn parse(text: &str) -> Result<JsonPath, PathError> {
        parse::parse(text).map(|steps| JsonPath { steps }).map_err(PathError)
    }

    /// All values that the path leads to.
    ///
    /// # Errors
    /// If something on the way doesn't fit the path. A field that isn't there is no error.
    pub fn find<'a>(&'a self, object: &'a Json) -> Result<Vec<&'a Json>, FollowError> {
        follow(&self.steps, vec![object])
    }

    /// The text by which a field selector compares the value at this path; empty if there is none.
    pub fn selectable(&self, object: &Json) -> String {
        match self.find(object).unwrap_or_default().first() {
            None | Some(Json::Null) => String::new(),
            Some(value) => go_text(value),
        }
    }
}

/// A value as Go's `%v` prints it.
pub(crate) fn go_text(value: &Json) -> String {
    match value {
        Json::Null => "<nil>".to_owned(),
        Json::String(text) => text.clone(),
        Json::Number(number) if !number.is_i64() => number.as_f64().unwrap_or_default().shown(),
        Json::Array(items) => format!("[{}]", items.iter().map(go_text).collect::<Vec<_>>().join(" ")),
        Json::Object(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{key}:{}", go_text(value))).collect();
            format!("map[{}]", entries.join(" "))
        }
        other => other.to_string(),
    }
}

fn follow<'a>(steps: &'a [Step], from: Vec<&'a Json>) -> Result<Vec<&'a Json>, FollowError> {
    steps.iter().try_fold(from, |values, step| take(step, values))
}

fn take<'a>(step: &'a Step, values: Vec<&'a Json>) -> Result<Vec<&'a Json>, FollowError> {
    let mut found = Vec::new();
    match step {
        Step::Literal(value) => return Ok(values.iter().map(|_| value).collect()),
        Step::Union(parts) => {
            for part in parts {
                found.extend(follow(part, values.clone())?);
            }
        }
        Step::Field(name) => {
            found.extend(values.into_iter().filter_map(|value| value.as_object()?.get(name)))
        }
        Step::All => values.into_iter().for_each(|value| found.extend(children(value))),
        Step::Descent => values.into_iter().for_each(|value| descend(value, &mut found)),
        Step::Slice(slice) => {
            for value in values.into_iter().filter(|value| !value.is_null()) {
                found.extend(slice.of(value.as_array().ok_or(FollowError::NoList)?)?);
            }
        }
        Step::Filter(left, comparison) => {
            for value in values {
                for item in value.as_array().ok_or(FollowError::NoList)? {
                    if passes(item, left, comparison.as_ref())? {
                        found.push(item);
                    }
                }
            }
        }
    }
    Ok(found)
}

fn children(value: &Json) -> Vec<&Json> {
    match value {
        Json::Array(items) => items.iter().collect(),
        Json::Object(map) => map.values().collect(),
        _ => Vec::new(),
    }
}

/// A value and all that is in it, without leaves.
fn descend<'a>(value: &'a Json, found: &mut Vec<&'a Json>) {
    let below = children(value);
    if !below.is_empty() {
        found.push(value);
        below.into_iter().for_each(|child| descend(child, found));
    }
}

impl Slice {
    fn of<'a>(&self, items: &'a [Json]) -> Result<Vec<&'a Json>, FollowError> {
        let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let from_end = |at: i64| if at < 0 { at.saturating_add(length) } else { at };
        let start = from_end(self.start.unwrap_or_default());
        let end = match self.end {
            End::Open => length,
            End::At(end) => from_end(end),
            // The last one ends where the list does.
            End::AfterOne if self.start == Some(-1) => length,
            End::AfterOne => from_end(self.start.unwrap_or_default().saturating_add(1)),
        };
        if start == end {
            return Ok(Vec::new());
        }
        if !(0..length).contains(&start) || !(0..=length).contains(&end) || start > end {
            return Err(FollowError::OutOfBounds);
        }
        let step = match self.step {
            None => 1,
            Some(step) => {
                usize::try_from(step).ok().filter(|step| *step > 0).ok_or(FollowError::OutOfBounds)?
            }
        };
        let place = |at: i64| usize::try_from(at).unwrap_or_default();
        let part = items.get(place(start)..place(end)).unwrap_or_default();
        Ok(part.iter().step_by(step).collect())
    }
}

fn passes(
    item: &Json,
    left: &[Step],
    comparison: Option<&(Operator, Vec<Step>)>,
) -> Result<bool, FollowError> {
    let one = |steps: &[Step]| -> Result<Option<Json>, FollowError> {
        match follow(steps, vec![item])?.as_slice() {
            [] => Ok(None),
            [single] => Ok(Some((*single).clone())),
            _ => Err(FollowError::Comparison),
        }
    };
    let Some((operator, right)) = comparison else {
        return Ok(follow(left, vec![item]).is_ok_and(|found| !found.is_empty()));
    };
    match (one(left)?, one(right)?) {
        (Some(left), Some(right)) => compare(&left, *operator, &right),
        _ => Ok(false),
    }
}

/// Only values of one type can be compared, and truth values can't be ordered.
fn compare(left: &Json, operator: Operator, right: &Json) -> Result<bool, FollowError> {
    let order = match (left, right) {
        (Json::Bool(left), Json::Bool(right)) if matches!(operator, Operator::Equal | Operator::NotEqual) => {
            left.cmp(right)
        }
        (Json::String(left), Json::String(right)) => left.cmp(right),
        (Json::Number(left), Json::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => left.cmp(&right),
            (None, None) => left.as_f64().partial_cmp(&right.as_f64()).ok_or(FollowError::Comparison)?,
            _ => return Err(FollowError::Comparison),
        },
        _ => return Err(FollowError::Comparison),
    };
    Ok(match operator {
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        Operator::Equal => order.is_eq(),
        Operator::NotEqual => order.is_ne(),
        Operator::GreaterOrEqual => order.is_ge(),
        Operator::Greater => order.is_gt(),
    })
}
