//! Descriptions of API types.
//!
//! A struct that derives [`Schema`] gets a static table of its fields ([`StructDesc`]) and safe access to each of
//! them by position ([`Struct`]). Everything that must work for every kind (the codecs, defaulting, OpenAPI,
//! comparison, `explain`) is written once against those two, so a new type costs a table and two lookups, not a
//! new copy of every algorithm.
//!
//! This crate knows shapes, never kinds: what a group or a version is stands in `rhumb-meta`.

mod bad_value;
pub mod budget;
mod bytes;
mod compare;
mod containers;
mod error;
mod json_key;
mod leaf;
mod scalars;
mod shape;
mod stream;
pub mod text;
mod tree;
mod union;
mod value;
pub mod wire;

pub use bad_value::{BadValue, Named, Shown};
pub use bytes::ByteString;
pub use compare::equal;
pub use error::{DecodeError, Problem, Segment};
pub use json_key::JsonKey;
pub use leaf::{Leaf, LeafDesc, LeafError, RawJson, same};
/// Describes a struct: implements [`Struct`], [`Value`] and [`Described`] from its fields and their attributes, and
/// with them `PartialEq` and `Debug`.
pub use rhumb_derive::Schema;
pub use shape::{Era, FieldDesc, JsonForm, ListType, Omit, Presence, Shape, StructDesc};
pub use stream::{ELEMENT, Received, Slot, Source};
pub use tree::{from_tree, to_tree, to_tree_without};
pub use union::Union;
pub use value::{Described, List, Map, Struct, Value, View, ViewMut, is_retired};

/// Items that derived code uses; not part of the API.
#[doc(hidden)]
pub mod private {
    pub use crate::compare::{debug, equal_structs};
    pub use crate::shape::{omit, signs};
}

/// Maximum nesting depth of any input. Real objects stay under 50.
pub const MAX_DEPTH: usize = 500;
