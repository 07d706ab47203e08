//! Scalar types as values.

use crate::ByteString;
use crate::shape::{Era, Shape};
use crate::stream::{ELEMENT, Received, Slot, Source};
use crate::text::JsonWriter;
use crate::value::{Described, Value, View, ViewMut};
use crate::wire::{BackWriter, Reader, Tag};

macro_rules! scalar {
    ($($type:ty => $form:ident, $send:ident, $receive:ident, $put:expr, $take:expr;)*) => {$(
        impl Value for $type {
            fn view(&self) -> View<'_> {
                View::$form(*self)
            }
            fn view_mut(&mut self) -> ViewMut<'_> {
                ViewMut::$form(self)
            }
            fn reset(&mut self) {
                *self = Default::default();
            }
            #[inline]
            fn send(&self, slot: Slot, sink: &mut JsonWriter) {
                sink.$send(slot, (*self).into());
            }
            #[inline]
            fn receive(&mut self, source: &mut dyn Source) -> Received {
                source.$receive(self)
            }
            #[inline]
            fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
                $put(out, slot.number, *self);
            }
            #[inline]
            fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
                *self = $take(reader, slot, tag)?;
                Ok(())
            }
        }
        impl Described for $type {
            const SHAPE: Shape = Shape::$form;
        }
    )*};
}

scalar! {
    bool => Bool, bool, bool,
        |out: &mut BackWriter, number, value| out.varint_field(number, u64::from(value)),
        |reader: &mut Reader<'_>, slot, tag| reader.varint(slot, tag).map(|value| value != 0);
    i32 => Int32, int, int32,
        |out: &mut BackWriter, number, value| out.varint_field(number, i64::from(value) as u64),
        |reader: &mut Reader<'_>, slot, tag| reader.varint(slot, tag).map(|value| value as i32);
    i64 => Int64, int, int64,
        |out: &mut BackWriter, number, value| out.varint_field(number, value as u64),
        |reader: &mut Reader<'_>, slot, tag| reader.varint(slot, tag).map(|value| value as i64);
    f64 => Double, double, double, BackWriter::double_field, Reader::double;
}

impl Value for String {
    fn view(&self) -> View<'_> {
        View::Str(self)
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::Str(self)
    }
    fn reset(&mut self) {
        self.clear();
    }
    #[inline]
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        sink.str(slot, self);
    }
    #[inline]
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.str(self)
    }
    #[inline]
    fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
        let is_written = match slot.era {
            Era::Any | Era::OnceShown => true,
            Era::Gone => out.is_retired(),
            Era::Newer => !(self.is_empty() && out.is_retired()),
        };
        if is_written {
            out.bytes_field(slot.number, self.as_bytes());
        }
    }
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        reader.text(slot, tag, self)
    }
}

impl Described for String {
    const SHAPE: Shape = Shape::Str;
}

impl Value for ByteString {
    fn view(&self) -> View<'_> {
        View::Bytes(&self.0)
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::Bytes(&mut self.0)
    }
    fn reset(&mut self) {
        self.0.clear();
    }
    #[inline]
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        sink.bytes(slot, &self.0);
    }
    #[inline]
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.bytes(&mut self.0)
    }
    #[inline]
    fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
        // Bytes that are not there are not written; those in lists and maps always are.
        if !self.0.is_empty() || std::ptr::eq(slot, &ELEMENT) || !slot.is_bytes() {
            out.bytes_field(slot.number, &self.0);
        }
    }
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        self.0 = reader.delimited(slot, tag)?.to_vec();
        Ok(())
    }
}

impl Described for ByteString {
    const SHAPE: Shape = Shape::Bytes;
}

impl Value for serde_json::Value {
    fn view(&self) -> View<'_> {
        View::Json(self)
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::Json(self)
    }
    fn reset(&mut self) {
        *self = serde_json::Value::Null;
    }
    #[inline]
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        sink.json(slot, self);
    }
    #[inline]
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.json(self)
    }
    fn write_wire(&self, _slot: Slot, out: &mut BackWriter) {
        out.unsupported();
    }
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        reader.unsupported(slot, tag)
    }
}

impl Described for serde_json::Value {
    const SHAPE: Shape = Shape::Json;
}
