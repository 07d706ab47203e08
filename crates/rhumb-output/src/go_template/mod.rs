//! Go templates.
//!
//! The language is that of Go's `text/template`, with the functions `exists` and `base64decode` beside those
//! of Go. Its values are those of JSON. What a user can see is the same: what a template prints, what a
//! missing key is, and how errors read, with their line, their column and the part of the template. Imaginary
//! numbers are left out.

mod escape;
mod execute;
mod functions;
mod lex;
mod node;
mod number;
mod parse;
mod printf;
mod value;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;

use rhumb_jsonpath::{MissingKeys, go_text};
use rhumb_schema::text::quoted;
use serde_json::Value as Json;

use crate::document::whole;
use crate::{Item, PrintError, Printer};
use execute::Failure;
use node::Node;

/// Error of parsing a template, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError(String);

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TemplateError {}

/// Prints objects by a Go template.
#[derive(Clone, Debug)]
pub struct GoTemplatePrinter {
    raw: String,
    templates: BTreeMap<String, Vec<Node>>,
    missing: MissingKeys,
}

impl GoTemplatePrinter {
    /// Creates a printer by a template.
    ///
    /// # Errors
    /// If the template is malformed.
    pub fn new(template: &str, missing: MissingKeys) -> Result<GoTemplatePrinter, TemplateError> {
        let templates = parse::parse(template).map_err(TemplateError)?;
        Ok(GoTemplatePrinter { raw: template.to_owned(), templates, missing })
    }
}

impl Printer for GoTemplatePrinter {
    fn print_item(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        let tree = item.event_tree().map_or(Cow::Borrowed(item.object()), Cow::Owned);
        let tree = with_integers(&tree).map_or(tree, Cow::Owned);
        let error = match execute::execute(&self.templates, &self.raw, self.missing, &tree, out) {
            Ok(()) => return Ok(()),
            Err(Failure::Write(error)) => return Err(error.into()),
            Err(Failure::Template(error)) => error,
        };
        // Templates are tried out on a terminal, where this is easiest to see among the output.
        let raw = &self.raw;
        write!(
            out,
            "Error executing template: {error}. Printing more information for debugging the template:\n\
             \ttemplate was:\n\t\t{raw}\n\traw data was:\n\t\t{}\n\
             \tobject given to template engine was:\n\t\t{}\n\n",
            String::from_utf8_lossy(&whole(item)),
            go_text::plain(&tree)
        )?;
        Err(PrintError::GoTemplate(format!("error executing template {}: {error}", quoted(raw))))
    }
}

/// Formats a value as Go's `%s` writes it, which minds numbers.
pub(crate) fn as_string(value: &Json) -> String {
    printf::with_verb(&value::Value::element(value), 's')
}

/// Returns a copy with integers for floats that have no fraction; none if there are no such floats. Objects come to a
/// template through JSON text, where nothing tells the two apart.
fn with_integers(tree: &Json) -> Option<Json> {
    fn whole(tree: &Json) -> Option<i64> {
        const BEYOND: f64 = 9_223_372_036_854_775_808.0;
        let number = tree.as_f64().filter(|_| tree.is_f64())?;
        (number.fract() == 0.0 && (-BEYOND..BEYOND).contains(&number)).then_some(number as i64)
    }
    fn any(tree: &Json) -> bool {
        match tree {
            Json::Array(items) => items.iter().any(any),
            Json::Object(map) => map.values().any(any),
            leaf => whole(leaf).is_some(),
        }
    }
    fn copy(tree: &Json) -> Json {
        match tree {
            Json::Array(items) => items.iter().map(copy).collect(),
            Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), copy(value))).collect(),
            leaf => whole(leaf).map_or_else(|| leaf.clone(), Json::from),
        }
    }
    any(tree).then(|| copy(tree))
}
