//! The core group.

use super::{Gives, Group, Resource, Subresource, Verb};
use Subresource as Sub;

const POD_FIELDS: &[&str] = &[
    "spec.hostNetwork",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.nominatedNodeName",
    "status.phase",
    "status.podIP",
];

pub(super) const EVENT_FIELDS: &[&str] = &[
    "involvedObject.apiVersion",
    "involvedObject.fieldPath",
    "involvedObject.kind",
    "involvedObject.name",
    "involvedObject.namespace",
    "involvedObject.resourceVersion",
    "involvedObject.uid",
    "reason",
    "reportingComponent",
    "source",
    "type",
];

pub(super) const CORE: Group = Group {
    name: "",
    versions: &["v1"],
    resources: &[
        Resource::namespaced("bindings", "Binding").question(),
        Resource::cluster("componentstatuses", "ComponentStatus")
            .short(&["cs"])
            .verbs(&[Verb::Get, Verb::List])
            .not_stored(),
        Resource::namespaced("configmaps", "ConfigMap").short(&["cm"]),
        Resource::namespaced("endpoints", "Endpoints").short(&["ep"]),
        Resource::namespaced("events", "Event").short(&["ev"]).fields(EVENT_FIELDS),
        Resource::namespaced("limitranges", "LimitRange").short(&["limits"]),
        Resource::cluster("namespaces", "Namespace")
            .returning_deleted()
            .documented_as_status()
            .short(&["ns"])
            .fields(&["status.phase"])
            // A namespace takes everything in it along, so they go one by one.
            .verbs(&[
                Verb::Create,
                Verb::Delete,
                Verb::Get,
                Verb::List,
                Verb::Patch,
                Verb::Update,
                Verb::Watch,
            ])
            .with(&[Sub::new("finalize", Gives::Object, &[Verb::Update]), Sub::STATUS]),
        Resource::cluster("nodes", "Node")
            .short(&["no"])
            .fields(&["spec.unschedulable"])
            .with(&[Sub::proxy("NodeProxyOptions"), Sub::STATUS]),
        Resource::namespaced("persistentvolumeclaims", "PersistentVolumeClaim")
            .returning_deleted()
            .short(&["pvc"])
            .with(&[Sub::STATUS]),
        Resource::cluster("persistentvolumes", "PersistentVolume")
            .returning_deleted()
            .short(&["pv"])
            .with(&[Sub::STATUS]),
        Resource::namespaced("pods", "Pod")
            .returning_deleted()
            .short(&["po"])
            .categories(&["all"])
            .fields(POD_FIELDS)
            .with(&[
                Sub::stream("attach", "PodAttachOptions"),
                Sub::post("binding", Gives::Kind("Binding")),
                Sub::part("ephemeralcontainers"),
                Sub::post("eviction", Gives::Foreign("policy", "v1", "Eviction")),
                Sub::stream("exec", "PodExecOptions"),
                Sub::new("log", Gives::Object, &[Verb::Get]),
                Sub::stream("portforward", "PodPortForwardOptions"),
                Sub::proxy("PodProxyOptions"),
                Sub::part("resize"),
                Sub::STATUS,
            ]),
        Resource::namespaced("podtemplates", "PodTemplate").returning_deleted(),
        Resource::namespaced("replicationcontrollers", "ReplicationController")
            .short(&["rc"])
            .categories(&["all"])
            .fields(&["status.replicas"])
            .with(&[Sub::SCALE, Sub::STATUS]),
        Resource::namespaced("resourcequotas", "ResourceQuota")
            .returning_deleted()
            .short(&["quota"])
            .with(&[Sub::STATUS]),
        Resource::namespaced("secrets", "Secret").fields(&["type"]),
        Resource::namespaced("serviceaccounts", "ServiceAccount")
            .returning_deleted()
            .short(&["sa"])
            .with(&[Sub::post("token", Gives::Foreign("authentication.k8s.io", "v1", "TokenRequest"))]),
        Resource::namespaced("services", "Service")
            .returning_deleted()
            .short(&["svc"])
            .categories(&["all"])
            .fields(&["spec.clusterIP", "spec.type"])
            .with(&[Sub::proxy("ServiceProxyOptions"), Sub::STATUS]),
    ],
};
