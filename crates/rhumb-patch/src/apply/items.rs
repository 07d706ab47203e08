//! Identity of list elements, and equality of values.

use std::borrow::Cow;

use rhumb_schema::budget;
use rhumb_schema::text::quoted;
use serde_json::{Map, Value};

use super::element::{PathElement, Scalar};
use super::name::Name;
use super::schema::{Keys, ListAtom, Related};

/// Error of identifying an element, in Kubernetes' words.
pub(super) type ItemError = Cow<'static, str>;

/// Size in bytes up to which a default costs no more than the element.
const SMALL: usize = 64;

/// Error when the work is cancelled; never shown.
const STOPPED: &str = "the elements were not told apart in time";

impl ListAtom<'_> {
    pub(super) fn is_atomic(&self) -> bool {
        matches!(self.relation, Related::Atomic)
    }

    /// Returns the step that leads to an element.
    pub(super) fn item(&self, value: &Value) -> Result<PathElement, ItemError> {
        match (self.relation, value) {
            (Related::Atomic, _) => Err("invalid indexing of non-associative list".into()),
            (Related::Keys(keys), Value::Object(fields)) => self.keyed(keys, fields),
            (Related::Keys(_), Value::Null) => {
                Err("associative list with keys may not have a null element".into())
            }
            (Related::Keys(_), _) => Err("associative list with keys may not have non-map elements".into()),
            (Related::Set, Value::Object(_)) => {
                Err("associative list without keys has an element that's a map type".into())
            }
            (Related::Set, Value::Array(_)) => {
                Err("not supported: associative list with lists as elements".into())
            }
            (Related::Set, Value::Null) => {
                Err("associative list without keys has an element that's an explicit null".into())
            }
            (Related::Set, scalar) => Ok(PathElement::Value(Scalar::of(scalar))),
        }
    }

    fn keyed(&self, keys: Keys<'_>, fields: &Map<String, Value>) -> Result<PathElement, ItemError> {
        let mut found: Vec<(Name, Scalar)> = Vec::with_capacity(2);
        for name in keys.iter() {
            if let Some(value) = fields.get(name) {
                found.push((Name::from(name), Scalar::of(value)));
            } else if let Some(default) = self.element.atom().map.and_then(|map| map.default(name)) {
                let default = Scalar::of(&default);
                // A schema may give a long text to many elements that say nothing.
                if default.size() > SMALL && !budget::take(default.size()) {
                    return Err(STOPPED.into());
                }
                found.push((Name::from(name), default));
            }
        }
        if found.is_empty() && keys.get(0).is_some() {
            let names: Vec<String> = keys.iter().map(quoted).collect();
            let names = names.join(" ");
            return Err(format!(
                "associative list with keys has an element that omits all key fields [{names}] (and doesn't \
                 have default values for any key fields)"
            )
            .into());
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(PathElement::Key(found.into()))
    }
}

/// Reports whether two values are equal: numbers by what they say, however they are written.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            _ => a.as_f64() == b.as_f64(),
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((x, a), (y, b))| x == y && same(a, b))
        }
        (a, b) => a == b,
    }
}
