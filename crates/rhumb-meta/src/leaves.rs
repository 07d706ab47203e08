//! JSON and protobuf encodings of quantities, times and similar values.

use std::borrow::Cow;

use rhumb_schema::text;
use rhumb_schema::wire::{self, BackWriter, Payload};
use rhumb_schema::{Leaf, LeafDesc, LeafError, RawJson, leaf_value, same};

use crate::{Duration, IntOrString, MicroTime, Quantity, Time};

/// Returns the JSON type of a text in Go's words.
fn json_kind(json: &[u8]) -> &'static str {
    match json.first() {
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b't' | b'f') => "bool",
        Some(b'"') => "string",
        _ => "number",
    }
}

fn string(json: &[u8]) -> Result<Cow<'_, str>, LeafError> {
    text::unquote(json).ok_or_else(|| LeafError::Type(json_kind(json).to_owned(), "string"))
}

static QUANTITY: LeafDesc = LeafDesc {
    go_type: "resource.Quantity",
    model: "io.k8s.apimachinery.pkg.api.resource.Quantity",
    json_type: "string",
    format: "",
    one_of: &["string", "number"],
};

impl Leaf for Quantity {
    fn desc(&self) -> &'static LeafDesc {
        &QUANTITY
    }
    fn is_zero(&self) -> bool {
        Quantity::is_zero(self)
    }
    fn equals(&self, other: &dyn Leaf) -> bool {
        same(self, other)
    }
    fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        self.write_to(out);
        out.push(b'"');
    }
    fn read_json(&mut self, json: &[u8]) -> Result<(), LeafError> {
        *self = Quantity::from_json_bytes(json).map_err(|error| LeafError::Text(error.to_string()))?;
        Ok(())
    }
    fn write_proto(&self, out: &mut BackWriter) {
        out.made_field(1, |text| self.write_to(text));
    }
    fn read_proto(&mut self, body: &[u8]) -> Result<(), LeafError> {
        for field in wire::fields(body) {
            match field? {
                (1, Payload::Bytes(bytes)) => {
                    let text = text::utf8(bytes).unwrap_or("\u{fffd}");
                    let parsed = text.parse();
                    *self = parsed
                        .map_err(|error: crate::ParseQuantityError| LeafError::Text(error.to_string()))?;
                }
                (1, other) => return Err(LeafError::wire_type(&other, "String_")),
                _ => {}
            }
        }
        Ok(())
    }
}

leaf_value!(Quantity, QUANTITY);

static INT_OR_STRING: LeafDesc = LeafDesc {
    go_type: "intstr.IntOrString",
    model: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    json_type: "string",
    format: "int-or-string",
    one_of: &["integer", "string"],
};

impl Leaf for IntOrString {
    fn desc(&self) -> &'static LeafDesc {
        &INT_OR_STRING
    }
    fn is_zero(&self) -> bool {
        *self == IntOrString::default()
    }
    fn equals(&self, other: &dyn Leaf) -> bool {
        same(self, other)
    }
    fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            IntOrString::Int(value) => text::write_i64(i64::from(*value), out),
            IntOrString::String(value) => text::write_str(value, out),
        }
    }
    fn read_json(&mut self, json: &[u8]) -> Result<(), LeafError> {
        if let Some(value) = text::unquote(json) {
            *self = IntOrString::String(value.into_owned());
            return Ok(());
        }
        let number = std::str::from_utf8(json).unwrap_or_default();
        let value = number.parse::<i32>().map_err(|_| {
            let kind = json_kind(json);
            LeafError::Type(
                if kind == "number" { format!("number {number}") } else { kind.to_owned() },
                "int32",
            )
        })?;
        *self = IntOrString::Int(value);
        Ok(())
    }
    fn write_proto(&self, out: &mut BackWriter) {
        let (kind, int, string) = match self {
            IntOrString::Int(value) => (0, *value, ""),
            IntOrString::String(value) => (1, 0, value.as_str()),
        };
        out.bytes_field(3, string.as_bytes());
        out.varint_field(2, i64::from(int) as u64);
        out.varint_field(1, kind);
    }
    fn read_proto(&mut self, body: &[u8]) -> Result<(), LeafError> {
        let (mut kind, mut int, mut string) = (0, 0, String::new());
        for field in wire::fields(body) {
            match field? {
                (1, Payload::Varint(value)) => kind = value,
                (2, Payload::Varint(value)) => int = value as i32,
                (3, Payload::Bytes(bytes)) => {
                    string = text::utf8(bytes)
                        .map_or_else(|| String::from_utf8_lossy(bytes).into_owned(), str::to_owned)
                }
                (1, other) => return Err(LeafError::wire_type(&other, "Type")),
                (2, other) => return Err(LeafError::wire_type(&other, "IntVal")),
                (3, other) => return Err(LeafError::wire_type(&other, "StrVal")),
                _ => {}
            }
        }
        *self = if kind == 0 { IntOrString::Int(int) } else { IntOrString::String(string) };
        Ok(())
    }
}

leaf_value!(IntOrString, INT_OR_STRING);

/// `Time` and `MicroTime` differ in their texts only: both are a protobuf `Timestamp`.
macro_rules! time_leaf {
    ($type:ty, $desc:ident, $go:literal, $model:literal) => {
        static $desc: LeafDesc =
            LeafDesc { go_type: $go, model: $model, json_type: "string", format: "date-time", one_of: &[] };

        impl Leaf for $type {
            fn desc(&self) -> &'static LeafDesc {
                &$desc
            }
            fn is_zero(&self) -> bool {
                <$type>::is_zero(self)
            }
            fn equals(&self, other: &dyn Leaf) -> bool {
                same(self, other)
            }
            fn write_json(&self, out: &mut Vec<u8>) {
                if self.is_zero() {
                    out.extend_from_slice(b"null");
                    return;
                }
                out.push(b'"');
                self.write_rfc3339(out);
                out.push(b'"');
            }
            fn read_json(&mut self, json: &[u8]) -> Result<(), LeafError> {
                let parsed = string(json)?.parse::<$type>();
                *self = parsed.map_err(|error| LeafError::Text(error.to_string()))?;
                Ok(())
            }
            fn write_proto(&self, out: &mut BackWriter) {
                if !self.is_zero() {
                    let (seconds, nanos) = self.to_timestamp();
                    out.varint_field(2, i64::from(nanos) as u64);
                    out.varint_field(1, seconds as u64);
                }
            }
            fn read_proto(&mut self, body: &[u8]) -> Result<(), LeafError> {
                *self = Self::default();
                if body.is_empty() {
                    return Ok(());
                }
                let (mut seconds, mut nanos) = (0i64, 0i32);
                for field in wire::fields(body) {
                    match field? {
                        (1, Payload::Varint(value)) => seconds = value as i64,
                        (2, Payload::Varint(value)) => nanos = value as i32,
                        (1, other) => return Err(LeafError::wire_type(&other, "Seconds")),
                        (2, other) => return Err(LeafError::wire_type(&other, "Nanos")),
                        _ => {}
                    }
                }
                *self = Self::from_timestamp(seconds, nanos);
                Ok(())
            }
        }

        leaf_value!($type, $desc);
    };
}

time_leaf!(Time, TIME, "v1.Time", "io.k8s.apimachinery.pkg.apis.meta.v1.Time");
time_leaf!(MicroTime, MICRO_TIME, "v1.MicroTime", "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime");

static DURATION: LeafDesc = LeafDesc {
    go_type: "v1.Duration",
    model: "io.k8s.apimachinery.pkg.apis.meta.v1.Duration",
    json_type: "string",
    format: "",
    one_of: &[],
};

impl Leaf for Duration {
    fn desc(&self) -> &'static LeafDesc {
        &DURATION
    }
    fn is_zero(&self) -> bool {
        self.0 == 0
    }
    fn equals(&self, other: &dyn Leaf) -> bool {
        same(self, other)
    }
    fn write_json(&self, out: &mut Vec<u8>) {
        text::write_str(&self.to_string(), out);
    }
    fn read_json(&mut self, json: &[u8]) -> Result<(), LeafError> {
        let parsed = string(json)?.parse();
        *self = parsed.map_err(|error: crate::ParseDurationError| LeafError::Text(error.to_string()))?;
        Ok(())
    }
    fn write_proto(&self, out: &mut BackWriter) {
        out.varint_field(1, self.0 as u64);
    }
    fn read_proto(&mut self, body: &[u8]) -> Result<(), LeafError> {
        for field in wire::fields(body) {
            match field? {
                (1, Payload::Varint(value)) => self.0 = value as i64,
                (1, other) => return Err(LeafError::wire_type(&other, "Duration")),
                _ => {}
            }
        }
        Ok(())
    }
}

leaf_value!(Duration, DURATION);

/// Field set of a manager, kept as raw JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldsV1(pub RawJson);

static FIELDS_V1: LeafDesc = LeafDesc {
    go_type: "v1.FieldsV1",
    model: "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1",
    json_type: "object",
    format: "",
    one_of: &[],
};

impl Leaf for FieldsV1 {
    fn desc(&self) -> &'static LeafDesc {
        &FIELDS_V1
    }
    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
    fn equals(&self, other: &dyn Leaf) -> bool {
        same(self, other)
    }
    fn write_json(&self, out: &mut Vec<u8>) {
        self.0.write_json(out);
    }
    fn read_json(&mut self, json: &[u8]) -> Result<(), LeafError> {
        self.0.read_json(json)
    }
    fn write_proto(&self, out: &mut BackWriter) {
        self.0.write_proto(out);
    }
    fn read_proto(&mut self, body: &[u8]) -> Result<(), LeafError> {
        self.0.read_proto(body)
    }
}

leaf_value!(FieldsV1, FIELDS_V1);
