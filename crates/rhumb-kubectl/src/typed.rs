//! Conversion of built-in objects between unstructured and typed.
//!
//! kubectl reads what it changes into types and prints them from there, so that fields stand in the order of the type
//! and what the type always shows is shown.

use rhumb_cli::{Failure, Outcome, ResultPrinter, Streams};
use rhumb_client::{Readable, from_unstructured};
use rhumb_meta::{GroupVersionKind, Object};
use rhumb_scheme::Unstructured;
use serde_json::Value;

use crate::built_in;

/// Returns an object of a type, made of its JSON.
pub(crate) fn from_tree<K: Readable>(tree: Value) -> Result<K, Failure> {
    let tree = Unstructured::new(tree).ok_or_else(|| Failure::message("an object must be a JSON object"))?;
    Ok(from_unstructured(&tree)?)
}

/// Returns the typed form of an object of a built-in kind.
pub(crate) fn read(object: &Unstructured) -> Result<Box<dyn Object>, Failure> {
    let scheme =
        built_in::scheme().ok_or_else(|| Failure::message("the built-in kinds can't be registered"))?;
    scheme.typed(object).map_err(|error| Failure::message(error.to_string()))
}

/// Prints an object from its type if it is of a built-in kind, and as it came otherwise.
pub(crate) fn print(
    printer: &mut ResultPrinter,
    streams: &mut Streams,
    object: &Unstructured,
    done: &str,
) -> Outcome {
    if printer.is_plain() {
        return printer.print(streams, object, done);
    }
    match read(object) {
        Ok(typed) => printer.print_typed(streams, &*typed, done),
        Err(_) => printer.print(streams, object, done),
    }
}

/// Returns the kind that an object says it has.
pub(crate) fn kind_of(object: &Unstructured) -> GroupVersionKind {
    let object: &dyn Object = object;
    object.gvk()
}

/// Returns the text at a path of an object; empty if there is none.
pub(crate) fn text<'a>(object: &'a Unstructured, path: &[&str]) -> &'a str {
    object.get(path).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the text of an I/O error as Go says it, without the number that Rust puts behind it.
pub(crate) fn os_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
