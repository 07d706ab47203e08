//! Quoting of Go's time package in errors.

/// Returns the text in double quotes, with control characters and everything beyond ASCII as hexadecimal bytes.
///
/// It takes bytes because the part in question may begin or end within a character.
pub(crate) fn quoted(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            0x20..0x80 => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}
