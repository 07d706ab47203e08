//! Display of values in validation errors.
//!
//! Kubernetes prints texts in Go's quotes, numbers and truth values bare, and everything else as compact JSON. A
//! text behind a pointer or of a type of its own counts as everything else, which shows where it has to be escaped.

use std::any::TypeId;

use crate::text::{encode, quoted, write_str};
use crate::value::{Struct, Value, View};

/// A value that an error displays.
pub trait BadValue {
    /// Returns the value as Kubernetes prints it.
    fn shown(&self) -> String;
}

impl<T: Value> BadValue for T {
    fn shown(&self) -> String {
        match self.view() {
            View::Str(text) if TypeId::of::<T>() == TypeId::of::<String>() => quoted(text),
            View::Double(number) if TypeId::of::<T>() == TypeId::of::<f64>() => go_float(number),
            _ => json(self),
        }
    }
}

impl BadValue for dyn Value {
    fn shown(&self) -> String {
        json(self)
    }
}

impl BadValue for dyn Struct {
    fn shown(&self) -> String {
        json(self)
    }
}

impl BadValue for str {
    fn shown(&self) -> String {
        quoted(self)
    }
}

impl BadValue for &str {
    fn shown(&self) -> String {
        quoted(self)
    }
}

impl BadValue for usize {
    fn shown(&self) -> String {
        self.to_string()
    }
}

/// String with a named type in Go, such as a protocol or a UID, displayed as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'a>(pub &'a str);

impl BadValue for Named<'_> {
    fn shown(&self) -> String {
        let mut out = Vec::with_capacity(self.0.len() + 2);
        write_str(self.0, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// Text displayed as it is, for values whose form in Kubernetes is internal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown(pub String);

impl BadValue for Shown {
    fn shown(&self) -> String {
        self.0.clone()
    }
}

fn json(value: &dyn Value) -> String {
    let view = value.view();
    if matches!(view, View::Null) || view.is_nil() {
        return "null".to_owned();
    }
    let mut out = Vec::new();
    encode(value, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Formats a float as Go's `%v`: shortest digits, with an exponent from a million on and below a ten-thousandth.
fn go_float(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(power) if !(-4..6).contains(&power) => {
            format!("{digits}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_in_go_and_those_behind_options_as_in_json() {
        assert_eq!("a<b\u{7}".shown(), r#""a<b\a""#);
        assert_eq!("a<b".to_owned().shown(), r#""a<b""#);
        assert_eq!(Some("a<b".to_owned()).shown(), r#""a\u003cb""#);
        assert_eq!(Named("a&b").shown(), r#""a\u0026b""#);
        assert_eq!(None::<String>.shown(), "null");
    }

    #[test]
    fn numbers_stand_bare_and_floats_as_in_go() {
        assert_eq!((7i32.shown(), (-7i64).shown(), 7usize.shown(), true.shown()), {
            ("7".into(), "-7".into(), "7".into(), "true".into())
        });
        let floats = [0.5, 1e20, 123456.0, 0.0001, 0.00001, -2.0, 1234567.0];
        let shown = ["0.5", "1e+20", "123456", "0.0001", "1e-05", "-2", "1.234567e+06"];
        for (number, text) in floats.into_iter().zip(shown) {
            assert_eq!(number.shown(), text);
        }
        assert_eq!(Some(5i64).shown(), "5");
    }

    #[test]
    fn lists_are_json_and_an_empty_one_is_nil() {
        assert_eq!(vec!["a".to_owned(), "<".to_owned()].shown(), r#"["a","\u003c"]"#);
        assert_eq!(Vec::<String>::new().shown(), "null");
        assert_eq!(Shown("{A:1}".into()).shown(), "{A:1}");
    }
}
