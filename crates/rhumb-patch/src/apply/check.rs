//! Validation of objects against the apply schema, with Kubernetes' messages.

use std::collections::BTreeSet;

use rhumb_schema::budget;
use serde_json::Value;

use super::element::PathElement;
use super::items::ItemError;
use super::schema::{Form, ListAtom, MapAtom, ScalarKind, Type};

/// Whether duplicate list elements are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duplicates {
    Allowed,
    Refused,
}

/// Errors of an object.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<(String, String)>);

impl Faults {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the faults as an error prints them.
    pub(super) fn text(&self) -> String {
        let line = |(path, message): &(String, String)| {
            if path.is_empty() { message.clone() } else { format!("{path}: {message}") }
        };
        match self.0.as_slice() {
            [one] => line(one),
            several => {
                let lines: Vec<String> = several.iter().map(|fault| format!("\n  {}", line(fault))).collect();
                format!("errors:{}", lines.concat())
            }
        }
    }
}

struct Checker {
    duplicates: Duplicates,
    path: String,
    faults: Faults,
}

impl Type<'_> {
    /// Looks for faults in an object.
    pub(super) fn check(&self, value: &Value, duplicates: Duplicates) -> Faults {
        let mut checker = Checker { duplicates, path: String::new(), faults: Faults::default() };
        checker.visit(self, value);
        checker.faults
    }
}

impl Checker {
    fn fault(&mut self, message: impl Into<String>) {
        let message = message.into();
        // Every fault under a long path repeats it.
        if budget::take(self.path.len().saturating_add(message.len())) {
            self.faults.0.push((self.path.clone(), message));
        }
    }

    fn below(&mut self, step: &str, visit: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(step);
        visit(self);
        self.path.truncate(length);
    }

    fn visit(&mut self, ty: &Type<'_>, value: &Value) {
        let atom = ty.atom();
        match atom.form(Some(value)) {
            Some(Form::Map) => {
                if let Some(map) = &atom.map {
                    self.map(map, value);
                }
            }
            Some(Form::List) => {
                if let Some(list) = &atom.list {
                    self.list(list, value);
                }
            }
            Some(Form::Scalar) => {
                if let Some(message) = atom.scalar.and_then(|kind| scalar_fault(kind, value)) {
                    self.fault(message);
                }
            }
            None => self.fault("schema error: invalid atom: inlined"),
        }
    }

    fn map(&mut self, map: &MapAtom<'_>, value: &Value) {
        let fields = match value {
            Value::Null => return,
            Value::Object(fields) => fields,
            other => return self.fault(format!("expected map, got &{{{}}}", go_value(other))),
        };
        for (name, value) in fields {
            if budget::is_stopped() {
                return;
            }
            match map.entry(name) {
                Some(ty) => match value {
                    // Most of an object is texts where texts belong.
                    Value::String(_) if ty.atom().scalar == Some(ScalarKind::String) => {}
                    _ => self.below(&format!(".{name}"), |checker| checker.visit(&ty, value)),
                },
                None => {
                    self.below(&format!(".{name}"), |checker| checker.fault("field not declared in schema"));
                    return;
                }
            }
        }
    }

    fn list(&mut self, list: &ListAtom<'_>, value: &Value) {
        let items = match value {
            Value::Null => return,
            Value::Array(items) => items,
            other => return self.fault(format!("expected list, got &{{{}}}", go_value(other))),
        };
        let mut seen: BTreeSet<PathElement> = BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            if budget::is_stopped() {
                return;
            }
            let step = if list.is_atomic() {
                format!("[{index}]")
            } else {
                let element = match list.item(item) {
                    Ok(element) => element,
                    Err(error) => return self.item_fault(index, &error),
                };
                let step = element.to_string();
                if !seen.insert(element) && self.duplicates == Duplicates::Refused {
                    self.fault(format!("duplicate entries for key {step}"));
                }
                step
            };
            self.below(&step, |checker| checker.visit(&list.element, item));
        }
    }

    fn item_fault(&mut self, index: usize, error: &ItemError) {
        self.fault(format!("element {index}: {error}"));
    }
}

fn scalar_fault(kind: ScalarKind, value: &Value) -> Option<String> {
    match (kind, value) {
        (_, Value::Null)
        | (ScalarKind::Numeric, Value::Number(_))
        | (ScalarKind::String, Value::String(_))
        | (ScalarKind::Boolean, Value::Bool(_)) => None,
        (ScalarKind::Any, Value::Array(_) | Value::Object(_)) => {
            Some(format!("expected any scalar, got &{{{}}}", go_value(value)))
        }
        (ScalarKind::Any, _) => None,
        (ScalarKind::Numeric, _) => Some(format!("expected numeric (int or float), got {}", go_type(value))),
        (ScalarKind::Boolean, _) => Some(format!("expected boolean, got &{{{}}}", go_value(value))),
        (ScalarKind::String, _) => {
            Some(format!("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value)))
        }
    }
}

/// Returns Go's name of a value's type.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn go_number(number: &serde_json::Number) -> String {
    if let Some(value) = number.as_i64() {
        return value.to_string();
    }
    let mut text = Vec::new();
    rhumb_schema::text::write_f64(number.as_f64().unwrap_or_default(), &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Formats a value as `%v` prints it.
fn go_value(value: &Value) -> String {
    let mut out = String::new();
    print_value(value, &mut out);
    out
}

fn print_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&go_number(number)),
        Value::String(text) => out.push_str(text),
        Value::Array(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { " " });
                print_value(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push_str("map[");
            for (position, (name, value)) in fields.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { " " });
                out.push_str(name);
                out.push(':');
                print_value(value, out);
            }
            out.push(']');
        }
    }
}

/// Formats a value as `%#v` prints it.
fn go_syntax(value: &Value) -> String {
    let mut out = String::new();
    print_syntax(value, &mut out);
    out
}

fn print_syntax(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("interface {}(nil)"),
        Value::Bool(_) | Value::Number(_) => print_value(value, out),
        Value::String(text) => out.push_str(&rhumb_schema::text::quoted(text)),
        Value::Array(items) => {
            out.push_str("[]interface {}{");
            for (position, item) in items.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { ", " });
                print_syntax(item, out);
            }
            out.push('}');
        }
        Value::Object(fields) => {
            out.push_str("map[string]interface {}{");
            for (position, (name, value)) in fields.iter().enumerate() {
                out.push_str(if position == 0 { "" } else { ", " });
                out.push_str(&rhumb_schema::text::quoted(name));
                out.push(':');
                print_syntax(value, out);
            }
            out.push('}');
        }
    }
}
