//! The codec factory: serializers by name or by recognition, with conversion and defaulting around them.

use std::sync::Arc;

use rhumb_meta::{GroupVersionKind, Object};
use rhumb_scheme::{GroupVersioner, NotRegistered, ObjectCreater, Scheme, Unstructured};

use crate::format::Format;
use crate::serializer::{
    CodecError, Decoded, JsonSerializer, ProtobufSerializer, Serializer, YamlSerializer,
};
use crate::strict::Strictness;

/// Makes codecs for the kinds of a scheme.
#[derive(Clone, Debug)]
pub struct Codecs {
    scheme: Arc<Scheme>,
    strictness: Strictness,
}

impl Codecs {
    /// Codecs that pass over unknown fields.
    pub fn new(scheme: Arc<Scheme>) -> Self {
        Codecs { scheme, strictness: Strictness::Ignore }
    }

    /// The same with another strictness.
    #[must_use]
    pub fn with_strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// The scheme.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The serializer of a format, without conversion or defaulting.
    pub fn serializer(&self, format: Format, pretty: bool) -> Box<dyn Serializer> {
        match format {
            Format::Json => Box::new(JsonSerializer { pretty, strictness: self.strictness }),
            Format::Yaml => Box::new(YamlSerializer { strictness: self.strictness }),
            Format::Protobuf => Box::new(ProtobufSerializer),
        }
    }

    /// Reads an object of any registered kind in whatever format it is, as it stands: the universal deserializer.
    ///
    /// # Errors
    /// If the bytes are malformed, or of a kind that is not registered.
    pub fn decode(&self, data: &[u8], default: Option<&GroupVersionKind>) -> Result<Decoded, CodecError> {
        self.serializer(Format::recognize(data), false).decode(data, default, &*self.scheme)
    }

    /// Reads an object, fills in its defaults and converts it to the version that the target picks, which may be
    /// the internal one. The kind it was read as stays told.
    ///
    /// # Errors
    /// If it can't be read or converted.
    pub fn decode_to(
        &self,
        data: &[u8],
        default: Option<&GroupVersionKind>,
        target: &dyn GroupVersioner,
    ) -> Result<Decoded, CodecError> {
        let mut decoded = self.decode(data, default)?;
        self.scheme.default(&mut *decoded.object);
        decoded.object = self.scheme.move_to_version(decoded.object, target).map_err(CodecError::Convert)?;
        Ok(decoded)
    }

    /// Converts an object to the version that the target picks and appends it in a format.
    ///
    /// # Errors
    /// If it can't be converted or has no form in the format.
    pub fn encode_as(
        &self,
        object: Box<dyn Object>,
        target: &dyn GroupVersioner,
        serializer: &dyn Serializer,
        out: &mut Vec<u8>,
    ) -> Result<(), CodecError> {
        let converted = if object.is::<Unstructured>() {
            object
        } else {
            self.scheme.move_to_version(object, target).map_err(CodecError::Convert)?
        };
        serializer.encode(&*converted, out)
    }
}

/// Makes unstructured objects of whatever kind is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnstructuredCreater;

impl ObjectCreater for UnstructuredCreater {
    fn new_object(&self, gvk: &GroupVersionKind) -> Result<Box<dyn Object>, NotRegistered> {
        let mut object = Unstructured::default();
        object.set_type_meta(&gvk.api_version(), &gvk.kind);
        Ok(Box::new(object))
    }
}
