//! `Codecs`: codec factory for a scheme.

use std::fmt;
use std::sync::Arc;

use rhumb_meta::{GroupVersionKind, Object};
use rhumb_scheme::{GroupVersioner, NotRegistered, ObjectCreater, Scheme, Unstructured};

use crate::codec::{UniversalDecoder, VersionedCodec};
use crate::format::Format;
use crate::serializer::{
    CodecError, Decoded, JsonSerializer, ProtobufSerializer, Serializer, YamlSerializer,
};
use crate::strict::Strictness;

/// Creates codecs for the kinds of a scheme.
#[derive(Clone)]
pub struct Codecs {
    scheme: Arc<Scheme>,
    strictness: Strictness,
    further: Vec<Arc<dyn Serializer>>,
}

impl fmt::Debug for Codecs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let further: Vec<&str> = self.further.iter().map(|serializer| serializer.media_type()).collect();
        f.debug_struct("Codecs")
            .field("scheme", &self.scheme)
            .field("strictness", &self.strictness)
            .field("further", &further)
            .finish()
    }
}

impl Codecs {
    /// Creates codecs that ignore unknown fields.
    pub fn new(scheme: Arc<Scheme>) -> Self {
        Codecs { scheme, strictness: Strictness::Ignore, further: Vec::new() }
    }

    /// Sets the strictness.
    #[must_use]
    pub fn with_strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }

    /// Adds a serializer, which is tried before the others when formats are recognised.
    #[must_use]
    pub fn with_serializer(mut self, serializer: Arc<dyn Serializer>) -> Self {
        self.further.push(serializer);
        self
    }

    /// Returns the scheme.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// Returns the serializer of a format.
    pub fn serializer(&self, format: Format, pretty: bool) -> Box<dyn Serializer> {
        match format {
            Format::Json => Box::new(JsonSerializer { pretty, strictness: self.strictness }),
            Format::Yaml => Box::new(YamlSerializer { strictness: self.strictness }),
            Format::Protobuf => Box::new(ProtobufSerializer),
        }
    }

    /// Returns the serializer of a media type without parameters; added ones take precedence.
    pub fn serializer_for(&self, media_type: &str) -> Option<Arc<dyn Serializer>> {
        let added = self.further.iter().rev().find(|serializer| serializer.media_type() == media_type);
        let built_in = || Some(self.serializer(Format::from_media_type(media_type)?, false).into());
        added.cloned().or_else(built_in)
    }

    /// Combines a serializer with the scheme. The codec doesn't convert until versions are set.
    pub fn codec(&self, serializer: impl Into<Arc<dyn Serializer>>) -> VersionedCodec {
        VersionedCodec::new(self.clone(), serializer.into())
    }

    /// Returns a decoder of any format that converts objects to the target's version and sets defaults.
    pub fn universal_decoder(&self, target: impl GroupVersioner + Send + Sync + 'static) -> UniversalDecoder {
        UniversalDecoder::new(self.clone(), Some(Arc::new(target)))
    }

    /// Returns a decoder of any format that doesn't convert.
    pub fn universal_deserializer(&self) -> UniversalDecoder {
        UniversalDecoder::new(self.clone(), None)
    }

    /// Decodes an object of any registered kind in any format, without conversion: the universal deserializer.
    ///
    /// # Errors
    /// If the bytes are malformed, or of a kind that is not registered.
    pub fn decode(&self, data: &[u8], default: Option<&GroupVersionKind>) -> Result<Decoded, CodecError> {
        match self.further.iter().rev().find(|serializer| serializer.recognizes(data)) {
            Some(serializer) => serializer.decode(data, default, &*self.scheme),
            None => self.serializer(Format::recognize(data), false).decode(data, default, &*self.scheme),
        }
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
        self.bring(self.decode(data, default)?, Some(target))
    }

    /// Fills in the defaults of what was read and brings it into a version, if one is wanted.
    pub(crate) fn bring(
        &self,
        mut decoded: Decoded,
        target: Option<&dyn GroupVersioner>,
    ) -> Result<Decoded, CodecError> {
        if let Some(target) = target {
            self.scheme.default(&mut *decoded.object);
            let moved = self.scheme.move_to_version(decoded.object, target);
            decoded.object = moved.map_err(CodecError::Convert)?;
        }
        Ok(decoded)
    }
}

/// Creates unstructured objects of any kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnstructuredCreater;

impl ObjectCreater for UnstructuredCreater {
    fn new_object(&self, gvk: &GroupVersionKind) -> Result<Box<dyn Object>, NotRegistered> {
        let mut object = Unstructured::default();
        object.set_type_meta(&gvk.api_version(), &gvk.kind);
        Ok(Box::new(object))
    }
}
