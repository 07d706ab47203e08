//! Reads the JSON of a continue token: the fields of an object as they are written, or what is wrong in Go's words,
//! which Kubernetes hands on to the client.

use std::ops::Range;

/// How deep values may lie in each other. A token has no depth at all.
const DEPTH: usize = 100;

/// What a text is.
pub(super) enum Json<'a> {
    /// An object: the names and values of its fields, as written, in their order.
    Object(Vec<(&'a [u8], &'a [u8])>),
    /// Something else, as written.
    Other(&'a [u8]),
}

/// Reads a text.
pub(super) fn read(text: &[u8]) -> Result<Json<'_>, String> {
    let mut scanner = Scanner { text, at: 0, fields: Vec::new() };
    let whole = scanner.value(0)?;
    scanner.skip();
    if scanner.peek().is_some() {
        return Err(scanner.unexpected("after top-level value"));
    }
    let part = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    Ok(match part(&whole) {
        [b'{', ..] => {
            Json::Object(scanner.fields.iter().map(|(name, value)| (part(name), part(value))).collect())
        }
        other => Json::Other(other),
    })
}

/// What a value is, as Go calls it.
pub(super) fn kind(value: &[u8]) -> &'static str {
    match value.first() {
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b'"') => "string",
        Some(b't' | b'f') => "bool",
        Some(b'n') => "null",
        _ => "number",
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// The fields of the outermost object.
    fields: Vec<(Range<usize>, Range<usize>)>,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Passes a byte if it is the next one.
    fn pass(&mut self, wanted: u8) -> bool {
        let passed = self.peek() == Some(wanted);
        self.at += usize::from(passed);
        passed
    }

    fn skip(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// The next byte can't stand where space could.
    fn unexpected(&self, place: &str) -> String {
        match self.peek() {
            Some(_) => self.invalid(place),
            None => "unexpected end of JSON input".to_owned(),
        }
    }

    /// The next byte can't stand where space could not either; the end counts as a space.
    fn invalid(&self, place: &str) -> String {
        format!("invalid character {} {place}", quoted(self.peek().unwrap_or(b' ')))
    }

    /// Passes a value, and gives where it stands.
    fn value(&mut self, depth: usize) -> Result<Range<usize>, String> {
        if depth > DEPTH {
            return Err("exceeded max depth".to_owned());
        }
        self.skip();
        let start = self.at;
        match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => self.string()?,
            Some(b't') => self.literal("true")?,
            Some(b'f') => self.literal("false")?,
            Some(b'n') => self.literal("null")?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.unexpected("looking for beginning of value")),
        }
        Ok(start..self.at)
    }

    fn object(&mut self, depth: usize) -> Result<(), String> {
        self.at += 1;
        self.skip();
        if self.pass(b'}') {
            return Ok(());
        }
        loop {
            self.skip();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("looking for beginning of object key string"));
            }
            self.string()?;
            let name = start..self.at;
            self.skip();
            if !self.pass(b':') {
                return Err(self.unexpected("after object key"));
            }
            let value = self.value(depth + 1)?;
            if depth == 0 {
                self.fields.push((name, value));
            }
            self.skip();
            if self.pass(b'}') {
                return Ok(());
            }
            if !self.pass(b',') {
                return Err(self.unexpected("after object key:value pair"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<(), String> {
        self.at += 1;
        self.skip();
        if self.pass(b']') {
            return Ok(());
        }
        loop {
            self.value(depth + 1)?;
            self.skip();
            if self.pass(b']') {
                return Ok(());
            }
            if !self.pass(b',') {
                return Err(self.unexpected("after array element"));
            }
        }
    }

    fn string(&mut self) -> Result<(), String> {
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                None | Some(0..b' ') => return Err(self.unexpected("in string literal")),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), String> {
        self.at += 1;
        match self.peek() {
            Some(b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return Err(self.invalid("in \\u hexadecimal character escape"));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.invalid("in string escape code")),
        }
        Ok(())
    }

    fn literal(&mut self, word: &str) -> Result<(), String> {
        for expected in word.bytes() {
            if !self.pass(expected) {
                let place = format!("in literal {word} (expecting {})", quoted(expected));
                return Err(self.invalid(&place));
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), String> {
        self.pass(b'-');
        if !self.pass(b'0') {
            self.digits("in numeric literal")?;
        }
        if self.pass(b'.') {
            self.digits("after decimal point in numeric literal")?;
        }
        if self.pass(b'e') || self.pass(b'E') {
            let _ = self.pass(b'+') || self.pass(b'-');
            self.digits("in exponent of numeric literal")?;
        }
        Ok(())
    }

    /// Passes at least one digit.
    fn digits(&mut self, place: &str) -> Result<(), String> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.invalid(place)) } else { Ok(()) }
    }
}

/// A byte as Go shows the character of that number.
fn quoted(byte: u8) -> String {
    let shown = match byte {
        0x07 => "\\a".to_owned(),
        0x08 => "\\b".to_owned(),
        0x0b => "\\v".to_owned(),
        0x0c => "\\f".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b'\'' => "\\'".to_owned(),
        0..b' ' | 0x7f => format!("\\x{byte:02x}"),
        0x80..=0xa0 | 0xad => format!("\\u{byte:04x}"),
        _ => char::from(byte).to_string(),
    };
    format!("'{shown}'")
}
