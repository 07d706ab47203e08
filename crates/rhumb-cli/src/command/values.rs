//! Flag values of a call.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Flag, Kind};

/// Flags of a command with their given or default values.
///
/// Asking for a flag that the command doesn't have is a mistake in the program: it counts as not given.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    known: Vec<&'static Flag>,
    given: BTreeMap<&'static str, Vec<String>>,
}

impl Flags {
    pub(super) fn new(known: Vec<&'static Flag>) -> Self {
        Flags { known, given: BTreeMap::new() }
    }

    /// Returns the flags that can be given.
    pub fn known(&self) -> &[&'static Flag] {
        &self.known
    }

    /// Returns a flag by its name.
    pub fn find(&self, name: &str) -> Option<&'static Flag> {
        self.known.iter().copied().find(|flag| flag.is_called(name))
    }

    /// Returns a flag by its letter.
    pub fn find_short(&self, letter: char) -> Option<&'static Flag> {
        self.known.iter().copied().find(|flag| flag.short == Some(letter))
    }

    /// Gives a flag a value; a wrong one is refused in Go's words.
    ///
    /// # Errors
    /// What is wrong with the value.
    pub fn set(&mut self, flag: &'static Flag, value: &str) -> Result<(), String> {
        check(flag.kind, value)?;
        let values = self.given.entry(flag.name).or_default();
        match flag.kind {
            Kind::List => values.extend(split(value)?),
            Kind::Array => values.push(value.to_owned()),
            Kind::Pairs => {
                values.extend(value.split(',').filter(|pair| !pair.is_empty()).map(str::to_owned));
            }
            _ => *values = vec![value.to_owned()],
        }
        Ok(())
    }

    /// Restricts the values to these flags. A command's own flag of the same name is not included.
    pub fn only(&self, flags: &'static [Flag]) -> Flags {
        let mut only = Flags::new(flags.iter().collect());
        for flag in flags {
            let same = self.find(flag.name).is_some_and(|known| std::ptr::eq(known, flag));
            if let (true, Some(values)) = (same, self.given.get(flag.name)) {
                only.given.insert(flag.name, values.clone());
            }
        }
        only
    }

    /// Gives a flag a value; a wrong one is refused with the flag's name before what is wrong.
    ///
    /// # Errors
    /// What is wrong with the value.
    pub fn set_named(&mut self, flag: &'static Flag, value: &str) -> Result<(), String> {
        self.set(flag, value).map_err(|error| {
            let name = match flag.short {
                Some(letter) => format!("-{letter}, --{}", flag.name),
                None => format!("--{}", flag.name),
            };
            format!("invalid argument {value:?} for \"{name}\" flag: {error}")
        })
    }

    /// Reports whether a flag was given.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// Returns the names of the flags that were given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.given.keys().copied()
    }

    /// Returns the value of a flag as text; several are joined by commas.
    pub fn text(&self, name: &str) -> &str {
        match self.given.get(name) {
            Some(values) => values.last().map_or("", String::as_str),
            None => self.default(name),
        }
    }

    /// Returns all values given for a flag.
    pub fn given_values(&self, name: &str) -> Option<&[String]> {
        self.given.get(name).map(Vec::as_slice)
    }

    /// Returns the value of a flag if it was given.
    pub fn given_text(&self, name: &str) -> Option<&str> {
        self.given.get(name).and_then(|values| values.last()).map(String::as_str)
    }

    /// Reports whether a flag is on.
    pub fn bool(&self, name: &str) -> bool {
        parse_bool(self.text(name)).unwrap_or(false)
    }

    /// Returns a number.
    pub fn int(&self, name: &str) -> i64 {
        parse_int(self.text(name)).unwrap_or(0)
    }

    /// Returns a number with a fraction.
    pub fn float(&self, name: &str) -> f64 {
        self.text(name).parse().unwrap_or(0.0)
    }

    /// Returns a duration; a negative one counts as none.
    pub fn duration(&self, name: &str) -> Duration {
        u64::try_from(self.nanoseconds(name)).map_or(Duration::ZERO, Duration::from_nanos)
    }

    /// Returns a duration in nanoseconds, which may be negative.
    pub fn nanoseconds(&self, name: &str) -> i64 {
        rhumb_meta::Duration::parse(self.text(name)).map_or(0, rhumb_meta::Duration::nanoseconds)
    }

    /// Returns all values of a list flag.
    pub fn list(&self, name: &str) -> Vec<String> {
        match self.given.get(name) {
            Some(values) => values.clone(),
            None => match self.default(name) {
                "" => Vec::new(),
                default => default.split(',').map(str::to_owned).collect(),
            },
        }
    }

    /// Returns the keys and values of a flag that takes several; the last one of a key counts.
    pub fn pairs(&self, name: &str) -> BTreeMap<String, String> {
        let list = self.list(name);
        let pairs = list.iter().filter_map(|pair| pair.split_once('='));
        pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect()
    }

    fn default(&self, name: &str) -> &'static str {
        self.find(name).map_or("", |flag| flag.default)
    }
}

fn check(kind: Kind, value: &str) -> Result<(), String> {
    match kind {
        Kind::Bool => parse_bool(value).map(drop).ok_or_else(|| syntax("ParseBool", value)),
        Kind::Int => parse_int(value).map(drop).map_err(|error| number("ParseInt", value, error)),
        Kind::Int32 => match parse_int(value) {
            Ok(number) if i32::try_from(number).is_ok() => Ok(()),
            Ok(_) => Err(number("ParseInt", value, NumberError::Range)),
            Err(error) => Err(number("ParseInt", value, error)),
        },
        Kind::Float => value.parse::<f64>().map(drop).map_err(|_| syntax("ParseFloat", value)),
        Kind::Duration => rhumb_meta::Duration::parse(value).map(drop).map_err(|error| error.to_string()),
        Kind::Pairs if value.split(',').any(|pair| !pair.is_empty() && !pair.contains('=')) => {
            Err("malformed pair, expect string=string".to_owned())
        }
        Kind::Levels => value.split(',').filter(|level| !level.is_empty()).try_for_each(check_level),
        Kind::Text | Kind::List | Kind::Array | Kind::Pairs => Ok(()),
    }
}

/// Checks one `pattern=N`.
fn check_level(level: &str) -> Result<(), String> {
    let number = level.split_once('=').filter(|(pattern, _)| !pattern.is_empty());
    match number.and_then(|(_, number)| number.parse::<i64>().ok()) {
        None => Err("syntax error: expect comma-separated list of filename=N".to_owned()),
        Some(number) if number < 0 => Err("negative value for vmodule level".to_owned()),
        Some(_) => Ok(()),
    }
}

enum NumberError {
    Syntax,
    Range,
}

fn number(function: &str, value: &str, error: NumberError) -> String {
    match error {
        NumberError::Syntax => syntax(function, value),
        NumberError::Range => format!("strconv.{function}: parsing {value:?}: value out of range"),
    }
}

fn syntax(function: &str, value: &str) -> String {
    format!("strconv.{function}: parsing {value:?}: invalid syntax")
}

/// Returns the words that Go takes for a truth value.
pub(super) fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

/// Returns a number in any base that Go reads: `10`, `0x1f`, `0o17`, `0b1`, `017`.
fn parse_int(text: &str) -> Result<i64, NumberError> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, lower.get(2..)),
        [b'0', b'b', ..] => (2, lower.get(2..)),
        [b'0', b'o', ..] => (8, lower.get(2..)),
        [b'0', _, ..] => (8, lower.get(1..)),
        _ => (10, lower.get(..)),
    };
    let digits = digits.unwrap_or_default();
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(NumberError::Syntax);
    }
    let signed = if negative { format!("-{digits}") } else { digits.to_owned() };
    i64::from_str_radix(&signed, radix).map_err(|_| NumberError::Range)
}

/// Returns the parts of a list, as a line of comma-separated values: quotes keep commas.
fn split(value: &str) -> Result<Vec<String>, String> {
    if value.is_empty() {
        return Ok(Vec::new());
    }
    let mut parts = Vec::new();
    let mut rest = value;
    loop {
        let Some(quoted) = rest.strip_prefix('"') else {
            let (part, more) = rest.split_once(',').map_or((rest, None), |(part, more)| (part, Some(more)));
            if part.contains('"') {
                let column = value.len() - rest.len() + part.find('"').unwrap_or_default() + 1;
                return Err(format!("parse error on line 1, column {column}: bare \" in non-quoted-field"));
            }
            parts.push(part.to_owned());
            match more {
                Some(more) => rest = more,
                None => return Ok(parts),
            }
            continue;
        };
        let (mut part, mut from) = (String::new(), quoted);
        loop {
            let Some((text, after)) = from.split_once('"') else {
                let column = value.len() + 1;
                return Err(format!(
                    "parse error on line 1, column {column}: extraneous or missing \" in quoted-field"
                ));
            };
            part.push_str(text);
            if let Some(after) = after.strip_prefix('"') {
                part.push('"');
                from = after;
            } else {
                from = after;
                break;
            }
        }
        parts.push(part);
        match from.strip_prefix(',') {
            Some(more) => rest = more,
            None if from.is_empty() => return Ok(parts),
            None => {
                let column = value.len() - from.len();
                return Err(format!(
                    "parse error on line 1, column {column}: extraneous or missing \" in quoted-field"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_cut_at_commas_outside_quotes() {
        assert_eq!(split("a,b"), Ok(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(split(r#""a,b",c"#), Ok(vec!["a,b".to_owned(), "c".to_owned()]));
        assert_eq!(split(r#""a""b""#), Ok(vec!["a\"b".to_owned()]));
        assert_eq!(split("a,"), Ok(vec!["a".to_owned(), String::new()]));
        assert!(split("a\"b").is_err());
        assert!(split("\"a").is_err());
    }

    #[test]
    fn levels_of_files_are_checked_as_klog_checks_them() {
        for fine in ["", "a=1", "a=0,,b=1", "a/b=3", "[=3"] {
            assert_eq!(check(Kind::Levels, fine), Ok(()), "{fine}");
        }
        for wrong in ["a", "a=x", "a=1,b=", "=1", "a=1=2"] {
            let problem = check(Kind::Levels, wrong).unwrap_err();
            assert_eq!(problem, "syntax error: expect comma-separated list of filename=N", "{wrong}");
        }
        assert_eq!(check(Kind::Levels, "a=-1"), Err("negative value for vmodule level".to_owned()));
    }

    #[test]
    fn numbers_are_read_as_go_reads_them() {
        assert_eq!(parse_int("0x10").ok(), Some(16));
        assert_eq!(parse_int("-017").ok(), Some(-15));
        assert_eq!(parse_int("0").ok(), Some(0));
        assert!(parse_int("").is_err());
        assert!(parse_int("0x").is_err());
        assert!(parse_int("99999999999999999999").is_err());
    }
}
