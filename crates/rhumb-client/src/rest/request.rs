//! Request builder.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use rhumb_codec::{json, proto, query};
use rhumb_meta::{GroupVersion, Object, url};
use rhumb_schema::text::quoted;
use rhumb_schema::{Struct, View};

use super::client::Client;
use super::path;
use super::refusal::About;
use crate::Error;
use crate::config::ContentType;

/// Default maximum of retries that a server asks for.
const MAX_RETRIES: u32 = 10;
/// Default maximum size of a decompressed response.
const MAX_BODY: usize = 2 << 30;

/// Builder of a request. Errors in its parts are returned when it is sent.
///
/// ```
/// # use rhumb_client::{Client, Config, Error};
/// # use rhumb_meta::GroupVersion;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::new(Config::new("http://127.0.0.1:8080/prefix".parse()?))?;
/// let apps = GroupVersion::new("apps", "v1");
/// let request = client.get().version(&apps).namespace("shop").resource("deployments").name("web");
/// let expect = "http://127.0.0.1:8080/prefix/apis/apps/v1/namespaces/shop/deployments/web";
/// assert_eq!(request.uri()?, expect);
/// let error = client.get().resource("pods").name("a/b").uri().unwrap_err();
/// assert_eq!(error.to_string(), r#"invalid resource name "a/b": [may not contain '/']"#);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent"]
pub struct Request {
    pub(super) client: Client,
    pub(super) method: Method,
    /// The path up to the namespace, with what the server's address has.
    prefix: String,
    group: String,
    namespace: Option<String>,
    resource: String,
    name: String,
    subresource: String,
    suffix: String,
    params: Vec<(String, String)>,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    pub(super) timeout: Option<Duration>,
    pub(super) max_retries: u32,
    pub(super) max_body: usize,
    /// The first error.
    mistake: Option<String>,
}

impl Request {
    pub(super) fn new(client: Client, method: Method, headers: HeaderMap) -> Self {
        let prefix = path::join(["/", client.config().server.path()]);
        let timeout = client.config().timeout;
        Request {
            client,
            method,
            prefix,
            group: String::new(),
            namespace: None,
            resource: String::new(),
            name: String::new(),
            subresource: String::new(),
            suffix: String::new(),
            params: Vec::new(),
            headers,
            body: Bytes::new(),
            timeout,
            max_retries: MAX_RETRIES,
            max_body: MAX_BODY,
            mistake: None,
        }
    }

    fn mistaken(mut self, what: impl FnOnce(&Self) -> String) -> Self {
        if self.mistake.is_none() {
            self.mistake = Some(what(&self));
        }
        self
    }

    /// Sets the path from the server's root in place of a version, such as `/healthz`. A trailing slash is kept.
    pub fn absolute(mut self, path: &str) -> Self {
        let base = self.client.config().server.path();
        let keeps_slash = path.ends_with('/') && (base.len() > 1 || path.len() > 1);
        self.prefix = path::join(["/", base, path]);
        if keeps_slash && !self.prefix.ends_with('/') {
            self.prefix.push('/');
        }
        self
    }

    /// Sets the path and query from the server's root, in place of all others.
    pub fn request_uri(mut self, uri: &str) -> Self {
        let (path, parameters) = uri.split_once('?').unwrap_or((uri, ""));
        self.params = query::parse(parameters).pairs;
        match path::unescape(path) {
            Some(path) => self.absolute(&path),
            None => self.mistaken(|_| format!("parse {}: invalid URL escape", quoted(uri))),
        }
    }

    /// Sets the group and version: `/api/v1` or `/apis/apps/v1`.
    pub fn version(mut self, version: &GroupVersion) -> Self {
        let (group, version) = (&*version.group, &*version.version);
        let base = self.client.config().server.path();
        self.prefix = match group {
            "" => path::join(["/", base, "api", version]),
            group => path::join(["/", base, "apis", group, version]),
        };
        self.group = group.to_owned();
        self
    }

    /// Sets the namespace; an empty one means all.
    pub fn namespace(mut self, namespace: &str) -> Self {
        if let Some(known) = &self.namespace {
            let text =
                format!("namespace already set to {}, cannot change to {}", quoted(known), quoted(namespace));
            return self.mistaken(|_| text);
        }
        if let Some(text) = problem("namespace", namespace) {
            return self.mistaken(|_| text);
        }
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// Sets the resource, `pods` for example.
    pub fn resource(mut self, resource: &str) -> Self {
        if !self.resource.is_empty() {
            return self.mistaken(|this| {
                let (known, other) = (quoted(&this.resource), quoted(resource));
                format!("resource already set to {known}, cannot change to {other}")
            });
        }
        if let Some(text) = problem("resource", resource) {
            return self.mistaken(|_| text);
        }
        self.resource = resource.to_owned();
        self
    }

    /// Sets the object's name.
    pub fn name(mut self, name: &str) -> Self {
        if name.is_empty() {
            return self.mistaken(|_| "resource name may not be empty".to_owned());
        }
        if !self.name.is_empty() {
            return self.mistaken(|this| {
                let (known, other) = (quoted(&this.name), quoted(name));
                format!("resource name already set to {known}, cannot change to {other}")
            });
        }
        if let Some(text) = problem("resource name", name) {
            return self.mistaken(|_| text);
        }
        self.name = name.to_owned();
        self
    }

    /// Sets the subresource, `status` for example.
    pub fn subresource(mut self, subresource: &str) -> Self {
        if !self.subresource.is_empty() {
            return self.mistaken(|this| {
                let (known, other) = (quoted(&this.subresource), quoted(subresource));
                format!("subresource already set to {known}, cannot change to {other}")
            });
        }
        if let Some(text) = problem("subresource", subresource) {
            return self.mistaken(|_| text);
        }
        self.subresource = subresource.to_owned();
        self
    }

    /// Adds path segments after all others.
    pub fn suffix(mut self, suffix: &str) -> Self {
        self.suffix = path::join([&*self.suffix, suffix]);
        self
    }

    /// Adds a query parameter. A key may have several values.
    pub fn param(mut self, key: &str, value: &str) -> Self {
        self.params.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Adds query parameters from options such as `ListOptions`; unset fields are left out.
    pub fn options(mut self, options: &dyn Struct) -> Self {
        self.params.extend(query::to_query(options));
        self
    }

    /// Sets a header, replacing any of the same name, including the client's own.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Returns the content type of the client.
    pub(crate) fn content_type(&self) -> ContentType {
        self.client.config().content_type
    }

    /// Sets the `Accept` header in place of the client's.
    pub fn accept(self, value: &str) -> Self {
        match HeaderValue::from_str(value) {
            Ok(value) => self.header(ACCEPT, value),
            Err(_) => self.mistaken(|_| format!("{value:?} can't stand in a header")),
        }
    }

    /// Sets the `Accept` header to formats that can be decoded as `K`: objects without a Rust type have no protobuf
    /// encoding. A JSON form that was set before, such as tables, is kept.
    pub fn accept_for<K: Object + Default>(self) -> Self {
        let is_json =
            self.headers.get(ACCEPT).is_some_and(|forms| forms.as_bytes().starts_with(b"application/json"));
        match K::default().view() {
            View::Json(_) if !is_json => self.header(ACCEPT, HeaderValue::from_static("application/json")),
            _ => self,
        }
    }

    /// Sets the body and its content type.
    pub fn body(mut self, content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        self.headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        self.bytes(bytes)
    }

    /// Sets the body without its content type.
    pub fn bytes(mut self, bytes: impl Into<Bytes>) -> Self {
        self.body = bytes.into();
        self
    }

    /// Sets an object as the body in the client's content type, or in JSON if it has no protobuf encoding.
    pub fn object(self, object: &dyn Object) -> Self {
        let mut bytes = Vec::new();
        if self.client.config().content_type == ContentType::Protobuf
            && proto::encode(object, &mut bytes).is_ok()
        {
            return self.body("application/vnd.kubernetes.protobuf", bytes);
        }
        bytes.clear();
        json::encode(object, &mut bytes);
        self.body("application/json", bytes)
    }

    /// Sets the timeout of the whole request including retries, which is also sent to the server. It ends watches
    /// without `timeoutSeconds`, which the server ends otherwise, and fails streams.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// Sets the maximum number of retries that the server asks for (10).
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// Sets the maximum size of the decompressed response (2 GiB).
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// Reports whether a parameter was given.
    pub(super) fn has_param(&self, key: &str) -> bool {
        self.params.iter().any(|(known, _)| known == key)
    }

    /// Returns the subject of the request for a refusal.
    pub(super) fn about(&self) -> About<'_> {
        About { method: &self.method, group: &self.group, resource: &self.resource, name: &self.name }
    }

    /// Returns the URL.
    ///
    /// # Errors
    /// If a step was mistaken, or the address is too long.
    pub fn uri(&self) -> Result<Uri, Error> {
        if let Some(mistake) = &self.mistake {
            return Err(Error::Request(mistake.clone()));
        }
        let mut whole = url::escape_path(&self.path());
        let query = self.query();
        if !query.is_empty() {
            whole.push('?');
            whole.push_str(&query);
        }
        let unusable = |error: http::Error| Error::Request(format!("the address can't be used: {error}"));
        let whole = PathAndQuery::try_from(whole).map_err(|error| unusable(error.into()))?;
        let shared = &self.client.0;
        Uri::builder()
            .scheme(shared.scheme.clone())
            .authority(shared.authority.clone())
            .path_and_query(whole)
            .build()
            .map_err(unusable)
    }

    fn path(&self) -> String {
        let mut whole = self.prefix.clone();
        if let Some(namespace) = self.namespace.as_deref().filter(|namespace| !namespace.is_empty()) {
            whole = path::join([&*whole, "namespaces", namespace]);
        }
        if !self.resource.is_empty() {
            whole = path::join([&*whole, &self.resource.to_lowercase()]);
        }
        // A slash at the end of the prefix stays if nothing follows.
        if [&self.name, &self.subresource, &self.suffix].iter().any(|part| !part.is_empty()) {
            whole = path::join([&*whole, &self.name, &self.subresource, &self.suffix]);
        }
        whole
    }

    fn query(&self) -> String {
        let mut params = self.params.clone();
        if let Some(timeout) = self.timeout {
            let nanoseconds = i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX);
            params.retain(|(key, _)| key != "timeout");
            params.push(("timeout".to_owned(), rhumb_meta::Duration(nanoseconds).to_string()));
        }
        // Stable, so that several values of a key stay in their order.
        params.sort_by(|(left, _), (right, _)| left.cmp(right));
        query::encode(&params)
    }

    /// Returns errors that show only when all parts are set.
    pub(super) fn preflight(&self) -> Result<(), Error> {
        if self.namespace.as_deref() != Some("") {
            return Ok(());
        }
        if self.method == Method::POST {
            return Err(Error::Request("an empty namespace may not be set during creation".to_owned()));
        }
        if !self.name.is_empty() && [Method::GET, Method::PUT, Method::DELETE].contains(&self.method) {
            let rule = "an empty namespace may not be set when a resource name is provided";
            return Err(Error::Request(rule.to_owned()));
        }
        Ok(())
    }
}

/// Describes an invalid path segment in Go's words.
fn problem(what: &str, value: &str) -> Option<String> {
    let problems = path::segment_problems(value);
    (!problems.is_empty()).then(|| format!("invalid {what} {}: [{}]", quoted(value), problems.join(" ")))
}
