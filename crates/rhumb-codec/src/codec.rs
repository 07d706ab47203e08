//! Encoders, decoders and codecs: objects to bytes and back, in chosen versions.
//!
//! A [`Serializer`] is a format and leaves objects as they are. A [`VersionedCodec`] puts the work of a scheme around
//! one: what it reads is defaulted and brought into one version, what it writes into another.

use std::fmt;
use std::sync::Arc;

use rhumb_meta::{GroupVersionKind, Object};
use rhumb_scheme::{GroupVersioner, Unstructured};

use crate::factory::Codecs;
use crate::serializer::{CodecError, Decoded, Serializer};

/// Encodes objects.
pub trait Encoder: Send + Sync {
    /// Appends an object.
    ///
    /// # Errors
    /// If it has no form in the format or in the version that is written.
    fn encode(&self, object: &dyn Object, out: &mut Vec<u8>) -> Result<(), CodecError>;
}

/// Decodes objects.
pub trait Decoder: Send + Sync {
    /// Reads an object. What it doesn't say of its kind is taken from the default.
    ///
    /// # Errors
    /// If the bytes are malformed, of a kind that is not known, or have no form in the version that is wanted.
    fn decode(&self, data: &[u8], default: Option<&GroupVersionKind>) -> Result<Decoded, CodecError>;
}

/// Encodes and decodes objects.
pub trait Codec: Encoder + Decoder {}

impl<T: Encoder + Decoder + ?Sized> Codec for T {}

/// Selects the version to encode or decode to.
pub type Target = Arc<dyn GroupVersioner + Send + Sync>;

fn picked(target: &Option<Target>) -> Option<&dyn GroupVersioner> {
    target.as_deref().map(|target| target as &dyn GroupVersioner)
}

/// A serializer combined with a scheme.
#[derive(Clone)]
pub struct VersionedCodec {
    codecs: Codecs,
    serializer: Arc<dyn Serializer>,
    written: Option<Target>,
    read: Option<Target>,
}

impl VersionedCodec {
    pub(crate) fn new(codecs: Codecs, serializer: Arc<dyn Serializer>) -> Self {
        VersionedCodec { codecs, serializer, written: None, read: None }
    }

    /// Sets the version to encode, in place of the object's own.
    #[must_use]
    pub fn writing(mut self, target: impl GroupVersioner + Send + Sync + 'static) -> Self {
        self.written = Some(Arc::new(target));
        self
    }

    /// Sets the version to decode to, with defaults: `ToInternal` gives the hub. Without it objects are not converted.
    #[must_use]
    pub fn reading(mut self, target: impl GroupVersioner + Send + Sync + 'static) -> Self {
        self.read = Some(Arc::new(target));
        self
    }

    /// Returns the media type.
    pub fn media_type(&self) -> &str {
        self.serializer.media_type()
    }
}

impl Encoder for VersionedCodec {
    fn encode(&self, object: &dyn Object, out: &mut Vec<u8>) -> Result<(), CodecError> {
        let Some(target) = &self.written else { return self.serializer.encode(object, out) };
        if is_in_place(object, target.as_ref()) {
            return self.serializer.encode(object, out);
        }
        let converted = self.codecs.scheme().convert_to_version(object, target.as_ref());
        self.serializer.encode(&*converted.map_err(CodecError::Convert)?, out)
    }
}

impl Decoder for VersionedCodec {
    fn decode(&self, data: &[u8], default: Option<&GroupVersionKind>) -> Result<Decoded, CodecError> {
        let decoded = self.serializer.decode(data, default, self.codecs.scheme())?;
        self.codecs.bring(decoded, picked(&self.read))
    }
}

/// Reports whether an object needs no conversion to be written: one without a type that is in the version already,
/// whatever its kind, or that says no version.
fn is_in_place(object: &dyn Object, target: &dyn GroupVersioner) -> bool {
    if !object.is::<Unstructured>() {
        return false;
    }
    let own = object.gvk();
    own.version.is_empty() || target.kind_for(std::slice::from_ref(&own)) == Some(own)
}

impl fmt::Debug for VersionedCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |target: &Option<Target>| target.as_ref().map(|target| target.identifier());
        f.debug_struct("VersionedCodec")
            .field("media_type", &self.media_type())
            .field("written", &name(&self.written))
            .field("read", &name(&self.read))
            .finish()
    }
}

/// Decodes any of the formats.
#[derive(Clone)]
pub struct UniversalDecoder {
    codecs: Codecs,
    read: Option<Target>,
}

impl UniversalDecoder {
    pub(crate) fn new(codecs: Codecs, read: Option<Target>) -> Self {
        UniversalDecoder { codecs, read }
    }
}

impl Decoder for UniversalDecoder {
    fn decode(&self, data: &[u8], default: Option<&GroupVersionKind>) -> Result<Decoded, CodecError> {
        self.codecs.bring(self.codecs.decode(data, default)?, picked(&self.read))
    }
}

impl fmt::Debug for UniversalDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = self.read.as_ref().map(|target| target.identifier());
        f.debug_struct("UniversalDecoder").field("read", &read).finish()
    }
}
