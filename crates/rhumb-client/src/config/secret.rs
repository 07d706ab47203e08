//! Strings that are not shown.

use std::fmt;
use std::sync::Arc;

/// Token, password or other secret. Only [`expose`](Secret::expose) returns its content; `Debug` and errors don't show
/// it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Wraps a secret string.
    pub fn new(content: impl Into<Arc<str>>) -> Self {
        Secret(content.into())
    }

    /// Returns the content.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Reports whether the secret is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "Secret(none)" } else { "Secret(--- REDACTED ---)" })
    }
}

impl From<String> for Secret {
    fn from(content: String) -> Self {
        Secret::new(content)
    }
}

impl From<&str> for Secret {
    fn from(content: &str) -> Self {
        Secret::new(content)
    }
}
