//! Objects by a Go template.
//!
//! The language is that of Go's `text/template`, with the functions `exists` and `base64decode` beside those of Go.
//! Its values are those of JSON. What a user can see is the same: what a template prints, what a missing key is, and
//! how errors read, with their line, their column and the part of the template. Imaginary numbers are left out.

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
use rhumb_schema::text::{encode, quoted};

use crate::{Item, PrintError, Printer};
use node::Node;

/// Why a text is no template, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError(String);

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TemplateError {}

/// Prints what a template makes of each object.
#[derive(Clone, Debug)]
pub struct GoTemplatePrinter {
    raw: String,
    templates: BTreeMap<String, Vec<Node>>,
    missing: MissingKeys,
}

impl GoTemplatePrinter {
    /// A printer by a template.
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
        let mut written = Vec::new();
        let executed = execute::execute(&self.templates, &self.raw, self.missing, &tree, &mut written);
        out.write_all(&written)?;
        let Err(error) = executed else { return Ok(()) };
        let mut data = Vec::new();
        match (item.text(), item.event()) {
            (Some(text), None) => data.extend_from_slice(text),
            _ => encode(tree.as_ref(), &mut data),
        }
        // Templates are tried out on a terminal, where this is easiest to see among the output.
        let raw = &self.raw;
        write!(
            out,
            "Error executing template: {error}. Printing more information for debugging the template:\n\
             \ttemplate was:\n\t\t{raw}\n\traw data was:\n\t\t{}\n\tobject given to template engine was:\n\t\t{}\n\n",
            String::from_utf8_lossy(&data),
            go_text::plain(&tree)
        )?;
        Err(PrintError::GoTemplate(format!("error executing template {}: {error}", quoted(raw))))
    }
}
