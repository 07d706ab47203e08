//! JSON encoding of field sets, `fieldsV1`.
//!
//! A path's step is a key that starts with its kind (`f:`, `k:`, `v:`, `i:`), a member without anything below
//! is an empty object, and a member with something below has the key `.` first. Steps of a kind that is not
//! known are passed over, because a newer server may have written them.

use std::fmt;

use rhumb_schema::text::{Scanner, SyntaxError, is_plain, parse_tree, write_f64, write_i64};
use rhumb_schema::{MAX_DEPTH, budget};

use super::element::{PathElement, Scalar};
use super::name::Name;
use super::set::{FieldSet, Node};

/// Error of decoding a field set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldsError {
    /// Invalid JSON.
    Syntax(SyntaxError),
    /// A key is no step of a path.
    Element(String),
    /// Too deeply nested.
    Depth,
}

impl fmt::Display for FieldsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldsError::Syntax(error) => write!(f, "{error}"),
            FieldsError::Element(key) => write!(f, "parsing key as path element: {key}"),
            FieldsError::Depth => f.write_str("exceeded max depth"),
        }
    }
}

impl std::error::Error for FieldsError {}

impl From<SyntaxError> for FieldsError {
    fn from(error: SyntaxError) -> Self {
        FieldsError::Syntax(error)
    }
}

impl FieldSet {
    /// Reads a set. Nothing, and `null`, are the empty set.
    ///
    /// # Errors
    /// If it is no JSON object of steps.
    pub fn from_json(json: &[u8]) -> Result<Self, FieldsError> {
        if json.is_empty() {
            return Ok(FieldSet::new());
        }
        let mut scanner = Scanner::whole(json);
        let (set, _) = read(&mut scanner, 0)?;
        scanner.end()?;
        Ok(set)
    }

    /// Appends the set's JSON form.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        self.write_nodes(false, &mut Vec::new(), out);
        out.push(b'}');
    }

    /// Returns the set's JSON form.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        self.write_json(&mut out);
        out
    }

    pub(super) fn write_nodes(&self, with_self: bool, key: &mut Vec<u8>, out: &mut Vec<u8>) {
        if with_self {
            out.extend_from_slice(b"\".\":{}");
        }
        for (position, node) in self.nodes.iter().enumerate() {
            if with_self || position > 0 {
                out.push(b',');
            }
            out.push(b'"');
            match &node.element {
                PathElement::Field(name) => {
                    out.extend_from_slice(b"f:");
                    escape(name.as_bytes(), Html::Plain, out);
                }
                other => {
                    key.clear();
                    write_element(other, key);
                    escape(key, Html::Plain, out);
                }
            }
            out.extend_from_slice(b"\":{");
            node.below.write_nodes(node.member && !node.below.is_empty(), key, out);
            out.push(b'}');
        }
    }
}

/// Reads the set below a path, and whether the path itself is a member.
fn read(scanner: &mut Scanner<'_>, depth: usize) -> Result<(FieldSet, bool), FieldsError> {
    if depth > MAX_DEPTH {
        return Err(FieldsError::Depth);
    }
    let mut nodes = Vec::new();
    let mut member = false;
    match scanner.peek() {
        Some(b'{') => scanner.bump(),
        Some(b'n') => {
            scanner.literal()?;
            return Ok((FieldSet::new(), true));
        }
        _ => return Err(scanner.error("looking for beginning of object").into()),
    }
    let mut first = true;
    while scanner.next_entry(first)? {
        first = false;
        if budget::is_stopped() {
            break;
        }
        let key = scanner.key()?;
        if key == "." {
            member = true;
            scanner.skip()?;
            continue;
        }
        match element(&key)? {
            None => drop(scanner.skip()?),
            Some(element) => {
                let (below, member) = read(scanner, depth + 1)?;
                nodes.push(Node { element, member, below });
            }
        }
    }
    let set = FieldSet::of_nodes(nodes);
    member |= set.is_empty();
    Ok((set, member))
}

/// Returns the step that a key stands for; `None` if its kind is not known.
fn element(key: &str) -> Result<Option<PathElement>, FieldsError> {
    let fail = || FieldsError::Element(key.to_owned());
    let (kind, rest) = key.split_once(':').filter(|(kind, _)| kind.len() == 1).ok_or_else(fail)?;
    Ok(Some(match kind {
        "f" => PathElement::Field(rest.into()),
        "v" => {
            let value = parse_tree(rest.as_bytes()).map_err(|_| fail())?;
            PathElement::Value(Scalar::as_stored(&value))
        }
        "k" => {
            let mut fields = key_fields(rest).map_err(|_| fail())?;
            fields.sort_by(|(a, _), (b, _)| a.cmp(b));
            PathElement::Key(fields.into())
        }
        "i" => PathElement::Index(rest.parse().map_err(|_| fail())?),
        _ => return Ok(None),
    }))
}

/// Returns the names and values in a key.
fn key_fields(json: &str) -> Result<Vec<(Name, Scalar)>, SyntaxError> {
    let mut scanner = Scanner::whole(json.as_bytes());
    let mut fields = Vec::with_capacity(2);
    if scanner.peek() != Some(b'{') {
        return Err(scanner.error("looking for beginning of object"));
    }
    scanner.bump();
    while scanner.next_entry(fields.is_empty())? {
        let name = Name::from(scanner.key()?.as_ref());
        let value = match scanner.peek() {
            Some(b'"') => Scalar::Str(scanner.string()?.as_ref().into()),
            _ => Scalar::as_stored(&parse_tree(scanner.skip()?)?),
        };
        fields.push((name, value));
    }
    scanner.end()?;
    Ok(fields)
}

fn write_element(element: &PathElement, out: &mut Vec<u8>) {
    match element {
        PathElement::Field(name) => {
            out.extend_from_slice(b"f:");
            out.extend_from_slice(name.as_bytes());
        }
        PathElement::Key(fields) => {
            out.extend_from_slice(b"k:{");
            for (position, (name, value)) in fields.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                out.push(b'"');
                escape(name.as_bytes(), Html::Plain, out);
                out.extend_from_slice(b"\":");
                write_scalar(value, out);
            }
            out.push(b'}');
        }
        PathElement::Value(value) => {
            out.extend_from_slice(b"v:");
            write_scalar(value, out);
        }
        PathElement::Index(index) => {
            out.extend_from_slice(b"i:");
            write_i64(*index, out);
        }
    }
}

fn write_scalar(value: &Scalar, out: &mut Vec<u8>) {
    match value {
        Scalar::Null => out.extend_from_slice(b"null"),
        Scalar::Bool(true) => out.extend_from_slice(b"true"),
        Scalar::Bool(false) => out.extend_from_slice(b"false"),
        Scalar::Int(value) => write_i64(*value, out),
        Scalar::Float(value) => write_f64(*value, out),
        Scalar::Str(text) => write_quoted(text, out),
        Scalar::Tree(tree) => rhumb_schema::text::encode(tree.value(), out),
    }
}

pub(super) fn write_quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    escape(text.as_bytes(), Html::Escaped, out);
    out.push(b'"');
}

/// Whether HTML characters are escaped. Kubernetes escapes them in values but not in keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Html {
    Escaped,
    Plain,
}

pub(super) fn escape(text: &[u8], html: Html, out: &mut Vec<u8>) {
    if is_plain(text) {
        out.extend_from_slice(text);
        return;
    }
    let mut plain = 0;
    for (at, byte) in text.iter().enumerate() {
        let (escape, length): (&[u8], usize) = match byte {
            b'"' => (b"\\\"", 1),
            b'\\' => (b"\\\\", 1),
            b'\n' => (b"\\n", 1),
            b'\r' => (b"\\r", 1),
            b'\t' => (b"\\t", 1),
            0..0x20 => (b"", 1),
            b'<' | b'>' | b'&' if html == Html::Escaped => (b"", 1),
            0xe2 if html == Html::Escaped => match text.get(at..at + 3) {
                Some([_, 0x80, 0xa8]) => (b"\\u2028", 3),
                Some([_, 0x80, 0xa9]) => (b"\\u2029", 3),
                _ => continue,
            },
            _ => continue,
        };
        out.extend_from_slice(text.get(plain..at).unwrap_or_default());
        if escape.is_empty() {
            out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
        } else {
            out.extend_from_slice(escape);
        }
        plain = at + length;
    }
    out.extend_from_slice(text.get(plain..).unwrap_or_default());
}
