//! Columns and printers of rows.

use rhumb_meta::Object;
use rhumb_meta::v1::{TableColumnDefinition, TableRow, TableRowCondition};

use crate::now::Now;

/// Cell value: string, number, boolean or null.
pub type Cell = serde_json::Value;

/// Column of a kind's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: &'static str,
    /// The type of the cells, as in OpenAPI.
    pub type_: &'static str,
    /// `name` for the column that identifies the object, else empty.
    pub format: &'static str,
    /// Description of the column.
    pub description: &'static str,
    /// 0 for columns that are always shown, 1 for those of the wide form.
    pub priority: i32,
}

impl Column {
    /// The object's name.
    pub const NAME: Self = Self::text("Name", "The name of the object.").identifying();
    /// The object's age.
    pub const AGE: Self = Self::text("Age", "How long ago the object was created.");

    /// Creates a string column.
    pub const fn text(name: &'static str, description: &'static str) -> Self {
        Self { name, type_: "string", format: "", description, priority: 0 }
    }

    /// Creates an integer column.
    pub const fn integer(name: &'static str, description: &'static str) -> Self {
        Self { type_: "integer", ..Self::text(name, description) }
    }

    /// Creates a boolean column.
    pub const fn boolean(name: &'static str, description: &'static str) -> Self {
        Self { type_: "boolean", ..Self::text(name, description) }
    }

    /// Creates a date column.
    pub const fn date(name: &'static str, description: &'static str) -> Self {
        Self { type_: "date", ..Self::text(name, description) }
    }

    /// Shows the column in wide output only.
    pub const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    /// Marks the column as the object's name.
    pub const fn identifying(self) -> Self {
        Self { format: "name", ..self }
    }

    pub(crate) fn definition(&self) -> TableColumnDefinition {
        TableColumnDefinition {
            name: self.name.to_owned(),
            type_: self.type_.to_owned(),
            format: self.format.to_owned(),
            description: self.description.to_owned(),
            priority: self.priority,
        }
    }
}

/// Kinds with columns of their own, implemented by the hub type.
pub trait Printed: Object {
    /// Columns.
    const COLUMNS: &'static [Column];

    /// Returns a value per column.
    fn cells(&self, now: &Now) -> Vec<Cell>;

    /// Marks on the row.
    fn marks(&self) -> Vec<TableRowCondition> {
        Vec::new()
    }
}

/// Columns of a kind with the function for its rows.
#[derive(Clone, Copy)]
pub(crate) struct Printer {
    pub(crate) columns: &'static [Column],
    /// Whether an object is of the type that this prints.
    pub(crate) fits: fn(&dyn Object) -> bool,
    print: fn(&dyn Object, &Now) -> TableRow,
}

impl Printer {
    /// Returns the printer of a type.
    pub(crate) const fn of<T: Printed>() -> Self {
        Self { columns: T::COLUMNS, fits: |object| object.is::<T>(), print: print::<T> }
    }

    /// Creates a printer from columns and a function for their cells.
    pub(crate) const fn of_any(columns: &'static [Column], print: fn(&dyn Object, &Now) -> TableRow) -> Self {
        Self { columns, fits: |_| true, print }
    }

    /// Returns the row of an object.
    pub(crate) fn row(&self, object: &dyn Object, now: &Now) -> TableRow {
        (self.print)(object, now)
    }
}

fn print<T: Printed>(object: &dyn Object, now: &Now) -> TableRow {
    let Some(object) = object.downcast_ref::<T>() else { return TableRow::default() };
    TableRow { cells: object.cells(now), conditions: object.marks(), ..Default::default() }
}

/// A list of cells of any types.
#[macro_export]
macro_rules! cells {
    ($($cell:expr),* $(,)?) => { vec![$($crate::Cell::from($cell)),*] };
}
pub(crate) use cells;
