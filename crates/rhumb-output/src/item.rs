//! Printed items, and the `Printer` trait.

use std::io::Write;

use serde_json::{Value as Json, json};

use crate::PrintError;

/// An object to print, with context for printers.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    object: &'a Json,
    text: Option<&'a [u8]>,
    event: Option<&'a str>,
}

impl<'a> Item<'a> {
    /// Creates an object as a server gave it, or as a file has it.
    pub fn new(object: &'a Json) -> Item<'a> {
        Item { object, text: None, event: None }
    }

    /// Returns an object that has a type of its own in kubectl, such as one that a command made, and its compact JSON
    /// text with the fields in the order of that type. JSON and KYAML keep that order.
    pub fn typed(object: &'a Json, text: &'a [u8]) -> Item<'a> {
        Item { object, text: Some(text), event: None }
    }

    /// Sets the type of the watch event: `ADDED`, `MODIFIED`, `DELETED`, `ERROR`.
    #[must_use]
    pub fn in_event(self, event: &'a str) -> Item<'a> {
        Item { event: Some(event), ..self }
    }

    /// Returns the object, without the event around it.
    pub fn object(&self) -> &'a Json {
        self.object
    }

    /// Returns the text of an object that has a type of its own.
    pub fn text(&self) -> Option<&'a [u8]> {
        self.text
    }

    /// Returns the type of the event that the object is part of.
    pub fn event(&self) -> Option<&'a str> {
        self.event
    }

    /// Returns the event as a tree, if there is one.
    pub(crate) fn event_tree(&self) -> Option<Json> {
        self.event.map(|event| json!({ "type": event, "object": self.object }))
    }
}

impl<'a> From<&'a Json> for Item<'a> {
    fn from(object: &'a Json) -> Item<'a> {
        Item::new(object)
    }
}

/// Prints objects. It may keep state: headers are printed once, documents are separated.
pub trait Printer {
    /// Prints an item.
    ///
    /// # Errors
    /// If the object can't be printed in this form, or the output can't be written to.
    fn print_item(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError>;

    /// Prints an object.
    ///
    /// # Errors
    /// Those of [`print_item`](Printer::print_item).
    fn print(&mut self, object: &Json, out: &mut dyn Write) -> Result<(), PrintError> {
        self.print_item(Item::new(object), out)
    }

    /// Prints an item without lining its columns up. The output is a [`TabWriter`](crate::TabWriter) of the
    /// caller, who flushes it: that is how several objects share their columns.
    ///
    /// # Errors
    /// Those of [`print_item`](Printer::print_item).
    fn print_unaligned(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        self.print_item(item, out)
    }
}
