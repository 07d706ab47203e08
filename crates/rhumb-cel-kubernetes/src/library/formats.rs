//! Named formats: `format.dns1123Label()` and others, and whether a text has one.

use std::any::Any;
use std::ops::Range;

use rhumb_cel::functions::Function;
use rhumb_cel::library::Library;
use rhumb_cel::types::Type;
use rhumb_cel::value::{Opaque, Value};
use rhumb_meta::url::Url;
use rhumb_meta::validation::{
    is_dns1035_label, is_dns1123_label, is_dns1123_subdomain, is_qualified_name, is_valid_label_value,
};

use super::{opaque, text, wrap};

/// The library of named formats.
#[derive(Clone, Copy, Debug, Default)]
pub struct Formats;

/// A named format as a value: a row of [`ROWS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format(&'static Row);

/// A named format.
#[derive(Debug)]
struct Row {
    /// Its name in expressions.
    name: &'static str,
    /// What is wrong with a text.
    check: fn(&str) -> Vec<String>,
    /// The length that its expression is taken to have for costs.
    regex_size: u64,
}

const ROWS: &[Row] = &[
    Row { name: "dns1123Label", check: is_dns1123_label, regex_size: 30 },
    Row { name: "dns1123Subdomain", check: is_dns1123_subdomain, regex_size: 60 },
    Row { name: "dns1035Label", check: is_dns1035_label, regex_size: 30 },
    Row { name: "qualifiedName", check: is_qualified_name, regex_size: 60 },
    Row { name: "dns1123LabelPrefix", check: |text| is_dns1123_label(&of_prefix(text)), regex_size: 30 },
    Row {
        name: "dns1123SubdomainPrefix",
        check: |text| is_dns1123_subdomain(&of_prefix(text)),
        regex_size: 60,
    },
    Row { name: "dns1035LabelPrefix", check: |text| is_dns1035_label(&of_prefix(text)), regex_size: 30 },
    Row { name: "labelValue", check: is_valid_label_value, regex_size: 40 },
    Row { name: "uri", check: uri, regex_size: 1103 },
    Row {
        name: "uuid",
        check: |text| unless(is_uuid(text), "does not match the UUID format"),
        regex_size: 70,
    },
    Row { name: "byte", check: |text| unless(is_base64(text), "invalid base64"), regex_size: 84 },
    Row { name: "date", check: |text| unless(is_date(text), "invalid date"), regex_size: 71 },
    Row { name: "datetime", check: |text| unless(is_date_time(text), "invalid datetime"), regex_size: 71 },
];

impl Format {
    /// Returns the type of named formats.
    pub(crate) fn type_() -> Type {
        Type::object("kubernetes.NamedFormat")
    }

    /// Returns the length that its expression is taken to have.
    pub(crate) const fn regex_size(self) -> u64 {
        self.0.regex_size
    }

    fn find(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name).map(Self)
    }
}

impl Opaque for Format {
    fn type_(&self) -> Type {
        Self::type_()
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        other.as_any().downcast_ref::<Self>().is_some_and(|other| self.0.name == other.0.name)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Library for Formats {
    fn name(&self) -> &str {
        "kubernetes.format"
    }

    fn functions(&self) -> Vec<Function> {
        let mut functions = vec![
            Function::member(
                "validate",
                "format-validate",
                vec![Format::type_(), Type::String],
                Type::optional(Type::list(Type::String)),
            )
            .with(|_, args| {
                let problems = (opaque::<Format>(args, 0)?.0.check)(text(args, 1)?);
                let problems: Vec<Value<'_>> = problems.into_iter().map(Value::from).collect();
                Ok(Value::Optional((!problems.is_empty()).then(|| Value::from(problems).into())))
            }),
            Function::global(
                "format.named",
                "format-named",
                vec![Type::String],
                Type::optional(Format::type_()),
            )
            .with(|_, args| {
                Ok(Value::Optional(Format::find(text(args, 0)?).map(|format| wrap(format).into())))
            }),
        ];
        functions.extend(ROWS.iter().map(|row| {
            let name = format!("format.{}", row.name);
            Function::global(&name, &name, Vec::new(), Format::type_())
                .with(move |_, _| Ok(wrap(Format(row))))
        }));
        functions
    }
}

/// Returns what is checked of a prefix, which may end in what a whole name may not.
fn of_prefix(text: &str) -> String {
    match text.len().checked_sub(2).and_then(|end| text.get(..end)) {
        Some(name) if text.ends_with('-') => format!("{name}a"),
        _ => text.to_owned(),
    }
}

fn unless(valid: bool, problem: &str) -> Vec<String> {
    if valid { Vec::new() } else { vec![problem.to_owned()] }
}

fn uri(text: &str) -> Vec<String> {
    Url::parse_request_uri(text).err().map(|error| error.to_string()).into_iter().collect()
}

fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (index, digits) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(digits) else { return false };
        if !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && padding <= 2
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

fn is_date(text: &str) -> bool {
    let number = |range: Range<usize>| {
        text.get(range)
            .filter(|digits: &&str| digits.bytes().all(|byte| byte.is_ascii_digit()))?
            .parse::<u32>()
            .ok()
    };
    let shape = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => 0,
    };
    shape && (1..=days).contains(&day)
}

/// Reports whether a text is a date and a time. Not looked at are the zone's hours, and what is after a second `t`.
fn is_date_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    let (Some(clock), Some(rest)) = (time.get(..8), time.get(8..)) else { return false };
    let two = |range: Range<usize>, most: &str| {
        clock
            .get(range)
            .is_some_and(|digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()) && digits <= most)
    };
    let colons = clock.get(2..3) == Some(":") && clock.get(5..6) == Some(":");
    is_date(date)
        && colons
        && two(0..2, "23")
        && two(3..5, "59")
        && two(6..8, "59")
        && is_zone_with_fraction(rest)
}

/// Reports whether a text is a zone, with digits of a second before it.
fn is_zone_with_fraction(text: &str) -> bool {
    let is_zone = |text: &str| {
        let shape = |text: &str| {
            text.len() == 5
                && text
                    .bytes()
                    .enumerate()
                    .all(|(at, byte)| if at == 2 { byte == b':' } else { byte.is_ascii_digit() })
        };
        text == "z" || text.strip_prefix(['+', '-']).is_some_and(shape)
    };
    let mut rest = text.chars();
    // What is between seconds and their digits may be any character.
    rest.next();
    let after = rest.as_str();
    let without = after.trim_start_matches(|c: char| c.is_ascii_digit());
    is_zone(text) || without.len() < after.len() && is_zone(without)
}
