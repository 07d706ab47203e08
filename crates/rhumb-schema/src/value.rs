//! Dynamic access to values without knowing their types.

use std::any::Any;

use crate::leaf::Leaf;
use crate::shape::{Shape, StructDesc};
use crate::stream::{Received, Slot, Source};
use crate::text::JsonWriter;
use crate::wire::{BackWriter, Reader, Tag};

/// Anything that can stand in a field: scalars, options, lists, maps, structs and leaves.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not described, so it can't be a field of an API type",
    note = "derive `Schema` on a struct, or implement `Leaf` for a type with a wire form of its own"
)]
pub trait Value: Any + Send + Sync {
    /// Returns the value as it is now. An absent option is [`View::Null`].
    fn view(&self) -> View<'_>;
    /// Returns the value, to be written to. An absent option comes into being with its default first.
    fn view_mut(&mut self) -> ViewMut<'_>;
    /// Resets to the default: absent, zero or empty. JSON's `null` does this.
    fn reset(&mut self);
    /// Writes itself as JSON.
    fn send(&self, slot: Slot, sink: &mut JsonWriter);
    /// Takes itself from a source.
    ///
    /// # Errors
    /// If the source has something else.
    fn receive(&mut self, source: &mut dyn Source) -> Received;
    /// Writes itself as a field of a protobuf message, in front of what is written; nothing if it is absent.
    fn write_wire(&self, slot: Slot, out: &mut BackWriter);
    /// Takes itself from a field of a protobuf message whose tag was read.
    ///
    /// # Errors
    /// If something else stands there.
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received;
}

/// A [`Value`] whose shape is known without having one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not described, so it can't be a field of an API type",
    label = "this field's type is not described",
    note = "derive `Schema` on a struct, implement `Leaf` for a type with a wire form of its own, and for numbers use \
            `i32`, `i64` or `f64`"
)]
pub trait Described: Value + Default {
    /// Shape of the type.
    const SHAPE: Shape;

    // What the derive's output calls, so that a type that is not described is one error wherever it is used.
    #[doc(hidden)]
    #[inline(always)]
    fn as_value(&self) -> &dyn Value {
        self
    }
    #[doc(hidden)]
    #[inline(always)]
    fn as_value_mut(&mut self) -> &mut dyn Value {
        self
    }
    #[doc(hidden)]
    #[inline(always)]
    fn hand_over(&self, slot: Slot, sink: &mut JsonWriter) {
        self.send(slot, sink);
    }
    #[doc(hidden)]
    #[inline(always)]
    fn take_over(&mut self, source: &mut dyn Source) -> Received {
        self.receive(source)
    }
    #[doc(hidden)]
    #[inline(always)]
    fn put(&self, slot: Slot, out: &mut BackWriter) {
        self.write_wire(slot, out);
    }
    #[doc(hidden)]
    #[inline(always)]
    fn take(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        self.read_wire(slot, tag, reader)
    }
}

/// A described struct: its fields by position.
pub trait Struct: Value {
    /// Returns the table of its fields.
    fn desc(&self) -> &'static StructDesc;
    /// Returns the field at a position of the table.
    ///
    /// # Panics
    /// If the table has no such position.
    fn field(&self, position: usize) -> &dyn Value;
    /// Returns the field at a position of the table, to be written to.
    ///
    /// # Panics
    /// If the table has no such position.
    fn field_mut(&mut self, position: usize) -> &mut dyn Value;
    /// Writes every field as JSON, in the order of the table, with those of inlined structs in between.
    fn send_fields(&self, sink: &mut JsonWriter);
    /// Writes every field that has a protobuf number, from the highest number to the lowest.
    fn write_numbered(&self, out: &mut BackWriter);
    /// Takes all fields that come from a protobuf message. Unknown ones are passed over.
    ///
    /// # Errors
    /// If the message is malformed.
    fn read_numbered(&mut self, reader: &mut Reader<'_>) -> Received;
    /// Takes the field at a position of the table from a source; does nothing if there is no such position.
    ///
    /// # Errors
    /// If the source has something else.
    fn receive_field(&mut self, position: usize, source: &mut dyn Source) -> Received;
}

/// List of values of one shape.
pub trait List {
    /// Returns the number of values.
    fn len(&self) -> usize;
    /// Reports whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the value at a position, if there is one.
    fn get(&self, index: usize) -> Option<&dyn Value>;
    /// Returns the value at a position, to be written to.
    fn get_mut(&mut self, index: usize) -> Option<&mut dyn Value>;
    /// Takes all out.
    fn clear(&mut self);
    /// Adds a default value and gives it to be filled.
    fn push(&mut self) -> &mut dyn Value;
    /// Adds an element and takes it from a source.
    ///
    /// # Errors
    /// If the source has something else.
    fn receive_element(&mut self, source: &mut dyn Source) -> Received;
    /// Returns the memory of one more element, for the decoders' budget.
    fn element_size(&self) -> usize;
    /// Returns the shape of the elements.
    fn element_shape(&self) -> Shape;
}

/// Map from strings to values of one shape, in order of keys.
pub trait Map {
    /// Returns the number of entries.
    fn len(&self) -> usize;
    /// Reports whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the entries in the order of their keys.
    fn entries(&self) -> Box<dyn DoubleEndedIterator<Item = (&str, &dyn Value)> + '_>;
    /// Returns every value, to be written to.
    fn values_mut(&mut self) -> Box<dyn Iterator<Item = &mut dyn Value> + '_>;
    /// Puts a default value under a key, in place of any other, and gives it to be filled.
    fn insert(&mut self, key: String) -> &mut dyn Value;
    /// Puts a value under a key, in place of any other, and takes it from a source.
    ///
    /// # Errors
    /// If the source has something else.
    fn receive_entry(&mut self, key: String, source: &mut dyn Source) -> Received;
    /// Returns the memory of one more entry, without its key's text.
    fn entry_size(&self) -> usize;
    /// Returns the shape of the values.
    fn value_shape(&self) -> Shape;
}

/// Read access to a value by form.
#[derive(Clone, Copy)]
pub enum View<'a> {
    /// An absent option.
    Null,
    /// A truth value.
    Bool(bool),
    /// A 32-bit integer.
    Int32(i32),
    /// A 64-bit integer.
    Int64(i64),
    /// A floating point number.
    Double(f64),
    /// A text.
    Str(&'a str),
    /// Bytes, base64 in JSON.
    Bytes(&'a [u8]),
    /// A described struct.
    Struct(&'a dyn Struct),
    /// A list.
    List(&'a dyn List),
    /// A map with string keys.
    Map(&'a dyn Map),
    /// A type with a wire form of its own.
    Leaf(&'a dyn Leaf),
    /// Any JSON, as a tree.
    Json(&'a serde_json::Value),
}

/// Write access to a value by form.
pub enum ViewMut<'a> {
    /// A truth value.
    Bool(&'a mut bool),
    /// A 32-bit integer.
    Int32(&'a mut i32),
    /// A 64-bit integer.
    Int64(&'a mut i64),
    /// A floating point number.
    Double(&'a mut f64),
    /// A text.
    Str(&'a mut String),
    /// Bytes, base64 in JSON.
    Bytes(&'a mut Vec<u8>),
    /// A described struct.
    Struct(&'a mut dyn Struct),
    /// A list.
    List(&'a mut dyn List),
    /// A map with string keys.
    Map(&'a mut dyn Map),
    /// A type with a wire form of its own.
    Leaf(&'a mut dyn Leaf),
    /// Any JSON, as a tree.
    Json(&'a mut serde_json::Value),
}

impl View<'_> {
    /// Reports whether Go would call the value empty: what `omitempty` leaves out. Structs never are.
    pub fn is_empty(&self) -> bool {
        match self {
            View::Null => true,
            View::Bool(value) => !value,
            View::Int32(value) => *value == 0,
            View::Int64(value) => *value == 0,
            View::Double(value) => *value == 0.0,
            View::Str(value) => value.is_empty(),
            View::Bytes(value) => value.is_empty(),
            View::List(value) => value.is_empty(),
            View::Map(value) => value.is_empty(),
            View::Struct(value) => value.desc().is_transparent() && value.field(0).view().is_empty(),
            View::Leaf(value) => value.is_zero(),
            View::Json(value) => value.is_null(),
        }
    }

    /// Reports whether it stands for a nil slice or map in Go: an empty list, map or bytes. Where a field must be
    /// shown, that prints as `null`.
    pub fn is_nil(&self) -> bool {
        match self {
            View::List(list) => list.is_empty(),
            View::Map(map) => map.is_empty(),
            View::Bytes(bytes) => bytes.is_empty(),
            View::Struct(value) => value.desc().is_transparent() && value.field(0).view().is_nil(),
            _ => false,
        }
    }
}

impl ViewMut<'_> {
    /// Returns the shape of what is seen, for error messages.
    pub fn shape_name(&self) -> String {
        match self {
            ViewMut::Bool(_) => Shape::Bool.go_type(),
            ViewMut::Int32(_) => Shape::Int32.go_type(),
            ViewMut::Int64(_) => Shape::Int64.go_type(),
            ViewMut::Double(_) => Shape::Double.go_type(),
            ViewMut::Str(_) => Shape::Str.go_type(),
            ViewMut::Bytes(_) => Shape::Bytes.go_type(),
            ViewMut::Struct(value) => format!("{}.{}", value.desc().version(), value.desc().name),
            ViewMut::List(list) => format!("[]{}", list.element_shape().go_type()),
            ViewMut::Map(map) => format!("map[string]{}", map.value_shape().go_type()),
            ViewMut::Leaf(leaf) => leaf.desc().go_type.to_owned(),
            ViewMut::Json(_) => Shape::Json.go_type(),
        }
    }
}

/// Reports whether a value is an object of a retired kind ([`StructDesc::retired`]).
pub fn is_retired(value: &dyn Value) -> bool {
    matches!(value.view(), View::Struct(value) if value.desc().retired)
}
