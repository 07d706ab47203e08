//! JSONPath templates.

use std::borrow::Cow;
use std::io::Write;

use rhumb_jsonpath::{MissingKeys, ParseError, Progress, Template, Value, go_text};
use rhumb_schema::text::{encode, indent_by, quoted};
use serde_json::{Number, Value as Json};

use crate::{Item, PrintError, Printer};

/// Whether results are printed as text or JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultForm {
    /// Values one after the other, lists and maps as compact JSON.
    #[default]
    Text,
    /// A list of the values for every action, as JSON for people.
    Json,
}

/// Prints objects by a JSONPath template.
#[derive(Clone, Debug)]
pub struct JsonPathPrinter {
    raw: String,
    template: Template,
    missing: MissingKeys,
    form: ResultForm,
    progress: Progress,
}

impl JsonPathPrinter {
    /// Creates a printer by a template.
    ///
    /// # Errors
    /// If the template is malformed.
    pub fn new(
        template: &str,
        missing: MissingKeys,
        form: ResultForm,
    ) -> Result<JsonPathPrinter, ParseError> {
        Ok(JsonPathPrinter {
            raw: template.to_owned(),
            template: Template::parse(template)?,
            missing,
            form,
            progress: Progress::default(),
        })
    }
}

impl Printer for JsonPathPrinter {
    fn print_item(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        // What has a type in kubectl goes through JSON, where all numbers become floats.
        let tree = match item.event_tree() {
            Some(event) => Cow::Owned(with_floats(&event)),
            None if item.text().is_some() => Cow::Owned(with_floats(item.object())),
            None => Cow::Borrowed(item.object()),
        };
        let found = self.template.find_next(&tree, self.missing, &mut self.progress).map_err(|error| {
            let raw = &self.raw;
            let object = go_text::syntax(&tree);
            PrintError::JsonPath(format!(
                "error executing jsonpath {}: Error executing template: {error}. Printing more information \
                 for debugging the template:\n\ttemplate was:\n\t\t{raw}\n\
                 \tobject given to jsonpath engine was:\n\t\t{object}\n\n\n",
                quoted(raw)
            ))
        })?;
        for values in found {
            out.write_all(&printed(&values, self.form))?;
        }
        Ok(())
    }
}

fn printed(values: &[Value<'_>], form: ResultForm) -> Vec<u8> {
    match form {
        ResultForm::Text => {
            let texts: Vec<String> = values.iter().map(|value| value.printed()).collect();
            texts.join(" ").into_bytes()
        }
        ResultForm::Json => {
            let mut compact = Vec::new();
            encode(&Json::Array(values.iter().map(|value| value.to_tree()).collect()), &mut compact);
            let mut text = Vec::new();
            indent_by(4, &compact, &mut text);
            text.push(b'\n');
            text
        }
    }
}

fn with_floats(tree: &Json) -> Json {
    match tree {
        Json::Number(number) => {
            number.as_f64().and_then(Number::from_f64).map_or_else(|| tree.clone(), Json::Number)
        }
        Json::Array(items) => items.iter().map(with_floats).collect(),
        Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), with_floats(value))).collect(),
        other => other.clone(),
    }
}
