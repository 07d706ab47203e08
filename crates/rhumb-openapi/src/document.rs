//! Writes a JSON document member by member.

use serde_json::Value;

/// JSON text of an object to which members are appended.
pub(crate) struct ObjectText {
    text: Vec<u8>,
    is_empty: bool,
}

impl ObjectText {
    pub(crate) fn new() -> Self {
        ObjectText { text: vec![b'{'], is_empty: true }
    }

    fn key(&mut self, name: &str) {
        if !self.is_empty {
            self.text.push(b',');
        }
        self.is_empty = false;
        write(&name.into(), &mut self.text);
        self.text.push(b':');
    }

    /// Adds a member.
    pub(crate) fn member(&mut self, name: &str, value: &Value) {
        self.key(name);
        write(value, &mut self.text);
    }

    /// Adds a member that is an object, filled by `fill`.
    pub(crate) fn object(&mut self, name: &str, fill: impl FnOnce(&mut ObjectText)) {
        self.key(name);
        self.text.push(b'{');
        self.is_empty = true;
        fill(self);
        self.text.push(b'}');
        self.is_empty = false;
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.text.push(b'}');
        self.text
    }

    /// Returns the text up to here, for others to go on with.
    pub(crate) fn into_open(self) -> Vec<u8> {
        self.text
    }
}

/// Adds a member to the inside of an object, behind others if there are any.
pub(crate) fn member(name: &str, value: &Value, inside: &mut Vec<u8>) {
    if !inside.is_empty() {
        inside.push(b',');
    }
    write(&name.into(), inside);
    inside.push(b':');
    write(value, inside);
}

/// A tree of JSON can always be written to memory, so there is no error to tell of.
fn write(value: &Value, out: &mut Vec<u8>) {
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.extend_from_slice(b"null");
    }
}
