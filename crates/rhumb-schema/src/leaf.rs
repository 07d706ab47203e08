//! Leaves: types with their own encoding, such as quantities and timestamps.
//!
//! A leaf speaks for itself in JSON text and in protobuf; the codecs copy what it says. It is a message in protobuf
//! whatever its JSON looks like, as in Kubernetes.

use std::any::Any;
use std::fmt;

use crate::error::Problem;
use crate::text;
use crate::wire::{self, BackWriter};

/// A type with its own encoding.
pub trait Leaf: Any + Send + Sync {
    /// Returns the description of the leaf type.
    fn desc(&self) -> &'static LeafDesc;
    /// Reports whether it holds its zero value; `omitzero` fields leave it out then.
    fn is_zero(&self) -> bool;
    /// Reports whether the other is of the same type and equal.
    fn equals(&self, other: &dyn Leaf) -> bool;
    /// Appends its JSON form, compact and valid.
    fn write_json(&self, out: &mut Vec<u8>);
    /// Reads its JSON form: one whole, valid JSON value other than `null`.
    ///
    /// # Errors
    /// If the value is not of a form this leaf reads.
    fn read_json(&mut self, json: &[u8]) -> Result<(), LeafError>;
    /// Writes the body of its protobuf message, the last field first.
    fn write_proto(&self, out: &mut BackWriter);
    /// Reads the body of its protobuf message.
    ///
    /// # Errors
    /// If the body is malformed or holds what this leaf can't be.
    fn read_proto(&mut self, body: &[u8]) -> Result<(), LeafError>;
}

/// Reports whether another leaf is of the same type and equal: what [`Leaf::equals`] mostly is.
pub fn same<T: Leaf + PartialEq>(leaf: &T, other: &dyn Leaf) -> bool {
    (other as &dyn Any).downcast_ref::<T>() == Some(leaf)
}

/// Description of a leaf type.
#[derive(Debug)]
pub struct LeafDesc {
    /// Go's name of the type, as errors print it: `resource.Quantity`.
    pub go_type: &'static str,
    /// Name of its OpenAPI definition: `api.resource.Quantity`.
    pub model: &'static str,
    /// OpenAPI `type`; empty when any JSON may stand there.
    pub json_type: &'static str,
    /// OpenAPI `format`; empty for none.
    pub format: &'static str,
    /// OpenAPI 3 `oneOf`, where more than one type is read; empty for none.
    pub one_of: &'static [&'static str],
}

/// Error of decoding a leaf, in Kubernetes' words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeafError {
    /// The text can't be read, in these words.
    Text(String),
    /// Another JSON type stands there: what it is, and Go's name of what was wanted.
    Type(String, &'static str),
}

impl LeafError {
    /// Creates the error of a wrong wire type in a field of the leaf's message, given by its name in Go.
    #[cold]
    pub fn wire_type(payload: &wire::Payload<'_>, field: &str) -> Self {
        LeafError::Text(format!("proto: wrong wireType = {} for field {field}", payload.wire_type()))
    }
}

impl fmt::Display for LeafError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeafError::Text(text) => f.write_str(text),
            LeafError::Type(got, want) => {
                write!(f, "json: cannot unmarshal {got} into Go value of type {want}")
            }
        }
    }
}

impl From<LeafError> for Problem {
    fn from(error: LeafError) -> Self {
        match error {
            LeafError::Text(text) => Problem::Leaf(text),
            LeafError::Type(got, want) => Problem::LeafType(got, want),
        }
    }
}

impl std::error::Error for LeafError {}

impl From<wire::WireError> for LeafError {
    fn from(error: wire::WireError) -> Self {
        LeafError::Text(error.to_string())
    }
}

/// Raw JSON: `RawExtension`, the data of a `ControllerRevision`, `FieldsV1`.
///
/// Empty means absent, and prints as `null`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RawJson(pub Vec<u8>);

impl RawJson {
    /// Returns the JSON text, empty if there is none.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({} bytes)", self.0.len())
    }
}

static RAW: LeafDesc = LeafDesc {
    go_type: "runtime.RawExtension",
    model: "io.k8s.apimachinery.pkg.runtime.RawExtension",
    json_type: "object",
    format: "",
    one_of: &[],
};

impl Leaf for RawJson {
    fn desc(&self) -> &'static LeafDesc {
        &RAW
    }
    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }
    fn equals(&self, other: &dyn Leaf) -> bool {
        same(self, other)
    }
    fn write_json(&self, out: &mut Vec<u8>) {
        // Protobuf can carry bytes here that are no JSON; printing those as they are would break the document.
        let start = out.len();
        if text::compact(&self.0, out).is_err() {
            out.truncate(start);
            out.extend_from_slice(b"null");
        }
    }
    fn read_json(&mut self, json: &[u8]) -> Result<(), LeafError> {
        self.0.clear();
        self.0.extend_from_slice(json);
        Ok(())
    }
    fn write_proto(&self, out: &mut BackWriter) {
        if !self.0.is_empty() {
            out.bytes_field(1, &self.0);
        }
    }
    fn read_proto(&mut self, body: &[u8]) -> Result<(), LeafError> {
        for field in wire::fields(body) {
            match field? {
                (1, wire::Payload::Bytes(bytes)) => self.0 = bytes.to_vec(),
                (1, other) => return Err(LeafError::wire_type(&other, "Raw")),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Makes a leaf type a value: its views are the leaf itself.
#[macro_export]
macro_rules! leaf_value {
    ($type:ty, $desc:expr) => {
        impl $crate::Value for $type {
            fn view(&self) -> $crate::View<'_> {
                $crate::View::Leaf(self)
            }
            fn view_mut(&mut self) -> $crate::ViewMut<'_> {
                $crate::ViewMut::Leaf(self)
            }
            fn reset(&mut self) {
                *self = Default::default();
            }
            fn send(&self, slot: $crate::Slot, sink: &mut $crate::text::JsonWriter) {
                sink.leaf(slot, self);
            }
            fn receive(&mut self, source: &mut dyn $crate::Source) -> $crate::Received {
                source.leaf(self)
            }
            fn write_wire(&self, slot: $crate::Slot, out: &mut $crate::wire::BackWriter) {
                out.leaf_field(slot.number, self);
            }
            fn read_wire(
                &mut self,
                slot: $crate::Slot,
                tag: $crate::wire::Tag,
                reader: &mut $crate::wire::Reader<'_>,
            ) -> $crate::Received {
                reader.leaf(slot, tag, self)
            }
        }
        impl $crate::Described for $type {
            const SHAPE: $crate::Shape = $crate::Shape::Leaf(&$desc);
        }
    };
}

leaf_value!(RawJson, RAW);
