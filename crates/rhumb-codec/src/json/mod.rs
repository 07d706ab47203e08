//! JSON in Kubernetes' dialect.
//!
//! The encoder is [`rhumb_schema::text::encode`]; here are the decoder and the finding of an object's kind.

mod decode;
mod elements;
mod sort;
#[cfg(test)]
mod tests;

use rhumb_schema::text::{Scanner, SyntaxError};

pub(crate) use decode::{RawKeys, Reading, Unfit, decode_with};
pub use decode::{decode_into, decode_tree};
pub use elements::{Elements, ListParts, decode_elements, list_parts};
pub use rhumb_schema::text::{encode, indent};
pub use sort::sort_keys;

/// Returns the `apiVersion` and `kind` that stand at the top of an object; empty where they are missing. Reads no
/// further than it must.
///
/// # Errors
/// If the text is malformed up to where they stand, or one of them is no string.
pub fn type_meta(json: &[u8]) -> Result<(String, String), TypeMetaError> {
    let mut scanner = Scanner::new(json);
    let (mut api_version, mut kind) = (None, None);
    match scanner.peek() {
        Some(b'{') => scanner.bump(),
        Some(first) => {
            scanner.skip()?;
            scanner.end()?;
            return if first == b'n' { Ok(Default::default()) } else { Err(TypeMetaError::NoObject(first)) };
        }
        None => return Err(scanner.error("looking for beginning of value").into()),
    }
    let mut first = true;
    while (api_version.is_none() || kind.is_none()) && scanner.next_entry(first)? {
        first = false;
        let key = scanner.key()?;
        let slot = match &*key {
            "apiVersion" => &mut api_version,
            "kind" => &mut kind,
            _ => {
                scanner.skip()?;
                continue;
            }
        };
        match scanner.peek() {
            Some(b'"') => *slot = Some(scanner.string()?.into_owned()),
            Some(b'n') => {
                scanner.skip()?;
                *slot = Some(String::new());
            }
            Some(other) => {
                let name = if &*key == "kind" { "kind" } else { "apiVersion" };
                scanner.skip()?;
                return Err(TypeMetaError::NoString(other, name));
            }
            None => return Err(scanner.error("looking for beginning of value").into()),
        }
    }
    Ok((api_version.unwrap_or_default(), kind.unwrap_or_default()))
}

/// Returns the `apiVersion` and `kind` of an object, found as Kubernetes finds them: the whole text must be
/// well-formed, case doesn't matter, and of several the last one counts. [`type_meta`] is faster and gives the same
/// wherever both are written as they should be, and once.
///
/// # Errors
/// If the text is malformed, or one of them is no string.
pub fn whole_type_meta(json: &[u8]) -> Result<(String, String), TypeMetaError> {
    let mut scanner = Scanner::new(json);
    scanner.skip()?;
    scanner.end()?;
    let mut scanner = Scanner::new(json);
    match scanner.peek() {
        Some(b'{') => scanner.bump(),
        Some(b'n') | None => return Ok(Default::default()),
        Some(first) => return Err(TypeMetaError::NoObject(first)),
    }
    let (mut api_version, mut kind) = (String::new(), String::new());
    let (mut first, mut unfit) = (true, None);
    while scanner.next_entry(first)? {
        first = false;
        let name = type_meta_name(&scanner.key()?);
        match (name, scanner.peek()) {
            (Some(name), Some(b'"')) => {
                let slot = if name == "kind" { &mut kind } else { &mut api_version };
                *slot = scanner.string()?.into_owned();
                continue;
            }
            (Some(name), Some(other)) if other != b'n' => {
                unfit.get_or_insert(TypeMetaError::NoString(other, name));
            }
            _ => {}
        }
        scanner.skip()?;
    }
    unfit.map_or(Ok((api_version, kind)), Err)
}

/// Returns which of `kind` and `apiVersion` a key is, without regard to case as Go understands it.
pub(crate) fn type_meta_name(key: &str) -> Option<&'static str> {
    let fold = |character: char| match character {
        // These two signs fold to letters.
        '\u{212a}' => 'k',
        '\u{17f}' => 's',
        other => other.to_ascii_lowercase(),
    };
    let is = |name: &str| key.chars().map(fold).eq(name.chars());
    match key.len() {
        4.. if is("kind") => Some("kind"),
        10.. if is("apiversion") => Some("apiVersion"),
        _ => None,
    }
}

/// Error of finding an object's kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeMetaError {
    /// The text is malformed.
    Syntax(SyntaxError),
    /// Something else than an object stands there; its first byte.
    NoObject(u8),
    /// `apiVersion` or `kind` is not a string: its first byte and name.
    NoString(u8, &'static str),
}

impl From<SyntaxError> for TypeMetaError {
    fn from(error: SyntaxError) -> Self {
        TypeMetaError::Syntax(error)
    }
}

impl std::fmt::Display for TypeMetaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = |first: &u8| match first {
            b'{' => "object",
            b'[' => "array",
            b'"' => "string",
            b't' | b'f' => "bool",
            _ => "number",
        };
        match self {
            TypeMetaError::Syntax(error) => write!(f, "{error}"),
            TypeMetaError::NoObject(first) => write!(
                f,
                "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                kind(first)
            ),
            TypeMetaError::NoString(first, name) => {
                write!(
                    f,
                    "json: cannot unmarshal {} into Go struct field .{name} of type string",
                    kind(first)
                )
            }
        }
    }
}

impl std::error::Error for TypeMetaError {}
