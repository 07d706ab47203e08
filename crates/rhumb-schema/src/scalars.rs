//! The scalar types as values.

use crate::ByteString;
use crate::shape::Shape;
use crate::stream::{Received, Sink, Slot, Source};
use crate::value::{Described, Value, View, ViewMut};

macro_rules! scalar {
    ($($type:ty => $form:ident, $send:ident, $receive:ident;)*) => {$(
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
            fn send(&self, slot: Slot, sink: &mut dyn Sink) {
                sink.$send(slot, (*self).into());
            }
            #[inline]
            fn receive(&mut self, source: &mut dyn Source) -> Received {
                source.$receive(self)
            }
        }
        impl Described for $type {
            const SHAPE: Shape = Shape::$form;
        }
    )*};
}

scalar! {
    bool => Bool, bool, bool;
    i32 => Int32, int, int32;
    i64 => Int64, int, int64;
    f64 => Double, double, double;
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
    fn send(&self, slot: Slot, sink: &mut dyn Sink) {
        sink.str(slot, self);
    }
    #[inline]
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.str(self)
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
    fn send(&self, slot: Slot, sink: &mut dyn Sink) {
        sink.bytes(slot, &self.0);
    }
    #[inline]
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.bytes(&mut self.0)
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
    fn send(&self, slot: Slot, sink: &mut dyn Sink) {
        sink.json(slot, self);
    }
    #[inline]
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.json(self)
    }
}

impl Described for serde_json::Value {
    const SHAPE: Shape = Shape::Json;
}
