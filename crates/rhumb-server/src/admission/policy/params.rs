//! Parameters of a binding: found by name or by labels, in the namespace of the request or in another.

use std::sync::Arc;

use rhumb_api::admissionregistration::v1::ParamRef;
use rhumb_meta::Object;

use crate::admission::Cluster;
use crate::registry::Endpoint;

/// Parameters that a binding is evaluated with.
pub(super) enum Param {
    /// There are none to be had.
    None,
    /// An object.
    Object(Arc<dyn Object>),
}

impl Param {
    /// Tells parameters of one kind from each other.
    pub(super) fn key(&self) -> Option<(String, String)> {
        match self {
            Param::None => None,
            Param::Object(object) => {
                let identity = object.identity();
                Some((identity.namespace.into_owned(), identity.name.into_owned()))
            }
        }
    }
}

/// Finds the parameters of a binding for a request in a namespace. The endpoint is that of their kind.
///
/// # Errors
/// If the binding can't be evaluated.
pub(super) async fn collect(
    cluster: &Cluster<'_>,
    endpoint: Option<&Endpoint>,
    wanted: Option<&ParamRef>,
    namespace: &str,
) -> Result<Vec<Param>, String> {
    // Without either the policy is evaluated with null.
    let (Some(endpoint), Some(wanted)) = (endpoint, wanted) else { return Ok(vec![Param::None]) };
    let namespace = namespace_of(endpoint, wanted, namespace)?;
    let resource = (&*endpoint.resource.group, &*endpoint.kind.version, &*endpoint.resource.resource);
    let found = if !wanted.name.is_empty() {
        if wanted.selector.is_some() {
            return Err("paramRef.name and paramRef.selector are mutually exclusive".to_owned());
        }
        cluster.get(resource, namespace, &wanted.name).await.map(|found| found.into_iter().collect())
    } else if let Some(selector) = &wanted.selector {
        let selector = selector.to_selector().map_err(|error| error.to_string())?;
        cluster.selected(resource, namespace, &selector).await
    } else {
        return Err("one of name or selector must be provided".to_owned());
    };
    let found: Vec<Arc<dyn Object>> = found.map_err(|failure| failure.to_string())?;
    if found.is_empty() && wanted.parameter_not_found_action.as_deref() == Some("Deny") {
        return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
    }
    Ok(found.into_iter().map(Param::Object).collect())
}

fn namespace_of<'a>(
    endpoint: &Endpoint,
    wanted: &'a ParamRef,
    namespace: &'a str,
) -> Result<&'a str, String> {
    match (endpoint.namespaced, wanted.namespace.as_str()) {
        (true, "") if namespace.is_empty() => {
            Err("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
                .to_owned())
        }
        (true, "") => Ok(namespace),
        (true, named) => Ok(named),
        (false, "") => Ok(""),
        (false, _) => {
            Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned())
        }
    }
}
