//! `RequestInfo`: what a request is about, read from its first line once. Filters, authorization, routing and storage
//! all go by it.

use std::borrow::Cow;
use std::time::Duration;

use http::{Method, Uri};
pub(crate) use rhumb_api::resources::Verb;
use rhumb_codec::query;
use rhumb_meta::fields;

use crate::authorization::{AskedResource, Attributes};
use crate::base::failure::Failure;
use crate::base::identity::User;
use crate::base::metrics::RequestKind;
use crate::base::request::decoded_path;

/// How long a request may take that ends by itself.
const LONGEST: Duration = Duration::from_secs(60);

/// What a request is about. It is made once, by the first filter, and goes along with the request.
#[derive(Clone, Debug)]
pub(crate) struct RequestInfo {
    /// The path, without escapes.
    pub(crate) path: String,
    /// The query as it was sent.
    pub(crate) query: String,
    /// The method.
    pub(crate) method: Method,
    /// What the path leads to.
    pub(crate) target: Target,
    /// What is asked of a resource; none for methods that ask nothing, and for other paths.
    pub(crate) verb: Option<Verb>,
}

/// The path has escapes that are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl RequestInfo {
    /// Reads a request's first line.
    ///
    /// # Errors
    /// If the path is malformed.
    pub(crate) fn of(method: &Method, uri: &Uri) -> Result<Self, Malformed> {
        let path = decoded_path(uri.path()).ok_or(Malformed)?.into_owned();
        let query = uri.query().unwrap_or_default().to_owned();
        let target = target(&path);
        let verb = match &target {
            Target::Resource(resource) => resource.verb(method, &query),
            _ => None,
        };
        Ok(RequestInfo { path, query, method: method.clone(), target, verb })
    }

    /// The resource, if it is about one.
    pub(crate) fn resource(&self) -> Option<&ResourcePath> {
        match &self.target {
            Target::Resource(resource) => Some(resource),
            _ => None,
        }
    }

    /// Whether it is a watch.
    pub(crate) fn is_watch(&self) -> bool {
        self.verb == Some(Verb::Watch)
    }

    /// Whether it goes on until one side ends it.
    pub(crate) fn is_long_running(&self) -> bool {
        self.is_watch() || self.resource().is_some_and(ResourcePath::is_connect)
    }

    /// Whether it may keep a processor busy for long.
    pub(crate) fn is_heavy(&self) -> bool {
        self.resource().is_some() && matches!(self.verb, Some(Verb::List | Verb::DeleteCollection))
    }

    /// Whether it changes anything.
    pub(crate) fn kind(&self) -> RequestKind {
        let reads = match self.resource() {
            Some(_) => matches!(self.verb, Some(Verb::Get | Verb::List | Verb::Watch)),
            None => self.method == Method::GET,
        };
        if reads { RequestKind::ReadOnly } else { RequestKind::Mutating }
    }

    /// How long it may take; none for as long as it likes. Clients can only ask for less than the server
    /// allows.
    pub(crate) fn allowed_time(&self) -> Result<Option<Duration>, Failure> {
        if self.is_long_running() {
            return Ok(None);
        }
        if !self.query.contains("timeout") {
            return Ok(Some(LONGEST));
        }
        let parsed = query::parse(&self.query);
        let Some(asked) = parsed.first("timeout").filter(|asked| !asked.is_empty()) else {
            return Ok(Some(LONGEST));
        };
        let asked = rhumb_meta::Duration::parse(asked).map_err(|error| {
            Failure::bad_request(format!("invalid timeout specified in the request URL - {error}"))
        })?;
        let asked = u64::try_from(asked.nanoseconds()).map(Duration::from_nanos).unwrap_or_default();
        Ok(Some(if asked.is_zero() || asked > LONGEST { LONGEST } else { asked }))
    }

    /// What it asks of the authorizers, if a user sends it.
    pub(crate) fn attributes<'a>(&'a self, user: &'a User) -> Attributes<'a> {
        match self.resource() {
            Some(resource) => resource.attributes(user, self.verb, &self.query),
            None => Attributes::path(user, self.method.as_str().to_ascii_lowercase(), &self.path),
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
    /// Whether the request is passed on to a kubelet, a pod or a Service.
    pub(crate) fn is_connect(&self) -> bool {
        matches!(self.subresource.as_str(), "attach" | "exec" | "log" | "portforward" | "proxy")
    }

    /// What a request for this asks of the authorizers. The verb is empty for methods that mean nothing.
    pub(crate) fn attributes<'a>(
        &'a self,
        user: &'a User,
        verb: Option<Verb>,
        raw_query: &str,
    ) -> Attributes<'a> {
        let mut asked = AskedResource {
            group: &self.group,
            resource: &self.resource,
            subresource: &self.subresource,
            namespace: &self.namespace,
            name: Cow::Borrowed(&self.name),
            fields: Vec::new(),
        };
        let about_many = matches!(verb, Some(Verb::List | Verb::Watch | Verb::DeleteCollection));
        if about_many && !self.is_watch_path && raw_query.contains("fieldSelector") {
            take_fields(&mut asked, verb, raw_query);
        }
        Attributes::resource(user, verb.map_or("", Verb::as_str), asked)
    }

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

/// Reads the fields that a query selects by. Who lists what has one name asks for that object alone, and rules
/// for its name hold.
fn take_fields(asked: &mut AskedResource<'_>, verb: Option<Verb>, raw_query: &str) {
    let parsed = query::parse(raw_query);
    let Some(Ok(selector)) = parsed.first("fieldSelector").map(fields::Selector::parse) else { return };
    if verb != Some(Verb::DeleteCollection)
        && asked.name.is_empty()
        && let Some(name) = selector.requires_exact_match("metadata.name")
        && rhumb_meta::validation::is_path_segment_name(name).is_empty()
    {
        asked.name = Cow::Owned(name.to_owned());
    }
    let equal = selector.requirements().iter().filter(|one| one.operator == fields::Operator::Equals);
    asked.fields = equal.map(|one| (one.field.clone(), one.value.clone())).collect();
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

    fn request(method: Method, path: &str, query: &str) -> RequestInfo {
        RequestInfo::of(&method, &format!("{path}?{query}").parse().unwrap()).unwrap()
    }

    fn get(path: &str, query: &str) -> RequestInfo {
        request(Method::GET, path, query)
    }

    #[test]
    fn watches_and_streams_take_as_long_as_they_like() {
        assert!(get("/api/v1/pods", "watch=1").is_long_running());
        assert!(get("/api/v1/namespaces/a/pods/b/log", "").is_long_running());
        assert!(!get("/api/v1/pods", "").is_long_running());
        assert!(!get("/watch", "").is_long_running());
    }

    #[test]
    fn whatever_does_not_read_may_change_something() {
        assert_eq!(get("/api/v1/pods", "").kind(), RequestKind::ReadOnly);
        assert_eq!(request(Method::POST, "/api/v1/nodes", "").kind(), RequestKind::Mutating);
        assert_eq!(request(Method::OPTIONS, "/api", "").kind(), RequestKind::Mutating);
    }

    #[test]
    fn clients_may_ask_for_less_time() {
        let time = |query| get("/api/v1/pods", query).allowed_time();
        assert_eq!(time("").unwrap(), Some(LONGEST));
        assert_eq!(time("timeout=0s").unwrap(), Some(LONGEST));
        assert_eq!(time("timeout=1h").unwrap(), Some(LONGEST));
        assert_eq!(time("timeout=1500ms").unwrap(), Some(Duration::from_millis(1500)));
        assert_eq!(time("watch=1&timeout=x").unwrap(), None);
        let refused = time("timeout=5").unwrap_err();
        let message = "invalid timeout specified in the request URL - time: missing unit in duration \"5\"";
        assert_eq!((refused.code(), refused.0.message.as_str()), (400, message));
    }
}
