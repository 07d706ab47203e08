//! Framing of object streams such as watches.
//!
//! JSON objects stand one after the other, each ended by a line feed when we write them; reading does not
//! depend on it, since an object's end is known from its brackets. Protobuf messages have their length in
//! front, four bytes with the highest first.
//!
//! Nothing here does I/O: writers append to a buffer, and [`FrameReader`] is fed whatever bytes arrived and
//! gives the frames that are complete. It finds where frames end and leaves what is inside them to the
//! codecs.

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;

use rhumb_schema::text;

/// Maximum frame size of Kubernetes' clients: 16 MiB.
pub const MAX_FRAME: usize = 16 * 1024 * 1024;

/// Framing of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// JSON values, one after the other.
    Json,
    /// A length before each frame.
    LengthDelimited,
}

impl Framing {
    /// Appends a frame. A JSON frame gets a final newline.
    ///
    /// # Errors
    /// If the frame's length can't be written in four bytes; nothing is appended then.
    pub fn write(self, frame: &[u8], out: &mut Vec<u8>) -> Result<(), FrameError> {
        match self {
            Framing::Json => {
                out.extend_from_slice(frame);
                if frame.last() != Some(&b'\n') {
                    out.push(b'\n');
                }
            }
            Framing::LengthDelimited => {
                let length = u32::try_from(frame.len()).map_err(|_| FrameError::TooLarge)?;
                out.extend_from_slice(&length.to_be_bytes());
                out.extend_from_slice(frame);
            }
        }
        Ok(())
    }
}

/// Error of reading a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// A frame is larger than allowed. Reading goes on behind it.
    TooLarge,
    /// A JSON value can't begin with this byte. There is no telling where the next one would begin, so this
    /// stays the answer.
    NotJson(u8),
    /// The stream ended within a frame.
    UnexpectedEnd,
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::TooLarge => f.write_str("object to decode was longer than maximum allowed size"),
            FrameError::NotJson(byte) => {
                text::Scanner::new(&[*byte]).error("looking for beginning of value").fmt(f)
            }
            FrameError::UnexpectedEnd => f.write_str("unexpected EOF"),
        }
    }
}

impl std::error::Error for FrameError {}

/// Reads frames from a byte stream.
///
/// Take every complete frame after each feeding, else the bytes pile up.
#[derive(Debug)]
pub struct FrameReader {
    framing: Framing,
    limit: usize,
    buffer: Vec<u8>,
    /// Start of the current frame; everything before it was returned.
    start: usize,
    /// Number of bytes examined.
    seen: usize,
    state: State,
    /// The frame is too large and its bytes are dropped as they come.
    skipping: bool,
}

/// State of the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between frames.
    Between,
    /// Within a JSON object or list, so many brackets deep.
    Nested(usize),
    /// Within a JSON string: how many brackets deep it stands, and whether a backslash came just before.
    Quoted(usize, bool),
    /// Within a number, `true`, `false` or `null` that stands alone and ends where something else begins.
    Word,
    /// Within a frame of this length, or what is left of it when it is dropped.
    Counted(usize),
    /// An invalid first byte of a frame.
    Broken(u8),
}

impl FrameReader {
    /// Creates a reader of frames up to `limit` bytes; [`MAX_FRAME`] is Kubernetes' limit.
    pub fn new(framing: Framing, limit: usize) -> Self {
        FrameReader {
            framing,
            limit,
            buffer: Vec::new(),
            start: 0,
            seen: 0,
            state: State::Between,
            skipping: false,
        }
    }

    /// Adds received bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start.min(self.buffer.len()));
        self.seen = self.seen.saturating_sub(self.start);
        self.start = 0;
        if self.buffer.is_empty() {
            // A watch lives for hours; one huge event must not hold its memory for as long.
            self.buffer.shrink_to(64 * 1024);
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next frame, or none if more bytes are needed.
    ///
    /// # Errors
    /// If a frame is too large, once for each, or if what comes can't be a frame.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, FrameError> {
        let found = match self.framing {
            Framing::Json => self.next_json()?,
            Framing::LengthDelimited => self.next_counted()?,
        };
        Ok(found.and_then(|range| self.buffer.get(range)))
    }

    /// Ends the stream, after all frames were taken. A number or word at the very end is only complete now.
    ///
    /// # Errors
    /// If the stream ended within a frame.
    pub fn finish(mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let rest = self.buffer.split_off(self.start.min(self.buffer.len()));
        match self.state {
            State::Between if rest.is_empty() => Ok(None),
            State::Word if !self.skipping => Ok(Some(rest)),
            State::Word => Ok(None),
            State::Broken(byte) => Err(FrameError::NotJson(byte)),
            _ => Err(FrameError::UnexpectedEnd),
        }
    }

    fn next_json(&mut self) -> Result<Option<Range<usize>>, FrameError> {
        while let Some(end) = self.scan_json()? {
            let start = std::mem::replace(&mut self.start, end);
            self.state = State::Between;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            return if end - start > self.limit { Err(FrameError::TooLarge) } else { Ok(Some(start..end)) };
        }
        let too_large = self.seen - self.start > self.limit;
        if self.skipping || too_large {
            self.start = self.seen;
        }
        if too_large && !std::mem::replace(&mut self.skipping, true) {
            return Err(FrameError::TooLarge);
        }
        Ok(None)
    }

    /// Looks for the end of a JSON value from where the last look ended.
    fn scan_json(&mut self) -> Result<Option<usize>, FrameError> {
        while let Some(rest) = self.buffer.get(self.seen..)
            && let Some(&byte) = rest.first()
        {
            match self.state {
                State::Between => {
                    self.start = self.seen;
                    self.state = match byte {
                        b' ' | b'\t' | b'\r' | b'\n' => {
                            self.start += 1;
                            State::Between
                        }
                        b'{' | b'[' => State::Nested(1),
                        b'"' => State::Quoted(0, false),
                        b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => State::Word,
                        other => State::Broken(other),
                    };
                    self.seen += 1;
                }
                State::Nested(depth) => {
                    let special = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']');
                    let Some(plain) = rest.iter().position(special) else {
                        self.seen = self.buffer.len();
                        break;
                    };
                    self.state = match rest.get(plain) {
                        Some(b'"') => State::Quoted(depth, false),
                        Some(b'{' | b'[') => State::Nested(depth + 1),
                        _ => State::Nested(depth - 1),
                    };
                    self.seen += plain + 1;
                    if self.state == State::Nested(0) {
                        return Ok(Some(self.seen));
                    }
                }
                State::Quoted(depth, true) => {
                    self.state = State::Quoted(depth, false);
                    self.seen += 1;
                }
                State::Quoted(depth, false) => {
                    let Some(plain) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else {
                        self.seen = self.buffer.len();
                        break;
                    };
                    self.seen += plain + 1;
                    self.state = match rest.get(plain) {
                        Some(b'\\') => State::Quoted(depth, true),
                        _ if depth == 0 => return Ok(Some(self.seen)),
                        _ => State::Nested(depth),
                    };
                }
                State::Word => {
                    if !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')) {
                        return Ok(Some(self.seen));
                    }
                    self.seen += 1;
                }
                State::Broken(_) | State::Counted(_) => break,
            }
        }
        match self.state {
            State::Broken(byte) => Err(FrameError::NotJson(byte)),
            _ => Ok(None),
        }
    }

    fn next_counted(&mut self) -> Result<Option<Range<usize>>, FrameError> {
        loop {
            let rest = self.buffer.get(self.start..).unwrap_or_default();
            match self.state {
                State::Counted(left) if self.skipping => {
                    let passed = left.min(rest.len());
                    self.start += passed;
                    if passed < left {
                        self.state = State::Counted(left - passed);
                        return Ok(None);
                    }
                    self.skipping = false;
                    self.state = State::Between;
                }
                State::Counted(length) => {
                    if rest.len() < length {
                        return Ok(None);
                    }
                    let start = self.start;
                    self.start += length;
                    self.state = State::Between;
                    return Ok(Some(start..self.start));
                }
                _ => {
                    let Some(prefix) = rest.first_chunk::<4>() else { return Ok(None) };
                    let length = usize::try_from(u32::from_be_bytes(*prefix)).unwrap_or(usize::MAX);
                    self.start += 4;
                    self.state = State::Counted(length);
                    if length > self.limit {
                        self.skipping = true;
                        return Err(FrameError::TooLarge);
                    }
                }
            }
        }
    }
}
