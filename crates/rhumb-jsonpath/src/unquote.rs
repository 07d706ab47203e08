//! Quoted strings with Go's escapes.

/// Returns the text between double or single quotes, with the escapes of Go resolved; none if an escape is malformed
/// or the quotes are no pair.
pub fn unquoted(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let inner = text.get(1..)?.strip_suffix(quote)?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(letter) = rest.next() {
        if letter == quote {
            return None;
        }
        if letter != '\\' {
            push(letter, &mut bytes);
            continue;
        }
        match rest.next()? {
            'a' => bytes.push(0x07),
            'b' => bytes.push(0x08),
            'f' => bytes.push(0x0c),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'v' => bytes.push(0x0b),
            '\\' => bytes.push(b'\\'),
            'x' => bytes.push(u8::try_from(number(&mut rest, 2, 16)?).ok()?),
            'u' => push(char::from_u32(number(&mut rest, 4, 16)?)?, &mut bytes),
            'U' => push(char::from_u32(number(&mut rest, 8, 16)?)?, &mut bytes),
            first @ '0'..='7' => {
                let tail = number(&mut rest, 2, 8)?;
                bytes.push(u8::try_from(first.to_digit(8)? * 64 + tail).ok()?);
            }
            other if other == quote => push(other, &mut bytes),
            _ => return None,
        }
    }
    // Escapes can make bytes that are no text; they are shown as such.
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn push(letter: char, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
}

fn number(rest: &mut std::str::Chars<'_>, digits: usize, radix: u32) -> Option<u32> {
    (0..digits)
        .try_fold(0u32, |value, _| value.checked_mul(radix)?.checked_add(rest.next()?.to_digit(radix)?))
}
