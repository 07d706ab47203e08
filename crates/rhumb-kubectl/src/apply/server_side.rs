//! Server-side apply, and the migration of objects from client-side apply.

use std::collections::BTreeSet;

use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure};
use rhumb_client::PatchKind;
use rhumb_patch::apply::FieldSet;
use rhumb_scheme::Unstructured;
use serde_json::{Value, json};

use super::{Apply, SERVER_SIDE_MANAGER};
use crate::last_applied::{self, ANNOTATION};
use crate::metadata::{self, json_line};
use crate::writing::Writer;

/// Field manager of the annotation, so that the migration keeps it.
const ANNOTATION_MANAGER: &str = "kubectl-last-applied";

/// Maximum attempts of the migration on conflicts.
const RETRIES: usize = 5;

/// Advice about conflicts, in kubectl's words.
const ADVICE: &str = "Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

impl Apply {
    /// Lets the server apply an object.
    pub(super) async fn on_the_server(
        &self,
        call: &mut Call,
        info: &mut Info,
        writer: &Writer,
        force: bool,
    ) -> Result<&'static str, Failure> {
        let wanted = json_line(info.object()?);
        let applied = writer.patch(info, PatchKind::Apply, &wanted, Some(force)).await;
        info.refresh(applied.map_err(explained)?);
        if let Err(failure) = keep_annotation(info, writer).await {
            call.warn(format!(
                "Warning: failed to migrate {ANNOTATION} for Server-Side Apply. This is non-fatal and will be retried \
                 next time you apply. Error: {}",
                failure.bare()
            ));
            return Ok("serverside-applied");
        }
        match migrate(info, writer).await {
            Err(failure) => call.warn(format!(
                "Warning: server rejected managed fields migration to Server-Side Apply. This is non-fatal and will be \
                 retried next time you apply. Error: {}",
                failure.bare()
            )),
            Ok(false) => {}
            // What the object had from here and no longer wants is taken away only now.
            Ok(true) => match writer.patch(info, PatchKind::Apply, &wanted, Some(force)).await {
                Ok(object) => info.refresh(object),
                Err(failure) => call.warn(format!(
                    "Warning: failed to re-apply configuration after performing Server-Side Apply migration. This is \
                     non-fatal and will be retried next time you apply. Error: {}",
                    failure.bare()
                )),
            },
        }
        Ok("serverside-applied")
    }
}

/// Returns a refusal, with what can be done about it.
pub(super) fn explained(failure: Failure) -> Failure {
    match failure.server_error() {
        Some(error) if error.code() == Some(415) => {
            format!("Server-side apply not available on the server: ({})", failure.bare()).into()
        }
        Some(error) if error.is_conflict() => format!("{}\n{ADVICE}", failure.bare()).into(),
        _ => failure,
    }
}

/// Gives the annotation an owner of its own, if it has none that applies.
async fn keep_annotation(info: &mut Info, writer: &Writer) -> Result<(), Failure> {
    if writer.field_manager != SERVER_SIDE_MANAGER {
        return Ok(());
    }
    let object = info.object()?;
    let Some(text) = last_applied::original(object) else { return Ok(()) };
    if !owners(object, "Apply").is_empty() {
        return Ok(());
    }
    let (version, kind) = info.mapping.kind.to_api_version_and_kind();
    let mut only = json!({
        "apiVersion": version,
        "kind": kind,
        "metadata": {"annotations": {ANNOTATION: text}, "name": metadata::text(object, "name")},
    });
    let namespace = metadata::text(object, "namespace");
    if let Some(Value::Object(metadata)) = only.get_mut("metadata").filter(|_| !namespace.is_empty()) {
        metadata.insert("namespace".to_owned(), Value::from(namespace));
    }
    let writer = Writer { field_manager: ANNOTATION_MANAGER.to_owned(), ..writer.clone() };
    let mut text = metadata::json(&only);
    text.push(b'\n');
    let object = writer.patch(info, PatchKind::Apply, &text, None).await?;
    info.refresh(object);
    Ok(())
}

/// Moves the fields that were applied from here to the one who applies on the server. Tells whether there were any.
async fn migrate(info: &mut Info, writer: &Writer) -> Result<bool, Failure> {
    let names: BTreeSet<String> = owners(info.object()?, "Update").into_iter().collect();
    let mut last = Ok(false);
    for _ in 0..RETRIES {
        let object = info.object()?;
        let entries = entries(object).to_vec();
        let mut moved = entries.clone();
        for name in &names {
            moved = upgraded(moved, name, &writer.field_manager)?;
        }
        if moved == entries {
            return Ok(false);
        }
        let patch = json!([
            {"op": "replace", "path": "/metadata/managedFields", "value": moved},
            {
                "op": "replace",
                "path": "/metadata/resourceVersion",
                "value": metadata::text(object, "resourceVersion"),
            },
        ]);
        match writer.patch(info, PatchKind::Json, &metadata::json(&patch), None).await {
            Ok(object) => {
                info.refresh(object);
                return Ok(true);
            }
            Err(failure) if failure.server_error().is_some_and(rhumb_client::Error::is_conflict) => {
                last = Err(failure);
            }
            Err(failure) => return Err(failure),
        }
        info.get().await?;
    }
    last
}

fn entries(object: &Unstructured) -> &[Value] {
    object
        .get(&["metadata", "managedFields"])
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn text<'a>(entry: &'a Value, field: &str) -> &'a str {
    entry.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn fields(entry: &Value) -> Result<FieldSet, Failure> {
    let fields = entry.get("fieldsV1").map(metadata::json).unwrap_or_default();
    FieldSet::from_json(&fields)
        .map_err(|error| Failure::message(format!("failed to convert fields to set: {error}")))
}

/// Returns the owners of the annotation by an operation.
fn owners(object: &Unstructured, operation: &str) -> Vec<String> {
    let wanted = FieldSet::of_fields(&[&["metadata", "annotations", ANNOTATION]]);
    entries(object)
        .iter()
        .filter(|entry| text(entry, "operation") == operation)
        .filter(|entry| fields(entry).is_ok_and(|owned| wanted.difference(&owned).is_empty()))
        .map(|entry| text(entry, "manager").to_owned())
        .collect()
}

/// Returns the entries with what a client owned united with what the applier owns.
fn upgraded(mut entries: Vec<Value>, client: &str, applier: &str) -> Result<Vec<Value>, Failure> {
    let is = |entry: &Value, name: &str, operation: &str| {
        text(entry, "manager") == name
            && text(entry, "operation") == operation
            && text(entry, "subresource").is_empty()
    };
    let mut target = entries.iter().position(|entry| is(entry, applier, "Apply"));
    if target.is_none() {
        target = entries.iter().position(|entry| is(entry, client, "Update"));
        let Some(entry) = target.and_then(|at| entries.get_mut(at)).and_then(Value::as_object_mut) else {
            return Ok(entries);
        };
        entry.insert("operation".to_owned(), Value::from("Apply"));
        entry.insert("manager".to_owned(), Value::from(applier));
    }
    let Some(found) = target.and_then(|at| entries.get(at)) else { return Ok(entries) };
    let version = text(found, "apiVersion");
    let mut all = fields(found)?;
    if let Some(other) =
        entries.iter().find(|entry| is(entry, client, "Update") && text(entry, "apiVersion") == version)
    {
        all.unite(&fields(other)?);
    }
    let all = serde_json::from_slice(&all.to_json())
        .map_err(|error| Failure::message(format!("failed to encode field set: {error}")))?;
    if let Some(entry) = target.and_then(|at| entries.get_mut(at)).and_then(Value::as_object_mut) {
        entry.insert("fieldsV1".to_owned(), all);
    }
    entries.retain(|entry| !is(entry, client, "Update"));
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_owned_goes_to_the_applier() {
        let entries = vec![
            json!({"manager": "kubectl", "operation": "Apply", "apiVersion": "v1",
                   "fieldsV1": {"f:data": {"f:a": {}}}}),
            json!({"manager": "old", "operation": "Update", "apiVersion": "v1", "fieldsV1": {"f:data": {"f:b": {}}}}),
            json!({"manager": "other", "operation": "Update", "apiVersion": "v1", "fieldsV1": {"f:x": {}}}),
        ];
        let moved = upgraded(entries, "old", "kubectl").unwrap();
        assert_eq!(moved.len(), 2);
        assert_eq!(moved[0]["fieldsV1"], json!({"f:data": {"f:a": {}, "f:b": {}}}));
    }

    #[test]
    fn a_client_alone_becomes_the_applier() {
        let entries =
            vec![json!({"manager": "old", "operation": "Update", "apiVersion": "v1", "fieldsV1": {}})];
        let moved = upgraded(entries, "old", "kubectl").unwrap();
        assert_eq!((text(&moved[0], "manager"), text(&moved[0], "operation")), ("kubectl", "Apply"));
    }
}
