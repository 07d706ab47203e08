//! Quoting like Go's `%q`, for errors that contain client input.

use std::fmt::Write;

/// Puts a text, or bytes, between double quotes as Go's `%q` does: what can't be printed is escaped.
pub fn quoted(text: impl AsRef<[u8]>) -> String {
    let bytes = text.as_ref();
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|character| push(character, &mut out));
        for byte in chunk.invalid() {
            // Writing to a string doesn't fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}

fn push(character: char, out: &mut String) {
    let escape = match character {
        '"' | '\\' => character,
        '\x07' => 'a',
        '\x08' => 'b',
        '\x0c' => 'f',
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\x0b' => 'v',
        printable if is_printable(printable) => {
            out.push(printable);
            return;
        }
        other => {
            let code = u32::from(other);
            let _ = match code {
                0..0x80 => write!(out, "\\x{code:02x}"),
                0x80..0x10000 => write!(out, "\\u{code:04x}"),
                _ => write!(out, "\\U{code:08x}"),
            };
            return;
        }
    };
    out.extend(['\\', escape]);
}

/// Reports whether a character can be seen: letters, marks, numbers, punctuation, symbols and the blank.
pub fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return character == ' ' || character.is_ascii_graphic();
    }
    // The standard library tells printable characters apart by how it escapes them, and it escapes combining
    // marks at the start of a text alone: hence the letter in front.
    String::from_iter(['a', character]).escape_debug().count() == 2
}
