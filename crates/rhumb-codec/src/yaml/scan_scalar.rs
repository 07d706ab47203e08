//! Scalars: plain, quoted and block, with folding and escapes.
//!
//! A scalar that stands in the input as it is meant costs no copy; the others are put together in the scanner's
//! buffer.

use super::errors::Fault;
use super::scan::{Scanner, Text};

/// Bytes that may end a plain scalar or need a closer look, in block and in flow context.
static PLAIN_STOPS: [u8; 256] = plain_stops();

const IN_BLOCK: u8 = 1;
const IN_FLOW: u8 = 2;

const fn plain_stops() -> [u8; 256] {
    let mut table = [0u8; 256];
    let both = IN_BLOCK | IN_FLOW;
    table[0] = both;
    table[b' ' as usize] = both;
    table[b'\t' as usize] = both;
    table[b'\n' as usize] = both;
    table[b'\r' as usize] = both;
    table[b':' as usize] = both;
    table[0xC2] = both;
    table[0xE2] = both;
    table[b',' as usize] = IN_FLOW;
    table[b'?' as usize] = IN_FLOW;
    table[b'[' as usize] = IN_FLOW;
    table[b']' as usize] = IN_FLOW;
    table[b'{' as usize] = IN_FLOW;
    table[b'}' as usize] = IN_FLOW;
    table
}

/// White space in a scalar that may not belong to it.
struct Gap {
    /// The blanks, while no line break was met.
    blanks: (usize, usize),
    /// The first line break.
    first: &'static [u8],
    /// Whether further breaks, already in the buffer's tail, follow.
    broken: bool,
}

impl Scanner<'_> {
    /// Returns the end of the current run of plain characters.
    #[inline]
    fn plain_run_end(&self) -> usize {
        let mask = if self.flow_level > 0 { IN_FLOW } else { IN_BLOCK };
        let mut pos = self.pos;
        loop {
            let rest = self.input.get(pos..).unwrap_or_default();
            let Some(at) = rest.iter().position(|b| PLAIN_STOPS[usize::from(*b)] & mask != 0) else {
                return self.input.len();
            };
            pos += at;
            match self.at(pos) {
                b':' if !self.is_blank_or_end(pos + 1) => pos += 1,
                0xC2 | 0xE2 if self.break_len(pos) == 0 => pos += 1,
                _ => return pos,
            }
        }
    }

    /// Scans a plain scalar; says as well whether it ended with its line.
    pub(super) fn scan_plain(&mut self) -> Result<(Text, bool), Fault> {
        let indent = self.indent + 1;
        let start = self.pos;
        let mut end = start;
        // Where the text lies in the buffer, once it spans lines.
        let mut buffered = None;
        let mut breaks: Vec<u8> = Vec::new();
        let mut gap = Gap { blanks: (0, 0), first: b"", broken: false };
        loop {
            if self.is_document_marker() || self.current() == b'#' {
                break;
            }
            let run_end = self.plain_run_end();
            if run_end > self.pos {
                if gap.broken && buffered.is_none() {
                    buffered = Some(self.buffer.len());
                    self.buffer.extend_from_slice(self.input.get(start..end).unwrap_or_default());
                }
                if buffered.is_some() {
                    self.join_plain(&mut gap, &mut breaks, run_end);
                }
                gap.blanks = (0, 0);
                end = run_end;
                self.pos = run_end;
            }
            if !matches!(self.current(), b' ' | b'\t') && self.break_len(self.pos) == 0 {
                break;
            }
            loop {
                let rest = self.input.get(self.pos..).unwrap_or_default();
                if gap.broken {
                    self.pos += rest.iter().take_while(|b| **b == b' ').count();
                    if self.current() == b'\t' {
                        if self.is_left_of(indent) {
                            return Err(self.error("found a tab character that violates indentation"));
                        }
                        self.pos += 1;
                        continue;
                    }
                } else {
                    let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
                    gap.blanks = (self.pos, self.pos + blanks);
                    self.pos += blanks;
                }
                let len = self.break_len(self.pos);
                if len == 0 {
                    break;
                }
                let line_break = self.read_break(len);
                if gap.broken {
                    breaks.extend_from_slice(line_break);
                } else {
                    gap.first = line_break;
                    gap.broken = true;
                }
            }
            if self.flow_level == 0 && self.is_left_of(indent) {
                break;
            }
        }
        let text = match buffered {
            None => Text::input(start, end),
            Some(start) => Text::buffer(start, self.buffer.len()),
        };
        Ok((text, gap.broken))
    }

    fn is_left_of(&self, indent: isize) -> bool {
        isize::try_from(self.column()).is_ok_and(|column| column < indent)
    }

    /// Adds the run from here to `end`, with the white space before it, to the buffer.
    fn join_plain(&mut self, gap: &mut Gap, breaks: &mut Vec<u8>, end: usize) {
        if gap.broken {
            self.fold(gap.first, breaks);
            gap.broken = false;
        } else {
            self.buffer.extend_from_slice(self.input.get(gap.blanks.0..gap.blanks.1).unwrap_or_default());
        }
        self.buffer.extend_from_slice(self.input.get(self.pos..end).unwrap_or_default());
    }

    /// Writes line breaks inside a flow scalar: one alone is a space, of several the first is dropped.
    fn fold(&mut self, first: &[u8], breaks: &mut Vec<u8>) {
        if first == b"\n" {
            if breaks.is_empty() {
                self.buffer.push(b' ');
            }
        } else {
            self.buffer.extend_from_slice(first);
        }
        self.buffer.append(breaks);
    }

    pub(super) fn scan_single_quoted(&mut self) -> Result<Text, Fault> {
        self.pos += 1;
        // Most quoted scalars neither hold a quote nor span lines.
        let rest = self.input.get(self.pos..).unwrap_or_default();
        if let Some(len) = rest.iter().position(|b| matches!(b, b'\'' | b'\n' | b'\r' | 0xC2 | 0xE2))
            && rest.get(len) == Some(&b'\'')
            && rest.get(len + 1) != Some(&b'\'')
        {
            let text = Text::input(self.pos, self.pos + len);
            self.pos += len + 1;
            return Ok(text);
        }
        self.scan_quoted(b'\'')
    }

    pub(super) fn scan_double_quoted(&mut self) -> Result<Text, Fault> {
        self.pos += 1;
        let rest = self.input.get(self.pos..).unwrap_or_default();
        if let Some(len) = rest.iter().position(|b| matches!(b, b'"' | b'\\' | b'\n' | b'\r' | 0xC2 | 0xE2))
            && rest.get(len) == Some(&b'"')
        {
            let text = Text::input(self.pos, self.pos + len);
            self.pos += len + 1;
            return Ok(text);
        }
        self.scan_quoted(b'"')
    }

    /// Scans a quoted scalar piece by piece, from behind its opening quote.
    fn scan_quoted(&mut self, quote: u8) -> Result<Text, Fault> {
        let start = self.buffer.len();
        let mut breaks = Vec::new();
        loop {
            if self.is_document_marker() {
                return Err(self.error("found unexpected document indicator"));
            }
            if self.current() == 0 {
                return Err(self.error("found unexpected end of stream"));
            }
            let mut broken = self.scan_quoted_run(quote)?;
            if self.current() == quote {
                self.pos += 1;
                return Ok(Text::buffer(start, self.buffer.len()));
            }
            let blanks_start = self.buffer.len();
            // After an escaped line break there is no first break to fold.
            let mut first: &[u8] = b"";
            let escaped = broken;
            loop {
                let byte = self.current();
                if matches!(byte, b' ' | b'\t') {
                    if !broken {
                        self.buffer.push(byte);
                    }
                    self.pos += 1;
                    continue;
                }
                let len = self.break_len(self.pos);
                if len == 0 {
                    break;
                }
                let text = self.read_break(len);
                if broken {
                    breaks.extend_from_slice(text);
                } else {
                    self.buffer.truncate(blanks_start);
                    first = text;
                    broken = true;
                }
            }
            if escaped {
                self.buffer.append(&mut breaks);
            } else if broken {
                self.fold(first, &mut breaks);
            }
        }
    }

    /// Copies non-blank characters of a quoted scalar; says whether an escaped line break ended them.
    fn scan_quoted_run(&mut self, quote: u8) -> Result<bool, Fault> {
        while !self.is_blank_or_end(self.pos) {
            let byte = self.current();
            if byte == quote {
                if quote == b'\'' && self.at(self.pos + 1) == b'\'' {
                    self.buffer.push(b'\'');
                    self.pos += 2;
                    continue;
                }
                return Ok(false);
            }
            if byte == b'\\' && quote == b'"' {
                let len = self.break_len(self.pos + 1);
                if len > 0 {
                    self.pos += 1;
                    self.skip_break(len);
                    return Ok(true);
                }
                self.scan_escape()?;
                continue;
            }
            self.buffer.push(byte);
            self.pos += 1;
        }
        Ok(false)
    }

    fn scan_escape(&mut self) -> Result<(), Fault> {
        let letter = self.at(self.pos + 1);
        let digits = match letter {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        if digits == 0 {
            let text: &[u8] = match letter {
                b'0' => b"\0",
                b'a' => b"\x07",
                b'b' => b"\x08",
                b't' | b'\t' => b"\t",
                b'n' => b"\n",
                b'v' => b"\x0B",
                b'f' => b"\x0C",
                b'r' => b"\r",
                b'e' => b"\x1B",
                b' ' => b" ",
                b'"' => b"\"",
                b'\'' => b"'",
                b'\\' => b"\\",
                b'N' => "\u{85}".as_bytes(),
                b'_' => "\u{A0}".as_bytes(),
                b'L' => "\u{2028}".as_bytes(),
                b'P' => "\u{2029}".as_bytes(),
                _ => return Err(self.error("found unknown escape character")),
            };
            self.buffer.extend_from_slice(text);
            self.pos += 2;
            return Ok(());
        }
        self.pos += 2;
        let mut value = 0u32;
        for offset in 0..digits {
            let Some(digit) = char::from(self.at(self.pos + offset)).to_digit(16) else {
                return Err(self.error("did not find expected hexdecimal number"));
            };
            value = (value << 4) | digit;
        }
        let Some(character) = char::from_u32(value) else {
            return Err(self.error("found invalid Unicode character escape code"));
        };
        let mut utf8 = [0; 4];
        self.buffer.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
        self.pos += digits;
        Ok(())
    }

    /// Scans a literal (`|`) or folded (`>`) scalar.
    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Result<Text, Fault> {
        self.pos += 1;
        let (chomping, increment) = self.scan_block_header()?;
        let mut indent = match increment {
            Some(increment) => usize::try_from(self.indent).unwrap_or(0) + increment,
            None => 0,
        };
        let start = self.buffer.len();
        let mut breaks = Vec::new();
        let mut first: &[u8] = b"";
        let mut after_blank = false;
        self.scan_block_breaks(&mut indent, &mut breaks)?;
        while self.column() == indent && self.current() != 0 {
            let before_blank = matches!(self.current(), b' ' | b'\t');
            if !literal && !after_blank && !before_blank && first == b"\n" {
                if breaks.is_empty() {
                    self.buffer.push(b' ');
                }
            } else {
                self.buffer.extend_from_slice(first);
            }
            self.buffer.append(&mut breaks);
            after_blank = before_blank;
            let line_start = self.pos;
            while !self.is_break_or_end(self.pos) {
                self.pos += 1;
            }
            self.buffer.extend_from_slice(self.input.get(line_start..self.pos).unwrap_or_default());
            let len = self.break_len(self.pos);
            first = if len > 0 { self.read_break(len) } else { b"" };
            self.scan_block_breaks(&mut indent, &mut breaks)?;
        }
        if chomping != Chomping::Strip {
            self.buffer.extend_from_slice(first);
        }
        if chomping == Chomping::Keep {
            self.buffer.append(&mut breaks);
        }
        Ok(Text::buffer(start, self.buffer.len()))
    }

    fn scan_block_header(&mut self) -> Result<(Chomping, Option<usize>), Fault> {
        let mut chomping = self.scan_chomping();
        let mut increment = None;
        if self.current().is_ascii_digit() {
            if self.current() == b'0' {
                return Err(self.error("found an indentation indicator equal to 0"));
            }
            increment = Some(usize::from(self.current() - b'0'));
            self.pos += 1;
            if chomping.is_none() {
                chomping = self.scan_chomping();
            }
        }
        self.skip_blanks();
        self.skip_comment();
        if !self.is_break_or_end(self.pos) {
            return Err(self.error("did not find expected comment or line break"));
        }
        let len = self.break_len(self.pos);
        if len > 0 {
            self.skip_break(len);
        }
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    fn scan_chomping(&mut self) -> Option<Chomping> {
        let chomping = match self.current() {
            b'+' => Chomping::Keep,
            b'-' => Chomping::Strip,
            _ => return None,
        };
        self.pos += 1;
        Some(chomping)
    }

    /// Skips indentation and empty lines; the first text line settles an indentation not yet known (zero).
    fn scan_block_breaks(&mut self, indent: &mut usize, breaks: &mut Vec<u8>) -> Result<(), Fault> {
        let mut widest = 0;
        loop {
            while (*indent == 0 || self.column() < *indent) && self.current() == b' ' {
                self.pos += 1;
            }
            widest = widest.max(self.column());
            if (*indent == 0 || self.column() < *indent) && self.current() == b'\t' {
                return Err(self.error("found a tab character where an indentation space is expected"));
            }
            let len = self.break_len(self.pos);
            if len == 0 {
                break;
            }
            let text = self.read_break(len);
            breaks.extend_from_slice(text);
        }
        if *indent == 0 {
            *indent = widest.max(usize::try_from(self.indent + 1).unwrap_or(0)).max(1);
        }
        Ok(())
    }
}

/// Handling of trailing line breaks of a block scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}
