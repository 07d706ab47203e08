//! The formats of texts that schemas may ask for.
//!
//! A text that has a format may still be none in the real world; these are the checks that Kubernetes has.

use std::sync::LazyLock;

use regex::Regex;
use rhumb_meta::validation::ip::{parse_cidr_sloppy, parse_ip_sloppy};
use rhumb_meta::validation::{is_dns1123_label, is_dns1123_subdomain};

use crate::url::Url;

type Check = fn(&str) -> bool;

const FORMATS: &[(&str, Check)] = &[
    ("bsonobjectid", |text| text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())),
    ("byte", is_base64),
    ("cidr", |text| parse_cidr_sloppy(text).is_some()),
    ("creditcard", is_credit_card),
    ("date", is_date),
    ("datetime", is_date_time),
    ("duration", is_duration),
    ("email", |text| EMAIL.is_match(text)),
    ("hexcolor", |text| HEX_COLOR.is_match(text)),
    ("hostname", is_hostname),
    ("ipv4", |text| parse_ip_sloppy(text).is_some() && text.contains('.')),
    ("ipv6", |text| text.contains(':') && text.parse::<std::net::Ipv6Addr>().is_ok()),
    ("isbn", |text| is_isbn10(text) || is_isbn13(text)),
    ("isbn10", is_isbn10),
    ("isbn13", is_isbn13),
    ("k8slongname", |text| is_dns1123_subdomain(text).is_empty()),
    ("k8sshortname", |text| is_dns1123_label(text).is_empty()),
    ("mac", is_mac),
    ("password", |_| true),
    ("rgbcolor", |text| RGB_COLOR.is_match(text)),
    ("ssn", |text| SSN.is_match(text)),
    ("uri", Url::is_request_uri),
    ("uuid", |text| is_uuid(text, None)),
    ("uuid3", |text| is_uuid(text, Some('3'))),
    ("uuid4", |text| is_uuid(text, Some('4'))),
    ("uuid5", |text| is_uuid(text, Some('5'))),
];

/// Whether a text has a format; none if nobody knows the format.
pub(super) fn check(format: &str, text: &str) -> Option<bool> {
    find(format).map(|check| check(text))
}

/// Whether a format is known.
pub(super) fn is_known(format: &str) -> bool {
    find(format).is_some()
}

/// Dashes in the names of formats count for nothing.
fn find(format: &str) -> Option<Check> {
    let name = format.replace('-', "");
    FORMATS.iter().find(|(known, _)| *known == name).map(|(_, check)| *check)
}

macro_rules! regexes {
    ($($name:ident = $pattern:literal;)*) => {
        $(static $name: LazyLock<Expression> = LazyLock::new(|| Expression(Regex::new($pattern).ok()));)*
    };
}

/// An expression of ours, which compiles.
struct Expression(Option<Regex>);

impl Expression {
    fn is_match(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

regexes! {
    BASE64 = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$";
    CREDIT_CARD = r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(?:222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}|6[27][0-9]{14})$";
    EMAIL = r#"^(?:[^<>]*<)?[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u{80}-\u{10FFFF}-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u{80}-\u{10FFFF}-]+)*@[^\s@<>,;()]+>?$"#;
    HEX_COLOR = r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
    HOST = r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$";
    RGB_COLOR = r"^rgb\(\s*(0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])\s*,\s*(0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])\s*,\s*(0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])\s*\)$";
    SSN = r"^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$";
    TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$";
    SCALA_DURATION = r"(?i)[0-9]+\s*(ns|nanosec|nanosecond|us|µs|microsec|ms|millisec|s|sec|m|min|h|hr|hour|d|day|w|wk|week)";
}

fn is_base64(text: &str) -> bool {
    !text.is_empty() && BASE64.is_match(text)
}

fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(index, byte)| match (index % 2, u32::from(byte - b'0')) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    CREDIT_CARD.is_match(&digits) && sum.is_multiple_of(10)
}

fn is_date(text: &str) -> bool {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else { return false };
    let number = |text: &str, length: usize| {
        (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse::<u32>().ok())
            .flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    match (parts.next(), parts.next()) {
        (Some(date), Some(time)) => is_date(date) && TIME.is_match(time),
        _ => false,
    }
}

fn is_duration(text: &str) -> bool {
    rhumb_meta::Duration::parse(text).is_ok() || SCALA_DURATION.is_match(text)
}

fn is_hostname(text: &str) -> bool {
    HOST.is_match(text) && text.len() <= 255 && text.split('.').all(|label| label.len() <= 63)
}

fn digits_of(text: &str) -> String {
    text.chars().filter(|letter| !matches!(letter, '-' | ' ')).collect()
}

fn is_isbn10(text: &str) -> bool {
    let digits = digits_of(text);
    let value = |(index, letter): (usize, char)| match letter {
        'X' if index == 9 => Some(10),
        letter => letter.to_digit(10),
    };
    let values: Option<Vec<u32>> = digits.chars().enumerate().map(value).collect();
    values.is_some_and(|values| {
        let sum: u32 = values.iter().zip(1u32..).map(|(value, place)| value * place).sum();
        values.len() == 10 && sum.is_multiple_of(11)
    })
}

fn is_isbn13(text: &str) -> bool {
    let values: Option<Vec<u32>> = digits_of(text).chars().map(|letter| letter.to_digit(10)).collect();
    values.is_some_and(|values| {
        let sum: u32 =
            values.iter().enumerate().map(|(at, value)| value * if at % 2 == 0 { 1 } else { 3 }).sum();
        values.len() == 13 && sum.is_multiple_of(10)
    })
}

fn is_mac(text: &str) -> bool {
    let hex =
        |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    [':', '-'].iter().any(|separator| {
        let parts: Vec<&str> = text.split(*separator).collect();
        matches!(parts.len(), 6 | 8 | 20) && parts.iter().all(|part| hex(part, 2))
    }) || {
        let parts: Vec<&str> = text.split('.').collect();
        matches!(parts.len(), 3 | 4 | 10) && parts.iter().all(|part| hex(part, 4))
    }
}

/// Groups of 8, 4, 4, 4 and 12 hexadecimal digits, with or without dashes; versions stand at the third group.
fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(length) else { return false };
        if !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        let is_wrong = match (index, version) {
            (2, Some(version)) => !group.starts_with(version),
            (3, Some('4' | '5')) => !group.starts_with(['8', '9', 'a', 'b', 'A', 'B']),
            _ => false,
        };
        if is_wrong {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}
