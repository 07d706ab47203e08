//! Scalars that keep their style.
//!
//! A kustomization changes texts and keeps the rest: a number's text may become a word, a quoted text may
//! become a number. Only when everything is done it is settled what each scalar is, by the rules of go-yaml
//! v3: a tag that was found when the document was read stays with the scalar, and quotes keep a text a text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Number, Value};

use crate::fault::{Fault, Outcome};
use crate::timestamp;

/// Type tag of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// None: resolved from the text.
    Unset,
    Str,
    Int,
    Float,
    Bool,
    Null,
    Timestamp,
    Binary,
    Merge,
    /// A tag of someone's own.
    Other,
}

impl Tag {
    fn from_short(tag: &str) -> Tag {
        match tag {
            "!!str" => Tag::Str,
            "!!int" => Tag::Int,
            "!!float" => Tag::Float,
            "!!bool" => Tag::Bool,
            "!!null" => Tag::Null,
            "!!timestamp" => Tag::Timestamp,
            "!!binary" => Tag::Binary,
            "!!merge" => Tag::Merge,
            _ => Tag::Other,
        }
    }

    fn short(self) -> &'static str {
        match self {
            Tag::Unset => "",
            Tag::Str => "!!str",
            Tag::Int => "!!int",
            Tag::Float => "!!float",
            Tag::Bool => "!!bool",
            Tag::Null => "!!null",
            Tag::Timestamp => "!!timestamp",
            Tag::Binary => "!!binary",
            Tag::Merge => "!!merge",
            Tag::Other => "!",
        }
    }
}

/// A scalar of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    pub(crate) tag: Tag,
    /// Whether it has quotes or stands as a block.
    pub(crate) quoted: bool,
    /// Whether its tag was written in the document.
    pub(crate) tagged: bool,
}

impl Scalar {
    /// A scalar as it was read.
    pub(crate) fn read(text: String, quoted: bool, tag: Option<&str>) -> Scalar {
        match tag {
            Some(tag) => Scalar { text, tag: Tag::from_short(tag), quoted, tagged: true },
            None if quoted => Scalar { text, tag: Tag::Str, quoted, tagged: false },
            None => {
                let tag = resolve(&text).0;
                Scalar { text, tag, quoted, tagged: false }
            }
        }
    }

    /// Returns a text of which nobody said what it is.
    pub(crate) fn unset(text: impl Into<String>) -> Scalar {
        Scalar { text: text.into(), tag: Tag::Unset, quoted: false, tagged: false }
    }

    /// Returns a string.
    pub(crate) fn string(text: impl Into<String>) -> Scalar {
        Scalar { text: text.into(), tag: Tag::Str, quoted: false, tagged: false }
    }

    /// Returns a scalar with a tag.
    pub(crate) fn of(text: impl Into<String>, tag: Tag) -> Scalar {
        Scalar { text: text.into(), tag, quoted: false, tagged: false }
    }

    pub(crate) fn is_null(&self) -> bool {
        self.tag == Tag::Null
    }

    /// Reports whether it counts as a string while documents are being edited.
    pub(crate) fn is_string(&self) -> bool {
        matches!(self.tag, Tag::Str | Tag::Unset)
    }

    /// Returns the value after writing and reading.
    pub(crate) fn meaning(&self) -> Outcome<Value> {
        let mut tag = self.tag;
        let mut quoted = self.quoted || self.text.contains('\n');
        if tag != Tag::Unset && !self.tagged {
            if tag == Tag::Str {
                quoted = quoted || resolve(&self.text).0 != Tag::Str;
                tag = Tag::Unset;
            } else if resolve(&self.text).0 == tag {
                tag = Tag::Unset;
            }
        }
        match tag {
            Tag::Unset if quoted => Ok(Value::String(self.text.clone())),
            Tag::Unset => resolve(&self.text).1,
            Tag::Str | Tag::Merge | Tag::Other => Ok(Value::String(self.text.clone())),
            Tag::Binary => {
                let data: String = self.text.split_whitespace().collect();
                let data = STANDARD
                    .decode(data)
                    .map_err(|_| Fault::from("yaml: !!binary value contains invalid base64 data"))?;
                Ok(Value::String(String::from_utf8_lossy(&data).into_owned()))
            }
            tag => {
                let (found, value) = resolve(&self.text);
                match (tag, found) {
                    _ if tag == found => value,
                    (Tag::Float, Tag::Int) => value,
                    _ => Err(Fault(format!(
                        "yaml: cannot decode {} `{}` as a {}",
                        found.short(),
                        self.text,
                        tag.short()
                    ))),
                }
            }
        }
    }
}

/// Resolves a plain scalar as go-yaml v3 does.
pub(crate) fn resolve(text: &str) -> (Tag, Outcome<Value>) {
    let string = || (Tag::Str, Ok(Value::String(text.to_owned())));
    match text {
        "true" | "True" | "TRUE" => return (Tag::Bool, Ok(Value::Bool(true))),
        "false" | "False" | "FALSE" => return (Tag::Bool, Ok(Value::Bool(false))),
        "" | "~" | "null" | "Null" | "NULL" => return (Tag::Null, Ok(Value::Null)),
        ".nan" | ".NaN" | ".NAN" => return (Tag::Float, unsupported("NaN")),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return (Tag::Float, unsupported("+Inf")),
        "-.inf" | "-.Inf" | "-.INF" => return (Tag::Float, unsupported("-Inf")),
        "<<" => return (Tag::Merge, Ok(Value::String(text.to_owned()))),
        _ => {}
    }
    match text.as_bytes().first() {
        Some(b'.') => float(text).map_or_else(string, |value| (Tag::Float, value)),
        Some(b'+' | b'-' | b'0'..=b'9') => {
            if let Some(time) = timestamp::normalize(text) {
                return (Tag::Timestamp, Ok(Value::String(time)));
            }
            let plain = text.replace('_', "");
            if let Some(number) = integer(&plain) {
                return (Tag::Int, Ok(Value::Number(number)));
            }
            match float(&plain) {
                Some(value) if is_float_style(&plain) => (Tag::Float, value),
                _ => string(),
            }
        }
        _ => string(),
    }
}

fn unsupported(value: &str) -> Outcome<Value> {
    Err(Fault(format!("json: unsupported value: {value}")))
}

fn float(text: &str) -> Option<Outcome<Value>> {
    // Rust reads words such as `infinity` as numbers too.
    if text.bytes().any(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    // A number beyond all floats is an error in Go, which leaves the text a string.
    Number::from_f64(value).map(|number| Ok(Value::Number(number)))
}

fn is_float_style(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (body.get(..at).unwrap_or_default(), body.get(at + 1..)),
        None => (body, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction),
        Some((whole, fraction)) => digits(whole) && (fraction.is_empty() || digits(fraction)),
        None => digits(mantissa),
    };
    let exponent_fits =
        exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)));
    mantissa_fits && exponent_fits
}

/// Returns an integer in any of the notations of C, Go and YAML.
fn integer(text: &str) -> Option<Number> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let lower = body.to_ascii_lowercase();
    let (radix, digits) = if let Some(rest) = lower.strip_prefix("0x") {
        (16, rest)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (2, rest)
    } else if let Some(rest) = lower.strip_prefix("0o") {
        (8, rest)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, lower.get(1..)?)
    } else {
        (10, lower.as_str())
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?;
    if !negative {
        // Go knows a sign only on numbers that fit the signed range.
        return (!text.starts_with('+') || i64::try_from(value).is_ok()).then(|| Number::from(value));
    }
    0i64.checked_sub_unsigned(value).map(Number::from)
}

/// Reports whether a reader of YAML 1.1 would take a plain text for something other than a string.
pub(crate) fn is_not_string_in_yaml_1_1(text: &str) -> bool {
    if text.is_empty() || text.contains('\n') {
        return false;
    }
    let mut json = Vec::new();
    match rhumb_codec::yaml::to_json(text.as_bytes(), &rhumb_codec::yaml::ReadOptions::default(), &mut json) {
        Ok(_) => json.first() != Some(&b'"'),
        Err(_) => false,
    }
}
