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

    /// This path with something behind it. Rules make hundreds of paths for an object and print none of them if it is
    /// right, so this does no more than copy.
    fn with(&self, parts: &[&str]) -> Self {
        let above = self.text();
        let mut text =
            String::with_capacity(above.len() + parts.iter().map(|part| part.len()).sum::<usize>());
        text.push_str(above);
        parts.iter().for_each(|part| text.push_str(part));
        FieldPath(Some(text))
    }

    /// A field below this one.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        match self.0 {
            None => self.with(&[name]),
            Some(_) => self.with(&[".", name]),
        }
    }

    /// An element of this list.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.key(&index.to_string())
    }

    /// An entry of this map.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.with(&["[", key, "]"])
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("<nil>"))
    }
}
