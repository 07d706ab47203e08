//! Evaluation of templates on objects.

use std::fmt;

use serde_json::Value as Json;

use crate::compare::holds;
use crate::parse::{End, Node, Slice};
use crate::{Template, Value};

/// Handling of missing fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingKeys {
    /// They evaluate to nothing.
    #[default]
    Allow,
    /// An error.
    Refuse,
}

/// Error of evaluating a template, in kubectl's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError(String);

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EvalError {}

/// State kept between evaluations.
///
/// kubectl forgets where a template begins once a loop was in it: the next object that the same printer gets
/// sees what follows the begin of the last loop. Whoever prints several objects by one template keeps this.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    start: usize,
    begun: usize,
    inside: usize,
    ended: usize,
    last_end: Option<usize>,
}

impl Template {
    /// Follows the template in an object. What each text and each action finds is a list of its own.
    ///
    /// # Errors
    /// If something on the way doesn't fit the template.
    pub fn find<'a>(
        &'a self,
        object: &'a Json,
        missing: MissingKeys,
    ) -> Result<Vec<Vec<Value<'a>>>, EvalError> {
        self.find_next(object, missing, &mut Progress::default())
    }

    /// Does what [`find`](Template::find) does after other objects.
    ///
    /// # Errors
    /// Those of [`find`](Template::find).
    pub fn find_next<'a>(
        &'a self,
        object: &'a Json,
        missing: MissingKeys,
        progress: &mut Progress,
    ) -> Result<Vec<Vec<Value<'a>>>, EvalError> {
        let mut walk = Walk { nodes: &self.nodes, missing, progress };
        walk.results(Value::Tree(object)).map_err(EvalError)
    }
}

/// Evaluation of a template on an object.
struct Walk<'a, 'p> {
    nodes: &'a [Node],
    missing: MissingKeys,
    progress: &'p mut Progress,
}

/// A failed step with the values found so far, which count as found for an existence filter.
struct Failure<'a> {
    message: String,
    values: Vec<Value<'a>>,
}

type Found<'a> = Result<Vec<Value<'a>>, Failure<'a>>;

fn failure<'a>(message: impl Into<String>, values: &[Value<'a>]) -> Failure<'a> {
    Failure { message: message.into(), values: values.to_vec() }
}

impl<'a> Walk<'a, '_> {
    fn results(&mut self, from: Value<'a>) -> Result<Vec<Vec<Value<'a>>>, String> {
        let mut all = Vec::new();
        let mut at = self.progress.start;
        while let Some(node) = self.nodes.get(at) {
            let found = self.step(node, vec![from]).map_err(|failure| failure.message)?;
            if self.progress.ended > 0 && self.progress.ended <= self.progress.inside {
                self.progress.ended -= 1;
                self.progress.last_end = Some(at);
                break;
            }
            if self.progress.begun == 0 {
                all.push(found);
                at += 1;
                continue;
            }
            self.progress.begun -= 1;
            self.progress.inside += 1;
            if found.is_empty() {
                // A loop over nothing is gone through all the same, to find where it ends.
                self.progress.start = at + 1;
                self.results(Value::Nothing)?;
            }
            for value in found {
                self.progress.start = at + 1;
                match value {
                    Value::Nothing => {
                        return Err("reflect: call of reflect.Value.Interface on zero Value".into());
                    }
                    nil if nil.is_nil() => all.extend(self.results(Value::Nothing)?),
                    value => all.extend(self.results(value)?),
                }
            }
            self.progress.inside -= 1;
            if let Some(end) = self.progress.last_end.filter(|end| *end > at) {
                at = end;
            }
            at += 1;
        }
        Ok(all)
    }

    fn steps(&mut self, nodes: &'a [Node], from: Vec<Value<'a>>) -> Found<'a> {
        nodes.iter().try_fold(from, |values, node| self.step(node, values))
    }

    fn step(&mut self, node: &'a Node, from: Vec<Value<'a>>) -> Found<'a> {
        let literal = |value: Value<'a>| vec![value; from.len()];
        Ok(match node {
            Node::List(nodes) => return self.steps(nodes, from),
            Node::Text(text) => vec![Value::Text(text)],
            Node::Int(number) => literal(Value::Int(*number)),
            Node::Float(number) => literal(Value::Float(*number)),
            Node::Bool(truth) => literal(Value::Bool(*truth)),
            Node::Field(name) => return self.field(name, &from),
            Node::Slice(slice) => return elements(slice, from),
            Node::All => from.into_iter().flat_map(Value::children).collect(),
            Node::Descent => {
                let mut found = Vec::new();
                descend(from, &mut found);
                found
            }
            Node::Union(parts) => {
                let mut found = Vec::new();
                for part in parts {
                    let more = self.steps(part, from.clone());
                    found.extend(more.map_err(|error| failure(error.message, &from))?);
                }
                found
            }
            Node::Filter { left, comparison } => {
                return self.filtered(left, comparison.as_ref(), from);
            }
            Node::Word(word) => match word.as_str() {
                "range" => {
                    self.progress.begun += 1;
                    from
                }
                "end" if self.progress.inside > 0 => {
                    self.progress.ended += 1;
                    Vec::new()
                }
                "end" => return Err(failure("not in range, nothing to end", &[])),
                other => return Err(failure(format!("unrecognized identifier {other}"), &from)),
            },
        })
    }

    fn field(&self, name: &str, from: &[Value<'a>]) -> Found<'a> {
        let found: Vec<Value<'a>> =
            from.iter().filter_map(|value| value.tree()?.as_object()?.get(name).map(Value::Tree)).collect();
        if found.is_empty() && !from.is_empty() && self.missing == MissingKeys::Refuse {
            return Err(failure(format!("{name} is not found"), &[]));
        }
        Ok(found)
    }

    fn filtered(
        &mut self,
        left: &'a [Node],
        comparison: Option<&'a (String, Vec<Node>)>,
        from: Vec<Value<'a>>,
    ) -> Found<'a> {
        let mut found = Vec::new();
        for value in &from {
            let Value::Tree(Json::Array(items)) = value else {
                let message = format!("{} is not array or slice and cannot be filtered", value.plain());
                return Err(failure(message, &from));
            };
            for item in items.iter().map(Value::Tree) {
                let lefts = self.steps(left, vec![item]);
                let Some((operator, right)) = comparison else {
                    let (Ok(values) | Err(Failure { values, .. })) = lefts;
                    if !values.is_empty() {
                        found.push(item);
                    }
                    continue;
                };
                let one = |values: Found<'a>| match values {
                    Err(error) => Err(failure(error.message, &from)),
                    Ok(values) if values.len() > 1 => {
                        Err(failure("can only compare one element at a time", &from))
                    }
                    Ok(values) => Ok(values.first().copied()),
                };
                let Some(left) = one(lefts)? else { continue };
                let Some(right) = one(self.steps(right, vec![item]))? else { continue };
                match holds(operator, left, right) {
                    None => return Err(failure(format!("unrecognized filter operator {operator}"), &found)),
                    Some(Err(error)) => return Err(failure(error.text(), &found)),
                    Some(Ok(true)) => found.push(item),
                    Some(Ok(false)) => {}
                }
            }
        }
        Ok(found)
    }
}

/// Each value that has something inside, with all that is in it.
fn descend<'a>(from: Vec<Value<'a>>, found: &mut Vec<Value<'a>>) {
    for value in from {
        let children = value.children();
        if !children.is_empty() {
            found.push(value);
            descend(children, found);
        }
    }
}

fn elements<'a>(slice: &Slice, from: Vec<Value<'a>>) -> Found<'a> {
    let mut found = Vec::new();
    for value in &from {
        if value.is_nil() {
            continue;
        }
        let Value::Tree(Json::Array(items)) = value else {
            return Err(failure(format!("{} is not array or slice", value.type_name()), &from));
        };
        let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let from_end = |at: i64| if at < 0 { at.saturating_add(length) } else { at };
        let start = from_end(slice.start.unwrap_or_default());
        let end = match slice.end {
            End::Open => length,
            End::Derived(0) => length,
            End::At(end) | End::Derived(end) => from_end(end),
        };
        if start == end {
            // Asking for nothing ends the search, also in the lists that would come next.
            return Ok(found);
        }
        let outside = |at: i64| format!("array index out of bounds: index {at}, length {length}");
        if !(0..length).contains(&start) {
            return Err(failure(outside(start), &from));
        }
        if !(0..=length).contains(&end) {
            return Err(failure(outside(end.saturating_sub(1)), &from));
        }
        if start > end {
            let message = format!("starting index {start} is greater than ending index {end}");
            return Err(failure(message, &from));
        }
        let step = match slice.step {
            None => 1,
            Some(step) if step <= 0 => return Err(failure("step must be > 0", &from)),
            Some(step) => usize::try_from(step).unwrap_or(usize::MAX),
        };
        let place = |at: i64| usize::try_from(at).unwrap_or_default();
        let part = items.get(place(start)..place(end)).unwrap_or_default();
        found.extend(part.iter().step_by(step).map(Value::Tree));
    }
    Ok(found)
}
