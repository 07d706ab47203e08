//! What a server has to know of a definition at any time. The schema is not among it: that is read when it is needed.

use std::collections::HashMap;

use rhumb_api::apiextensions::v1beta1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion, CustomResourceSubresources,
};
use rhumb_meta::version::compare;
use rhumb_structural::json_path::JsonPath;
use rhumb_structural::names::Names;
use rhumb_structural::scale::ScalePaths;
use rhumb_validation::apiextensions::{NotStructural, has_known_types, is_structural, not_structural};

use crate::registry::custom::conditions::{self, CLEANUP, names};

/// So many versions are looked through.
const FEW_VERSIONS: usize = 16;

/// A definition.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Its name, `PLURAL.GROUP`.
    pub(crate) name: String,
    /// What tells it from another one of that name.
    pub(crate) uid: String,
    /// Counts the changes of its spec.
    pub(crate) generation: i64,
    /// The group of its kind.
    pub(crate) group: String,
    /// Whether objects live in namespaces.
    pub(crate) namespaced: bool,
    /// The names that it wants.
    pub(crate) wanted: Names,
    /// The names that it has.
    pub(crate) accepted: Names,
    /// Its versions, in the order of the definition.
    pub(crate) versions: Vec<DefinedVersion>,
    /// Where they stand, by name, if there are so many that this is worth it.
    places: HashMap<String, usize>,
    /// Whether it got its names.
    pub(crate) names_accepted: bool,
    /// Whether it is, or once was, served.
    pub(crate) established: bool,
    /// Whether its objects are being removed.
    pub(crate) terminating: bool,
    /// Whether it waits for its objects to be removed.
    pub(crate) ending: bool,
    /// Whether its status tells if its schemas are structural.
    pub(crate) structure_told: bool,
}

/// A version of a definition.
#[derive(Clone, Debug)]
pub(crate) struct DefinedVersion {
    /// Its name.
    pub(crate) name: String,
    /// Whether it is offered.
    pub(crate) served: bool,
    /// Whether objects are stored in it.
    pub(crate) storage: bool,
    /// What clients of it are told.
    pub(crate) warning: Option<String>,
    /// Whether the status has a path of its own.
    pub(crate) has_status: bool,
    /// Where the numbers of its scale stand.
    pub(crate) scale: Option<ScalePaths>,
    /// The fields that objects can be selected by.
    pub(crate) fields: Vec<(String, JsonPath)>,
    /// Whether clients are told of its schema.
    pub(crate) presentable: bool,
}

impl Definition {
    /// What is said of a definition in its hub form.
    pub(crate) fn of(definition: &CustomResourceDefinition) -> Self {
        let (meta, spec) = (&definition.metadata, &definition.spec);
        let fault = not_structural(spec);
        let newest = newest(definition);
        let versions = spec.versions.iter();
        let versions = versions.map(|version| defined(definition, version, newest, fault.as_ref()));
        let versions: Vec<DefinedVersion> = versions.collect();
        let is_true = |type_: &str| {
            let found = definition.status.conditions.iter().find(|condition| condition.type_ == type_);
            found.is_some_and(|condition| condition.status == "True")
        };
        Definition {
            name: meta.name.clone(),
            uid: meta.uid.clone(),
            generation: meta.generation,
            group: spec.group.clone(),
            namespaced: spec.scope == "Namespaced",
            wanted: names(&spec.names),
            accepted: names(&definition.status.accepted_names),
            places: places(&versions),
            versions,
            names_accepted: is_true("NamesAccepted"),
            established: is_true("Established"),
            terminating: is_true("Terminating"),
            ending: meta.deletion_timestamp.is_some() && meta.finalizers.iter().any(|name| name == CLEANUP),
            structure_told: conditions::is_structure_told(definition, fault.as_ref()),
        }
    }

    /// Whether requests for its objects are answered.
    pub(crate) fn is_served(&self) -> bool {
        (self.names_accepted || self.established) && self.versions.iter().any(|version| version.storage)
    }

    /// Whether its status may lack something.
    pub(crate) fn is_unsettled(&self) -> bool {
        self.wanted != self.accepted
            || (self.names_accepted && !self.established)
            || conditions::is_protected(&self.group)
            || !self.structure_told
    }

    /// Whether another state of it is served by the same endpoints.
    pub(crate) fn serves_as(&self, other: &Definition) -> bool {
        self.uid == other.uid && self.generation == other.generation && self.accepted == other.accepted
    }

    /// The version of a name.
    pub(crate) fn version(&self, name: &str) -> Option<&DefinedVersion> {
        self.versions.get(self.place_of(name)?)
    }

    /// Where the version of a name stands.
    pub(crate) fn place_of(&self, name: &str) -> Option<usize> {
        match self.places.is_empty() {
            true => self.versions.iter().position(|version| version.name == name),
            false => self.places.get(name).copied(),
        }
    }

    /// The names of the versions that are offered.
    pub(crate) fn served_versions(&self) -> impl Iterator<Item = &str> {
        self.versions.iter().filter(|version| version.served).map(|version| version.name.as_str())
    }

    /// The version that objects are stored in.
    pub(crate) fn storage_version(&self) -> Option<&DefinedVersion> {
        self.versions.iter().find(|version| version.storage)
    }
}

/// The places of versions by name, if there are many: everything that goes through all of them would look for each.
fn places(versions: &[DefinedVersion]) -> HashMap<String, usize> {
    if versions.len() <= FEW_VERSIONS {
        return HashMap::new();
    }
    // Of several with one name the first counts.
    versions.iter().enumerate().rev().map(|(place, version)| (version.name.clone(), place)).collect()
}

/// Subresources of a version, its own or those of all.
fn subresources<'a>(
    definition: &'a CustomResourceDefinition,
    version: &'a CustomResourceDefinitionVersion,
) -> Option<&'a CustomResourceSubresources> {
    version.subresources.as_deref().or(definition.spec.subresources.as_deref())
}

fn defined(
    definition: &CustomResourceDefinition,
    version: &CustomResourceDefinitionVersion,
    newest: Option<&str>,
    fault: Option<&NotStructural>,
) -> DefinedVersion {
    let below = subresources(definition, version);
    let scale = below.and_then(|below| below.scale.as_deref()).map(|scale| ScalePaths {
        spec_replicas: scale.spec_replicas_path.clone(),
        status_replicas: scale.status_replicas_path.clone(),
        label_selector: scale.label_selector_path.clone().filter(|path| !path.is_empty()),
    });
    let fields = match version.selectable_fields.as_slice() {
        [] => &definition.spec.selectable_fields,
        _ => &version.selectable_fields,
    };
    let field = |path: &str| {
        let name = path.strip_prefix('.').unwrap_or(path).to_owned();
        JsonPath::parse(path).ok().map(|path| (name, path))
    };
    let schema = version.schema.as_deref().or(definition.spec.validation.as_deref());
    let schema = schema.and_then(|schema| schema.open_api_v3_schema.as_deref());
    // Where nothing is wrong with the whole, no version has to be looked at again.
    let presentable = |schema| has_known_types(schema) && (fault.is_none() || is_structural(schema));
    DefinedVersion {
        presentable: schema.is_none_or(presentable),
        name: version.name.clone(),
        served: version.served,
        storage: version.storage,
        warning: version.deprecated.then(|| deprecation(definition, version, newest)),
        has_status: below.is_some_and(|below| below.status.is_some()),
        scale,
        fields: fields.iter().filter_map(|selectable| field(&selectable.json_path)).collect(),
    }
}

/// The newest of the versions that are served and not deprecated.
fn newest(definition: &CustomResourceDefinition) -> Option<&str> {
    let versions = definition.spec.versions.iter();
    let good = versions.filter(|version| version.served && !version.deprecated);
    good.map(|version| version.name.as_str()).max_by(|one, other| compare(one, other))
}

/// What clients of a deprecated version are told: the definition's words, or which version to use.
fn deprecation(
    definition: &CustomResourceDefinition,
    version: &CustomResourceDefinitionVersion,
    newest: Option<&str>,
) -> String {
    if let Some(text) = version.deprecation_warning.as_ref() {
        return text.clone();
    }
    let (group, kind) = (&definition.spec.group, &definition.spec.names.kind);
    let text = format!("{group}/{} {kind} is deprecated", version.name);
    match newest.filter(|newest| compare(&version.name, newest).is_lt()) {
        Some(newest) => format!("{text}; use {group}/{newest} {kind}"),
        None => text,
    }
}
