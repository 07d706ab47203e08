//! Takes out of answers what differs from run to run.
//!
//! Masking is done when a session is recorded and again on both sides when it is compared, so it must leave alone
//! what it has already masked.

use crate::session::{Answer, Text};

/// What is known of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mask {
    /// Texts to replace wherever they stand: the server's address, the session's directory.
    pub(crate) literal: Vec<(String, &'static str)>,
    /// Beginnings of names whose last five letters are random.
    pub(crate) generated: Vec<String>,
    /// Whether the order of lines means nothing.
    pub(crate) unordered: bool,
}

const AGE: &str = "<age>";
const IP: &str = "<ip>";

/// The letters of random names.
const RANDOM: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

type Matcher = fn(&[u8]) -> Option<usize>;

/// What is replaced where a word begins, by what.
const WORDS: &[(Matcher, &str)] = &[
    (uid, "<uid>"),
    (time, "<time>"),
    (mail_time, "<time>"),
    (address, IP),
    (|text| node_port(text).filter(|length| text.get(*length) == Some(&b'/')), "<node port>"),
    (|text| prefixed(text, b"LS0tLS1", pem_letter, 20), "<pem>"),
    (|text| prefixed(text, b"eyJ", token_letter, 40), "<token>"),
];

/// What is replaced after a fixed text, by what.
const AFTER: &[(&str, Matcher, &str)] = &[
    ("resourceVersion: \"", digits, "<rv>"),
    ("resourceVersion\": \"", digits, "<rv>"),
    ("resourceVersion\":\"", digits, "<rv>"),
    ("resourceVersion\\\":\\\"", digits, "<rv>"),
    ("resourceVersion=", digits, "<rv>"),
    (" resourceVersion:", digits, "<rv>"),
    ("map[resourceVersion:", digits, "<rv>"),
    ("nodePort: ", node_port, "<node port>"),
    ("nodePort\":", node_port, "<node port>"),
    ("LIVE-", digits, "<n>"),
    ("MERGED-", digits, "<n>"),
    ("kubectl-edit-", digits, "<n>"),
    ("milliseconds=", digits, "<n>"),
    ("X509SHA256=", |text| run(text, |letter| letter.is_ascii_hexdigit()), "<sha>"),
    ("+rhumb-", |text| run(text, |letter| letter.is_ascii_digit() || letter == b'.'), "<version>"),
];

impl Mask {
    /// An answer without what changes.
    pub(crate) fn answer(&self, answer: &Answer) -> Answer {
        Answer { out: self.text(&answer.out), err: self.text(&answer.err), code: answer.code }
    }

    fn text(&self, text: &Text) -> Text {
        let mut lines: Vec<String> = text.lines.iter().map(|line| self.line(line)).collect();
        if self.unordered {
            lines.sort();
        }
        Text { lines, open: text.open }
    }

    fn line(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for (from, to) in &self.literal {
            line = line.replace(from, to);
        }
        self.words(&cells(&log_head(&line)))
    }

    fn words(&self, line: &str) -> String {
        let bytes = line.as_bytes();
        let mut masked = String::new();
        let mut at = 0;
        'next: while at < bytes.len() {
            let rest = &bytes[at..];
            let after = &line[..at];
            for (before, matcher, name) in AFTER {
                if after.ends_with(before)
                    && let Some(length) = matcher(rest)
                {
                    masked.push_str(name);
                    at += length;
                    continue 'next;
                }
            }
            for prefix in &self.generated {
                if after.ends_with(prefix) && random_suffix(rest) {
                    masked.push_str("<xxxxx>");
                    at += 5;
                    continue 'next;
                }
            }
            if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() {
                for (matcher, name) in WORDS {
                    if let Some(length) = matcher(rest) {
                        masked.push_str(name);
                        at += length;
                        continue 'next;
                    }
                }
            }
            let letter = line[at..].chars().next().unwrap_or_default();
            masked.push(letter);
            at += letter.len_utf8();
        }
        masked
    }
}

/// Masks day, time and thread in the head of a line of log: `E1116 07:46:18.123456   12345 file.go:265] ...`.
fn log_head(line: &str) -> String {
    let bytes = line.as_bytes();
    let is_log = bytes.first().is_some_and(|level| b"IWEF".contains(level))
        && shaped(bytes.get(1..).unwrap_or_default(), b"0000 00:00:00.000000 ");
    match line.get(22..).map(|rest| rest.trim_start().split_once(' ')) {
        Some(Some((_, message))) if is_log => format!("{}<log> {message}", &line[..1]),
        _ => line.to_owned(),
    }
}

/// Masks ages and addresses that fill a cell of a table. A mask takes as many columns as the cell with the spaces
/// behind it, which is the width of the column as long as the header is the widest in it.
fn cells(line: &str) -> String {
    let mut masked = String::new();
    let mut rest = line;
    let mut after_mask = false;
    loop {
        let start = rest.len() - rest.trim_start_matches(' ').len();
        let begins = rest.len() == line.len() || std::mem::take(&mut after_mask) || start >= 2;
        masked.push_str(&rest[..start]);
        rest = &rest[start..];
        if rest.is_empty() {
            return masked;
        }
        let length = rest.find("  ").unwrap_or(rest.len());
        let (cell, tail) = rest.split_at(length);
        let name = match cell {
            _ if !begins => None,
            _ if is_age(cell) || cell == AGE => Some(AGE),
            _ if cell == IP || address(cell.as_bytes()) == Some(length) => Some(IP),
            _ => None,
        };
        let Some(name) = name else {
            masked.push_str(&over(cell));
            rest = tail;
            continue;
        };
        let padding = tail.len() - tail.trim_start_matches(' ').len();
        let width = if padding == 0 { 0 } else { (length + padding).max(name.len() + 1) };
        masked.push_str(&format!("{name:width$}"));
        rest = &tail[padding..];
        after_mask = true;
    }
}

/// Masks the ages in `5s (x3 over 10s)` and `3 (10s ago)`.
fn over(cell: &str) -> String {
    if let Some((age, rest)) = cell.split_once(" (x")
        && let Some((count, span)) = rest.split_once(" over ")
        && let Some(span) = span.strip_suffix(')')
        && (is_age(age) || age == "<age>")
        && (is_age(span) || span == "<age>")
    {
        return format!("<age> (x{count} over <age>)");
    }
    if let Some((count, age)) = cell.split_once(" (")
        && age.strip_suffix(" ago)").is_some_and(is_age)
    {
        return format!("{count} (<age> ago)");
    }
    cell.to_owned()
}

fn is_age(cell: &str) -> bool {
    let mut rest = cell.as_bytes();
    while !rest.is_empty() {
        let Some(count) = digits(rest) else { return false };
        if !rest.get(count).is_some_and(|unit| b"smhdy".contains(unit)) {
            return false;
        }
        rest = &rest[count + 1..];
    }
    !cell.is_empty()
}

/// Whether a text begins with a shape, where 0 is any digit.
fn shaped(text: &[u8], shape: &[u8]) -> bool {
    text.len() >= shape.len()
        && shape.iter().zip(text).all(|(want, is)| want == is || *want == b'0' && is.is_ascii_digit())
}

fn uid(text: &[u8]) -> Option<usize> {
    let fits = text.len() >= 36
        && text[..36].iter().enumerate().all(|(index, letter)| match index {
            8 | 13 | 18 | 23 => *letter == b'-',
            _ => letter.is_ascii_digit() || (b'a'..=b'f').contains(letter),
        });
    (fits && !text.get(36).is_some_and(u8::is_ascii_alphanumeric)).then_some(36)
}

/// `2026-11-16T07:43:18.123456Z`, `2026-11-16T07:43:18+00:00` or `2026-11-16 07:43:18.123456789 +0000`.
fn time(text: &[u8]) -> Option<usize> {
    let day_and_clock = shaped(text, b"0000-00-00T00:00:00") || shaped(text, b"0000-00-00 00:00:00");
    if !day_and_clock {
        return None;
    }
    let mut length = 19;
    if text.get(length) == Some(&b'.') {
        length += 1 + digits(&text[length + 1..])?;
    }
    let zone = &text[length..];
    match zone.first() {
        Some(b'Z') => Some(length + 1),
        _ if shaped(zone, b"+00:00") || shaped(zone, b" +0000") => Some(length + 6),
        _ => None,
    }
}

/// `Mon, 16 Nov 2026 07:43:18 +0000`
fn mail_time(text: &[u8]) -> Option<usize> {
    let letters = |range: std::ops::Range<usize>| {
        text.get(range).is_some_and(|name| name.iter().all(u8::is_ascii_alphabetic))
    };
    let fits = letters(0..3)
        && letters(8..11)
        && shaped(&text[3..], b", 00 ")
        && shaped(&text[11..], b" 0000 00:00:00 +0000");
    fits.then_some(31)
}

/// An address that the server chose for a service: the lower ones are left to those who ask for them.
fn address(text: &[u8]) -> Option<usize> {
    let prefix = b"10.0.0.";
    let last = text.strip_prefix(prefix)?;
    let length = digits(last)?;
    let number: u16 = std::str::from_utf8(&last[..length]).ok()?.parse().ok()?;
    (number > 16 && number < 256).then_some(prefix.len() + length)
}

/// A port of nodes that the server chose.
fn node_port(text: &[u8]) -> Option<usize> {
    let length = digits(text).filter(|length| *length == 5)?;
    let number: u16 = std::str::from_utf8(&text[..length]).ok()?.parse().ok()?;
    (30086..=32767).contains(&number).then_some(length)
}

fn prefixed(text: &[u8], prefix: &[u8], letter: fn(u8) -> bool, least: usize) -> Option<usize> {
    let length = run(text, letter).filter(|length| *length >= least)?;
    text.starts_with(prefix).then_some(length)
}

fn pem_letter(letter: u8) -> bool {
    letter.is_ascii_alphanumeric() || b"+/=".contains(&letter)
}

fn token_letter(letter: u8) -> bool {
    letter.is_ascii_alphanumeric() || b"-_.=".contains(&letter)
}

fn random_suffix(text: &[u8]) -> bool {
    text.len() >= 5
        && text[..5].iter().all(|letter| RANDOM.contains(letter))
        && !text.get(5).is_some_and(u8::is_ascii_alphanumeric)
}

fn digits(text: &[u8]) -> Option<usize> {
    run(text, |letter| letter.is_ascii_digit())
}

/// How many letters of a sort stand at the beginning, if any.
fn run(text: &[u8], sort: impl Fn(u8) -> bool) -> Option<usize> {
    let length = text.iter().take_while(|letter| sort(**letter)).count();
    (length > 0).then_some(length)
}
