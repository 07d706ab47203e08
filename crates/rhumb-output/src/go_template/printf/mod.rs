//! `print`, `println` and `printf`: values in the format of Go's `fmt`.

use rhumb_jsonpath::go_text;
use rhumb_schema::text::quoted;
use serde_json::Value as Json;

use super::value::{Form, Value};

mod numbers;

/// Values one after the other, with blanks between those that are no texts.
pub(super) fn sprint(values: &[Value<'_>]) -> String {
    let is_text = |value: &Value<'_>| matches!(value.form, Form::Text(_) | Form::Bytes(_));
    let mut out = String::new();
    let mut after_text = true;
    for value in values {
        if !after_text && !is_text(value) {
            out.push(' ');
        }
        out.push_str(&value.plain());
        after_text = is_text(value);
    }
    out
}

/// Values on a line, with blanks between them.
pub(super) fn sprintln(values: &[Value<'_>]) -> String {
    values.iter().map(Value::plain).collect::<Vec<_>>().join(" ") + "\n"
}

/// Formats a value as one verb writes it.
pub(super) fn with_verb(value: &Value<'_>, verb: char) -> String {
    Spec { verb, ..Spec::default() }.value(value, 0)
}

/// Format specification.
#[derive(Clone, Debug, Default)]
struct Spec {
    verb: char,
    minus: bool,
    plus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
    /// Whether the value is written as Go source.
    syntax: bool,
}

/// Maximum width, as in Go.
const MAX_WIDTH: i64 = 1_000_000;

/// Values in a format.
pub(super) fn sprintf(format: &str, values: &[Value<'_>]) -> String {
    let mut writer = Writer { rest: format, values, next: 0, reordered: false, good_index: true };
    let mut out = String::new();
    while let Some((before, rest)) = writer.rest.split_once('%') {
        out.push_str(before);
        writer.rest = rest;
        writer.verb(&mut out);
    }
    out.push_str(writer.rest);
    let extra = values.get(writer.next..).unwrap_or_default();
    if !writer.reordered && !extra.is_empty() {
        let shown = |value: &Value<'_>| match value.form {
            Form::Nothing | Form::Nil => "<nil>".to_owned(),
            ref form => format!("{}={}", form.type_name(), value.plain()),
        };
        let extra: Vec<String> = extra.iter().map(shown).collect();
        out.push_str(&format!("%!(EXTRA {})", extra.join(", ")));
    }
    out
}

struct Writer<'f, 'v, 'a> {
    rest: &'f str,
    values: &'v [Value<'a>],
    next: usize,
    /// Whether values were asked for by their number.
    reordered: bool,
    good_index: bool,
}

impl Writer<'_, '_, '_> {
    fn verb(&mut self, out: &mut String) {
        let mut spec = Spec::default();
        self.good_index = true;
        while let Some(flag) = self.rest.chars().next() {
            match flag {
                '#' => spec.sharp = true,
                '0' => spec.zero = true,
                '+' => spec.plus = true,
                '-' => spec.minus = true,
                ' ' => spec.space = true,
                _ => break,
            }
            self.rest = self.rest.get(1..).unwrap_or_default();
        }
        self.index();
        if let Some(rest) = self.rest.strip_prefix('*') {
            self.rest = rest;
            match self.star() {
                Some(width) => {
                    spec.minus |= width < 0;
                    spec.width = usize::try_from(width.unsigned_abs()).ok();
                }
                None => out.push_str("%!(BADWIDTH)"),
            }
            self.index();
        } else {
            spec.width = self.digits();
        }
        if let Some(rest) = self.rest.strip_prefix('.') {
            self.rest = rest;
            self.index();
            if let Some(rest) = self.rest.strip_prefix('*') {
                self.rest = rest;
                match self.star() {
                    Some(precision) => spec.precision = usize::try_from(precision).ok(),
                    None => out.push_str("%!(BADPREC)"),
                }
            } else {
                spec.precision = Some(self.digits().unwrap_or_default());
            }
        }
        self.index();
        let Some(verb) = self.rest.chars().next() else {
            out.push_str("%!(NOVERB)");
            return;
        };
        self.rest = self.rest.get(verb.len_utf8()..).unwrap_or_default();
        spec.verb = verb;
        if verb == '%' {
            out.push('%');
        } else if !self.good_index {
            out.push_str(&format!("%!{verb}(BADINDEX)"));
        } else if let Some(value) = self.values.get(self.next) {
            self.next += 1;
            if verb == 'v' {
                spec.syntax = std::mem::take(&mut spec.sharp);
                spec.plus = false;
            }
            out.push_str(&spec.value(value, 0));
        } else {
            out.push_str(&format!("%!{verb}(MISSING)"));
        }
    }

    /// Reads the number of a value, `[2]`, if there is one.
    fn index(&mut self) {
        let Some(inner) = self.rest.strip_prefix('[') else { return };
        self.reordered = true;
        let Some((number, rest)) = inner.split_once(']') else {
            self.good_index = false;
            self.rest = inner;
            return;
        };
        self.rest = rest;
        let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        match place.filter(|place| *place < self.values.len()) {
            Some(place) => self.next = place,
            None => self.good_index = false,
        }
    }

    fn digits(&mut self) -> Option<usize> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        digits.parse().ok().filter(|width| i64::try_from(*width).is_ok_and(|width| width <= MAX_WIDTH))
    }

    /// Returns a width or a precision that is a value.
    fn star(&mut self) -> Option<i64> {
        let value = self.values.get(self.next)?;
        self.next += 1;
        match value.form {
            Form::Int(number) | Form::Int64(number) => {
                Some(number).filter(|number| number.unsigned_abs() <= MAX_WIDTH.unsigned_abs())
            }
            Form::Byte(byte) => Some(byte.into()),
            _ => None,
        }
    }
}

impl Spec {
    fn value(&self, value: &Value<'_>, depth: usize) -> String {
        match (&value.form, self.verb) {
            (Form::Nothing | Form::Nil, _) if depth > 0 && self.syntax => "interface {}(nil)".to_owned(),
            (Form::Nothing | Form::Nil, _) if depth > 0 => "<nil>".to_owned(),
            (Form::Nothing | Form::Nil, 'v' | 'T') => self.padded("<nil>"),
            (form, 'T') => self.text(form.type_name()),
            (Form::Bool(truth), 't' | 'v') => self.padded(if *truth { "true" } else { "false" }),
            (Form::Int(number) | Form::Int64(number), _) => {
                self.integer((*number).into()).unwrap_or_else(|| self.bad(value))
            }
            (Form::Byte(byte), 'v') if self.syntax => format!("{byte:#x}"),
            (Form::Byte(byte), _) => self.integer((*byte).into()).unwrap_or_else(|| self.bad(value)),
            (Form::Float(number), _) => self.float(*number).unwrap_or_else(|| self.bad(value)),
            (Form::Text(text), 'v') if self.syntax => self.padded(&quoted(text.as_ref())),
            (Form::Text(text), 's' | 'v') => self.text(text),
            (Form::Text(text), 'q') => self.quoted(text),
            (Form::Text(text), 'x' | 'X') => self.hexadecimal(text.as_bytes()),
            (Form::Bytes(bytes), 'x' | 'X') => self.hexadecimal(bytes),
            (Form::Bytes(_), _) => self.value(&Value::text(value.plain()), depth),
            (Form::List(items), _) => self.list(items, depth),
            (Form::Map(map), _) => {
                let entry = |(key, item): (&String, &Json)| {
                    let key = self.value(&Value::text(key.as_str()), depth + 1);
                    format!("{key}:{}", self.value(&Value::element(item), depth + 1))
                };
                let entries: Vec<String> = map.iter().map(entry).collect();
                if self.syntax {
                    format!("map[string]interface {{}}{{{}}}", entries.join(", "))
                } else {
                    format!("map[{}]", entries.join(" "))
                }
            }
            _ => self.bad(value),
        }
    }

    fn list(&self, items: &[Json], depth: usize) -> String {
        let items: Vec<String> =
            items.iter().map(|item| self.value(&Value::element(item), depth + 1)).collect();
        if self.syntax {
            format!("[]interface {{}}{{{}}}", items.join(", "))
        } else {
            format!("[{}]", items.join(" "))
        }
    }

    /// Formats a value that doesn't fit its verb, with the given width and precision.
    fn bad(&self, value: &Value<'_>) -> String {
        match &value.form {
            Form::Nothing | Form::Nil => format!("%!{}(<nil>)", self.verb),
            form => {
                let shown = Spec { verb: 'v', ..self.clone() }.value(value, 0);
                format!("%!{}({}={shown})", self.verb, form.type_name())
            }
        }
    }

    fn padded(&self, text: &str) -> String {
        let missing = self.width.unwrap_or_default().saturating_sub(text.chars().count());
        if self.minus {
            return text.to_owned() + &" ".repeat(missing);
        }
        (if self.zero { "0" } else { " " }).repeat(missing) + text
    }

    fn cut<'t>(&self, text: &'t str) -> &'t str {
        let end = self.precision.and_then(|precision| text.char_indices().nth(precision));
        end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
    }

    fn text(&self, text: &str) -> String {
        self.padded(self.cut(text))
    }

    fn quoted(&self, text: &str) -> String {
        let text = self.cut(text);
        let plain =
            |letter: char| letter == '\t' || (!letter.is_control() && letter != '`' && letter != '\u{feff}');
        if self.sharp && text.chars().all(plain) {
            return self.padded(&format!("`{text}`"));
        }
        let quoted = quoted(text);
        self.padded(&if self.plus { numbers::in_ascii(&quoted) } else { quoted })
    }

    fn hexadecimal(&self, bytes: &[u8]) -> String {
        let bytes = bytes.get(..self.precision.unwrap_or(bytes.len())).unwrap_or(bytes);
        let prefix = match (self.sharp, self.verb) {
            (false, _) => "",
            (true, 'X') => "0X",
            (true, _) => "0x",
        };
        let digits = |byte: &u8| if self.verb == 'X' { format!("{byte:02X}") } else { format!("{byte:02x}") };
        let text = if self.space {
            bytes.iter().map(|byte| format!("{prefix}{}", digits(byte))).collect::<Vec<_>>().join(" ")
        } else if bytes.is_empty() {
            String::new()
        } else {
            prefix.to_owned() + &bytes.iter().map(digits).collect::<String>()
        };
        self.padded(&text)
    }

    fn float(&self, number: f64) -> Option<String> {
        let text = match (self.verb, self.precision) {
            _ if !number.is_finite() => go_text::float(number),
            ('v' | 'g' | 'G', None) => go_text::float(number),
            ('v' | 'g' | 'G', Some(precision)) => numbers::general(number, precision),
            ('f' | 'F', precision) => format!("{number:.*}", precision.unwrap_or(6)),
            ('e' | 'E', precision) => numbers::scientific(number, precision.unwrap_or(6)),
            _ => return None,
        };
        let text = if matches!(self.verb, 'G' | 'E') { text.to_uppercase() } else { text };
        Some(self.signed(&text))
    }

    /// Returns a number with its sign, and zeros behind it where they are asked for.
    fn signed(&self, text: &str) -> String {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None if self.plus => ("+", text.trim_start_matches('+')),
            None if self.space => (" ", text),
            None => ("", text),
        };
        let missing = self.width.unwrap_or_default().saturating_sub(sign.len() + digits.len());
        if self.zero && !self.minus && digits.starts_with(|first: char| first.is_ascii_digit()) {
            return format!("{sign}{}{digits}", "0".repeat(missing));
        }
        Spec { zero: false, ..self.clone() }.padded(&format!("{sign}{digits}"))
    }

    fn integer(&self, number: i128) -> Option<String> {
        let size = number.unsigned_abs();
        let mut digits = match self.verb {
            'v' | 'd' => size.to_string(),
            'b' => format!("{size:b}"),
            'o' | 'O' => format!("{size:o}"),
            'x' => format!("{size:x}"),
            'X' => format!("{size:X}"),
            'c' => return Some(self.padded(&numbers::character(number).to_string())),
            'q' => return Some(self.padded(&numbers::quoted_character(number))),
            'U' => return Some(self.padded(&numbers::code_point(number, self.sharp))),
            _ => return None,
        };
        let sign = match () {
            () if number < 0 => "-",
            () if self.plus => "+",
            () if self.space => " ",
            () => "",
        };
        let at_least = match (self.precision, self.width) {
            (Some(0), _) if number == 0 => return Some(" ".repeat(self.width.unwrap_or_default())),
            (Some(precision), _) => precision,
            (None, Some(width)) if self.zero && !self.minus => width.saturating_sub(sign.len()),
            _ => 0,
        };
        digits = "0".repeat(at_least.saturating_sub(digits.len())) + &digits;
        let prefix = match (self.verb, self.sharp) {
            ('O', _) => "0o",
            ('b', true) => "0b",
            ('o', true) if !digits.starts_with('0') => "0",
            ('x', true) => "0x",
            ('X', true) => "0X",
            _ => "",
        };
        Some(Spec { zero: false, ..self.clone() }.padded(&format!("{sign}{prefix}{digits}")))
    }
}
