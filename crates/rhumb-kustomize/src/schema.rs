//! Merge keys of lists, for built-in kinds and a kustomization's schemas.
//!
//! The built-in kinds are those of Kubernetes 1.21, because kustomize knows no newer ones: lists of a kind
//! that came later are replaced as a whole.

use serde_json::Value;

use crate::fault::{Outcome, fail};

/// Schema of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Schema<'s> {
    /// An object of a type in the table below.
    Object(&'static str),
    /// A list that is merged by these keys, or by its values if there are none, and the type of its elements.
    Merged(&'static [&'static str], &'static str),
    /// Something without lists to be merged.
    Plain,
    /// A schema of a document, and the document.
    Document(&'s Value, &'s Value),
}

/// API versions and their kinds.
const KINDS: &[(&str, &[&str])] = &[
    ("admissionregistration.k8s.io/v1", WEBHOOKS),
    ("admissionregistration.k8s.io/v1beta1", WEBHOOKS),
    ("apiextensions.k8s.io/v1", &["CustomResourceDefinition"]),
    ("apiextensions.k8s.io/v1beta1", &["CustomResourceDefinition"]),
    ("apiregistration.k8s.io/v1", &["APIService"]),
    ("apiregistration.k8s.io/v1beta1", &["APIService"]),
    ("apps/v1", &["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
    ("authentication.k8s.io/v1", &["TokenRequest", "TokenReview"]),
    ("authentication.k8s.io/v1beta1", &["TokenReview"]),
    ("authorization.k8s.io/v1", REVIEWS),
    ("authorization.k8s.io/v1beta1", REVIEWS),
    ("autoscaling/v1", &["HorizontalPodAutoscaler", "Scale"]),
    ("autoscaling/v2beta1", &["HorizontalPodAutoscaler"]),
    ("autoscaling/v2beta2", &["HorizontalPodAutoscaler"]),
    ("batch/v1", &["CronJob", "Job"]),
    ("batch/v1beta1", &["CronJob"]),
    ("certificates.k8s.io/v1", &["CertificateSigningRequest"]),
    ("certificates.k8s.io/v1beta1", &["CertificateSigningRequest"]),
    ("coordination.k8s.io/v1", &["Lease"]),
    ("coordination.k8s.io/v1beta1", &["Lease"]),
    ("discovery.k8s.io/v1", &["EndpointSlice"]),
    ("discovery.k8s.io/v1beta1", &["EndpointSlice"]),
    ("events.k8s.io/v1", &["Event"]),
    ("events.k8s.io/v1beta1", &["Event"]),
    ("extensions/v1beta1", &["Ingress"]),
    ("flowcontrol.apiserver.k8s.io/v1beta1", &["FlowSchema", "PriorityLevelConfiguration"]),
    ("networking.k8s.io/v1", &["Ingress", "IngressClass", "NetworkPolicy"]),
    ("networking.k8s.io/v1beta1", &["Ingress", "IngressClass"]),
    ("node.k8s.io/v1", &["RuntimeClass"]),
    ("node.k8s.io/v1beta1", &["RuntimeClass"]),
    ("policy/v1", &["PodDisruptionBudget"]),
    ("policy/v1beta1", &["Eviction", "PodDisruptionBudget", "PodSecurityPolicy"]),
    ("rbac.authorization.k8s.io/v1", ROLES),
    ("rbac.authorization.k8s.io/v1beta1", ROLES),
    ("scheduling.k8s.io/v1", &["PriorityClass"]),
    ("scheduling.k8s.io/v1beta1", &["PriorityClass"]),
    ("storage.k8s.io/v1", &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"]),
    (
        "storage.k8s.io/v1beta1",
        &["CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass", "VolumeAttachment"],
    ),
    (
        "v1",
        &[
            "Binding",
            "ComponentStatus",
            "ConfigMap",
            "Endpoints",
            "Event",
            "LimitRange",
            "Namespace",
            "Node",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "Pod",
            "PodTemplate",
            "ReplicationController",
            "ResourceQuota",
            "Secret",
            "Service",
            "ServiceAccount",
        ],
    ),
];

const WEBHOOKS: &[&str] = &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
const ROLES: &[&str] = &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
const REVIEWS: &[&str] =
    &["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"];

/// Returns the type of a built-in kind.
fn type_of(kind: &str) -> &'static str {
    match kind {
        "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet" | "ReplicationController" | "Job" => {
            "Workload"
        }
        "CronJob" => "CronJob",
        "Pod" => "Pod",
        "PodTemplate" => "PodTemplate",
        "Service" => "Service",
        "ServiceAccount" => "ServiceAccount",
        "Node" => "Node",
        "Namespace" | "PersistentVolumeClaim" | "PodDisruptionBudget" | "APIService" => "WithConditions",
        "ComponentStatus" => "Conditions",
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => "Webhooks",
        "CSINode" => "CSINode",
        _ => "Object",
    }
}

/// Returns the schema of a type's field, as far as it contains merged lists.
fn field_of(parent: &str, field: &str) -> Schema<'static> {
    use Schema::{Merged, Object, Plain};
    match (parent, field) {
        ("Metadata", "finalizers") => Merged(&[], ""),
        ("Metadata", "ownerReferences") => Merged(&["uid"], ""),
        ("WorkloadSpec", "template") => Object("PodInTemplate"),
        ("CronJobSpec", "jobTemplate") => Object("JobTemplate"),
        ("CronJob", "spec") => Object("CronJobSpec"),
        ("Workload" | "JobTemplate", "spec") => Object("WorkloadSpec"),
        ("Pod" | "PodInTemplate", "spec") => Object("PodSpec"),
        ("PodTemplate", "template") => Object("PodInTemplate"),
        ("Pod", "status") => Object("PodStatus"),
        ("PodStatus", "podIPs") => Merged(&["ip"], ""),
        ("Service", "spec") => Object("ServiceSpec"),
        ("ServiceSpec", "ports") => Merged(&["port", "protocol"], ""),
        ("ServiceAccount", "secrets") => Merged(&["name"], ""),
        ("Node", "spec") => Object("NodeSpec"),
        ("NodeSpec", "podCIDRs") => Merged(&[], ""),
        ("Node", "status") => Object("NodeStatus"),
        ("NodeStatus", "addresses") => Merged(&["type"], ""),
        ("Conditions" | "PodStatus" | "NodeStatus", "conditions") => Merged(&["type"], ""),
        ("Webhooks", "webhooks") => Merged(&["name"], ""),
        ("CSINode", "spec") => Object("CSINodeSpec"),
        ("CSINodeSpec", "drivers") => Merged(&["name"], ""),
        ("Workload" | "Service" | "WithConditions", "status") => Object("Conditions"),
        ("PodSpec", "containers" | "initContainers") => Merged(&["name"], "Container"),
        ("PodSpec", "ephemeralContainers") => Merged(&["name"], "EphemeralContainer"),
        ("PodSpec", "hostAliases") => Merged(&["ip"], ""),
        ("PodSpec", "imagePullSecrets") => Merged(&["name"], ""),
        ("PodSpec", "topologySpreadConstraints") => Merged(&["topologyKey", "whenUnsatisfiable"], ""),
        ("PodSpec", "volumes") => Merged(&["name"], "Volume"),
        ("Volume", "ephemeral") => Object("EphemeralVolume"),
        ("EphemeralVolume", "volumeClaimTemplate") => Object("ClaimTemplate"),
        ("Container", "ports") => Merged(&["containerPort", "protocol"], ""),
        ("Container" | "EphemeralContainer", "env") => Merged(&["name"], ""),
        ("Container" | "EphemeralContainer", "volumeDevices") => Merged(&["devicePath"], ""),
        ("Container" | "EphemeralContainer", "volumeMounts") => Merged(&["mountPath"], ""),
        (
            "Object" | "Workload" | "CronJob" | "JobTemplate" | "Pod" | "PodInTemplate" | "PodTemplate"
            | "Service" | "ServiceAccount" | "Node" | "WithConditions" | "Conditions" | "Webhooks"
            | "CSINode" | "ClaimTemplate",
            "metadata",
        ) => Object("Metadata"),
        _ => Plain,
    }
}

/// Maximum depth of references in a document.
const MAX_REFERENCES: usize = 32;

impl<'s> Schema<'s> {
    /// Returns the schema of a field.
    pub(crate) fn field(self, name: &str) -> Option<Schema<'s>> {
        match self {
            Schema::Object(parent) => Some(field_of(parent, name)),
            Schema::Merged(..) | Schema::Plain => Some(Schema::Plain),
            Schema::Document(schema, document) => {
                let property = schema.get("properties").and_then(|properties| properties.get(name));
                let additional = || schema.get("additionalProperties").filter(|value| value.is_object());
                follow(property.or_else(additional)?, document)
            }
        }
    }

    /// Returns the schema of a list's elements.
    pub(crate) fn elements(self) -> Option<Schema<'s>> {
        match self {
            Schema::Merged(_, "") | Schema::Object(_) | Schema::Plain => Some(Schema::Plain),
            Schema::Merged(_, element) => Some(Schema::Object(element)),
            Schema::Document(schema, document) => follow(schema.get("items")?, document),
        }
    }

    /// Returns the keys that a list is merged by, if it is merged.
    pub(crate) fn merge_keys(self) -> Option<Vec<String>> {
        match self {
            Schema::Merged(keys, _) => Some(keys.iter().map(|key| (*key).to_owned()).collect()),
            Schema::Object(_) | Schema::Plain => None,
            Schema::Document(schema, _) => {
                let strategy = schema.get("x-kubernetes-patch-strategy")?.as_str()?;
                if !strategy.split(',').any(|word| word == "merge") {
                    return None;
                }
                let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
                match schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array) {
                    Some(keys) => Some(keys.iter().filter_map(text).collect()),
                    None => {
                        Some(schema.get("x-kubernetes-patch-merge-key").and_then(text).into_iter().collect())
                    }
                }
            }
        }
    }
}

/// Follows references to what they stand for.
fn follow<'s>(mut schema: &'s Value, document: &'s Value) -> Option<Schema<'s>> {
    for _ in 0..MAX_REFERENCES {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(Schema::Document(schema, document));
        };
        schema = document.pointer(reference.strip_prefix('#')?)?;
    }
    None
}

/// Schemas of a build.
#[derive(Debug, Clone, Default)]
pub(crate) struct Schemas {
    document: Option<Value>,
    is_set: bool,
}

impl Schemas {
    /// Takes what a kustomization says about schemas; the first that says something decides.
    pub(crate) fn choose(
        &mut self,
        version: Option<&String>,
        document: impl FnOnce() -> Outcome<Option<Value>>,
    ) -> Outcome<()> {
        let document = document()?;
        if self.is_set {
            return Ok(());
        }
        match (document, version) {
            (Some(_), Some(_)) => fail("builtin version and custom schema provided, cannot use both"),
            (Some(document), None) => {
                self.document = Some(document);
                self.is_set = true;
                Ok(())
            }
            (None, None) => Ok(()),
            (None, Some(version)) if version.is_empty() => Ok(()),
            (None, Some(version)) if version == "v1.21.2" => {
                self.is_set = true;
                Ok(())
            }
            (None, Some(_)) => fail("the specified OpenAPI version is not built in"),
        }
    }

    /// Returns the schema of a kind.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<Schema<'_>> {
        let Some(document) = &self.document else {
            let known = KINDS.iter().any(|(version, kinds)| *version == api_version && kinds.contains(&kind));
            return known.then(|| Schema::Object(type_of(kind)));
        };
        let (group, version) = crate::id::split_api_version(api_version);
        let is_kind = |gvk: &Value| {
            let text = |key: &str| gvk.get(key).and_then(Value::as_str).unwrap_or_default();
            text("group") == group && text("version") == version && text("kind") == kind
        };
        let definitions = document.get("definitions")?.as_object()?;
        let found = definitions.values().find(|definition| {
            let kinds = definition.get("x-kubernetes-group-version-kind").and_then(Value::as_array);
            kinds.is_some_and(|kinds| kinds.iter().any(is_kind))
        });
        found.map(|definition| Schema::Document(definition, document))
    }
}
