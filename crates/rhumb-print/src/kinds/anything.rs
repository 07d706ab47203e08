//! The table that every kind can have.

use rhumb_meta::v1::TableRow;

use crate::column::{Column, Printer, cells};

/// The name of an object, and when it was made.
pub(super) const ANYTHING: Printer = Printer::of_any(
    &[Column::NAME, Column::date("Created At", "When the object was created.")],
    |object, _| {
        let meta = object.metadata().unwrap_or_default();
        let mut time = Vec::new();
        meta.creation_timestamp.write_rfc3339(&mut time);
        let cells = cells![meta.name.as_str(), String::from_utf8_lossy(&time)];
        TableRow { cells, ..Default::default() }
    },
);
