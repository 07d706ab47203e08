//! Amendments to documents that field descriptions don't contain.

use rhumb_meta::GroupVersion;
use rhumb_schema::{Described, Shape, StructDesc};
use rhumb_scheme::openapi::Model;
use serde_json::{Map, Value, json};

use crate::operation::Content;

/// Patches of any format.
pub(crate) const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
/// Response of `/version`.
pub(crate) const VERSION_INFO: &str = "io.k8s.apimachinery.pkg.version.Info";

/// Returns the table of a type.
pub(crate) fn table_of<T: Described>() -> Option<&'static StructDesc> {
    match T::SHAPE {
        Shape::Struct(desc) => Some(desc()),
        _ => None,
    }
}

/// Returns a type as the content of requests and answers.
pub(crate) fn content_of<T: Described>() -> Content {
    table_of::<T>().map_or(Content::Text, |desc| Content::Model(Model::Struct(desc)))
}

/// Returns the schema of a model that no type stands behind.
pub(crate) fn fixed(name: &str) -> Value {
    if name != VERSION_INFO {
        return json!({ "type": "object", "description": "A change, in the format of its media type." });
    }
    json!({ "type": "object", "description": "What the server was built from." })
}

/// Fields of the `/version` response, and whether they are required.
const VERSION_FIELDS: &[(&str, bool)] = &[
    ("major", true),
    ("minor", true),
    ("emulationMajor", false),
    ("emulationMinor", false),
    ("minCompatibilityMajor", false),
    ("minCompatibilityMinor", false),
    ("gitVersion", true),
    ("gitCommit", true),
    ("gitTreeState", true),
    ("buildDate", true),
    ("goVersion", true),
    ("compiler", true),
    ("platform", true),
];

/// Returns the schema of what `/version` answers. Version 3 gives defaults to what is always there.
pub(crate) fn version_info(defaults: bool) -> Value {
    let mut properties = Map::new();
    for (name, required) in VERSION_FIELDS {
        let with_default = defaults && *required;
        let schema = if with_default {
            json!({ "type": "string", "default": "" })
        } else {
            json!({ "type": "string" })
        };
        properties.insert((*name).to_owned(), schema);
    }
    let required: Vec<&str> =
        VERSION_FIELDS.iter().filter(|(_, required)| *required).map(|(name, _)| *name).collect();
    let mut schema = fixed(VERSION_INFO);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("properties".to_owned(), Value::Object(properties));
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

/// Versions that Kubernetes no longer knows at all, even to read what was stored; its documents don't name
/// them.
pub(crate) fn is_gone(gv: &GroupVersion) -> bool {
    matches!(
        (&*gv.group, &*gv.version),
        ("meta.k8s.io" | "apidiscovery.k8s.io" | "settings.k8s.io" | "auditregistration.k8s.io", _)
            | ("autoscaling", "v2beta1" | "v2beta2")
            | ("batch", "v2alpha1")
            | ("coordination.k8s.io" | "networking.k8s.io" | "storagemigration.k8s.io", "v1alpha1")
            | ("discovery.k8s.io", "v1alpha1")
            | ("flowcontrol.apiserver.k8s.io", "v1alpha1")
            | ("resource.k8s.io", "v1alpha1" | "v1alpha2")
            | ("scheduling.k8s.io", "v1alpha1")
    )
}

/// Adds to a definition what its table does not say.
pub(crate) fn amend(name: &str, definition: &mut Value) {
    let Some(schema) = definition.as_object_mut() else { return };
    for union in UNIONS.iter().filter(|union| union.is_of(name)) {
        schema.insert("x-kubernetes-unions".to_owned(), json!([union.to_json()]));
    }
    for (model, fields) in BARE {
        if name == *model
            && let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut)
        {
            properties
                .iter_mut()
                .filter(|(field, _)| fields.contains(&field.as_str()))
                .for_each(|(_, property)| unwrap(property));
        }
    }
    for (model, field) in GRANULAR {
        if name == *model
            && let Some(property) = schema.get_mut("properties").and_then(|all| all.get_mut(field))
        {
            property["x-kubernetes-map-type"] = "granular".into();
        }
    }
}

/// A reference that is wrapped so that a description can stand beside it, without both.
fn unwrap(property: &mut Value) {
    let reference = property.get_mut("allOf").and_then(|all| all.get_mut(0)).map(Value::take);
    if let Some(reference) = reference {
        *property = reference;
    }
}

/// References that version 3 doesn't wrap, because they have no description of their own.
const BARE: &[(&str, &[&str])] = &[
    (
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps",
        &["additionalItems", "additionalProperties", "example", "externalDocs", "items", "not"],
    ),
    ("io.k8s.api.networking.v1.IngressRule", &["http"]),
];

/// Maps that are marked granular although that is the default.
const GRANULAR: &[(&str, &str)] = &[
    ("io.k8s.api.core.v1.PersistentVolumeClaimStatus", "allocatedResourceStatuses"),
    ("io.k8s.api.core.v1.PersistentVolumeSpec", "claimRef"),
];

/// Struct of which one field can be set, optionally with a discriminator.
struct Union {
    group: &'static str,
    type_name: &'static str,
    discriminator: &'static str,
    fields: &'static [(&'static str, &'static str)],
}

impl Union {
    fn is_of(&self, name: &str) -> bool {
        let versioned = name.strip_prefix("io.k8s.api.").and_then(|rest| rest.strip_prefix(self.group));
        versioned
            .and_then(|rest| rest.strip_prefix('.')?.split_once('.'))
            .is_some_and(|(_, name)| name == self.type_name)
    }

    fn to_json(&self) -> Value {
        let fields: Map<String, Value> =
            self.fields.iter().map(|(field, value)| ((*field).to_owned(), (*value).into())).collect();
        let mut union = json!({ "fields-to-discriminateBy": fields });
        if !self.discriminator.is_empty() {
            union["discriminator"] = self.discriminator.into();
        }
        union
    }
}

const LOCALHOST: &[(&str, &str)] = &[("localhostProfile", "LocalhostProfile")];
const UNIONS: &[Union] = &[
    Union { group: "core", type_name: "AppArmorProfile", discriminator: "type", fields: LOCALHOST },
    Union { group: "core", type_name: "SeccompProfile", discriminator: "type", fields: LOCALHOST },
    Union {
        group: "core",
        type_name: "PodSchedulingGroup",
        discriminator: "",
        fields: &[("podGroupName", "PodGroupName")],
    },
    Union {
        group: "flowcontrol",
        type_name: "LimitResponse",
        discriminator: "type",
        fields: &[("queuing", "Queuing")],
    },
    Union {
        group: "flowcontrol",
        type_name: "PriorityLevelConfigurationSpec",
        discriminator: "type",
        fields: &[("exempt", "Exempt"), ("limited", "Limited")],
    },
    Union {
        group: "flowcontrol",
        type_name: "Subject",
        discriminator: "kind",
        fields: &[("group", "Group"), ("serviceAccount", "ServiceAccount"), ("user", "User")],
    },
    Union {
        group: "scheduling",
        type_name: "PodGroupSchedulingPolicy",
        discriminator: "",
        fields: &[("basic", "Basic"), ("gang", "Gang")],
    },
    Union {
        group: "scheduling",
        type_name: "PodGroupTemplateReference",
        discriminator: "",
        fields: &[("workload", "Workload")],
    },
];
