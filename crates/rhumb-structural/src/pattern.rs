//! Regular expressions as Go reads them.
//!
//! Definitions whose patterns Go would refuse are refused themselves, so that only the differences in writing
//! between Go and the engine here are of interest: classes are ASCII in Go, and brackets, braces and escapes
//! mean a little less.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

/// How large an expression may become in memory.
const SIZE_LIMIT: usize = 16 << 20;

/// A regular expression, which is compiled when it is first asked: most of them never are.
pub(crate) struct Pattern {
    text: Box<str>,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        Pattern { text: text.into(), compiled: OnceLock::new() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the pattern matches anywhere in a text. One that can't be compiled, because it would become
    /// too large, restricts nothing.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let compile = || RegexBuilder::new(&translated(&self.text)).size_limit(SIZE_LIMIT).build().ok();
        self.compiled.get_or_init(compile).as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        rest = match letter {
            '\\' => escape(rest, &mut out),
            '[' => class(rest, &mut out),
            '{' => braces(rest, &mut out),
            '(' if rest.starts_with("(?)") => rest.get(3..).unwrap_or_default(),
            '(' | ')' | '|' | '^' | '$' | '.' | '*' | '+' | '?' => {
                out.push(letter);
                rest.get(1..).unwrap_or_default()
            }
            other => {
                literal(other, &mut out);
                rest.get(other.len_utf8()..).unwrap_or_default()
            }
        };
        // The name of a group is no expression.
        if let Some(name) = ["?P<", "?<"].iter().find(|name| letter == '(' && rest.starts_with(**name)) {
            let end = rest.find('>').map_or(name.len(), |end| end + 1);
            out.push_str(rest.get(..end).unwrap_or_default());
            rest = rest.get(end..).unwrap_or_default();
        } else if letter == '(' && rest.starts_with('?') {
            let end = rest.find([':', ')']).map_or(1, |end| end + 1);
            out.push_str(rest.get(..end).unwrap_or_default());
            rest = rest.get(end..).unwrap_or_default();
        }
    }
    out
}

fn literal(letter: char, out: &mut String) {
    out.push_str(&regex::escape(letter.encode_utf8(&mut [0; 4])));
}

/// Counts of a repetition stay, any other brace is itself.
fn braces<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let inner = rest.get(1..).and_then(|rest| rest.split_once('}')).map(|(inner, _)| inner);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let counts = inner.filter(|inner| match inner.split_once(',') {
        Some((low, high)) => is_number(low) && (high.is_empty() || is_number(high)),
        None => is_number(inner),
    });
    match counts {
        Some(inner) => {
            out.push_str(&format!("{{{inner}}}"));
            rest.get(inner.len() + 2..).unwrap_or_default()
        }
        None => {
            out.push_str("\\{");
            rest.get(1..).unwrap_or_default()
        }
    }
}

/// An escape outside of a class.
fn escape<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let mut letters = rest.chars().peekable();
    letters.next();
    match letters.peek() {
        Some('Q') => {
            let text = rest.get(2..).unwrap_or_default();
            let (text, rest) = text.split_once(r"\E").unwrap_or((text, ""));
            out.push_str(&regex::escape(text));
            return rest;
        }
        Some('b') => out.push_str(r"(?-u:\b)"),
        Some(letter @ ('A' | 'B' | 'z')) => {
            out.push('\\');
            out.push(*letter);
        }
        _ => {
            if let Some(class) = class_escape(&mut letters) {
                out.push_str(&format!("[{class}]"));
            } else if let Some(letter) = escaped_letter(&mut letters) {
                literal(letter, out);
            }
            return left(rest, letters);
        }
    }
    rest.get(2..).unwrap_or_default()
}

/// What the letters have left of a text.
fn left<'a>(text: &'a str, letters: Peekable<Chars<'a>>) -> &'a str {
    let length: usize = letters.map(char::len_utf8).sum();
    text.get(text.len() - length..).unwrap_or_default()
}

/// An escape for many letters, as it stands in a class of the engine.
fn class_escape(letters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let class = match letters.peek()? {
        'd' => "0-9",
        'D' => "[^0-9]",
        's' => r"\t\n\x0C\r ",
        'S' => r"[^\t\n\x0C\r ]",
        'w' => "0-9A-Za-z_",
        'W' => "[^0-9A-Za-z_]",
        'p' | 'P' => {
            let negated = letters.next() == Some('P');
            let name: String = match letters.next()? {
                '{' => letters.by_ref().take_while(|letter| *letter != '}').collect(),
                letter => letter.to_string(),
            };
            let (name, negated) = match name.strip_prefix('^') {
                Some(name) => (name.to_owned(), !negated),
                None => (name, negated),
            };
            return Some(format!(r"\{}{{{name}}}", if negated { 'P' } else { 'p' }));
        }
        _ => return None,
    };
    letters.next();
    Some(class.to_owned())
}

fn escaped_letter(letters: &mut Peekable<Chars<'_>>) -> Option<char> {
    Some(match letters.next()? {
        'a' => '\u{7}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        'x' => {
            let digits: String = match letters.next()? {
                '{' => letters.by_ref().take_while(|letter| *letter != '}').collect(),
                first => [Some(first), letters.next()].into_iter().flatten().collect(),
            };
            char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
        }
        first @ '0'..='7' => {
            let mut code = first.to_digit(8)?;
            for _ in 0..2 {
                let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(8)) else { break };
                code = code * 8 + digit;
                letters.next();
            }
            char::from_u32(code)?
        }
        other => other,
    })
}

/// A class in brackets.
fn class<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let mut letters = rest.chars().peekable();
    letters.next();
    out.push('[');
    if letters.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    while let Some(letter) = letters.peek().copied() {
        if letter == ']' && !first {
            letters.next();
            break;
        }
        first = false;
        let here = left(rest, letters.clone());
        if let Some(named) = here.strip_prefix("[:").and_then(|rest| rest.split_once(":]")) {
            out.push_str(&format!("[:{}:]", named.0));
            letters = named.1.chars().peekable();
            continue;
        }
        if letter == '\\' {
            let mut inside = letters.clone();
            inside.next();
            if let Some(class) = class_escape(&mut inside) {
                out.push_str(&class);
                letters = inside;
                continue;
            }
        }
        let Some(low) = class_letter(&mut letters) else { break };
        let mut high = low;
        let mut ahead = letters.clone();
        if ahead.next() == Some('-') && ahead.peek().is_some_and(|letter| *letter != ']') {
            letters.next();
            high = class_letter(&mut letters).unwrap_or(low);
        }
        out.push_str(&format!(r"\x{{{:X}}}-\x{{{:X}}}", u32::from(low), u32::from(high)));
    }
    out.push(']');
    left(rest, letters)
}

fn class_letter(letters: &mut Peekable<Chars<'_>>) -> Option<char> {
    match letters.next()? {
        '\\' => escaped_letter(letters),
        letter => Some(letter),
    }
}
