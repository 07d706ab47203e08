//! Tokens and certificates for the pods of a node, and for no others.

use rhumb_api::authentication::v1::TokenRequest;
use rhumb_api::certificates::v1beta1::PodCertificateRequest;
use rhumb_api::core::v1::{Node, PersistentVolume, PersistentVolumeClaim, Pod, ServiceAccount, Volume};
use rhumb_api::storage::v1::CSIDriver;
use rhumb_meta::GroupResource;
use rhumb_schema::text::quoted;

use super::Written;
use crate::admission::service_account::MIRROR;
use crate::admission::{Operation, Question};
use crate::base::failure::{Failure, Outcome};

impl Written<'_> {
    fn deny<T>(&self, why: impl AsRef<str>) -> Outcome<T> {
        Err(self.request.forbidden(self.new, why))
    }

    pub(super) async fn token(&self) -> Outcome<()> {
        if self.request.operation != Operation::Create || self.request.subresource != "token" {
            return Ok(());
        }
        let Some(wanted) = self.new.and_then(|new| new.downcast_ref::<TokenRequest>()) else {
            return self.deny("unexpected type");
        };
        let bound = wanted.spec.bound_object_ref.as_ref();
        let bound =
            bound.filter(|bound| bound.api_version == "v1" && bound.kind == "Pod" && !bound.name.is_empty());
        let Some(bound) = bound else { return self.deny("node requested token not bound to a pod") };
        if bound.uid.is_empty() {
            return self.deny("node requested token with a pod binding without a uid");
        }
        let found = self.known_pod(&bound.name).await?;
        let Some(pod) = found.downcast_ref::<Pod>() else { return self.deny("unexpected type") };
        if bound.uid != pod.metadata.uid {
            return self.deny(format!(
                "the UID in the bound object reference ({}) does not match the UID in record. The object might have \
                 been deleted and then recreated",
                bound.uid
            ));
        }
        if pod.spec.node_name != self.node {
            return self.deny("node requested token bound to a pod scheduled on a different node");
        }
        self.audience(wanted, pod).await
    }

    /// A node gets tokens for an audience only if the pod has a volume for it, or rules say so.
    async fn audience(&self, wanted: &TokenRequest, pod: &Pod) -> Outcome<()> {
        let audience = match wanted.spec.audiences.as_slice() {
            [] => "",
            [one] => one.as_str(),
            _ => return self.deny("node may only request 0 or 1 audiences"),
        };
        let mut failures = Vec::new();
        for volume in &pod.spec.volumes {
            match self.volume_has(pod, volume, audience).await? {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(why) => failures.push(why),
            }
        }
        let shown = quoted(audience);
        match failures.as_slice() {
            [] => {}
            [one] => return self.deny(format!("error validating audience {shown}: {one}")),
            all => return self.deny(format!("error validating audience {shown}: [{}]", all.join(", "))),
        }
        let question = Question {
            verb: "request-serviceaccounts-token-audience",
            resource: audience,
            namespace: self.request.namespace,
            name: self.request.name,
            ..Question::default()
        };
        match self.request.cluster.authorized(self.request.user, &question).await {
            Ok(()) => Ok(()),
            Err(_) => self.deny(format!(
                "audience {shown} not found in pod spec volume, {} is not authorized to request tokens for this \
                 audience",
                self.request.user.name
            )),
        }
    }

    /// Whether a volume needs tokens for an audience; `Err` if what it refers to isn't there.
    async fn volume_has(&self, pod: &Pod, volume: &Volume, audience: &str) -> Outcome<Result<bool, String>> {
        let source = &volume.volume_source;
        let mut tokens = source
            .projected
            .iter()
            .flat_map(|projected| &projected.sources)
            .filter_map(|source| source.service_account_token.as_ref());
        if tokens.any(|token| token.audience == audience) {
            return Ok(Ok(true));
        }
        let claim = match (&source.ephemeral, &source.persistent_volume_claim) {
            (Some(_), _) => Some(format!("{}-{}", pod.metadata.name, volume.name)),
            (None, Some(claim)) => Some(claim.claim_name.clone()),
            (None, None) => None,
        };
        let driver = match (claim, &source.csi) {
            (Some(claim), _) => match self.driver_of(&pod.metadata.namespace, &claim).await? {
                Ok(Some(driver)) => driver,
                Ok(None) => return Ok(Ok(false)),
                Err(why) => return Ok(Err(why)),
            },
            (None, Some(csi)) => csi.driver.clone(),
            (None, None) => return Ok(Ok(false)),
        };
        let found = self.request.cluster.get(("storage.k8s.io", "v1", "csidrivers"), "", &driver).await?;
        let Some(found) = found.as_ref().and_then(|found| found.downcast_ref::<CSIDriver>()) else {
            return Ok(Err(missing("storage.k8s.io", "csidriver", &driver)));
        };
        Ok(Ok(found.spec.token_requests.iter().any(|request| request.audience == audience)))
    }

    async fn driver_of(&self, namespace: &str, claim: &str) -> Outcome<Result<Option<String>, String>> {
        let cluster = &self.request.cluster;
        let found = cluster.get(("", "v1", "persistentvolumeclaims"), namespace, claim).await?;
        let Some(found) = found.as_ref().and_then(|found| found.downcast_ref::<PersistentVolumeClaim>())
        else {
            return Ok(Err(missing("", "persistentvolumeclaim", claim)));
        };
        let volume = &found.spec.volume_name;
        let found = cluster.get(("", "v1", "persistentvolumes"), "", volume).await?;
        let Some(found) = found.as_ref().and_then(|found| found.downcast_ref::<PersistentVolume>()) else {
            return Ok(Err(missing("", "persistentvolume", volume)));
        };
        Ok(Ok(found.spec.persistent_volume_source.csi.as_ref().map(|csi| csi.driver.clone())))
    }

    /// A certificate for a pod that runs on the node as the account that is named.
    pub(super) async fn pod_certificate(&self) -> Outcome<()> {
        if self.request.operation != Operation::Create {
            return self.deny(format!("unexpected operation {}", self.operation()));
        }
        if !self.request.subresource.is_empty() {
            return self.deny(format!("unexpected subresource {}", self.request.subresource));
        }
        let Some(wanted) = self.new.and_then(|new| new.downcast_ref::<PodCertificateRequest>()) else {
            return self.deny("unexpected type");
        };
        let (wanted, space) = (&wanted.spec, self.request.namespace);
        if wanted.node_name != self.node {
            return self.deny(format!(
                "PodCertificateRequest.Spec.NodeName={}, which is not the requesting node {}",
                quoted(&wanted.node_name),
                quoted(self.node)
            ));
        }
        let later = |what: String| move |failure: Failure| Failure::unexplained(format!("{what}: {failure}"));
        let named = |sort: &str, name: String| {
            format!("while retrieving {sort} {} named in the PodCertificateRequest", quoted(name))
        };
        let node = self.known_node(self.node).await.map_err(later(named("node", self.node.to_owned())))?;
        let uid = node.downcast_ref::<Node>().map(|node| node.metadata.uid.as_str()).unwrap_or_default();
        let pod_name = format!("{space}/{}", wanted.pod_name);
        let shown = quoted(&pod_name);
        if uid != wanted.node_uid {
            return Err(Failure::unexplained(format!(
                "PodCertificateRequest for pod {shown} names node UID {}, inconsistent with the running node ({})",
                quoted(&wanted.node_uid),
                quoted(uid)
            )));
        }
        let found = self.known_pod(&wanted.pod_name).await.map_err(later(named("pod", pod_name.clone())))?;
        let Some(pod) = found.downcast_ref::<Pod>() else { return self.deny("unexpected type") };
        if wanted.pod_uid != pod.metadata.uid {
            return Err(Failure::unexplained(format!(
                "PodCertificateRequest for pod {shown} contains pod UID ({}) which differs from running pod {}",
                quoted(&wanted.pod_uid),
                quoted(&pod.metadata.uid)
            )));
        }
        if pod.spec.node_name != wanted.node_name {
            return self.deny(format!(
                "pod {shown} is not running on node {} named in the PodCertificateRequest",
                quoted(&wanted.node_name)
            ));
        }
        if pod.metadata.annotations.contains_key(MIRROR) {
            return self.deny(format!("pod {shown} is a mirror pod"));
        }
        if wanted.service_account_name != pod.spec.service_account_name {
            return self.deny(format!(
                "PodCertificateRequest for pod {shown} contains serviceAccountName ({}) that differs from running \
                 pod ({})",
                quoted(&wanted.service_account_name),
                quoted(&pod.spec.service_account_name)
            ));
        }
        let name = &wanted.service_account_name;
        let account = self.request.cluster.get(("", "v1", "serviceaccounts"), space, name).await?;
        let Some(account) = account.as_ref().and_then(|found| found.downcast_ref::<ServiceAccount>()) else {
            let what = named("service account", format!("{space}/{name}"));
            return Err(Failure::unexplained(format!("{what}: {}", missing("", "serviceaccount", name))));
        };
        if wanted.service_account_uid != account.metadata.uid {
            return Err(Failure::unexplained(format!(
                "PodCertificateRequest for pod {shown} names service account UID {}, which differs from the running \
                 service account ({})",
                quoted(&wanted.service_account_uid),
                quoted(&account.metadata.uid)
            )));
        }
        Ok(())
    }
}

/// What is said of an object that a cache doesn't have.
fn missing(group: &'static str, resource: &'static str, name: &str) -> String {
    Failure::not_found(&GroupResource::new_static(group, resource), name).to_string()
}
