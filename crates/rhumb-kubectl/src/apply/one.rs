//! Applies one object.

use std::io::Write;

use rhumb_cli::options::DryRun;
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome, Progress, Streams};
use rhumb_scheme::Unstructured;
use serde_json::Value;

use super::patcher::{Patcher, describe};
use super::{Apply, SERVER_SIDE_MANAGER};
use crate::deletion::warning;
use crate::last_applied::{self, annotated};
use crate::metadata;
use crate::writing::Writer;

/// Maximum total size of an object's annotations.
const MAX_ANNOTATIONS: usize = 256 << 10;

impl Apply {
    fn writer(&self) -> Writer {
        Writer {
            dry_run: self.dry_run,
            field_manager: self.field_manager.clone(),
            field_validation: self.field_validation.to_owned(),
            subresource: self.subresource.clone(),
        }
    }

    /// Applies one object and says what was done.
    pub(super) async fn one(&mut self, call: &mut Call, info: &mut Info, progress: &mut Progress) -> Outcome {
        if info.is_namespaced() {
            self.visited_namespaces.insert(info.namespace.clone());
        }
        self.recorder.record(info.object_mut()?);
        let generated = metadata::text(info.object()?, "generateName");
        if info.name.is_empty() && !generated.is_empty() {
            return Err(format!("from {generated}: cannot use generate name with apply").into());
        }
        let done = if self.server_side {
            self.on_the_server(call, info, &self.writer(), self.force_conflicts).await?
        } else if self.dry_run != DryRun::Client && annotation_size(info.object()?) > MAX_ANNOTATIONS {
            progress.clear(&mut call.streams.err);
            self.too_large(call, info).await?
        } else {
            self.by_patch(call, info, progress).await?
        };
        progress.clear(&mut call.streams.err);
        if done == "serverside-applied" {
            warn_if_deleting(&mut call.streams, info);
            self.visited(info)?;
        }
        match Self::prints_objects(call) {
            true => Ok(()),
            false => call.printer(self.dry_run)?.print(&mut call.streams, info.object()?, done),
        }
    }

    /// Applies an object that can't be kept in its own annotation. Nobody was asked about conflicts, so there are
    /// none.
    async fn too_large(&self, call: &mut Call, info: &mut Info) -> Result<&'static str, Failure> {
        let text = format!(
            "{} is too large for the {} annotation, which may have {MAX_ANNOTATIONS} bytes: it is applied by the \
             server instead, as with --server-side --force-conflicts",
            info.object_name(),
            last_applied::ANNOTATION
        );
        warning(&mut call.streams, &text);
        let mut writer = self.writer();
        if !call.flags.is_given("field-manager") {
            SERVER_SIDE_MANAGER.clone_into(&mut writer.field_manager);
        }
        self.on_the_server(call, info, &writer, true).await
    }

    /// Finds out what to change and sends a patch, or creates the object.
    async fn by_patch(
        &mut self,
        call: &mut Call,
        info: &mut Info,
        progress: &mut Progress,
    ) -> Result<&'static str, Failure> {
        let source = info.origin.source.clone();
        let modified = annotated(info.object()?);
        let writer = self.writer();
        match info.get().await {
            Ok(()) => {}
            Err(failure) if failure.is_not_found() => {
                info.object = Some(modified);
                prune_nulls(info.object_mut()?);
                if self.dry_run != DryRun::Client {
                    let created = writer.create(info, info.object()?).await;
                    info.refresh(created.map_err(|failure| failure.when("creating", &source))?);
                }
                self.visited(info)?;
                return Ok("created");
            }
            Err(failure) => {
                let doing =
                    format!("retrieving current configuration of:\n{}\nfrom server for:", describe(info));
                return Err(failure.when(&doing, &source));
            }
        }
        self.visited(info)?;
        if last_applied::original(info.object()?).is_none() {
            progress.clear(&mut call.streams.err);
            let program = call.program();
            let text = format!(
                "Warning: resource {} is missing the {} annotation which is required by {program} apply. {program} apply \
                 should only be used on resources created declaratively by either {program} create --save-config or \
                 {program} apply. The missing annotation will be patched automatically.",
                info.object_name(),
                last_applied::ANNOTATION
            );
            call.warn(text);
        }
        let patcher = Patcher {
            writer: &writer,
            overwrite: self.overwrite,
            asks_openapi: self.asks_openapi,
            by_force: Some(&self.deletion).filter(|deletion| deletion.force),
            resource_version: None,
        };
        let patched = match self.dry_run {
            DryRun::Client => patcher.patch_here(&mut call.streams, info, &modified),
            _ => patcher.patch(&mut call.streams, info, &modified).await,
        };
        let (patch, object) = patched.map_err(|(patch, failure)| {
            let patch = String::from_utf8_lossy(&patch);
            let doing = format!("applying patch:\n{patch}\nto:\n{}\nfor:", describe(info));
            failure.when(&doing, &source)
        })?;
        info.refresh(object);
        warn_if_deleting(&mut call.streams, info);
        Ok(if patch == b"{}" { "unchanged" } else { "configured" })
    }
}

/// Warns of an object that is on its way out.
pub(crate) fn warn_if_deleting(streams: &mut Streams, info: &Info) {
    if let Some(object) = &info.object
        && object.get(&["metadata", "deletionTimestamp"]).is_some_and(|time| !time.is_null())
    {
        let name = metadata::text(object, "name");
        let _ = writeln!(
            streams.err,
            "Warning: Detected changes to resource {name} which is currently being deleted."
        );
    }
}

/// Returns the size of the annotations with the last-applied annotation.
fn annotation_size(object: &Unstructured) -> usize {
    metadata::annotations(&annotated(object)).iter().map(|(key, text)| key.len() + text.len()).sum()
}

/// Takes away what is null in maps, which a patch would take away as well.
fn prune_nulls(object: &mut Unstructured) {
    fn prune(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.retain(|_, value| !value.is_null());
                map.values_mut().for_each(prune);
            }
            Value::Array(items) => items.iter_mut().for_each(prune),
            _ => {}
        }
    }
    object.fields_mut().retain(|_, value| !value.is_null());
    object.fields_mut().values_mut().for_each(prune);
}
