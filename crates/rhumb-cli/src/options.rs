//! Flags shared by many commands, and their values.

use crate::command::{Flag, Flags, Words};
use crate::resource::FileOptions;
use crate::validation::{FieldChecks, FieldValidation, Validator};
use crate::{Call, Failure, klog};

/// Files: `-f`, `-k`, `-R`.
pub static FILES: &[Flag] = &[
    FILENAME,
    Flag::text("kustomize", "A directory with a kustomization.").short('k').words(Words::Files),
    RECURSIVE,
];

const FILENAME: Flag = Flag::list("filename", "A file, directory or URL with objects; - is standard input.")
    .short('f')
    .words(Words::Files);
const RECURSIVE: Flag = Flag::bool("recursive", "Go down into the directories given with -f.").short('R');

/// Files for commands without kustomizations, recursive by default.
pub static FILES_BELOW: &[Flag] = &[FILENAME, RECURSIVE.default("true")];

/// `--dry-run`.
pub static DRY_RUN: &[Flag] = &[Flag::text(
    "dry-run",
    "Change nothing: \"client\" shows what would be sent, \"server\" lets the server try it.",
)
.default("none")
.bare("unchanged")
.choices(&["none", "server", "client"])];

/// Output formats without tables: `json`, `yaml`, `name`, templates.
pub static PRINT: &[Flag] = &[OUTPUT, MANAGED_FIELDS, TEMPLATE, MISSING_KEYS];

/// Output formats with JSON as the default.
pub static PRINT_JSON: &[Flag] = &[OUTPUT.default("json"), MANAGED_FIELDS, TEMPLATE, MISSING_KEYS];

/// Output formats with YAML as the default.
pub static PRINT_YAML: &[Flag] = &[OUTPUT.default("yaml"), MANAGED_FIELDS, TEMPLATE, MISSING_KEYS];

/// Output formats including tables.
pub static PRINT_TABLES: &[Flag] = &[OUTPUT.choices(FORMS), TEMPLATE, MISSING_KEYS, MANAGED_FIELDS];

/// All output formats; the last ones are tables.
const FORMS: &[&str] = &[
    "json",
    "yaml",
    "kyaml",
    "name",
    "go-template",
    "go-template-file",
    "template",
    "templatefile",
    "jsonpath",
    "jsonpath-as-json",
    "jsonpath-file",
    "custom-columns",
    "custom-columns-file",
    "wide",
];
const TABLE_FORMS: usize = 3;
const OUTPUT: Flag =
    Flag::text("output", "How to print.").short('o').choices(FORMS.split_at(FORMS.len() - TABLE_FORMS).0);

/// `--show-managed-fields`.
pub const MANAGED_FIELDS: Flag =
    Flag::bool("show-managed-fields", "Show who set which fields in json and yaml.");

/// `--template`.
pub const TEMPLATE: Flag =
    Flag::text("template", "The template for -o go-template and go-template-file.").words(Words::Files);

/// `--allow-missing-template-keys`.
pub const MISSING_KEYS: Flag =
    Flag::bool("allow-missing-template-keys", "Print nothing for what a template names and an object lacks.")
        .default("true");

/// Label selector: `-l`.
pub static SELECTOR: &[Flag] =
    &[Flag::text("selector", "Only objects with these labels: key1=value1,key2!=value2,key3 in (a,b).")
        .short('l')];

/// Returns the flag `--field-manager`, whose default differs between commands.
pub const fn field_manager(default: &'static str) -> Flag {
    Flag::text("field-manager", "The name that owns the fields which are set.").default(default)
}

/// `--validate`.
pub static VALIDATE: &[Flag] = &[Flag::text(
    "validate",
    "What to do about fields that the server doesn't know: strict refuses, warn warns, ignore is silent.",
)
.default("strict")
.bare("strict")
.choices(&["strict", "warn", "ignore"])];

/// `--save-config`: stores the object in an annotation for a later `apply`.
pub static SAVE_CONFIG: &[Flag] =
    &[Flag::bool("save-config", "Keep the object in its annotation, so that apply can work on it later.")];

/// Value of `--dry-run`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DryRun {
    /// Change it.
    #[default]
    None,
    /// Only show what would be sent.
    Client,
    /// The server does everything but keep it.
    Server,
}

impl DryRun {
    /// Parses the flag. Old forms are accepted with a warning.
    ///
    /// # Errors
    /// It says something else.
    pub fn of(call: &mut Call) -> Result<Self, Failure> {
        let value = call.flags.text("dry-run").to_owned();
        match value.as_str() {
            "none" => Ok(DryRun::None),
            "client" => Ok(DryRun::Client),
            "server" => Ok(DryRun::Server),
            "unchanged" => {
                call.warn(klog::warning(
                    "helpers.go:719",
                    "--dry-run is deprecated and can be replaced with --dry-run=client.",
                ));
                Ok(DryRun::Client)
            }
            other => match other {
                "1" | "t" | "T" | "TRUE" | "true" | "True" => {
                    let text = format!(
                        "--dry-run={other} is deprecated (boolean value) and can be replaced with --dry-run=client."
                    );
                    call.warn(klog::warning("helpers.go:733", &text));
                    Ok(DryRun::Client)
                }
                "0" | "f" | "F" | "FALSE" | "false" | "False" => {
                    let text = format!(
                        "--dry-run={other} is deprecated (boolean value) and can be replaced with --dry-run=none."
                    );
                    call.warn(klog::warning("helpers.go:736", &text));
                    Ok(DryRun::None)
                }
                _ => Err(Failure::message(format!(
                    "Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."
                ))),
            },
        }
    }

    /// Returns the query parameter for the server: `All`, or none.
    pub fn param(self) -> Vec<String> {
        if self == DryRun::Server { vec!["All".to_owned()] } else { Vec::new() }
    }

    /// Returns the suffix of messages about changes.
    pub fn suffix(self) -> &'static str {
        match self {
            DryRun::None => "",
            DryRun::Client => " (dry run)",
            DryRun::Server => " (server dry run)",
        }
    }
}

/// Returns the `fieldValidation` parameter: `Strict`, `Warn` or `Ignore`.
///
/// # Errors
/// The flag says something else.
pub fn field_validation(flags: &Flags) -> Result<&'static str, Failure> {
    FieldValidation::of(flags).map(FieldValidation::param)
}

/// Returns the validator of objects from files, as set by `--validate`. Fields are checked by the server.
///
/// # Errors
/// The flag says something that is none of its values.
pub fn validator(call: &Call) -> Result<Validator, Failure> {
    Ok(call.factory.validator(FieldValidation::of(&call.flags)?, FieldChecks::ByServer))
}

/// Returns the files that the flags name.
pub fn files(flags: &Flags) -> FileOptions {
    FileOptions {
        filenames: flags.list("filename"),
        kustomize: flags.text("kustomize").to_owned(),
        recursive: flags.bool("recursive"),
    }
}
