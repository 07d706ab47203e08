//! Codecs: bytes to objects and back.
//!
//! - [`json`], [`yaml`], [`proto`]: the formats, each written once for all kinds against their field tables.
//! - [`Serializer`]: one format as a thing to pass around. [`Codecs`]: serializers with conversion and defaulting.
//! - [`strict`](Strictness): what becomes of unknown and duplicate fields.
//! - [`negotiate`], [`query`], [`framing`]: what HTTP needs around objects.
//!
//! Every decoder bounds what it takes: depth, and memory as a multiple of the input.

mod factory;
mod format;
pub mod framing;
pub mod json;
pub mod negotiate;
pub mod proto;
pub mod query;
mod serializer;
mod strict;
pub mod yaml;

pub use factory::{Codecs, UnstructuredCreater};
pub use format::Format;
pub use serializer::{CodecError, Decoded, JsonSerializer, ProtobufSerializer, Serializer, YamlSerializer};
pub use strict::{Notes, StrictError, Strictness};
