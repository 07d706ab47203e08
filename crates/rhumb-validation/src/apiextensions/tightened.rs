//! Rules that came after definitions without them, from which existing definitions are exempt.

use std::collections::{HashMap, HashSet};

use rhumb_api::apiextensions::v1beta1::{
    CustomResourceDefinition, CustomResourceDefinitionSpec, CustomResourceDefinitionVersion, JSONSchemaProps,
};
use rhumb_schema::budget;
use rhumb_structural::UnknownFields;

use super::conversion::has_known_review_version;
use super::expressions::Stored;
use super::openapi::{TYPES, list_items_problems};
use super::serving::MAX_SELECTABLE;
use super::structural::structural;
use crate::webhook::ca_bundle_problem;

/// Which of the later rules hold.
#[derive(Clone, Debug)]
pub(super) struct Tightened {
    /// Reviews must be in a version that servers speak.
    pub(super) review_version: bool,
    /// Names and scope may not change.
    pub(super) names: bool,
    /// There must be a schema.
    pub(super) schema: bool,
    /// Types must be known.
    pub(super) types: bool,
    /// Schemas must be structural.
    pub(super) structural: bool,
    /// Defaults may not have unknown fields.
    pub(super) defaults: UnknownFields,
    /// Elements of sets must be atomic.
    pub(super) atomic_sets: bool,
    /// Elements of sets and maps, and keys of maps, may not be absent.
    pub(super) list_items: bool,
    /// The certificates of a webhook must be readable.
    pub(super) ca_bundle: bool,
    /// Versions that may have too many fields to select by; the empty name is what stands at the top.
    pub(super) many_selectable: HashSet<String>,
    /// Expressions that were accepted before.
    pub(super) stored: Stored,
    /// Versions whose schemas are as they were, if those have rules in CEL.
    pub(super) unchanged: HashSet<String>,
}

impl Tightened {
    /// Returns all of them, for what is new. Certificates matter only once the kind is served.
    pub(super) fn all() -> Self {
        Tightened {
            review_version: true,
            names: false,
            schema: true,
            types: true,
            structural: true,
            defaults: UnknownFields::Refused,
            atomic_sets: true,
            list_items: true,
            ca_bundle: false,
            many_selectable: HashSet::new(),
            stored: Stored::default(),
            unchanged: HashSet::new(),
        }
    }

    /// Those that the old form keeps already.
    pub(super) fn since(new: &CustomResourceDefinition, old: &CustomResourceDefinition) -> Self {
        let spec = &old.spec;
        let is_established =
            old.status.conditions.iter().any(|known| known.type_ == "Established" && known.status == "True");
        let conversion = spec.conversion.as_deref();
        let reviews = conversion.map_or(&[][..], |conversion| &conversion.conversion_review_versions);
        let bundle = conversion
            .and_then(|conversion| conversion.webhook_client_config.as_deref())
            .map_or(&[][..], |config| &config.ca_bundle.0);
        let unknown_defaults = any_schema(spec, |schema| {
            has(schema, &|schema| schema.default.is_some())
                && structural(schema).is_some_and(|defaults| defaults.have_unknown_fields())
        });
        let stored = Stored::of(spec);
        let unchanged = if stored.is_empty() { HashSet::new() } else { unchanged_versions(&new.spec, spec) };
        Tightened {
            stored,
            unchanged,
            review_version: reviews.is_empty() || has_known_review_version(reviews),
            names: is_established,
            schema: has_all_schemas(spec),
            types: !any_within(spec, |schema| {
                !schema.type_.is_empty() && !TYPES.contains(&schema.type_.as_str())
            }),
            structural: !any_schema(spec, |schema| structural(schema).is_none()),
            defaults: if unknown_defaults { UnknownFields::Allowed } else { UnknownFields::Refused },
            atomic_sets: !any_within(spec, has_loose_set),
            list_items: !any_within(spec, |schema| {
                !list_items_problems(schema, &rhumb_scheme::validation::FieldPath::root()).is_empty()
            }),
            ca_bundle: is_established && ca_bundle_problem(bundle).is_none(),
            many_selectable: many_selectable(&new.spec, spec),
        }
    }
}

/// Returns the names of the versions whose schemas are as they were.
fn unchanged_versions(
    new: &CustomResourceDefinitionSpec,
    old: &CustomResourceDefinitionSpec,
) -> HashSet<String> {
    let before: HashMap<&str, _> = old.versions.iter().map(|before| (before.name.as_str(), before)).collect();
    let is_same = |version: &&CustomResourceDefinitionVersion| {
        before.get(version.name.as_str()).is_some_and(|before| {
            let (new, old) = (&new.validation, &old.validation);
            version.schema.as_ref().or(new.as_ref()) == before.schema.as_ref().or(old.as_ref())
        })
    };
    new.versions.iter().filter(is_same).map(|version| version.name.clone()).collect()
}

fn many_selectable(
    new: &CustomResourceDefinitionSpec,
    old: &CustomResourceDefinitionSpec,
) -> HashSet<String> {
    let mut allowed = HashSet::new();
    if old.selectable_fields.len() > MAX_SELECTABLE && new.selectable_fields == old.selectable_fields {
        allowed.insert(String::new());
    }
    // Of several with a name the last counts.
    let before: HashMap<&str, _> = old.versions.iter().map(|before| (before.name.as_str(), before)).collect();
    for version in &new.versions {
        let before = before.get(version.name.as_str());
        if before.is_some_and(|before| {
            before.selectable_fields.len() > MAX_SELECTABLE
                && before.selectable_fields == version.selectable_fields
        }) {
            allowed.insert(version.name.clone());
        }
    }
    allowed
}

/// Reports whether there is a schema at the top, or one in every version.
fn has_all_schemas(spec: &CustomResourceDefinitionSpec) -> bool {
    let at_top = spec.validation.as_ref().is_some_and(|it| it.open_api_v3_schema.is_some());
    at_top
        || spec
            .versions
            .iter()
            .all(|version| version.schema.as_ref().is_some_and(|it| it.open_api_v3_schema.is_some()))
}

/// Reports whether something holds for the schema at the top or that of a version.
fn any_schema(spec: &CustomResourceDefinitionSpec, holds: impl Fn(&JSONSchemaProps) -> bool) -> bool {
    let versions = spec.versions.iter().filter_map(|version| version.schema.as_deref());
    let all = spec.validation.as_deref().into_iter().chain(versions);
    all.filter_map(|validation| validation.open_api_v3_schema.as_deref()).any(holds)
}

/// Reports whether something holds anywhere within the schemas of a definition.
pub(super) fn any_within(
    spec: &CustomResourceDefinitionSpec,
    holds: impl Fn(&JSONSchemaProps) -> bool,
) -> bool {
    any_schema(spec, |schema| has(schema, &holds))
}

/// Reports whether something holds for a schema or one within it.
pub(super) fn has(schema: &JSONSchemaProps, holds: &dyn Fn(&JSONSchemaProps) -> bool) -> bool {
    if budget::is_stopped() || holds(schema) {
        return true;
    }
    let one = |schema: Option<&JSONSchemaProps>| schema.is_some_and(|schema| has(schema, holds));
    let items = schema.items.as_deref();
    let lists = [&schema.all_of, &schema.any_of, &schema.one_of];
    let maps = [&schema.properties, &schema.pattern_properties, &schema.definitions];
    let either = [&schema.additional_properties, &schema.additional_items];
    one(items.and_then(|items| items.schema.as_deref()))
        || items.is_some_and(|items| items.json_schemas.iter().any(|schema| has(schema, holds)))
        || lists.into_iter().flatten().any(|schema| has(schema, holds))
        || one(schema.not.as_deref())
        || maps.into_iter().flat_map(|map| map.values()).any(|schema| has(schema, holds))
        || either.into_iter().flatten().any(|either| one(either.schema.as_deref()))
        || schema.dependencies.values().any(|dependency| one(dependency.schema.as_deref()))
}

/// Reports whether the elements of a set have parts that could be merged one by one.
fn has_loose_set(schema: &JSONSchemaProps) -> bool {
    if schema.x_kubernetes_list_type.as_deref() != Some("set") {
        return false;
    }
    let Some(items) = schema.items.as_ref().and_then(|items| items.schema.as_deref()) else { return false };
    match items.type_.as_str() {
        "array" => items.x_kubernetes_list_type.as_deref().is_some_and(|type_| type_ != "atomic"),
        "object" => items.x_kubernetes_map_type.as_deref() != Some("atomic"),
        _ => false,
    }
}
