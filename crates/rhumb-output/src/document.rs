//! JSON and YAML output.

use std::borrow::Cow;
use std::io::Write;

use rhumb_codec::yaml::from_json_value;
use rhumb_schema::text::{Scanner, SyntaxError, encode, indent_by};
use serde_json::Value as Json;

use crate::object;
use crate::{Item, PrintError, Printer};

/// Whether managed fields are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ManagedFields {
    /// Leave it out.
    #[default]
    Omit,
    /// Show it.
    Show,
}

/// Prints JSON, indented by four spaces, with sorted keys. Watch events take one line each.
#[derive(Clone, Debug, Default)]
pub struct JsonPrinter {
    managed_fields: ManagedFields,
}

impl JsonPrinter {
    /// Creates a printer of JSON.
    pub fn new(managed_fields: ManagedFields) -> JsonPrinter {
        JsonPrinter { managed_fields }
    }
}

impl Printer for JsonPrinter {
    fn print_item(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        let compact = compact(item, self.managed_fields)?;
        let mut text = Vec::with_capacity(compact.len() * 2);
        if item.event().is_some() {
            text.extend_from_slice(&compact);
        } else {
            indent_by(4, &compact, &mut text);
        }
        text.push(b'\n');
        Ok(out.write_all(&text)?)
    }
}

/// Prints YAML documents, separated by `---`.
#[derive(Clone, Debug, Default)]
pub struct YamlPrinter {
    managed_fields: ManagedFields,
    printed_before: bool,
}

impl YamlPrinter {
    /// Creates a printer of YAML.
    pub fn new(managed_fields: ManagedFields) -> YamlPrinter {
        YamlPrinter { managed_fields, printed_before: false }
    }
}

impl Printer for YamlPrinter {
    fn print_item(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        let mut text = Vec::new();
        if std::mem::replace(&mut self.printed_before, true) {
            out.write_all(b"---\n")?;
        }
        let tree = match item.event_tree() {
            Some(event) => Cow::Owned(event),
            None if object::is_untyped(item.object()) => return Err(PrintError::Untyped),
            None => shown(item.object(), self.managed_fields),
        };
        from_json_value(&tree, &mut text);
        Ok(out.write_all(&text)?)
    }
}

/// Returns an object as it is shown.
fn shown(object: &Json, managed_fields: ManagedFields) -> Cow<'_, Json> {
    match managed_fields {
        ManagedFields::Show => Cow::Borrowed(object),
        ManagedFields::Omit => {
            object::without_managed_fields(object).map_or(Cow::Borrowed(object), Cow::Owned)
        }
    }
}

/// Returns an item as compact JSON text, with all that is in it.
pub(crate) fn whole(item: Item<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    if let Some(event) = item.event() {
        text.extend_from_slice(b"{\"type\":");
        rhumb_schema::text::write_str(event, &mut text);
        text.extend_from_slice(b",\"object\":");
    }
    match item.text() {
        Some(typed) => text.extend_from_slice(typed),
        None => encode(item.object(), &mut text),
    }
    if item.event().is_some() {
        text.push(b'}');
    }
    text
}

/// Returns an item as compact JSON text. Of events nothing is left out, as kubectl does.
pub(crate) fn compact(item: Item<'_>, managed_fields: ManagedFields) -> Result<Vec<u8>, PrintError> {
    if item.event().is_some() {
        return Ok(whole(item));
    }
    if object::is_untyped(item.object()) {
        return Err(PrintError::Untyped);
    }
    let mut text = Vec::new();
    match (item.text(), managed_fields) {
        (None, _) => encode(shown(item.object(), managed_fields).as_ref(), &mut text),
        (Some(typed), ManagedFields::Show) => text.extend_from_slice(typed),
        (Some(typed), ManagedFields::Omit) => {
            if without_managed_fields(typed, &mut text).is_err() {
                // What can't be read is shown as it came.
                text.clear();
                text.extend_from_slice(typed);
            }
        }
    }
    Ok(text)
}

/// Copies the text of an object, or of a list of objects, without what managers of fields have left in it.
fn without_managed_fields(json: &[u8], out: &mut Vec<u8>) -> Result<(), SyntaxError> {
    copy_entries(json, out, &mut |key, value, out| match key {
        "metadata" => copy_entries(value, out, &mut |key, value, out| {
            if key != "managedFields" {
                out.extend_from_slice(value);
            }
            Ok(())
        }),
        "items" if value.first() == Some(&b'[') => {
            let mut scanner = Scanner::new(value);
            scanner.bump();
            out.push(b'[');
            let mut first = true;
            while scanner.next_element(first)? {
                if !std::mem::replace(&mut first, false) {
                    out.push(b',');
                }
                without_managed_fields(scanner.skip()?, out)?;
            }
            out.push(b']');
            Ok(())
        }
        _ => {
            out.extend_from_slice(value);
            Ok(())
        }
    })
}

/// Transforms the value of a key; writing nothing drops the key.
type Copier<'a> = &'a mut dyn FnMut(&str, &[u8], &mut Vec<u8>) -> Result<(), SyntaxError>;

/// Copies an object's text entry by entry; anything else as it is.
fn copy_entries(json: &[u8], out: &mut Vec<u8>, copy: Copier<'_>) -> Result<(), SyntaxError> {
    let mut scanner = Scanner::new(json);
    if scanner.peek() != Some(b'{') {
        out.extend_from_slice(json);
        return Ok(());
    }
    scanner.bump();
    out.push(b'{');
    let opened = out.len();
    let mut first = true;
    while scanner.next_entry(first)? {
        first = false;
        let key = scanner.key()?;
        let value = scanner.skip()?;
        let start = out.len();
        if start > opened {
            out.push(b',');
        }
        rhumb_schema::text::write_str(&key, out);
        out.push(b':');
        let before = out.len();
        copy(&key, value, out)?;
        if out.len() == before {
            out.truncate(start);
        }
    }
    out.push(b'}');
    Ok(())
}
