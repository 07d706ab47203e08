//! The client: a server with connections and credentials.

use std::fmt;
use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::uri::{Authority, Scheme};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::limit::Limiter;
use super::pool::Pool;
use super::request::Request;
use crate::config::{Config, ConfigError, ContentType, Credentials, Impersonate};

/// `Accept` header of protobuf readers: JSON if the server has no protobuf.
pub(crate) const PROTOBUF_OR_JSON: &str = "application/vnd.kubernetes.protobuf,application/json";

/// Client of one server. Clones share connections, credentials and the rate limit.
#[derive(Clone)]
pub struct Client(pub(super) Arc<Shared>);

/// State shared by all clones.
pub(super) struct Shared {
    pub(super) config: Config,
    pub(super) scheme: Scheme,
    pub(super) authority: Authority,
    pub(super) pool: Pool,
    pub(super) credentials: Credentials,
    pub(super) limiter: Option<Limiter>,
    /// Default headers of every request.
    pub(super) headers: HeaderMap,
}

/// Types of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchKind {
    /// A list of operations (RFC 6902).
    Json,
    /// An object that is laid over (RFC 7386).
    Merge,
    /// An object that is laid over, with lists merged by the rules of the built-in types.
    Strategic,
    /// Server-side apply.
    Apply,
}

impl PatchKind {
    /// Returns the media type.
    pub fn content_type(self) -> &'static str {
        match self {
            PatchKind::Json => "application/json-patch+json",
            PatchKind::Merge => "application/merge-patch+json",
            PatchKind::Strategic => "application/strategic-merge-patch+json",
            PatchKind::Apply => "application/apply-patch+yaml",
        }
    }
}

impl Client {
    /// Creates a client from a configuration. It reads certificates but sends nothing.
    ///
    /// # Errors
    /// If the server's address, a certificate or the credentials can't be used.
    pub fn new(config: Config) -> Result<Client, ConfigError> {
        let parts = config.server.clone().into_parts();
        let address = || {
            let rule = "the server's address is http:// or https:// and a host, without name and password";
            ConfigError::Server(rule.to_owned())
        };
        let scheme = parts.scheme.filter(|scheme| [Scheme::HTTP, Scheme::HTTPS].contains(scheme));
        let (Some(scheme), Some(authority)) = (scheme, parts.authority) else { return Err(address()) };
        // A name or password in the address would end up in logs; no client of Kubernetes takes them.
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(address());
        }
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, header_value(&config.user_agent)?);
        if let Some(impersonate) = &config.impersonate {
            add_impersonation(impersonate, &mut headers)?;
        }
        let pool = Pool::new(&config)?;
        if let Some(authorization) = pool.proxy_authorization() {
            headers.insert(http::header::PROXY_AUTHORIZATION, authorization);
        }
        let credentials = Credentials::new(&config).map_err(|error| ConfigError::Other(error.to_string()))?;
        let limiter = config.qps.and_then(|qps| Limiter::new(qps, config.burst));
        Ok(Client(Arc::new(Shared { config, scheme, authority, pool, credentials, limiter, headers })))
    }

    /// Creates a client from the environment: kubeconfig files, or the pod's service account.
    ///
    /// # Errors
    /// If there is no configuration, or none that can be used.
    pub async fn infer() -> Result<Client, ConfigError> {
        let made = tokio::task::spawn_blocking(|| Client::new(Config::infer()?));
        made.await.unwrap_or_else(|error| Err(ConfigError::Other(error.to_string())))
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// Returns the namespace for requests that don't name one.
    pub fn default_namespace(&self) -> &str {
        &self.0.config.default_namespace
    }

    /// Creates a request.
    pub fn request(&self, method: Method) -> Request {
        let accept = match self.0.config.content_type {
            ContentType::Usual | ContentType::Json => "application/json, */*",
            ContentType::Protobuf => PROTOBUF_OR_JSON,
        };
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        Request::new(self.clone(), method, headers)
    }

    /// Creates a GET request.
    pub fn get(&self) -> Request {
        self.request(Method::GET)
    }

    /// Creates a POST request.
    pub fn post(&self) -> Request {
        self.request(Method::POST)
    }

    /// Creates a PUT request.
    pub fn put(&self) -> Request {
        self.request(Method::PUT)
    }

    /// Creates a PATCH request.
    pub fn patch(&self, kind: PatchKind) -> Request {
        self.request(Method::PATCH).header(CONTENT_TYPE, HeaderValue::from_static(kind.content_type()))
    }

    /// Creates a DELETE request.
    pub fn delete(&self) -> Request {
        self.request(Method::DELETE)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("server", &self.0.config.server).finish_non_exhaustive()
    }
}

fn header_value(text: &str) -> Result<HeaderValue, ConfigError> {
    HeaderValue::from_bytes(text.as_bytes())
        .map_err(|_| ConfigError::Other(format!("{text:?} can't stand in a header")))
}

fn add_impersonation(impersonate: &Impersonate, headers: &mut HeaderMap) -> Result<(), ConfigError> {
    if *impersonate == Impersonate::default() {
        return Ok(());
    }
    headers.insert("impersonate-user", header_value(&impersonate.user)?);
    if !impersonate.uid.is_empty() {
        headers.insert("impersonate-uid", header_value(&impersonate.uid)?);
    }
    for group in &impersonate.groups {
        headers.append("impersonate-group", header_value(group)?);
    }
    for (key, values) in &impersonate.extra {
        let name = format!("impersonate-extra-{}", escape_key(key));
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| ConfigError::Other(format!("{key:?} can't stand in a header's name")))?;
        for value in values {
            headers.append(name.clone(), header_value(value)?);
        }
    }
    Ok(())
}

/// What can't stand in a header's name, and the percent sign that shows an escape.
const NO_NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'*')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// Escapes a key for a header's name. Servers see such names in small letters.
fn escape_key(key: &str) -> String {
    utf8_percent_encode(key, NO_NAME).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_escaped_as_go_escapes_them() {
        assert_eq!(escape_key("example.com/scopes"), "example.com%2Fscopes");
        assert_eq!(escape_key("a%b ü"), "a%25b%20%C3%BC");
    }

    #[test]
    fn impersonation_is_in_the_headers() {
        let mut impersonate = Impersonate { user: "jane".into(), ..Impersonate::default() };
        impersonate.groups = vec!["a".into(), "b".into()];
        impersonate.extra.insert("k/1".into(), vec!["x".into(), "y".into()]);
        let mut headers = HeaderMap::new();
        add_impersonation(&impersonate, &mut headers).unwrap();
        let all = |name: &str| {
            let values = headers.get_all(name).iter();
            values.map(|value| value.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(all("impersonate-user"), ["jane"]);
        assert_eq!(all("impersonate-group"), ["a", "b"]);
        assert_eq!(all("impersonate-extra-k%2f1"), ["x", "y"]);
        assert!(all("impersonate-uid").is_empty());
        impersonate.user = "a\nb".into();
        assert!(add_impersonation(&impersonate, &mut headers).is_err());
    }

    #[test]
    fn an_address_must_be_one() {
        for server in ["/api", "ftp://x", "http://me:secret@x"] {
            let error = Client::new(Config::new(server.parse().unwrap())).unwrap_err();
            assert!(matches!(error, ConfigError::Server(_)), "{server}: {error}");
        }
    }
}
