//! The media type in a `Content-Type` header.
//!
//! Parameters are checked and then dropped: which of them a body has changes nothing, yet a header with
//! malformed ones is refused, as is one that gives two values for a name.

use super::MAX_HEADER;

/// Returns the media type in lower case; none if the header is malformed or longer than anyone needs.
pub(super) fn parse(header: &str) -> Option<String> {
    if header.len() > MAX_HEADER {
        return None;
    }
    let (base, mut rest) = header.split_at(header.find(';').unwrap_or(header.len()));
    let media_type = base.to_lowercase().trim().to_owned();
    let (kind, subtype) = media_type.split_once('/')?;
    if !is_token(kind) || !is_token(subtype) {
        return None;
    }
    let mut seen: Vec<(String, String)> = Vec::new();
    while !rest.trim_start().is_empty() {
        let Some((name, value, after)) = parameter(rest) else {
            let trailing = rest.trim() == ";";
            return trailing.then_some(media_type);
        };
        match seen.iter().find(|(known, _)| *known == name) {
            Some((_, known)) if *known != value => return None,
            Some(_) => {}
            None => seen.push((name, value)),
        }
        rest = after;
    }
    Some(media_type)
}

/// Returns a semicolon, a name in lower case, an equals sign and a value, and what comes after.
fn parameter(text: &str) -> Option<(String, String, &str)> {
    let text = text.trim_start().strip_prefix(';')?.trim_start();
    let (name, text) = token(text)?;
    let text = text.trim_start().strip_prefix('=')?.trim_start();
    let (value, text) = match text.strip_prefix('"') {
        Some(inside) => quoted(inside)?,
        None => token(text).map(|(value, rest)| (value.to_owned(), rest))?,
    };
    Some((name.to_ascii_lowercase(), value, text))
}

fn token(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().position(|byte| !is_token_byte(byte)).unwrap_or(text.len());
    // The end lies before a byte that is no token byte, and all token bytes are ASCII.
    text.split_at_checked(end).filter(|(token, _)| !token.is_empty())
}

/// Returns a quoted value from behind its opening quote. A backslash escapes special characters only; before others it
/// stands for itself, because file names are sent that way.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        match next {
            '"' => return Some((value, rest.as_str())),
            '\r' | '\n' => return None,
            '\\' => match rest.as_str().chars().next().filter(|after| is_special(*after)) {
                Some(escaped) => {
                    value.push(escaped);
                    rest.next();
                }
                None => value.push('\\'),
            },
            other => value.push(other),
        }
    }
    None
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token_byte)
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !is_special(char::from(byte))
}

fn is_special(character: char) -> bool {
    "()<>@,;:\\\"/[]?=".contains(character)
}
