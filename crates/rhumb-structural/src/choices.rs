//! Enumerated values of a schema.

use std::collections::HashSet;
use std::sync::OnceLock;

use rhumb_scheme::validation::BadValue;
use serde_json::{Number, Value as Json};

/// Number of values up to which they are searched linearly.
const FEW: usize = 16;

/// Enumerated values; none if not set.
#[derive(Default)]
pub(crate) struct Choices {
    values: Box<[Json]>,
    index: OnceLock<Index>,
    joined: OnceLock<Box<str>>,
    id: OnceLock<u64>,
}

/// Index of many values.
struct Index {
    /// The places of texts, in the order of the texts.
    texts: Box<[usize]>,
    integers: HashSet<i64>,
    floats: HashSet<u64>,
    others: HashSet<Json>,
}

/// Integers beyond 64 bits with a sign are floats to Kubernetes.
pub(crate) fn integer_of(number: &Number) -> Option<i64> {
    number.as_i64()
}

/// Returns a float, so that equal ones have equal bits.
fn bits(number: &Number) -> Option<u64> {
    number.as_f64().map(|float| if float == 0.0 { 0 } else { float.to_bits() })
}

impl Choices {
    pub(crate) fn new(values: Vec<Json>) -> Self {
        Choices { values: values.into(), ..Choices::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Reports whether a value is one of them. Go converts the value to the type of what it is compared with, which
    /// cuts fractions off.
    pub(crate) fn contain(&self, value: &Json) -> bool {
        if self.values.len() <= FEW {
            return self.values.iter().any(|choice| is_same(choice, value));
        }
        let index = self.index.get_or_init(|| self.index());
        match value {
            Json::Null => false,
            Json::String(text) => {
                index.texts.binary_search_by(|at| self.text(*at).cmp(text.as_str())).is_ok()
            }
            Json::Number(number) => {
                let integer = integer_of(number)
                    .or_else(|| number.as_f64().map(|float| float as i64))
                    .unwrap_or_default();
                index.integers.contains(&integer)
                    || bits(number).is_some_and(|bits| index.floats.contains(&bits))
            }
            other => index.others.contains(other),
        }
    }

    fn text(&self, at: usize) -> &str {
        self.values.get(at).and_then(Json::as_str).unwrap_or_default()
    }

    fn index(&self) -> Index {
        let is_text = |at: &usize| self.values.get(*at).is_some_and(Json::is_string);
        let mut texts: Vec<usize> = (0..self.values.len()).filter(is_text).collect();
        texts.sort_unstable_by(|one, other| self.text(*one).cmp(self.text(*other)));
        let numbers = || self.values.iter().filter_map(|choice| choice.as_number());
        Index {
            texts: texts.into(),
            integers: numbers().filter_map(integer_of).collect(),
            floats: numbers().filter(|number| integer_of(number).is_none()).filter_map(bits).collect(),
            others: self
                .values
                .iter()
                .filter(|choice| !choice.is_null() && !choice.is_string() && !choice.is_number())
                .cloned()
                .collect(),
        }
    }

    /// Returns the choices as an error lists them.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.values.iter().map(|value| match value {
            Json::String(text) => text.clone(),
            other => other.shown(),
        });
        names.collect()
    }

    /// Returns a number of that text, which is made of it once.
    pub(crate) fn id(&self, make: impl FnOnce(&str) -> u64) -> u64 {
        *self.id.get_or_init(|| make(self.joined()))
    }

    /// Returns the values joined as text.
    pub(crate) fn joined(&self) -> &str {
        self.joined.get_or_init(|| self.names().join(" ").into())
    }
}

fn is_same(choice: &Json, value: &Json) -> bool {
    match (choice, value) {
        (Json::Null, _) => false,
        (Json::Number(choice), Json::Number(value)) => match (integer_of(choice), integer_of(value)) {
            (Some(choice), Some(value)) => choice == value,
            (Some(choice), None) => value.as_f64().is_some_and(|value| value as i64 == choice),
            (None, _) => choice.as_f64() == value.as_f64(),
        },
        (choice, value) => choice == value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn many_choices_are_compared_as_few_are() {
        let values = [
            json!(null),
            json!(true),
            json!(1),
            json!(1.0),
            json!(1.5),
            json!(-0.0),
            json!(0),
            json!(u64::MAX),
            json!(i64::MAX),
            json!("1"),
            json!("a"),
            json!([1]),
            json!([1.0]),
            json!({"a": null}),
            json!(-3),
            json!(-3.7),
        ];
        for choice in &values {
            let few = Choices::new(vec![choice.clone()]);
            let filled =
                std::iter::once(choice.clone()).chain((0..20).map(|number| json!(format!("x{number}"))));
            let many = Choices::new(filled.collect());
            for value in &values {
                assert_eq!(few.contain(value), many.contain(value), "{choice} {value}");
            }
        }
    }
}
