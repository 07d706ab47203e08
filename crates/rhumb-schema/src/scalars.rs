//! The scalar types as values.

use crate::ByteString;
use crate::shape::Shape;
use crate::value::{Described, Value, View, ViewMut};

macro_rules! scalar {
    ($($type:ty => $form:ident),* $(,)?) => {$(
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
        }
        impl Described for $type {
            const SHAPE: Shape = Shape::$form;
        }
    )*};
}

scalar!(bool => Bool, i32 => Int32, i64 => Int64, f64 => Double);

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
}

impl Described for serde_json::Value {
    const SHAPE: Shape = Shape::Json;
}
