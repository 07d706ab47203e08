//! Responses and their decoding.

use std::any::TypeId;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use rhumb_codec::{CodecError, Format, Strictness, json, proto};
use rhumb_meta::Object;
use rhumb_meta::v1::Status;
use rhumb_schema::View;

use super::list::ListReader;
use super::warning::Warning;
use crate::Error;
use crate::object::List;

/// A complete successful response.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response {
    /// The HTTP status: 200 to 206.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, decompressed.
    pub body: Bytes,
    /// The warnings that came with it. The configuration's handler had them as well.
    pub warnings: Vec<Warning>,
}

impl Response {
    /// Reports whether the request created an object.
    pub fn was_created(&self) -> bool {
        self.status == StatusCode::CREATED
    }

    /// Returns the format of the body by its content type, or else by its contents.
    pub fn format(&self) -> Format {
        format_of(&self.headers, &self.body)
    }

    /// Returns the `apiVersion` and `kind` of the object in the body.
    ///
    /// # Errors
    /// If there is no object.
    pub fn type_meta(&self) -> Result<(String, String), Error> {
        match self.format() {
            Format::Protobuf => {
                let envelope = proto::open(&self.body).map_err(CodecError::Proto)?;
                Ok((envelope.api_version.to_owned(), envelope.kind.to_owned()))
            }
            _ => Ok(json::type_meta(&self.body).map_err(CodecError::TypeMeta)?),
        }
    }

    /// Decodes the object in the body, with the server's `apiVersion` and `kind`.
    ///
    /// # Errors
    /// If the body is malformed, or is a Status where something else was asked for.
    pub fn decode<K: Object + Default>(&self) -> Result<K, Error> {
        let mut object = K::default();
        let wants_status = TypeId::of::<K>() == TypeId::of::<Status>();
        match self.fill(&mut object) {
            Ok(()) if wants_status || object.type_meta() != STATUS => Ok(object),
            outcome => Err(self.instead(outcome, "an object")),
        }
    }

    /// Decodes the list in the body. Items with a Rust type have no kind of their own, as it follows from the list's.
    ///
    /// # Errors
    /// If the body is malformed or no list.
    pub fn decode_list<K: Object + Default>(&self) -> Result<List<K>, Error> {
        let mut list = ListReader::<K>::new();
        let outcome = match self.format() {
            Format::Protobuf => proto::open(&self.body).map_err(CodecError::Proto).and_then(|envelope| {
                list.type_meta.set(envelope.api_version, envelope.kind);
                match is_list(envelope.kind) {
                    true => proto::decode_into(envelope.raw, &mut list).map_err(CodecError::Proto),
                    false => Ok(()),
                }
            }),
            _ => json::decode_into(&self.body, &mut list, Strictness::Ignore)
                .map(drop)
                .map_err(CodecError::Decode),
        };
        if outcome.is_err() || !is_list(&list.type_meta.kind) {
            return Err(self.instead(outcome, "a list"));
        }
        Ok(list.into_list())
    }

    fn fill(&self, object: &mut dyn Object) -> Result<(), CodecError> {
        fill(self.format(), &self.body, object)
    }

    /// Returns the error when something else than what was asked for is in the body.
    #[cold]
    fn instead(&self, outcome: Result<(), CodecError>, wanted: &str) -> Error {
        let (api_version, kind) = self.type_meta().unwrap_or_default();
        if (&*api_version, &*kind) == STATUS {
            let mut status = Status::default();
            if self.fill(&mut status).is_ok() && status.status != "Success" {
                return status.into();
            }
        } else if let Err(error) = outcome {
            return error.into();
        }
        Error::Unexpected(format!("the server sent a {kind} ({api_version}) where {wanted} was asked for"))
    }
}

const STATUS: (&str, &str) = ("v1", "Status");

/// Reports whether a kind is a list; `List` itself is the kind of mixed lists.
pub(super) fn is_list(kind: &str) -> bool {
    kind.ends_with("List")
}

/// Reports whether an object is a tree without a Rust type.
pub(super) fn is_tree(object: &dyn Object) -> bool {
    matches!(object.view(), View::Json(_))
}

/// Fills an object from its bytes.
pub(super) fn fill(format: Format, bytes: &[u8], object: &mut dyn Object) -> Result<(), CodecError> {
    match format {
        Format::Protobuf => {
            let envelope = proto::open(bytes).map_err(CodecError::Proto)?;
            proto::decode_into(envelope.raw, object).map_err(CodecError::Proto)?;
            object.set_type_meta(envelope.api_version, envelope.kind);
            Ok(())
        }
        // A server that speaks YAML was asked to by hand; JSON is what comes unasked.
        _ => json::decode_into(bytes, object, Strictness::Ignore).map(drop).map_err(CodecError::Decode),
    }
}

/// Returns the media type in a header, without parameters and in small letters.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let media_type = value.split(';').next().unwrap_or_default().trim();
    (!media_type.is_empty()).then(|| media_type.to_ascii_lowercase())
}

/// Reports whether the header says protobuf, also with `;stream=watch` behind it.
pub(super) fn format_of(headers: &HeaderMap, body: &[u8]) -> Format {
    match media_type(headers).as_deref().map(Format::from_media_type) {
        Some(Some(Format::Protobuf)) => Format::Protobuf,
        Some(_) => Format::Json,
        None if body.starts_with(proto::MAGIC) => Format::Protobuf,
        None => Format::Json,
    }
}
