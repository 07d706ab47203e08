//! Strategies of `apiextensions.k8s.io`. The hub of definitions is v1beta1.

use std::collections::HashSet;

use rhumb_api::apiextensions::v1::{JSONSchemaProps, JSONSchemaPropsOrBool};
use rhumb_api::apiextensions::v1beta1::CustomResourceDefinition;
use rhumb_schema::text::quoted;

use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::parts::next;
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

const VERSIONS: &[&str] = &["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"];

/// String formats of schemas without dashes, which are ignored.
const FORMATS: &[&str] = &[
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "datetime",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8slongname",
    "k8sshortname",
    "mac",
    "password",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("apiextensions.k8s.io", "CustomResourceDefinition")
            .conditional_update()
            .same_fields()
            .generation(Generation::Counted)
            .create(create)
            .update(update)
            .warn_create(|definition| unknown_formats(definition).into_iter().map(warning).collect())
            .warn_update(|new, old| {
                let before: HashSet<&str> = unknown_formats(old).into_iter().collect();
                let added = unknown_formats(new).into_iter().filter(|format| !before.contains(format));
                added.map(warning).collect()
            })
            .resets(VERSIONS, STATUS)
            .on("status", Part::new(update_status).resets(VERSIONS, SPEC)),
    )?;
    Ok(())
}

fn create(definition: &mut CustomResourceDefinition, _: &Context) {
    definition.status = Default::default();
    definition.metadata.generation = 1;
    note_stored_version(definition);
}

fn update(new: &mut CustomResourceDefinition, old: &CustomResourceDefinition, _: &Context) {
    new.status = old.status.clone();
    if new.spec != old.spec {
        next(&mut new.metadata, &old.metadata);
    }
    note_stored_version(new);
}

/// The metadata of a status update stays as it was sent: Kubernetes means to reset it, but resets it to
/// itself.
fn update_status(new: &mut CustomResourceDefinition, old: &CustomResourceDefinition, _: &Context) {
    new.spec = old.spec.clone();
}

/// Objects may be stored in the version from now on, so someone who drops it must know.
fn note_stored_version(definition: &mut CustomResourceDefinition) {
    let Some(stored) = definition.spec.versions.iter().find(|version| version.storage) else { return };
    if !definition.status.stored_versions.contains(&stored.name) {
        definition.status.stored_versions.push(stored.name.clone());
    }
}

fn warning(format: &str) -> String {
    format!("unrecognized format {}", quoted(format))
}

fn unknown_formats(definition: &CustomResourceDefinition) -> Vec<&str> {
    let spec = &definition.spec;
    let versions = spec.versions.iter().filter_map(|version| version.schema.as_ref());
    let schemas = spec.validation.iter().chain(versions);
    let mut found = Vec::new();
    for schema in schemas.filter_map(|validation| validation.open_api_v3_schema.as_deref()) {
        visit(schema, &mut found);
    }
    found
}

/// Goes through a schema in the order in which Kubernetes warns. Decoders bound how deep schemas are.
fn visit<'a>(schema: &'a JSONSchemaProps, found: &mut Vec<&'a str>) {
    if !schema.format.is_empty() && !is_known(&schema.type_, &schema.format) {
        found.push(&schema.format);
    }
    let items =
        schema.items.iter().flat_map(|items| items.schema.as_deref().into_iter().chain(&items.json_schemas));
    let combined =
        schema.all_of.iter().chain(&schema.any_of).chain(&schema.one_of).chain(schema.not.as_deref());
    let additional =
        |bound: Option<&'a JSONSchemaPropsOrBool>| bound.and_then(|bound| bound.schema.as_deref());
    let below = items
        .chain(combined)
        .chain(schema.properties.values())
        .chain(additional(schema.additional_properties.as_deref()))
        .chain(schema.pattern_properties.values())
        .chain(additional(schema.additional_items.as_deref()))
        .chain(schema.definitions.values())
        .chain(schema.dependencies.values().filter_map(|dependency| dependency.schema.as_deref()));
    below.for_each(|schema| visit(schema, found));
}

fn is_known(type_: &str, format: &str) -> bool {
    match type_ {
        "" | "string" => FORMATS.contains(&format.replace('-', "").as_str()),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}
