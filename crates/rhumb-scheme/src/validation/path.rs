//! The way to a field, as errors print it.

use std::fmt;

/// The way to a field, printed as `spec.containers[0].env[KEY]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(String);

impl FieldPath {
    /// The object itself.
    pub fn root() -> Self {
        FieldPath::default()
    }

    /// A field below this one.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        FieldPath(if self.0.is_empty() { name.to_owned() } else { format!("{}.{name}", self.0) })
    }

    /// An element of this list.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        FieldPath(format!("{}[{index}]", self.0))
    }

    /// An entry of this map.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        FieldPath(format!("{}[{key}]", self.0))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "<nil>" } else { &self.0 })
    }
}
