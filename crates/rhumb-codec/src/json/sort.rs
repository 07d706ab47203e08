//! Normalised JSON as Go writes it: no white space, one way of escaping, sorted keys. YAML reaches decoders in this
//! form.

use std::ops::Range;

use rhumb_schema::MAX_DEPTH;
use rhumb_schema::text::{Scanner, SyntaxError, write_str};

/// Appends a JSON text without white space, with strings as Go escapes them and with the keys of every object in the
/// order of their bytes.
///
/// # Errors
/// If the text is malformed or nested too deeply.
pub fn sort_keys(json: &[u8], out: &mut Vec<u8>) -> Result<(), SyntaxError> {
    let mut scanner = Scanner::new(json);
    value(&mut scanner, 0, out)?;
    scanner.end()
}

fn value(scanner: &mut Scanner<'_>, depth: usize, out: &mut Vec<u8>) -> Result<(), SyntaxError> {
    if depth > MAX_DEPTH {
        return Err(scanner.depth_error());
    }
    match scanner.peek() {
        Some(b'{') => object(scanner, depth, out),
        Some(b'[') => {
            scanner.bump();
            out.push(b'[');
            let mut first = true;
            while scanner.next_element(first)? {
                if !first {
                    out.push(b',');
                }
                first = false;
                value(scanner, depth + 1, out)?;
            }
            out.push(b']');
            Ok(())
        }
        Some(b'"') => {
            write_str(&scanner.string()?, out);
            Ok(())
        }
        _ => {
            out.extend_from_slice(scanner.skip()?);
            Ok(())
        }
    }
}

fn object(scanner: &mut Scanner<'_>, depth: usize, out: &mut Vec<u8>) -> Result<(), SyntaxError> {
    scanner.bump();
    out.push(b'{');
    let base = out.len();
    let mut entries: Vec<(String, Range<usize>)> = Vec::new();
    while scanner.next_entry(entries.is_empty())? {
        if !entries.is_empty() {
            out.push(b',');
        }
        let key = scanner.key()?.into_owned();
        let start = out.len() - base;
        write_str(&key, out);
        out.push(b':');
        value(scanner, depth + 1, out)?;
        entries.push((key, start..out.len() - base));
    }
    if !entries.is_sorted_by(|one, other| one.0 <= other.0) {
        let text = out.split_off(base);
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        for (index, (_, range)) in entries.into_iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(text.get(range).unwrap_or_default());
        }
    }
    out.push(b'}');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::sort_keys;

    #[test]
    fn keys_are_sorted_at_every_level() {
        for (json, sorted) in [
            (r#" {"b" : 1, "a":[{"d":"x","c":null}, 1.50 ] } "#, r#"{"a":[{"c":null,"d":"x"},1.50],"b":1}"#),
            (r#"{"ab":1,"a.b":2,"aB":3,"\u0061":4}"#, r#"{"a":4,"a.b":2,"aB":3,"ab":1}"#),
            (r#"{"b":"<\u00e9\/>","a":""}"#, r#"{"a":"","b":"\u003cé/\u003e"}"#),
            ("{}", "{}"),
            ("[ ]", "[]"),
        ] {
            let mut out = Vec::new();
            sort_keys(json.as_bytes(), &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), sorted);
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let json = "[".repeat(100_000);
        assert!(sort_keys(json.as_bytes(), &mut Vec::new()).is_err());
    }
}
