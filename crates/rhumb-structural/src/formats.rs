//! String formats of schemas.
//!
//! A text that has a format may still be none in the real world; these are the checks that Kubernetes has.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::LazyLock;

use rhumb_meta::civil;
use rhumb_meta::url::Url;
use rhumb_meta::validation::ip::{parse_cidr_sloppy, parse_ip_sloppy};
use rhumb_meta::validation::{is_dns1123_label, is_dns1123_subdomain};

use crate::compile::{Purpose, Type, Types};
use crate::pattern::Matcher;

type Check = fn(&str) -> bool;

/// A format that Kubernetes knows for the type.
#[derive(Clone, Default)]
pub(crate) enum Format {
    #[default]
    None,
    Int32,
    Int64,
    Float,
    Double,
    /// String format: name in the schema and check.
    Text(Box<str>, Check),
    /// Unknown format, which still counts where a type is required.
    Unknown(Box<str>),
}

impl Format {
    /// Returns the format that a schema means. Objects are not held to one that is none of their type; defaults are.
    pub(crate) fn read(name: &str, types: Types, purpose: Purpose) -> Format {
        let of_texts = || {
            // Dashes in the names of formats count for nothing.
            let plain = name.replace('-', "");
            let found = FORMATS.iter().find(|(known, _)| *known == plain);
            found.map(|(_, check)| Format::Text(name.into(), *check))
        };
        let found = match (types, name) {
            (_, "") => return Format::None,
            (Types::One(Type::Integer), "int32") => Some(Format::Int32),
            (Types::One(Type::Integer), "int64") => Some(Format::Int64),
            (Types::One(Type::Number), "float") => Some(Format::Float),
            (Types::One(Type::Number), "double") => Some(Format::Double),
            (Types::Any | Types::IntOrString | Types::One(Type::String), _) => of_texts(),
            _ if purpose == Purpose::Defaults => of_texts(),
            _ => None,
        };
        let unknown = || match purpose {
            Purpose::Objects => Format::None,
            Purpose::Defaults => Format::Unknown(name.into()),
        };
        found.unwrap_or_else(unknown)
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Format::None)
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Format::None => "",
            Format::Int32 => "int32",
            Format::Int64 => "int64",
            Format::Float => "float",
            Format::Double => "double",
            Format::Text(name, _) | Format::Unknown(name) => name,
        }
    }
}

const FORMATS: &[(&str, Check)] = &[
    ("bsonobjectid", |text| text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())),
    ("byte", |text| BASE64.is_match(text)),
    ("cidr", |text| parse_cidr_sloppy(text).is_some()),
    ("creditcard", is_credit_card),
    ("date", is_date),
    ("datetime", is_date_time),
    ("duration", is_duration),
    ("email", is_email),
    ("hexcolor", |text| HEX_COLOR.is_match(text)),
    ("hostname", is_hostname),
    ("ipv4", |text| parse_ip_sloppy(text).is_some() && text.contains('.')),
    ("ipv6", |text| text.parse::<Ipv6Addr>().is_ok()),
    ("isbn", |text| is_isbn10(text) || is_isbn13(text)),
    ("isbn10", is_isbn10),
    ("isbn13", is_isbn13),
    ("k8slongname", |text| is_dns1123_subdomain(text).is_empty()),
    ("k8sshortname", |text| is_dns1123_label(text).is_empty()),
    ("mac", is_mac),
    ("password", |_| true),
    ("rgbcolor", |text| RGB_COLOR.is_match(text)),
    ("ssn", |text| text.len() == 11 && SSN.is_match(text)),
    ("uri", Url::is_request_uri),
    ("uuid", |text| is_uuid(text, None)),
    ("uuid3", |text| is_uuid(text, Some('3'))),
    ("uuid4", |text| is_uuid(text, Some('4'))),
    ("uuid5", |text| is_uuid(text, Some('5'))),
];

macro_rules! regexes {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Expression> = LazyLock::new(|| Expression(Matcher::new($pattern)));)*
    };
}

/// A regular expression known to compile.
struct Expression(Option<Matcher>);

impl Expression {
    fn is_match(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|matcher| matcher.is_match(text))
    }
}

/// Host label with letters of any script, and symbols.
const HOST_PATTERN: &str = concat!(
    r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|",
    r"([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}",
    r"([a-zA-Z\p{L}]){2,63})$"
);
const CARD_PATTERN: &str = concat!(
    "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|",
    "3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$"
);
const RGB_PATTERN: &str = concat!(
    r"^rgb\([\t\n\x0C\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\t\n\x0C\r ]*,",
    r"[\t\n\x0C\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\t\n\x0C\r ]*,",
    r"[\t\n\x0C\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\t\n\x0C\r ]*\)$"
);

regexes! {
    BASE64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$";
    CREDIT_CARD = CARD_PATTERN;
    HEX_COLOR = r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
    HOST = HOST_PATTERN;
    RGB_COLOR = RGB_PATTERN;
    SSN = r"^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$";
    TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$";
}

fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let weighted = |(index, letter): (usize, char)| match (index % 2, letter.to_digit(10).unwrap_or_default())
    {
        (0, digit) => digit,
        (_, digit) if digit > 4 => digit * 2 - 9,
        (_, digit) => digit * 2,
    };
    let sum: u32 = digits.chars().rev().enumerate().map(weighted).sum();
    sum.is_multiple_of(10) && CREDIT_CARD.is_match(&digits)
}

fn is_date(text: &str) -> bool {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else { return false };
    let number = |text: &str, length: usize| {
        let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<u32>().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    (1..=civil::days_in_month(i64::from(year), month)).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    match (parts.next(), parts.next()) {
        (Some(date), Some(time)) => is_date(date) && TIME.is_match(time),
        _ => false,
    }
}

/// Units of time with the words for them, the beginning of all other words, and nanoseconds.
const UNITS: [(&[&str], &str, i64); 8] = [
    (&["ns"], "nano", 1),
    (&["us", "µs"], "micro", 1_000),
    (&["ms"], "milli", 1_000_000),
    (&["s"], "sec", 1_000_000_000),
    (&["m"], "min", 60 * 1_000_000_000),
    (&["h", "hr"], "hour", 3_600 * 1_000_000_000),
    (&["d"], "day", 86_400 * 1_000_000_000),
    (&["w", "wk"], "week", 604_800 * 1_000_000_000),
];

fn is_duration(text: &str) -> bool {
    duration(text).is_some()
}

/// Parses a duration as Go writes it, or some amounts of units in the way of Scala, with anything between them.
/// Returns nanoseconds.
pub(crate) fn duration(text: &str) -> Option<i64> {
    if let Some(duration) = rhumb_cel::time::Duration::parse(text) {
        return Some(duration.nanos());
    }
    let mut total: Option<i64> = None;
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (number, after) = passed(rest.get(start..).unwrap_or_default(), |letter| letter.is_ascii_digit());
        let (_, after) = passed(after, |letter| matches!(letter, '\t' | '\n' | '\u{c}' | '\r' | ' '));
        let (unit, after) = passed(after, |letter| letter.is_ascii_alphabetic() || letter == 'µ');
        rest = after;
        if unit.is_empty() {
            continue;
        }
        let number: i64 = number.parse().ok()?;
        let unit = unit.to_lowercase();
        let known =
            UNITS.iter().find(|(words, beginning, _)| words.contains(&&*unit) || unit.starts_with(beginning));
        if let Some((.., nanos)) = known {
            total = Some(total.unwrap_or_default().wrapping_add(number.wrapping_mul(*nanos)));
        }
    }
    total
}

/// Splits a text after the characters that match.
fn passed(text: &str, is_such: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|letter| !is_such(letter)).unwrap_or(text.len()))
}

fn is_hostname(text: &str) -> bool {
    text.len() <= 255 && text.split('.').all(|label| label.len() <= 63) && HOST.is_match(text)
}

fn digits_of(text: &str) -> String {
    text.chars().filter(|letter| !matches!(letter, '-' | ' ' | '\t' | '\n' | '\r' | '\u{c}')).collect()
}

fn is_isbn10(text: &str) -> bool {
    let digits = digits_of(text);
    let value = |(index, letter): (usize, char)| match letter {
        'X' if index == 9 => Some(10),
        letter => letter.to_digit(10),
    };
    let values: Option<Vec<u32>> = digits.chars().enumerate().map(value).collect();
    values.filter(|values| values.len() == 10).is_some_and(|values| {
        let sum: u32 = values.iter().zip(1u32..).map(|(value, place)| value * place).sum();
        sum.is_multiple_of(11)
    })
}

fn is_isbn13(text: &str) -> bool {
    let values: Option<Vec<u32>> = digits_of(text).chars().map(|letter| letter.to_digit(10)).collect();
    values.filter(|values| values.len() == 13).is_some_and(|values| {
        let weight = |at: usize| if at.is_multiple_of(2) { 1 } else { 3 };
        let sum: u32 = values.iter().enumerate().map(|(at, value)| value * weight(at)).sum();
        sum.is_multiple_of(10)
    })
}

fn is_mac(text: &str) -> bool {
    let fits = |separator: char, counts: [usize; 3], length: usize| {
        let parts: Vec<&str> = text.split(separator).collect();
        let is_hex = |part: &&str| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        counts.contains(&parts.len()) && parts.iter().all(is_hex)
    };
    let is_bare = matches!(text.len(), 12 | 16 | 40) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_bare || fits(':', [6, 8, 20], 2) || fits('-', [6, 8, 20], 2) || fits('.', [3, 4, 10], 4)
}

/// Groups of 8, 4, 4, 4 and 12 hexadecimal digits, with or without dashes; versions stand at the third group.
fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(length) else { return false };
        let is_right = match (index, version) {
            (2, Some(version)) => group.starts_with(version),
            (3, Some('4' | '5')) => group.starts_with(['8', '9', 'a', 'b', 'A', 'B']),
            _ => true,
        };
        if !is_right || !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// Reports whether a text is an e-mail address alone, or behind a name and in angle brackets, as in the header of a
/// mail.
fn is_email(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    if let Some(rest) = address(text) {
        let rest = rest.trim_start_matches([' ', '\t']);
        return rest.is_empty() || (rest.starts_with('(') && rest.ends_with(')'));
    }
    let mut rest = text;
    while !rest.starts_with('<') {
        let Some(after) = word(rest) else { return false };
        rest = after.trim_start_matches([' ', '\t']);
    }
    let rest = rest.strip_prefix('<').unwrap_or(rest).trim_start_matches([' ', '\t']);
    address(rest).map(|rest| rest.trim_start_matches([' ', '\t'])) == Some(">")
}

fn is_atom(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(letter) || !letter.is_ascii()
}

/// Passes a word of a name.
fn word(text: &str) -> Option<&str> {
    if text.starts_with('"') {
        return quoted(text);
    }
    let end = text.find(|letter: char| !is_atom(letter) && letter != '.').unwrap_or(text.len());
    text.get(end..).filter(|_| end > 0)
}

/// Passes a text in double quotes.
fn quoted(text: &str) -> Option<&str> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return text.get(at + 1..),
            letter if letter.is_control() && letter != '\t' => return None,
            _ => {}
        }
    }
    None
}

/// Passes atoms with dots between them.
fn dot_atom(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !is_atom(letter) && letter != '.').unwrap_or(text.len());
    let (atoms, rest) = text.split_at_checked(end)?;
    let is_dotted_well = !atoms.starts_with('.') && !atoms.ends_with('.') && !atoms.contains("..");
    (is_dotted_well && !atoms.is_empty()).then_some(rest)
}

/// Passes `local@domain`.
fn address(text: &str) -> Option<&str> {
    let rest = if text.starts_with('"') {
        quoted(text).filter(|_| !text.starts_with("\"\""))?
    } else {
        dot_atom(text)?
    };
    let rest = rest.strip_prefix('@')?.trim_start_matches([' ', '\t']);
    match rest.strip_prefix('[') {
        Some(literal) => {
            let (inside, rest) = literal.split_once(']')?;
            inside.parse::<IpAddr>().ok().map(|_| rest)
        }
        None => dot_atom(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, Purpose, Types};

    #[test]
    fn formats_are_what_kubernetes_takes_for_them() {
        let fits = |format: &str, text: &str| match Format::read(format, Types::Any, Purpose::Objects) {
            Format::Text(_, check) => check(text),
            _ => panic!("{format} is not known"),
        };
        for (format, good, bad) in [
            ("creditcard", "5555-5555 5555 4444", "2221000000000009"),
            ("creditcard", "378282246310005", "6200000000000005"),
            ("ssn", "123-45-6789", "123456789"),
            ("ssn", "123 45-6789", "123-456789"),
            ("mac", "0123456789ab", "0123456789a"),
            ("mac", "01-23-45-67-89-ab", "01:23-45:67:89:ab"),
            ("mac", "0123.4567.89ab", "01:23:45:67:89"),
            ("duration", "2 hr", "2 fortnights"),
            ("duration", "about 3 nanoseconds", "three seconds"),
            ("duration", "1h2m", "99999999999999999999 s"),
            ("date-time", "2026-02-28T23:59:59.1z", "2026-02-30T00:00:00Z"),
            ("uri", "/a%20b", "a/b"),
            ("rgbcolor", "rgb(1, 20,255)", "rgb(1,2,256)"),
        ] {
            assert!(fits(format, good), "{format} {good}");
            assert!(!fits(format, bad), "{format} {bad}");
        }
    }
}
