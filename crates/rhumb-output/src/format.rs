//! Selection of a printer from `--output` and `--template`.

use std::fmt;

use rhumb_jsonpath::{MissingKeys, ParseError};
use rhumb_meta::Time;
use rhumb_schema::text::quoted;

use crate::custom_columns::{ColumnsError, CustomColumnsPrinter, Headers};
use crate::document::{JsonPrinter, ManagedFields, YamlPrinter};
use crate::go_template::{GoTemplatePrinter, TemplateError};
use crate::json_path::{JsonPathPrinter, ResultForm};
use crate::kyaml::KyamlPrinter;
use crate::name::NamePrinter;
use crate::table::{TableOptions, TablePrinter};
use crate::{Printer, terminal};

/// Group of output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Documents,
    Name,
    Templates,
    Columns,
    Human,
}

/// Output formats of a group of commands.
#[derive(Clone, Copy, Debug)]
pub struct Formats {
    /// Families in the order of help.
    listed: &'static [Family],
    /// Families in the order of matching.
    tried: &'static [Family],
    /// Whether `--template` alone stands for a template when `--output` is there but empty.
    template_over_empty: bool,
}

impl Formats {
    /// Formats of most commands.
    pub const GENERIC: Formats = Formats {
        listed: &[Family::Documents, Family::Name, Family::Templates],
        tried: &[Family::Documents, Family::Name, Family::Templates],
        template_over_empty: false,
    };

    /// Formats of edited documents.
    pub const DOCUMENTS: Formats =
        Formats { listed: &[Family::Documents], tried: &[Family::Documents], template_over_empty: false };

    /// Formats of `get`.
    pub const GET: Formats = Formats {
        listed: &[Family::Documents, Family::Name, Family::Templates, Family::Columns, Family::Human],
        tried: &[Family::Templates, Family::Documents, Family::Human, Family::Columns, Family::Name],
        template_over_empty: true,
    };

    /// Formats of `api-resources`.
    pub const API_RESOURCES: Formats = Formats {
        listed: &[Family::Documents, Family::Name, Family::Human],
        tried: &[Family::Documents, Family::Human, Family::Name],
        template_over_empty: false,
    };

    /// Returns the names of the forms, in the order in which help lists them.
    pub fn allowed(&self, kyaml: Kyaml) -> Vec<&'static str> {
        let names = |family: &Family| -> &'static [&'static str] {
            match family {
                Family::Documents if kyaml == Kyaml::Disabled => &["json", "yaml"],
                Family::Documents => &["json", "yaml", "kyaml"],
                Family::Name => &["name"],
                Family::Templates => &[
                    "go-template",
                    "go-template-file",
                    "template",
                    "templatefile",
                    "jsonpath",
                    "jsonpath-as-json",
                    "jsonpath-file",
                ],
                Family::Columns => &["custom-columns", "custom-columns-file"],
                Family::Human => &["wide"],
            }
        };
        self.listed.iter().flat_map(names).copied().collect()
    }
}

/// Whether KYAML is available, which the environment variable `KUBECTL_KYAML` can disable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kyaml {
    /// Available.
    #[default]
    Enabled,
    /// Not available.
    Disabled,
}

/// Output flags.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The value of `--output`, or its default.
    pub output: &'a str,
    /// Whether the user gave `--output`.
    pub output_given: bool,
    /// The value of `--template`; empty if there is none.
    pub template: &'a str,
    /// Value of `--allow-missing-template-keys`.
    pub missing_keys: MissingKeys,
    /// Whether there is KYAML.
    pub kyaml: Kyaml,
    /// Whether `--no-headers` was left out.
    pub headers: Headers,
}

impl<'a> Request<'a> {
    /// Creates a request for the value of `--output`, with all else as it is by default.
    pub fn new(output: &'a str) -> Request<'a> {
        Request {
            output,
            output_given: !output.is_empty(),
            template: "",
            missing_keys: MissingKeys::Allow,
            kyaml: Kyaml::Enabled,
            headers: Headers::Show,
        }
    }
}

/// A selected output format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum OutputFormat {
    /// Default output: a line per operation, or a table.
    Default,
    /// A table with all columns.
    Wide,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// KYAML.
    Kyaml,
    /// Names.
    Name,
    /// JSONPath template.
    JsonPath(JsonPathPrinter),
    /// Go template.
    GoTemplate(GoTemplatePrinter),
    /// Columns that the user describes.
    CustomColumns(CustomColumnsPrinter),
}

/// Options of printers.
#[derive(Clone, Debug)]
pub struct PrinterOptions {
    /// Prints names and operations in default output.
    pub name: NamePrinter,
    /// Whether documents show managed fields.
    pub managed_fields: ManagedFields,
    /// Options of tables; wide is set by the format. Without it, default output is a line.
    pub table: Option<TableOptions>,
    /// The time to which ages are counted.
    pub now: Time,
}

/// Error of selecting a printer, in kubectl's words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FormatError {
    /// Unknown format.
    Unknown {
        /// The requested format.
        output: String,
        /// Allowed formats, sorted.
        allowed: Vec<&'static str>,
    },
    /// A form with a template, and no template.
    NoTemplate,
    /// The file of a template can't be read.
    File {
        /// Path of the file.
        path: String,
        /// Why, in the words of Go.
        reason: String,
    },
    /// The file that describes columns can't be read.
    ColumnsFile {
        /// Path of the file.
        path: String,
        /// Why, in the words of Go.
        reason: String,
    },
    /// A malformed JSONPath template.
    JsonPath {
        /// The template.
        template: String,
        /// The parse error.
        error: ParseError,
    },
    /// A malformed Go template.
    GoTemplate {
        /// The template.
        template: String,
        /// The template error.
        error: TemplateError,
    },
    /// Malformed columns.
    Columns(ColumnsError),
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::Unknown { output, allowed } => write!(
                f,
                "unable to match a printer suitable for the output format {}, allowed formats are: {}",
                quoted(output),
                allowed.join(",")
            ),
            FormatError::NoTemplate => f.write_str("template format specified but no template given"),
            FormatError::File { path, reason } => write!(f, "error reading --template {path}, {reason}"),
            FormatError::ColumnsFile { path, reason } => {
                writeln!(f, "error reading template {path}, {reason}")
            }
            FormatError::JsonPath { template, error } => {
                write!(f, "error parsing jsonpath {template}, {error}")
            }
            FormatError::GoTemplate { template, error } => {
                write!(f, "error parsing template {template}, {error}")
            }
            FormatError::Columns(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FormatError {}

/// Reads a file. Errors are in Go's words: `open x: no such file or directory`.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

impl OutputFormat {
    /// Chooses the form for what the user asked for. Templates are read, also from files, and checked.
    ///
    /// # Errors
    /// If there is no such form, or its template can't be read.
    pub fn choose(
        request: &Request<'_>,
        formats: &Formats,
        read_file: ReadFile<'_>,
    ) -> Result<OutputFormat, FormatError> {
        let unasked =
            if formats.template_over_empty { request.output.is_empty() } else { !request.output_given };
        let output = if unasked && !request.template.is_empty() { "go-template" } else { request.output };
        let choice = Choice { request, output, read_file };
        for family in formats.tried {
            let found = match family {
                Family::Documents => choice.document(),
                Family::Name => choice.name(),
                Family::Templates => choice.template()?,
                Family::Columns => choice.columns()?,
                Family::Human => choice.human(),
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
        let mut allowed = formats.allowed(request.kyaml);
        allowed.sort_unstable();
        Err(FormatError::Unknown { output: output.to_owned(), allowed })
    }

    /// Reads the value of `--output` alone, for commands with the usual forms and no files.
    ///
    /// # Errors
    /// Those of [`choose`](OutputFormat::choose).
    pub fn parse(output: &str) -> Result<OutputFormat, FormatError> {
        let no_files = |path: &str| Err(format!("open {path}: no such file or directory"));
        OutputFormat::choose(&Request::new(output), &Formats::GENERIC, &no_files)
    }

    /// Reports whether people read it: it is a table.
    pub fn is_human(&self) -> bool {
        matches!(self, OutputFormat::Default | OutputFormat::Wide)
    }

    /// Returns the printer.
    pub fn printer(&self, options: &PrinterOptions) -> Box<dyn Printer> {
        let table = |wide: bool| TableOptions { wide, ..options.table.clone().unwrap_or_default() };
        match self {
            OutputFormat::Default if options.table.is_none() => Box::new(options.name.clone()),
            OutputFormat::Default => Box::new(TablePrinter::new(table(false), options.now)),
            OutputFormat::Wide => Box::new(TablePrinter::new(table(true), options.now)),
            OutputFormat::Json => Box::new(JsonPrinter::new(options.managed_fields)),
            OutputFormat::Yaml => Box::new(YamlPrinter::new(options.managed_fields)),
            OutputFormat::Kyaml => Box::new(KyamlPrinter::new(options.managed_fields)),
            OutputFormat::Name => Box::new(NamePrinter::short()),
            OutputFormat::JsonPath(printer) => Box::new(printer.clone()),
            OutputFormat::GoTemplate(printer) => Box::new(printer.clone()),
            OutputFormat::CustomColumns(printer) => Box::new(printer.clone()),
        }
    }
}

/// State of the selection. Each family returns a format, or none if it doesn't match.
struct Choice<'a> {
    request: &'a Request<'a>,
    output: &'a str,
    read_file: ReadFile<'a>,
}

impl Choice<'_> {
    fn document(&self) -> Option<OutputFormat> {
        match terminal::lower(self.output).as_str() {
            "json" => Some(OutputFormat::Json),
            "yaml" => Some(OutputFormat::Yaml),
            "kyaml" if self.request.kyaml == Kyaml::Enabled => Some(OutputFormat::Kyaml),
            _ => None,
        }
    }

    fn name(&self) -> Option<OutputFormat> {
        match terminal::lower(self.output).as_str() {
            "name" => Some(OutputFormat::Name),
            "" => Some(OutputFormat::Default),
            _ => None,
        }
    }

    fn human(&self) -> Option<OutputFormat> {
        match self.output {
            "" => Some(OutputFormat::Default),
            "wide" => Some(OutputFormat::Wide),
            _ => None,
        }
    }

    /// Returns the name of a form and its template, if it is one of these.
    fn split(&self, names: &[&'static str]) -> Option<(&'static str, &str)> {
        if !self.request.template.is_empty() {
            return names
                .iter()
                .find(|name| **name == self.output)
                .map(|name| (*name, self.request.template));
        }
        names.iter().find_map(|name| match self.output.strip_prefix(name)? {
            "" => Some((*name, "")),
            rest => Some((*name, rest.strip_prefix('=')?)),
        })
    }

    fn file(&self, path: &str) -> Result<String, String> {
        (self.read_file)(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn template_text(&self, path: &str) -> Result<String, FormatError> {
        self.file(path).map_err(|reason| FormatError::File { path: path.to_owned(), reason })
    }

    fn template(&self) -> Result<Option<OutputFormat>, FormatError> {
        if let Some((name, value)) = self.split(&["jsonpath", "jsonpath-file", "jsonpath-as-json"]) {
            let template = match (name, value) {
                (_, "") => return Err(FormatError::NoTemplate),
                ("jsonpath-file", path) => self.template_text(path)?,
                (_, template) => template.to_owned(),
            };
            let form = if name == "jsonpath-as-json" { ResultForm::Json } else { ResultForm::Text };
            return match JsonPathPrinter::new(&template, self.request.missing_keys, form) {
                Ok(printer) => Ok(Some(OutputFormat::JsonPath(printer))),
                Err(error) => Err(FormatError::JsonPath { template, error }),
            };
        }
        let names = ["template", "go-template", "go-template-file", "templatefile"];
        if let Some((name, value)) = self.split(&names) {
            let template = match (name, value) {
                (_, "") => return Err(FormatError::NoTemplate),
                ("go-template-file" | "templatefile", path) => self.template_text(path)?,
                (_, template) => template.to_owned(),
            };
            return match GoTemplatePrinter::new(&template, self.request.missing_keys) {
                Ok(printer) => Ok(Some(OutputFormat::GoTemplate(printer))),
                Err(error) => Err(FormatError::GoTemplate { template, error }),
            };
        }
        Ok(None)
    }

    fn columns(&self) -> Result<Option<OutputFormat>, FormatError> {
        let Some((name, value)) = self.split(&["custom-columns-file", "custom-columns"]) else {
            return Ok(None);
        };
        let printer = match (name, value) {
            (_, "") => Err(ColumnsError::Empty),
            ("custom-columns-file", path) => {
                let text = self.file(path);
                let text =
                    text.map_err(|reason| FormatError::ColumnsFile { path: path.to_owned(), reason })?;
                CustomColumnsPrinter::from_template(&text)
            }
            (_, spec) => CustomColumnsPrinter::from_spec(spec, self.request.headers),
        };
        printer.map(OutputFormat::CustomColumns).map(Some).map_err(FormatError::Columns)
    }
}
