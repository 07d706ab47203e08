//! What those are told who may not do something, in Kubernetes' words.

use rhumb_meta::GroupResource;
use rhumb_meta::v1::{StatusDetails, StatusReason};
use rhumb_schema::text::quoted;

use super::attributes::{Asked, Attributes};
use crate::base::failure::Failure;

/// What a user is told who may not do something, with what there is to say about it.
pub(crate) fn refusal(wanted: &Attributes<'_>, why: &str) -> Failure {
    let mut told = harmless(&sentence(wanted));
    if !why.is_empty() {
        told = format!("{told}: {why}");
    }
    match &wanted.asked {
        Asked::Resource(asked) if !asked.group.is_empty() || !asked.resource.is_empty() => {
            let resource = GroupResource::new(asked.group.to_owned(), asked.resource.to_owned());
            Failure::forbidden(&resource, &asked.name, &told)
        }
        nameless => {
            let name = match nameless {
                Asked::Resource(asked) => asked.name.to_string(),
                Asked::Path(_) => String::new(),
            };
            let mut failure = Failure::new(StatusReason::Forbidden, format!("forbidden: {told}"));
            failure.0.details = Some(Box::new(StatusDetails { name, ..StatusDetails::default() }));
            failure
        }
    }
}

fn sentence(wanted: &Attributes<'_>) -> String {
    let (user, verb) = (quoted(&wanted.user.name), &wanted.verb);
    let asked = match &wanted.asked {
        Asked::Resource(asked) => asked,
        Asked::Path(path) => return format!("User {user} cannot {verb} path {}", quoted(path)),
    };
    let resource = match asked.subresource {
        "" => asked.resource.to_owned(),
        below => format!("{}/{below}", asked.resource),
    };
    let scope = match asked.namespace {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace {}", quoted(namespace)),
    };
    format!(
        "User {user} cannot {verb} resource {} in API group {} {scope}",
        quoted(resource),
        quoted(asked.group)
    )
}

/// A text that no browser takes for markup: parts of it come from the path.
fn harmless(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
