//! OwnerReferencesPermissionEnforcement: whoever names an owner could have the object deleted, or keep the owner
//! from being deleted. So only those may who could do that anyway.

use std::borrow::Cow;
use std::collections::HashMap;

use rhumb_meta::v1::OwnerReference;
use rhumb_meta::{GroupVersionKind, Object};

use super::{Admission, Attributes, Deciding, Operation, Question};
use crate::base::failure::Outcome;

pub(super) struct OwnerReferencesPermissionEnforcement;

impl Admission for OwnerReferencesPermissionEnforcement {
    fn name(&self) -> &str {
        "OwnerReferencesPermissionEnforcement"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        // Their owners don't change by way of their status.
        request.operation.stores() && !request.is_below("", "pods", "status")
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(check(request, old, new))
    }
}

fn owners(object: Option<&dyn Object>) -> Vec<OwnerReference> {
    let meta = object.and_then(Object::metadata);
    match meta {
        Some(Cow::Borrowed(meta)) => meta.owner_references.clone(),
        Some(Cow::Owned(meta)) => meta.owner_references,
        None => Vec::new(),
    }
}

async fn check(request: &Attributes<'_>, old: Option<&dyn Object>, new: Option<&dyn Object>) -> Outcome<()> {
    if request.user.is_master() {
        return Ok(());
    }
    let (before, after) = (owners(old), owners(new));
    if before == after {
        return Ok(());
    }
    let (cluster, user) = (&request.cluster, request.user);
    // Whoever makes an object could have left it out. Whoever changes one must be able to delete it.
    if request.operation != Operation::Create {
        let question = Question {
            verb: "delete",
            group: &request.resource.group,
            resource: &request.resource.resource,
            subresource: request.subresource,
            namespace: request.namespace,
            name: request.name,
        };
        if let Err(reason) = cluster.authorized(user, &question).await {
            let why = format!("cannot set an ownerRef on a resource you can't delete: {reason}, <nil>");
            return Err(request.forbidden(new, why));
        }
    }
    let is_blocking = |owner: &&OwnerReference| owner.block_owner_deletion == Some(true);
    // Of several with a uid the last counts.
    let known: HashMap<&str, bool> =
        before.iter().map(|known| (known.uid.as_str(), is_blocking(&known))).collect();
    let was_blocking = |owner: &OwnerReference| known.get(owner.uid.as_str()).copied().unwrap_or_default();
    let blocking: Vec<&OwnerReference> =
        after.iter().filter(is_blocking).filter(|owner| !was_blocking(owner)).collect();
    if blocking.is_empty() {
        return Ok(());
    }
    let anything = Question {
        verb: "update",
        group: "*",
        resource: "*",
        subresource: "finalizers",
        namespace: "",
        name: "*",
    };
    if cluster.authorized(user, &anything).await.is_ok() {
        return Ok(());
    }
    for owner in blocking {
        let kind = GroupVersionKind::from_api_version_and_kind(&owner.api_version, &owner.kind);
        let Some((resource, namespaced)) = cluster.resource_of(&kind) else {
            let why = format!(
                "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion {} \
                 Kind {}: no matches for kind {} in version {}",
                owner.api_version,
                owner.kind,
                rhumb_schema::text::quoted(&owner.kind),
                rhumb_schema::text::quoted(&owner.api_version)
            );
            return Err(request.forbidden(new, why));
        };
        let question = Question {
            verb: "update",
            group: &kind.group,
            resource: &resource,
            subresource: "finalizers",
            // The owner of something in a namespace is in the same one.
            namespace: if namespaced { request.namespace } else { "" },
            name: &owner.name,
        };
        if let Err(reason) = cluster.authorized(user, &question).await {
            let why = format!(
                "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set \
                 finalizers on: {reason}, <nil>"
            );
            return Err(request.forbidden(new, why));
        }
    }
    Ok(())
}
