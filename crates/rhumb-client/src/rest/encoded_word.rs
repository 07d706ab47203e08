//! Decoding of RFC 2047 encoded words (`=?utf-8?q?Gr=C3=BC=C3=9Fe?=`), which servers use in warnings.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Returns the text with its encoded words decoded. What is no such word stays as it is. None if a word is in a
/// character set that is not known, as Go refuses it then.
pub(super) fn decode(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Blanks between two words are part of neither, because long texts are broken up into words.
    let mut after_word = false;
    while let Some(start) = rest.find("=?") {
        let (before, from) = rest.split_at(start);
        let Some((word, behind)) = word(from) else {
            let (mark, behind) = from.split_at(2);
            out.push_str(before);
            out.push_str(mark);
            (rest, after_word) = (behind, false);
            continue;
        };
        if !after_word || !before.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
            out.push_str(before);
        }
        out.push_str(&in_charset(word.charset, word.bytes)?);
        (rest, after_word) = (behind, true);
    }
    out.push_str(rest);
    Some(out)
}

struct Word<'a> {
    charset: &'a str,
    bytes: Vec<u8>,
}

/// Returns the word that a text begins with, if it does, and what stands behind it.
fn word(text: &str) -> Option<(Word<'_>, &str)> {
    let (charset, rest) = text.strip_prefix("=?")?.split_once('?')?;
    let (encoding, rest) = rest.split_once('?')?;
    let (encoded, behind) = rest.split_once("?=")?;
    let bytes = match encoding {
        "b" | "B" => STANDARD.decode(encoded).ok()?,
        "q" | "Q" => quoted_printable(encoded)?,
        _ => return None,
    };
    Some((Word { charset, bytes }, behind))
}

/// Decodes the Q encoding: an underscore is a space, and `=` precedes two hexadecimal digits.
fn quoted_printable(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'_' => out.push(b' '),
            b'=' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                out.push(u8::try_from(high * 16 + low).ok()?);
            }
            b'\t' | b'\n' | b'\r' | b' '..=b'~' => out.push(byte),
            _ => return None,
        }
    }
    Some(out)
}

fn in_charset(charset: &str, bytes: Vec<u8>) -> Option<String> {
    if charset.eq_ignore_ascii_case("utf-8") {
        Some(String::from_utf8_lossy(&bytes).into_owned())
    } else if charset.eq_ignore_ascii_case("iso-8859-1") {
        Some(bytes.into_iter().map(char::from).collect())
    } else if charset.eq_ignore_ascii_case("us-ascii") {
        let known = |byte: u8| if byte.is_ascii() { char::from(byte) } else { char::REPLACEMENT_CHARACTER };
        Some(bytes.into_iter().map(known).collect())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn words_are_decoded_as_go_decodes_them() {
        for (text, expect) in [
            ("plain", "plain"),
            ("=?utf-8?q?Gr=C3=BC=C3=9Fe_an_alle?=", "Grüße an alle"),
            ("=?UTF-8?B?R3LDvMOfZQ==?=, all", "Grüße, all"),
            ("a =?iso-8859-1?Q?caf=e9?= b", "a café b"),
            ("=?us-ascii?q?a=ff?=", "a\u{fffd}"),
            // Between words blanks don't count, beside them they do.
            ("=?utf-8?q?a?= \t=?utf-8?q?b?= c", "ab c"),
            // What is no word stays.
            ("=?utf-8?q?open", "=?utf-8?q?open"),
            ("=?utf-8?x?a?= =?", "=?utf-8?x?a?= =?"),
            ("=?utf-8?q?=4?=", "=?utf-8?q?=4?="),
            ("=?utf-8?b?!?= =?utf-8?q?b?=", "=?utf-8?b?!?= b"),
            ("=?utf-8?q?a?= =?utf-8?x?b?=", "a =?utf-8?x?b?="),
            ("=?utf-8?q??=", ""),
        ] {
            assert_eq!(decode(text).as_deref(), Some(expect), "{text}");
        }
        assert_eq!(decode("=?koi8-r?q?a?="), None);
        assert_eq!(decode("=??q?a?="), None);
    }
}
