//! Who may do what. Until rules are looked at, masters may do everything; this is what others are told, in
//! Kubernetes' words.

use http::Method;
use rhumb_meta::GroupResource;
use rhumb_meta::v1::{StatusDetails, StatusReason};
use rhumb_schema::text::quoted;

use crate::failure::{Failure, Outcome};
use crate::identity::User;
use crate::request::ResourcePath;

/// Refuses a request for a resource by those who may not send it. The verb is empty for methods that mean
/// nothing.
pub(crate) fn allow(user: &User, verb: &str, path: &ResourcePath) -> Outcome<()> {
    if user.is_master() { Ok(()) } else { Err(refusal(&user.name, verb, path)) }
}

/// Refuses a path that is no resource to those who may not see it.
pub(crate) fn allow_path(user: &User, method: &Method, path: &str) -> Outcome<()> {
    if user.is_master() {
        return Ok(());
    }
    Err(path_refusal(&user.name, &method.as_str().to_ascii_lowercase(), path))
}

/// What a user is told who may not do something with a resource.
pub(crate) fn refusal(user: &str, verb: &str, path: &ResourcePath) -> Failure {
    let resource = match path.subresource.as_str() {
        "" => path.resource.clone(),
        below => format!("{}/{below}", path.resource),
    };
    let scope = match path.namespace.as_str() {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace {}", quoted(namespace)),
    };
    let why = format!(
        "User {} cannot {verb} resource {} in API group {} {scope}",
        quoted(user),
        quoted(resource),
        quoted(&path.group)
    );
    Failure::forbidden(&GroupResource::new(path.group.clone(), path.resource.clone()), &path.name, &why)
}

/// What a user is told who may not do something with a path that is no resource.
pub(crate) fn path_refusal(user: &str, verb: &str, path: &str) -> Failure {
    let message = format!("forbidden: User {} cannot {verb} path {}", quoted(user), quoted(path));
    let mut failure = Failure::new(StatusReason::Forbidden, message);
    failure.0.details = Some(Box::new(StatusDetails::default()));
    failure
}
