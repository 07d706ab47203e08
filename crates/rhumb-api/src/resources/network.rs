//! What carries traffic: `networking.k8s.io`, `discovery.k8s.io`.

use super::{Group, Resource, Subresource};
use Subresource as Sub;

pub(super) const NETWORKING: Group = Group {
    name: "networking.k8s.io",
    versions: &["v1", "v1beta1", "v1alpha1"],
    resources: &[
        Resource::cluster("ingressclasses", "IngressClass").formerly(&["v1beta1"]),
        Resource::namespaced("ingresses", "Ingress")
            .short(&["ing"])
            .formerly(&["v1beta1"])
            .with(&[Sub::STATUS]),
        Resource::cluster("ipaddresses", "IPAddress").short(&["ip"]).versions(&["v1", "v1beta1"]),
        Resource::namespaced("networkpolicies", "NetworkPolicy").short(&["netpol"]),
        Resource::cluster("servicecidrs", "ServiceCIDR").versions(&["v1", "v1beta1"]).with(&[Sub::STATUS]),
    ],
};

pub(super) const DISCOVERY: Group = Group {
    name: "discovery.k8s.io",
    versions: &["v1", "v1beta1", "v1alpha1"],
    resources: &[Resource::namespaced("endpointslices", "EndpointSlice").formerly(&["v1beta1", "v1alpha1"])],
};
