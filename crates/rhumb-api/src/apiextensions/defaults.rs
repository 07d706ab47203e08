//! Defaults of the group.

use rhumb_scheme::SchemeBuilder;

use super::v1::{CustomResourceDefinitionNames, CustomResourceDefinitionStatus, ServiceReference};
use super::{v1, v1beta1};

/// The port that a webhook's service is asked at.
const WEBHOOK_PORT: i32 = 443;
/// The strategy that changes nothing but the version.
const NO_CONVERSION: &str = "None";

/// Registers the functions.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder.defaults(definition).defaults(definition_v1beta1).defaults(service);
}

fn definition(definition: &mut v1::CustomResourceDefinition) {
    let spec = &mut definition.spec;
    fill_names(&mut spec.names);
    spec.conversion.get_or_insert_with(|| {
        Box::new(v1::CustomResourceConversion { strategy: NO_CONVERSION.to_owned(), webhook: None })
    });
    let stored = spec.versions.iter().find(|version| version.storage);
    fill_stored(&mut definition.status, stored.map(|version| &version.name));
}

fn definition_v1beta1(definition: &mut v1beta1::CustomResourceDefinition) {
    let spec = &mut definition.spec;
    if spec.scope.is_empty() {
        "Namespaced".clone_into(&mut spec.scope);
    }
    fill_names(&mut spec.names);
    if spec.versions.is_empty() && !spec.version.is_empty() {
        spec.versions.push(v1beta1::CustomResourceDefinitionVersion {
            name: spec.version.clone(),
            storage: true,
            served: true,
            ..Default::default()
        });
    }
    if spec.version.is_empty()
        && let Some(first) = spec.versions.first()
    {
        spec.version.clone_from(&first.name);
    }
    let conversion = spec.conversion.get_or_insert_with(|| {
        Box::new(v1beta1::CustomResourceConversion {
            strategy: NO_CONVERSION.to_owned(),
            ..Default::default()
        })
    });
    if conversion.strategy == "Webhook" && conversion.conversion_review_versions.is_empty() {
        conversion.conversion_review_versions.push("v1beta1".to_owned());
    }
    spec.preserve_unknown_fields.get_or_insert(true);
    let stored = spec.versions.iter().find(|version| version.storage);
    fill_stored(&mut definition.status, stored.map(|version| &version.name));
}

fn fill_names(names: &mut CustomResourceDefinitionNames) {
    if names.singular.is_empty() {
        names.singular = names.kind.to_lowercase();
    }
    if names.list_kind.is_empty() && !names.kind.is_empty() {
        names.list_kind = format!("{}List", names.kind);
    }
}

/// A new definition's objects are stored in its storage version from the start.
fn fill_stored(status: &mut CustomResourceDefinitionStatus, stored: Option<&String>) {
    if status.stored_versions.is_empty() {
        status.stored_versions.extend(stored.cloned());
    }
}

fn service(service: &mut ServiceReference) {
    service.port.get_or_insert(WEBHOOK_PORT);
}
