//! Fast UTF-8 validation of short ASCII strings, which API objects mostly consist of.
//!
//! The only unsafe code of the project, and why it is here: `std::str::from_utf8` looks at every byte of a
//! short string with branches of its own. For the 720 strings of a golden Pod it was the dearest single
//! function of decoding protobuf; without it decoding takes 53 µs where it took 64. ASCII needs no such look,
//! but the standard library has no safe and stable way to say so.

#![allow(unsafe_code, reason = "one call, behind a check of its condition; see above")]

/// Returns the bytes as text, if they are UTF-8.
#[inline]
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    if is_ascii(bytes) {
        // SAFETY: bytes below 0x80 are UTF-8, each a character of its own, and `is_ascii` has seen every byte.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes).ok()
}

/// Reports whether all bytes are below 0x80. Every byte is in one of the words that are looked at; for lengths that
/// are no multiple of eight the last word overlaps the one before.
#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    const TOPS: u64 = 0x8080_8080_8080_8080;
    if let Some(last) = bytes.last_chunk::<8>() {
        let (words, _) = bytes.as_chunks::<8>();
        let seen =
            words.iter().fold(u64::from_le_bytes(*last), |seen, word| seen | u64::from_le_bytes(*word));
        return seen & TOPS == 0;
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return (u32::from_le_bytes(*first) | u32::from_le_bytes(*last)) & TOPS as u32 == 0;
    }
    bytes.iter().fold(0, |seen, byte| seen | byte) < 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every length and every place of a byte that is not ASCII: the check must see each.
    #[test]
    fn no_byte_of_any_length_is_overlooked() {
        for length in 0..70 {
            let mut bytes = vec![b'a'; length];
            assert_eq!(utf8(&bytes), std::str::from_utf8(&bytes).ok());
            for place in 0..length {
                for bad in [0x80, 0xc3, 0xff] {
                    bytes[place] = bad;
                    assert!(!is_ascii(&bytes), "length {length}, place {place}");
                    assert_eq!(utf8(&bytes), None);
                }
                bytes[place] = b'a';
            }
        }
    }

    #[test]
    fn text_beyond_ascii_is_text_all_the_same() {
        for text in ["é", "naïve", "日本語のテキスト", "🦀🦀🦀"] {
            assert_eq!(utf8(text.as_bytes()), Some(text));
        }
    }
}
