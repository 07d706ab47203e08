//! NamespaceLifecycle: nothing is made in a namespace that isn't there or is going, and some namespaces stay.

use rhumb_api::core::v1::Namespace;
use rhumb_meta::v1::{StatusCause, StatusDetails};
use rhumb_meta::{GroupResource, Object};

use super::{Admission, Attributes, Deciding, Operation};
use crate::base::failure::{Failure, Outcome};

/// The namespaces that can't be deleted.
const IMMORTAL: &[&str] = &["default", "kube-public", "kube-system"];

pub(super) struct NamespaceLifecycle;

impl Admission for NamespaceLifecycle {
    fn name(&self) -> &str {
        "NamespaceLifecycle"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        match request.operation {
            Operation::Delete => request.is("", "namespaces"),
            // What a namespace is missing is found out when something is made in it; what is in one that isn't
            // there can't be found, so it can't be changed. Whether a namespace is there is nothing to be found
            // out by asking who may do what in it.
            Operation::Create => {
                !request.namespace.is_empty()
                    && !request.is_resource("authorization.k8s.io", "localsubjectaccessreviews")
            }
            Operation::Update | Operation::Connect => false,
        }
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(there(request, new))
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        _: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        let immortal = request.operation == Operation::Delete && IMMORTAL.contains(&request.name);
        let verdict = match immortal {
            true => {
                Err(Failure::forbidden(request.resource, request.name, "this namespace may not be deleted"))
            }
            false => Ok(()),
        };
        Box::pin(std::future::ready(verdict))
    }
}

/// Refuses a new object that has no place.
async fn there(request: &Attributes<'_>, new: &dyn Object) -> Outcome<()> {
    let place = request.namespace;
    let Some(namespace) = request.cluster.get(("", "v1", "namespaces"), "", place).await? else {
        return Err(Failure::not_found(&GroupResource::new_static("", "namespaces"), place));
    };
    let namespace = namespace.downcast_ref::<Namespace>();
    if namespace.is_none_or(|namespace| namespace.status.phase != "Terminating") {
        return Ok(());
    }
    let why = format!("unable to create new content in namespace {place} because it is being terminated");
    let mut failure = request.forbidden(Some(new), why);
    let cause = StatusCause {
        reason: "NamespaceTerminating".to_owned(),
        message: format!("namespace {place} is being terminated"),
        field: "metadata.namespace".to_owned(),
    };
    failure.0.details.get_or_insert_with(|| Box::new(StatusDetails::default())).causes.push(cause);
    Err(failure)
}
