//! Edit loop of `edit`, `create --edit` and `apply edit-last-applied`.
//!
//! An object is written into a temporary file, with a word of explanation at its top. What the editor leaves there is
//! read, compared and sent. If the server doesn't like it, the file is opened again with the reasons at its top; the
//! loop ends when all is well, when nothing was changed, or when there is nothing left in the file.

mod file;
mod header;
mod launch;
mod patching;

pub(crate) use patching::annotation_patch;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::{Info, Infos};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_output::document::{ManagedFields, YamlPrinter};
use rhumb_output::format::{Formats, OutputFormat};
use rhumb_output::{Item, Printer};
use rhumb_scheme::Unstructured;
use serde_json::{Value, json};

use crate::change_cause::Recorder;
use crate::writing::Writer;
use crate::{last_applied, metadata};
use file::{has_lines, strip_comments, without_comments};
use header::{Header, Reason};

/// What is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Objects on the server, which are patched.
    Normal,
    /// Objects in files, which are created.
    BeforeCreate,
    /// The last-applied configuration.
    LastApplied,
}

/// State of an edit loop.
pub(crate) struct Session {
    mode: Mode,
    recorder: Recorder,
    /// Field manager.
    pub(crate) field_manager: String,
    field_validation: &'static str,
    namespace: String,
    output_patch: bool,
    keeps_config: bool,
    managed_fields: BTreeMap<String, Value>,
}

/// Results of sending edited objects.
#[derive(Default)]
struct Results {
    header: Header,
    /// Whether something can be tried again.
    retryable: bool,
    /// Whether an object is gone.
    not_found: bool,
    /// Whether something has to be edited again.
    again: bool,
    file: Option<PathBuf>,
}

impl Session {
    /// Reads the flags.
    ///
    /// # Errors
    /// They make no sense.
    pub(crate) fn of(call: &Call, mode: Mode) -> Result<Self, Failure> {
        let flags = &call.flags;
        Ok(Session {
            mode,
            recorder: Recorder::of(call),
            field_manager: flags.text("field-manager").to_owned(),
            field_validation: "",
            namespace: String::new(),
            output_patch: flags.bool("output-patch"),
            keeps_config: flags.bool("save-config"),
            managed_fields: BTreeMap::new(),
        })
    }

    /// Edits what the command line names.
    ///
    /// # Errors
    /// Something can't be read, edited or written.
    pub(crate) async fn run(mut self, call: &mut Call) -> Outcome {
        let (namespace, enforce) = call.factory.namespace()?;
        let mut builder = call.factory.builder();
        if self.mode != Mode::BeforeCreate {
            builder = builder.words(true, &call.args).latest();
        }
        let infos = builder
            .namespace(&namespace)
            .default_namespace()
            .files(enforce, &options::files(&call.flags), &mut call.streams)
            .subresource(call.flags.text("subresource"))
            .continue_on_error()
            .flatten()
            .build()
            .await?;
        self.namespace = namespace;
        self.field_validation = options::field_validation(&call.flags)?;
        if self.mode == Mode::BeforeCreate {
            let (infos, unread) = infos.gather_ignoring(|_| false).await;
            for info in infos {
                self.edit(call, vec![info]).await?;
            }
            return unread.map_or(Ok(()), |failure| Err(failure.unwrapped()));
        }
        let infos = all(infos).await?;
        if self.mode == Mode::Normal {
            return match infos.is_empty() {
                true => Err("edit cancelled, no objects found".into()),
                false => self.edit(call, infos).await,
            };
        }
        let mut kept = Vec::new();
        for info in infos {
            let Some(text) = last_applied::original(info.object()?) else { continue };
            kept.extend(parse(call, text.into_bytes()).await?.into_iter().next());
        }
        match kept.is_empty() {
            true => Err(
                "no last-applied-configuration annotation found on resources, to create the annotation, use \
                         command `kubectl apply set-last-applied --create-annotation`"
                    .into(),
            ),
            false => self.edit(call, kept).await,
        }
    }

    fn writer(&self, call: &Call) -> Writer {
        Writer {
            dry_run: DryRun::None,
            field_manager: self.field_manager.clone(),
            field_validation: self.field_validation.to_owned(),
            subresource: call.flags.text("subresource").to_owned(),
        }
    }

    /// Runs the edit loop.
    async fn edit(&mut self, call: &mut Call, mut infos: Vec<Info>) -> Outcome {
        let form = match call.flags.text("output") {
            "" => OutputFormat::Default,
            _ => call.output_format(&Formats::DOCUMENTS)?,
        };
        let is_json = matches!(form, OutputFormat::Json);
        let mut results = Results::default();
        let (mut original, mut edited) = (Vec::new(), Vec::new());
        let mut failed = false;
        loop {
            let mut text = Vec::new();
            if !is_json {
                results.header.write(self.mode, &mut text);
            }
            if failed {
                // The edited file goes on, below the new reasons.
                text.extend_from_slice(&without_comments(&edited));
            } else {
                self.write(call, &form, &mut infos, &mut text)?;
            }
            if call.flags.bool("windows-line-endings") {
                text = launch::with_carriage_returns(&text);
            }
            if !failed {
                original.clone_from(&text);
            }
            let before = std::mem::take(&mut edited);
            let file = match launch::edit(call, is_json, &text).await {
                Ok((file, bytes)) => {
                    edited = bytes;
                    file
                }
                Err(failure) => return Err(self.preserved(call, failure, results.file.as_ref())),
            };
            if failed && strip_comments(&before) == strip_comments(&edited) {
                let failure = "Edit cancelled, no valid changes were saved.".into();
                return Err(self.preserved(call, failure, Some(&file)));
            }
            if let Some(old) = results.file.take() {
                let _ = std::fs::remove_file(old);
            }
            results = Results { file: Some(file.clone()), ..Results::default() };
            if let Err(problem) = self.validate(&edited) {
                failed = true;
                let info = infos.first().ok_or_else(|| Failure::message("no objects to edit"))?;
                let told = results.invalid(
                    info,
                    vec![format!("<nil>: Invalid value: \"The edited file failed validation\": {problem}")],
                );
                call.warn(told);
                continue;
            }
            if strip_comments(&original) == strip_comments(&edited) {
                let _ = std::fs::remove_file(&file);
                call.warn("Edit cancelled, no changes made.");
                return Ok(());
            }
            if !has_lines(&edited) {
                let _ = std::fs::remove_file(&file);
                call.warn("Edit cancelled, saved file was empty.");
                return Ok(());
            }
            let mut updated = match parse(call, edited.clone()).await {
                Ok(updated) => updated,
                Err(failure) => {
                    failed = true;
                    let head = format!("The edited file had a syntax error: {}", failure.bare());
                    results.header.reasons.push(Reason { head, others: Vec::new() });
                    continue;
                }
            };
            let sent = self.send(call, &mut infos, &mut updated, &mut results).await;
            if let Err(failure) = sent {
                return Err(self.preserved(call, failure, Some(&file)));
            }
            if results.retryable {
                let program = call.program().to_owned();
                call.warn(format!(
                    "You can run `{program} replace -f {}` to try this update again.",
                    file.display()
                ));
                return Err(Failure::exit(1));
            }
            if results.not_found {
                let file = file.display().to_string();
                call.warn(format!("The edits you made on deleted resources have been saved to {file:?}"));
                return Err(Failure::exit(1));
            }
            if !results.again {
                let _ = std::fs::remove_file(&file);
                return Ok(());
            }
            failed = !results.header.reasons.is_empty();
        }
    }

    /// Writes the objects as they are edited: without the list of who set which fields.
    fn write(&mut self, call: &Call, form: &OutputFormat, infos: &mut [Info], out: &mut Vec<u8>) -> Outcome {
        self.managed_fields.clear();
        for info in infos.iter_mut() {
            let object = info.object_mut()?;
            let uid = metadata::text(object, "uid").to_owned();
            if let Some(fields) = metadata::take_managed_fields(object) {
                self.managed_fields.insert(uid, fields);
            }
        }
        let list;
        let tree = match &*infos {
            [one] => one.object()?.tree(),
            several => {
                let items: Result<Vec<Value>, Failure> =
                    several.iter().map(|info| Ok(info.object()?.tree().clone())).collect();
                list = json!({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items?});
                &list
            }
        };
        match form {
            OutputFormat::Default => {
                YamlPrinter::new(ManagedFields::Omit).print_item(Item::new(tree), out)?
            }
            form => call.format_printer(form, None).print_item(Item::new(tree), out)?,
        }
        Ok(())
    }

    /// Checks what can be checked before objects are read. Without validation everything is well.
    fn validate(&self, edited: &[u8]) -> Result<(), String> {
        match self.field_validation {
            "Ignore" => Ok(()),
            _ => rhumb_cli::validation::check_object(&strip_comments(edited)),
        }
    }

    /// Gives objects back who set which of their fields.
    fn restore(&self, infos: &mut [Info]) -> Outcome {
        for info in infos {
            let object = info.object_mut()?;
            let uid = metadata::text(object, "uid");
            match self.managed_fields.get(uid) {
                Some(fields) => drop(object.set(&["metadata", "managedFields"], fields.clone())),
                None => drop(metadata::take_managed_fields(object)),
            }
        }
        Ok(())
    }

    async fn send(
        &self,
        call: &mut Call,
        infos: &mut [Info],
        updated: &mut [Info],
        results: &mut Results,
    ) -> Outcome {
        self.restore(updated)?;
        self.restore(infos)?;
        for info in updated.iter_mut() {
            if info.is_namespaced() && info.namespace.is_empty() {
                info.set_namespace(&self.namespace);
            } else if info.is_namespaced() && info.namespace != self.namespace {
                return Err(format!(
                    "the namespace from the provided object {:?} does not match the namespace {:?}. You must pass \
                     '--namespace={}' to perform this operation.",
                    info.namespace, self.namespace, info.namespace
                )
                .into());
            }
        }
        for info in updated.iter_mut() {
            let object = info.object_mut()?;
            if self.keeps_config {
                last_applied::keep(object, true);
            }
            self.recorder.record(object);
        }
        for info in updated.iter_mut() {
            match self.mode {
                Mode::Normal => self.patch(call, infos, info, results).await?,
                Mode::LastApplied => self.keep(call, infos, info).await?,
                Mode::BeforeCreate => self.create(call, info).await?,
            }
        }
        Ok(())
    }

    /// Tells where the edited file is, which is not lost with the failure.
    fn preserved(&self, call: &mut Call, failure: Failure, file: Option<&PathBuf>) -> Failure {
        if let Some(file) = file.filter(|file| file.exists()) {
            let file = file.display().to_string();
            call.warn(format!("A copy of your changes has been stored to {file:?}"));
        }
        failure
    }
}

/// Returns the objects in an edited file.
async fn parse(call: &Call, text: Vec<u8>) -> Result<Vec<Info>, Failure> {
    let infos = call
        .factory
        .builder()
        .stream(Box::new(std::io::Cursor::new(text)), "edited-file")
        .subresource(call.flags.text("subresource"))
        .continue_on_error()
        .flatten()
        .build()
        .await?;
    all(infos).await
}

/// Collects all objects, if all are available.
async fn all(infos: Infos) -> Result<Vec<Info>, Failure> {
    match infos.gather_ignoring(|_| false).await {
        (infos, None) => Ok(infos),
        (_, Some(failure)) => Err(failure.unwrapped()),
    }
}

/// Prints an object with what was done with it.
fn print(call: &mut Call, object: &Unstructured, done: &str) -> Outcome {
    call.printer(DryRun::None)?.print(&mut call.streams, object, done)?;
    Ok(call.streams.out.flush()?)
}
