//! Tables of objects, as `get` and `get -o wide` show them.
//!
//! A server answers with such a table when it is asked for one, and a client lays it out; the columns and
//! cells are the server's. Each kind says its columns and how its cells come from an object (`kinds`); a kind
//! without columns of its own shows its name and when it was made. Kinds that are not built in bring theirs
//! ([`Printed`], [`Printers`]).
//!
//! Cells are made from hub types, so that one description serves all versions of a kind. Ages are counted
//! to a moment that the caller passes in.

mod column;
pub use rhumb_meta::human;
mod kinds;
mod now;
mod texts;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use rhumb_meta::v1::{PartialObjectMetadata, Table, TableRow, TypeMeta};
use rhumb_meta::{GroupKind, GroupVersion, ListMeta, Object, Time};
use rhumb_schema::RawJson;
use rhumb_scheme::{ConvertError, Scheme, ToInternal};

use column::Printer;
pub use column::{Cell, Column, Printed};
pub use now::Now;

/// Options of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the columns are described.
    pub headers: Headers,
    /// Contents of each row's object.
    pub include_object: IncludeObject,
}

/// Whether a table has column headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Headers {
    /// With headers.
    #[default]
    Shown,
    /// Without headers, because the client has them from an earlier table.
    Omitted,
}

/// Contents of each row's object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncludeObject {
    /// Nothing.
    None,
    /// Metadata only.
    #[default]
    Metadata,
    /// The whole object.
    Object,
}

/// Error: an object has no table.
#[derive(Debug)]
#[non_exhaustive]
pub enum TableError {
    /// The object could not be brought into its hub form.
    Convert(ConvertError),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Convert(_) => f.write_str("the object has no form that a table can be made of"),
        }
    }
}

impl Error for TableError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Convert(error) => Some(error),
        }
    }
}

/// Kinds with columns of their own: built-in and added ones.
#[derive(Clone, Default)]
pub struct Printers {
    added: Vec<Printer>,
}

impl fmt::Debug for Printers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Printers").field("added", &self.added.len()).finish()
    }
}

impl Printers {
    /// Adds a kind by its hub type.
    #[must_use]
    pub fn with<T: Printed>(mut self) -> Self {
        self.added.push(Printer::of::<T>());
        self
    }

    /// Adds the kinds that others have.
    pub fn extend(&mut self, others: &Printers) {
        self.added.extend_from_slice(&others.added);
    }

    /// Returns the table of an object or of the objects of a list.
    ///
    /// Objects may come in any version; what a row includes of them is in the version they came in. Objects of
    /// kinds that the scheme doesn't know get the table that every kind can have.
    ///
    /// # Errors
    /// If an object of a known kind can't be converted.
    pub fn table(
        &self,
        scheme: &Scheme,
        object: &dyn Object,
        options: &Options,
        now: Time,
    ) -> Result<Table, TableError> {
        let now = Now::new(now);
        let items = object.items();
        let mut rows: Vec<(Option<kinds::Rank>, TableRow)> = Vec::new();
        let mut printer = None;
        for item in items.unwrap_or_else(|| vec![object]) {
            let hub = hub_of(scheme, item)?;
            let subject = hub.as_deref().unwrap_or(item);
            let with = *printer.get_or_insert_with(|| kinds::printer_of(subject, &self.added));
            let mut row = with.row(subject, &now);
            row.object = included(item, options.include_object);
            rows.push((kinds::rank(subject), row));
        }
        rows.sort_by(|(one, _), (other, _)| one.cmp(other));
        let printer = match printer {
            Some(printer) => printer,
            None => self.empty_printer(scheme, &kind_in(scheme, object)),
        };
        Ok(Table {
            type_meta: TypeMeta { api_version: "meta.k8s.io/v1".to_owned(), kind: "Table".to_owned() },
            metadata: list_metadata(object),
            column_definitions: match options.headers {
                Headers::Shown => printer.columns.iter().map(Column::definition).collect(),
                Headers::Omitted => Vec::new(),
            },
            rows: rows.into_iter().map(|(_, row)| row).collect(),
        })
    }

    /// Returns the columns that the objects of a kind have.
    pub fn columns(&self, scheme: &Scheme, kind: &GroupKind) -> &'static [Column] {
        self.empty_printer(scheme, kind).columns
    }

    /// Returns the printer of a kind for an empty list.
    fn empty_printer(&self, scheme: &Scheme, kind: &GroupKind) -> Printer {
        let hub = GroupVersion::new(kind.group.clone(), rhumb_meta::INTERNAL).with_kind(kind.kind.clone());
        match scheme.new_object(&hub) {
            Ok(object) => kinds::printer_of(&*object, &self.added),
            Err(_) => kinds::default_printer(),
        }
    }
}

/// Returns the table of an object or of the objects of a list, for the built-in kinds: [`Printers::table`].
///
/// # Errors
/// If an object of a known kind can't be converted.
pub fn table(
    scheme: &Scheme,
    object: &dyn Object,
    options: &Options,
    now: Time,
) -> Result<Table, TableError> {
    Printers::default().table(scheme, object, options, now)
}

/// Returns the columns that the objects of a built-in kind have.
pub fn columns(scheme: &Scheme, kind: &GroupKind) -> &'static [Column] {
    Printers::default().columns(scheme, kind)
}

/// Returns the kind of the objects that a list is for.
fn kind_in(scheme: &Scheme, list: &dyn Object) -> GroupKind {
    let Ok(kind) = scheme.object_kind(list) else { return GroupKind::default() };
    let name = kind.kind.strip_suffix("List").unwrap_or(&kind.kind).to_owned();
    GroupKind::new(kind.group, name)
}

/// Returns the object in its hub form, unless it is in that already or has none.
fn hub_of(scheme: &Scheme, object: &dyn Object) -> Result<Option<Box<dyn Object>>, TableError> {
    let is_known = scheme.object_kind(object).is_ok_and(|kind| scheme.recognizes(&kind));
    let is_hub = object.type_meta() == ("", "");
    if !is_known || is_hub {
        return Ok(None);
    }
    match scheme.convert_to_version(object, &ToInternal) {
        Ok(hub) => Ok(Some(hub)),
        // Kinds without a hub, such as Status, are printed as they are.
        Err(ConvertError::NotSuitable(..) | ConvertError::NoFunction(..)) => Ok(None),
        Err(error) => Err(TableError::Convert(error)),
    }
}

/// Returns the metadata of the table: that of the list, or of a lone object its revision.
fn list_metadata(object: &dyn Object) -> ListMeta {
    if let Some(list) = object.list_metadata() {
        return ListMeta {
            resource_version: list.resource_version.clone(),
            continue_: list.continue_.clone(),
            remaining_item_count: list.remaining_item_count,
            ..Default::default()
        };
    }
    let resource_version = object.metadata().map(|meta| meta.resource_version.clone()).unwrap_or_default();
    ListMeta { resource_version, ..Default::default() }
}

fn included(object: &dyn Object, include: IncludeObject) -> RawJson {
    let mut json = Vec::new();
    match include {
        IncludeObject::None => {}
        IncludeObject::Metadata => {
            let metadata = object.metadata().map(Cow::into_owned).unwrap_or_default();
            let type_meta = TypeMeta {
                api_version: "meta.k8s.io/v1".to_owned(),
                kind: "PartialObjectMetadata".to_owned(),
            };
            rhumb_schema::text::encode(&PartialObjectMetadata { type_meta, metadata }, &mut json);
        }
        IncludeObject::Object => rhumb_schema::text::encode(object, &mut json),
    }
    RawJson(json)
}
