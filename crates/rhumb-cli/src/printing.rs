//! Printers of created, changed or found objects: `-o` and related flags.

use rhumb_codec::{Strictness, json};
use rhumb_jsonpath::MissingKeys;
use rhumb_meta::Object;
use rhumb_output::custom_columns::Headers;
use rhumb_output::document::ManagedFields;
use rhumb_output::format::{Formats, Kyaml, OutputFormat, PrinterOptions, Request};
use rhumb_output::name::{self, NamePrinter};
use rhumb_output::table::TableOptions;
use rhumb_output::{Item, PrintError, Printer};
use rhumb_scheme::Unstructured;
use serde_json::Value;

use crate::options::DryRun;
use crate::{Call, Failure, Outcome, Streams};

/// Prints objects in the format of `-o`, or else by name with the operation.
pub struct ResultPrinter {
    printer: Option<Box<dyn Printer>>,
    dry_run: DryRun,
}

impl Call {
    /// Returns the form that the flags of [`crate::options::PRINT`] ask for, of those that a command has.
    ///
    /// # Errors
    /// There is no such form, or its template is wrong.
    pub fn output_format(&self, formats: &Formats) -> Result<OutputFormat, Failure> {
        let flags = &self.flags;
        let is_set = |name: &str| flags.find(name).is_some() && flags.bool(name);
        let request = Request {
            output: flags.text("output"),
            output_given: flags.is_given("output"),
            template: flags.text("template"),
            missing_keys: match is_set("allow-missing-template-keys") {
                true => MissingKeys::Allow,
                false => MissingKeys::Refuse,
            },
            kyaml: match self.factory.environment().variable("KUBECTL_KYAML") {
                Some("false") => Kyaml::Disabled,
                _ => Kyaml::Enabled,
            },
            headers: if is_set("no-headers") { Headers::Omit } else { Headers::Show },
        };
        let read = |path: &str| std::fs::read(path).map_err(|error| unread(path, &error));
        OutputFormat::choose(&request, formats, &read).map_err(|error| Failure::message(error.to_string()))
    }

    /// Returns the printer of a form; with what tables show where the command prints tables.
    pub fn format_printer(&self, format: &OutputFormat, table: Option<TableOptions>) -> Box<dyn Printer> {
        let managed_fields = match self.flags.bool("show-managed-fields") {
            true => ManagedFields::Show,
            false => ManagedFields::Omit,
        };
        format.printer(&PrinterOptions {
            name: NamePrinter::short(),
            managed_fields,
            table,
            now: self.factory.now(),
        })
    }

    /// Returns the printer that the flags of [`crate::options::PRINT`] ask for.
    ///
    /// # Errors
    /// There is no such form, or its template is wrong.
    pub fn printer(&self, dry_run: DryRun) -> Result<ResultPrinter, Failure> {
        let printer = match self.output_format(&Formats::GENERIC)? {
            OutputFormat::Default => None,
            format => Some(self.format_printer(&format, None)),
        };
        Ok(ResultPrinter { printer, dry_run })
    }
}

/// Describes an unreadable file in Go's words.
fn unread(path: &str, error: &std::io::Error) -> String {
    let reason = match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => return format!("read {path}: is a directory"),
        _ => error.to_string(),
    };
    format!("open {path}: {reason}")
}

impl ResultPrinter {
    /// Reports whether objects are printed by their names and what was done with them.
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

    /// Prints what the command wrote as compact JSON, with the fields in the order of their type.
    ///
    /// # Errors
    /// It can't be printed in this form, or nobody reads any more.
    pub fn print_text(&mut self, streams: &mut Streams, text: &[u8]) -> Outcome {
        let (tree, _) = json::decode_tree(text, Strictness::Ignore)
            .map_err(|error| Failure::message(error.to_string()))?;
        self.item(streams, Item::typed(&tree, text), "")
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

/// Formats an object's name for messages: `deployment.apps/web`.
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
