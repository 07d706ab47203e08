//! Serializers: one format each, without conversion or defaulting.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use rhumb_meta::{GroupVersionKind, Object};
use rhumb_schema::text::quoted;
use rhumb_schema::{DecodeError, Problem, View, to_tree};
use rhumb_scheme::{ConvertError, NotRegistered, ObjectCreater};

use crate::format::Format;
use crate::json::{RawKeys, Reading, TypeMetaError, Unfit};
use crate::proto::ProtoError;
use crate::query::ValueError;
use crate::strict::{Notes, StrictError, Strictness};
use crate::yaml::{DuplicateKeys, ReadOptions, YamlError};
use crate::{json, proto, yaml};

/// Error of encoding or decoding.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CodecError {
    /// The object doesn't say its kind; what was read.
    MissingKind(String),
    /// The object doesn't say its version; what was read.
    MissingVersion(String),
    /// The text broke before the kind was found, or the object is none.
    TypeMeta(TypeMetaError),
    /// The version has more than two parts; what it is.
    BadVersion(String),
    /// The kind is not registered.
    NotRegistered(NotRegistered),
    /// The object doesn't fit its type.
    Decode(DecodeError),
    /// The YAML is malformed.
    Yaml(YamlError),
    /// The protobuf is malformed, or the object has none.
    Proto(ProtoError),
    /// Unknown or duplicate fields.
    Strict(StrictError),
    /// The object could not be converted.
    Convert(ConvertError),
    /// A query parameter has a value that its field can't take.
    Parameter(ValueError),
    /// Error of an added format.
    Format(Arc<dyn Error + Send + Sync>),
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodecError::MissingKind(body) => write!(f, "Object 'Kind' is missing in '{body}'"),
            CodecError::MissingVersion(body) => write!(f, "Object 'apiVersion' is missing in '{body}'"),
            CodecError::TypeMeta(error) => write!(f, "couldn't get version/kind; json parse error: {error}"),
            CodecError::NotRegistered(error) => write!(f, "{error}"),
            CodecError::BadVersion(version) => write!(f, "unexpected GroupVersion string: {version}"),
            CodecError::Decode(error) => write!(f, "{error}"),
            CodecError::Yaml(error) => write!(f, "{error}"),
            CodecError::Proto(error) => write!(f, "{error}"),
            CodecError::Strict(error) => write!(f, "{error}"),
            CodecError::Convert(error) => write!(f, "{error}"),
            CodecError::Parameter(error) => write!(f, "{error}"),
            CodecError::Format(error) => write!(f, "{error}"),
        }
    }
}

// Its text is the text of what it wraps, which is why that is not its source as well.
impl Error for CodecError {}

/// A decoded object.
#[derive(Debug)]
pub struct Decoded {
    /// The object.
    pub object: Box<dyn Object>,
    /// The kind it was read as.
    pub gvk: GroupVersionKind,
    /// Unknown and duplicate fields, if they were to be told.
    pub warnings: Vec<String>,
}

/// A format: encodes and decodes objects without conversion or defaulting. Implement it to add a format with
/// [`Codecs::with_serializer`](crate::Codecs::with_serializer).
pub trait Serializer: Send + Sync {
    /// Returns the media type of the format, without parameters.
    fn media_type(&self) -> &str;

    /// Reports whether bytes look like this format.
    fn recognizes(&self, data: &[u8]) -> bool;

    /// Appends an object.
    ///
    /// # Errors
    /// If the object has no form in this format.
    fn encode(&self, object: &dyn Object, out: &mut Vec<u8>) -> Result<(), CodecError>;

    /// Reads an object. What it doesn't say of its kind is taken from the default.
    ///
    /// # Errors
    /// If the bytes are malformed, or no object of a kind that the creater knows.
    fn decode(
        &self,
        data: &[u8],
        default: Option<&GroupVersionKind>,
        creater: &dyn ObjectCreater,
    ) -> Result<Decoded, CodecError>;
}

/// JSON, optionally indented by two spaces.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonSerializer {
    /// Whether to write a line for each field.
    pub pretty: bool,
    /// Handling of unknown and duplicate fields.
    pub strictness: Strictness,
}

/// YAML, decoded through JSON as in Kubernetes.
#[derive(Clone, Copy, Debug, Default)]
pub struct YamlSerializer {
    /// Handling of unknown and duplicate fields.
    pub strictness: Strictness,
}

/// Protobuf with its envelope.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProtobufSerializer;

/// Completes an object's kind from a default.
fn complete(
    api_version: &str,
    kind: &str,
    default: Option<&GroupVersionKind>,
    body: impl Fn() -> String,
) -> Result<GroupVersionKind, CodecError> {
    if api_version.bytes().filter(|byte| *byte == b'/').count() > 1 {
        return Err(CodecError::BadVersion(api_version.to_owned()));
    }
    let mut gvk = GroupVersionKind::from_api_version_and_kind(api_version, kind);
    if let Some(default) = default {
        if gvk.kind.is_empty() {
            gvk.kind = default.kind.clone();
        }
        if gvk.version.is_empty() && gvk.group.is_empty() {
            gvk.group = default.group.clone();
            gvk.version = default.version.clone();
        }
        if gvk.version.is_empty() && gvk.group == default.group {
            gvk.version = default.version.clone();
        }
    }
    if gvk.kind.is_empty() {
        return Err(CodecError::MissingKind(body()));
    }
    if gvk.version.is_empty() {
        return Err(CodecError::MissingVersion(body()));
    }
    Ok(gvk)
}

type Read = (Box<dyn Object>, GroupVersionKind, Notes);

/// Input of decoding: the text, the default kind, and the creator of objects.
struct Origin<'a> {
    /// The text as JSON.
    json: &'a [u8],
    /// The text as it was sent, which errors show.
    sent: &'a [u8],
    default: Option<&'a GroupVersionKind>,
    creater: &'a dyn ObjectCreater,
    reading: Reading,
}

impl Origin<'_> {
    /// Reads the object in one pass over the text where all is as it should be, and carefully where it is not.
    fn read(&self) -> Result<Read, CodecError> {
        if let Ok((api_version, kind)) = json::type_meta(self.json)
            && let Ok((mut object, gvk, notes)) = self.read_as(&api_version, &kind, self.reading)
            && !notes.has_kind_in_other_case()
            && object.type_meta() == (&api_version, &kind)
        {
            object.set_gvk(&gvk);
            return Ok((object, gvk, notes));
        }
        self.read_carefully()
    }

    fn read_as(&self, api_version: &str, kind: &str, reading: Reading) -> Result<Read, CodecError> {
        let body = || String::from_utf8_lossy(self.sent).into_owned();
        let gvk = complete(api_version, kind, self.default, body)?;
        let mut object = self.creater.new_object(&gvk).map_err(CodecError::NotRegistered)?;
        let notes = json::decode_with(self.json, &mut *object, &reading).map_err(CodecError::Decode)?;
        Ok((object, gvk, notes))
    }

    /// Reads the object in the steps that Kubernetes takes, so that of several errors the same one is told: the whole
    /// text is read for the kind alone first, and a value that its own type can't read goes before those that are of
    /// another type than their field, even if it stands behind them.
    #[cold]
    fn read_carefully(&self) -> Result<Read, CodecError> {
        let (api_version, kind) = json::whole_type_meta(self.json).map_err(CodecError::TypeMeta)?;
        let (mut object, gvk, notes) = match self.read_as(&api_version, &kind, self.reading) {
            Err(CodecError::Decode(first))
                if matches!(first.problem, Problem::Type(..) | Problem::Base64(_)) =>
            {
                let passing = Reading { unfit: Unfit::Skipped, ..self.reading };
                return Err(match self.read_as(&api_version, &kind, passing) {
                    Err(graver) => graver,
                    Ok(_) => CodecError::Decode(first),
                });
            }
            other => other?,
        };
        object.set_gvk(&gvk);
        Ok((object, gvk, notes))
    }
}

fn finish((object, gvk, notes): Read, strictness: Strictness) -> Result<Decoded, CodecError> {
    let found = notes.into_found();
    if strictness == Strictness::Strict && !found.is_empty() {
        return Err(CodecError::Strict(StrictError(found)));
    }
    Ok(Decoded { object, gvk, warnings: found })
}

impl Serializer for JsonSerializer {
    fn media_type(&self) -> &str {
        Format::Json.media_type()
    }

    fn recognizes(&self, data: &[u8]) -> bool {
        Format::recognize(data) == Format::Json
    }

    fn encode(&self, object: &dyn Object, out: &mut Vec<u8>) -> Result<(), CodecError> {
        if self.pretty {
            let mut compact = Vec::new();
            json::encode(object, &mut compact);
            json::indent(&compact, out);
        } else {
            json::encode(object, out);
        }
        // Go's encoder ends every object with a line end.
        out.push(b'\n');
        Ok(())
    }

    fn decode(
        &self,
        data: &[u8],
        default: Option<&GroupVersionKind>,
        creater: &dyn ObjectCreater,
    ) -> Result<Decoded, CodecError> {
        let reading = Reading { strictness: self.strictness, ..Reading::default() };
        finish(Origin { json: data, sent: data, default, creater, reading }.read()?, self.strictness)
    }
}

impl Serializer for YamlSerializer {
    fn media_type(&self) -> &str {
        Format::Yaml.media_type()
    }

    fn recognizes(&self, data: &[u8]) -> bool {
        Format::recognize(data) == Format::Yaml
    }

    fn encode(&self, object: &dyn Object, out: &mut Vec<u8>) -> Result<(), CodecError> {
        match object.view() {
            View::Json(tree) => yaml::from_json_value(tree, out),
            _ => yaml::from_json_value(&to_tree(object), out),
        }
        Ok(())
    }

    fn decode(
        &self,
        data: &[u8],
        default: Option<&GroupVersionKind>,
        creater: &dyn ObjectCreater,
    ) -> Result<Decoded, CodecError> {
        let strict = self.strictness != Strictness::Ignore;
        let duplicates = if strict { DuplicateKeys::Report } else { DuplicateKeys::Ignore };
        let mut json = Vec::with_capacity(data.len());
        let report = yaml::to_json(
            data,
            &ReadOptions { duplicate_keys: duplicates, ..ReadOptions::default() },
            &mut json,
        )
        .map_err(CodecError::Yaml)?;
        let reading =
            Reading { strictness: self.strictness, raw_keys: RawKeys::Sorted, ..Reading::default() };
        let mut read = Origin { json: &json, sent: data, default, creater, reading }.read();
        // Kubernetes sorts the keys on the way from YAML to JSON. Which error comes first and the order of complaints
        // depend on that, nothing else does.
        let is_clean = read.as_ref().is_ok_and(|(_, _, notes)| notes.found().is_empty());
        if !is_clean {
            let mut sorted = Vec::with_capacity(json.len());
            if json::sort_keys(&json, &mut sorted).is_ok() {
                read = Origin { json: &sorted, sent: data, default, creater, reading }.read();
            }
        }
        let mut read = read?;
        if strict && let Some(error) = report.strict_error() {
            read.2.note_first(error.to_string());
        }
        finish(read, self.strictness)
    }
}

impl Serializer for ProtobufSerializer {
    fn media_type(&self) -> &str {
        Format::Protobuf.media_type()
    }

    fn recognizes(&self, data: &[u8]) -> bool {
        Format::recognize(data) == Format::Protobuf
    }

    fn encode(&self, object: &dyn Object, out: &mut Vec<u8>) -> Result<(), CodecError> {
        proto::encode(object, out).map_err(CodecError::Proto)
    }

    fn decode(
        &self,
        data: &[u8],
        default: Option<&GroupVersionKind>,
        creater: &dyn ObjectCreater,
    ) -> Result<Decoded, CodecError> {
        let envelope = proto::open(data).map_err(CodecError::Proto)?;
        let body = || {
            format!(
                "runtime.TypeMeta{{APIVersion:{}, Kind:{}}}",
                quoted(envelope.api_version),
                quoted(envelope.kind)
            )
        };
        let gvk = complete(envelope.api_version, envelope.kind, default, body)?;
        let mut object = creater.new_object(&gvk).map_err(CodecError::NotRegistered)?;
        proto::decode_into(envelope.raw, &mut *object).map_err(CodecError::Proto)?;
        object.set_gvk(&gvk);
        Ok(Decoded { object, gvk, warnings: Vec::new() })
    }
}
