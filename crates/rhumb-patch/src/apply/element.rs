//! Path elements: a field, the key or value of a list element, or an index.

use std::cmp::Ordering;
use std::fmt;

use rhumb_schema::text::{quoted, write_f64};
use serde_json::{Number, Value};

use super::name::Name;

/// Approximate size of a number in bytes.
const SMALL: usize = 8;

/// Path element, ordered as in `fieldsV1`.
#[derive(Clone, Debug)]
pub enum PathElement {
    /// A field of a struct, or an entry of a map.
    Field(Name),
    /// The element of a list that has these values in its key fields, which stand in the order of their
    /// names.
    Key(Box<[(Name, Scalar)]>),
    /// The element of a set that has this value.
    Value(Scalar),
    /// The element of a list at this place.
    Index(i64),
}

/// Scalar value that identifies list elements.
#[derive(Clone, Debug)]
pub enum Scalar {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Str(Name),
    /// A list or an object, which no valid schema has as a key.
    Tree(Box<Tree>),
}

/// List or object that identifies list elements, with its text for ordering.
#[derive(Clone, Debug)]
pub struct Tree {
    value: Value,
    text: String,
}

impl Tree {
    fn new(value: &Value) -> Box<Self> {
        Box::new(Tree { value: value.clone(), text: value.to_string() })
    }

    /// Returns the list or object.
    pub fn value(&self) -> &Value {
        &self.value
    }
}

impl Scalar {
    /// Returns the value of a tree's leaf.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Scalar::Null,
            Value::Bool(value) => Scalar::Bool(*value),
            Value::Number(number) => Scalar::number(number),
            Value::String(text) => Scalar::Str(text.as_str().into()),
            tree => Scalar::Tree(Tree::new(tree)),
        }
    }

    fn number(number: &Number) -> Self {
        match number.as_i64() {
            Some(value) => Scalar::Int(value),
            None => Scalar::Float(number.as_f64().unwrap_or_default()),
        }
    }

    /// Returns the value as it is after writing and reading, which turns numbers into floats in Kubernetes.
    pub(super) fn as_stored(value: &Value) -> Self {
        const EXACT: u64 = 1 << 53;
        match Scalar::of(value) {
            Scalar::Int(value) if value.unsigned_abs() > EXACT => Scalar::Float(value as f64),
            other => other,
        }
    }

    /// Returns the approximate size in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Scalar::Str(text) => text.as_bytes().len(),
            Scalar::Tree(tree) => tree.text.len(),
            _ => SMALL,
        }
    }

    /// Numbers come first, then texts, truth values, lists, objects and null.
    fn rank(&self) -> u8 {
        match self {
            Scalar::Int(_) | Scalar::Float(_) => 0,
            Scalar::Str(_) => 1,
            Scalar::Bool(_) => 2,
            Scalar::Tree(tree) if tree.value.is_array() => 3,
            Scalar::Tree(_) => 4,
            Scalar::Null => 5,
        }
    }
}

impl Ord for Scalar {
    fn cmp(&self, other: &Self) -> Ordering {
        let floats = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
        match (self, other) {
            (Scalar::Str(a), Scalar::Str(b)) => a.cmp(b),
            (Scalar::Int(a), Scalar::Int(b)) => a.cmp(b),
            (Scalar::Float(a), Scalar::Float(b)) => floats(*a, *b),
            (Scalar::Int(a), Scalar::Float(b)) => floats(*a as f64, *b),
            (Scalar::Float(a), Scalar::Int(b)) => floats(*a, *b as f64),
            (Scalar::Bool(a), Scalar::Bool(b)) => a.cmp(b),
            (Scalar::Tree(a), Scalar::Tree(b)) if self.rank() == other.rank() => a.text.cmp(&b.text),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Null => f.write_str("null"),
            Scalar::Bool(value) => write!(f, "{value}"),
            Scalar::Int(value) => write!(f, "{value}"),
            Scalar::Float(value) => {
                let mut text = Vec::new();
                write_f64(*value, &mut text);
                f.write_str(&String::from_utf8_lossy(&text))
            }
            Scalar::Str(text) => f.write_str(&quoted(text.as_bytes())),
            Scalar::Tree(tree) => f.write_str(&tree.text),
        }
    }
}

impl PathElement {
    /// Creates a field, by its name.
    pub fn field(name: &str) -> Self {
        PathElement::Field(name.into())
    }

    /// Returns the approximate size in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            PathElement::Field(name) => name.as_bytes().len(),
            PathElement::Key(fields) => {
                fields.iter().map(|(name, value)| name.as_bytes().len() + value.size()).sum()
            }
            PathElement::Value(value) => value.size(),
            PathElement::Index(_) => SMALL,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            PathElement::Field(_) => 0,
            PathElement::Key(_) => 1,
            PathElement::Value(_) => 2,
            PathElement::Index(_) => 3,
        }
    }
}

impl Ord for PathElement {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (PathElement::Field(a), PathElement::Field(b)) => a.cmp(b),
            (PathElement::Key(a), PathElement::Key(b)) => a.cmp(b),
            (PathElement::Value(a), PathElement::Value(b)) => a.cmp(b),
            (PathElement::Index(a), PathElement::Index(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

/// Formats path elements as in conflicts: `.spec`, `[name="web"]`, `[="a"]`, `[0]`.
impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathElement::Field(name) => write!(f, ".{name}"),
            PathElement::Key(fields) => {
                f.write_str("[")?;
                for (position, (name, value)) in fields.iter().enumerate() {
                    let comma = if position == 0 { "" } else { "," };
                    write!(f, "{comma}{name}={value}")?;
                }
                f.write_str("]")
            }
            PathElement::Value(value) => write!(f, "[={value}]"),
            PathElement::Index(index) => write!(f, "[{index}]"),
        }
    }
}

macro_rules! equal_by_order {
    ($type:ty) => {
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }
        impl Eq for $type {}
        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }
    };
}

equal_by_order!(Scalar);
equal_by_order!(PathElement);
