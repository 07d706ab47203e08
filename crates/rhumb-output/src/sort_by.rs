//! Sorting of lists and tables by a field.
//!
//! What has no such field comes first. Numbers are compared as numbers, texts as quantities if both are some
//! and else letter by letter; anything else, or a mixture, can't be sorted.

use std::fmt;
use std::io::Write;

use rhumb_jsonpath::{EvalError, MissingKeys, ParseError, RelaxError, Template, Value, go_text, relaxed};
use rhumb_meta::Quantity;
use rhumb_schema::text::quoted;
use serde_json::Value as Json;

use crate::go_order::sorted;
use crate::table::is_table;
use crate::{Item, PrintError, Printer, object};

/// Error of sorting, in kubectl's words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SortError {
    /// The path of the field has braces where none belong.
    Path(RelaxError),
    /// The path of the field is malformed.
    Template(ParseError),
    /// The path of the field is malformed, and a table was to be sorted.
    TableTemplate(ParseError),
    /// The path doesn't fit an object.
    Follow(EvalError),
    /// The path doesn't fit the object of a row.
    FollowRow {
        /// The path.
        field: String,
        /// The problem.
        error: EvalError,
    },
    /// No object has the field.
    NotFound(String),
    /// The field has values that have no order. kubectl logs this as a fatal error and ends.
    Unsortable(String),
}

impl fmt::Display for SortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SortError::Path(error) => error.fmt(f),
            SortError::Template(error) => error.fmt(f),
            SortError::TableTemplate(error) => write!(f, "sorting error: {error}"),
            SortError::Follow(error) => error.fmt(f),
            SortError::FollowRow { field, error } => write!(
                f,
                "Failed to get values for [][]reflect.Value(nil) using {field} (&errors.errorString{{s:{}}})",
                quoted(error.to_string())
            ),
            SortError::NotFound(field) => {
                write!(f, "couldn't find any field with path {} in the list of objects", quoted(field))
            }
            SortError::Unsortable(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for SortError {}

/// Returns the order of objects by a field: for every place, which object comes there.
///
/// # Errors
/// If the path is malformed, no object has the field, or its values have no order.
pub fn order_of_objects(objects: &[&Json], field: &str) -> Result<Vec<usize>, SortError> {
    let field = relaxed(field).map_err(SortError::Path)?;
    let template = Template::parse(&field).map_err(SortError::Template)?;
    let mut values = Vec::with_capacity(objects.len());
    for object in objects {
        values.push(first(&template, object).map_err(SortError::Follow)?);
    }
    order(&values, &field, "*unstructured.Unstructured")
}

/// Sorts the items of a list; anything else stays as it is.
///
/// # Errors
/// Those of [`order_of_objects`].
pub fn sort_list(list: &mut Json, field: &str) -> Result<(), SortError> {
    let Some(Json::Array(items)) = list.get_mut("items").filter(|items| items.is_array()) else {
        return Ok(());
    };
    if items.is_empty() {
        return Ok(());
    }
    let order = order_of_objects(&items.iter().collect::<Vec<_>>(), field)?;
    rearrange(items, &order);
    Ok(())
}

/// Sorts the rows of a table by a field of their objects.
///
/// # Errors
/// If the path is malformed, no object has the field, or its values have no order.
pub fn sort_table(table: &mut Json, field: &str) -> Result<(), SortError> {
    // A path with too many braces may still be a template.
    let field = relaxed(field).unwrap_or_else(|_| field.to_owned());
    let template = Template::parse(&field).map_err(SortError::TableTemplate)?;
    let Some(Json::Array(rows)) = table.get_mut("rows").filter(|rows| rows.is_array()) else {
        return Ok(());
    };
    let mut values = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        let object = row.get("object").unwrap_or(&Json::Null);
        let value = first(&template, object);
        values.push(value.map_err(|error| SortError::FollowRow { field: field.clone(), error })?);
    }
    if values.is_empty() {
        return Ok(());
    }
    let order = order(&values, &field, "[][][]reflect.Value")?;
    rearrange(rows, &order);
    Ok(())
}

fn rearrange(items: &mut Vec<Json>, order: &[usize]) {
    *items = order.iter().filter_map(|at| items.get_mut(*at).map(Json::take)).collect();
}

/// Returns the first value that a template finds with its first action.
fn first<'a>(template: &'a Template, object: &'a Json) -> Result<Option<Value<'a>>, EvalError> {
    let found = template.find(object, MissingKeys::Allow)?;
    Ok(found.first().and_then(|values| values.first()).copied())
}

fn order(values: &[Option<Value<'_>>], field: &str, type_name: &str) -> Result<Vec<usize>, SortError> {
    if values.iter().all(Option::is_none) {
        return Err(SortError::NotFound(field.to_owned()));
    }
    let mut unsortable = None;
    let order = sorted(values.len(), &mut |one, other| {
        let value = |at: usize| values.get(at).copied().flatten();
        match (value(one), value(other)) {
            (None, _) => true,
            (_, None) => false,
            (Some(one), Some(other)) => is_less(one, other).unwrap_or_else(|reason| {
                unsortable.get_or_insert(reason);
                false
            }),
        }
    });
    match unsortable {
        None => Ok(order),
        Some(reason) => Err(SortError::Unsortable(format!(
            "Field {field} in {type_name} is an unsortable type: interface, err: {reason}"
        ))),
    }
}

fn is_less(one: Value<'_>, other: Value<'_>) -> Result<bool, String> {
    const MIXTURE: &str = "unsortable interface: interface";
    let (one, other) = (one.to_tree(), other.to_tree());
    Ok(match (&one, &other) {
        (Json::Null, other) => !other.is_null(),
        (_, Json::Null) => false,
        (Json::String(one), Json::String(other)) => {
            match (one.parse::<Quantity>(), other.parse::<Quantity>()) {
                (Ok(one), Ok(other)) => one < other,
                _ => one < other,
            }
        }
        (Json::Number(one), Json::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => one < other,
            (None, None) => one.as_f64() < other.as_f64(),
            _ => return Err(MIXTURE.to_owned()),
        },
        (Json::String(_) | Json::Number(_), _) => return Err(MIXTURE.to_owned()),
        _ => return Err(format!("unsortable type: {}", go_text::type_name(&one))),
    })
}

/// Sorts lists and tables before another printer gets them. Single objects and events pass unchanged.
pub struct SortingPrinter {
    field: String,
    printer: Box<dyn Printer>,
}

impl SortingPrinter {
    /// Puts an order before a printer.
    pub fn new(field: impl Into<String>, printer: Box<dyn Printer>) -> SortingPrinter {
        SortingPrinter { field: field.into(), printer }
    }

    fn in_order(&self, item: Item<'_>) -> Result<Option<Json>, SortError> {
        let object = item.object();
        if item.event().is_some() {
            return Ok(None);
        }
        if is_table(object) && object.get("rows").and_then(Json::as_array).is_some_and(|rows| rows.len() > 1)
        {
            let mut table = object.clone();
            sort_table(&mut table, &self.field)?;
            return Ok(Some(table));
        }
        if object::items(object).is_some() {
            let mut list = object.clone();
            sort_list(&mut list, &self.field)?;
            return Ok(Some(list));
        }
        Ok(None)
    }
}

impl Printer for SortingPrinter {
    fn print_item(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        match self.in_order(item).map_err(PrintError::Sort)? {
            Some(list) => self.printer.print_item(Item::new(&list), out),
            None => self.printer.print_item(item, out),
        }
    }

    fn print_unaligned(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        match self.in_order(item).map_err(PrintError::Sort)? {
            Some(list) => self.printer.print_unaligned(Item::new(&list), out),
            None => self.printer.print_unaligned(item, out),
        }
    }
}
