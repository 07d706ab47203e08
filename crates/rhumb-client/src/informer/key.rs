//! `ObjectKey`: namespace and name of an object.

use std::borrow::Borrow;
use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rhumb_meta::Object;

/// Namespace and name of an object. Clones share the text, so that store, indexes and queues hold it once.
///
/// Keys are ordered by their text, `namespace/name`; objects without a namespace have no slash.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey(Arc<str>);

impl ObjectKey {
    /// Creates a key from namespace and name; the namespace is empty for cluster-scoped resources.
    pub fn new(namespace: &str, name: &str) -> Self {
        if namespace.is_empty() {
            return ObjectKey(name.into());
        }
        let mut text = String::with_capacity(namespace.len() + 1 + name.len());
        text.push_str(namespace);
        text.push('/');
        text.push_str(name);
        ObjectKey(text.into())
    }

    /// Returns the key of an object; `None` without a name.
    pub fn of<K: Object + ?Sized>(object: &K) -> Option<Self> {
        let identity = object.identity();
        (!identity.name.is_empty()).then(|| ObjectKey::new(&identity.namespace, &identity.name))
    }

    /// Creates a key from the text of a key function, which need not be namespace and name.
    pub fn from_text(text: &str) -> Self {
        ObjectKey(text.into())
    }

    /// Returns the namespace; empty if there is none.
    pub fn namespace(&self) -> &str {
        self.0.split_once('/').map_or("", |(namespace, _)| namespace)
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// Returns the key as text: `namespace/name`, or the name alone.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Maps with keys can be asked by text.
impl Borrow<str> for ObjectKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Error of parsing a key: it has more than one slash, or no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseKeyError {
    text: String,
}

impl fmt::Display for ParseKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unexpected key format: {:?}", self.text)
    }
}

impl Error for ParseKeyError {}

impl FromStr for ObjectKey {
    type Err = ParseKeyError;

    fn from_str(text: &str) -> Result<Self, ParseKeyError> {
        let (namespace, name) = text.split_once('/').unwrap_or(("", text));
        if name.is_empty() || name.contains('/') {
            return Err(ParseKeyError { text: text.to_owned() });
        }
        Ok(ObjectKey::new(namespace, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_its_parts_and_its_text() {
        let key = ObjectKey::new("kube-system", "dns");
        assert_eq!((key.namespace(), key.name(), key.as_str()), ("kube-system", "dns", "kube-system/dns"));
        let key = ObjectKey::new("", "node-1");
        assert_eq!((key.namespace(), key.name(), key.to_string().as_str()), ("", "node-1", "node-1"));
    }

    #[test]
    fn text_is_read_back() {
        assert_eq!("a/b".parse(), Ok(ObjectKey::new("a", "b")));
        assert_eq!("b".parse(), Ok(ObjectKey::new("", "b")));
        for bad in ["", "a/", "a/b/c"] {
            assert!(bad.parse::<ObjectKey>().is_err(), "{bad}");
        }
    }
}
