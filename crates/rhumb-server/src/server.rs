//! A running server: how it is put together, and how it ends.
//!
//! It starts in this order: the socket, so that the port is known; the store, whose lock keeps a second process out of
//! the data directory; keys and certificates; what answers requests; then connections are taken. It ends in reverse:
//! it is no longer ready, new requests are turned away, watches end, requests under way are answered, connections
//! close, and last the store.

use std::fmt;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::resources::ResourceTable;
use rhumb_store::etcd::{self, Etcd};
use rhumb_store::{Embedded, Store, StoreError};
use rustls::RootCertStore;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::config::{EtcdOptions, Options, RuntimeConfigError, Storage};
use crate::environment::{Clock, Entropy, SystemClock, SystemEntropy};
use crate::front::authenticate::{
    CertificateAuthenticator, Chain, TokenAuthenticator, TokenFile, TokenFileError,
};
use crate::front::health::{Check, Concern, Health};
use crate::front::kubeconfig::{Access, kubeconfig, url};
use crate::front::limit::Limits;
use crate::front::listen::Listener;
use crate::front::metrics::Metrics;
use crate::front::pki::{self, Names, Pki, PkiError, Place, files};
use crate::front::shutdown::{InFlight, Shutdown, ShutdownTrigger};
use crate::front::tls::{self, TlsError};
use crate::front::{Answer, Front};
use crate::group::ApiGroup;
use crate::identity::User;

/// The names that the server is known by within a cluster, and on its own machine.
const HOSTS: [&str; 5] = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "localhost",
];
/// What a server has of the built-in groups that is there for others.
const ALONE: &str = "api/all=false,/v1/namespaces=true,/v1/events=true,events.k8s.io/v1=true";
/// How long the store may take to say that it is well.
const STORE_CHECK: Duration = Duration::from_secs(2);
/// How long connections may take to close when all requests are answered.
const CLOSING: Duration = Duration::from_secs(2);

/// What everything that answers requests stands on.
pub struct Foundation {
    /// Where objects are kept.
    pub store: Arc<dyn Store>,
    /// What the server was told.
    pub options: Options,
    /// The resources to serve.
    pub resources: ResourceTable,
    /// The groups beside the built-in ones that they are of.
    pub groups: Vec<ApiGroup>,
    /// The address that is listened on.
    pub address: SocketAddr,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Random bytes.
    pub entropy: Arc<dyn Entropy>,
    /// Those who are known by tokens of a file.
    pub tokens: Arc<TokenFile>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// The word that the server is to end.
    pub shutdown: Shutdown,
    /// The key by which tokens of service accounts are signed, as PEM.
    pub service_account_key: String,
    /// The certificate of the server's authority, as PEM.
    pub authority: String,
    /// The key of the server's authority, as PEM.
    pub authority_key: String,
    /// The certificate and the key that the server shows to kubelets, as PEM.
    pub kubelet_client: (String, String),
}

/// What answers requests, and what the front has to know of it.
pub struct Behind {
    /// What answers.
    pub answer: Arc<dyn Answer>,
    /// Further ways of knowing clients by tokens.
    pub tokens: Vec<Arc<dyn TokenAuthenticator>>,
    /// What to look at when somebody asks how the server is.
    pub checks: Vec<Check>,
}

impl Behind {
    /// Something that answers, and nothing else.
    pub fn new(answer: Arc<dyn Answer>) -> Self {
        Behind { answer, tokens: Vec::new(), checks: Vec::new() }
    }
}

/// Something that will answer requests and is being started.
pub type Starting = Pin<Box<dyn Future<Output = Result<Behind, StartError>> + Send>>;

/// Why a server can't start, or couldn't end well.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The address can't be listened on.
    Listen(SocketAddr, std::io::Error),
    /// The embedded store was asked for, and there is no directory for it.
    NoDataDirectory,
    /// The store can't be opened, or couldn't be closed.
    Store(StoreError),
    /// A file can't be read or written.
    File(PathBuf, std::io::Error),
    /// Keys or certificates can't be used.
    Pki(PkiError),
    /// TLS can't be set up.
    Tls(TlsError),
    /// The file of tokens can't be used.
    Tokens(TokenFileError),
    /// What is said about the APIs to serve can't be done.
    Runtime(RuntimeConfigError),
    /// What answers requests can't start.
    Behind(Box<dyn std::error::Error + Send + Sync>),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(address, _) => write!(f, "failed to listen on {address}"),
            Self::NoDataDirectory => {
                f.write_str("a data directory is needed, unless objects are kept in memory or in an etcd")
            }
            Self::Store(_) => f.write_str("the store can't be used"),
            Self::File(path, _) => write!(f, "the file {} can't be used", path.display()),
            Self::Pki(error) => error.fmt(f),
            Self::Tls(error) => error.fmt(f),
            Self::Tokens(_) => f.write_str("invalid authentication config"),
            Self::Runtime(error) => error.fmt(f),
            Self::Behind(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Listen(_, error) | Self::File(_, error) => Some(error),
            Self::NoDataDirectory => None,
            Self::Store(error) => Some(error),
            Self::Pki(error) => error.source(),
            Self::Tls(error) => error.source(),
            Self::Tokens(error) => Some(error),
            Self::Runtime(error) => error.source(),
            Self::Behind(error) => error.source(),
        }
    }
}

impl From<PkiError> for StartError {
    fn from(error: PkiError) -> Self {
        StartError::Pki(error)
    }
}

/// Puts a server together.
pub struct Builder {
    options: Options,
    groups: Vec<ApiGroup>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl Builder {
    /// Takes over all options.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Serves a group of one's own types, by the way that the built-in ones take.
    #[must_use]
    pub fn serve(mut self, group: ApiGroup) -> Self {
        self.groups.push(group);
        self
    }

    /// Serves of the built-in groups only what its own groups stand on: namespaces, and events. What is said about
    /// the APIs to serve holds on, so that more of them can be named.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.options.runtime = std::mem::take(&mut self.options.runtime).after(ALONE);
        self
    }

    /// Keeps objects in memory only.
    #[must_use]
    pub fn in_memory(mut self) -> Self {
        self.options.storage = Storage::InMemory;
        self
    }

    /// Keeps keys, certificates and objects in a directory.
    #[must_use]
    pub fn data_directory(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.data_directory = Some(path.into());
        self
    }

    /// Listens on this address; port 0 picks a free one.
    #[must_use]
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.options.listen = address;
        self
    }

    /// Knows a user by a token.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>, user: User) -> Self {
        self.options.tokens.insert(token, user);
        self
    }

    /// Lets requests go on for this long when the server is to end.
    #[must_use]
    pub fn shutdown_timeout(mut self, patience: Duration) -> Self {
        self.options.shutdown_timeout = patience;
        self
    }

    /// Reads the time here.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Takes random bytes from here. Private keys are always made from the kernel's.
    #[must_use]
    pub fn entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.entropy = entropy;
        self
    }

    /// Starts the server. When this is answered, it takes requests.
    ///
    /// # Errors
    /// If the address is taken, or something that lies in the data directory can't be used.
    pub async fn start(self) -> Result<Server, StartError> {
        self.start_with(|foundation| Box::pin(crate::behind::start(foundation))).await
    }

    /// Starts the server with something else behind its front.
    ///
    /// # Errors
    /// As [`Builder::start`], or if what is behind can't start.
    pub async fn start_with(self, behind: impl FnOnce(Foundation) -> Starting) -> Result<Server, StartError> {
        let Builder { options, groups, clock, entropy } = self;
        let tables: Vec<_> = groups.iter().map(ApiGroup::table).collect();
        let resources = options.runtime.select_with(&tables).map_err(StartError::Runtime)?;
        let mut tokens = options.tokens.clone();
        if let Some(path) = &options.token_file {
            tokens.extend(TokenFile::open(path).map_err(StartError::Tokens)?);
        }
        let tokens = Arc::new(tokens);
        let listen = options.listen;
        let failed = |error| StartError::Listen(listen, error);
        let socket = TcpListener::bind(listen).await.map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        if let Some(directory) = &options.data_directory {
            files::make_directory(directory).map_err(|error| StartError::File(directory.clone(), error))?;
        }
        let opened = Opened::open(&options).await?;
        let keys = Keys::prepare(&options, address, clock.as_ref(), entropy.as_ref())?;
        let roots = Arc::new(keys.roots(&options)?);
        let tls = tls::server_config(&keys.pki.serving, &roots).map_err(StartError::Tls)?;
        let certificates = CertificateAuthenticator::new(roots, Arc::clone(&clock))
            .map_err(|error| StartError::Tls(error.into()))?;
        let (trigger, shutdown) = ShutdownTrigger::new();
        let metrics = Arc::new(Metrics::default());
        let patience = options.shutdown_timeout;
        let foundation = Foundation {
            store: opened.store(),
            options,
            resources,
            groups,
            address,
            clock: Arc::clone(&clock),
            entropy: Arc::clone(&entropy),
            tokens: Arc::clone(&tokens),
            metrics: Arc::clone(&metrics),
            shutdown: shutdown.clone(),
            service_account_key: keys.pki.service_account_key.clone(),
            authority: keys.pki.authority.clone(),
            authority_key: keys.pki.authority_key.clone(),
            kubelet_client: (
                keys.pki.kubelet_client.certificate.clone(),
                keys.pki.kubelet_client.key.clone(),
            ),
        };
        let behind = behind(foundation).await?;
        let mut checks = store_checks(&opened.store());
        checks.extend(behind.checks);
        let mut by_token: Vec<Arc<dyn TokenAuthenticator>> = vec![tokens];
        by_token.extend(behind.tokens);
        let in_flight = InFlight::default();
        let front = Arc::new(Front {
            chain: Chain { certificates, tokens: by_token },
            health: Health::new(checks, shutdown.clone()),
            metrics,
            behind: Arc::clone(&behind.answer),
            clock,
            entropy,
            shutdown: shutdown.clone(),
            in_flight: in_flight.clone(),
            limits: Limits::default(),
        });
        let listener = Listener::start(socket, Arc::new(tls), front);
        let running = Running { listener, in_flight, answer: behind.answer, opened, patience };
        let ending = tokio::spawn(async move {
            shutdown.requested().await;
            running.end().await
        });
        Ok(Server { address, keys, trigger, ending: Some(ending) })
    }
}

/// A running server. It ends when this is dropped; to wait for that, call [`Server::shutdown`].
pub struct Server {
    address: SocketAddr,
    keys: Keys,
    trigger: ShutdownTrigger,
    ending: Option<JoinHandle<Result<(), StoreError>>>,
}

impl Server {
    /// Puts a server together: by default it listens on `127.0.0.1:6443` and needs a data directory.
    pub fn builder() -> Builder {
        Builder {
            options: Options::default(),
            groups: Vec::new(),
            clock: Arc::new(SystemClock::default()),
            entropy: Arc::new(SystemEntropy::default()),
        }
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL for clients on this machine.
    pub fn url(&self) -> &str {
        &self.keys.url
    }

    /// A kubeconfig for its administrator, with everything inline.
    pub fn kubeconfig(&self) -> &str {
        &self.keys.kubeconfig
    }

    /// Where the administrator's kubeconfig was written, if there is a data directory.
    pub fn kubeconfig_file(&self) -> Option<&Path> {
        self.keys.file.as_deref()
    }

    /// The certificate of the authority that vouches for it, as PEM.
    pub fn ca_certificate(&self) -> &str {
        &self.keys.pki.authority
    }

    /// The administrator's certificate and key, as PEM.
    pub fn admin_certificate(&self) -> (&str, &str) {
        (&self.keys.pki.admin.certificate, &self.keys.pki.admin.key)
    }

    /// Says that the server is to end, and doesn't wait for it.
    pub fn begin_shutdown(&self) {
        self.trigger.pull();
    }

    /// Ends the server: requests under way are answered, watches end, and the store is closed.
    ///
    /// # Errors
    /// If the store couldn't be closed.
    pub async fn shutdown(mut self) -> Result<(), StartError> {
        self.trigger.pull();
        match self.ending.take() {
            Some(ending) => match ending.await {
                Ok(ended) => ended.map_err(StartError::Store),
                Err(error) => Err(StartError::Behind(Box::new(error))),
            },
            None => Ok(()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.trigger.pull();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

/// What has to be ended.
struct Running {
    listener: Listener,
    in_flight: InFlight,
    answer: Arc<dyn Answer>,
    opened: Opened,
    patience: Duration,
}

impl Running {
    async fn end(self) -> Result<(), StoreError> {
        // Those who ask meanwhile still get an answer: that it is not ready, or to come again later.
        let _ = timeout(self.patience, self.in_flight.ended()).await;
        self.listener.stop(CLOSING).await;
        let _ = timeout(self.patience, self.answer.finish()).await;
        self.opened.close().await
    }
}

/// The keys of a server and how to reach it with them.
struct Keys {
    pki: Pki,
    url: String,
    kubeconfig: String,
    file: Option<PathBuf>,
}

impl Keys {
    fn prepare(
        options: &Options,
        address: SocketAddr,
        clock: &dyn Clock,
        entropy: &dyn Entropy,
    ) -> Result<Self, StartError> {
        let directory = options.data_directory.as_ref().map(|directory| directory.join("pki"));
        let place = directory.as_deref().map_or(Place::Nowhere, Place::Directory);
        let pki = Pki::prepare(&place, &names(options, address), clock, entropy)?;
        let url = url(address);
        let text = kubeconfig(Access {
            server: &url,
            authority: &pki.authority,
            certificate: &pki.admin.certificate,
            key: &pki.admin.key,
        });
        let file = options.data_directory.as_ref().map(|directory| directory.join("admin.kubeconfig"));
        for path in file.iter().chain(&options.kubeconfig_out) {
            files::replace(path, &text, entropy).map_err(|error| StartError::File(path.clone(), error))?;
        }
        Ok(Keys { pki, url, kubeconfig: text, file })
    }

    /// Those whose client certificates are taken.
    fn roots(&self, options: &Options) -> Result<RootCertStore, StartError> {
        let mut found = pki::certificates(self.pki.authority.as_bytes(), Path::new("ca.crt"))?;
        if let Some(path) = &options.client_authority_file {
            let content = std::fs::read(path).map_err(|error| StartError::File(path.clone(), error))?;
            found.extend(pki::certificates(&content, path)?);
        }
        let mut roots = RootCertStore::empty();
        for certificate in found {
            roots.add(certificate).map_err(|error| StartError::Tls(error.into()))?;
        }
        Ok(roots)
    }
}

fn names(options: &Options, address: SocketAddr) -> Names {
    let mut addresses = vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let service = options.service_ranges.primary.first();
    for further in [address.ip(), service] {
        if !further.is_unspecified() && !addresses.contains(&further) {
            addresses.push(further);
        }
    }
    Names { hosts: HOSTS.map(str::to_owned).to_vec(), addresses }
}

/// A store that was opened and has to be closed.
enum Opened {
    Embedded(Arc<Embedded>),
    Etcd(Arc<Etcd>),
}

impl Opened {
    async fn open(options: &Options) -> Result<Self, StartError> {
        let store = match options.storage {
            Storage::InMemory => Embedded::in_memory(rhumb_store::Options::default()),
            Storage::Embedded => {
                let directory = options.data_directory.as_ref().ok_or(StartError::NoDataDirectory)?;
                let directory = directory.join("store");
                files::make_directory(&directory)
                    .map_err(|error| StartError::File(directory.clone(), error))?;
                let opening = move || Embedded::open(directory, rhumb_store::Options::default());
                tokio::task::spawn_blocking(opening)
                    .await
                    .map_err(|error| StartError::Behind(Box::new(error)))?
            }
            Storage::Etcd => {
                let etcd = Etcd::connect(etcd_config(&options.etcd)?).await.map_err(StartError::Store)?;
                return Ok(Opened::Etcd(Arc::new(etcd)));
            }
        };
        store.map(|store| Opened::Embedded(Arc::new(store))).map_err(StartError::Store)
    }

    fn store(&self) -> Arc<dyn Store> {
        match self {
            Opened::Embedded(store) => Arc::clone(store) as Arc<dyn Store>,
            Opened::Etcd(store) => Arc::clone(store) as Arc<dyn Store>,
        }
    }

    async fn close(self) -> Result<(), StoreError> {
        match self {
            Opened::Embedded(store) => tokio::task::spawn_blocking(move || store.close())
                .await
                .unwrap_or_else(|error| Err(StoreError::Failed(error.to_string()))),
            // An etcd keeps what it was given; there is nothing to close on our side.
            Opened::Etcd(_) => Ok(()),
        }
    }
}

fn etcd_config(options: &EtcdOptions) -> Result<etcd::Config, StartError> {
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| StartError::File(path.clone(), error));
    let mut config = etcd::Config::new(options.servers.clone());
    if let Some(authorities) = &options.authority_file {
        let identity = match (&options.certificate_file, &options.key_file) {
            (Some(certificate), Some(key)) => Some((read(certificate)?, read(key)?)),
            _ => None,
        };
        config.tls = Some(etcd::Tls { authorities: read(authorities)?, identity });
    }
    Ok(config)
}

/// Whether the store answers. The names are those that kube-apiserver has for the same.
fn store_checks(store: &Arc<dyn Store>) -> Vec<Check> {
    [("etcd", Concern::Everything), ("etcd-readiness", Concern::Readiness)]
        .map(|(name, concern)| {
            let store = Arc::clone(store);
            Check::new(name, concern, move || {
                let store = Arc::clone(&store);
                async move {
                    match timeout(STORE_CHECK, store.revision()).await {
                        Ok(Ok(_)) => Ok(()),
                        Ok(Err(error)) => Err(format!("error getting data from etcd: {error}")),
                        Err(_) => Err("error getting data from etcd: context deadline exceeded".to_owned()),
                    }
                }
            })
        })
        .into()
}
