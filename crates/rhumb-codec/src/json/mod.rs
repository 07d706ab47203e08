//! JSON, as Kubernetes reads and writes it.
//!
//! The encoder is [`rhumb_schema::text::encode`]; here are the decoder and the finding of an object's kind.

mod decode;

use rhumb_schema::text::{Scanner, SyntaxError};

pub use decode::{decode_into, decode_tree};
pub use rhumb_schema::text::{encode, indent};

/// The `apiVersion` and `kind` that stand at the top of an object; empty where they are missing. Reads no further
/// than it must.
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

/// Why an object's kind could not be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeMetaError {
    /// The text is malformed.
    Syntax(SyntaxError),
    /// Something else than an object stands there; its first byte.
    NoObject(u8),
    /// One of the two is no string: its first byte and name.
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
                write!(f, "json: cannot unmarshal {} into Go struct field .{name} of type string", kind(first))
            }
        }
    }
}

impl std::error::Error for TypeMetaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TypeMetaError::Syntax(error) => Some(error),
            _ => None,
        }
    }
}
