//! Names of objects: `pod/web`, `deployment.apps/web created`.

use std::io::Write;

use serde_json::Value as Json;

use crate::object;
use crate::terminal::lower;
use crate::{Item, PrintError, Printer};

/// Prints each object's kind and name with the operation.
#[derive(Clone, Debug, Default)]
pub struct NamePrinter {
    operation: String,
}

impl NamePrinter {
    /// Returns a printer of names alone, as `-o name` asks for.
    pub fn short() -> NamePrinter {
        NamePrinter::default()
    }

    /// A printer that says behind each name what was done: `created`, `configured (server dry run)`.
    pub fn with_operation(operation: impl Into<String>) -> NamePrinter {
        NamePrinter { operation: operation.into() }
    }

    fn print_object(&self, object: &Json, out: &mut dyn Write) -> Result<(), PrintError> {
        if let Some(items) = object::items(object) {
            return items.iter().try_for_each(|item| self.print_object(item, out));
        }
        if object::is_untyped(object) {
            return Err(PrintError::Untyped);
        }
        let name = match object::name(object) {
            "" => "<unknown>",
            name => name,
        };
        let (group, kind) = match object::kind(object) {
            "" => ("", "<unknown>"),
            kind => (object::group(object), kind),
        };
        out.write_all(line(group, kind, name, &self.operation).as_bytes())?;
        Ok(())
    }
}

/// Returns the line that names an object, with its end: `deployment.apps/web created`.
pub fn line(group: &str, kind: &str, name: &str, operation: &str) -> String {
    let kind = lower(kind);
    let dot = if group.is_empty() { "" } else { "." };
    let blank = if operation.is_empty() { "" } else { " " };
    format!("{kind}{dot}{group}/{name}{blank}{operation}\n")
}

impl Printer for NamePrinter {
    fn print_item(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        self.print_object(item.object(), out)
    }
}
