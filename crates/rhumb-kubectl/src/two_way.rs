//! Two-way patches of built-in kinds.

use rhumb_cli::options::DryRun;
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure};
use rhumb_client::Patch;
use rhumb_meta::v1::PatchOptions;
use rhumb_patch::strategic;
use rhumb_schema::to_tree;
use rhumb_scheme::Unstructured;
use serde_json::{Map, Value};

use crate::{built_in, typed};

/// Returns an object as its type has it: nothing that the type doesn't know, and what the type always shows.
pub(crate) fn read(object: &Unstructured) -> Result<Unstructured, Failure> {
    Ok(Unstructured::from_object(&*typed::read(object)?))
}

/// Returns the strategic merge patch from one state of an object to another; `None` if nothing changes.
pub(crate) fn patch(before: &Unstructured, after: &Unstructured) -> Result<Option<Value>, Failure> {
    let kind = typed::kind_of(before);
    let Some(table) = built_in::table(&kind) else {
        let (kind, version) = (&kind.kind, kind.group_version());
        return Err(Failure::message(format!("no kind {kind:?} is registered for version {version}")));
    };
    let (before, after) = (to_tree(&*typed::read(before)?), to_tree(&*typed::read(after)?));
    let patch = strategic::create_two_way(&before, &after, table, &[])
        .map_err(|error| Failure::message(error.to_string()))?;
    Ok(Some(patch).filter(|patch| patch.as_object().is_some_and(|fields| !fields.is_empty())))
}

/// Sends a strategic merge patch.
pub(crate) async fn send(
    call: &Call,
    info: &Info,
    patch: Value,
    dry_run: DryRun,
) -> Result<Unstructured, rhumb_client::Error> {
    let options = PatchOptions {
        dry_run: dry_run.param(),
        field_manager: call.flags.text("field-manager").to_owned(),
        ..PatchOptions::default()
    };
    match info.api() {
        Ok(api) => api.patch(&info.name, &Patch::Strategic(patch), &options).await,
        Err(_) => Err(rhumb_client::Error::Unexpected("there is no server to ask".to_owned())),
    }
}

/// Returns the value at a path, with objects made on the way where there are none.
pub(crate) fn at_mut<'a>(fields: &'a mut Map<String, Value>, path: &[&str]) -> &'a mut Map<String, Value> {
    let Some((first, rest)) = path.split_first() else { return fields };
    let value = fields.entry(*first).or_insert_with(|| Value::Object(Map::new()));
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(inner) => at_mut(inner, rest),
        // It was made an object just now.
        _ => unreachable!("an object was put here"),
    }
}
