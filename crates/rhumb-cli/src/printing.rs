//! How commands print the objects they made, changed or found: `-o` and its companions.

use rhumb_codec::json;
use rhumb_meta::Object;
use rhumb_output::document::{JsonPrinter, ManagedFields, YamlPrinter};
use rhumb_output::name::{self, NamePrinter};
use rhumb_output::{Item, PrintError, Printer};
use rhumb_scheme::Unstructured;
use serde_json::Value;

use crate::options::DryRun;
use crate::{Call, Failure, Outcome, Streams};

/// Prints objects as `-o` says; without it, by their names and what was done with them.
pub struct ResultPrinter {
    printer: Option<Box<dyn Printer>>,
    dry_run: DryRun,
}

impl Call {
    /// The printer that the flags of [`crate::options::PRINT`] ask for.
    ///
    /// # Errors
    /// There is no such format, or its template is wrong.
    pub fn printer(&self, dry_run: DryRun) -> Result<ResultPrinter, Failure> {
        let managed_fields = match self.flags.bool("show-managed-fields") {
            true => ManagedFields::Show,
            false => ManagedFields::Omit,
        };
        let printer: Option<Box<dyn Printer>> = match self.flags.text("output") {
            "" => None,
            "json" => Some(Box::new(JsonPrinter::new(managed_fields))),
            "yaml" => Some(Box::new(YamlPrinter::new(managed_fields))),
            "name" => Some(Box::new(NamePrinter::short())),
            other => {
                return Err(Failure::message(format!(
                    "unable to match a printer suitable for the output format {other:?}, allowed formats are: \
                     go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,\
                     templatefile,yaml"
                )));
            }
        };
        Ok(ResultPrinter { printer, dry_run })
    }
}

impl ResultPrinter {
    /// Whether objects are printed by their names and what was done with them.
    pub fn is_plain(&self) -> bool {
        self.printer.is_none()
    }

    /// Prints an object as the server gave it. What was done is said where only names are printed: `created`.
    ///
    /// # Errors
    /// It can't be printed in this form, or nobody reads any more.
    pub fn print(&mut self, streams: &mut Streams, object: &Unstructured, done: &str) -> Outcome {
        self.item(streams, Item::new(object.tree()), done)
    }

    /// Prints an object that the command made: its fields stand in the order of its type.
    ///
    /// # Errors
    /// It can't be printed in this form, or nobody reads any more.
    pub fn print_typed(&mut self, streams: &mut Streams, object: &dyn Object, done: &str) -> Outcome {
        let mut text = Vec::new();
        json::encode(object, &mut text);
        let tree = Unstructured::from_object(object).into_tree();
        self.item(streams, Item::typed(&tree, &text), done)
    }

    /// Prints an object that is written already: its fields stand as they are there.
    ///
    /// # Errors
    /// It can't be printed in this form, or nobody reads any more.
    pub fn print_written(&mut self, streams: &mut Streams, object: &Value, text: &[u8]) -> Outcome {
        self.item(streams, Item::typed(object, text), "")
    }

    fn item(&mut self, streams: &mut Streams, item: Item<'_>, done: &str) -> Outcome {
        match &mut self.printer {
            Some(printer) => printer.print_item(item, &mut streams.out)?,
            None => {
                let operation = format!("{done}{}", self.dry_run.suffix());
                NamePrinter::with_operation(operation).print_item(item, &mut streams.out)?;
            }
        }
        Ok(())
    }
}

/// `deployment.apps/web`: how an object is named in messages.
pub fn short_name(object: &Unstructured) -> String {
    let text = |path: &[&str]| object.get(path).and_then(Value::as_str).unwrap_or_default();
    let (group, _) = text(&["apiVersion"]).split_once('/').unwrap_or_default();
    name::line(group, text(&["kind"]), text(&["metadata", "name"]), "").trim_end().to_owned()
}

impl From<PrintError> for Failure {
    fn from(error: PrintError) -> Self {
        match error {
            PrintError::Write(error) => Failure::from(error),
            error => Failure::message(error.to_string()),
        }
    }
}
