//! What runs programs, and what scales and protects them: `apps` and the `extensions` it came from,
//! `autoscaling`, `batch`, `policy`, `settings.k8s.io`.

use super::{Gives, Group, Resource, Subresource};
use Subresource as Sub;

const ALL: &[&str] = &["all"];
/// Scaling had a kind of its own in each version before `autoscaling/v1` became the one for all.
const OLD_SCALE: Subresource = Sub::OWN_SCALE.only_in(&["v1beta1", "v1beta2"]);
const SCALE: Subresource = Sub::SCALE.only_in(&["v1"]);
const ROLLBACK: Subresource = Sub::post("rollback", Gives::Kind("DeploymentRollback")).only_in(&["v1beta1"]);

pub(super) const APPS: Group = Group {
    name: "apps",
    versions: &["v1", "v1beta2", "v1beta1"],
    resources: &[
        Resource::namespaced("controllerrevisions", "ControllerRevision").formerly(&["v1beta2", "v1beta1"]),
        Resource::namespaced("daemonsets", "DaemonSet")
            .short(&["ds"])
            .categories(ALL)
            .formerly(&["v1beta2"])
            .with(&[Sub::STATUS]),
        Resource::namespaced("deployments", "Deployment")
            .short(&["deploy"])
            .categories(ALL)
            .formerly(&["v1beta2", "v1beta1"])
            .with(&[ROLLBACK, SCALE, OLD_SCALE, Sub::STATUS]),
        Resource::namespaced("replicasets", "ReplicaSet")
            .short(&["rs"])
            .categories(ALL)
            .formerly(&["v1beta2"])
            .with(&[SCALE, OLD_SCALE, Sub::STATUS]),
        Resource::namespaced("statefulsets", "StatefulSet")
            .short(&["sts"])
            .categories(ALL)
            .formerly(&["v1beta2", "v1beta1"])
            .with(&[SCALE, OLD_SCALE, Sub::STATUS]),
    ],
};

/// Where many kinds began; all of them are stored where they went.
pub(super) const EXTENSIONS: Group = Group {
    name: "extensions",
    versions: &["v1beta1"],
    resources: &[
        Resource::namespaced("daemonsets", "DaemonSet")
            .short(&["ds"])
            .versions(&[])
            .formerly(&["v1beta1"])
            .stored_elsewhere("apps", "v1")
            .with(&[Sub::STATUS]),
        Resource::namespaced("deployments", "Deployment")
            .short(&["deploy"])
            .versions(&[])
            .formerly(&["v1beta1"])
            .stored_elsewhere("apps", "v1")
            .with(&[ROLLBACK, Sub::OWN_SCALE, Sub::STATUS]),
        Resource::namespaced("ingresses", "Ingress")
            .short(&["ing"])
            .versions(&[])
            .formerly(&["v1beta1"])
            .stored_elsewhere("networking.k8s.io", "v1")
            .with(&[Sub::STATUS]),
        Resource::namespaced("networkpolicies", "NetworkPolicy")
            .short(&["netpol"])
            .versions(&[])
            .formerly(&["v1beta1"])
            .stored_elsewhere("networking.k8s.io", "v1"),
        Resource::cluster("podsecuritypolicies", "PodSecurityPolicy")
            .returning_deleted()
            .short(&["psp"])
            .versions(&[])
            .formerly(&["v1beta1"])
            .stored_elsewhere("policy", "v1beta1"),
        Resource::namespaced("replicasets", "ReplicaSet")
            .short(&["rs"])
            .versions(&[])
            .formerly(&["v1beta1"])
            .stored_elsewhere("apps", "v1")
            .with(&[Sub::OWN_SCALE, Sub::STATUS]),
        // Only so that there is something for the scale to stand below.
        Resource::namespaced("replicationcontrollers", "ReplicationControllerDummy")
            .versions(&[])
            .formerly(&["v1beta1"])
            .verbs(&[])
            .not_stored()
            .with(&[Sub::OWN_SCALE]),
    ],
};

pub(super) const AUTOSCALING: Group = Group {
    name: "autoscaling",
    versions: &["v2", "v1", "v2beta1", "v2beta2"],
    resources: &[Resource::namespaced("horizontalpodautoscalers", "HorizontalPodAutoscaler")
        .short(&["hpa"])
        .categories(ALL)
        .versions(&["v2", "v1"])
        .formerly(&["v2beta1", "v2beta2"])
        .with(&[Sub::STATUS])],
};

pub(super) const BATCH: Group = Group {
    name: "batch",
    versions: &["v1", "v1beta1", "v2alpha1"],
    resources: &[
        Resource::namespaced("cronjobs", "CronJob")
            .short(&["cj"])
            .categories(ALL)
            .formerly(&["v1beta1", "v2alpha1"])
            .with(&[Sub::STATUS]),
        Resource::namespaced("jobs", "Job")
            .categories(ALL)
            .fields(&["status.successful"])
            .with(&[Sub::STATUS]),
    ],
};

pub(super) const POLICY: Group = Group {
    name: "policy",
    versions: &["v1", "v1beta1"],
    resources: &[
        Resource::namespaced("poddisruptionbudgets", "PodDisruptionBudget")
            .short(&["pdb"])
            .formerly(&["v1beta1"])
            .with(&[Sub::STATUS]),
        Resource::cluster("podsecuritypolicies", "PodSecurityPolicy")
            .returning_deleted()
            .short(&["psp"])
            .versions(&[])
            .formerly(&["v1beta1"]),
    ],
};

pub(super) const SETTINGS: Group = Group {
    name: "settings.k8s.io",
    versions: &["v1alpha1"],
    resources: &[Resource::namespaced("podpresets", "PodPreset").versions(&[]).formerly(&["v1alpha1"])],
};
