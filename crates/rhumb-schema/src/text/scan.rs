//! Pull scanner over JSON text.
//!
//! It holds a position and nothing else: who calls it knows whether a key or a value comes next. Errors say what
//! Go's `encoding/json` says at the same place, because API clients show these texts to people.

use std::borrow::Cow;
use std::fmt;

use super::utf8::utf8;
use crate::MAX_DEPTH;
use crate::json_key::JsonKey;

/// Error: malformed JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte offset.
    pub offset: usize,
    /// Boxed, because it is rare and every step of the way carries it.
    what: Box<What>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// The text ends where something more must come.
    End,
    /// The text ends inside a word, number or escape. Go notices by the blank it puts behind every text.
    EndInside(Cow<'static, str>),
    Depth,
    Byte(u8, Cow<'static, str>),
}

impl SyntaxError {
    /// Reports whether the text simply ended too early.
    pub fn is_eof(&self) -> bool {
        matches!(*self.what, What::End | What::EndInside(_))
    }

    /// Reports whether it is too deeply nested rather than malformed.
    pub fn is_depth(&self) -> bool {
        *self.what == What::Depth
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.what {
            What::End => f.write_str("unexpected end of JSON input"),
            What::EndInside(context) => write!(f, "invalid character ' ' {context}"),
            What::Depth => f.write_str("exceeded max depth"),
            What::Byte(byte, context) => {
                f.write_str("invalid character ")?;
                match byte {
                    b'\'' => f.write_str(r"'\''")?,
                    b'\\' => f.write_str(r"'\\'")?,
                    7 => f.write_str(r"'\a'")?,
                    8 => f.write_str(r"'\b'")?,
                    9 => f.write_str(r"'\t'")?,
                    10 => f.write_str(r"'\n'")?,
                    11 => f.write_str(r"'\v'")?,
                    12 => f.write_str(r"'\f'")?,
                    13 => f.write_str(r"'\r'")?,
                    0..0x20 | 0x7f => write!(f, r"'\x{byte:02x}'")?,
                    0x80..0xa0 | 0xad => write!(f, r"'\u00{byte:02x}'")?,
                    0xa0 => f.write_str(r"'\u00a0'")?,
                    printable => write!(f, "'{}'", char::from(*printable))?,
                }
                write!(f, " {context}")
            }
        }
    }
}

impl std::error::Error for SyntaxError {}

/// Position in JSON text.
#[derive(Clone, Debug)]
pub struct Scanner<'a> {
    src: &'a [u8],
    /// The whole text, if it is valid UTF-8: then its strings need no validation.
    text: Option<&'a str>,
    /// Remaining input.
    rest: &'a [u8],
}

/// A key between its quotes, not unescaped.
#[derive(Clone, Copy, Debug)]
pub struct RawKey<'a> {
    inside: &'a [u8],
    escaped: bool,
}

impl<'a> RawKey<'a> {
    /// Returns the bytes of its text, if they stand there as they are.
    #[inline]
    pub fn plain(&self) -> Option<&'a [u8]> {
        if self.escaped { None } else { Some(self.inside) }
    }

    /// Returns the unescaped text. Invalid UTF-8 becomes U+FFFD, as in Go.
    pub fn text(&self) -> Cow<'a, str> {
        if self.escaped {
            return Cow::Owned(unescape(self.inside));
        }
        match utf8(self.inside) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(lossy(self.inside)),
        }
    }
}

/// Returns the number of bytes before the first quote, backslash or control character. It examines eight bytes at a
/// time: the top bit of a mask byte is set if the byte is one of these.
#[inline]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let mut length = 0;
    let mut rest = bytes;
    while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * b'"' as u64);
        let backslash = word ^ (ONES * b'\\' as u64);
        let below = quote.wrapping_sub(ONES) | backslash.wrapping_sub(ONES) | word.wrapping_sub(ONES * 0x20);
        let stops = below & !word & TOPS;
        if stops != 0 {
            return length + (stops.trailing_zeros() / 8) as usize;
        }
        length += 8;
        rest = tail;
    }
    length + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len())
}

impl<'a> Scanner<'a> {
    /// Creates a scanner at the start of a text.
    pub fn new(src: &'a [u8]) -> Self {
        Scanner { src, text: None, rest: src }
    }

    /// Creates a scanner of a text that is read completely: its UTF-8 is validated once, not string by string.
    pub fn whole(src: &'a [u8]) -> Self {
        Scanner { src, text: std::str::from_utf8(src).ok(), rest: src }
    }

    /// Returns the byte offset.
    #[inline]
    pub fn offset(&self) -> usize {
        self.src.len() - self.rest.len()
    }

    /// Returns the text from an earlier offset up to here.
    pub fn since(&self, start: usize) -> &'a [u8] {
        self.src.get(start..self.offset()).unwrap_or_default()
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Skips white space and looks at the next byte.
    #[inline(always)]
    pub fn peek(&mut self) -> Option<u8> {
        match self.rest {
            [byte, ..] if *byte > b' ' => Some(*byte),
            // What stands behind every colon of indented text.
            [b' ', rest @ ..] if rest.first().is_some_and(|byte| *byte > b' ') => {
                self.rest = rest;
                rest.first().copied()
            }
            _ => self.peek_behind_space(),
        }
    }

    /// Skips white space, eight bytes at a time, since indented text has long runs of blanks, and peeks at the next
    /// byte.
    #[inline(never)]
    fn peek_behind_space(&mut self) -> Option<u8> {
        let mut rest = self.rest;
        let found = loop {
            match rest {
                [b' ', ..] => rest = without_spaces(rest),
                [b'\n' | b'\r' | b'\t', behind @ ..] => rest = behind,
                [other, ..] => break Some(*other),
                [] => break None,
            }
        };
        self.rest = rest;
        found
    }

    /// Moves past the byte that [`Scanner::peek`] showed.
    #[inline]
    pub fn bump(&mut self) {
        self.advance(1);
    }

    #[inline]
    fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    /// Returns the error for what stands here, in Go's words for this place.
    #[cold]
    pub fn error(&self, context: &'static str) -> SyntaxError {
        let what = match self.byte() {
            None => What::End,
            Some(byte) => What::Byte(byte, Cow::Borrowed(context)),
        };
        SyntaxError { offset: self.offset(), what: Box::new(what) }
    }

    /// Returns the error for what stands here, inside a word, number or escape.
    #[cold]
    fn error_inside(&self, context: impl Into<Cow<'static, str>>) -> SyntaxError {
        let context = context.into();
        let what = match self.byte() {
            None => What::EndInside(context),
            Some(byte) => What::Byte(byte, context),
        };
        SyntaxError { offset: self.offset(), what: Box::new(what) }
    }

    /// Returns the error for nesting too deep.
    #[cold]
    pub fn depth_error(&self) -> SyntaxError {
        SyntaxError { offset: self.offset(), what: Box::new(What::Depth) }
    }

    /// Checks that only white space is left.
    ///
    /// # Errors
    /// If something else is.
    pub fn end(&mut self) -> Result<(), SyntaxError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("after top-level value")),
        }
    }

    /// After the `{`: whether another entry follows, moving onto its key, or the end of the object, moving past it.
    ///
    /// # Errors
    /// If neither stands there.
    #[inline(always)]
    pub fn next_entry(&mut self, first: bool) -> Result<bool, SyntaxError> {
        match self.rest {
            [b',', b'"', ..] if !first => {
                self.bump();
                Ok(true)
            }
            [b'"', ..] if first => Ok(true),
            [b'}', rest @ ..] => {
                self.rest = rest;
                Ok(false)
            }
            _ => self.next_spaced_entry(first),
        }
    }

    #[inline(never)]
    fn next_spaced_entry(&mut self, first: bool) -> Result<bool, SyntaxError> {
        if let [b',', b'\n', line @ ..] = self.rest
            && !first
            && let entry @ [b'"', ..] = without_spaces(line)
        {
            self.rest = entry;
            return Ok(true);
        }
        match self.peek() {
            Some(b'}') => {
                self.bump();
                return Ok(false);
            }
            Some(b'"') if first => return Ok(true),
            Some(b',') if !first => self.bump(),
            _ if first => return Err(self.error("looking for beginning of object key string")),
            _ => return Err(self.error("after object key:value pair")),
        }
        match self.peek() {
            Some(b'"') => Ok(true),
            _ => Err(self.error("looking for beginning of object key string")),
        }
    }

    /// Returns a key and the colon behind it.
    ///
    /// # Errors
    /// If they are not there.
    #[inline]
    pub fn key(&mut self) -> Result<Cow<'a, str>, SyntaxError> {
        let key = self.string()?;
        self.colon()?;
        Ok(key)
    }

    /// Returns a key and the colon behind it, where the key's text may not be asked for.
    ///
    /// # Errors
    /// If they are not there.
    #[inline]
    pub fn raw_key(&mut self) -> Result<RawKey<'a>, SyntaxError> {
        let (inside, escaped) = self.raw_string()?;
        self.colon()?;
        Ok(RawKey { inside, escaped })
    }

    #[inline]
    fn colon(&mut self) -> Result<(), SyntaxError> {
        match self.peek() {
            Some(b':') => self.bump(),
            _ => return Err(self.error("after object key")),
        }
        Ok(())
    }

    /// Reports whether this very key comes next, which is passed then. One that is long or written in another way is
    /// not seen.
    #[inline]
    pub fn pass(&mut self, key: &JsonKey) -> bool {
        let rest = key.leads(self.rest).and_then(|length| self.rest.get(length..));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// After the `[`: whether another element follows, or the end of the list, moving past it.
    ///
    /// # Errors
    /// If neither stands there.
    #[inline]
    pub fn next_element(&mut self, first: bool) -> Result<bool, SyntaxError> {
        match self.peek() {
            Some(b']') => {
                self.bump();
                Ok(false)
            }
            Some(b',') if !first => {
                self.bump();
                match self.peek() {
                    Some(b']') => Err(self.error("looking for beginning of value")),
                    _ => Ok(true),
                }
            }
            _ if first => Ok(true),
            _ => Err(self.error("after array element")),
        }
    }

    /// Moves past a string without decoding it, and gives its raw inside and whether it has escapes.
    #[inline]
    fn raw_string(&mut self) -> Result<(&'a [u8], bool), SyntaxError> {
        let rest = self.rest.get(1..).unwrap_or_default();
        if let Some((inside, [b'"', behind @ ..])) = rest.split_at_checked(plain_length(rest)) {
            self.rest = behind;
            return Ok((inside, false));
        }
        self.raw_string_with_escapes()
    }

    #[inline(never)]
    fn raw_string_with_escapes(&mut self) -> Result<(&'a [u8], bool), SyntaxError> {
        self.bump();
        let start = self.offset();
        let mut escaped = false;
        loop {
            self.advance(plain_length(self.rest));
            match self.byte() {
                Some(b'"') => {
                    let inside = self.since(start);
                    self.bump();
                    return Ok((inside, escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    self.bump();
                    self.check_escape()?;
                }
                _ => return Err(self.error("in string literal")),
            }
        }
    }

    fn check_escape(&mut self) -> Result<(), SyntaxError> {
        match self.byte() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.bump(),
            Some(b'u') => {
                self.bump();
                for _ in 0..4 {
                    match self.byte() {
                        Some(byte) if byte.is_ascii_hexdigit() => self.bump(),
                        _ => return Err(self.error_inside("in \\u hexadecimal character escape")),
                    }
                }
            }
            _ => return Err(self.error_inside("in string escape code")),
        }
        Ok(())
    }

    /// Returns the string that [`Scanner::peek`] showed the start of. Bytes that are not UTF-8 become U+FFFD, as in
    /// Go.
    ///
    /// # Errors
    /// If it is malformed.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, SyntaxError> {
        let start = self.offset() + 1;
        let (inside, escaped) = self.raw_string()?;
        if escaped {
            return Ok(Cow::Owned(unescape(inside)));
        }
        if let Some(text) = self.text.and_then(|text| text.get(start..start + inside.len())) {
            return Ok(Cow::Borrowed(text));
        }
        Ok(match utf8(inside) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(lossy(inside)),
        })
    }

    /// Returns the text of the string that comes next, if it has no escapes and the whole text is UTF-8, which it then
    /// moves past. That is what nearly all are; for others it stays where it is.
    #[inline(always)]
    pub fn plain_string(&mut self) -> Option<&'a str> {
        let [b'"', rest @ ..] = self.rest else { return None };
        let length = plain_length(rest);
        let [b'"', behind @ ..] = rest.get(length..)? else { return None };
        let start = self.src.len() - rest.len();
        let text = self.text?.get(start..start + length)?;
        self.rest = behind;
        Some(text)
    }

    /// Returns a number as it stands.
    ///
    /// # Errors
    /// If it is malformed.
    #[inline]
    pub fn number(&mut self) -> Result<&'a str, SyntaxError> {
        let start = self.offset();
        if self.byte() == Some(b'-') {
            self.bump();
        }
        match self.byte() {
            Some(b'0') => self.bump(),
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.error_inside("in numeric literal")),
        }
        if self.byte() == Some(b'.') {
            self.bump();
            match self.byte() {
                Some(b'0'..=b'9') => self.digits(),
                _ => return Err(self.error_inside("after decimal point in numeric literal")),
            }
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.bump();
            if let Some(b'+' | b'-') = self.byte() {
                self.bump();
            }
            match self.byte() {
                Some(b'0'..=b'9') => self.digits(),
                _ => return Err(self.error_inside("in exponent of numeric literal")),
            }
        }
        // Only ASCII was passed.
        Ok(utf8(self.since(start)).unwrap_or_default())
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.byte() {
            self.bump();
        }
    }

    /// Scans `true`, `false` or `null`.
    ///
    /// # Errors
    /// If it is none of them.
    pub fn literal(&mut self) -> Result<&'static str, SyntaxError> {
        let word = match self.byte() {
            Some(b't') => "true",
            Some(b'f') => "false",
            Some(b'n') => "null",
            _ => return Err(self.error("looking for beginning of value")),
        };
        for expected in word.bytes() {
            if self.byte() != Some(expected) {
                let expected = char::from(expected);
                return Err(self.error_inside(format!("in literal {word} (expecting '{expected}')")));
            }
            self.bump();
        }
        Ok(word)
    }

    /// Moves past one value of any kind and gives its text.
    ///
    /// # Errors
    /// If it is malformed or too deep.
    pub fn skip(&mut self) -> Result<&'a [u8], SyntaxError> {
        self.peek();
        let start = self.offset();
        let mut open = Nesting::default();
        loop {
            match self.peek() {
                Some(b'"') => drop(self.raw_string()?),
                Some(b'{') => {
                    self.bump();
                    if self.next_entry(true)? {
                        self.raw_key()?;
                        if !open.push(true) {
                            return Err(self.depth_error());
                        }
                        continue;
                    }
                }
                Some(b'[') => {
                    self.bump();
                    if self.next_element(true)? {
                        if !open.push(false) {
                            return Err(self.depth_error());
                        }
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => drop(self.number()?),
                _ => drop(self.literal()?),
            }
            loop {
                match open.last() {
                    None => return Ok(self.since(start)),
                    Some(true) => {
                        if self.next_entry(false)? {
                            self.raw_key()?;
                            break;
                        }
                    }
                    Some(false) => {
                        if self.next_element(false)? {
                            break;
                        }
                    }
                }
                open.pop();
            }
        }
    }
}

/// Open objects and lists: one bit each, set for objects.
#[derive(Default)]
struct Nesting {
    objects: [u64; MAX_DEPTH / 64 + 1],
    depth: usize,
}

impl Nesting {
    /// Opens one more; false if that is too deep.
    #[inline]
    fn push(&mut self, object: bool) -> bool {
        if self.depth == MAX_DEPTH {
            return false;
        }
        let bit = self.depth % 64;
        if let Some(word) = self.objects.get_mut(self.depth / 64) {
            *word = *word & !(1 << bit) | u64::from(object) << bit;
        }
        self.depth += 1;
        true
    }

    /// Closes the innermost.
    #[inline]
    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Reports whether the innermost is an object, if one is open.
    #[inline]
    fn last(&self) -> Option<bool> {
        let depth = self.depth.checked_sub(1)?;
        self.objects.get(depth / 64).map(|word| word >> (depth % 64) & 1 == 1)
    }
}

/// Returns the text without leading spaces.
#[inline]
fn without_spaces(mut text: &[u8]) -> &[u8] {
    while let Some((chunk, rest)) = text.split_first_chunk::<8>() {
        let differing = u64::from_le_bytes(*chunk) ^ 0x2020_2020_2020_2020;
        if differing != 0 {
            return text.get((differing.trailing_zeros() / 8) as usize..).unwrap_or_default();
        }
        text = rest;
    }
    while let [b' ', rest @ ..] = text {
        text = rest;
    }
    text
}

/// Converts bytes to text with a U+FFFD for every invalid byte, as in Go, where Rust's conversion joins some.
fn lossy(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    out
}

/// Returns the text of a string with escapes, all of which have been checked.
fn unescape(inside: &[u8]) -> String {
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let (plain, escape) = rest.split_at(at);
        push_text(plain, &mut out);
        let (character, used) = match escape.get(1) {
            Some(b'u') => unescape_unicode(escape),
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(other) => (char::from(*other), 2),
            None => break,
        };
        out.push(character);
        rest = escape.get(used..).unwrap_or_default();
    }
    push_text(rest, &mut out);
    out
}

fn push_text(bytes: &[u8], out: &mut String) {
    match std::str::from_utf8(bytes) {
        Ok(text) => out.push_str(text),
        Err(_) => out.push_str(&lossy(bytes)),
    }
}

/// Returns the character of a `\u` escape and the length of the escape; surrogate pairs make one, lone ones U+FFFD.
fn unescape_unicode(escape: &[u8]) -> (char, usize) {
    let unit = |at: usize| -> Option<u32> {
        let hex = escape.get(at..at + 6)?;
        let hex = hex.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
    };
    let Some(first) = unit(0) else { return (char::REPLACEMENT_CHARACTER, 6) };
    if let 0xd800..0xdc00 = first
        && let Some(second @ 0xdc00..0xe000) = unit(6)
    {
        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}
