//! Server: assembles the layers, runs them, and ends them.
//!
//! It starts in this order: the socket, so that the port is known; the data directory, whose lock keeps a second
//! process out; the store; keys and certificates; connections, on which only health is told; what answers requests. It
//! ends in reverse: it is no longer ready, new requests are turned away, watches end, requests under way are answered,
//! connections close, and last the store.

mod advertise;
mod api;
mod compaction;
mod directory;
mod error;
mod keys;
pub(crate) mod kubeconfig;
mod opened;
mod renewal;
pub(crate) mod start;

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use rhumb_api::resources::ResourceTable;
use rhumb_meta::GroupResource;
use rhumb_store::{Store, StoreError};
use tokio::net::TcpListener;
use tokio::sync::{SetOnce, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::admission::Admission;
use crate::authentication::service_accounts::AccountOptions;
use crate::authentication::{
    Anonymous, CertificateAuthenticator, Chain, Configured, ProxyHeaders, StaticTokens, TokenAuthenticator,
    TokenWays,
};
use crate::authorization::{Authorize, MastersOnly};
use crate::base::environment::{Clock, Entropy, SystemClock, SystemEntropy};
use crate::base::health::{Check, Health};
use crate::base::identity::User;
use crate::base::metrics::Metrics;
use crate::base::secret::Secret;
use crate::base::shutdown::{InFlight, Shutdown, ShutdownTrigger};
use crate::config::{Options, Storage};
use crate::endpoints::body::BodyLimit;
use crate::filters::audit::Audit;
use crate::filters::flow_control::fair_queue::Turns;
use crate::filters::flow_control::unread::Unread;
use crate::filters::flow_control::watches::WatchLimit;
use crate::filters::flow_control::work_pool::WorkPool;
use crate::filters::impersonation::Ways;
use crate::filters::max_in_flight::Limits;
use crate::filters::not_found::Nothing;
use crate::filters::{Backend, Filters, Handler, Lines};
use crate::http::listen::Listener;
use crate::registry::group::ApiGroup;
use crate::server::start::Startup;
pub use api::{Api, ApiOptions};
use compaction::Compaction;
use directory::DataDirectory;
pub use error::StartError;
use keys::Keys;
use opened::{Opened, store_checks};
use renewal::Renewal;

/// What a server has of the built-in groups that is there for others.
const ALONE: &str = "api/all=false,/v1/namespaces=true,/v1/events=true,events.k8s.io/v1=true";
/// How long connections may take to close when all requests are answered.
const CLOSING: Duration = Duration::from_secs(2);

/// How long a server that takes requests is waited for until all is done that belongs to its start.
const STARTING: Duration = Duration::from_secs(10);

/// How often files that were given are looked at, and the age of the server's own certificates.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

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
    /// How clients are known by tokens that are not of service accounts.
    pub tokens: TokenWays,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// The word that the server is to end.
    pub shutdown: Shutdown,
    /// Who signs tokens of service accounts, and whose are taken.
    pub accounts: AccountOptions,
    /// The further keys that such tokens are checked with, as PEM, and those that replace them.
    pub account_keys: watch::Receiver<Vec<String>>,
    /// The certificate of the server's authority, as PEM.
    pub authority: String,
    /// The key of the server's authority, as PEM.
    pub authority_key: Secret,
    /// The certificate and the key that the server shows to kubelets, as PEM, and those that replace them.
    pub kubelet_client: watch::Receiver<(String, Secret)>,
}

/// What answers requests, and what the front has to know of it.
pub struct Behind {
    /// Handles requests.
    pub handler: Arc<dyn Handler>,
    /// Further ways of knowing clients by tokens.
    pub tokens: Vec<Arc<dyn TokenAuthenticator>>,
    /// What to look at when somebody asks how the server is.
    pub checks: Vec<Check>,
    /// Who may do what.
    pub(crate) authorizer: Arc<dyn Authorize>,
}

impl Behind {
    /// Something that answers, and nothing else.
    pub fn new(handler: Arc<dyn Handler>) -> Self {
        Behind { handler, tokens: Vec::new(), checks: Vec::new(), authorizer: Arc::new(MastersOnly) }
    }
}

/// Something that will answer requests and is being started.
pub type Starting = Pin<Box<dyn Future<Output = Result<Behind, StartError>> + Send>>;

/// Puts a server together.
pub struct Builder {
    options: Options,
    groups: Vec<ApiGroup>,
    store: Option<Arc<dyn Store>>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    look_again: Duration,
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

    /// Stores objects of a resource in a version of its group rather than in the preferred one. What is stored in
    /// others is read as before.
    #[must_use]
    pub fn storage_version(mut self, resource: GroupResource, version: impl Into<String>) -> Self {
        self.options.storage_versions.choose(resource, version);
        self
    }

    /// Keeps objects in memory only.
    #[must_use]
    pub fn in_memory(mut self) -> Self {
        self.options.storage = Storage::InMemory;
        self
    }

    /// Keeps objects in this store, whatever the options say. It is not closed with the server.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
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

    /// Lets a plugin look at everything that is written, after the server's own.
    #[must_use]
    pub fn admission(mut self, plugin: impl Admission) -> Self {
        self.options.admission = self.options.admission.with(plugin);
        self
    }

    /// Lets requests without credentials ask for this much.
    #[must_use]
    pub fn anonymous(mut self, anonymous: Anonymous) -> Self {
        self.options.authentication.anonymous = anonymous;
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

    /// Looks this often at files that were given, and at the age of the server's own certificates.
    #[must_use]
    pub fn look_again_every(mut self, time: Duration) -> Self {
        self.look_again = time;
        self
    }

    /// Starts the server. When this is answered, it takes requests.
    ///
    /// # Errors
    /// If the address is taken, or something that lies in the data directory can't be used.
    pub async fn start(self) -> Result<Server, StartError> {
        let startup = Arc::new(Startup::default());
        let (checks, begun) = (startup.checks(), Arc::clone(&startup));
        let behind = |foundation| Box::pin(crate::server::start::start(foundation, begun)) as Starting;
        let server = self.start_checked(checks, behind).await?;
        if timeout(STARTING, startup.done()).await.is_err() {
            tracing::warn!(
                "the server takes requests, but its start is not done; /readyz?verbose tells what is missing"
            );
        }
        Ok(server)
    }

    /// Starts the server with something else behind its front.
    ///
    /// # Errors
    /// As [`Builder::start`], or if what is behind can't start.
    pub async fn start_with(self, behind: impl FnOnce(Foundation) -> Starting) -> Result<Server, StartError> {
        self.start_checked(Vec::new(), behind).await
    }

    /// Starts the server. Connections are taken before what is behind the front stands: those who ask how the server
    /// is are told how far it has come, and others wait.
    async fn start_checked(
        self,
        checks: Vec<Check>,
        behind: impl FnOnce(Foundation) -> Starting,
    ) -> Result<Server, StartError> {
        let Builder { mut options, groups, store, clock, entropy, look_again } = self;
        options.authentication.check().map_err(StartError::Settings)?;
        options.serving.check().map_err(StartError::Settings)?;
        options.serving.advertise_address = advertise::address(&options)?;
        let tables: Vec<_> = groups.iter().map(ApiGroup::table).collect();
        let mut resources = options.runtime.select_with(&tables).map_err(StartError::Runtime)?;
        options.storage_versions.apply(&mut resources).map_err(StartError::StorageVersions)?;
        let tokens = Arc::new(StaticTokens::from(renewal::static_tokens(&options)?));
        let proxies = ProxyHeaders::new(&options.authentication.proxy).map_err(StartError::Settings)?;
        let Configured { oidc, anonymous, file } = Configured::read(&options.authentication, &clock)?;
        let (socket, address) = bind(options.listen).await?;
        let plain = match options.serving.insecure_port {
            Some(port) => Some(bind(SocketAddr::new(options.serving.insecure_address, port)).await?),
            None => None,
        };
        let directory = DataDirectory::take(&options)?;
        let opened = match store {
            Some(store) => Opened::Given(store),
            None => Opened::open(&options).await?,
        };
        let keys = Keys::prepare(&options, address, None, clock.as_ref(), entropy.as_ref())?;
        let (tls, trusted) = keys::talk(&options, &keys.pki)?;
        let tls = Arc::new(ArcSwap::from_pointee(tls));
        let certificates = Arc::new(CertificateAuthenticator::new(trusted, Arc::clone(&clock)));
        let (trigger, shutdown) = ShutdownTrigger::new();
        let metrics = Arc::new(Metrics::default());
        let (kubelet_client, shown_to_kubelets) = watch::channel(renewal::kubelet_client(&keys.pki));
        let accounts = accounts(&options, &keys)?;
        let (account_keys, known_account_keys) = watch::channel(accounts.further_keys.clone());
        let mut ways: Vec<Arc<dyn TokenAuthenticator>> = vec![Arc::clone(&tokens) as _];
        if let Some(oidc) = &oidc {
            ways.push(Arc::clone(oidc) as _);
            oidc.begin(&shutdown);
        }
        if let Some(file) = file {
            let (metrics, clock, shutdown) = (Arc::clone(&metrics), Arc::clone(&clock), shutdown.clone());
            tokio::spawn(async move {
                file.run(look_again, metrics.authentication_config(), clock, shutdown).await;
            });
        }
        let ways: TokenWays = ways.into_iter().collect();
        let renewal = Renewal {
            options: options.clone(),
            address,
            pki: Arc::clone(&keys.pki),
            clock: Arc::clone(&clock),
            entropy: Arc::clone(&entropy),
            tls: Arc::clone(&tls),
            certificates: Arc::clone(&certificates),
            tokens,
            oidc,
            account_keys,
            kubelet_client,
        };
        let patience = options.shutdown_timeout;
        let compaction = options.compaction();
        let audit = Audit::open(&options.audit, Arc::clone(&clock))
            .map_err(|error| StartError::Audit(Box::new(error)))?;
        let limits = Limits::new(options.serving.reading, options.serving.mutating);
        let watch_limit = WatchLimit::new(options.serving.watches, options.serving.watches_per_user);
        let foundation = Foundation {
            store: opened.store(),
            accounts,
            account_keys: known_account_keys,
            options,
            resources,
            groups,
            address,
            clock: Arc::clone(&clock),
            entropy: Arc::clone(&entropy),
            tokens: ways.clone(),
            metrics: Arc::clone(&metrics),
            shutdown: shutdown.clone(),
            authority: keys.pki.authority.clone(),
            authority_key: keys.pki.authority_key.as_str().into(),
            kubelet_client: shown_to_kubelets,
        };
        let checks = store_checks(&opened.store()).into_iter().chain(checks).collect();
        let in_flight = InFlight::default();
        let chain = Chain { certificates, proxies: proxies.map(Arc::new), tokens: ways, anonymous };
        let starting =
            Backend { chain: chain.clone(), handler: Arc::new(Nothing), authorizer: Arc::new(MastersOnly) };
        let processors = tokio::runtime::Handle::current().metrics().num_workers();
        let front = Arc::new(Filters {
            health: Health::new(checks, shutdown.clone()),
            metrics,
            starting: Arc::new(starting),
            started: SetOnce::new(),
            ways: Ways::default(),
            audit,
            clock,
            entropy,
            shutdown: shutdown.clone(),
            in_flight: in_flight.clone(),
            limits,
            turns: Turns::of_lists(processors),
            pool: WorkPool::new(processors, shutdown.clone()),
            watch_limit,
            body_limit: BodyLimit::default(),
            unread: Unread::default(),
            sparing: Lines::default(),
        });
        let plain_address = plain.as_ref().map(|(_, address)| *address);
        let mut listeners = vec![Listener::start(socket, Some(tls), Arc::clone(&front))];
        listeners.extend(plain.map(|(socket, _)| Listener::start(socket, None, Arc::clone(&front))));
        let behind = behind(foundation).await?;
        front.health.add(behind.checks);
        let started = Backend {
            chain: Chain { tokens: chain.tokens.and(behind.tokens), ..front.starting.chain.clone() },
            handler: Arc::clone(&behind.handler),
            authorizer: behind.authorizer,
        };
        // Nobody else sets it.
        let _ = front.started.set(Arc::new(started));
        tokio::spawn(renewal.run(look_again, shutdown.clone()));
        if let Some(interval) = compaction {
            tokio::spawn(Compaction::new(opened.store()).run(interval, shutdown.clone()));
        }
        let running = Running {
            listeners,
            in_flight,
            handler: behind.handler,
            opened,
            patience,
            _directory: directory,
        };
        let ending = tokio::spawn(async move {
            shutdown.requested().await;
            running.end().await
        });
        tracing::info!(%address, "the server takes requests");
        Ok(Server { address, plain_address, keys, trigger, ending: Some(ending) })
    }
}

async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |error| StartError::Listen(address, error);
    let socket = TcpListener::bind(address).await.map_err(failed)?;
    let bound = socket.local_addr().map_err(failed)?;
    Ok((socket, bound))
}

/// Who signs tokens of service accounts: the key that was given, or else the server's own.
fn accounts(options: &Options, keys: &Keys) -> Result<AccountOptions, StartError> {
    let given = &options.authentication.accounts;
    let key = match &given.signing_key_file {
        Some(path) => keys::text(path)?.into(),
        None => keys.pki.service_account_key.as_str().into(),
    };
    Ok(AccountOptions {
        key: Some(key),
        further_keys: keys::account_keys(options)?,
        issuers: given.issuers.clone(),
        audiences: given.audiences.clone(),
        keys_url: given.keys_url.clone(),
    })
}

/// A running server. It ends when this is dropped; to wait for that, call [`Server::shutdown`].
pub struct Server {
    address: SocketAddr,
    plain_address: Option<SocketAddr>,
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
            store: None,
            clock: Arc::new(SystemClock::default()),
            entropy: Arc::new(SystemEntropy::default()),
            look_again: LOOK_AGAIN,
        }
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address that it listens on without TLS, if it does.
    pub fn plain_address(&self) -> Option<SocketAddr> {
        self.plain_address
    }

    /// The URL for clients on this machine.
    pub fn url(&self) -> &str {
        &self.keys.url
    }

    /// A kubeconfig for its administrator, with everything inline, as it was made at the start. A file is kept up to
    /// date when certificates are renewed.
    pub fn kubeconfig(&self) -> &str {
        &self.keys.kubeconfig
    }

    /// Where the administrator's kubeconfig was written: the file that was asked for, or else the one in the data
    /// directory, if there is one.
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
                Err(error) => Err(StartError::Task(error)),
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
    listeners: Vec<Listener>,
    in_flight: InFlight,
    handler: Arc<dyn Handler>,
    opened: Opened,
    patience: Duration,
    _directory: DataDirectory,
}

impl Running {
    async fn end(self) -> Result<(), StoreError> {
        // Those who ask meanwhile still get an answer: that it is not ready, or to come again later.
        let _ = timeout(self.patience, self.in_flight.ended()).await;
        for listener in self.listeners {
            listener.stop(CLOSING).await;
        }
        let _ = timeout(self.patience, self.handler.finish()).await;
        self.opened.close().await
    }
}
