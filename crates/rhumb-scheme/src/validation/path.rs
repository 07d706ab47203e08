//! Field paths, as errors print them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Path of a field, displayed as `spec.containers[0].env[KEY]`.
///
/// Rules make hundreds of paths for an object and print none of them if it is right. So a path is made by copying,
/// and takes no memory of its own as long as it is not a very long one. One that is long is shared by those that go
/// on from it, so that a list below a key of a megabyte costs no more than another.
#[derive(Clone, Default)]
pub struct FieldPath(Text);

/// Maximum length of a path stored inline. Paths in pods have some thirty bytes.
const SHORT: usize = 94;

/// Text of a path in UTF-8.
#[derive(Clone, Default)]
enum Text {
    /// None: the object itself.
    #[default]
    Root,
    Short {
        length: u8,
        bytes: [u8; SHORT],
    },
    Long(Arc<Long>),
}

/// A path that extends another.
struct Long {
    above: FieldPath,
    more: String,
    /// Length of the whole text in bytes.
    length: usize,
}

impl FieldPath {
    /// Creates the path of the object itself, displayed as `<nil>`.
    pub fn root() -> Self {
        FieldPath::default()
    }

    /// Creates the path of a top-level field. An empty name, which some rules of Kubernetes use, is displayed as `[]`.
    pub fn new(name: &str) -> Self {
        FieldPath::root().with(&[if name.is_empty() { "[]" } else { name }])
    }

    /// Returns the text, in UTF-8.
    fn text(&self) -> Cow<'_, [u8]> {
        let mut parts = Vec::new();
        let mut path = self;
        while let Text::Long(long) = &path.0 {
            parts.push(long.more.as_bytes());
            path = &long.above;
        }
        let start: &[u8] = match &path.0 {
            Text::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Text::Root | Text::Long(_) => &[],
        };
        if parts.is_empty() {
            return Cow::Borrowed(start);
        }
        let mut text = Vec::with_capacity(self.len());
        text.extend_from_slice(start);
        parts.iter().rev().for_each(|part| text.extend_from_slice(part));
        Cow::Owned(text)
    }

    /// Returns the length in bytes.
    pub(super) fn len(&self) -> usize {
        match &self.0 {
            Text::Root => 0,
            Text::Short { length, .. } => usize::from(*length),
            Text::Long(long) => long.length,
        }
    }

    fn is_root(&self) -> bool {
        matches!(self.0, Text::Root)
    }

    /// Returns this path with a suffix.
    fn with(&self, parts: &[&str]) -> Self {
        let (mut end, mut bytes) = match &self.0 {
            Text::Root => (0, [0; SHORT]),
            // All of them, because that is one step, and no call.
            Text::Short { length, bytes } => (usize::from(*length), *bytes),
            Text::Long(_) => return self.with_more(parts),
        };
        for part in parts {
            let Some(place) = bytes.get_mut(end..end + part.len()) else { return self.with_more(parts) };
            place.copy_from_slice(part.as_bytes());
            end += part.len();
        }
        match u8::try_from(end) {
            Ok(length) => FieldPath(Text::Short { length, bytes }),
            Err(_) => self.with_more(parts),
        }
    }

    /// Appends to a path that is too long to be stored inline.
    #[cold]
    fn with_more(&self, parts: &[&str]) -> Self {
        let more = parts.concat();
        let length = self.len() + more.len();
        FieldPath(Text::Long(Arc::new(Long { above: self.clone(), more, length })))
    }

    /// Appends a field.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        if self.is_root() { self.with(&[name]) } else { self.with(&[".", name]) }
    }

    /// Appends a list index.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        const FIRST: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        match FIRST.get(index) {
            Some(digit) => self.key(digit),
            None => self.key(&index.to_string()),
        }
    }

    /// Appends a map key.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.with(&["[", key, "]"])
    }
}

impl PartialEq for FieldPath {
    fn eq(&self, other: &Self) -> bool {
        self.is_root() == other.is_root() && self.len() == other.len() && self.text() == other.text()
    }
}

impl Eq for FieldPath {}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        let text = String::from_utf8_lossy(&text);
        f.write_str(if self.is_root() { "<nil>" } else { &text })
    }
}

impl fmt::Debug for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldPath({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_print_the_same_whatever_their_length() {
        assert_eq!(FieldPath::root().to_string(), "<nil>");
        assert_eq!(FieldPath::root().child("spec"), FieldPath::new("spec"));
        assert_ne!(FieldPath::root(), FieldPath::root().child(""));
        assert_eq!(FieldPath::new("").to_string(), "[]");
        let (mut path, mut text) = (FieldPath::new("spec"), "spec".to_owned());
        for round in 0..40 {
            path = path.child("größe").index(round).key("key");
            text.push_str(&format!(".größe[{round}][key]"));
            assert_eq!(path.to_string(), text);
            assert_eq!(path.clone(), path);
            assert_eq!(path.len(), text.len());
        }
    }

    #[test]
    fn what_is_below_a_long_key_costs_no_more_than_anything() {
        // Copied, these were a hundred gigabytes.
        let path = FieldPath::new("spec").key(&"x".repeat(1 << 20));
        let all: Vec<FieldPath> = (0..100_000).map(|index| path.index(index).child("a")).collect();
        let last = all.last().map(ToString::to_string).unwrap_or_default();
        assert!(last.ends_with("xxx][99999].a"), "{}", last.len());
    }
}
