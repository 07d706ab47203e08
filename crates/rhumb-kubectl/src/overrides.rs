//! `--overrides`: patches a generated object.

use rhumb_cli::Failure;
use rhumb_cli::command::{Flag, Flags};
use rhumb_patch::{PatchError, json_patch, merge, strategic};
use rhumb_schema::to_tree;
use rhumb_scheme::Unstructured;
use serde_json::Value;

use crate::{built_in, typed};

/// The flags.
pub(crate) static FLAGS: &[Flag] = &[
    Flag::text("overrides", "JSON that changes the object before it is sent."),
    Flag::text("override-type", "What kind of patch --overrides is: json, merge or strategic.")
        .default("merge")
        .choices(&["json", "merge", "strategic"]),
];

/// Returns an object with the changes that the flags ask for.
pub(crate) fn apply(flags: &Flags, object: Unstructured) -> Result<Unstructured, Failure> {
    let overrides = flags.text("overrides");
    if overrides.is_empty() {
        return Ok(object);
    }
    let wrong = |error: PatchError| Failure::message(error.detail());
    let mut tree = to_tree(&*typed::read(&object)?);
    match flags.text("override-type") {
        "json" => json_patch::apply(&mut tree, overrides.as_bytes()).map_err(wrong)?,
        "merge" | "" => {
            let patch =
                merge::decode(overrides.as_bytes()).map_err(|_| Failure::message("Invalid JSON Patch"))?;
            merge::apply(&mut tree, &patch).map_err(|_| Failure::message("Invalid JSON Patch"))?;
        }
        "strategic" => {
            let patch: Value =
                serde_json::from_str(overrides).map_err(|_| Failure::message("invalid JSON document"))?;
            let table = built_in::table(&typed::kind_of(&object))
                .ok_or_else(|| Failure::message("the object is of no built-in kind"))?;
            strategic::apply(&mut tree, &patch, table).map_err(wrong)?;
        }
        other => return Err(format!("invalid override type: {other}").into()),
    }
    Unstructured::new(tree).ok_or_else(|| Failure::message("the overrides leave no object"))
}
