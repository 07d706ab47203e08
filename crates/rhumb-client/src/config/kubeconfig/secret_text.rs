//! Secrets as fields of kubeconfig files.

use std::fmt;

use rhumb_schema::text::JsonWriter;
use rhumb_schema::wire::{BackWriter, Reader, Tag};
use rhumb_schema::{Described, Received, Shape, Slot, Source, Value, View, ViewMut};

use crate::config::Secret;

/// String that is encoded like any other, and not shown by `Debug`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    /// Returns the text.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Reports whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for SecretText {
    fn from(text: &str) -> Self {
        SecretText(text.to_owned())
    }
}

impl From<String> for SecretText {
    fn from(text: String) -> Self {
        SecretText(text)
    }
}

impl From<&SecretText> for Secret {
    fn from(text: &SecretText) -> Self {
        Secret::from(text.expose())
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "SecretText(none)" } else { "SecretText(--- REDACTED ---)" })
    }
}

impl Value for SecretText {
    /// Views the secret as bytes, of which debug output of described structs shows the length only.
    fn view(&self) -> View<'_> {
        View::Bytes(self.0.as_bytes())
    }
    fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::Str(&mut self.0)
    }
    fn reset(&mut self) {
        self.0.clear();
    }
    fn send(&self, slot: Slot, sink: &mut JsonWriter) {
        sink.str(slot, &self.0);
    }
    fn receive(&mut self, source: &mut dyn Source) -> Received {
        source.str(&mut self.0)
    }
    fn write_wire(&self, slot: Slot, out: &mut BackWriter) {
        self.0.write_wire(slot, out);
    }
    fn read_wire(&mut self, slot: Slot, tag: Tag, reader: &mut Reader<'_>) -> Received {
        self.0.read_wire(slot, tag, reader)
    }
}

impl Described for SecretText {
    const SHAPE: Shape = Shape::Str;
}
