//! JSON keys in a fixed-size form for fast copying and comparison.

use std::fmt;

/// Field name with quotes and colon, padded to a fixed size.
///
/// A name of any length is written by copying all of them and then counting only those that are the name's: no
/// branch depends on the length. The few names that are longer than this are written from the field's table.
#[derive(Clone, Copy)]
pub struct JsonKey {
    bytes: [u8; JsonKey::ROOM],
    length: u8,
}

/// Marker length of keys that don't fit.
const LONG: u8 = u8::MAX;

/// A key as words.
type Words = [u64; JsonKey::ROOM / 8];

/// By length: mask of the key's bits.
static COUNTED: [Words; JsonKey::ROOM + 1] = {
    let mut masks = [[0; JsonKey::ROOM / 8]; JsonKey::ROOM + 1];
    let mut length = 0;
    while length <= JsonKey::ROOM {
        let mut at = 0;
        while at < length {
            masks[length][at / 8] |= 0xff << (at % 8 * 8);
            at += 1;
        }
        length += 1;
    }
    masks
};

#[inline(always)]
fn word(bytes: &[u8; JsonKey::ROOM], at: usize) -> u64 {
    bytes.as_chunks::<8>().0.get(at).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

impl JsonKey {
    /// Maximum length of a key.
    pub const ROOM: usize = 32;

    /// Creates the key of a field whose name needs no escapes; none for an empty name.
    pub const fn new(name: &str) -> Self {
        let name = name.as_bytes();
        let mut bytes = [0; JsonKey::ROOM];
        if name.is_empty() {
            return JsonKey { bytes, length: 0 };
        }
        if name.len() + 3 > JsonKey::ROOM {
            return JsonKey { bytes, length: LONG };
        }
        bytes[0] = b'"';
        let mut at = 0;
        while at < name.len() {
            bytes[at + 1] = name[at];
            at += 1;
        }
        bytes[at + 1] = b'"';
        bytes[at + 2] = b':';
        JsonKey { bytes, length: name.len() as u8 + 3 }
    }

    /// Returns the bytes to copy, and how many of them are the key; nothing if it doesn't fit.
    #[inline]
    pub fn short(&self) -> Option<(&[u8; JsonKey::ROOM], usize)> {
        let length = usize::from(self.length);
        (length <= JsonKey::ROOM).then_some((&self.bytes, length))
    }

    /// Returns the key's length if a text begins with it. Empty keys and keys that don't fit never match.
    #[inline]
    pub fn leads(&self, text: &[u8]) -> Option<usize> {
        let length = usize::from(self.length);
        let counted = COUNTED.get(length)?;
        let Some(front) = text.first_chunk::<{ JsonKey::ROOM }>() else {
            return (length > 0 && text.get(..length) == self.bytes.get(..length)).then_some(length);
        };
        // Where another key stands, its first letter mostly is another.
        if front[1] != self.bytes[1] {
            return None;
        }
        let differing = |at: usize| (word(front, at) ^ word(&self.bytes, at)) & counted[at];
        let differing = differing(0) | differing(1) | differing(2) | differing(3);
        (differing == 0 && length > 0).then_some(length)
    }
}

impl fmt::Debug for JsonKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.short().and_then(|(bytes, length)| bytes.get(..length));
        f.write_str(&String::from_utf8_lossy(shown.unwrap_or(b"(long)")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_length_are_found_and_no_others() {
        for length in 1..40 {
            let name: String = ('a'..='z').cycle().take(length).collect();
            let key = JsonKey::new(&name);
            let text = format!("\"{name}\":");
            let fits = (text.len() <= JsonKey::ROOM).then_some(text.len());
            for behind in ["", "1", "\"a text that is longer than a key may be\"}"] {
                assert_eq!(key.leads(format!("{text}{behind}").as_bytes()), fits, "{text}{behind}");
                for place in 0..text.len() {
                    let mut other = format!("{text}{behind}").into_bytes();
                    other[place] ^= 1;
                    assert_eq!(key.leads(&other), None, "{text}{behind} at {place}");
                    assert_eq!(key.leads(&other[..place]), None, "{text} up to {place}");
                }
            }
        }
        assert_eq!(JsonKey::new("").leads(b""), None);
        assert_eq!(JsonKey::new("").leads(b"\"\":1"), None);
        assert_eq!(JsonKey::new("").short().map(|(_, length)| length), Some(0));
    }
}
