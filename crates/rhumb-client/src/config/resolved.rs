//! The resolved configuration of a client.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;

use super::{
    Auth, Environment, Impersonate, NoWarnings, ProxyUrl, RequestMetrics, RequestObserver, WarningHandler,
};

/// Configuration of a client: server, TLS, authentication, limits.
///
/// Files are named here and read by the transport, which reads them again when they change.
#[derive(Clone)]
#[non_exhaustive]
pub struct Config {
    /// The server, with the path that comes before all others if there is one.
    pub server: Uri,
    /// The namespace for requests that don't name one.
    pub default_namespace: String,
    /// TLS settings and client certificate.
    pub tls: TlsConfig,
    /// Credentials.
    pub auth: Auth,
    /// User to impersonate.
    pub impersonate: Option<Impersonate>,
    /// The proxy to go through. Without one, the environment says (`HTTPS_PROXY`, `NO_PROXY`, …).
    pub proxy: Option<ProxyUrl>,
    /// Timeout of a request including its response, so it ends watches too. Watches of informers have timeouts of
    /// their own.
    pub timeout: Option<Duration>,
    /// `User-Agent` header.
    pub user_agent: String,
    /// Maximum requests per second over time; `None` is unlimited.
    pub qps: Option<f64>,
    /// Maximum requests at once before `qps` applies.
    pub burst: u32,
    /// The format of objects that are sent, and the one that is asked for.
    pub content_type: ContentType,
    /// Gets the server's warnings.
    pub warnings: Arc<dyn WarningHandler>,
    /// Sees all requests and answers, if there is one.
    pub observer: Option<Arc<dyn RequestObserver>>,
    /// Counts requests, if there is one. Several clients may have the same.
    pub metrics: Option<RequestMetrics>,
    /// Whether the server shall not compress its answers.
    pub disable_compression: bool,
    /// Environment of the process: proxies, exec plugins and caches use it.
    pub environment: Environment,
}

impl Config {
    /// Creates a configuration for a server with defaults and no credentials.
    pub fn new(server: Uri) -> Self {
        Config {
            server,
            default_namespace: "default".to_owned(),
            tls: TlsConfig::default(),
            auth: Auth::None,
            impersonate: None,
            proxy: None,
            timeout: None,
            user_agent: default_user_agent(),
            qps: None,
            burst: 10,
            content_type: ContentType::default(),
            warnings: Arc::new(NoWarnings),
            observer: None,
            metrics: None,
            disable_compression: false,
            environment: Environment::process(),
        }
    }
}

/// Returns the name of this library with its version and the platform, in the form that Kubernetes' clients have.
fn default_user_agent() -> String {
    let (version, os, arch) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
    format!("rhumb/v{version} ({os}/{arch})")
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("server", &self.server)
            .field("default_namespace", &self.default_namespace)
            .field("tls", &self.tls)
            .field("auth", &self.auth)
            .field("impersonate", &self.impersonate)
            .field("proxy", &self.proxy)
            .field("timeout", &self.timeout)
            .field("user_agent", &self.user_agent)
            .field("qps", &self.qps)
            .field("burst", &self.burst)
            .field("content_type", &self.content_type)
            .field("disable_compression", &self.disable_compression)
            .finish_non_exhaustive()
    }
}

/// Trusted CAs and the client certificate.
#[derive(Clone, Debug, Default)]
pub struct TlsConfig {
    /// The authorities to trust, in PEM; the system's without.
    pub ca: Option<Source>,
    /// Whether to trust any server.
    pub insecure: bool,
    /// The name to expect in the server's certificate, if it is not that of the host.
    pub server_name: Option<String>,
    /// The client's certificate and its key, in PEM.
    pub identity: Option<(Source, Source)>,
}

/// Source of a certificate or key.
#[derive(Clone, PartialEq, Eq)]
pub enum Source {
    /// A file, which may change.
    File(PathBuf),
    /// Here. They may be a key and are not shown.
    Bytes(Arc<[u8]>),
}

impl Source {
    /// Reads the bytes. A file is read each time.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        match self {
            Source::File(path) => std::fs::read(path),
            Source::Bytes(bytes) => Ok(bytes.to_vec()),
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::File(path) => f.debug_tuple("File").field(path).finish(),
            Source::Bytes(bytes) => write!(f, "Bytes({} bytes)", bytes.len()),
        }
    }
}

/// Format of objects that a client sends and requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContentType {
    /// JSON is sent. Objects of built-in types are asked for in protobuf, which is smaller and faster to read, and
    /// come as JSON from servers that have only that; all else is asked for in JSON.
    #[default]
    Usual,
    /// `application/json`
    Json,
    /// `application/vnd.kubernetes.protobuf`. Custom resources, which servers don't have in it, come as JSON.
    Protobuf,
}
