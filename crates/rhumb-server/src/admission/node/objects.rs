//! What a node may write of itself, and of claims, leases, devices and signing requests.

use std::collections::BTreeMap;

use rhumb_api::certificates::v1::CertificateSigningRequest;
use rhumb_api::certificates::x509::Pkcs10;
use rhumb_api::core::v1::{Node, PersistentVolumeClaim};
use rhumb_api::resource::v1::ResourceSlice;
use rhumb_schema::text::quoted;

use super::{Refusal, Written};
use crate::admission::Operation;

const RESTRICTED: &str = "node-restriction.kubernetes.io";
/// The labels of Kubernetes' own that a kubelet may set.
const OWN_LABELS: &[&str] = &[
    "kubernetes.io/hostname",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "beta.kubernetes.io/instance-type",
    "node.kubernetes.io/instance-type",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
];
/// The domains of labels that are a kubelet's.
const OWN_DOMAINS: &[&str] = &["kubelet.kubernetes.io", "node.kubernetes.io"];
const SERVING: &str = "kubernetes.io/kubelet-serving";
const CLIENT: &str = "kubernetes.io/kube-apiserver-client-kubelet";

fn within(domain: &str, outer: &str) -> bool {
    domain == outer || domain.strip_suffix(outer).is_some_and(|rest| rest.ends_with('.'))
}

/// Whether a label can draw pods to a node and so is not the node's to set.
fn is_forbidden(label: &str) -> bool {
    let domain = label.split_once('/').map_or("", |(domain, _)| domain);
    let kubernetes = within(domain, "kubernetes.io") || within(domain, "k8s.io");
    let own = OWN_LABELS.contains(&label) || OWN_DOMAINS.iter().any(|own| within(domain, own));
    within(domain, RESTRICTED) || (kubernetes && !own)
}

/// The labels that differ and are not the node's to set, in order.
fn forbidden_labels(new: &BTreeMap<String, String>, old: &BTreeMap<String, String>) -> Vec<String> {
    let mut found: Vec<String> = new
        .keys()
        .chain(old.keys())
        .filter(|label| new.get(*label) != old.get(*label) && is_forbidden(label))
        .cloned()
        .collect();
    found.sort();
    found.dedup();
    found
}

impl Written<'_> {
    pub(super) fn node(&self) -> Refusal {
        let (own, asked) = (quoted(self.node), self.request.name);
        if asked != self.node {
            return Err(format!("node {own} is not allowed to modify node {}", quoted(asked)));
        }
        let new = self.new.and_then(|new| new.downcast_ref::<Node>());
        let old = self.old.and_then(|old| old.downcast_ref::<Node>());
        match (self.request.operation, new, old) {
            (Operation::Create, Some(new), _) => {
                if new.spec.config_source.is_some() {
                    return Err(format!(
                        "node {own} is not allowed to create pods with a non-nil configSource"
                    ));
                }
                let labels = forbidden_labels(&new.metadata.labels, &BTreeMap::new());
                if !labels.is_empty() {
                    let labels = labels.join(", ");
                    return Err(format!("node {own} is not allowed to set the following labels: {labels}"));
                }
                Ok(())
            }
            (Operation::Update, Some(new), Some(old)) => self.changed_node(new, old),
            (Operation::Delete, ..) => Ok(()),
            _ => Err("unexpected type".to_owned()),
        }
    }

    fn changed_node(&self, new: &Node, old: &Node) -> Refusal {
        let own = quoted(self.node);
        if new.spec.config_source.is_some() && new.spec.config_source != old.spec.config_source {
            return Err(format!(
                "node {own} is not allowed to update configSource to a new non-nil configSource"
            ));
        }
        if new.spec.taints != old.spec.taints {
            return Err(format!("node {own} is not allowed to modify taints"));
        }
        // A node with an owner that is gone is deleted, and may come back with other labels and taints.
        if new.metadata.owner_references != old.metadata.owner_references {
            return Err(format!("node {own} is not allowed to modify ownerReferences"));
        }
        let labels = forbidden_labels(&new.metadata.labels, &old.metadata.labels);
        match labels.is_empty() {
            true => Ok(()),
            false => Err(format!("is not allowed to modify labels: {}", labels.join(", "))),
        }
    }

    /// A node may say how large a volume has become, and nothing else of a claim.
    pub(super) fn claim(&self) -> Refusal {
        if self.request.subresource != "status" {
            return Err("may only update PVC status".to_owned());
        }
        let claim = |object: Option<&dyn rhumb_meta::Object>| {
            let mut claim = object?.downcast_ref::<PersistentVolumeClaim>()?.clone();
            claim.metadata.resource_version.clear();
            claim.metadata.managed_fields.clear();
            claim.status.capacity.clear();
            claim.status.conditions.clear();
            claim.status.allocated_resource_statuses.clear();
            claim.status.allocated_resources.clear();
            Some(claim)
        };
        match (self.request.operation, claim(self.old), claim(self.new)) {
            (Operation::Update, Some(old), Some(new)) if old == new => Ok(()),
            (Operation::Update, Some(_), Some(_)) => Err(format!(
                "node {} is not allowed to update fields other than status.quantity and status.conditions",
                quoted(self.node)
            )),
            _ => Err(format!("unexpected operation {}", quoted(self.operation()))),
        }
    }

    pub(super) fn lease(&self) -> Refusal {
        if self.request.namespace != "kube-node-lease" {
            return Err("can only access leases in the \"kube-node-lease\" system namespace".to_owned());
        }
        match self.name() == self.node {
            true => Ok(()),
            false => Err("can only access node lease with the same name as the requesting node".to_owned()),
        }
    }

    pub(super) fn csi_node(&self) -> Refusal {
        match self.name() == self.node {
            true => Ok(()),
            false => Err("can only access CSINode with the same name as the requesting node".to_owned()),
        }
    }

    pub(super) fn slice(&self) -> Refusal {
        let (verb, object) = match self.request.operation {
            Operation::Create => ("create", self.new),
            Operation::Delete => ("delete", self.old),
            Operation::Update | Operation::Connect => return Ok(()),
        };
        let slice = object.and_then(|object| object.downcast_ref::<ResourceSlice>());
        match slice.and_then(|slice| slice.spec.node_name.as_deref()) == Some(self.node) {
            true => Ok(()),
            false => {
                Err(format!("can only {verb} ResourceSlice with the same NodeName as the requesting node"))
            }
        }
    }

    /// A certificate for a node is for this one.
    pub(super) fn signing_request(&self) -> Refusal {
        if self.request.operation != Operation::Create {
            return Ok(());
        }
        let wanted = self.new.and_then(|new| new.downcast_ref::<CertificateSigningRequest>());
        let Some(wanted) =
            wanted.filter(|wanted| matches!(wanted.spec.signer_name.as_str(), SERVING | CLIENT))
        else {
            return Ok(());
        };
        let parsed = Pkcs10::from_pem(&wanted.spec.request.0)
            .map_err(|error| format!("unable to parse csr: {error}"))?;
        match parsed.common_name.strip_prefix(super::PREFIX) == Some(self.node) {
            true => Ok(()),
            false => Err(format!("can only create a node CSR with CN={}{}", super::PREFIX, self.node)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_draw_pods_are_not_a_nodes_to_set() {
        for (label, expect) in [
            ("app", false),
            ("example.com/x", false),
            ("kubernetes.io/hostname", false),
            ("kubernetes.io/other", true),
            ("node-restriction.kubernetes.io/x", true),
            ("a.node-restriction.kubernetes.io/x", true),
            ("notkubernetes.io/x", false),
            ("foo.k8s.io/x", true),
            ("node.kubernetes.io/x", false),
            ("a.kubelet.kubernetes.io/x", false),
            ("node-role.kubernetes.io/control-plane", true),
        ] {
            assert_eq!(is_forbidden(label), expect, "{label}");
        }
    }
}
