//! JSON strings and numbers as Go's `encoding/json` writes them.

use super::scan::{Scanner, SyntaxError, plain_length};

/// Bytes written without escapes. Go also escapes `<`, `>` and `&`, for embedding in HTML.
static PLAIN: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = false;
        byte += 1;
    }
    table[b'"' as usize] = false;
    table[b'\\' as usize] = false;
    table[b'<' as usize] = false;
    table[b'>' as usize] = false;
    table[b'&' as usize] = false;
    // The first byte of U+2028 and U+2029, which are line ends in JavaScript.
    table[0xe2] = false;
    table
};

/// Appends a JSON string.
#[inline]
pub fn write_str(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    if is_plain(text.as_bytes()) {
        out.extend_from_slice(text.as_bytes());
    } else {
        write_inside(text.as_bytes(), out);
    }
    out.push(b'"');
}

/// Reports whether a text stands in a string as it is, which is looked at by sixteen bytes at a time.
#[inline]
pub fn is_plain(bytes: &[u8]) -> bool {
    let mut found = [0; 16];
    if let Some(last) = bytes.last_chunk::<16>() {
        let (chunks, _) = bytes.as_chunks::<16>();
        chunks.iter().for_each(|chunk| find_special(chunk, &mut found));
        find_special(last, &mut found);
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let both = u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << 64;
        find_special(&both.to_le_bytes(), &mut found);
    } else {
        return bytes.iter().all(|byte| PLAIN[usize::from(*byte)]);
    }
    u128::from_le_bytes(found) == 0
}

#[inline(always)]
fn find_special(bytes: &[u8; 16], found: &mut [u8; 16]) {
    for (found, byte) in found.iter_mut().zip(bytes) {
        *found |= special(*byte);
    }
}

/// Zero for the bytes that the table of plain ones has. Without comparisons, so that the compiler makes it one step
/// for sixteen bytes; `<` and `>` differ in one bit, and so do the quote and `&`.
#[inline(always)]
fn special(byte: u8) -> u8 {
    let is = |other: u8, byte: u8| 1u8.saturating_sub(byte ^ other);
    0x20u8.saturating_sub(byte)
        | is(b'>', byte | 0x02)
        | is(b'&', byte | 0x04)
        | is(b'\\', byte)
        | is(0xe2, byte)
}

/// Copies a text into a space of its length and says whether it stands in a string as it is, in one go: where it
/// doesn't, what was copied is to be written over.
#[inline(always)]
pub(super) fn put_plain(text: &[u8], space: &mut [u8]) -> bool {
    let sure = if let (Some(last), Some(last_space)) = (text.last_chunk::<16>(), space.last_chunk_mut::<16>())
    {
        let mut doubtful = [0; 16];
        *last_space = *last;
        find_doubtful(last, &mut doubtful);
        let (chunks, _) = text.as_chunks::<16>();
        for (chunk, space) in chunks.iter().zip(space.as_chunks_mut::<16>().0) {
            *space = *chunk;
            find_doubtful(chunk, &mut doubtful);
        }
        u128::from_le_bytes(doubtful) == 0
    } else if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        if let Some(space) = space.first_chunk_mut::<8>() {
            *space = *first;
        }
        if let Some(space) = space.last_chunk_mut::<8>() {
            *space = *last;
        }
        !has_doubtful(u64::from_le_bytes(*first)) & !has_doubtful(u64::from_le_bytes(*last))
    } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        if let Some(space) = space.first_chunk_mut::<4>() {
            *space = *first;
        }
        if let Some(space) = space.last_chunk_mut::<4>() {
            *space = *last;
        }
        let both = u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
        !has_doubtful(both)
    } else {
        let mut plain = true;
        for (byte, space) in text.iter().zip(space) {
            *space = *byte;
            plain &= PLAIN[usize::from(*byte)];
        }
        return plain;
    };
    sure || is_plain(text)
}

/// Finds bytes that may need an escape, in fewer steps than it takes to be sure: a blank, `=`, `?` and what is beyond
/// ASCII are among them, but names, images, times and most other texts have none of these.
#[inline(always)]
fn find_doubtful(bytes: &[u8; 16], found: &mut [u8; 16]) {
    for (found, byte) in found.iter_mut().zip(bytes) {
        let doubtful = ((*byte as i8) <= b'&' as i8) | (*byte | 0x03 == b'?') | (*byte == b'\\');
        *found |= if doubtful { 0xff } else { 0 };
    }
}

/// Reports the same for eight bytes in a word. A byte of the sum has its top bit set if it is one of these;
/// one above it may have it too, which makes no difference.
#[inline(always)]
fn has_doubtful(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let is_low = word.wrapping_sub(ONES * (b'&' + 1) as u64);
    let is_mark = ((word | (ONES * 0x03)) ^ (ONES * b'?' as u64)).wrapping_sub(ONES);
    let is_backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    (word | is_low | is_mark | is_backslash) & (ONES << 7) != 0
}

/// Returns the number of decimal digits.
#[inline]
pub(super) fn decimal_digits(value: u64) -> usize {
    match value {
        0..10 => 1,
        10..100 => 2,
        100..1_000 => 3,
        1_000..10_000 => 4,
        more => more.ilog10() as usize + 1,
    }
}

fn write_inside(mut rest: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = rest.iter().position(|byte| !PLAIN[usize::from(*byte)]) {
        let (plain, tail) = rest.split_at(at);
        out.extend_from_slice(plain);
        let used = match tail {
            [b'"', ..] => escape(b"\\\"", 1, out),
            [b'\\', ..] => escape(b"\\\\", 1, out),
            [b'\n', ..] => escape(b"\\n", 1, out),
            [b'\r', ..] => escape(b"\\r", 1, out),
            [b'\t', ..] => escape(b"\\t", 1, out),
            [8, ..] => escape(b"\\b", 1, out),
            [12, ..] => escape(b"\\f", 1, out),
            [0xe2, 0x80, 0xa8, ..] => escape(b"\\u2028", 3, out),
            [0xe2, 0x80, 0xa9, ..] => escape(b"\\u2029", 3, out),
            [0xe2, ..] => escape(&[0xe2], 1, out),
            [control, ..] => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                let digit = |value: u8| HEX.get(usize::from(value & 15)).copied().unwrap_or(b'0');
                escape(&[b'\\', b'u', b'0', b'0', digit(control >> 4), digit(*control)], 1, out)
            }
            [] => 0,
        };
        rest = tail.get(used..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

fn escape(form: &[u8], used: usize, out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(form);
    used
}

/// Appends an integer.
pub fn write_i64(value: i64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a number in Go's form: no exponent between 1e-6 and 1e21, else `1e+21` and `1e-7`. What JSON can't say
/// (infinities, not a number) becomes `null`.
pub fn write_f64(value: f64, out: &mut Vec<u8>) {
    if !value.is_finite() {
        out.extend_from_slice(b"null");
        return;
    }
    let size = value.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        out.extend_from_slice(format!("{value}").as_bytes());
        return;
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let sign = if exponent.starts_with('-') { "" } else { "+" };
            out.extend_from_slice(format!("{mantissa}e{sign}{exponent}").as_bytes());
        }
        None => out.extend_from_slice(text.as_bytes()),
    }
}

/// Appends JSON text without its white space, its strings escaped as [`write_str`] does. Nothing gives `null`.
///
/// # Errors
/// If the text is no JSON.
pub fn compact(json: &[u8], out: &mut Vec<u8>) -> Result<(), SyntaxError> {
    if json.is_empty() {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    let mut scanner = Scanner::new(json);
    let value = scanner.skip()?;
    scanner.end()?;
    // Most of what comes here was written by a program, and is as it should be.
    if !value.iter().fold(false, |found, byte| found | may_change(*byte)) {
        out.extend_from_slice(value);
        return Ok(());
    }
    let mut quoted = false;
    let mut bytes = value.iter().copied().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' if !quoted => {}
            b'"' => {
                quoted = !quoted;
                out.push(byte);
            }
            b'\\' => {
                out.push(byte);
                out.extend(bytes.next().map(|(_, escaped)| escaped));
            }
            b'<' => out.extend_from_slice(b"\\u003c"),
            b'>' => out.extend_from_slice(b"\\u003e"),
            b'&' => out.extend_from_slice(b"\\u0026"),
            0xe2 => match value.get(at..at + 3) {
                Some([0xe2, 0x80, last @ (0xa8 | 0xa9)]) => {
                    out.extend_from_slice(if *last == 0xa8 { b"\\u2028" } else { b"\\u2029" });
                    bytes.nth(1);
                }
                _ => out.push(byte),
            },
            other => out.push(other),
        }
    }
    Ok(())
}

/// Reports whether a byte of JSON text may have to be dropped or escaped.
const fn may_change(byte: u8) -> bool {
    byte <= b' ' || byte == b'<' || byte == b'>' || byte == b'&' || byte == 0xe2
}

/// Appends compact JSON text with two spaces of indentation a level, as Go's `MarshalIndent` does. The input must be
/// valid and compact.
pub fn indent(json: &[u8], out: &mut Vec<u8>) {
    indent_by(2, json, out);
}

/// Does what [`indent`] does with any number of spaces a level.
pub fn indent_by(spaces: usize, json: &[u8], out: &mut Vec<u8>) {
    // Objects of an API take a little more than twice the room.
    out.reserve(json.len().saturating_mul(5) / 2);
    let mut depth = 0usize;
    let mut rest = json;
    while let [byte, behind @ ..] = rest {
        let mut taken = 1;
        match byte {
            b'"' => {
                taken += string_end(behind);
                put_front(rest, taken, out);
            }
            b'{' | b'[' => {
                out.push(*byte);
                if let [close @ (b'}' | b']'), ..] = behind {
                    out.push(*close);
                    taken += 1;
                } else {
                    depth += 1;
                    put_line(spaces * depth, out);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                put_line(spaces * depth, out);
                out.push(*byte);
            }
            b',' => {
                out.push(b',');
                put_line(spaces * depth, out);
            }
            b':' => out.extend_from_slice(b": "),
            other => out.push(*other),
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
}

/// Returns the length of a string after its first quote, including the last quote.
#[inline]
fn string_end(bytes: &[u8]) -> usize {
    let mut end = 0;
    loop {
        end += bytes.get(end..).map_or(0, plain_length);
        match bytes.get(end) {
            Some(b'"') => return end + 1,
            Some(b'\\') => end += 2,
            Some(_) => end += 1,
            None => return bytes.len(),
        }
    }
}

/// Number of bytes copied at once where fewer may be needed, which is faster than an exact copy.
const PIECE: usize = 32;

/// Appends the first bytes of a text.
#[inline]
fn put_front(text: &[u8], count: usize, out: &mut Vec<u8>) {
    match text.first_chunk::<PIECE>() {
        Some(piece) if count <= PIECE => {
            let length = out.len() + count;
            out.extend_from_slice(piece);
            out.truncate(length);
        }
        _ => out.extend_from_slice(text.get(..count).unwrap_or(text)),
    }
}

/// Appends a line end and spaces.
#[inline]
fn put_line(spaces: usize, out: &mut Vec<u8>) {
    static LINE: [u8; PIECE] = {
        let mut line = [b' '; PIECE];
        line[0] = b'\n';
        line
    };
    let length = out.len() + 1 + spaces;
    out.extend_from_slice(&LINE);
    out.resize(length, b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fast check must never pass a text that the table would not, wherever the byte stands.
    #[test]
    fn no_byte_that_needs_an_escape_is_taken_for_plain() {
        for length in 1..40 {
            for place in 0..length {
                for byte in 0..=255u8 {
                    let mut bytes = vec![b'a'; length];
                    bytes[place] = byte;
                    assert!(PLAIN[usize::from(byte)] || !is_plain(&bytes), "{byte} at {place} of {length}");
                    let mut space = vec![0; length];
                    assert_eq!(put_plain(&bytes, &mut space), is_plain(&bytes));
                    assert_eq!(space, bytes);
                }
            }
            assert!(is_plain(&vec![b'a'; length]));
        }
    }

    /// Strings of many lengths, with and without what must not end them, at many depths and at the end of the text.
    #[test]
    fn indented_text_is_what_another_library_writes() {
        let mut value = serde_json::json!([{}, [], null, true, -12, 0.5, "", {"": ""}]);
        for length in 0..70 {
            let plain = "x".repeat(length);
            let texts =
                ["", "\"", "\\", "\\\"", "{[,:]}", " é\n\t"].map(|end| format!("{plain}{end}{plain}"));
            value = serde_json::json!({ &plain: texts, "within": [value, &plain], &texts[3]: length });
        }
        let expected = serde_json::to_string_pretty(&value).unwrap();
        let twice = |line: &str| format!("{}{line}", &line[..line.len() - line.trim_start().len()]);
        let wider: Vec<String> = expected.lines().map(twice).collect();
        for (spaces, expected) in [(2, expected), (4, wider.join("\n"))] {
            let mut out = b"before".to_vec();
            indent_by(spaces, value.to_string().as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("before{expected}"));
        }
    }
}
