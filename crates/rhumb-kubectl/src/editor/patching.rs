//! Sends edited objects.

use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_client::PatchKind;
use rhumb_patch::{PatchError, Precondition, merge, strategic};
use rhumb_schema::text::quoted;
use rhumb_scheme::Unstructured;
use serde_json::Value;

use super::{Results, Session, print};
use crate::metadata::{self, json, json_line};
use crate::{built_in, last_applied};

/// Fields that an edit must not change.
const HELD: &[Precondition<'static>] = &[
    Precondition::Key("apiVersion"),
    Precondition::Key("kind"),
    Precondition::MetadataKey("name"),
    Precondition::Key("managedFields"),
];

const CHANGED: &str = "At least one of apiVersion, kind and name was changed";

impl Session {
    /// Patches an object on the server to what it was edited to.
    pub(super) async fn patch(
        &self,
        call: &mut Call,
        originals: &[Info],
        edited: &mut Info,
        results: &mut Results,
    ) -> Outcome {
        let original = original(originals, edited.object()?)?.object()?;
        if original == edited.object()? {
            return print(call, edited.object()?, "skipped");
        }
        let (kind, patch) = difference(original, edited)?;
        let patch = json(&patch);
        if self.output_patch {
            call.line(format!("Patch: {}", String::from_utf8_lossy(&patch)))?;
        }
        match self.writer(call).patch(edited, kind, &patch, None).await {
            Ok(patched) => edited.refresh(patched),
            Err(Failure::Server(error)) => {
                let told = results.refused(&error, edited);
                call.warn(told);
                return Ok(());
            }
            Err(failure) => return Err(failure),
        }
        print(call, edited.object()?, "edited")
    }

    /// Keeps what was edited as what was applied last.
    pub(super) async fn keep(&self, call: &mut Call, originals: &[Info], edited: &mut Info) -> Outcome {
        let original = original(originals, edited.object()?)?.object()?;
        if original == edited.object()? {
            return print(call, edited.object()?, "skipped");
        }
        let (patch, _) = annotation_patch(edited.object()?)?;
        let mut target = edited.clone();
        target.namespace.clone_from(&self.namespace);
        self.writer(call).patch(&target, PatchKind::Merge, &patch, None).await?;
        print(call, edited.object()?, "edited")
    }

    /// Creates the edited object.
    pub(super) async fn create(&self, call: &mut Call, edited: &mut Info) -> Outcome {
        let created = self.writer(call).create(edited, edited.object()?).await?;
        edited.refresh(created);
        print(call, edited.object()?, "created")
    }
}

/// Returns the object that was edited, found by its uid.
fn original<'a>(originals: &'a [Info], edited: &Unstructured) -> Result<&'a Info, Failure> {
    let uid = metadata::text(edited, "uid");
    originals
        .iter()
        .find(|info| info.object.as_ref().is_some_and(|object| metadata::text(object, "uid") == uid))
        .ok_or_else(|| {
            let shown = in_go(edited.tree());
            Failure::message(format!(
                "no original object found for &unstructured.Unstructured{{Object:{shown}}}"
            ))
        })
}

/// Returns a tree in Go's own syntax.
fn in_go(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(in_go).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{}:{}", quoted(key), in_go(value))).collect();
            format!("map[string]interface {{}}{{{}}}", entries.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// Returns the patch that makes the edited object of the original one.
fn difference(original: &Unstructured, edited: &Info) -> Result<(PatchKind, Value), Failure> {
    let failed = |error: PatchError| match error {
        PatchError::Precondition(_) => CHANGED.into(),
        other => Failure::message(other.detail()),
    };
    let (before, after) = (original.tree(), edited.object()?.tree());
    if let Some(table) = built_in::kubectl_table(&edited.mapping.kind) {
        let patch = strategic::create_two_way(before, after, table, HELD).map_err(failed)?;
        return Ok((PatchKind::Strategic, patch));
    }
    let patch = merge::create_two_way(before, after).map_err(failed)?;
    let changes = |key: &str| patch.get(key).is_some();
    let renames = patch.get("metadata").is_some_and(|metadata| metadata.get("name").is_some());
    match changes("apiVersion") || changes("kind") || changes("managedFields") || renames {
        true => Err(CHANGED.into()),
        false => Ok((PatchKind::Merge, patch)),
    }
}

/// Returns the patch that keeps an object as what was applied last, and the text that is kept.
pub(crate) fn annotation_patch(object: &Unstructured) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    let before = json_line(object);
    let mut annotated = object.clone();
    let mut annotations = metadata::annotations(&annotated);
    annotations.insert(last_applied::ANNOTATION.to_owned(), String::from_utf8_lossy(&before).into_owned());
    metadata::set_annotations(&mut annotated, annotations);
    let patch = merge::create_two_way(object.tree(), annotated.tree())
        .map_err(|error| Failure::message(error.detail()))?;
    Ok((json(&patch), before))
}
