//! Incremental decoding of a list: the fields before its items, and the items that have arrived.

use rhumb_schema::text::{Scanner, SyntaxError};
use rhumb_schema::{DecodeError, List};

use super::decode::{Decoder, Reading};

/// Where the items of a list are in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListParts {
    /// Behind this many bytes, the last of which is the `[`.
    Begin(usize),
    /// Nowhere that is known: the text is no object, or has something else in their place.
    Nowhere,
    /// More of the text is needed to tell.
    Unknown,
}

/// Finds the `items` of a list in the start of its text.
pub fn list_parts(text: &[u8]) -> ListParts {
    match find(text) {
        Ok(Some(begin)) => ListParts::Begin(begin),
        Ok(None) => ListParts::Nowhere,
        Err(error) if error.is_eof() => ListParts::Unknown,
        Err(_) => ListParts::Nowhere,
    }
}

fn find(text: &[u8]) -> Result<Option<usize>, SyntaxError> {
    let mut scanner = Scanner::new(text);
    match scanner.peek() {
        Some(b'{') => scanner.bump(),
        Some(_) => return Ok(None),
        None => return Err(scanner.error("looking for beginning of value")),
    }
    let mut first = true;
    while scanner.next_entry(std::mem::take(&mut first))? {
        if scanner.key()? != "items" {
            scanner.skip()?;
            continue;
        }
        match scanner.peek() {
            Some(b'[') => scanner.bump(),
            Some(_) => return Ok(None),
            None => return Err(scanner.error("looking for beginning of value")),
        }
        return Ok(Some(scanner.offset()));
    }
    Ok(None)
}

/// Result of decoding items.
#[derive(Debug)]
pub struct Elements {
    /// Length in bytes of the complete items.
    pub read: usize,
    /// Number of complete items, which an incomplete one may follow.
    pub count: usize,
    /// Whether the list is over, and if not, why no more could be read. While there is more to come that is no error.
    pub end: Result<(), DecodeError>,
}

/// Reads the elements of a list from text that begins behind its `[` or behind an element, as far as it goes.
/// `before` is how many elements came before.
pub fn decode_elements(text: &[u8], before: usize, list: &mut dyn List) -> Elements {
    let mut decoder = Decoder::new(text, &Reading::default());
    let size = list.element_size();
    let (mut read, mut count) = (0, 0);
    loop {
        let end = match decoder.element(before + count, size, list) {
            Ok(true) => {
                read = decoder.offset();
                count += 1;
                continue;
            }
            Ok(false) => {
                read = decoder.offset();
                Ok(())
            }
            Err(error) => Err(*error),
        };
        return Elements { read, count, end };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_behind_whatever_stands_before_them() {
        let begin = |text: &str| list_parts(text.as_bytes());
        assert_eq!(begin(r#"{"items":["#), ListParts::Begin(10));
        let long = r#" {"kind":"PodList","metadata":{"items":[1]},"items" : [{}]}"#;
        assert_eq!(begin(long), ListParts::Begin(long.find("[{}").unwrap() + 1));
        for end in 0..long.find("[{}").unwrap() {
            assert_eq!(begin(&long[..end]), ListParts::Unknown, "{end}");
        }
        for other in ["[]", "null", r#"{"items":null}"#, r#"{"items":{}}"#, r#"{"kind":"Status"}"#, "{]"] {
            assert_eq!(begin(other), ListParts::Nowhere, "{other}");
        }
    }

    #[test]
    fn as_many_elements_are_read_as_are_there() {
        let text = r#" {"a":"]}"}, {"b":[{}]} ,null,{"c":"ä"}] , "metadata":{}}"#;
        let whole = text.find("] ,").unwrap() + 1;
        let mut all: Vec<serde_json::Value> = Vec::new();
        let elements = decode_elements(text.as_bytes(), 0, &mut all);
        assert_eq!((elements.read, elements.count, elements.end), (whole, 4, Ok(())));
        for end in 0..whole {
            // In two parts, cut anywhere.
            let (mut first, mut second): (Vec<serde_json::Value>, Vec<_>) = Default::default();
            let elements = decode_elements(&text.as_bytes()[..end], 0, &mut first);
            assert!(elements.end.is_err(), "{end}");
            first.truncate(elements.count);
            let rest = decode_elements(&text.as_bytes()[elements.read..], first.len(), &mut second);
            assert_eq!((rest.read + elements.read, rest.end), (whole, Ok(())), "{end}");
            first.append(&mut second);
            assert_eq!(first, all, "{end}");
        }
    }
}
