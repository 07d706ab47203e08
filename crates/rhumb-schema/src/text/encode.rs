//! Any value as JSON text: compact, with the fields in the order of their tables and the keys of maps sorted.

use serde_json::Value as Json;

use super::write::{write_f64, write_i64, write_str};
use super::write_base64;
use crate::leaf::Leaf;
use crate::shape::{Era, JsonForm, Omit};
use crate::stream::{ELEMENT, Sink, Slot};
use crate::union::Union;
use crate::value::{List, Map, Struct, Value, View, is_retired};

/// Appends a value as compact JSON text, exactly as Kubernetes writes it.
pub fn encode(value: &dyn Value, out: &mut Vec<u8>) {
    let fresh = out.len();
    value.send(&ELEMENT, &mut JsonSink { out, fresh, retired: is_retired(value) });
}

struct JsonSink<'a> {
    out: &'a mut Vec<u8>,
    /// Where a value needs no comma in front of it: at the start, and behind the key of a map.
    fresh: usize,
    /// Whether the object is of a retired kind.
    retired: bool,
}

impl JsonSink<'_> {
    /// A comma, except where something was just opened. No value ends in an opening bracket, so the last byte tells.
    #[inline]
    fn comma(&mut self) {
        if !matches!(self.out.last(), Some(b'{' | b'[')) && self.out.len() != self.fresh {
            self.out.push(b',');
        }
    }

    /// A comma where one is needed, and the name.
    #[inline]
    fn key(&mut self, slot: Slot) {
        self.comma();
        self.out.extend_from_slice(slot.json_key.as_bytes());
    }

    #[inline]
    fn literal(&mut self, slot: Slot, text: &str) {
        self.key(slot);
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Whether an empty list, map or bytes is dealt with: left out, or shown as Go shows a nil one.
    #[inline]
    fn is_done(&mut self, slot: Slot, empty: bool) -> bool {
        if empty {
            match slot.omit {
                Omit::Empty => return true,
                Omit::Never => {
                    self.literal(slot, "null");
                    return true;
                }
                Omit::Absent | Omit::NeverNull => {}
            }
        }
        false
    }
}

impl Sink for JsonSink<'_> {
    fn null(&mut self, slot: Slot) {
        if slot.omit != Omit::Absent {
            self.literal(slot, "null");
        }
    }

    fn bool(&mut self, slot: Slot, value: bool) {
        if value {
            self.literal(slot, "true");
        } else if slot.omit != Omit::Empty {
            self.literal(slot, "false");
        }
    }

    fn int(&mut self, slot: Slot, value: i64) {
        if value != 0 || slot.omit != Omit::Empty {
            self.key(slot);
            write_i64(value, self.out);
        }
    }

    fn double(&mut self, slot: Slot, value: f64) {
        if value != 0.0 || slot.omit != Omit::Empty {
            self.key(slot);
            write_f64(value, self.out);
        }
    }

    fn str(&mut self, slot: Slot, value: &str) {
        if (!value.is_empty() || slot.omit != Omit::Empty) && slot.exists(self.retired) {
            self.key(slot);
            write_str(value, self.out);
        }
    }

    fn bytes(&mut self, slot: Slot, value: &[u8]) {
        if !self.is_done(slot, value.is_empty()) {
            self.key(slot);
            self.out.push(b'"');
            write_base64(value, self.out);
            self.out.push(b'"');
        }
    }

    fn structure(&mut self, slot: Slot, value: &dyn Struct) {
        match value.desc().form {
            JsonForm::Object => {}
            JsonForm::Transparent => return value.field(0).send(slot, self),
            JsonForm::Union(_) => {
                let form = Union::form(value);
                return match form.view() {
                    View::Null => self.literal(slot, "null"),
                    _ => form.send(slot, self),
                };
            }
        }
        self.key(slot);
        self.out.push(b'{');
        value.send_fields(self);
        self.out.push(b'}');
    }

    fn list(&mut self, slot: Slot, value: &dyn List) {
        if !self.is_done(slot, value.is_empty()) {
            self.key(slot);
            self.out.push(b'[');
            value.send_elements(&ELEMENT, self);
            self.out.push(b']');
        }
    }

    fn map(&mut self, slot: Slot, value: &dyn Map) {
        if !self.is_done(slot, value.is_empty()) {
            self.key(slot);
            self.out.push(b'{');
            value.send_entries(self);
            self.out.push(b'}');
        }
    }

    fn entry(&mut self, key: &str, value: &dyn Value) {
        self.comma();
        write_str(key, self.out);
        self.out.push(b':');
        self.fresh = self.out.len();
        value.send(&ELEMENT, self);
    }

    fn leaf(&mut self, slot: Slot, value: &dyn Leaf) {
        if slot.omit != Omit::Empty || !value.is_zero() || (self.retired && slot.era == Era::OnceShown) {
            self.key(slot);
            value.write_json(self.out);
        }
    }

    fn json(&mut self, slot: Slot, value: &Json) {
        if slot.omit != Omit::Empty || !value.is_null() {
            self.key(slot);
            write_tree(value, self.out);
        }
    }
}

fn separate(out: &mut Vec<u8>) {
    if !matches!(out.last(), Some(b'{' | b'[')) {
        out.push(b',');
    }
}

fn write_tree(tree: &Json, out: &mut Vec<u8>) {
    match tree {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(true) => out.extend_from_slice(b"true"),
        Json::Bool(false) => out.extend_from_slice(b"false"),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => write_i64(value, out),
            (None, Some(value)) => out.extend_from_slice(value.to_string().as_bytes()),
            (None, None) => write_f64(number.as_f64().unwrap_or_default(), out),
        },
        Json::String(value) => write_str(value, out),
        Json::Array(items) => {
            out.push(b'[');
            for item in items {
                separate(out);
                write_tree(item, out);
            }
            out.push(b']');
        }
        Json::Object(map) => {
            out.push(b'{');
            for (key, value) in map {
                separate(out);
                write_str(key, out);
                out.push(b':');
                write_tree(value, out);
            }
            out.push(b'}');
        }
    }
}
