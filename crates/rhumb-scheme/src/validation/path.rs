//! The way to a field, as errors print it.

use std::fmt;

/// The way to a field, printed as `spec.containers[0].env[KEY]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(Option<String>);

impl FieldPath {
    /// The object itself, which prints as `<nil>`.
    pub fn root() -> Self {
        FieldPath::default()
    }

    /// A field of the object. Some rules of Kubernetes speak of the object by a field without a name, which prints
    /// as `[]`.
    pub fn new(name: &str) -> Self {
        FieldPath(Some(if name.is_empty() { "[]" } else { name }.to_owned()))
    }

    fn text(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// A field below this one.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        FieldPath(Some(match &self.0 {
            None => name.to_owned(),
            Some(above) => format!("{above}.{name}"),
        }))
    }

    /// An element of this list.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        FieldPath(Some(format!("{}[{index}]", self.text())))
    }

    /// An entry of this map.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        FieldPath(Some(format!("{}[{key}]", self.text())))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("<nil>"))
    }
}
