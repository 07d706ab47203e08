//! Go's grammar of regular expressions, read and written anew in the engine's.

use std::collections::HashSet;

use super::{MAX_DEPTH, MAX_REPEAT, MAX_TEXT, MAX_WORK, PatternError};

/// What a class of Unicode adds to the work of compiling, and what it adds where capitals count as small letters.
const CLASS: u64 = 20;
const FOLDED_CLASS: u64 = 300;
/// How many letters of a range add one.
const LETTERS: u64 = 1000;

/// A pattern in the engine's grammar; none if compiling it would be too much work.
pub(super) fn read(pattern: &str) -> Result<Option<String>, PatternError> {
    let mut reader = Reader {
        whole: pattern,
        rest: pattern,
        out: String::new(),
        classes: HashSet::new(),
        is_folded: false,
        no_more_named: false,
        work: 0,
    };
    reader.read()?;
    Ok((pattern.len() <= MAX_TEXT && reader.work <= MAX_WORK).then_some(reader.out))
}

struct Reader<'a> {
    whole: &'a str,
    rest: &'a str,
    out: String,
    /// The names of classes that are known to be some.
    classes: HashSet<&'a str>,
    /// Whether capitals have been said to count as small letters.
    is_folded: bool,
    /// Whether no `:]` stands in the rest.
    no_more_named: bool,
    /// What compiling will take, in some thousand letters of classes.
    work: u64,
}

/// How often what a group repeats is repeated, at most, with what is within.
struct Repeated {
    /// In the groups around, from the outermost on.
    around: Vec<u64>,
    /// In what stands before in this group.
    most: u64,
    /// In what came last, which may still be repeated.
    last: u64,
}

impl Repeated {
    fn open(&mut self) {
        self.next(1);
        self.around.push(std::mem::replace(&mut self.most, 1));
    }

    fn close(&mut self) {
        let within = self.most.max(self.last);
        self.most = self.around.pop().unwrap_or(1);
        self.last = within;
    }

    /// Something else comes.
    fn next(&mut self, times: u64) {
        self.most = self.most.max(self.last);
        self.last = times;
    }

    /// What came last is repeated: false if that is too often.
    fn repeat(&mut self, (low, high): (u64, Option<u64>)) -> bool {
        let times = high.unwrap_or(low);
        if low >= 2 || high.is_some_and(|high| high >= 2) {
            self.last = self.last.saturating_mul(times.max(1));
            return self.last <= MAX_REPEAT;
        }
        if high == Some(0) {
            self.last = 1;
        }
        true
    }
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
        let mut repeated = Repeated { around: Vec::new(), most: 1, last: 1 };
        while let Some(first) = self.rest.chars().next() {
            let start = self.rest;
            before = match first {
                '(' if start.starts_with("(?") => match self.group()? {
                    true => {
                        open += 1;
                        repeated.open();
                        Before::Nothing
                    }
                    // A change of flags repeats nothing, and is nothing to repeat.
                    false if before == Before::Something => Before::Something,
                    false => Before::Nothing,
                },
                '(' => {
                    open += 1;
                    repeated.open();
                    self.take('(', "(");
                    Before::Nothing
                }
                '|' => {
                    repeated.next(1);
                    self.take('|', "|");
                    Before::Nothing
                }
                ')' => {
                    open = open.checked_sub(1).ok_or_else(|| wrong("unexpected )", self.whole))?;
                    repeated.close();
                    self.take(')', ")");
                    Before::Something
                }
                '^' | '$' | '.' => {
                    repeated.next(1);
                    self.rest = &start[1..];
                    self.out.push(first);
                    Before::Something
                }
                '[' => {
                    repeated.next(1);
                    self.class()?;
                    Before::Something
                }
                '*' | '+' | '?' => {
                    self.rest = &start[1..];
                    self.repeat(start, before)?
                }
                '{' => match self.counts()? {
                    Some(counts) => {
                        let before = self.repeat(start, before)?;
                        if !repeated.repeat(counts) {
                            return Err(wrong("invalid repeat count", self.since(start)));
                        }
                        before
                    }
                    None => {
                        repeated.next(1);
                        self.take('{', "\\{");
                        Before::Something
                    }
                },
                '\\' => {
                    repeated.next(1);
                    self.escape()?;
                    Before::Something
                }
                other => {
                    repeated.next(1);
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
        self.out.push_str(&regex_syntax::escape(letter.encode_utf8(&mut [0; 4])));
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

    /// Passes `{2}`, `{2,}` or `{2,5}`, and gives the numbers; none if it is none of them and so a brace.
    fn counts(&mut self) -> Result<Option<(u64, Option<u64>)>, PatternError> {
        let start = self.rest;
        let is_inner = |byte: u8| byte.is_ascii_digit() || byte == b',';
        let end = 1 + start.bytes().skip(1).take_while(|byte| is_inner(*byte)).count();
        let Some((inner, rest)) = start.get(1..end).zip(start.get(end..)) else { return Ok(None) };
        let Some(rest) = rest.strip_prefix('}') else { return Ok(None) };
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
            return Ok(None);
        }
        self.rest = rest;
        let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number <= MAX_REPEAT);
        match (number(low), high.map(number)) {
            (Some(low), None) => Ok(Some((low, None))),
            (Some(low), Some(Some(high))) if low <= high => Ok(Some((low, Some(high)))),
            _ => Err(wrong("invalid repeat count", self.since(start))),
        }
    }

    /// Passes `(?…`; true if a group was opened.
    fn group(&mut self) -> Result<bool, PatternError> {
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
            self.rest = &start[end + 1..];
            self.out.push('(');
            return Ok(true);
        }
        self.rest = &start[2..];
        let (mut minus, mut flag) = (false, false);
        while let Some(letter) = self.rest.chars().next() {
            self.rest = &self.rest[letter.len_utf8()..];
            match letter {
                'i' | 'm' | 's' | 'U' => {
                    flag = true;
                    self.is_folded |= letter == 'i';
                }
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
            Some(b'B') => r"(?-u:\B)",
            Some(b'z') => r"\z",
            Some(b'C') => return Err(wrong(BAD_ESCAPE, &start[..2])),
            Some(b'Q') => {
                let (text, rest) = start[2..].split_once(r"\E").unwrap_or((&start[2..], ""));
                self.out.push_str(&regex_syntax::escape(text));
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
        self.work += if self.is_folded { FOLDED_CLASS } else { CLASS };
        let is_known = self.classes.contains(name)
            || (name.starts_with(|letter: char| letter.is_ascii_uppercase())
                && !name.contains(['=', ':', ' '])
                && regex_syntax::parse(&format!("[{class}]")).is_ok());
        if is_known {
            self.classes.insert(name);
        }
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
            self.work += 1 + u64::from(u32::from(high) - u32::from(low)) / LETTERS;
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
        if self.no_more_named {
            return Ok(false);
        }
        let Some(end) = start[2..].find(":]") else {
            self.no_more_named = true;
            return Ok(false);
        };
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
