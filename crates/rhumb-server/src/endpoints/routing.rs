//! Routing: refusals that come before a resource looks at a request: the path leads nowhere, has no such method, or
//! gives none of the media types that the client takes.
//!
//! In Kubernetes a router decides this for the built-in resources, and custom ones have none. So the answers
//! differ: below a built-in group they are a `Status`, elsewhere the plain text of Go's servers.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, Method};
use rhumb_codec::Format;
use rhumb_meta::v1::{StatusDetails, StatusReason};

use crate::base::failure::{Failure, Outcome};
use crate::base::request::header_text;
use crate::base::response::{self, Response};
use crate::endpoints::request_info::{RequestInfo, ResourcePath};
use crate::registry::{Endpoint, Resources};
use rhumb_api::resources::Verb;

/// The forms that a patch can have.
const PATCHES: [&str; 4] = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

/// A refusal that names no object.
fn refusal(reason: StatusReason, message: impl Into<String>) -> Failure {
    let mut failure = Failure::new(reason, message);
    failure.0.details = Some(Box::new(StatusDetails::default()));
    failure
}

/// The answer to a path within a group that leads nowhere.
pub(crate) fn no_such_resource() -> Failure {
    refusal(StatusReason::NotFound, "the server could not find the requested resource")
}

/// The answer to a method that a path doesn't have.
pub(crate) fn not_allowed() -> Failure {
    let message = "the server does not allow this method on the requested resource";
    refusal(StatusReason::MethodNotAllowed, message)
}

/// The answer to a path of a group that leads nowhere.
pub(crate) fn nowhere(resources: &Resources, group: &str) -> Outcome<Response> {
    if is_built_in(resources, group) { Err(no_such_resource()) } else { Ok(response::no_such_path()) }
}

/// Whether a group has built-in resources.
pub(crate) fn is_built_in(resources: &Resources, group: &str) -> bool {
    resources.is_built_in(group)
}

/// What a request asks of a resource; none if its path leads nowhere.
pub(crate) fn verb(
    endpoint: &Endpoint,
    info: &RequestInfo,
    path: &ResourcePath,
    headers: &HeaderMap,
) -> Outcome<Option<Verb>> {
    let verb = info.verb;
    let is_custom = endpoint.model.is_custom();
    if !is_custom && leads_nowhere(endpoint, path) {
        return Err(no_such_resource());
    }
    let is_homeless = endpoint.namespaced && path.namespace.is_empty();
    if is_custom {
        return custom_verb(endpoint, path, verb);
    }
    if path.is_watch_path && !matches!(info.method, Method::GET | Method::HEAD) {
        let is_lost = is_homeless && !path.name.is_empty();
        return Err(if is_lost { no_such_resource() } else { not_allowed() });
    }
    let means_one = !path.name.is_empty() || verb == Some(Verb::DeleteCollection);
    if is_homeless && path.leaves_namespace_empty && means_one && !path.is_watch_path {
        return Err(Failure::bad_request("Namespace parameter required."));
    }
    let is_namespace = path.group.is_empty() && path.resource == "namespaces";
    let in_scope = match (endpoint.namespaced, path.namespace.is_empty()) {
        (true, true) => path.name.is_empty(),
        // A namespace is in itself, and no others are in it: who may list them there may not list all.
        (false, false) => is_namespace && path.name == path.namespace,
        _ => true,
    };
    if !in_scope || !path.subresource.is_empty() && endpoint.part(&path.subresource).is_none() {
        return Err(no_such_resource());
    }
    let is_proxy = path.subresource == "proxy";
    let verb = match info.method {
        // They read whatever they are passed on to.
        Method::HEAD | Method::OPTIONS if is_proxy => Some(Verb::Get),
        Method::HEAD => None,
        _ => verb,
    };
    // A watch is a list that goes on, unless it has a path of its own. Who can't watch is told so later.
    let lists_only = endpoint.knows(Verb::List, "") && !endpoint.knows(Verb::Watch, "");
    if lists_only && path.is_watch_path {
        return Err(no_such_resource());
    }
    let goes_on = |verb: Verb| lists_only && verb == Verb::Watch;
    let verb = verb.filter(|verb| goes_on(*verb) || has_method(endpoint, path, *verb));
    let Some(verb) = verb else { return Err(not_allowed()) };
    if verb == Verb::Patch && !is_proxy {
        check_patch(headers)?;
    }
    check_accept(headers, verb, path)?;
    Ok(Some(verb))
}

/// Whether a path goes on below what a built-in resource has, or is one that no method is for.
fn leads_nowhere(endpoint: &Endpoint, path: &ResourcePath) -> bool {
    if !path.rest.is_empty() && path.subresource != "proxy"
        || path.is_watch_path && !path.subresource.is_empty()
    {
        return true;
    }
    // What can only be asked or ordered has no objects, and none of it is there in all namespaces.
    let knows = |verb| endpoint.knows(verb, "");
    let is_kept = [Verb::Get, Verb::List, Verb::Update, Verb::Patch, Verb::Delete].into_iter().any(knows);
    let is_homeless = endpoint.namespaced && path.namespace.is_empty();
    !is_kept && path.subresource.is_empty() && (!path.name.is_empty() || is_homeless)
}

/// Whether a path of a built-in resource has a method.
fn has_method(endpoint: &Endpoint, path: &ResourcePath, verb: Verb) -> bool {
    // What lives in namespaces can be read across all of them, and no more than that.
    let is_homeless = endpoint.namespaced && path.namespace.is_empty();
    let fits = match verb {
        Verb::Create if path.subresource.is_empty() => {
            // Where a namespace could be and isn't, the check of the object says so.
            path.name.is_empty() && (!is_homeless || path.leaves_namespace_empty)
        }
        Verb::Update | Verb::Patch => !path.name.is_empty(),
        Verb::DeleteCollection => !is_homeless,
        _ => true,
    };
    fits && endpoint.knows(verb, &path.subresource)
}

/// What is asked of a custom resource. Whatever method comes to the path of a watch, it begins one.
fn custom_verb(endpoint: &Endpoint, path: &ResourcePath, verb: Option<Verb>) -> Outcome<Option<Verb>> {
    let in_scope = match (endpoint.namespaced, path.namespace.is_empty()) {
        (true, true) => matches!(verb, Some(Verb::List | Verb::Watch)),
        (namespaced, homeless) => namespaced != homeless,
    };
    if !in_scope {
        return Ok(None);
    }
    if !path.subresource.is_empty() && endpoint.part(&path.subresource).is_none() {
        return Err(Failure::not_found(&endpoint.resource, &path.name));
    }
    match verb {
        Some(verb) if path.subresource.is_empty() || endpoint.knows(verb, &path.subresource) => {
            Ok(Some(verb))
        }
        other => Err(Failure::method_not_supported(&endpoint.resource, other.map_or("", Verb::as_str))),
    }
}

/// Checks that a patch comes in a form that built-in resources know.
fn check_patch(headers: &HeaderMap) -> Outcome<()> {
    let mut named = header_text(headers, CONTENT_TYPE)
        .split(',')
        .map(|clause| clause.split(';').next().unwrap_or_default().trim());
    if named.any(|media_type| PATCHES.contains(&media_type)) {
        return Ok(());
    }
    Err(refusal(StatusReason::UnsupportedMediaType, "415: Unsupported Media Type"))
}

/// Checks that a client takes something that a built-in resource gives. This is coarser than what the
/// resource itself agrees on later: parameters don't count, and of patterns only `*/*` is known.
fn check_accept(headers: &HeaderMap, verb: Verb, path: &ResourcePath) -> Outcome<()> {
    if path.is_connect() {
        return Ok(());
    }
    let gives_streams = matches!(verb, Verb::List | Verb::Watch) && path.subresource.is_empty();
    let streams =
        Format::ALL.iter().filter(|_| gives_streams).filter_map(|format| format.stream_media_type());
    accepts(headers, Format::ALL.iter().map(|format| format.media_type()).chain(streams))
}

/// Checks that a client takes one of these media types.
pub(crate) fn accepts<'a>(headers: &HeaderMap, given: impl Iterator<Item = &'a str>) -> Outcome<()> {
    let accept = header_text(headers, ACCEPT);
    if accept.is_empty() {
        return Ok(());
    }
    let given: Vec<&str> = given.collect();
    if takes(accept, &given) {
        return Ok(());
    }
    let message = format!("406: Not Acceptable\n\nAvailable representations: {}", given.join(", "));
    Err(refusal(StatusReason::NotAcceptable, message))
}

/// Whether what a client accepts has one of these media types.
pub(crate) fn takes(accept: &str, given: &[&str]) -> bool {
    let mut taken = accept.split(',').map(|clause| clause.split(';').next().unwrap_or_default().trim());
    accept.is_empty() || taken.any(|media_type| media_type == "*/*" || given.contains(&media_type))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn parameters_and_patterns_are_not_looked_at() {
        let takes = |accept: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            accepts(&headers, ["application/json", "application/json;stream=watch"].into_iter()).is_ok()
        };
        assert!(takes("application/json;as=Nothing") && takes("image/png, */*;q=0.1"));
        assert!(!takes("application/*") && !takes("nonsense") && !takes("image/png"));
    }
}
