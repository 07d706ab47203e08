//! Three-way merge: a patch from the last-applied, wanted and live objects.

use std::io::Write;
use std::time::Duration;

use rhumb_cli::resource::Info;
use rhumb_cli::{Failure, Streams};
use rhumb_client::PatchKind;
use rhumb_codec::{Strictness, json::decode_tree};
use rhumb_patch::strategic::Overwrite;
use rhumb_patch::{PatchError, Precondition, merge, strategic};
use rhumb_schema::StructDesc;
use rhumb_schema::text::quoted;
use rhumb_scheme::Unstructured;
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep};

use crate::deletion::Deletion;
use crate::metadata::{json, json_line};
use crate::writing::{Writer, delete_options};
use crate::{built_in, last_applied};

/// Maximum retries on conflicts.
const RETRIES: usize = 5;
const PAUSE: Duration = Duration::from_secs(1);

/// Fields that a merge patch must not change.
const HELD: &[Precondition<'static>] =
    &[Precondition::Key("apiVersion"), Precondition::Key("kind"), Precondition::MetadataKey("name")];

/// The patch sent and the resulting object; or the patch, if any, and the failure.
type Patched = Result<(Vec<u8>, Unstructured), (Vec<u8>, Failure)>;

/// Patches objects to the wanted state.
pub(crate) struct Patcher<'a> {
    /// Sends patches.
    pub(crate) writer: &'a Writer,
    /// Whether what others changed may be undone.
    pub(crate) overwrite: Overwrite,
    /// Whether the server's tables come before those of kubectl's types.
    pub(crate) asks_openapi: bool,
    /// Deletion settings for recreating objects that can't be patched, with `--force`.
    pub(crate) by_force: Option<&'a Deletion>,
    /// The only revision to patch.
    pub(crate) resource_version: Option<String>,
}

/// Formats an applied object for messages.
pub(crate) fn describe(info: &Info) -> String {
    format!(
        "Resource: {}, GroupVersionKind: {}\nName: {}, Namespace: {}",
        quoted(info.mapping.resource.to_string()),
        quoted(info.mapping.kind.to_string()),
        quoted(&info.name),
        quoted(&info.namespace)
    )
}

impl Patcher<'_> {
    /// Patches the object of an info, which is as the server has it, and again if that is no longer so.
    pub(crate) async fn patch(&self, streams: &mut Streams, info: &Info, modified: &Unstructured) -> Patched {
        let nothing = |failure: Failure| (Vec::new(), failure);
        let mut current = info.object().map_err(nothing)?.clone();
        let mut patched = self.once(streams, info, &current, modified).await;
        for attempt in 1..=RETRIES {
            match &patched {
                Err((_, failure)) if is(failure, rhumb_client::Error::is_conflict) => {}
                _ => break,
            }
            if attempt > 1 {
                sleep(PAUSE).await;
            }
            current = self.writer.get(info).await.map_err(nothing)?;
            patched = self.once(streams, info, &current, modified).await;
        }
        let Err((patch, failure)) = patched else { return patched };
        let is_refused =
            is(&failure, rhumb_client::Error::is_conflict) || is(&failure, rhumb_client::Error::is_invalid);
        match self.by_force {
            Some(deletion) if is_refused => {
                let object = self.make_anew(info, deletion, &current, modified).await;
                let modified = json_line(modified);
                object.map(|object| (modified.clone(), object)).map_err(|failure| (modified, failure))
            }
            _ => Err((patch, failure.when("patching", &info.origin.source))),
        }
    }

    /// Patches the object of an info without asking the server.
    pub(crate) fn patch_here(&self, streams: &mut Streams, info: &Info, modified: &Unstructured) -> Patched {
        let nothing = |failure: Failure| (Vec::new(), failure);
        let current = info.object().map_err(nothing)?;
        let (patch, table) = self.difference(streams, info, current, modified).map_err(nothing)?;
        let text = json(&patch);
        let mut tree = current.tree().clone();
        let applied = match table {
            Some(table) => strategic::apply(&mut tree, &patch, table),
            None => merge::apply(&mut tree, &patch),
        };
        applied.map_err(|error| nothing(format!("applying patch locally: {}", error.detail()).into()))?;
        let object = Unstructured::new(tree).unwrap_or_default();
        Ok((text, object))
    }

    async fn once(
        &self,
        streams: &mut Streams,
        info: &Info,
        current: &Unstructured,
        modified: &Unstructured,
    ) -> Patched {
        let (mut patch, table) =
            self.difference(streams, info, current, modified).map_err(|failure| (Vec::new(), failure))?;
        if patch.as_object().is_some_and(Map::is_empty) {
            return Ok((b"{}".to_vec(), current.clone()));
        }
        if let Some(version) = &self.resource_version
            && let Some(mut held) = Unstructured::new(patch.clone())
        {
            held.set(&["metadata", "resourceVersion"], Value::from(version.as_str()));
            patch = held.into_tree();
        }
        let kind = if table.is_some() { PatchKind::Strategic } else { PatchKind::Merge };
        let text = json(&patch);
        match self.writer.patch(info, kind, &text, None).await {
            Ok(object) => Ok((text, object)),
            Err(failure) => Err((text, failure)),
        }
    }

    /// Returns the patch, and the table that it was made by if it is a strategic one.
    fn difference(
        &self,
        streams: &mut Streams,
        info: &Info,
        current: &Unstructured,
        modified: &Unstructured,
    ) -> Result<(Value, Option<&'static StructDesc>), Failure> {
        let kind = &info.mapping.kind;
        let original = last_applied::original(current);
        let failed = |error: &str| {
            let original = original.as_deref().unwrap_or_default();
            let (modified, current) = (json_line(modified), json_line(current));
            let (modified, current) = (String::from_utf8_lossy(&modified), String::from_utf8_lossy(&current));
            Failure::message(format!(
                "creating patch with:\noriginal:\n{original}\nmodified:\n{modified}\ncurrent:\n{current}\nfor: {error}"
            ))
        };
        let parsed = parse(original.as_deref());
        let make = |table: &'static StructDesc| {
            let original = parsed.as_ref().map_err(Clone::clone)?;
            let patch = strategic::create_three_way(
                original,
                modified.tree(),
                current.tree(),
                table,
                self.overwrite,
                &[],
            );
            patch.map_err(|error| error.detail())
        };
        let served = built_in::table(kind).filter(|_| self.asks_openapi);
        if let Some(table) = served {
            match make(table) {
                Ok(patch) => return Ok((patch, Some(table))),
                Err(error) => {
                    // kubectl asks two forms of the server's tables before its own types.
                    let short = openapi_words(&error);
                    let _ = writeln!(
                        streams.err,
                        "warning: error calculating patch from openapi v3 spec: {short}"
                    );
                    let _ =
                        writeln!(streams.err, "warning: error calculating patch from openapi spec: {short}");
                }
            }
        }
        if let Some(table) = built_in::kubectl_table(kind) {
            let patch = make(table).map_err(|error| failed(&error))?;
            return Ok((patch, Some(table)));
        }
        let original = parsed.as_ref().map_err(|error| failed(error))?;
        let patch = merge::create_three_way(original, modified.tree(), current.tree(), HELD);
        let patch = patch.map_err(|error| match error {
            PatchError::Precondition(_) => failed("At least one of apiVersion, kind and name was changed"),
            other => failed(&other.detail()),
        })?;
        Ok((patch, None))
    }

    /// Deletes an object and makes it anew; the old one is put back if that fails.
    async fn make_anew(
        &self,
        info: &Info,
        deletion: &Deletion,
        current: &Unstructured,
        modified: &Unstructured,
    ) -> Result<Unstructured, Failure> {
        self.writer.delete(info, delete_options(deletion.cascade, deletion.grace_period)).await?;
        let patience = u64::try_from(deletion.timeout).map_or(Duration::ZERO, Duration::from_nanos);
        let deadline = Instant::now() + patience;
        loop {
            match self.writer.get(info).await {
                Err(failure) if failure.is_not_found() => break,
                Err(failure) => return Err(failure),
                Ok(_) if Instant::now() + PAUSE > deadline => return Err("context deadline exceeded".into()),
                Ok(_) => sleep(PAUSE).await,
            }
        }
        let failure = match self.writer.create(info, modified).await {
            Ok(object) => return Ok(object),
            Err(failure) => failure,
        };
        match self.writer.create(info, current).await {
            Ok(_) => Err(failure),
            Err(again) => Err(format!(
                "An error occurred force-replacing the existing object with the newly provided one:\n\n{}.\n\n\
                 Additionally, an error occurred attempting to restore the original object:\n\n{}",
                failure.bare(),
                again.bare()
            )
            .into()),
        }
    }
}

fn is(failure: &Failure, what: fn(&rhumb_client::Error) -> bool) -> bool {
    failure.server_error().is_some_and(what)
}

/// Parses the last-applied configuration; an empty object if there is none.
fn parse(original: Option<&str>) -> Result<Value, String> {
    match original {
        None | Some("") => Ok(Value::Object(Map::new())),
        Some(text) => match decode_tree(text.as_bytes(), Strictness::Ignore) {
            Ok((tree @ Value::Object(_), _)) => Ok(tree),
            _ => Err("invalid JSON document".to_owned()),
        },
    }
}

/// Adapts an error about unknown fields: field descriptions don't have Go's type names.
fn openapi_words(error: &str) -> String {
    match error.strip_prefix("unable to find api field in struct ") {
        Some(rest) => match rest.split_once(" for the json field ") {
            Some((_, field)) => format!("unable to find api field {field}"),
            None => error.to_owned(),
        },
        None => error.to_owned(),
    }
}
