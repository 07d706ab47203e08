//! Protobuf as Kubernetes encodes it: fields in ascending order, required fields always present, and an envelope with
//! the object's kind.

use std::fmt;

use rhumb_meta::Object;
use rhumb_schema::text::utf8;
use rhumb_schema::wire::{self, BackWriter, Payload, Reader, WireError};
use rhumb_schema::{DecodeError, LeafError, Problem, Value, View, ViewMut};

/// Prefix of all protobuf objects.
pub const MAGIC: &[u8; 4] = b"k8s\0";

/// Error of protobuf encoding or decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtoError {
    /// Empty input.
    NoData,
    /// The bytes don't begin with the magic ones.
    NoMagic,
    /// Nothing follows the prefix.
    NoBody,
    /// The bytes are no protobuf.
    Wire(WireError),
    /// A value of its own form could not be read.
    Leaf(String),
    /// The type has no protobuf form; its name in Go.
    Unsupported(String),
    /// The object takes too much memory for its size on the wire.
    Budget,
}

impl fmt::Display for ProtoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProtoError::NoData => f.write_str("empty data"),
            ProtoError::NoBody => f.write_str("empty body"),
            ProtoError::NoMagic => f.write_str(
                "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
            ),
            ProtoError::Wire(error) => write!(f, "{error}"),
            ProtoError::Leaf(text) => f.write_str(text),
            ProtoError::Unsupported(name) => write!(
                f,
                "object *{name} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message"
            ),
            ProtoError::Budget => {
                f.write_str("the object would take too much memory for its size; split it up")
            }
        }
    }
}

impl std::error::Error for ProtoError {}

impl From<Problem> for ProtoError {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Wire(error) => ProtoError::Wire(error),
            Problem::Budget => ProtoError::Budget,
            other => ProtoError::Leaf(DecodeError::from(other).to_string()),
        }
    }
}

impl From<WireError> for ProtoError {
    fn from(error: WireError) -> Self {
        ProtoError::Wire(error)
    }
}

/// Envelope of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// The object's version.
    pub api_version: &'a str,
    /// The object's kind.
    pub kind: &'a str,
    /// The object's message.
    pub raw: &'a [u8],
    /// Encoding of the message; empty for none.
    pub content_encoding: &'a str,
    /// Media type of the message; empty for protobuf.
    pub content_type: &'a str,
}

/// Decodes the envelope of an object.
///
/// # Errors
/// If there is none.
pub fn open(data: &[u8]) -> Result<Envelope<'_>, ProtoError> {
    if data.is_empty() {
        return Err(ProtoError::NoData);
    }
    let unknown = data.strip_prefix(MAGIC).ok_or(ProtoError::NoMagic)?;
    if unknown.is_empty() {
        return Err(ProtoError::NoBody);
    }
    let mut envelope = Envelope::default();
    let named = |name: &'static str| move |error: WireError| ProtoError::Leaf(error.in_message(name));
    for field in wire::fields(unknown) {
        match field.map_err(named("Unknown"))? {
            (1, payload) => {
                for field in wire::fields(delimited(payload, "TypeMeta")?) {
                    match field.map_err(named("TypeMeta"))? {
                        (1, payload) => envelope.api_version = text(delimited(payload, "APIVersion")?)?,
                        (2, payload) => envelope.kind = text(delimited(payload, "Kind")?)?,
                        _ => {}
                    }
                }
            }
            (2, payload) => envelope.raw = delimited(payload, "Raw")?,
            (3, payload) => envelope.content_encoding = text(delimited(payload, "ContentEncoding")?)?,
            (4, payload) => envelope.content_type = text(delimited(payload, "ContentType")?)?,
            _ => {}
        }
    }
    Ok(envelope)
}

fn delimited<'a>(payload: Payload<'a>, field: &str) -> Result<&'a [u8], ProtoError> {
    match payload {
        Payload::Bytes(bytes) => Ok(bytes),
        other => Err(ProtoError::Leaf(LeafError::wire_type(&other, field).to_string())),
    }
}

fn text(bytes: &[u8]) -> Result<&str, ProtoError> {
    utf8(bytes).ok_or_else(|| ProtoError::Leaf("the envelope's texts are not UTF-8".into()))
}

#[cold]
fn unsupported(value: &dyn Value) -> ProtoError {
    ProtoError::Unsupported(match value.view() {
        View::Struct(value) => format!("{}.{}", value.desc().version(), value.desc().name),
        _ => "unstructured.Unstructured".to_owned(),
    })
}

/// Decodes a message into a value. Unknown fields are ignored.
///
/// # Errors
/// If the body is malformed.
pub fn decode_into(body: &[u8], value: &mut dyn Value) -> Result<(), ProtoError> {
    match value.view_mut() {
        ViewMut::Struct(into) if into.desc().has_numbers() => {
            Reader::new(body).root(into).map_err(|error| ProtoError::from(error.problem))
        }
        _ => Err(unsupported(value)),
    }
}

/// Initial buffer size. Most objects are a few kilobytes.
const FIRST_BUFFER: usize = 4096;
const LARGEST_FIRST_BUFFER: usize = 1 << 16;

/// Appends an object with its envelope.
///
/// # Errors
/// If the object's type has no protobuf form.
pub fn encode(object: &dyn Object, out: &mut Vec<u8>) -> Result<(), ProtoError> {
    let (api_version, kind) = object.type_meta();
    let mut writer = writer_for(out);
    writer.bytes_field(4, b"");
    writer.bytes_field(3, b"");
    let before = writer.len();
    writer.root(object);
    writer.delimit(2, before);
    let before = writer.len();
    writer.bytes_field(2, kind.as_bytes());
    writer.bytes_field(1, api_version.as_bytes());
    writer.delimit(1, before);
    writer.bytes_raw(MAGIC);
    finish(&writer, object, out)
}

/// Appends a value's message without an envelope.
///
/// # Errors
/// If the value is no described struct.
pub fn encode_bare(value: &dyn Value, out: &mut Vec<u8>) -> Result<(), ProtoError> {
    let mut writer = writer_for(out);
    writer.root(value);
    finish(&writer, value, out)
}

/// Returns a writer of something that is to be appended: whoever has made room there knows how long it will be.
fn writer_for(out: &Vec<u8>) -> BackWriter {
    BackWriter::with_capacity((out.capacity() - out.len()).clamp(FIRST_BUFFER, LARGEST_FIRST_BUFFER))
}

fn finish(writer: &BackWriter, value: &dyn Value, out: &mut Vec<u8>) -> Result<(), ProtoError> {
    if writer.is_unsupported() {
        return Err(unsupported(value));
    }
    writer.copy_to(out);
    Ok(())
}
