//! YAML writer: JSON values to YAML text, byte for byte as Kubernetes prints them.
//!
//! The layout is go-yaml's block style: two spaces of indentation, sequences at the column of their key, empty
//! collections as `{}` and `[]`, long scalars folded at the first space behind column 80.

use serde_json::Value;

use super::number::{write_general_float, write_int, write_uint};
use super::order::sort;
use super::style::{Analysis, Position, Style, analyze, break_len, char_len, is_printable};

/// Column after which a scalar is folded at its next space.
const BEST_WIDTH: usize = 80;

/// Encodes a JSON value as a YAML document, appended to `out`.
///
/// A float with no fraction that fits an integer of 64 bits is written as that integer: Kubernetes prints the
/// value as JSON first, where nothing tells the two apart.
pub fn from_json_value(value: &Value, out: &mut Vec<u8>) {
    let mut writer = Writer { out, entries: Vec::new(), column: 0, after_space: true, in_indentation: true };
    writer.node(value, None, Holder::Root);
    writer.start_line(0);
}

/// Parent of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Root,
    Sequence,
    Mapping,
}

struct Writer<'v, 'o> {
    out: &'o mut Vec<u8>,
    /// The entries of all open mappings, sorted mapping by mapping.
    entries: Vec<(&'v str, &'v Value)>,
    /// The number of characters on the line.
    column: usize,
    /// Whether nothing need be put between the last byte and a token.
    after_space: bool,
    /// Whether the line holds only spaces and the indicators of block collections.
    in_indentation: bool,
}

impl<'v> Writer<'v, '_> {
    /// Writes a node; `indent` is that of the collection around it.
    fn node(&mut self, value: &'v Value, indent: Option<usize>, holder: Holder) {
        match value {
            Value::Null => self.word(b"null"),
            Value::Bool(true) => self.word(b"true"),
            Value::Bool(false) => self.word(b"false"),
            Value::Number(number) => self.number(number),
            Value::String(text) => {
                let analysis = analyze(text.as_bytes());
                self.string(text, &analysis, indent, Position::Other);
            }
            Value::Array(items) if items.is_empty() => self.indicator(b"[]", false),
            Value::Array(items) => {
                // A sequence below a key keeps the key's column, unless it follows the `:` of a `?` key.
                let indent = match indent {
                    None => 0,
                    Some(indent) if holder == Holder::Mapping && !self.in_indentation => indent,
                    Some(indent) => indent + 2,
                };
                for item in items {
                    self.start_line(indent);
                    self.indicator(b"-", true);
                    self.node(item, Some(indent), Holder::Sequence);
                }
            }
            Value::Object(entries) if entries.is_empty() => self.indicator(b"{}", false),
            Value::Object(entries) => {
                let indent = indent.map_or(0, |indent| indent + 2);
                let first = self.entries.len();
                self.entries.extend(entries.iter().map(|(key, value)| (key.as_str(), value)));
                sort(self.entries.get_mut(first..).unwrap_or_default());
                for at in first..first + entries.len() {
                    if let Some(&(key, value)) = self.entries.get(at) {
                        self.entry(key, value, indent);
                    }
                }
                self.entries.truncate(first);
            }
        }
    }

    fn entry(&mut self, key: &str, value: &'v Value, indent: usize) {
        self.start_line(indent);
        let analysis = analyze(key.as_bytes());
        if analysis.is_simple_key(key.as_bytes()) {
            self.string(key, &analysis, Some(indent), Position::SimpleKey);
            self.out.push(b':');
            self.column += 1;
            self.after_space = false;
            self.in_indentation = false;
        } else {
            self.indicator(b"?", true);
            self.string(key, &analysis, Some(indent), Position::Other);
            self.start_line(indent);
            self.indicator(b":", true);
        }
        self.node(value, Some(indent), Holder::Mapping);
    }

    fn number(&mut self, number: &serde_json::Number) {
        self.space();
        let start = self.out.len();
        if let Some(value) = number.as_i64() {
            write_int(value, self.out);
        } else if let Some(value) = number.as_u64() {
            write_uint(value, self.out);
        } else if let Some(value) = number.as_f64() {
            write_float(value, self.out);
        }
        self.column += self.out.len() - start;
        self.end_scalar();
    }

    fn word(&mut self, word: &[u8]) {
        self.space();
        self.out.extend_from_slice(word);
        self.column += word.len();
        self.end_scalar();
    }

    fn space(&mut self) {
        if !self.after_space {
            self.out.push(b' ');
            self.column += 1;
        }
    }

    fn end_scalar(&mut self) {
        self.after_space = false;
        self.in_indentation = false;
    }

    /// Writes an indicator; one of a block collection may be followed by another on the same line.
    fn indicator(&mut self, indicator: &[u8], block: bool) {
        self.space();
        self.out.extend_from_slice(indicator);
        self.column += indicator.len();
        self.after_space = false;
        self.in_indentation &= block;
    }

    fn line_break(&mut self) {
        self.out.push(b'\n');
        self.column = 0;
    }

    /// Moves to a column of a fresh line, or of this one if it holds only indentation so far.
    fn start_line(&mut self, indent: usize) {
        if !self.in_indentation || self.column > indent || (self.column == indent && !self.after_space) {
            self.line_break();
        }
        self.out.resize(self.out.len() + indent.saturating_sub(self.column), b' ');
        self.column = self.column.max(indent);
        self.after_space = true;
        self.in_indentation = true;
    }

    fn string(&mut self, text: &str, analysis: &Analysis, indent: Option<usize>, position: Position) {
        let indent = indent.map_or(2, |indent| indent + 2);
        let may_fold = position == Position::Other;
        let bytes = text.as_bytes();
        match analysis.style(bytes, position) {
            Style::Plain => {
                self.space();
                self.plain(bytes, indent, may_fold);
            }
            Style::SingleQuoted => {
                self.indicator(b"'", false);
                self.single_quoted(bytes, indent, may_fold);
                self.out.push(b'\'');
                self.column += 1;
            }
            Style::DoubleQuoted => {
                self.indicator(b"\"", false);
                self.double_quoted(bytes, indent, may_fold);
                self.out.push(b'"');
                self.column += 1;
            }
            Style::Literal => return self.literal(bytes, indent),
        }
        self.end_scalar();
    }

    /// Copies the character that begins the text and gives what follows it.
    fn copy_char<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let (character, rest) = text.split_at(char_len(text).min(text.len()));
        self.out.extend_from_slice(character);
        self.column += 1;
        rest
    }

    /// Copies the line break that begins the text and gives what follows it.
    fn copy_break<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let (line_break, rest) = text.split_at(break_len(text));
        self.out.extend_from_slice(line_break);
        self.column = 0;
        rest
    }

    fn plain(&mut self, text: &[u8], indent: usize, may_fold: bool) {
        if !may_fold || self.column + text.len() <= BEST_WIDTH {
            self.out.extend_from_slice(text);
            self.column += text.iter().filter(|b| **b & 0xC0 != 0x80).count();
            return;
        }
        let mut after_space = false;
        let mut rest = text;
        while let Some(&byte) = rest.first() {
            if byte == b' ' && !after_space && self.column > BEST_WIDTH && rest.get(1) != Some(&b' ') {
                self.start_line(indent);
                rest = rest.get(1..).unwrap_or_default();
            } else {
                rest = self.copy_char(rest);
            }
            if byte != b' ' {
                self.in_indentation = false;
            }
            after_space = byte == b' ';
        }
    }

    fn single_quoted(&mut self, text: &[u8], indent: usize, may_fold: bool) {
        let mut after_space = false;
        let mut after_break = false;
        let mut rest = text;
        while let Some(&byte) = rest.first() {
            if byte == b' ' {
                let inside = rest.len() < text.len() && rest.len() > 1;
                if may_fold
                    && !after_space
                    && self.column > BEST_WIDTH
                    && inside
                    && rest.get(1) != Some(&b' ')
                {
                    self.start_line(indent);
                    rest = rest.get(1..).unwrap_or_default();
                } else {
                    rest = self.copy_char(rest);
                }
                after_space = true;
            } else if break_len(rest) > 0 {
                if !after_break && byte == b'\n' {
                    self.line_break();
                }
                rest = self.copy_break(rest);
                self.in_indentation = true;
                after_break = true;
            } else {
                if after_break {
                    self.start_line(indent);
                }
                if byte == b'\'' {
                    self.out.push(b'\'');
                    self.column += 1;
                }
                rest = self.copy_char(rest);
                self.in_indentation = false;
                after_space = false;
                after_break = false;
            }
        }
    }

    fn double_quoted(&mut self, text: &[u8], indent: usize, may_fold: bool) {
        // go-yaml looks for a byte order mark at the start of the text whichever character it is at.
        let escape_all = text.starts_with("\u{FEFF}".as_bytes());
        let mut after_space = false;
        let mut rest = text;
        while let Some(&byte) = rest.first() {
            if escape_all || !is_printable(rest) || break_len(rest) > 0 || matches!(byte, b'"' | b'\\') {
                rest = self.escape(rest);
                after_space = false;
            } else if byte == b' ' {
                let inside = rest.len() < text.len() && rest.len() > 1;
                if may_fold && !after_space && self.column > BEST_WIDTH && inside {
                    self.start_line(indent);
                    if rest.get(1) == Some(&b' ') {
                        self.out.push(b'\\');
                        self.column += 1;
                    }
                    // The line now holds text, whatever comes next.
                    self.in_indentation = false;
                    rest = rest.get(1..).unwrap_or_default();
                } else {
                    rest = self.copy_char(rest);
                }
                after_space = true;
            } else {
                rest = self.copy_char(rest);
                after_space = false;
            }
        }
    }

    /// Escapes the character that begins the text and gives what follows it.
    fn escape<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let (character, rest) = text.split_at(char_len(text).min(text.len()));
        let code =
            std::str::from_utf8(character).ok().and_then(|c| c.chars().next()).map_or(0xFFFD, u32::from);
        let start = self.out.len();
        self.out.push(b'\\');
        let letter = match code {
            0x00 => b'0',
            0x07 => b'a',
            0x08 => b'b',
            0x09 => b't',
            0x0A => b'n',
            0x0B => b'v',
            0x0C => b'f',
            0x0D => b'r',
            0x1B => b'e',
            0x22 => b'"',
            0x5C => b'\\',
            0x85 => b'N',
            0xA0 => b'_',
            0x2028 => b'L',
            0x2029 => b'P',
            _ if code <= 0xFF => b'x',
            _ if code <= 0xFFFF => b'u',
            _ => b'U',
        };
        self.out.push(letter);
        let digits = match letter {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        for shift in (0..digits).rev() {
            let digit = char::from_digit(code >> (shift * 4) & 0xF, 16).unwrap_or('0').to_ascii_uppercase();
            self.out.extend_from_slice(digit.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.column += self.out.len() - start;
        rest
    }

    fn literal(&mut self, text: &[u8], indent: usize) {
        self.indicator(b"|", false);
        if text.first() == Some(&b' ') || break_len(text) > 0 {
            self.out.push(b'2');
        }
        match trailing_breaks(text) {
            0 => self.out.push(b'-'),
            1 if text.len() > 1 => {}
            _ => self.out.push(b'+'),
        }
        self.line_break();
        self.in_indentation = true;
        self.after_space = true;
        let mut after_break = true;
        let mut rest = text;
        while !rest.is_empty() {
            if break_len(rest) > 0 {
                rest = self.copy_break(rest);
                self.in_indentation = true;
                after_break = true;
                continue;
            }
            if after_break {
                self.start_line(indent);
            }
            // Up to the next byte that may begin a line break there is nothing to decide.
            let run = rest.iter().skip(1).position(|b| matches!(b, b'\n' | b'\r' | 0xC2 | 0xE2));
            let (line, tail) = rest.split_at(run.map_or(rest.len(), |at| at + 1));
            self.out.extend_from_slice(line);
            self.column += line.len();
            rest = tail;
            self.in_indentation = false;
            after_break = false;
        }
    }
}

/// Returns the number of trailing line breaks, up to two.
fn trailing_breaks(text: &[u8]) -> usize {
    let last_char = |text: &[u8]| {
        let start = text.iter().rposition(|b| b & 0xC0 != 0x80)?;
        (break_len(text.get(start..)?) > 0).then_some(start)
    };
    match last_char(text) {
        None => 0,
        Some(start) => 1 + usize::from(last_char(text.get(..start).unwrap_or_default()).is_some()),
    }
}

fn write_float(value: f64, out: &mut Vec<u8>) {
    const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
    if value.fract() != 0.0 || !value.is_finite() {
        write_general_float(value, out);
    } else if (-TWO_POW_63..TWO_POW_63).contains(&value) {
        write_int(value as i64, out);
    } else if (TWO_POW_63..TWO_POW_63 * 2.0).contains(&value) {
        write_uint(value as u64, out);
    } else {
        write_general_float(value, out);
    }
}
