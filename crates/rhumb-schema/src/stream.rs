//! The fast way through a value: its fields written one after the other by a
//! [`JsonWriter`](crate::text::JsonWriter) or a [`BackWriter`](crate::wire::BackWriter), read by a
//! [`Reader`](crate::wire::Reader), or filled from a [`Source`].
//!
//! A described struct knows its fields' types, a codec knows its format. They meet in straight-line calls: no table is
//! interpreted and nothing is looked up on the way, which is what makes encoding several times faster than going
//! through [`View`](crate::View)s. What must work for every kind but is not on the way of a request uses views.

use serde_json::Value as Json;

use crate::error::DecodeError;
use crate::leaf::Leaf;
use crate::shape::{FieldDesc, Omit, Presence};
use crate::value::{List, Map, Struct};

/// Field of a value.
pub type Slot = &'static FieldDesc;

/// Error of decoding a value; boxed because it is rare and returned by every step.
pub type Received = Result<(), Box<DecodeError>>;

/// Source of values in requested forms.
pub trait Source {
    /// Returns a truth value.
    ///
    /// # Errors
    /// If something else comes next; likewise for the others.
    fn bool(&mut self, into: &mut bool) -> Received;
    /// Returns a 32-bit integer.
    fn int32(&mut self, into: &mut i32) -> Received;
    /// Returns a 64-bit integer.
    fn int64(&mut self, into: &mut i64) -> Received;
    /// Returns a floating point number.
    fn double(&mut self, into: &mut f64) -> Received;
    /// Returns a text.
    fn str(&mut self, into: &mut String) -> Received;
    /// Reads bytes.
    fn bytes(&mut self, into: &mut Vec<u8>) -> Received;
    /// Returns a struct.
    fn structure(&mut self, into: &mut dyn Struct) -> Received;
    /// Returns a list.
    fn list(&mut self, into: &mut dyn List) -> Received;
    /// Returns a map.
    fn map(&mut self, into: &mut dyn Map) -> Received;
    /// Returns a leaf.
    fn leaf(&mut self, into: &mut dyn Leaf) -> Received;
    /// Reads any JSON.
    fn json(&mut self, into: &mut Json) -> Received;
}

/// Field description of list items: no name, never omitted.
pub static ELEMENT: FieldDesc =
    FieldDesc { number: 2, presence: Presence::Required, omit: Omit::NeverNull, ..FieldDesc::PLAIN };
