//! Splits a stream into documents where Kubernetes' YAML reader does.
//!
//! The cut is by lines and knows no YAML: a line that begins with `---` ends a document even inside a block
//! scalar, `...` ends none, and comments and blank lines are documents if nothing else stands between two
//! separators. A separator before any other line of a document stays with that document.

use std::error::Error;
use std::fmt;

/// A document of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// Bytes, with the line ends of the stream.
    pub bytes: &'a [u8],
    /// The line of the stream it starts on, counted from one.
    pub line: usize,
}

/// Error: a separator line with trailing text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitError {
    /// Text after the `---`.
    pub trailing: String,
    /// The line of the stream, counted from one.
    pub line: usize,
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid Yaml document separator: {}", self.trailing)
    }
}

impl Error for SplitError {}

/// Iterator of a stream's documents.
///
/// A malformed separator gives an error and loses the document it ends; the iterator then goes on behind it.
#[derive(Debug, Clone)]
pub struct Documents<'a> {
    stream: &'a [u8],
    pos: usize,
    line: usize,
}

impl<'a> Documents<'a> {
    /// Creates an iterator over the documents of a YAML stream.
    pub fn new(stream: &'a [u8]) -> Documents<'a> {
        Documents { stream, pos: 0, line: 1 }
    }
}

impl<'a> Iterator for Documents<'a> {
    type Item = Result<Document<'a>, SplitError>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.pos;
        let start_line = self.line;
        let document = |bytes: &'a [u8]| Some(Ok(Document { bytes, line: start_line }));
        loop {
            let rest = self.stream.get(self.pos..).unwrap_or_default();
            if rest.is_empty() {
                let bytes = self.stream.get(start..).unwrap_or_default();
                return if bytes.is_empty() { None } else { document(bytes) };
            }
            let len = rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |at| at + 1);
            let line_start = self.pos;
            let line_number = self.line;
            self.pos += len;
            self.line += 1;
            let Some(trailing) = rest.get(..len).and_then(|line| line.strip_prefix(b"---")) else { continue };
            let trailing = String::from_utf8_lossy(trailing);
            let trailing = trailing.trim();
            if !trailing.is_empty() && !trailing.starts_with('#') {
                return Some(Err(SplitError { trailing: trailing.to_owned(), line: line_number }));
            }
            if line_start > start {
                return document(self.stream.get(start..line_start).unwrap_or_default());
            }
        }
    }
}

/// Reports whether a stream looks like JSON: its first character other than white space opens an object.
pub fn is_json(stream: &[u8]) -> bool {
    stream.utf8_chunks().next().is_some_and(|chunk| chunk.valid().trim_start().starts_with('{'))
}
