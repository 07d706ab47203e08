//! Splits the chunks of a watch's body into frames.
//!
//! Servers write an event of JSON on a line, and mostly a piece has whole lines. Such a line needs no search for where
//! its brackets close, nor a copy: it is offered as it stands, and if it is read to its end it was a frame. All else
//! goes to a [`FrameReader`], line by line, so that it is known when that has nothing left.

use bytes::{Buf, Bytes};
use memchr::memchr;
use rhumb_codec::framing::{FrameError, FrameReader, Framing, MAX_FRAME};

#[derive(Debug)]
pub(super) struct Frames {
    framing: Framing,
    /// The current chunk.
    piece: Bytes,
    reader: FrameReader,
    /// Number of buffered bytes not yet returned as frames.
    pending: usize,
    /// Number of them that are white space at the end of a line.
    blank: usize,
}

impl Frames {
    pub(super) fn new(framing: Framing) -> Self {
        let reader = FrameReader::new(framing, MAX_FRAME);
        Frames { framing, piece: Bytes::new(), reader, pending: 0, blank: 0 }
    }

    /// Adds a piece, after all that was there has been taken.
    pub(super) fn add(&mut self, piece: Bytes) {
        self.piece = piece;
    }

    /// Returns the line that comes next, which probably is a frame, if no frame is begun and the line is whole.
    pub(super) fn line(&mut self) -> Option<&[u8]> {
        if self.framing != Framing::Json || self.pending > 0 {
            return None;
        }
        let blank = self.piece.len() - self.piece.trim_ascii_start().len();
        self.piece.advance(blank);
        self.piece.get(..memchr(b'\n', &self.piece)?)
    }

    /// Passes over a line of this length: it was a frame.
    pub(super) fn pass_line(&mut self, length: usize) {
        self.piece.advance(self.piece.len().min(length + 1));
    }

    /// Returns the next frame of what the reader was given; `None` if it needs more.
    pub(super) fn next_frame(&mut self) -> Result<Option<&[u8]>, FrameError> {
        let frame = self.reader.next_frame()?;
        match frame {
            Some(frame) => self.pending = self.pending.saturating_sub(frame.len()),
            None if self.pending == self.blank => self.pending = 0,
            None => {}
        }
        Ok(frame)
    }

    /// Gives the reader the next line, or everything if it is incomplete; false if there is nothing.
    pub(super) fn read_on(&mut self) -> bool {
        let end = match self.framing {
            Framing::Json => memchr(b'\n', &self.piece).map(|end| end + 1),
            Framing::LengthDelimited => None,
        };
        let bytes = self.piece.split_to(end.unwrap_or(self.piece.len()));
        self.reader.feed(&bytes);
        self.pending += bytes.len();
        self.blank = end.map_or(0, |end| end - bytes.trim_ascii_end().len());
        !bytes.is_empty()
    }

    /// Ends it, after all frames were taken.
    pub(super) fn finish(&mut self) -> Result<(), FrameError> {
        let empty = FrameReader::new(self.framing, 0);
        std::mem::replace(&mut self.reader, empty).finish().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports whether a line is an event and nothing else.
    fn is_event(line: &[u8]) -> bool {
        line.ends_with(b"}}") && line.iter().filter(|byte| **byte == b':').count() == 3
    }

    /// Returns the frames of a text that comes in pieces of a length, and how many of them were lines.
    fn cut(text: &str, length: usize) -> (Vec<String>, usize) {
        let (mut found, mut lines) = (Vec::new(), 0);
        let mut take = |bytes: &[u8]| found.push(String::from_utf8(bytes.to_vec()).unwrap());
        let mut frames = Frames::new(Framing::Json);
        for piece in text.as_bytes().chunks(length) {
            frames.add(Bytes::copy_from_slice(piece));
            loop {
                if let Some(frame) = frames.next_frame().unwrap() {
                    take(frame);
                } else if let Some(line) = frames.line().filter(|line| is_event(line)) {
                    take(line);
                    lines += 1;
                    let length = line.len();
                    frames.pass_line(length);
                } else if !frames.read_on() {
                    break;
                }
            }
        }
        frames.finish().unwrap();
        (found, lines)
    }

    #[test]
    fn frames_are_the_same_however_they_are_cut() {
        let event = |number: usize| format!(r#"{{"type":"ADDED","object":{{"a":"{number}}}\\"}}}}"#);
        let long = "{\"type\":\n \"ADDED\",\n \"object\": {\n } }";
        let text =
            format!("{}\n{}\n\n{}{}\n{long}\r\n{}\n", event(1), event(2), event(3), event(4), event(5));
        let expect = [event(1), event(2), event(3), event(4), long.to_owned(), event(5)];
        for length in 1..=text.len() {
            let (found, lines) = cut(&text, length);
            assert_eq!(found, expect, "{length}");
            if length == text.len() {
                assert_eq!(lines, 3, "those that have a line for themselves");
            }
        }
    }
}
