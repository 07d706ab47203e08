//! JSON encoder: compact, with fields in the order of their descriptions and sorted map keys.
//!
//! Every value is written with a comma behind it, and what closes an object or a list takes the place of the last one:
//! so no value has to know whether it is the first. Room is made for a name and its value at once, and filled with
//! zeros before it is written to, because that is what safe code can write to without looking at the room again.

use serde_json::Value as Json;

use super::write::{decimal_digits, put_plain, write_f64, write_i64, write_str};
use super::write_base64;
use crate::json_key::JsonKey;
use crate::leaf::Leaf;
use crate::shape::{Era, JsonForm, Omit};
use crate::stream::{ELEMENT, Slot};
use crate::union::Union;
use crate::value::{Struct, Value, View, is_retired};

/// Appends a value as compact JSON text, exactly as Kubernetes writes it.
pub fn encode(value: &dyn Value, out: &mut Vec<u8>) {
    if let View::Json(tree) = value.view() {
        return write_tree(tree, out);
    }
    let text = std::mem::take(out);
    let start = text.len();
    let mut sink = JsonWriter { text, start, at: start, scratch: Vec::new(), retired: is_retired(value) };
    value.send(&ELEMENT, &mut sink);
    // Without the comma behind the value.
    let end = sink.at.saturating_sub(1).max(start);
    *out = sink.text;
    out.truncate(end);
}

/// JSON writer for values ([`Value::send`]).
pub struct JsonWriter {
    /// Written text, and free room after it.
    text: Vec<u8>,
    /// Start of the value.
    start: usize,
    /// Start of the free room.
    at: usize,
    /// Buffer for parts whose length must be known before they are written.
    scratch: Vec<u8>,
    /// Whether the object is of a retired kind.
    retired: bool,
}

/// Minimum room beyond what is needed; it grows with the text up to a limit.
const LEAST_ROOM: usize = 1 << 10;
const MOST_ROOM: usize = 1 << 13;

/// Maximum length of a number with its comma.
const NUMBER_ROOM: usize = 24;

impl JsonWriter {
    #[cold]
    #[inline(never)]
    fn grow(&mut self, count: usize) {
        let needed = self.at + count;
        let wanted = needed + (self.at - self.start).clamp(LEAST_ROOM, MOST_ROOM);
        // Who gave the room may know how much it takes, so it is used up before there is more of it.
        let length = if needed <= self.text.capacity() { wanted.min(self.text.capacity()) } else { wanted };
        self.text.resize(length.max(self.text.len()), 0);
    }

    /// Writes the name and makes room for so many bytes behind it. Gives the place where that begins.
    #[inline(always)]
    fn key(&mut self, slot: Slot, count: usize) -> usize {
        if let Some((bytes, length)) = slot.json_key.short()
            && let Some(room) = self.text.get_mut(self.at..)
            && room.len() >= JsonKey::ROOM + count
            && let Some(front) = room.first_chunk_mut()
        {
            *front = *bytes;
            return self.at + length;
        }
        self.key_and_room(slot, count)
    }

    #[cold]
    #[inline(never)]
    fn key_and_room(&mut self, slot: Slot, count: usize) -> usize {
        self.grow(slot.json.len() + JsonKey::ROOM + count);
        if slot.json_key.short().is_some() {
            return self.key(slot, count);
        }
        for part in ["\"", slot.json, "\":"] {
            self.put(part.as_bytes());
        }
        self.at
    }

    /// Writes bytes that there is room for.
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let end = self.at + bytes.len();
        if let Some(room) = self.text.get_mut(self.at..end) {
            room.copy_from_slice(bytes);
            self.at = end;
        }
    }

    /// Writes a name and one of the words that JSON has, which comes with its comma and zeros behind it.
    #[inline(always)]
    fn word(&mut self, slot: Slot, word: &[u8; 8], length: usize) {
        let at = self.key(slot, word.len());
        if let Some(room) = self.text.get_mut(at..).and_then(|room| room.first_chunk_mut()) {
            *room = *word;
            self.at = at + length;
        }
    }

    #[inline(never)]
    fn null_word(&mut self, slot: Slot) {
        self.word(slot, b"null,\0\0\0", 5);
    }

    /// Writes a string and what stands behind it where a name and room for all of it were written.
    #[inline(always)]
    fn quoted(&mut self, at: usize, text: &str, behind: u8) {
        let end = at + text.len() + 3;
        if let Some([open, inside @ .., close, last]) = self.text.get_mut(at..end) {
            (*open, *close, *last) = (b'"', b'"', behind);
            if put_plain(text.as_bytes(), inside) {
                self.at = end;
                return;
            }
        }
        self.escaped(at, text, behind);
    }

    #[cold]
    #[inline(never)]
    fn escaped(&mut self, at: usize, text: &str, behind: u8) {
        self.at = at;
        self.scratch.clear();
        write_str(text, &mut self.scratch);
        self.scratch.push(behind);
        self.put_scratch();
    }

    /// Writes what is in the scratch.
    fn put_scratch(&mut self) {
        let count = self.scratch.len();
        if self.text.len() - self.at < count {
            self.grow(count);
        }
        let scratch = std::mem::take(&mut self.scratch);
        self.put(&scratch);
        self.scratch = scratch;
    }

    /// Writes a name and what is written to the scratch as its value.
    #[inline]
    fn through_scratch(&mut self, slot: Slot, write: impl FnOnce(&mut Vec<u8>)) {
        self.at = self.key(slot, 0);
        self.scratch.clear();
        write(&mut self.scratch);
        self.scratch.push(b',');
        self.put_scratch();
    }

    /// Writes a name and opens its object or list.
    #[inline(never)]
    fn open(&mut self, slot: Slot, bracket: u8) {
        let at = self.key(slot, 1);
        if let Some(room) = self.text.get_mut(at) {
            *room = bracket;
            self.at = at + 1;
        }
    }

    /// Closes an object or list, in place of the last value's comma if there was one.
    #[inline(never)]
    fn close(&mut self, bracket: u8) {
        if self.text.len() < self.at + 2 {
            self.grow(2);
        }
        match self.text.get_mut(self.at - 1..self.at + 2) {
            Some([last @ b',', next, _]) => {
                (*last, *next) = (bracket, b',');
                self.at += 1;
            }
            Some([_, next, behind]) => {
                (*next, *behind) = (bracket, b',');
                self.at += 2;
            }
            _ => {}
        }
    }

    /// Writes a struct that is no object in JSON.
    #[inline(never)]
    fn other_form(&mut self, slot: Slot, value: &dyn Struct, form: JsonForm) {
        if form == JsonForm::Transparent {
            return value.field(0).send(slot, self);
        }
        let form = Union::form(value);
        match form.view() {
            View::Null => self.null_word(slot),
            _ => form.send(slot, self),
        }
    }

    /// Reports whether an empty list, map or bytes is dealt with: left out, or shown as Go shows a nil one.
    #[inline]
    fn is_done(&mut self, slot: Slot, empty: bool) -> bool {
        if empty {
            match slot.omit {
                Omit::Empty => return true,
                Omit::Never => {
                    self.null_word(slot);
                    return true;
                }
                Omit::Absent | Omit::NeverNull => {}
            }
        }
        false
    }
}

/// Writing of values by form. Omission is decided where the field is known, so omitted fields cost no call.
impl JsonWriter {
    /// Writes an absent option.
    #[inline]
    pub fn null(&mut self, slot: Slot) {
        if slot.omit != Omit::Absent {
            self.null_word(slot);
        }
    }

    /// Writes a boolean.
    #[inline]
    pub fn bool(&mut self, slot: Slot, value: bool) {
        if value || slot.omit != Omit::Empty {
            self.put_bool(slot, value);
        }
    }

    #[inline(never)]
    fn put_bool(&mut self, slot: Slot, value: bool) {
        if value {
            self.word(slot, b"true,\0\0\0", 5);
        } else {
            self.word(slot, b"false,\0\0", 6);
        }
    }

    /// Writes an integer of either size.
    #[inline]
    pub fn int(&mut self, slot: Slot, value: i64) {
        if value != 0 || slot.omit != Omit::Empty {
            self.put_int(slot, value);
        }
    }

    #[inline(never)]
    fn put_int(&mut self, slot: Slot, value: i64) {
        let mut at = self.key(slot, NUMBER_ROOM);
        let mut rest = value.unsigned_abs();
        if value < 0
            && let Some(room) = self.text.get_mut(at)
        {
            *room = b'-';
            at += 1;
        }
        let end = at + decimal_digits(rest);
        if let Some([digits @ .., comma]) = self.text.get_mut(at..=end) {
            *comma = b',';
            for digit in digits.iter_mut().rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            self.at = end + 1;
        }
    }

    /// Writes a float.
    pub fn double(&mut self, slot: Slot, value: f64) {
        if value != 0.0 || slot.omit != Omit::Empty {
            self.through_scratch(slot, |out| write_f64(value, out));
        }
    }

    /// Writes a string.
    #[inline]
    pub fn str(&mut self, slot: Slot, value: &str) {
        if (!value.is_empty() || slot.omit != Omit::Empty) && slot.exists(self.retired) {
            self.put_str(slot, value);
        }
    }

    #[inline(never)]
    fn put_str(&mut self, slot: Slot, value: &str) {
        let at = self.key(slot, value.len() + 3);
        self.quoted(at, value, b',');
    }

    /// Writes bytes.
    pub fn bytes(&mut self, slot: Slot, value: &[u8]) {
        if !self.is_done(slot, value.is_empty()) {
            self.through_scratch(slot, |out| {
                out.push(b'"');
                write_base64(value, out);
                out.push(b'"');
            });
        }
    }

    /// Writes a struct.
    #[inline]
    pub fn structure<T: Struct>(&mut self, slot: Slot, value: &T) {
        let form = value.desc().form;
        if form != JsonForm::Object {
            return self.other_form(slot, value, form);
        }
        self.open(slot, b'{');
        value.send_fields(self);
        self.close(b'}');
    }

    /// Writes a list, whose elements a function writes.
    #[inline]
    pub fn list(&mut self, slot: Slot, is_empty: bool, elements: impl FnOnce(&mut Self)) {
        if !self.is_done(slot, is_empty) {
            self.open(slot, b'[');
            elements(self);
            self.close(b']');
        }
    }

    /// Writes a map, whose entries a function writes.
    #[inline]
    pub fn map(&mut self, slot: Slot, is_empty: bool, entries: impl FnOnce(&mut Self)) {
        if !self.is_done(slot, is_empty) {
            self.open(slot, b'{');
            entries(self);
            self.close(b'}');
        }
    }

    /// Writes the key of an entry, whose value follows.
    #[inline(never)]
    pub fn entry(&mut self, key: &str) {
        let at = self.key(&ELEMENT, key.len() + 3);
        self.quoted(at, key, b':');
    }

    /// Writes a leaf.
    pub fn leaf(&mut self, slot: Slot, value: &dyn Leaf) {
        if slot.omit != Omit::Empty || !value.is_zero() || (self.retired && slot.era == Era::OnceShown) {
            self.through_scratch(slot, |out| value.write_json(out));
        }
    }

    /// Writes any JSON.
    pub fn json(&mut self, slot: Slot, value: &Json) {
        if slot.omit != Omit::Empty || !value.is_null() {
            self.through_scratch(slot, |out| write_tree(value, out));
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Texts of many lengths, with and without escapes, over the ends of the room: behind other text, and in a buffer
    /// that has room for any number of bytes.
    #[test]
    fn values_are_written_wherever_the_room_ends() {
        let lengths = (0..70).chain([1_000, 1_024, 8_000, 9_000]);
        let map: BTreeMap<String, Vec<String>> = lengths
            .map(|length| {
                let plain = "x".repeat(length);
                (
                    format!("{length:04}"),
                    vec![plain.clone(), format!("{plain}<"), format!("{plain} é="), plain],
                )
            })
            .collect();
        let mut expected = Vec::new();
        for (key, texts) in &map {
            expected.extend_from_slice(if expected.is_empty() { b"{" } else { b"," });
            write_str(key, &mut expected);
            for (at, text) in texts.iter().enumerate() {
                expected.extend_from_slice(if at == 0 { b":[" } else { b"," });
                write_str(text, &mut expected);
            }
            expected.push(b']');
        }
        expected.push(b'}');
        for room in (0..2_500).step_by(7) {
            let mut out = Vec::with_capacity(room);
            out.extend_from_slice(b"before,");
            encode(&map, &mut out);
            assert!(out.strip_prefix(b"before,") == Some(&*expected), "room {room}");
        }
    }

    #[test]
    fn empty_and_single_values_have_no_comma() {
        let check = |value: &dyn Value, expected: &str| {
            let mut out = b"[".to_vec();
            encode(value, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("[{expected}"));
        };
        check(&Vec::<String>::new(), "[]");
        check(&BTreeMap::<String, i64>::new(), "{}");
        check(&vec![Vec::new(), vec![String::new()]], r#"[[],[""]]"#);
        check(&None::<bool>, "null");
        check(&String::from(","), r#"",""#);
        check(&vec![true, false], "[true,false]");
        check(
            &vec![0, -1, 10, i64::MAX, i64::MIN, 9_999, 10_000, -99],
            &format!("[0,-1,10,{},{},9999,10000,-99]", i64::MAX, i64::MIN),
        );
        check(&vec![0.5, 1e21], "[0.5,1e+21]");
    }
}
