//! `format`: texts with clauses such as `%d`, as cel-go writes them in English.

use std::fmt::Write as _;

use crate::eval::{Context, Error};
use crate::time::Timestamp;
use crate::value::{Map, Value, quote, shortest};

/// Digits after the point unless a clause says how many.
const PRECISION: usize = 6;
/// The most digits after the point.
const MAX_PRECISION: usize = 1000;

/// Puts the elements of a list in the places of a text's clauses.
pub(super) fn format<'a>(context: &mut Context<'_>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let [Value::String(pattern), Value::List(list)] = args else { return Err(Error::no_such_overload()) };
    let mut out = String::new();
    let mut rest: &str = pattern;
    let mut index = 0;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        context.allocate(before.len() + 1)?;
        if let Some(after) = after.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let Some(value) = list.get(index) else {
            return Err(Error::new(format!("index {index} out of range")));
        };
        if after.is_empty() {
            return Err(Error::new("unexpected end of string"));
        }
        let (clause, precision, after) = parse_clause(after)
            .map_err(|error| Error::new(format!("could not parse formatting clause: {error}")))?;
        let text = write(clause, precision, &value)
            .map_err(|error| Error::new(format!("error during formatting: {error}")))?;
        context.allocate(text.len())?;
        out.push_str(&text);
        rest = after;
        index += 1;
    }
    context.allocate(rest.len())?;
    out.push_str(rest);
    Ok(out.into())
}

/// Reads what follows the percent sign: the clause's letter, its precision, and what comes after.
fn parse_clause(text: &str) -> Result<(char, Option<usize>, &str), String> {
    let (precision, text) = match text.strip_prefix('.') {
        Some(rest) => {
            let len = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (digits, after) = rest.split_at(len);
            if after.is_empty() {
                return Err(
                    "error while parsing precision: could not find end of precision specifier".to_owned()
                );
            }
            let precision = digits.parse::<usize>().map_err(|_| {
                let problem = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
                format!(
                    "error while parsing precision: error while converting precision to integer: \
                     strconv.Atoi: parsing {}: {problem}",
                    quote(digits)
                )
            })?;
            (Some(precision.min(MAX_PRECISION)), after)
        }
        None => (None, text),
    };
    let mut chars = text.chars();
    match chars.next() {
        Some(clause @ ('s' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o')) => {
            Ok((clause, precision, chars.as_str()))
        }
        // Go looks at the first byte only.
        _ => {
            let byte = text.bytes().next().map_or(' ', char::from);
            Err(format!("unrecognized formatting clause \"{byte}\""))
        }
    }
}

fn write(clause: char, precision: Option<usize>, value: &Value<'_>) -> Result<String, String> {
    match clause {
        's' => string(value),
        'd' => decimal(value),
        'f' => {
            let number = number(value, "fixed-point")?;
            Ok(fixed(number, precision.unwrap_or(PRECISION)))
        }
        'e' => {
            let number = number(value, "scientific")?;
            Ok(scientific(number, precision.unwrap_or(PRECISION)))
        }
        'b' => match value {
            Value::Int(value) => Ok(signed(*value, format!("{:b}", value.unsigned_abs()))),
            Value::Uint(value) => Ok(format!("{value:b}")),
            Value::Bool(value) => Ok(if *value { "1" } else { "0" }.to_owned()),
            _ => Err(given("only integers and bools can be formatted as binary", value)),
        },
        'o' => match value {
            Value::Int(value) => Ok(signed(*value, format!("{:o}", value.unsigned_abs()))),
            Value::Uint(value) => Ok(format!("{value:o}")),
            _ => Err(given("octal clause can only be used on integers", value)),
        },
        _ => {
            let text = hexadecimal(value)?;
            Ok(if clause == 'X' { text.to_ascii_uppercase() } else { text })
        }
    }
}

fn given(problem: &str, value: &Value<'_>) -> String {
    format!("{problem}, was given {}", value.type_().name())
}

fn signed(value: i64, digits: String) -> String {
    if value < 0 { format!("-{digits}") } else { digits }
}

fn decimal(value: &Value<'_>) -> Result<String, String> {
    match value {
        Value::Int(value) => Ok(value.to_string()),
        Value::Uint(value) => Ok(value.to_string()),
        _ => Err(given("decimal clause can only be used on integers", value)),
    }
}

fn hexadecimal(value: &Value<'_>) -> Result<String, String> {
    let bytes = |bytes: &[u8]| {
        bytes.iter().fold(String::new(), |mut text, byte| {
            _ = write!(text, "{byte:02x}");
            text
        })
    };
    match value {
        Value::String(text) => Ok(bytes(text.as_bytes())),
        Value::Bytes(value) => Ok(bytes(value)),
        Value::Int(value) => Ok(signed(*value, format!("{:x}", value.unsigned_abs()))),
        Value::Uint(value) => Ok(format!("{value:x}")),
        _ => Err(given("only integers, byte buffers, and strings can be formatted as hex", value)),
    }
}

/// Returns a number, also one that is written as a text because it has no digits.
fn number(value: &Value<'_>, clause: &str) -> Result<f64, String> {
    match value {
        Value::Double(value) => Ok(*value),
        Value::String(text) => match &**text {
            "NaN" => Ok(f64::NAN),
            "Infinity" => Ok(f64::INFINITY),
            "-Infinity" => Ok(f64::NEG_INFINITY),
            _ => Err(given(&format!("{clause} clause can only be used on doubles"), value)),
        },
        _ => Err(given(&format!("{clause} clause can only be used on doubles"), value)),
    }
}

fn without_digits(value: f64) -> Option<&'static str> {
    match value {
        value if value.is_nan() => Some("NaN"),
        value if value == f64::INFINITY => Some("∞"),
        value if value == f64::NEG_INFINITY => Some("-∞"),
        _ => None,
    }
}

/// Writes a number with a comma between thousands.
fn fixed(value: f64, precision: usize) -> String {
    if let Some(text) = without_digits(value) {
        return text.to_owned();
    }
    let value = if value == 0.0 { 0.0 } else { value };
    let text = format!("{value:.precision$}");
    let (sign, text) = text.strip_prefix('-').map_or(("", &*text), |text| ("-", text));
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::with_capacity(text.len() + whole.len() / 3 + 1);
    grouped.push_str(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped.push_str(fraction);
    grouped
}

/// Writes a number with a power of ten. What is not a number is as wide as the precision.
fn scientific(value: f64, precision: usize) -> String {
    if let Some(text) = without_digits(value) {
        return format!("{text:>precision$}");
    }
    let value = if value == 0.0 { 0.0 } else { value };
    // The precision has no other effect in cel-go.
    let text = format!("{value:.PRECISION$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(("", exponent), |exponent| ("⁻", exponent));
    let raised: String = format!("{exponent:0>2}")
        .chars()
        .filter_map(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10)? as usize))
        .collect();
    format!("{digits}×10{sign}{raised}")
}

fn string(value: &Value<'_>) -> Result<String, String> {
    match value {
        Value::List(_) | Value::Map(_) => nested(value),
        Value::Null => Ok("null".to_owned()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Int(_) | Value::Uint(_) => decimal(value),
        Value::Double(value) => Ok(shortest(*value)),
        Value::String(text) => Ok(text.to_string()),
        Value::Bytes(bytes) => std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| {
            "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string"
                .to_owned()
        }),
        Value::Duration(value) => Ok(value.to_string()),
        Value::Timestamp(value) => Ok(value.to_string()),
        Value::Type(type_) => Ok(type_.name().to_owned()),
        Value::Object(_) | Value::Optional(_) | Value::Opaque(_) => Err(given(
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, \
             and timestamps",
            value,
        )),
    }
}

/// Writes what stands in a list or map.
fn nested(value: &Value<'_>) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(quote(text)),
        Value::Bytes(_) => Ok(format!("b{}", quote(&string(value)?))),
        Value::Timestamp(value) => Ok(format!("timestamp({})", quote(&Timestamp::to_string(value)))),
        Value::Duration(value) => Ok(format!("duration({})", quote(&value.to_string()))),
        Value::Double(value) if value.is_nan() => Ok("\"NaN\"".to_owned()),
        Value::Double(value) if value.is_infinite() => {
            Ok(if *value < 0.0 { "\"-Inf\"" } else { "\"+Inf\"" }.to_owned())
        }
        Value::Double(value) => Ok(format!("{value:.PRECISION$}")),
        Value::List(list) => {
            let elements: Result<Vec<String>, String> = list.iter().map(|element| nested(&element)).collect();
            Ok(format!("[{}]", elements?.join(", ")))
        }
        Value::Map(map) => nested_map(map),
        Value::Object(_) | Value::Optional(_) | Value::Opaque(_) => {
            Err(format!("no formatting function for {}", value.type_().name()))
        }
        _ => string(value),
    }
}

fn nested_map(map: &Map<'_>) -> Result<String, String> {
    let mut entries = Vec::with_capacity(map.len());
    for (key, value) in map.iter() {
        match key {
            Value::String(_) | Value::Bool(_) | Value::Int(_) | Value::Uint(_) => {}
            _ => return Err(format!("no formatting function for map key of type {}", key.type_().name())),
        }
        entries.push((nested(&key)?, nested(&value)?));
    }
    entries.sort_by(|one, two| one.0.cmp(&two.0));
    let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
    Ok(format!("{{{}}}", entries.join(", ")))
}
