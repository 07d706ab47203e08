//! Content negotiation: the media types that objects are requested and sent in.

use std::any::TypeId;

use rhumb_codec::{Format, json, proto};
use rhumb_meta::Object;
use rhumb_scheme::Unstructured;

use crate::Error;
use crate::config::ContentType;
use crate::rest::{Client, PROTOBUF_OR_JSON, Request};

/// `Accept` for metadata only. Servers that know neither of the first two send the whole object.
const METADATA: &str = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,\
                        application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
/// `Accept` for lists of metadata only.
const METADATA_LIST: &str = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,\
     application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// Encoding of a resource's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The client's content type, JSON or protobuf.
    Negotiated,
    /// JSON, which is all that custom resources and trees have.
    Json,
    /// The metadata of each object, in protobuf where the server has that.
    Metadata,
}

impl Form {
    /// Returns the form of a subresource: `Unstructured` is JSON, whatever the object itself is.
    pub(super) fn below<T: 'static>(self) -> Self {
        if self == Form::Negotiated && !is_tree::<T>() { Form::Negotiated } else { Form::Json }
    }

    /// Reports whether objects are sent in protobuf.
    fn sends_protobuf(self, client: &Client) -> bool {
        self == Form::Negotiated && client.config().content_type == ContentType::Protobuf
    }

    /// Asks for one object, or for a watch.
    pub(super) fn ask_one(self, request: Request) -> Request {
        match self {
            Form::Metadata => request.accept(METADATA),
            Form::Json => request.accept(Format::Json.media_type()),
            Form::Negotiated => match request.content_type() {
                ContentType::Usual => request.accept(PROTOBUF_OR_JSON),
                // What the client asks for anyway.
                ContentType::Json | ContentType::Protobuf => request,
            },
        }
    }

    /// Asks for a list.
    pub(super) fn ask_list(self, request: Request) -> Request {
        match self {
            Form::Metadata => request.accept(METADATA_LIST),
            _ => self.ask_one(request),
        }
    }

    /// Sends an object, under a version and kind if one is given.
    pub(super) fn send(
        self,
        client: &Client,
        request: Request,
        object: &dyn Object,
        named: Option<(&str, &str)>,
    ) -> Result<Request, Error> {
        let renamed = named.filter(|named| *named != object.type_meta()).map(|(api_version, kind)| {
            let mut renamed = object.clone_object();
            renamed.set_type_meta(api_version, kind);
            renamed
        });
        let object = renamed.as_deref().unwrap_or(object);
        let mut bytes = Vec::new();
        let format = if self.sends_protobuf(client) {
            proto::encode(object, &mut bytes).map_err(|error| Error::Request(error.to_string()))?;
            Format::Protobuf
        } else {
            json::encode(object, &mut bytes);
            Format::Json
        };
        Ok(request.body(format.media_type(), bytes))
    }
}

/// Reports whether a type is that of trees, which say themselves what they are.
pub(super) fn is_tree<K: 'static>() -> bool {
    TypeId::of::<K>() == TypeId::of::<Unstructured>()
}
