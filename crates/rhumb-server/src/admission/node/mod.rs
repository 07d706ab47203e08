//! NodeRestriction: a node writes what is its own, and nothing that would bring it the pods, Secrets or powers of
//! others.

mod objects;
mod pods;
mod tokens;

use rhumb_meta::Object;

use super::{Admission, Attributes, Deciding, Operation};
use crate::base::failure::Outcome;
use crate::base::identity::User;

const PREFIX: &str = "system:node:";
const NODES: &str = "system:nodes";

pub(super) struct NodeRestriction;

/// The name of the node that a user is; `None` if it is none.
fn node_of(user: &User) -> Option<&str> {
    let name = user.name.strip_prefix(PREFIX)?;
    user.groups.iter().any(|group| group == NODES).then_some(name)
}

impl Admission for NodeRestriction {
    fn name(&self) -> &str {
        "NodeRestriction"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation != Operation::Connect && node_of(request.user).is_some()
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(check(request, old, Some(new)))
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        // The new object was looked at before anything else was done with it.
        let looked = request.operation != Operation::Delete;
        Box::pin(async move { if looked { Ok(()) } else { check(request, old, new).await } })
    }
}

async fn check(request: &Attributes<'_>, old: Option<&dyn Object>, new: Option<&dyn Object>) -> Outcome<()> {
    let Some(node) = node_of(request.user) else { return Ok(()) };
    let refuse = |why: String| request.forbidden(new, why);
    if node.is_empty() {
        let name = rhumb_schema::text::quoted(&request.user.name);
        return Err(refuse(format!("could not determine node from user {name}")));
    }
    let written = Written { request, node, old, new };
    match (&*request.resource.group, &*request.resource.resource) {
        ("", "pods") => written.pod().await,
        ("", "nodes") => written.node().map_err(refuse),
        ("", "persistentvolumeclaims") => written.claim().map_err(refuse),
        ("", "serviceaccounts") => written.token().await,
        ("certificates.k8s.io", "podcertificaterequests") => written.pod_certificate().await,
        ("coordination.k8s.io", "leases") => written.lease().map_err(refuse),
        ("storage.k8s.io", "csinodes") => written.csi_node().map_err(refuse),
        ("resource.k8s.io", "resourceslices") => written.slice().map_err(refuse),
        ("certificates.k8s.io", "certificatesigningrequests") => written.signing_request().map_err(refuse),
        _ => Ok(()),
    }
}

/// What a node writes.
struct Written<'a> {
    request: &'a Attributes<'a>,
    node: &'a str,
    old: Option<&'a dyn Object>,
    new: Option<&'a dyn Object>,
}

/// Why a node may not write something.
type Refusal = Result<(), String>;

impl Written<'_> {
    fn operation(&self) -> &'static str {
        self.request.operation.as_str()
    }

    /// The name that the object has or will have.
    fn name(&self) -> String {
        match (self.request.operation, self.new.and_then(Object::metadata)) {
            (Operation::Create, Some(meta)) => meta.name.clone(),
            _ => self.request.name.to_owned(),
        }
    }
}
