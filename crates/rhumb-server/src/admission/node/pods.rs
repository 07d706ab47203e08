//! What a node may do with pods: say how its own are, evict and delete them, and show those that it runs by itself.

use std::sync::Arc;

use rhumb_api::core::v1::{Node, Pod};
use rhumb_meta::{GroupResource, Object};
use rhumb_schema::text::quoted;

use super::{Refusal, Written};
use crate::admission::service_account::MIRROR;
use crate::admission::{Operation, references};
use crate::base::failure::{Failure, Outcome};

impl Written<'_> {
    fn refuse(&self, why: impl AsRef<str>) -> Failure {
        self.request.forbidden(self.new, why)
    }

    pub(super) async fn pod(&self) -> Outcome<()> {
        let refused = |refusal: Refusal| refusal.map_err(|why| self.refuse(why));
        let (operation, own) = (self.operation(), quoted(self.node));
        match (self.request.subresource, self.request.operation) {
            ("", Operation::Create) => self.mirror().await,
            ("", Operation::Delete) => match self.bound_to_itself(self.old) {
                true => Ok(()),
                false => {
                    refused(Err(format!("node {own} can only delete pods with spec.nodeName set to itself")))
                }
            },
            ("", Operation::Update) => refused(Err(format!(
                "unexpected operation {}, node {own} can only create and delete mirror pods",
                quoted(operation)
            ))),
            ("status", Operation::Update) => refused(self.pod_status()),
            ("status", _) => refused(Err(format!("unexpected operation {}", quoted(operation)))),
            ("eviction", Operation::Create) => self.eviction().await,
            ("eviction", _) => refused(Err(format!("unexpected operation {operation}"))),
            (other, _) => refused(Err(format!(
                "unexpected pod subresource {}, only 'status' and 'eviction' are allowed",
                quoted(other)
            ))),
        }
    }

    fn bound_to_itself(&self, pod: Option<&dyn Object>) -> bool {
        pod.and_then(|pod| pod.downcast_ref::<Pod>()).is_some_and(|pod| pod.spec.node_name == self.node)
    }

    /// A pod of the cluster as the cache has it.
    pub(super) async fn known_pod(&self, name: &str) -> Outcome<Arc<dyn Object>> {
        let found = self.request.cluster.get(("", "v1", "pods"), self.request.namespace, name).await?;
        found.ok_or_else(|| Failure::not_found(&GroupResource::new_static("", "pod"), name))
    }

    /// The node as the cache has it.
    pub(super) async fn known_node(&self, name: &str) -> Outcome<Arc<dyn Object>> {
        let found = self.request.cluster.get(("", "v1", "nodes"), "", name).await?;
        found.ok_or_else(|| Failure::not_found(&GroupResource::new_static("", "node"), name))
    }

    /// A pod that stands for one that the kubelet runs by itself: it is on the node, belongs to the node, and gets
    /// at nothing.
    async fn mirror(&self) -> Outcome<()> {
        let Some(pod) = self.new.and_then(|new| new.downcast_ref::<Pod>()) else {
            return Err(self.refuse("unexpected type"));
        };
        let own = quoted(self.node);
        if !pod.metadata.annotations.contains_key(MIRROR) {
            return Err(self.refuse(format!(
                "pod does not have {} annotation, node {own} can only create mirror pods",
                quoted(MIRROR)
            )));
        }
        if pod.spec.node_name != self.node {
            let why = format!("node {own} can only create pods with spec.nodeName set to itself");
            return Err(self.refuse(why));
        }
        let owner = match pod.metadata.owner_references.as_slice() {
            [] => {
                let why = format!("node {own} can only create pods with an owner reference set to itself");
                return Err(self.refuse(why));
            }
            [owner] => owner,
            _ => {
                let why =
                    format!("node {own} can only create pods with a single owner reference set to itself");
                return Err(self.refuse(why));
            }
        };
        if owner.api_version != "v1" || owner.kind != "Node" || owner.name != self.node {
            let why = format!("node {own} can only create pods with an owner reference set to itself");
            return Err(self.refuse(why));
        }
        if owner.controller != Some(true) {
            let why =
                format!("node {own} can only create pods with a controller owner reference set to itself");
            return Err(self.refuse(why));
        }
        if owner.block_owner_deletion == Some(true) {
            return Err(
                self.refuse(format!("node {own} must not set blockOwnerDeletion on an owner reference"))
            );
        }
        let node = self.known_node(self.node).await?;
        let uid = node.downcast_ref::<Node>().map(|node| node.metadata.uid.as_str()).unwrap_or_default();
        if owner.uid != uid {
            let why = format!("node {} UID mismatch: expected {} got {uid}", self.node, owner.uid);
            return Err(self.refuse(why));
        }
        match references::objects(&pod.spec) {
            Ok(None) => Ok(()),
            Ok(Some(what)) => {
                Err(self.refuse(format!("node {own} can not create pods that reference {what}")))
            }
            Err(why) => Err(self.refuse(format!("error checking mirror pod for API references: {why}"))),
        }
    }

    fn pod_status(&self) -> Refusal {
        let own = quoted(self.node);
        if !self.bound_to_itself(self.old) {
            return Err(format!(
                "node {own} can only update pod status for pods with spec.nodeName set to itself"
            ));
        }
        let pod =
            |object: Option<&'_ dyn Object>| object.and_then(|object| object.downcast_ref::<Pod>()).cloned();
        let (Some(old), Some(new)) = (pod(self.old), pod(self.new)) else {
            return Err("unexpected type".to_owned());
        };
        if old.metadata.labels != new.metadata.labels {
            return Err(format!("node {own} cannot update labels through pod status"));
        }
        if old.status.resource_claim_statuses != new.status.resource_claim_statuses {
            return Err(format!("node {own} cannot update resource claim statues"));
        }
        if old.status.extended_resource_claim_status != new.status.extended_resource_claim_status {
            return Err(format!("node {own} cannot update extended resource claim status"));
        }
        Ok(())
    }

    async fn eviction(&self) -> Outcome<()> {
        let name = match self.request.name {
            "" => self.name(),
            name => name.to_owned(),
        };
        if name.is_empty() {
            return Err(self.refuse("could not determine pod from request data"));
        }
        let pod = self.known_pod(&name).await?;
        match self.bound_to_itself(Some(&*pod)) {
            true => Ok(()),
            false => {
                let node = self.node;
                Err(self.refuse(format!("node {node} can only evict pods with spec.nodeName set to itself")))
            }
        }
    }
}
