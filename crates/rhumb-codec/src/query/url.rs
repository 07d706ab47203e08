//! URL queries: pairs and percent-encoding as in Go's `net/url`.

use std::fmt;

use rhumb_meta::url::{self, EscapeError};
use rhumb_schema::text::quoted;

/// Maximum number of pairs; queries with more are not read at all.
pub const MAX_PAIRS: usize = 10_000;

/// Pairs of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Keys and values in the order they stood in, without the pairs that are malformed.
    pub pairs: Vec<(String, String)>,
    /// Error of pairs that were dropped. Kubernetes ignores it.
    pub error: Option<ParseQueryError>,
}

impl Query {
    /// Returns the first value of a key.
    pub fn first(&self, key: &str) -> Option<&str> {
        self.all(key).next()
    }

    /// Returns all values of a key.
    pub fn all(&self, key: &str) -> impl Iterator<Item = &str> {
        super::values(&self.pairs, key)
    }
}

/// Error of parsing a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseQueryError {
    /// Too many pairs.
    TooMany,
    /// A semicolon stands in a pair; it once separated pairs and is refused so that no one mistakes it.
    Semicolon,
    /// A percent sign without two hexadecimal digits, and up to two bytes behind it.
    Escape(Vec<u8>),
}

impl fmt::Display for ParseQueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseQueryError::TooMany => f.write_str("number of URL query parameters exceeded limit"),
            ParseQueryError::Semicolon => f.write_str("invalid semicolon separator in query"),
            ParseQueryError::Escape(bytes) => write!(f, "invalid URL escape {}", quoted(bytes)),
        }
    }
}

impl std::error::Error for ParseQueryError {}

/// Parses a URL's query, without the question mark.
pub fn parse(query: &str) -> Query {
    let mut found = Query::default();
    if query.bytes().filter(|byte| *byte == b'&').count() >= MAX_PAIRS {
        found.error = Some(ParseQueryError::TooMany);
        return found;
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        if pair.contains(';') {
            // The last complaint about a semicolon hides others; of other complaints the first counts.
            found.error = Some(ParseQueryError::Semicolon);
            continue;
        }
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        match unescape(key).and_then(|key| Ok((key, unescape(value)?))) {
            Ok(pair) => found.pairs.push(pair),
            Err(error) => {
                found.error.get_or_insert(error);
            }
        }
    }
    found
}

fn unescape(text: &str) -> Result<String, ParseQueryError> {
    let bytes = url::unescape_query(text).map_err(|EscapeError(shown)| ParseQueryError::Escape(shown))?;
    Ok(url::to_text(bytes))
}

/// Writes pairs as the query of a URL, in the order given. [`super::to_query`] gives them in the order of
/// keys, which is the one Kubernetes' clients send.
pub fn encode(pairs: &[(String, String)]) -> String {
    let mut out = String::new();
    for (key, value) in pairs {
        if !out.is_empty() {
            out.push('&');
        }
        out.push_str(&url::escape_query(key));
        out.push('=');
        out.push_str(&url::escape_query(value));
    }
    out
}
