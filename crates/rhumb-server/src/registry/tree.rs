//! Objects as trees of JSON, and without the entries that tell whose fields are whose.

use rhumb_meta::Object;
use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_scheme::Unstructured;
use rhumb_store::Revision;
use serde_json::Value as Json;

/// The tree of an object in some version.
pub(crate) fn tree_of(object: &dyn Object) -> Json {
    Unstructured::from_object(object).into_tree()
}

/// Takes the entries out of an object.
pub(crate) fn take_entries(object: &mut dyn Object) -> Vec<ManagedFieldsEntry> {
    let mut taken = Vec::new();
    object.edit_metadata(&mut |meta| taken = std::mem::take(&mut meta.managed_fields));
    taken
}

/// A copy of an object, without its entries.
pub(crate) fn without_entries(hub: &dyn Object) -> Box<dyn Object> {
    let mut copy = hub.clone_object();
    if hub.metadata().is_some_and(|meta| !meta.managed_fields.is_empty()) {
        take_entries(&mut *copy);
    }
    copy
}

/// The revision that an object carries.
pub(crate) fn carried(object: &dyn Object) -> Revision {
    let text = object.metadata().map(|meta| meta.resource_version.clone()).unwrap_or_default();
    Revision(text.parse().unwrap_or(0))
}
