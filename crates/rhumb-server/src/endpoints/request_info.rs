//! What a request is about, read from its method and path once: routing, authorization and storage all go by this.

use std::borrow::Cow;

use rhumb_codec::query;
use rhumb_meta::url;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Verb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Delete,
    DeleteCollection,
}

impl Verb {
    /// The verb as rules and messages name it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Verb::Get => "get",
            Verb::List => "list",
            Verb::Watch => "watch",
            Verb::Create => "create",
            Verb::Update => "update",
            Verb::Patch => "patch",
            Verb::Delete => "delete",
            Verb::DeleteCollection => "deletecollection",
        }
    }
}

/// A request for a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourcePath {
    /// The group; empty for the core group.
    pub(crate) group: String,
    /// The version.
    pub(crate) version: String,
    /// The namespace; empty for all of them, or for what is in none.
    pub(crate) namespace: String,
    /// The resource, as in `pods`.
    pub(crate) resource: String,
    /// The name of the object; empty if it is about all of them.
    pub(crate) name: String,
    /// What is below the object, as in `status`; empty if nothing is named.
    pub(crate) subresource: String,
    /// What follows the subresource, for those that pass a path on.
    pub(crate) rest: String,
    /// Whether the old form of a watch was used, with `watch` before the resource.
    pub(crate) is_watch_path: bool,
    /// Whether the path has a place for a namespace with nothing in it, as in `namespaces//pods`.
    pub(crate) leaves_namespace_empty: bool,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A resource, an object or a part of it.
    Resource(ResourcePath),
    /// `/api` or `/apis`, a group, or a version of one: what there is.
    Discovery(Discovery),
    /// Anything else.
    Other,
}

/// A place of discovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Discovery {
    /// `/api`.
    Legacy,
    /// `/apis`.
    Groups,
    /// `/apis/GROUP`.
    Group(String),
    /// `/api/VERSION` and `/apis/GROUP/VERSION`.
    Version(String, String),
}

/// A path with its escapes resolved, as everything behind it sees it; none if it is malformed. What is no text is seen
/// as replacement characters, which no name has; such a path is not passed on to anybody.
pub(crate) fn decoded_path(path: &str) -> Option<Cow<'_, str>> {
    if !path.contains('%') {
        return Some(Cow::Borrowed(path));
    }
    url::unescape(path).ok().map(|bytes| Cow::Owned(url::to_text(bytes)))
}

/// Takes a path apart.
pub(crate) fn target(path: &str) -> Target {
    let mut parts = path.trim_matches('/').split('/');
    let (group, version) = match parts.next() {
        Some("api") => {
            let Some(version) = parts.next() else { return Target::Discovery(Discovery::Legacy) };
            (String::new(), version.to_owned())
        }
        Some("apis") => {
            let Some(group) = parts.next() else {
                // Unlike `/api//` this is another path.
                let is_other = path.ends_with("//");
                return if is_other { Target::Other } else { Target::Discovery(Discovery::Groups) };
            };
            let Some(version) = parts.next() else {
                return Target::Discovery(Discovery::Group(group.to_owned()));
            };
            (group.to_owned(), version.to_owned())
        }
        _ => return Target::Other,
    };
    let mut rest: Vec<&str> = parts.collect();
    let is_watch_path = rest.first() == Some(&"watch") && rest.len() > 1;
    if is_watch_path {
        rest.remove(0);
    }
    match resource_path(group, version, &rest) {
        Ok(found) => Target::Resource(ResourcePath { is_watch_path, ..found }),
        Err((group, version)) => Target::Discovery(Discovery::Version(group, version)),
    }
}

/// What follows the version.
fn resource_path(group: String, version: String, parts: &[&str]) -> Result<ResourcePath, (String, String)> {
    let owned = |text: Option<&&str>| text.map(|text| (*text).to_owned()).unwrap_or_default();
    let leaves_namespace_empty = matches!(parts, ["namespaces", "", _, ..]);
    // A namespace is an object itself, and a place for others. What stands behind it decides.
    let (namespace, parts) = match parts {
        ["namespaces", name, "status" | "finalize", ..] => ((*name).to_owned(), parts),
        ["namespaces", name, _, ..] => ((*name).to_owned(), parts.get(2..).unwrap_or_default()),
        ["namespaces", name] => ((*name).to_owned(), parts),
        [] => return Err((group, version)),
        _ => (String::new(), parts),
    };
    Ok(ResourcePath {
        group,
        version,
        namespace,
        resource: owned(parts.first()),
        name: owned(parts.get(1)),
        subresource: owned(parts.get(2)),
        rest: parts.get(3..).unwrap_or_default().join("/"),
        is_watch_path: false,
        leaves_namespace_empty,
    })
}

impl ResourcePath {
    /// What a method asks of this path; `None` for methods that mean nothing here.
    pub(crate) fn verb(&self, method: &http::Method, raw_query: &str) -> Option<Verb> {
        let about_one = !self.name.is_empty();
        if self.is_watch_path {
            // Whether it has the method is found when it is routed.
            return Some(Verb::Watch);
        }
        Some(match *method {
            http::Method::GET | http::Method::HEAD => match about_one {
                true => Verb::Get,
                false if wants_watch(raw_query) => Verb::Watch,
                false => Verb::List,
            },
            http::Method::POST => Verb::Create,
            http::Method::PUT => Verb::Update,
            http::Method::PATCH => Verb::Patch,
            http::Method::DELETE if about_one => Verb::Delete,
            http::Method::DELETE => Verb::DeleteCollection,
            _ => return None,
        })
    }
}

/// Whether a query asks for a watch.
fn wants_watch(raw_query: &str) -> bool {
    if !raw_query.contains("watch") {
        return false;
    }
    let parsed = query::parse(raw_query);
    parsed.first("watch").is_some_and(|value| !matches!(value, "false" | "0" | "False" | "FALSE" | "f" | "F"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(path: &str) -> ResourcePath {
        match target(path) {
            Target::Resource(found) => found,
            other => panic!("{path} leads to {other:?}"),
        }
    }

    fn parts(path: &str) -> [String; 6] {
        let found = resource(path);
        [found.group, found.version, found.namespace, found.resource, found.name, found.subresource]
    }

    #[test]
    fn paths_are_taken_apart_as_kubernetes_does() {
        assert_eq!(parts("/api/v1/namespaces/a/pods/b/status"), ["", "v1", "a", "pods", "b", "status"]);
        assert_eq!(parts("/apis/apps/v1/deployments"), ["apps", "v1", "", "deployments", "", ""]);
        assert_eq!(parts("/api/v1/namespaces/a"), ["", "v1", "a", "namespaces", "a", ""]);
        assert_eq!(parts("/api/v1/namespaces/a/finalize"), ["", "v1", "a", "namespaces", "a", "finalize"]);
        assert_eq!(parts("/api/v1/namespaces"), ["", "v1", "", "namespaces", "", ""]);
        assert_eq!(parts("/api/v1/nodes/n/proxy/a/b"), ["", "v1", "", "nodes", "n", "proxy"]);
        assert_eq!(resource("/api/v1/nodes/n/proxy/a/b").rest, "a/b");
        assert!(resource("/api/v1/watch/namespaces/a/pods").is_watch_path);
    }

    #[test]
    fn discovery_and_other_paths_are_told_apart() {
        assert_eq!(target("/api"), Target::Discovery(Discovery::Legacy));
        assert_eq!(target("/apis/"), Target::Discovery(Discovery::Groups));
        assert_eq!(
            (target("/apis//"), target("/api//")),
            (Target::Other, Target::Discovery(Discovery::Legacy))
        );
        assert_eq!(target("/apis/apps"), Target::Discovery(Discovery::Group("apps".into())));
        assert_eq!(target("/api/v1"), Target::Discovery(Discovery::Version(String::new(), "v1".into())));
        assert_eq!(target("/healthz"), Target::Other);
    }

    #[test]
    fn escapes_are_resolved_and_bad_ones_refused() {
        assert_eq!(decoded_path("/a%3Ab").as_deref(), Some("/a:b"));
        assert_eq!(decoded_path("/a%3"), None);
        assert_eq!(decoded_path("/a%ff").as_deref(), Some("/a\u{fffd}"));
    }

    #[test]
    fn the_method_and_the_path_make_the_verb() {
        let verb = |method, path, query| resource(path).verb(&method, query);
        assert_eq!(verb(http::Method::GET, "/api/v1/pods", ""), Some(Verb::List));
        assert_eq!(verb(http::Method::GET, "/api/v1/pods", "watch=1"), Some(Verb::Watch));
        assert_eq!(verb(http::Method::GET, "/api/v1/pods", "watch=false"), Some(Verb::List));
        assert_eq!(verb(http::Method::GET, "/api/v1/watch/nodes/a", ""), Some(Verb::Watch));
        assert_eq!(verb(http::Method::POST, "/api/v1/watch/nodes", ""), Some(Verb::Watch));
        assert_eq!(verb(http::Method::DELETE, "/api/v1/nodes/a", ""), Some(Verb::Delete));
        assert_eq!(verb(http::Method::DELETE, "/api/v1/nodes", ""), Some(Verb::DeleteCollection));
        assert_eq!(verb(http::Method::OPTIONS, "/api/v1/nodes", ""), None);
    }
}
