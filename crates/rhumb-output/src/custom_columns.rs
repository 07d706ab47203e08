//! Custom columns: `NAME:.metadata.name,IMAGE:.spec.containers[*].image`.

use std::fmt;
use std::io::Write;

use rhumb_jsonpath::{MissingKeys, RelaxError, Template, relaxed};
use serde_json::Value as Json;

use crate::object;
use crate::terminal::escaped;
use crate::{Item, PrintError, Printer, TabWriter};

/// Error of parsing custom columns, in kubectl's words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnsError {
    /// No columns.
    Empty,
    /// A column without a header.
    NoHeader(String),
    /// A path with braces where none belong.
    Path(RelaxError),
    /// A file without a line of headers.
    NoHeaderLine,
    /// A file without a line of paths.
    NoSpecLine,
    /// A file with more or fewer headers than paths.
    Mismatch {
        /// Number of headers.
        headers: usize,
        /// Number of paths.
        paths: usize,
    },
}

impl fmt::Display for ColumnsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LINES: &str = "Expected format is one line of space separated headers, \
                             one line of space separated column specs.";
        match self {
            ColumnsError::Empty => f.write_str("custom-columns format specified but no custom columns given"),
            ColumnsError::NoHeader(column) => {
                write!(f, "unexpected custom-columns spec: {column}, expected <header>:<json-path-expr>")
            }
            ColumnsError::Path(error) => error.fmt(f),
            ColumnsError::NoHeaderLine => write!(f, "invalid template, missing header line. {LINES}"),
            ColumnsError::NoSpecLine => write!(f, "invalid template, missing spec line. {LINES}"),
            ColumnsError::Mismatch { headers, paths } => {
                write!(f, "number of headers ({headers}) and field specifications ({paths}) don't match")
            }
        }
    }
}

impl std::error::Error for ColumnsError {}

/// Whether headers are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Headers {
    /// Above the first row.
    #[default]
    Show,
    /// Not at all.
    Omit,
}

/// Prints objects in custom columns.
#[derive(Clone, Debug)]
pub struct CustomColumnsPrinter {
    columns: Vec<(String, String)>,
    headers: Headers,
    last_shape: Option<Shape>,
}

/// Object type as kubectl distinguishes it to repeat headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Object,
    List,
    Event,
}

impl CustomColumnsPrinter {
    /// Reads columns from a text, `HEADER:PATH,HEADER:PATH`.
    ///
    /// # Errors
    /// If a column is malformed.
    pub fn from_spec(spec: &str, headers: Headers) -> Result<CustomColumnsPrinter, ColumnsError> {
        if spec.is_empty() {
            return Err(ColumnsError::Empty);
        }
        let column = |part: &str| {
            let (header, path) =
                part.split_once(':').ok_or_else(|| ColumnsError::NoHeader(part.to_owned()))?;
            Ok((header.to_owned(), relaxed(path).map_err(ColumnsError::Path)?))
        };
        let columns = spec.split(',').map(column).collect::<Result<_, _>>()?;
        Ok(CustomColumnsPrinter { columns, headers, last_shape: None })
    }

    /// Reads columns from the text of a file: a line of headers and a line of paths.
    ///
    /// # Errors
    /// If a line is missing, or they don't fit each other.
    pub fn from_template(text: &str) -> Result<CustomColumnsPrinter, ColumnsError> {
        let mut lines = text.lines();
        let headers: Vec<&str> = lines.next().ok_or(ColumnsError::NoHeaderLine)?.split_whitespace().collect();
        let paths: Vec<&str> = lines.next().ok_or(ColumnsError::NoSpecLine)?.split_whitespace().collect();
        if headers.len() != paths.len() {
            return Err(ColumnsError::Mismatch { headers: headers.len(), paths: paths.len() });
        }
        let column = |(header, path): (&&str, &&str)| {
            Ok(((*header).to_owned(), relaxed(path).map_err(ColumnsError::Path)?))
        };
        let columns = std::iter::zip(&headers, &paths).map(column).collect::<Result<_, _>>()?;
        Ok(CustomColumnsPrinter { columns, headers: Headers::Show, last_shape: None })
    }
}

fn row(object: &Json, templates: &[Template]) -> Result<String, PrintError> {
    let mut cells = Vec::with_capacity(templates.len());
    for template in templates {
        let found = template.find(object, MissingKeys::Allow).map_err(PrintError::Column)?;
        let mut texts = Vec::new();
        if found.first().is_none_or(Vec::is_empty) {
            texts.push("<none>".to_owned());
        }
        texts.extend(found.iter().flatten().map(|value| escaped(&value.plain()).into_owned()));
        cells.push(texts.join(","));
    }
    Ok(cells.join("\t") + "\n")
}

impl Printer for CustomColumnsPrinter {
    fn print_item(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        let mut tabs = TabWriter::table(out);
        let printed = self.print_unaligned(item, &mut tabs);
        // What came before an error is shown.
        tabs.flush()?;
        printed
    }

    fn print_unaligned(&mut self, item: Item<'_>, out: &mut dyn Write) -> Result<(), PrintError> {
        let event = item.event_tree();
        let items = object::items(item.object()).filter(|_| event.is_none());
        let shape = match (&event, &items) {
            (Some(_), _) => Shape::Event,
            (None, Some(_)) => Shape::List,
            (None, None) => Shape::Object,
        };
        if self.headers == Headers::Show && self.last_shape != Some(shape) {
            let headers: Vec<&str> = self.columns.iter().map(|(header, _)| header.as_str()).collect();
            out.write_all((headers.join("\t") + "\n").as_bytes())?;
            self.last_shape = Some(shape);
        }
        let templates = self.columns.iter().map(|(_, path)| Template::parse(path));
        let templates = templates.collect::<Result<Vec<_>, _>>().map_err(PrintError::ColumnPath)?;
        let objects = match (&event, items) {
            (Some(event), _) => std::slice::from_ref(event),
            (None, Some(items)) => items.as_slice(),
            (None, None) => std::slice::from_ref(item.object()),
        };
        for object in objects {
            out.write_all(row(object, &templates)?.as_bytes())?;
        }
        Ok(())
    }
}
