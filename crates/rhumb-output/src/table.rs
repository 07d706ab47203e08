//! Tables.
//!
//! A server describes its objects as a `Table`: columns, and rows of cells with the object, or its metadata,
//! beside. The printer adds the columns that the user asked for, leaves those out that are only for wide
//! tables, and writes the rest. An object that comes without a table gets the columns NAME and AGE.

use std::io::Write;

use rhumb_jsonpath::go_text;
use rhumb_meta::Time;
use rhumb_meta::human::human_duration;
use serde_json::Value as Json;

use crate::go_template::as_string;
use crate::object;
use crate::terminal::{escaped, lower, upper};
use crate::{Item, PrintError, Printer, TabWriter};

/// Options of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Whether the names of columns are left out.
    pub no_headers: bool,
    /// Whether the namespace comes first.
    pub with_namespace: bool,
    /// Whether columns are shown that are only for wide tables.
    pub wide: bool,
    /// Whether the last column has all labels.
    pub show_labels: bool,
    /// Labels that get a column each.
    pub label_columns: Vec<String>,
    /// The group and the kind that names are shown with, if they are; the group may be empty.
    pub kind: Option<(String, String)>,
}

/// Prints tables, and objects as tables. Headers are repeated only when columns change.
#[derive(Clone, Debug)]
pub struct TablePrinter {
    options: TableOptions,
    now: Time,
    last_columns: Vec<Json>,
    printed_headers: bool,
    last_handler: Option<Handler>,
}

/// Display of objects without a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handler {
    Status,
    Metadata,
}

/// A table being laid out.
#[derive(Default)]
struct Laid {
    columns: Vec<Column>,
    rows: Vec<Vec<Json>>,
}

struct Column {
    name: String,
    priority: i64,
}

impl Column {
    fn new(name: impl Into<String>) -> Column {
        Column { name: name.into(), priority: 0 }
    }
}

/// Reports whether an object is a table that a server made.
pub fn is_table(object: &Json) -> bool {
    object::kind(object) == "Table"
        && matches!(
            object.get("apiVersion").and_then(Json::as_str),
            Some("meta.k8s.io/v1" | "meta.k8s.io/v1beta1")
        )
}

impl TablePrinter {
    /// Creates a printer of tables. Ages are counted to `now`.
    pub fn new(options: TableOptions, now: Time) -> TablePrinter {
        TablePrinter { options, now, last_columns: Vec::new(), printed_headers: false, last_handler: None }
    }

    /// Moves the time to which ages are counted, for what is printed later.
    pub fn set_now(&mut self, now: Time) {
        self.now = now;
    }

    fn print_table(&mut self, table: &Json, event: Option<&str>) -> Vec<u8> {
        let none = Vec::new();
        let sent = table.get("columnDefinitions").and_then(Json::as_array).unwrap_or(&none);
        let rows = table.get("rows").and_then(Json::as_array).unwrap_or(&none);
        let repeated = self.printed_headers && (sent.is_empty() || *sent == self.last_columns);
        let no_headers = self.options.no_headers || repeated;
        // Events of a watch come without columns once a table had them.
        if !sent.is_empty() && *sent != self.last_columns {
            self.last_columns.clone_from(sent);
            self.printed_headers = false;
        }
        self.printed_headers |= !rows.is_empty();

        let mut laid = self.decorated(rows);
        if let Some(event) = event {
            laid.columns.insert(0, Column::new("Event"));
            laid.rows.iter_mut().for_each(|cells| cells.insert(0, Json::from(event_cell(event))));
        }
        self.written(&laid, no_headers)
    }

    /// Returns the table with the columns that the user asked for.
    fn decorated(&self, rows: &[Json]) -> Laid {
        let options = &self.options;
        let sent = &self.last_columns;
        let text = |column: &'_ Json, key: &str| column.get(key).and_then(Json::as_str).map(str::to_owned);
        let mut columns: Vec<Column> = Vec::new();
        if options.with_namespace {
            columns.push(Column::new("Namespace"));
        }
        columns.extend(sent.iter().map(|column| Column {
            name: text(column, "name").unwrap_or_default(),
            priority: column.get("priority").and_then(Json::as_i64).unwrap_or_default(),
        }));
        columns.extend(options.label_columns.iter().map(|label| Column::new(label_header(label))));
        if options.show_labels {
            columns.push(Column::new("Labels"));
        }
        let names = sent.iter().position(|column| {
            text(column, "format").as_deref() == Some("name")
                && text(column, "type").as_deref() == Some("string")
        });
        let kind = options.kind.as_ref().map(|(group, kind)| kind_prefix(group, kind));
        let rows = rows.iter().map(|row| {
            let mut cells = row.get("cells").and_then(Json::as_array).cloned().unwrap_or_default();
            if let (Some(kind), Some(cell)) = (&kind, names.and_then(|at| cells.get_mut(at))) {
                *cell = Json::from(format!("{kind}/{}", as_string(cell)));
            }
            let object = row.get("object").filter(|object| object.is_object());
            if options.with_namespace {
                cells.insert(0, object.map_or(Json::Null, |object| Json::from(object::namespace(object))));
            }
            match object {
                Some(object) => cells.extend(self.label_cells(object).into_iter().map(Json::from)),
                // Half of what is missing is filled in, because kubectl counts against a list that grows.
                None if columns.len() > sent.len() || (kind.is_some() && names.is_some()) => {
                    let mut added = 0;
                    while added < columns.len().saturating_sub(cells.len()) {
                        cells.push(Json::Null);
                        added += 1;
                    }
                }
                None => {}
            }
            cells
        });
        let rows = rows.collect();
        Laid { columns, rows }
    }

    fn written(&self, laid: &Laid, no_headers: bool) -> Vec<u8> {
        let mut out = Vec::new();
        let is_shown = |column: &Column| self.options.wide || column.priority == 0;
        if !no_headers {
            if laid.rows.is_empty() {
                return out;
            }
            let headers: Vec<String> = laid
                .columns
                .iter()
                .filter(|column| is_shown(column))
                .map(|column| upper(&column.name))
                .collect();
            out.extend_from_slice(headers.join("\t").as_bytes());
            out.push(b'\n');
        }
        for row in &laid.rows {
            // A server that sends more cells than columns is no reason to fail.
            let cells: Vec<String> = std::iter::zip(row, &laid.columns)
                .filter(|(_, column)| is_shown(column))
                .map(|(cell, _)| shown_cell(cell))
                .collect();
            out.extend_from_slice(cells.join("\t").as_bytes());
            out.push(b'\n');
        }
        out
    }

    fn label_cells(&self, object: &Json) -> Vec<String> {
        let labels = object::labels(object);
        let value = |wanted: &String| {
            let found = labels.iter().find(|(key, _)| key == wanted);
            found.map_or_else(String::new, |(_, value)| (*value).to_owned())
        };
        let mut cells: Vec<String> = self.options.label_columns.iter().map(value).collect();
        if self.options.show_labels {
            let pairs: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
            cells.push(if pairs.is_empty() { "<none>".to_owned() } else { pairs.join(",") });
        }
        cells
    }

    fn print_object(&mut self, object: &Json, event: Option<&str>) -> Vec<u8> {
        let options = &self.options;
        let handler = if object::is_status(object) { Handler::Status } else { Handler::Metadata };
        let mut out = Vec::new();
        if self.last_handler.is_some_and(|last| last != handler) && !options.no_headers {
            out.push(b'\n');
        }
        if self.last_handler != Some(handler) && !options.no_headers {
            let mut headers: Vec<String> = Vec::new();
            headers.extend(event.map(|_| "EVENT".to_owned()));
            headers.extend(options.with_namespace.then(|| "NAMESPACE".to_owned()));
            headers.extend(handler.columns().iter().map(|name| (*name).to_owned()));
            headers.extend(options.label_columns.iter().map(|label| label_header(label)));
            headers.extend(options.show_labels.then(|| "LABELS".to_owned()));
            out.extend_from_slice(headers.join("\t").as_bytes());
            out.push(b'\n');
        }
        self.last_handler = Some(handler);
        self.object_rows(object, handler, event, &mut out);
        out
    }

    fn object_rows(&self, object: &Json, handler: Handler, event: Option<&str>, out: &mut Vec<u8>) {
        if let Some(items) = object::items(object).filter(|_| handler == Handler::Metadata) {
            return items.iter().for_each(|item| self.object_rows(item, handler, event, out));
        }
        let options = &self.options;
        let mut cells: Vec<String> = Vec::new();
        cells.extend(event.map(event_cell));
        cells.extend(options.with_namespace.then(|| object::namespace(object).to_owned()));
        let own = cells.len();
        let text = |key: &str| object.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        match handler {
            Handler::Status => cells.extend(["status", "reason", "message"].map(text)),
            Handler::Metadata => cells.extend([object::name(object).to_owned(), self.age(object)]),
        }
        if let (Some((group, kind)), Some(first)) = (&options.kind, cells.get_mut(own)) {
            *first = format!("{}/{first}", kind_prefix(group, kind));
        }
        if handler == Handler::Metadata {
            cells.extend(self.label_cells(object));
        }
        out.extend_from_slice(cells.join("\t").as_bytes());
        out.push(b'\n');
    }

    fn age(&self, object: &Json) -> String {
        let Some(created) = object::created(object) else { return "<unknown>".to_owned() };
        age(&created, &self.now)
    }
}

/// Formats an age.
pub fn age(then: &Time, now: &Time) -> String {
    let nanos = |time: &Time| i128::from(time.unix_seconds()) * 1_000_000_000 + i128::from(time.nanos());
    let between = nanos(now) - nanos(then);
    human_duration(i64::try_from(between).unwrap_or(if between < 0 { i64::MIN } else { i64::MAX }))
}

impl Handler {
    fn columns(self) -> &'static [&'static str] {
        match self {
            Handler::Status => &["STATUS", "REASON", "MESSAGE"],
            Handler::Metadata => &["NAME", "AGE"],
        }
    }
}

/// Returns the prefix of names of a kind: `deployment.apps`.
fn kind_prefix(group: &str, kind: &str) -> String {
    let dot = if group.is_empty() { "" } else { "." };
    lower(&format!("{kind}{dot}{group}"))
}

/// Returns the header of a label's column: its name without the domain.
fn label_header(label: &str) -> String {
    upper(label.rsplit('/').next().unwrap_or(label))
}

/// Returns the type of an event in a column of its own, which never changes its width.
fn event_cell(event: &str) -> String {
    match event {
        "ADDED" | "DELETED" | "ERROR" => format!("{event:8}"),
        other => other.to_owned(),
    }
}

/// Returns a cell on one line; what is cut off leaves dots behind.
fn shown_cell(cell: &Json) -> String {
    match cell {
        Json::Null => String::new(),
        Json::String(text) => match text.find(['\x0c', '\n', '\r']) {
            Some(at) => format!("{}...", escaped(text.get(..at).unwrap_or_default())),
            None => escaped(text).into_owned(),
        },
        other => escaped(&go_text::plain(other)).into_owned(),
    }
}

impl Printer for TablePrinter {
    fn print_item(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        let mut tabs = TabWriter::table(out);
        self.print_unaligned(item, &mut tabs)?;
        Ok(tabs.flush()?)
    }

    fn print_unaligned(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        let text = if is_table(item.object()) {
            self.print_table(item.object(), item.event())
        } else {
            self.print_object(item.object(), item.event())
        };
        Ok(out.write_all(&text)?)
    }
}
