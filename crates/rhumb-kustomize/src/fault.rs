//! Errors as text, prefixed at each level.

use std::fmt;

/// An error's text. Only people read it, so it has no variants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault(pub(crate) String);

/// Result of most functions here.
pub(crate) type Outcome<T> = Result<T, Fault>;

impl Fault {
    /// Puts what was being done before the error.
    pub(crate) fn under(self, prefix: impl fmt::Display) -> Fault {
        Fault(format!("{prefix}: {}", self.0))
    }

    /// Reports whether a file could not be read as YAML.
    pub(crate) fn is_malformed_yaml(&self) -> bool {
        self.0.contains("MalformedYAMLError")
    }
}

impl From<String> for Fault {
    fn from(text: String) -> Fault {
        Fault(text)
    }
}

impl From<&str> for Fault {
    fn from(text: &str) -> Fault {
        Fault(text.to_owned())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Shorthand for giving up with a text.
pub(crate) fn fail<T>(text: impl Into<String>) -> Outcome<T> {
    Err(Fault(text.into()))
}

/// Quotes a text like Go's `%q`.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            other if (other as u32) < 0x20 || other as u32 == 0x7f => {
                out.push_str(&format!("\\x{:02x}", other as u32));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Formats a list as Go's `%v` prints it.
pub(crate) fn listed<T: fmt::Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    format!("[{}]", items.join(" "))
}
