//! Flags that many commands share, and what they come to.

use crate::command::{Flag, Flags, Words};
use crate::resource::FileOptions;
use crate::validation::{FieldChecks, FieldValidation, Validator};
use crate::{Call, Failure, klog};

/// Which files: `-f`, `-k`, `-R`.
pub static FILES: &[Flag] = &[
    FILENAME,
    Flag::text("kustomize", "A directory with a kustomization.").short('k').words(Words::Files),
    RECURSIVE,
];

const FILENAME: Flag = Flag::list("filename", "A file, directory or URL with objects; - is standard input.")
    .short('f')
    .words(Words::Files);
const RECURSIVE: Flag = Flag::bool("recursive", "Go down into the directories given with -f.").short('R');

/// The same for commands that take no kustomizations, and go down into directories unless they are told not to.
pub static FILES_BELOW: &[Flag] = &[FILENAME, RECURSIVE.default("true")];

/// Only try it: `--dry-run`.
pub static DRY_RUN: &[Flag] = &[Flag::text(
    "dry-run",
    "Change nothing: \"client\" shows what would be sent, \"server\" lets the server try it.",
)
.default("none")
.bare("unchanged")
.choices(&["none", "server", "client"])];

/// How results are printed where `-o` has no table: `json`, `yaml`, `name`, templates.
pub static PRINT: &[Flag] = &[OUTPUT, MANAGED_FIELDS, TEMPLATE, MISSING_KEYS];

/// The same where JSON is printed unless something else is asked for.
pub static PRINT_JSON: &[Flag] = &[OUTPUT.default("json"), MANAGED_FIELDS, TEMPLATE, MISSING_KEYS];

/// The same where YAML is printed unless something else is asked for.
pub static PRINT_YAML: &[Flag] = &[OUTPUT.default("yaml"), MANAGED_FIELDS, TEMPLATE, MISSING_KEYS];

/// The same where there are tables, with the forms that a table has.
pub static PRINT_TABLES: &[Flag] = &[OUTPUT.choices(FORMS), TEMPLATE, MISSING_KEYS, MANAGED_FIELDS];

/// All forms that `-o` knows; the last ones are those of tables.
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

/// Who set which fields: `--show-managed-fields`.
pub const MANAGED_FIELDS: Flag =
    Flag::bool("show-managed-fields", "Show who set which fields in json and yaml.");

/// The template of `-o go-template`: `--template`.
pub const TEMPLATE: Flag =
    Flag::text("template", "The template for -o go-template and go-template-file.").words(Words::Files);

/// What a template does without what it names: `--allow-missing-template-keys`.
pub const MISSING_KEYS: Flag =
    Flag::bool("allow-missing-template-keys", "Print nothing for what a template names and an object lacks.")
        .default("true");

/// Which objects by labels: `-l`.
pub static SELECTOR: &[Flag] =
    &[Flag::text("selector", "Only objects with these labels: key1=value1,key2!=value2,key3 in (a,b).")
        .short('l')];

/// Returns who owns the fields: `--field-manager`. Its default differs from command to command, so each declares its
/// own.
pub const fn field_manager(default: &'static str) -> Flag {
    Flag::text("field-manager", "The name that owns the fields which are set.").default(default)
}

/// How strictly the server reads objects: `--validate`.
pub static VALIDATE: &[Flag] = &[Flag::text(
    "validate",
    "What to do about fields that the server doesn't know: strict refuses, warn warns, ignore is silent.",
)
.default("strict")
.bare("strict")
.choices(&["strict", "warn", "ignore"])];

/// Keep the object in an annotation for a later `apply`: `--save-config`.
pub static SAVE_CONFIG: &[Flag] =
    &[Flag::bool("save-config", "Keep the object in its annotation, so that apply can work on it later.")];

/// Whether to change something.
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
    /// Returns what the flag says. Old forms are understood, with a warning.
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

    /// Returns what the server is told: `All`, or nothing.
    pub fn param(self) -> Vec<String> {
        if self == DryRun::Server { vec!["All".to_owned()] } else { Vec::new() }
    }

    /// Returns what is said behind what was done.
    pub fn suffix(self) -> &'static str {
        match self {
            DryRun::None => "",
            DryRun::Client => " (dry run)",
            DryRun::Server => " (server dry run)",
        }
    }
}

/// Returns what the server is told about fields that it doesn't know: `Strict`, `Warn` or `Ignore`.
///
/// # Errors
/// The flag says something else.
pub fn field_validation(flags: &Flags) -> Result<&'static str, Failure> {
    FieldValidation::of(flags).map(FieldValidation::param)
}

/// Returns what checks objects from files before they are sent, as `--validate` says. Their fields are the server's
/// affair.
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
