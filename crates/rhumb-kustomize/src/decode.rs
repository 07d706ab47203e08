//! Decoding of JSON into kustomization structs, with the behaviour and errors of Go's decoder.
//!
//! Keys are found in any case if not exactly, null leaves a field as it is, and of all that is wrong the
//! first is reported.

use std::collections::BTreeMap;

use serde_json::Value;

/// Handling of unknown keys, and of scalars in place of strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Both are refused.
    Strict,
    /// Unknown keys are left out, and scalars become strings.
    Lenient,
}

/// Decoder state.
pub(crate) struct Decoder {
    strictness: Strictness,
    problem: Option<String>,
    structs: Vec<&'static str>,
    path: Vec<&'static str>,
}

/// Types that can be decoded.
pub(crate) trait Decoded: Default {
    /// Returns the type's name in Go.
    fn go_type() -> String;

    /// Takes a value in.
    fn take(&mut self, value: &Value, decoder: &mut Decoder);
}

/// Decodes a whole value.
pub(crate) fn decode<T: Decoded>(value: &Value, strictness: Strictness) -> Result<T, String> {
    let mut decoder = Decoder { strictness, problem: None, structs: Vec::new(), path: Vec::new() };
    let mut decoded = T::default();
    decoded.take(value, &mut decoder);
    match decoder.problem {
        Some(problem) => Err(problem),
        None => Ok(decoded),
    }
}

impl Decoder {
    fn report(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    /// Reports a value that does not fit.
    pub(crate) fn mismatch(&mut self, value: &Value, wanted: &str) {
        let found = match value {
            Value::Null => "null".to_owned(),
            Value::Bool(_) => "bool".to_owned(),
            Value::Number(number) if wanted.starts_with("int") => format!("number {number}"),
            Value::Number(_) => "number".to_owned(),
            Value::String(_) => "string".to_owned(),
            Value::Array(_) => "array".to_owned(),
            Value::Object(_) => "object".to_owned(),
        };
        let place = match self.structs.last() {
            Some(name) if !self.path.is_empty() => format!("struct field {name}.{}", self.path.join(".")),
            _ => "value".to_owned(),
        };
        self.report(format!("json: cannot unmarshal {found} into Go {place} of type {wanted}"));
    }

    /// Goes through the keys of an object; `field` gives false for a key it doesn't know.
    pub(crate) fn object(
        &mut self,
        name: &'static str,
        value: &Value,
        go_type: String,
        mut field: impl FnMut(&str, &Value, &mut Decoder) -> bool,
    ) {
        match value {
            Value::Null => {}
            Value::Object(map) => {
                self.structs.push(name);
                for (key, value) in map {
                    if !field(key, value, self) && self.strictness == Strictness::Strict {
                        self.report(format!("json: unknown field {}", crate::fault::quote(key)));
                    }
                }
                self.structs.pop();
            }
            other => self.mismatch(other, &go_type),
        }
    }

    /// Decodes what stands under a field's name.
    pub(crate) fn field(&mut self, name: &'static str, value: &Value, into: &mut impl Decoded) {
        self.path.push(name);
        into.take(value, self);
        self.path.pop();
    }
}

/// Returns the name among those known that a key means.
pub(crate) fn known_name<'n>(key: &str, names: &[&'n str]) -> Option<&'n str> {
    let exact = names.iter().find(|name| **name == key);
    exact.or_else(|| names.iter().find(|name| name.eq_ignore_ascii_case(key))).copied()
}

/// Says how a struct is decoded: the names in JSON, with the embedded structs they are in, and the fields.
macro_rules! decoded {
    ($type:ident as $name:literal, $go:literal {
        $($json:literal $(in $embedded:literal)? => $($field:ident).+,)*
    }) => {
        impl $crate::decode::Decoded for $type {
            fn go_type() -> String {
                $go.to_owned()
            }

            fn take(&mut self, value: &serde_json::Value, decoder: &mut $crate::decode::Decoder) {
                decoder.object($name, value, $go.to_owned(), |key, value, decoder| {
                    match $crate::decode::known_name(key, &[$($json),*]) {
                        $(Some($json) => {
                            decoder.field(concat!($($embedded, ".",)? $json), value, &mut self.$($field).+);
                            true
                        })*
                        _ => false,
                    }
                });
            }
        }
    };
}
pub(crate) use decoded;

impl Decoded for String {
    fn go_type() -> String {
        "string".to_owned()
    }

    fn take(&mut self, value: &Value, decoder: &mut Decoder) {
        match value {
            Value::Null => {}
            Value::String(text) => self.clone_from(text),
            Value::Bool(_) | Value::Number(_) if decoder.strictness == Strictness::Lenient => {
                *self = value.to_string();
            }
            other => decoder.mismatch(other, "string"),
        }
    }
}

impl Decoded for bool {
    fn go_type() -> String {
        "bool".to_owned()
    }

    fn take(&mut self, value: &Value, decoder: &mut Decoder) {
        match value {
            Value::Null => {}
            Value::Bool(value) => *self = *value,
            other => decoder.mismatch(other, "bool"),
        }
    }
}

impl Decoded for i64 {
    fn go_type() -> String {
        "int64".to_owned()
    }

    fn take(&mut self, value: &Value, decoder: &mut Decoder) {
        match value {
            Value::Null => {}
            value => match value.as_i64() {
                Some(number) => *self = number,
                None => decoder.mismatch(value, "int64"),
            },
        }
    }
}

impl Decoded for isize {
    fn go_type() -> String {
        "int".to_owned()
    }

    fn take(&mut self, value: &Value, decoder: &mut Decoder) {
        match value {
            Value::Null => {}
            value => match value.as_i64().and_then(|number| isize::try_from(number).ok()) {
                Some(number) => *self = number,
                None => decoder.mismatch(value, "int"),
            },
        }
    }
}

impl<T: Decoded> Decoded for Option<T> {
    fn go_type() -> String {
        T::go_type()
    }

    fn take(&mut self, value: &Value, decoder: &mut Decoder) {
        if !value.is_null() {
            self.get_or_insert_default().take(value, decoder);
        }
    }
}

impl<T: Decoded> Decoded for Vec<T> {
    fn go_type() -> String {
        format!("[]{}", T::go_type())
    }

    fn take(&mut self, value: &Value, decoder: &mut Decoder) {
        match value {
            Value::Null => {}
            Value::Array(items) => {
                self.clear();
                for item in items {
                    let mut decoded = T::default();
                    decoded.take(item, decoder);
                    self.push(decoded);
                }
            }
            other => decoder.mismatch(other, &Self::go_type()),
        }
    }
}

impl Decoded for BTreeMap<String, String> {
    fn go_type() -> String {
        "map[string]string".to_owned()
    }

    fn take(&mut self, value: &Value, decoder: &mut Decoder) {
        match value {
            Value::Null => {}
            Value::Object(map) => {
                for (key, value) in map {
                    let mut text = String::new();
                    text.take(value, decoder);
                    self.insert(key.clone(), text);
                }
            }
            other => decoder.mismatch(other, "map[string]string"),
        }
    }
}

impl Decoded for Value {
    fn go_type() -> String {
        "interface {}".to_owned()
    }

    fn take(&mut self, value: &Value, _: &mut Decoder) {
        self.clone_from(value);
    }
}
