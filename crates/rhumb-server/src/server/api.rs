//! The API without a listener: requests whose sender is known are authorized and answered.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use rhumb_api::resources::ResourceTable;
use rhumb_store::Store;

use crate::admission::{AdmissionPlugins, Chain, plugins};
use crate::authentication::TokenWays;
use crate::authentication::service_accounts::{AccountOptions, ServiceAccounts};
use crate::authorization::{AuthorizationModes, Authorizer};
use crate::base::environment::Environment;
use crate::base::failure::Failure;
use crate::base::health::{Hook, PostStartHooks};
use crate::base::identity::User;
use crate::base::metrics::Metrics;
use crate::base::plain;
use crate::base::request::wishes;
use crate::base::response::{self, Response};
use crate::controllers::{self, Controllers};
use crate::controlplane::{self, bootstrap};
use crate::endpoints::body::skip_body;
use crate::endpoints::proxy::{KubeletAccess, Network};
use crate::endpoints::request_info::RequestInfo;
use crate::endpoints::{self, Handlers, openapi};
use crate::filters::audit::Trail;
use crate::filters::authorization;
use crate::loopback::Loopback;
use crate::registry::group::ApiGroup;
use crate::registry::{self, Registry, Resources};

/// How a server behind its listener is set up.
#[derive(Clone, Debug)]
pub struct ApiOptions {
    /// What is served.
    pub table: Arc<ResourceTable>,
    /// The groups beside the built-in ones that the table has resources of.
    pub groups: Vec<ApiGroup>,
    /// What all keys in the store begin with.
    pub prefix: String,
    /// Where clients reach the server.
    pub address: Option<(IpAddr, u16)>,
    /// The networks that services get their addresses from, the first one by default.
    pub service_networks: Vec<(IpAddr, u8)>,
    /// How long events are kept.
    pub event_lifetime: Duration,
    /// Which of the small controllers run.
    pub controllers: Controllers,
    /// The certificate that clients check the server's by, for the pods of a cluster.
    pub authority: String,
    /// The certificate that the server checks those of clients by, for servers that extend this one.
    pub client_authority: String,
    /// What such servers must know of proxies in front, by the names that Kubernetes has for it.
    pub proxies: BTreeMap<String, String>,
    /// Who signs tokens of service accounts, and whose are taken.
    pub accounts: AccountOptions,
    /// How clients are known by tokens that are not of service accounts, for reviews of tokens.
    pub tokens: TokenWays,
    /// What requests are counted in.
    pub metrics: Arc<Metrics>,
    /// How kubelets are reached.
    pub kubelet: KubeletAccess,
    /// Who decides what may be done.
    pub authorization: AuthorizationModes,
    /// Which of the server's own plugins look at what is written.
    pub plugins: AdmissionPlugins,
    /// Further plugins.
    pub admission: Chain,
    /// Where it is noted which steps of the start are done.
    pub hooks: Arc<PostStartHooks>,
}

impl Default for ApiOptions {
    fn default() -> Self {
        ApiOptions {
            table: Arc::new(ResourceTable::stable()),
            groups: Vec::new(),
            prefix: "/registry".to_owned(),
            address: None,
            service_networks: vec![(IpAddr::from([10, 0, 0, 0]), 24)],
            event_lifetime: Duration::from_secs(3600),
            controllers: Controllers::default(),
            authority: String::new(),
            client_authority: String::new(),
            proxies: BTreeMap::new(),
            accounts: AccountOptions::default(),
            tokens: TokenWays::default(),
            metrics: Arc::default(),
            kubelet: KubeletAccess::default(),
            authorization: AuthorizationModes::default(),
            plugins: AdmissionPlugins::default(),
            admission: Chain::default(),
            hooks: Arc::default(),
        }
    }
}

/// The API of a server without its listener.
pub struct Api {
    pub(super) handlers: Arc<Handlers>,
    pub(super) authorizer: Arc<Authorizer>,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api").field("address", &self.handlers.address).finish_non_exhaustive()
    }
}

impl Api {
    /// Starts the API above a store.
    ///
    /// # Errors
    /// If what it begins with can't be written to the store.
    pub async fn start(
        store: Arc<dyn Store>,
        options: ApiOptions,
        environment: Environment,
    ) -> Result<Arc<Self>, Failure> {
        let registry = Registry::new(registry::Setup {
            store,
            table: options.table,
            groups: &options.groups,
            prefix: &options.prefix,
            service_networks: &options.service_networks,
            event_lifetime: options.event_lifetime,
            environment,
        })?;
        let authorizer = Arc::new(Authorizer::new(&registry, options.authorization));
        let (accounts, used) =
            ServiceAccounts::new(&registry, &options.accounts).map_err(Failure::internal)?;
        let handlers = Handlers::new(endpoints::Setup {
            network: Network::new(&options.kubelet).map_err(Failure::internal)?,
            plugins: plugins::chain(|name| options.plugins.has(name), &options.admission),
            registry,
            authorizer: Arc::clone(&authorizer),
            accounts,
            tokens: options.tokens,
            metrics: options.metrics,
            address: options.address,
        });
        let (api, hooks) = (Arc::new(Api { handlers, authorizer }), options.hooks);
        hooks.done(&[Hook::Admission]);
        let loopback = Loopback::new(&api.handlers, &hooks);
        let beginning = bootstrap::Settings {
            address: options.address,
            service_networks: options.service_networks,
            client_authority: options.client_authority,
            proxies: options.proxies,
        };
        bootstrap::run(&loopback, &beginning).await?;
        hooks.done(&Hook::BOOTSTRAP);
        api.authorizer.start(&hooks);
        controlplane::start(&loopback, used);
        let settings = controllers::Settings { authority: options.authority };
        controllers::start(&loopback, &options.controllers, &settings);
        controlplane::serve_definitions(&loopback).await?;
        openapi::start(&api.handlers, &hooks);
        Ok(api)
    }

    /// Answers a request.
    pub async fn answer<B>(self: &Arc<Self>, request: Request<B>, user: &User) -> Response
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        // The filters have made it. Who asks without them has it made here.
        let info = match request.extensions().get::<Arc<RequestInfo>>() {
            Some(info) => Arc::clone(info),
            None => match RequestInfo::of(request.method(), request.uri()) {
                Ok(info) => Arc::new(info),
                Err(_) => return plain::malformed(),
            },
        };
        let (parts, body) = request.into_parts();
        let wanted = info.attributes(user);
        let decision = self.authorizer.authorized(&wanted).await;
        if let Err(refusal) = authorization::settle(decision, &wanted, parts.extensions.get::<Trail>()) {
            skip_body(&parts, body).await;
            let wishes = wishes(&parts.headers, &info.query);
            return response::unguessed(response::failure(&refusal, wishes));
        }
        self.handlers.answer(&info, &parts, body, user).await
    }

    /// Whose token it is, if it is a good one of a service account.
    pub async fn authenticate_token(&self, token: &str) -> Option<User> {
        self.handlers.accounts.authenticate_token(token).await
    }

    /// How much was made of custom resource definitions for documents and discovery so far: how many pieces of
    /// documents, each of which has one of a definition, and how often a group was put together from what it has.
    pub fn made_of_definitions(&self) -> [usize; 2] {
        self.handlers.resources().definitions.made.counts()
    }

    /// What is served at this moment.
    pub(crate) fn resources(&self) -> Arc<Resources> {
        self.handlers.resources()
    }

    /// Ends what never ends by itself: watches, and the server's own tasks.
    pub fn close(&self) {
        self.handlers.close();
    }

    /// Ends the server's own tasks.
    pub fn end(&self) {
        self.close();
        self.handlers.tasks.end();
    }
}
