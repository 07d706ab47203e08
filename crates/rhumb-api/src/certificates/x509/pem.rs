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
    let mut known = Known::default();
    loop {
        rest = after_begin(rest)?;
        let (line, after) = split_line(rest);
        rest = after;
        if let Some(label) = line.strip_suffix(DASHES)
            && let Some(found) = block_after(label, rest, &mut known)
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

/// What is known of a text from one first line on, so that it need not be looked at again from the next: places are
/// told by how many bytes follow.
#[derive(Default)]
struct Known<'a> {
    /// The text from some lines like headers on, what follows them, and how many there are.
    headers: Option<(&'a [u8], usize, usize)>,
    /// The next last line.
    end: Option<usize>,
    /// Whether there is no last line.
    no_end: bool,
}

impl<'a> Known<'a> {
    /// How many headers a text begins with, and what follows them.
    fn headers(&mut self, text: &'a [u8]) -> (usize, &'a [u8]) {
        let left = text.len();
        if let Some((from, end, headers)) = self.headers
            && (end..=from.len()).contains(&left)
        {
            let passed = from.iter().take(from.len() - left).filter(|byte| **byte == b'\n').count();
            let headers = headers.saturating_sub(passed);
            self.headers = Some((text, end, headers));
            return (headers, text.get(left - end..).unwrap_or_default());
        }
        let (mut rest, mut headers) = (text, 0);
        while !rest.is_empty() {
            let (line, after) = split_line(rest);
            if !line.contains(&b':') {
                break;
            }
            headers += 1;
            rest = after;
        }
        self.headers = Some((text, rest.len(), headers));
        (headers, rest)
    }

    /// Where the next last line stands in a text.
    fn end(&mut self, text: &[u8]) -> Option<usize> {
        if self.no_end {
            return None;
        }
        if let Some(end) = self.end.filter(|end| *end <= text.len()) {
            return Some(text.len() - end);
        }
        let found = find(text, b"\n-----END ");
        self.no_end = found.is_none();
        self.end = found.map(|at| text.len() - at);
        found
    }
}

/// The block whose first line was read.
fn block_after<'a>(label: &[u8], text: &'a [u8], known: &mut Known<'a>) -> Option<(PemBlock, &'a [u8])> {
    let (headers, rest) = known.headers(text);
    if rest.is_empty() {
        return None;
    }
    let (content, trailer) = if headers == 0 && rest.starts_with(END) {
        (&[][..], rest.get(END.len()..)?)
    } else {
        let end = known.end(rest)?;
        (rest.get(..end)?, rest.get(end + 1 + END.len()..)?)
    };
    let after_label = trailer.strip_prefix(label)?.strip_prefix(DASHES)?;
    let (remainder, after) = split_line(after_label);
    if !remainder.is_empty() {
        return None;
    }
    // As between two first lines.
    if content.contains(&b'-') {
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
