//! Values of constants, from the tokens that they are written as.

/// The value of an integer; none if it is out of range.
pub(super) fn int(negative: bool, text: &str) -> Option<i64> {
    let magnitude = i128::from(whole(text)?);
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

/// The value of an unsigned integer, which ends in `u`; none if it is out of range.
pub(super) fn uint(text: &str) -> Option<u64> {
    whole(text.trim_end_matches(['u', 'U']))
}

fn whole(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The value of a floating-point number; none if it is out of range.
pub(super) fn double(negative: bool, text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
    Some(if negative { -value } else { value })
}

/// The value of a string, from its token.
pub(super) fn string(text: &str) -> Result<String, &'static str> {
    let (body, raw) = body(text)?;
    if raw || !body.contains('\\') {
        return Ok(body.into_owned());
    }
    let mut value = String::with_capacity(body.len());
    let mut rest = body.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => match escape(&mut rest)? {
                Escape::Character(character) => value.push(character),
                Escape::Number(_, number) => {
                    value.push(char::from_u32(number).ok_or("invalid unicode code point")?)
                }
            },
            other => value.push(other),
        }
    }
    Ok(value)
}

/// The value of a sequence of bytes, from its token without the `b`.
pub(super) fn bytes(text: &str) -> Result<Vec<u8>, &'static str> {
    let (body, raw) = body(text)?;
    if raw {
        return Ok(body.into_owned().into_bytes());
    }
    let mut value = Vec::with_capacity(body.len());
    let mut rest = body.chars();
    while let Some(character) = rest.next() {
        let character = match character {
            '\\' => match escape(&mut rest)? {
                Escape::Character(character) => character,
                Escape::Number('u' | 'U', _) => return Err(BAD),
                Escape::Number(_, number) => {
                    value.push(u8::try_from(number).map_err(|_| BAD)?);
                    continue;
                }
            },
            other => other,
        };
        value.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(value)
}

const BAD: &str = "unable to unescape string";

/// What is between the quotes, with line breaks as `\n`, and whether escapes are left alone.
fn body(text: &str) -> Result<(std::borrow::Cow<'_, str>, bool), &'static str> {
    let unprefixed = text.strip_prefix(['r', 'R']);
    let quoted = unprefixed.unwrap_or(text);
    let body = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find_map(|quotes| quoted.strip_prefix(quotes).and_then(|rest| rest.strip_suffix(quotes)))
        .ok_or(BAD)?;
    let body =
        if body.contains('\r') { body.replace("\r\n", "\n").replace('\r', "\n").into() } else { body.into() };
    Ok((body, unprefixed.is_some()))
}

enum Escape {
    /// A letter that stands for a character.
    Character(char),
    /// A number and the letter before it, `0` if there is none.
    Number(char, u32),
}

/// What follows a backslash. The lexer has seen to it that it is complete.
fn escape(rest: &mut std::str::Chars<'_>) -> Result<Escape, &'static str> {
    let first = rest.next().ok_or("unable to unescape string, found '\\' as last character")?;
    let mut number = |digits: usize, radix: u32, start: u32| {
        (0..digits).try_fold(start, |number: u32, _| -> Result<u32, &'static str> {
            let digit = rest.next().and_then(|digit| digit.to_digit(radix)).ok_or(BAD)?;
            Ok((number << radix.trailing_zeros()) | digit)
        })
    };
    Ok(match first {
        'a' => Escape::Character('\u{7}'),
        'b' => Escape::Character('\u{8}'),
        'f' => Escape::Character('\u{c}'),
        'n' => Escape::Character('\n'),
        'r' => Escape::Character('\r'),
        't' => Escape::Character('\t'),
        'v' => Escape::Character('\u{b}'),
        '"' | '\'' | '\\' | '?' | '`' => Escape::Character(first),
        'x' | 'X' => Escape::Number('x', number(2, 16, 0)?),
        'u' => Escape::Number('u', number(4, 16, 0)?),
        'U' => Escape::Number('U', number(8, 16, 0)?),
        '0'..='3' => Escape::Number('0', number(2, 8, first.to_digit(8).unwrap_or_default())?),
        _ => return Err(BAD),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(int(false, "9223372036854775807"), Some(i64::MAX));
        assert_eq!(int(false, "9223372036854775808"), None);
        assert_eq!(int(true, "9223372036854775808"), Some(i64::MIN));
        assert_eq!(int(true, "0x1F"), Some(-31));
        assert_eq!(uint("0xffffffffffffffffu"), Some(u64::MAX));
        assert_eq!(uint("18446744073709551616u"), None);
        assert_eq!(double(true, ".5e1"), Some(-5.0));
        assert_eq!(double(false, "1e999"), None);
    }

    #[test]
    fn strings_and_bytes() {
        let check = |text: &str, expected: Result<&str, &'static str>| {
            assert_eq!(string(text), expected.map(str::to_owned), "{text}");
        };
        check(r#""a""#, Ok("a"));
        check(r"'\a\b\f\n\r\t\v\\\'\?\`'", Ok("\u{7}\u{8}\u{c}\n\r\t\u{b}\\'?`"));
        check(r"'\x41\xff\u00e9\U0001F600\101'", Ok("A\u{ff}é😀A"));
        check(r"r'\n'", Ok(r"\n"));
        check("'''a\r\nb\rc'''", Ok("a\nb\nc"));
        check("\"\"\"'\"\"\"", Ok("'"));
        check(r"'\ud800'", Err("invalid unicode code point"));
        check(r"'\U00110000'", Err("invalid unicode code point"));
        let check = |text: &str, expected: Result<&[u8], &'static str>| {
            assert_eq!(bytes(text), expected.map(<[u8]>::to_vec), "{text}");
        };
        check(r"'\xff\377é'", Ok(b"\xff\xff\xc3\xa9"));
        check(r"'\u00ff'", Err(BAD));
        check(r"R'\xff'", Ok(br"\xff"));
    }
}
