//! PEM: blocks of base64 between lines of dashes, with text around them that is passed over.

use rhumb_schema::text::decode_base64;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";

/// A block of PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PemBlock {
    /// What the block says it is.
    pub label: String,
    /// How many headers stand before the content.
    pub headers: usize,
    /// The content.
    pub bytes: Vec<u8>,
}

impl PemBlock {
    /// The blocks in a text, one after another. Malformed ones are passed over.
    pub fn all(text: &[u8]) -> PemBlocks<'_> {
        PemBlocks { rest: text }
    }
}

/// The blocks in a text.
#[derive(Clone, Debug)]
pub struct PemBlocks<'a> {
    rest: &'a [u8],
}

impl<'a> PemBlocks<'a> {
    /// What follows the last block that was read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl Iterator for PemBlocks<'_> {
    type Item = PemBlock;

    fn next(&mut self) -> Option<PemBlock> {
        let (block, after) = next_block(self.rest)?;
        self.rest = after;
        Some(block)
    }
}

fn next_block(text: &[u8]) -> Option<(PemBlock, &[u8])> {
    let mut rest = text;
    loop {
        rest = after_begin(rest)?;
        let (line, after) = split_line(rest);
        rest = after;
        if let Some(label) = line.strip_suffix(DASHES)
            && let Some(found) = block_after(label, rest)
        {
            return Some(found);
        }
    }
}

/// What stands behind the next BEGIN at the start of a line.
fn after_begin(text: &[u8]) -> Option<&[u8]> {
    if let Some(after) = text.strip_prefix(BEGIN) {
        return Some(after);
    }
    let start = find(text, b"\n-----BEGIN ")?;
    text.get(start + 1 + BEGIN.len()..)
}

/// The block whose first line was read.
fn block_after<'a>(label: &[u8], text: &'a [u8]) -> Option<(PemBlock, &'a [u8])> {
    let mut rest = text;
    let mut headers = 0;
    loop {
        if rest.is_empty() {
            return None;
        }
        let (line, after) = split_line(rest);
        if !line.contains(&b':') {
            break;
        }
        headers += 1;
        rest = after;
    }
    let (content, trailer) = if headers == 0 && rest.starts_with(END) {
        (&[][..], rest.get(END.len()..)?)
    } else {
        let end = find(rest, b"\n-----END ")?;
        (rest.get(..end)?, rest.get(end + 1 + END.len()..)?)
    };
    let after_label = trailer.strip_prefix(label)?.strip_prefix(DASHES)?;
    let (remainder, after) = split_line(after_label);
    if !remainder.is_empty() {
        return None;
    }
    let digits: Vec<u8> = content.iter().copied().filter(|byte| !b" \t\r\n".contains(byte)).collect();
    let bytes = decode_base64(&String::from_utf8(digits).ok()?).ok()?;
    Some((PemBlock { label: String::from_utf8_lossy(label).into_owned(), headers, bytes }, after))
}

/// A line without the white space at its end, and what follows it.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|byte| *byte == b'\n') {
        Some(end) => {
            let (line, after) = text.split_at(end);
            (line.trim_ascii_end(), after.get(1..).unwrap_or_default())
        }
        None => (text.trim_ascii_end(), &[]),
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}
