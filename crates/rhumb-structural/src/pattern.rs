//! Regular expressions as Go reads them.
//!
//! Go and the engine here share their roots (RE2), but not every escape, and not their words for what is wrong.
//! A pattern is read by Go's grammar, which finds its errors, and written anew in the engine's.

use std::fmt;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

/// The most repetitions that Go allows.
const MAX_REPEAT: u64 = 1000;
/// How deep groups may nest in Go.
const MAX_DEPTH: usize = 1000;
/// How large an expression may become in memory.
const SIZE_LIMIT: usize = 16 << 20;

/// Checks that Go would take a pattern.
///
/// # Errors
/// If it would not.
pub fn check(pattern: &str) -> Result<(), PatternError> {
    translated(pattern).map(|_| ())
}

/// What is wrong with a pattern, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    problem: &'static str,
    place: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error parsing regexp: {}: `{}`", self.problem, self.place)
    }
}

impl std::error::Error for PatternError {}

/// A regular expression, which is compiled when it is first asked: most of them never are.
pub(crate) struct Pattern {
    text: Box<str>,
    compiled: OnceLock<Result<Option<Regex>, PatternError>>,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        Pattern { text: text.into(), compiled: OnceLock::new() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the pattern matches anywhere in a text. One that can't be compiled although Go takes it would
    /// become too large; it restricts nothing.
    ///
    /// # Errors
    /// If Go would not take the pattern.
    pub(crate) fn matches(&self, text: &str) -> Result<bool, &PatternError> {
        let compile = || {
            let engine = translated(&self.text)?;
            Ok(RegexBuilder::new(&engine).size_limit(SIZE_LIMIT).build().ok())
        };
        let compiled = self.compiled.get_or_init(compile).as_ref()?;
        Ok(compiled.as_ref().is_none_or(|regex| regex.is_match(text)))
    }
}

/// A pattern in the engine's grammar.
fn translated(pattern: &str) -> Result<String, PatternError> {
    let mut reader = Reader { whole: pattern, rest: pattern, out: String::new() };
    reader.read()?;
    Ok(reader.out)
}

struct Reader<'a> {
    whole: &'a str,
    rest: &'a str,
    out: String,
}

/// What a repetition would repeat.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before<'a> {
    /// The start, an opening parenthesis or a bar.
    Nothing,
    Something,
    /// A repetition, which begins here.
    Repetition(&'a str),
}

fn wrong(problem: &'static str, place: impl Into<String>) -> PatternError {
    PatternError { problem, place: place.into() }
}

const BAD_RANGE: &str = "invalid character class range";
const BAD_ESCAPE: &str = "invalid escape sequence";
const BAD_CAPTURE: &str = "invalid named capture";

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<(), PatternError> {
        let mut before = Before::Nothing;
        let mut open = 0usize;
        let mut names: Vec<&str> = Vec::new();
        while let Some(first) = self.rest.chars().next() {
            let start = self.rest;
            before = match first {
                '(' if start.starts_with("(?") => match self.group(&mut names)? {
                    true => {
                        open += 1;
                        Before::Nothing
                    }
                    // A change of flags repeats nothing, and is nothing to repeat.
                    false if before == Before::Something => Before::Something,
                    false => Before::Nothing,
                },
                '(' => {
                    open += 1;
                    self.take('(', "(");
                    Before::Nothing
                }
                '|' => {
                    self.take('|', "|");
                    Before::Nothing
                }
                ')' => {
                    open = open.checked_sub(1).ok_or_else(|| wrong("unexpected )", self.whole))?;
                    self.take(')', ")");
                    Before::Something
                }
                '^' | '$' | '.' => {
                    self.rest = &start[1..];
                    self.out.push(first);
                    Before::Something
                }
                '[' => {
                    self.class()?;
                    Before::Something
                }
                '*' | '+' | '?' => {
                    self.rest = &start[1..];
                    self.repeat(start, before)?
                }
                '{' => match self.counts()? {
                    true => self.repeat(start, before)?,
                    false => {
                        self.take('{', "\\{");
                        Before::Something
                    }
                },
                '\\' => {
                    self.escape()?;
                    Before::Something
                }
                other => {
                    self.rest = &start[other.len_utf8()..];
                    self.literal(other);
                    Before::Something
                }
            };
            if open > MAX_DEPTH {
                return Err(wrong("expression nests too deeply", self.whole));
            }
        }
        if open > 0 { Err(wrong("missing closing )", self.whole)) } else { Ok(()) }
    }

    fn take(&mut self, expected: char, written: &str) {
        self.rest = self.rest.strip_prefix(expected).unwrap_or(self.rest);
        self.out.push_str(written);
    }

    fn literal(&mut self, letter: char) {
        self.out.push_str(&regex::escape(letter.encode_utf8(&mut [0; 4])));
    }

    /// What was passed since a place.
    fn since(&self, start: &'a str) -> &'a str {
        start.get(..start.len() - self.rest.len()).unwrap_or(start)
    }

    fn repeat(&mut self, start: &'a str, before: Before<'a>) -> Result<Before<'a>, PatternError> {
        if let Some(rest) = self.rest.strip_prefix('?') {
            self.rest = rest;
        }
        match before {
            Before::Repetition(first) => Err(wrong("invalid nested repetition operator", self.since(first))),
            Before::Nothing => Err(wrong("missing argument to repetition operator", self.since(start))),
            Before::Something => {
                self.out.push_str(self.since(start));
                Ok(Before::Repetition(start))
            }
        }
    }

    /// Passes `{2}`, `{2,}` or `{2,5}`; false if it is none of them and so a brace.
    fn counts(&mut self) -> Result<bool, PatternError> {
        let start = self.rest;
        let Some((inner, rest)) = start[1..].split_once('}') else { return Ok(false) };
        let (low, high) = match inner.split_once(',') {
            None => (inner, Some(inner)),
            Some((low, "")) => (low, None),
            Some((low, high)) => (low, Some(high)),
        };
        let is_number = |text: &str| {
            text.bytes().all(|byte| byte.is_ascii_digit())
                && !text.is_empty()
                && (text.len() == 1 || !text.starts_with('0'))
        };
        if !is_number(low) || !high.is_none_or(is_number) {
            return Ok(false);
        }
        self.rest = rest;
        let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number <= MAX_REPEAT);
        let fits = match (number(low), high.map(number)) {
            (Some(_), None) => true,
            (Some(low), Some(Some(high))) => low <= high,
            _ => false,
        };
        if fits { Ok(true) } else { Err(wrong("invalid repeat count", self.since(start))) }
    }

    /// Passes `(?…`; true if a group was opened.
    fn group(&mut self, names: &mut Vec<&'a str>) -> Result<bool, PatternError> {
        let start = self.rest;
        let name_at = match start.as_bytes() {
            [_, _, b'P', b'<', _, ..] => Some(4),
            [_, _, b'<', _, ..] => Some(3),
            _ => None,
        };
        if let Some(at) = name_at {
            let end = start.find('>').ok_or_else(|| wrong(BAD_CAPTURE, start))?;
            let (capture, name) = (&start[..=end], start.get(at..end).unwrap_or_default());
            if name.is_empty() || !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
                return Err(wrong(BAD_CAPTURE, capture));
            }
            if names.contains(&name) {
                return Err(wrong("duplicate capture group name", name));
            }
            names.push(name);
            self.rest = &start[end + 1..];
            self.out.push('(');
            return Ok(true);
        }
        self.rest = &start[2..];
        let (mut minus, mut flag) = (false, false);
        while let Some(letter) = self.rest.chars().next() {
            self.rest = &self.rest[letter.len_utf8()..];
            match letter {
                'i' | 'm' | 's' | 'U' => flag = true,
                '-' if !minus => {
                    minus = true;
                    flag = false;
                }
                ':' | ')' if !minus || flag => {
                    // `(?)` is nothing to Go, and an error to the engine.
                    if self.since(start) != "(?)" {
                        self.out.push_str(self.since(start));
                    }
                    return Ok(letter == ':');
                }
                _ => break,
            }
        }
        Err(wrong("invalid or unsupported Perl syntax", self.since(start)))
    }

    /// An escape outside of a class.
    fn escape(&mut self) -> Result<(), PatternError> {
        let start = self.rest;
        let known = match start.as_bytes().get(1) {
            Some(b'A') => r"\A",
            Some(b'b') => r"(?-u:\b)",
            Some(b'B') => r"\B",
            Some(b'z') => r"\z",
            Some(b'C') => return Err(wrong(BAD_ESCAPE, &start[..2])),
            Some(b'Q') => {
                let (text, rest) = start[2..].split_once(r"\E").unwrap_or((&start[2..], ""));
                self.out.push_str(&regex::escape(text));
                self.rest = rest;
                return Ok(());
            }
            _ => {
                if let Some(class) = self.class_escape()? {
                    self.out.push('[');
                    self.out.push_str(&class);
                    self.out.push(']');
                } else {
                    let letter = self.escaped_letter()?;
                    self.literal(letter);
                }
                return Ok(());
            }
        };
        self.rest = &start[2..];
        self.out.push_str(known);
        Ok(())
    }

    /// An escape for many letters, as it stands in a class of the engine: `\d`, `\pL`, `\P{Greek}`.
    fn class_escape(&mut self) -> Result<Option<String>, PatternError> {
        let start = self.rest;
        let Some(letter) = start.strip_prefix('\\').and_then(|rest| rest.chars().next()) else {
            return Ok(None);
        };
        let known = match letter {
            'd' => "0-9",
            'D' => "[^0-9]",
            's' => r"\t\n\x0C\r ",
            'S' => r"[^\t\n\x0C\r ]",
            'w' => "0-9A-Za-z_",
            'W' => "[^0-9A-Za-z_]",
            'p' | 'P' => return self.unicode_class(letter == 'P').map(Some),
            _ => return Ok(None),
        };
        self.rest = &start[2..];
        Ok(Some(known.to_owned()))
    }

    fn unicode_class(&mut self, negated: bool) -> Result<String, PatternError> {
        let start = self.rest;
        let name = match start[2..].chars().next() {
            None => return Err(wrong(BAD_RANGE, start)),
            Some('{') => {
                let end = start.find('}').ok_or_else(|| wrong(BAD_RANGE, start))?;
                self.rest = &start[end + 1..];
                start.get(3..end).unwrap_or_default()
            }
            Some(letter) => {
                self.rest = &start[2 + letter.len_utf8()..];
                &start[2..2 + letter.len_utf8()]
            }
        };
        let (name, negated) = match name.strip_prefix('^') {
            Some(name) => (name, !negated),
            None => (name, negated),
        };
        let class = match name {
            "Any" => r"\x{0}-\x{10FFFF}".to_owned(),
            // The engine knows more names than Go; those have other forms, with `=` or lower case.
            name => format!(r"\{}{{{name}}}", if negated { 'P' } else { 'p' }),
        };
        let is_known = name.starts_with(|letter: char| letter.is_ascii_uppercase())
            && !name.contains(['=', ':', ' '])
            && Regex::new(&format!("[{class}]")).is_ok();
        if is_known { Ok(class) } else { Err(wrong(BAD_RANGE, self.since(start))) }
    }

    /// An escape for a single letter.
    fn escaped_letter(&mut self) -> Result<char, PatternError> {
        let start = self.rest;
        let mut letters = start.strip_prefix('\\').unwrap_or(start).chars();
        let Some(letter) = letters.next() else {
            return Err(wrong("trailing backslash at end of expression", ""));
        };
        let octal = |letter: Option<char>| letter.and_then(|letter| letter.to_digit(8));
        let found = match letter {
            'a' => Some('\u{7}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            'x' => hexadecimal(&mut letters),
            '0'..='7' if letter == '0' || octal(letters.clone().next()).is_some() => {
                let mut code = letter.to_digit(8).unwrap_or_default();
                for _ in 1..3 {
                    if let Some(digit) = octal(letters.clone().next()) {
                        letters.next();
                        code = code * 8 + digit;
                    }
                }
                char::from_u32(code)
            }
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => Some(other),
            _ => None,
        };
        self.rest = letters.as_str();
        found.ok_or_else(|| wrong(BAD_ESCAPE, self.since(start)))
    }

    /// A class in brackets.
    fn class(&mut self) -> Result<(), PatternError> {
        let start = self.rest;
        self.take('[', "[");
        if self.rest.starts_with('^') {
            self.take('^', "^");
        }
        let mut first = true;
        while first || !self.rest.starts_with(']') {
            first = false;
            if self.rest.starts_with("[:") && self.named_class()? {
                continue;
            }
            if let Some(class) = self.class_escape()? {
                self.out.push_str(&class);
                continue;
            }
            let from = self.rest;
            let low = self.class_letter(start)?;
            let mut high = low;
            if self.rest.len() >= 2 && self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.rest = &self.rest[1..];
                high = self.class_letter(start)?;
                if high < low {
                    return Err(wrong(BAD_RANGE, self.since(from)));
                }
            }
            self.out.push_str(&format!(r"\x{{{:X}}}-\x{{{:X}}}", u32::from(low), u32::from(high)));
        }
        self.take(']', "]");
        Ok(())
    }

    fn class_letter(&mut self, class: &'a str) -> Result<char, PatternError> {
        match self.rest.chars().next() {
            None => Err(wrong("missing closing ]", class)),
            Some('\\') => self.escaped_letter(),
            Some(letter) => {
                self.rest = &self.rest[letter.len_utf8()..];
                Ok(letter)
            }
        }
    }

    /// `[:alpha:]`; false if it is not of that form.
    fn named_class(&mut self) -> Result<bool, PatternError> {
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
            "space", "upper", "word", "xdigit",
        ];
        let start = self.rest;
        let Some(end) = start[2..].find(":]") else { return Ok(false) };
        let whole = &start[..end + 4];
        let name = &start[2..end + 2];
        if !NAMES.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err(wrong(BAD_RANGE, whole));
        }
        self.rest = &start[whole.len()..];
        self.out.push_str(whole);
        Ok(true)
    }
}

/// `41` or `{1F600}` behind `\x`.
fn hexadecimal(letters: &mut std::str::Chars<'_>) -> Option<char> {
    let mut digit = || letters.next();
    let first = digit()?;
    if first != '{' {
        let second = digit()?;
        return char::from_u32(first.to_digit(16)? * 16 + second.to_digit(16)?);
    }
    let mut code = None;
    loop {
        match digit()? {
            '}' => return char::from_u32(code?),
            letter => {
                let value = code.unwrap_or(0u32) * 16 + letter.to_digit(16)?;
                if value > 0x10_FFFF {
                    return None;
                }
                code = Some(value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
