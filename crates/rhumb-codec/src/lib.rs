//! Codecs: bytes to objects and back.
//!
//! - [`json`], [`yaml`], [`proto`]: the formats, each written once for all kinds against their field tables.
//! - [`Serializer`]: one format as a thing to pass around. [`Codecs`]: the formats and the scheme, from which codecs
//!   are made.
//! - [`Encoder`], [`Decoder`], [`Codec`]: what reads and writes. [`VersionedCodec`]: a format with conversion and
//!   defaulting around it. [`ParameterCodec`]: the same for query parameters.
//! - [`strict`](Strictness): what becomes of unknown and duplicate fields.
//! - [`negotiate`], [`query`], [`framing`], [`continue_token`]: what HTTP needs around objects. [`spdy`].
//!
//! Every decoder bounds what it takes: depth, and memory as a multiple of the input.

mod codec;
pub mod continue_token;
mod factory;
mod format;
pub mod framing;
pub mod json;
pub mod negotiate;
mod parameters;
pub mod proto;
pub mod query;
mod serializer;
pub mod spdy;
mod strict;
pub mod yaml;

pub use codec::{Codec, Decoder, Encoder, Target, UniversalDecoder, VersionedCodec};
pub use factory::{Codecs, UnstructuredCreater};
pub use format::Format;
pub use parameters::ParameterCodec;
pub use serializer::{CodecError, Decoded, JsonSerializer, ProtobufSerializer, Serializer, YamlSerializer};
pub use strict::{Notes, StrictError, Strictness};
