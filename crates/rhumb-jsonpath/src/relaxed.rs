//! Relaxed paths: `metadata.name` for `{.metadata.name}`.

use std::fmt;

/// Error: invalid path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelaxError;

impl fmt::Display for RelaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or \
             '{.name1.name2}'",
        )
    }
}

impl std::error::Error for RelaxError {}

/// Puts what is missing around a path: `metadata.name`, `.metadata.name`, `{metadata.name}` and
/// `{.metadata.name}` all become the last of them. Nothing stays nothing.
///
/// # Errors
/// If there are more braces than a pair around everything, or nothing within.
pub fn relaxed(path: &str) -> Result<String, RelaxError> {
    if path.is_empty() {
        return Ok(String::new());
    }
    let inner = path.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(path);
    if inner.is_empty() || inner.contains(['{', '}']) {
        return Err(RelaxError);
    }
    // A lone dot is a field.
    let field = inner.strip_prefix('.').filter(|rest| !rest.is_empty()).unwrap_or(inner);
    Ok(format!("{{.{field}}}"))
}
