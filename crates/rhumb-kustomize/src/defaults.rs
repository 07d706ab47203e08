//! Default fields of transformers.
//!
//! Most of them are fields of a pod, which stands at different places in different kinds; the tables say the
//! place and the field apart.

use crate::config::{Config, Defaults, NameReference};
use crate::fieldspec::FieldSpec;
use crate::id::Gvk;

/// Kinds with a pod, and the path of its spec.
const PODS: [(&str, &str); 8] = [
    ("Pod", "spec"),
    ("PodTemplate", "template/spec"),
    ("Deployment", "spec/template/spec"),
    ("ReplicaSet", "spec/template/spec"),
    ("DaemonSet", "spec/template/spec"),
    ("StatefulSet", "spec/template/spec"),
    ("Job", "spec/template/spec"),
    ("CronJob", "spec/jobTemplate/spec/template/spec"),
];

/// Kinds whose pods' service accounts, claims and priority classes are updated.
const RUNNERS: [(&str, &str); 7] = [
    ("Pod", "spec"),
    ("StatefulSet", "spec/template/spec"),
    ("Deployment", "spec/template/spec"),
    ("ReplicationController", "spec/template/spec"),
    ("CronJob", "spec/jobTemplate/spec/template/spec"),
    ("Job", "spec/template/spec"),
    ("DaemonSet", "spec/template/spec"),
];

const CONFIG_MAP_IN_POD: [&str; 6] = [
    "volumes/configMap/name",
    "containers/env/valueFrom/configMapKeyRef/name",
    "initContainers/env/valueFrom/configMapKeyRef/name",
    "containers/envFrom/configMapRef/name",
    "initContainers/envFrom/configMapRef/name",
    "volumes/projected/sources/configMap/name",
];

const SECRET_IN_POD: [&str; 7] = [
    "volumes/secret/secretName",
    "containers/env/valueFrom/secretKeyRef/name",
    "initContainers/env/valueFrom/secretKeyRef/name",
    "containers/envFrom/secretRef/name",
    "initContainers/envFrom/secretRef/name",
    "imagePullSecrets/name",
    "volumes/projected/sources/secret/name",
];

const RBAC: &str = "rbac.authorization.k8s.io";
const ADMISSION: &str = "admissionregistration.k8s.io";

/// Kinds and fields outside pods that name ConfigMaps.
const CONFIG_MAP_ELSEWHERE: [(&str, &str); 4] = [
    ("Node", "spec/configSource/configMap"),
    ("Role", "rules/resourceNames"),
    ("ClusterRole", "rules/resourceNames"),
    ("Ingress", "metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap"),
];

/// Kinds and fields outside pods that name Secrets.
const SECRET_ELSEWHERE: [(&str, &str); 12] = [
    ("Ingress", "spec/tls/secretName"),
    ("Ingress", "metadata/annotations/ingress.kubernetes.io\\/auth-secret"),
    ("Ingress", "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret"),
    ("Ingress", "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret"),
    ("ServiceAccount", "imagePullSecrets/name"),
    ("StorageClass", "parameters/secretName"),
    ("StorageClass", "parameters/adminSecretName"),
    ("StorageClass", "parameters/userSecretName"),
    ("StorageClass", "parameters/secretRef"),
    ("Role", "rules/resourceNames"),
    ("ClusterRole", "rules/resourceNames"),
    ("PersistentVolume", "spec/azureFile/secretName"),
];

/// Group, kind and field of references to Services.
const SERVICE_FIELDS: [(&str, &str, &str); 8] = [
    ("apps", "StatefulSet", "spec/serviceName"),
    ("", "Ingress", "spec/rules/http/paths/backend/serviceName"),
    ("", "Ingress", "spec/backend/serviceName"),
    ("", "Ingress", "spec/rules/http/paths/backend/service/name"),
    ("", "Ingress", "spec/defaultBackend/service/name"),
    ("apiregistration.k8s.io", "APIService", "spec/service/name"),
    (ADMISSION, "ValidatingWebhookConfiguration", "webhooks/clientConfig/service"),
    (ADMISSION, "MutatingWebhookConfiguration", "webhooks/clientConfig/service"),
];

/// Fields of a Deployment's or StatefulSet's pod with selectors of its own labels.
const POD_SELECTORS: [&str; 5] = [
    "affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector\
     /matchLabels",
    "affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    "affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector\
     /matchLabels",
    "affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    "topologySpreadConstraints/labelSelector/matchLabels",
];

/// Returns the tables that every kustomization begins with.
pub(crate) fn config() -> Config {
    let name = vec![FieldSpec::new("", "", "", "metadata/name", false)];
    let mut config = Config {
        name_prefix: name.clone(),
        name_suffix: name,
        namespace: vec![
            FieldSpec::new("", "", "Namespace", "metadata/name", true),
            FieldSpec::new("apiregistration.k8s.io", "", "APIService", "spec/service/namespace", true),
            FieldSpec::new(
                "apiextensions.k8s.io",
                "",
                "CustomResourceDefinition",
                "spec/conversion/webhook/clientConfig/service/namespace",
                false,
            ),
        ],
        common_labels: [selectors(), metadata("labels")].concat(),
        labels: Vec::new(),
        template_labels: metadata("labels"),
        common_annotations: metadata("annotations"),
        name_references: name_references(),
        var_references: var_references(),
        images: images(),
        replicas: ["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"]
            .map(|kind| FieldSpec::new("", "", kind, "spec/replicas", true))
            .to_vec(),
        defaults: Defaults::Only,
    };
    // The tables are small and can't conflict, so merging them into nothing only sorts them.
    let mut sorted = Config::default();
    if sorted.merge(config.clone()).is_ok() {
        config = Config { defaults: Defaults::Only, ..sorted };
    }
    config
}

/// Labels or annotations of objects and of the templates in them.
fn metadata(field: &str) -> Vec<FieldSpec> {
    let at = |group: &str, version: &str, kind: &str, path: &str| {
        let path =
            if path.is_empty() { format!("metadata/{field}") } else { format!("{path}/metadata/{field}") };
        FieldSpec::new(group, version, kind, &path, true)
    };
    let is_label = field == "labels";
    let stateful_group = if is_label { "apps" } else { "" };
    let mut specs = vec![
        at("", "", "", ""),
        at("", "v1", "ReplicationController", "spec/template"),
        at("", "", "Deployment", "spec/template"),
        at("", "", "ReplicaSet", "spec/template"),
        at("", "", "DaemonSet", "spec/template"),
        at(stateful_group, "", "StatefulSet", "spec/template"),
        at("batch", "", "Job", "spec/template"),
        at("batch", "", "CronJob", "spec/jobTemplate"),
        at("batch", "", "CronJob", "spec/jobTemplate/spec/template"),
    ];
    if is_label {
        specs.push(at("apps", "", "StatefulSet", "spec/volumeClaimTemplates[]"));
    }
    specs
}

/// Selectors that must keep choosing what gets new labels.
fn selectors() -> Vec<FieldSpec> {
    let spec = FieldSpec::new;
    let mut specs = vec![
        spec("", "v1", "Service", "spec/selector", true),
        spec("", "v1", "ReplicationController", "spec/selector", true),
        spec("", "", "Deployment", "spec/selector/matchLabels", true),
        spec("", "", "ReplicaSet", "spec/selector/matchLabels", true),
        spec("", "", "DaemonSet", "spec/selector/matchLabels", true),
        spec("apps", "", "StatefulSet", "spec/selector/matchLabels", true),
        spec("batch", "", "Job", "spec/selector/matchLabels", false),
        spec("batch", "", "CronJob", "spec/jobTemplate/spec/selector/matchLabels", false),
        spec("policy", "", "PodDisruptionBudget", "spec/selector/matchLabels", false),
    ];
    for path in ["spec/podSelector", "spec/ingress/from/podSelector", "spec/egress/to/podSelector"] {
        specs.push(spec("networking.k8s.io", "", "NetworkPolicy", &format!("{path}/matchLabels"), false));
    }
    for kind in ["Deployment", "StatefulSet"] {
        let paths = POD_SELECTORS.iter().map(|path| format!("spec/template/spec/{path}"));
        specs.extend(paths.map(|path| spec("apps", "", kind, &path, false)));
    }
    specs
}

fn images() -> Vec<FieldSpec> {
    let mut specs = Vec::new();
    for place in ["spec", "spec/template/spec"] {
        for field in ["containers[]/image", "initContainers[]/image", "volumes[]/image/reference"] {
            specs.push(FieldSpec::new("", "", "", &format!("{place}/{field}"), true));
        }
    }
    specs
}

/// Returns the fields of kinds, each at the places of a table.
fn at_places(places: &[(&str, &str)], fields: &[&str]) -> Vec<FieldSpec> {
    let mut specs = Vec::new();
    for (kind, place) in places {
        let version = if *kind == "Pod" && fields.len() > 1 { "v1" } else { "" };
        for field in fields {
            specs.push(FieldSpec::new("", version, kind, &format!("{place}/{field}"), false));
        }
    }
    specs
}

fn plain(fields: &[(&str, &str)]) -> Vec<FieldSpec> {
    fields.iter().map(|(kind, path)| FieldSpec::new("", "", kind, path, false)).collect()
}

fn name_references() -> Vec<NameReference> {
    let to = |group: &str, version: &str, kind: &str, fields: Vec<FieldSpec>| NameReference {
        gvk: Gvk::selector(group, version, kind),
        fields,
    };
    let rbac = |kind: &str, path: &str| FieldSpec::new(RBAC, "", kind, path, false);
    let scaled = plain(&[("HorizontalPodAutoscaler", "spec/scaleTargetRef/name")]);
    let knative = FieldSpec::new(
        "serving.knative.dev",
        "v1",
        "Service",
        "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
        false,
    );
    // A CronJob's Secrets are followed everywhere, its table in kustomize merely has another order.
    let secrets = [at_places(&PODS, &SECRET_IN_POD), plain(&SECRET_ELSEWHERE), vec![knative]].concat();
    let services = SERVICE_FIELDS.map(|(group, kind, path)| FieldSpec::new(group, "", kind, path, false));
    let accounts = [
        vec![rbac("RoleBinding", "subjects"), rbac("ClusterRoleBinding", "subjects")],
        at_places(&RUNNERS, &["serviceAccountName"]),
    ];
    let classes = [
        ("PersistentVolume", "spec/storageClassName"),
        ("PersistentVolumeClaim", "spec/storageClassName"),
        ("StatefulSet", "spec/volumeClaimTemplates/spec/storageClassName"),
    ];
    let policy = FieldSpec::new(ADMISSION, "", "ValidatingAdmissionPolicyBinding", "spec/policyName", false);
    vec![
        to("", "", "Deployment", scaled.clone()),
        to("", "", "ReplicationController", scaled.clone()),
        to("", "", "ReplicaSet", scaled.clone()),
        to("", "", "StatefulSet", scaled),
        to(
            "",
            "v1",
            "ConfigMap",
            [at_places(&PODS, &CONFIG_MAP_IN_POD), plain(&CONFIG_MAP_ELSEWHERE)].concat(),
        ),
        to("", "v1", "Secret", secrets),
        to("", "v1", "Service", services.to_vec()),
        to(RBAC, "", "Role", vec![rbac("RoleBinding", "roleRef/name")]),
        to(
            RBAC,
            "",
            "ClusterRole",
            vec![rbac("RoleBinding", "roleRef/name"), rbac("ClusterRoleBinding", "roleRef/name")],
        ),
        to("", "v1", "ServiceAccount", accounts.concat()),
        to(
            "",
            "v1",
            "PersistentVolumeClaim",
            at_places(&RUNNERS, &["volumes/persistentVolumeClaim/claimName"]),
        ),
        to(
            "",
            "v1",
            "PersistentVolume",
            plain(&[("PersistentVolumeClaim", "spec/volumeName"), ("ClusterRole", "rules/resourceNames")]),
        ),
        to("storage.k8s.io", "v1", "StorageClass", plain(&classes)),
        to("scheduling.k8s.io", "v1", "PriorityClass", at_places(&RUNNERS, &["priorityClassName"])),
        // The group is what kustomize has, with its slip: no object is of such a group.
        to("networking.k8s.io/v1", "v1", "IngressClass", plain(&[("Ingress", "spec/ingressClassName")])),
        to(ADMISSION, "", "ValidatingAdmissionPolicy", vec![policy]),
    ]
}

fn var_references() -> Vec<FieldSpec> {
    let mut specs = Vec::new();
    for (kind, place) in PODS.iter().filter(|(kind, _)| *kind != "PodTemplate") {
        for list in ["containers", "initContainers"] {
            for field in ["args", "command", "env/value", "volumeMounts/mountPath"] {
                specs.push(FieldSpec::new("", "", kind, &format!("{place}/{list}/{field}"), false));
            }
        }
    }
    specs.extend(plain(&[
        ("CronJob", "spec/jobTemplate/spec/template/volumes/nfs/server"),
        ("DaemonSet", "spec/template/spec/volumes/nfs/server"),
        ("Deployment", "spec/template/spec/volumes/nfs/server"),
        ("Deployment", "spec/template/metadata/annotations"),
        ("Ingress", "spec/rules/host"),
        ("Ingress", "spec/tls/hosts"),
        ("Ingress", "spec/tls/secretName"),
        ("Job", "spec/template/spec/volumes/nfs/server"),
        ("Pod", "spec/volumes/nfs/server"),
        ("ReplicaSet", "spec/template/spec/volumes/nfs/server"),
        ("Service", "spec/ports/port"),
        ("Service", "spec/ports/targetPort"),
        ("StatefulSet", "spec/volumeClaimTemplates/spec/nfs/server"),
        ("PersistentVolume", "spec/nfs/server"),
        ("", "metadata/labels"),
        ("", "metadata/annotations"),
    ]));
    specs
}
