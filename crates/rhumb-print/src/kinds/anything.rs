//! Default columns of all kinds.

use rhumb_meta::v1::TableRow;

use crate::column::{Column, Printer, cells};

/// Name and age.
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
