//! Streams of YAML or JSON documents, read one at a time.
//!
//! Only the document at hand is held. Where a YAML document ends is decided by lines, as Kubernetes does; where a JSON
//! value ends, by its brackets.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use rhumb_codec::yaml;
use rhumb_schema::text::Scanner;

/// Maximum size of a document.
const MAX_DOCUMENT: usize = 1 << 30;

/// UTF-8 byte order mark.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One document as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawDocument {
    /// JSON text; `null` for a document of comments alone.
    pub json: Vec<u8>,
    /// Which of several it is, counted from one; `None` for the only one.
    pub number: Option<usize>,
    /// The line it begins on, counted from one.
    pub line: usize,
}

/// Error of reading a stream.
#[derive(Debug)]
pub struct DocumentError {
    /// The problem.
    pub problem: String,
    /// Which document of several it is in, counted from one; `None` for the only one.
    pub number: Option<usize>,
    /// The line that document begins on.
    pub line: usize,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)?;
        match self.number {
            Some(number) => write!(f, " (document {number}, from line {})", self.line),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DocumentError {}

/// Reads documents one after the other.
pub struct DocumentReader<R> {
    reader: BufReader<R>,
    line: usize,
    number: usize,
    /// Whether the stream has more than one document, as far as that is known.
    is_several: bool,
    /// A separator that was read ahead of its document.
    ended: bool,
}

impl<R: Read> DocumentReader<R> {
    /// Reads from a stream.
    pub fn new(reader: R) -> Self {
        let reader = BufReader::with_capacity(1 << 16, reader);
        DocumentReader { reader, line: 1, number: 0, is_several: false, ended: false }
    }

    /// Returns the next document, as JSON; `None` at the end.
    ///
    /// # Errors
    /// The stream can't be read, or is neither YAML nor JSON.
    pub fn read_next(&mut self) -> Result<Option<RawDocument>, DocumentError> {
        if self.ended {
            return Ok(None);
        }
        self.number += 1;
        self.is_several |= self.number > 1;
        let next = self.read();
        // What follows a mistake can't be told from its consequences.
        self.ended = !matches!(next, Ok(Some(_)));
        next
    }

    fn read(&mut self) -> Result<Option<RawDocument>, DocumentError> {
        self.skip_mark()?;
        match self.first_byte()? {
            None => Ok(None),
            Some(b'{') => self.json().map(Some),
            Some(_) => self.yaml(),
        }
    }

    fn skip_mark(&mut self) -> Result<(), DocumentError> {
        let filled = self.reader.fill_buf();
        match filled {
            Ok(bytes) if bytes.starts_with(BYTE_ORDER_MARK) => {
                self.reader.consume(BYTE_ORDER_MARK.len());
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(error) => Err(self.unreadable(&error)),
        }
    }

    /// Returns the first byte that is no white space, which stays; lines before it are counted.
    fn first_byte(&mut self) -> Result<Option<u8>, DocumentError> {
        loop {
            let filled = self.reader.fill_buf();
            let bytes = match filled {
                Ok(bytes) => bytes,
                Err(error) => return Err(self.unreadable(&error)),
            };
            if bytes.is_empty() {
                return Ok(None);
            }
            let blank = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            // Indentation belongs to the YAML that follows, so only whole lines are skipped before it.
            let found = bytes.get(blank).copied();
            let skipped = bytes.get(..blank).unwrap_or_default();
            let keep = match found {
                Some(b'{') | None => 0,
                Some(_) => skipped.iter().rev().take_while(|byte| **byte != b'\n').count(),
            };
            self.line += skipped.iter().filter(|byte| **byte == b'\n').count();
            self.reader.consume(blank - keep);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    fn json(&mut self) -> Result<RawDocument, DocumentError> {
        let start = self.line;
        let mut json = Vec::new();
        let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
        loop {
            let filled = self.reader.fill_buf();
            let bytes = match filled {
                Ok(bytes) => bytes,
                Err(error) => return Err(self.unreadable(&error)),
            };
            if bytes.is_empty() {
                return Err(self.problem(start, "unexpected EOF".to_owned()));
            }
            let mut end = None;
            for (at, byte) in bytes.iter().enumerate() {
                if *byte == b'\n' {
                    self.line += 1;
                }
                match (in_text, *byte) {
                    (true, _) if escaped => escaped = false,
                    (true, b'\\') => escaped = true,
                    (true, b'"') => in_text = false,
                    (true, _) => {}
                    (false, b'"') => in_text = true,
                    (false, b'{' | b'[') => depth += 1,
                    (false, b'}' | b']') => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 {
                    end = Some(at + 1);
                    break;
                }
            }
            let taken = end.unwrap_or(bytes.len());
            json.extend_from_slice(bytes.get(..taken).unwrap_or_default());
            self.reader.consume(taken);
            if json.len() > MAX_DOCUMENT {
                return Err(self.problem(start, "the document is too large".to_owned()));
            }
            if end.is_some() {
                self.is_several |= has_text(self.reader.buffer());
                return Ok(RawDocument { json: as_json(json), number: self.place(), line: start });
            }
        }
    }

    fn yaml(&mut self) -> Result<Option<RawDocument>, DocumentError> {
        let mut start = self.line;
        let mut document = Vec::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            if let Err(error) = self.reader.read_until(b'\n', &mut line) {
                return Err(self.unreadable(&error));
            }
            if line.is_empty() {
                break;
            }
            self.line += 1;
            if let Some(trailing) = line.strip_prefix(b"---") {
                let trailing = String::from_utf8_lossy(trailing);
                let trailing = trailing.trim();
                if !trailing.is_empty() && !trailing.starts_with('#') {
                    let text = format!("invalid Yaml document separator: {trailing}");
                    return Err(self.problem(start, text));
                }
                if document.is_empty() {
                    start = self.line;
                    continue;
                }
                // Nobody is kept waiting for what follows to find out whether it does: what was read ahead tells.
                self.is_several |= has_text(self.reader.buffer());
                break;
            }
            document.extend_from_slice(&line);
            if document.len() > MAX_DOCUMENT {
                return Err(self.problem(start, "the document is too large".to_owned()));
            }
        }
        if document.is_empty() {
            return Ok(None);
        }
        let mut json = Vec::new();
        let options = yaml::ReadOptions::default();
        match yaml::to_json(&document, &options, &mut json) {
            Ok(_) => Ok(Some(RawDocument { json, number: self.place(), line: start })),
            Err(error) => Err(self.problem(start, format!("error converting YAML to JSON: {error}"))),
        }
    }

    fn unreadable(&self, error: &io::Error) -> DocumentError {
        self.problem(self.line, error.to_string())
    }

    fn problem(&self, line: usize, problem: String) -> DocumentError {
        DocumentError { problem, number: self.place(), line }
    }

    /// Returns which of several documents is at hand.
    fn place(&self) -> Option<usize> {
        self.is_several.then_some(self.number)
    }
}

fn has_text(bytes: &[u8]) -> bool {
    !bytes.trim_ascii().is_empty()
}

/// Converts text to JSON, also YAML in braces, whose keys need no quotes and which may have a trailing comma: `{kind:
/// Pod,}`.
fn as_json(text: Vec<u8>) -> Vec<u8> {
    if Scanner::new(&text).skip().is_ok() {
        return text;
    }
    let mut json = Vec::new();
    match yaml::to_json(&text, &yaml::ReadOptions::default(), &mut json) {
        Ok(_) => json,
        Err(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stream: &str) -> Vec<Result<(String, usize), String>> {
        let mut reader = DocumentReader::new(stream.as_bytes());
        let mut found = Vec::new();
        loop {
            match reader.read_next() {
                Ok(None) => return found,
                Ok(Some(document)) => {
                    found.push(Ok((String::from_utf8_lossy(&document.json).into_owned(), document.line)));
                }
                Err(error) => {
                    found.push(Err(error.to_string()));
                }
            }
        }
    }

    #[test]
    fn yaml_documents_are_cut_at_separators() {
        let ok = |text: &str, line| Ok((text.to_owned(), line));
        assert_eq!(check("a: 1\n---\nb: 2\n"), [ok("{\"a\":1}", 1), ok("{\"b\":2}", 3)]);
        assert_eq!(check("---\na: 1\n---\n---\nb: 2\n"), [ok("{\"a\":1}", 2), ok("{\"b\":2}", 5)]);
        assert_eq!(check("\n\n  a: 1\n"), [ok("{\"a\":1}", 3)]);
        assert_eq!(check(""), []);
    }

    #[test]
    fn json_values_follow_one_another() {
        let ok = |text: &str, line| Ok((text.to_owned(), line));
        assert_eq!(check("{\"a\":\"}\"}\n{\"b\":[{}]}"), [ok("{\"a\":\"}\"}", 1), ok("{\"b\":[{}]}", 2)]);
        assert_eq!(check("{\"a\": 1"), [Err("unexpected EOF".to_owned())]);
        assert_eq!(check("{\"a\": 1,}\n{b: 2}"), [ok("{\"a\":1}", 1), ok("{\"b\":2}", 2)]);
    }

    #[test]
    fn a_mistake_is_told_with_its_document() {
        let found = check("a: 1\n---\nb: [\n");
        assert_eq!(found.len(), 2);
        assert!(
            found[1].as_ref().is_err_and(|text| text.ends_with(" (document 2, from line 3)")),
            "{found:?}"
        );
    }

    #[test]
    fn the_first_document_is_told_if_there_are_others_and_the_only_one_is_not() {
        let told = |stream: &str| DocumentReader::new(stream.as_bytes()).read_next().unwrap().unwrap().number;
        assert_eq!((told("a: 1\n---\nb: 2\n"), told("{}\n{}")), (Some(1), Some(1)));
        assert_eq!((told("---\na: 1\n---\n \n"), told("{}\n"), told("a: 1")), (None, None, None));
        assert_eq!(told("a: 1\n---\n"), None);
        let broken =
            |stream: &str| DocumentReader::new(stream.as_bytes()).read_next().unwrap_err().to_string();
        assert!(broken("\na: [\n---\nb: 2\n").ends_with(" (document 1, from line 2)"));
        assert!(!broken("a: [\n").contains("document 1"));
    }
}
