//! The group `events.k8s.io`: what happened to objects.
//!
//! Its events are those of the core group in other words, so the core group's types are the hub of both.

pub mod v1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::core::v1 as hub;

const GROUP: &str = "events.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. Both versions have the same types.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.register::<hub::Event>(&HUB)?.register::<hub::EventList>(&HUB)?;
    builder.register::<v1::Event>(&V1)?.register::<v1::EventList>(&V1)?;
    builder.register::<v1beta1::Event>(&V1BETA1)?.register::<v1beta1::EventList>(&V1BETA1)?;
    builder.hub_conversion::<v1::Event, hub::Event>().hub_conversion::<v1::EventList, hub::EventList>();
    for gv in [&V1, &V1BETA1] {
        builder.field_labels(&gv.with_kind("Event"), event_label);
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// Fields are selected by the names that they have in the hub.
fn event_label(label: &str, value: &str) -> Result<(String, String), String> {
    let inside = match label {
        "regarding.kind" => "involvedObject.kind",
        "regarding.namespace" => "involvedObject.namespace",
        "regarding.name" => "involvedObject.name",
        "regarding.uid" => "involvedObject.uid",
        "regarding.apiVersion" => "involvedObject.apiVersion",
        "regarding.resourceVersion" => "involvedObject.resourceVersion",
        "regarding.fieldPath" => "involvedObject.fieldPath",
        "reportingController" => "reportingComponent",
        "reason" | "type" | "metadata.namespace" | "metadata.name" => label,
        _ => return Err(format!("field label not supported: {label}")),
    };
    Ok((inside.to_owned(), value.to_owned()))
}
