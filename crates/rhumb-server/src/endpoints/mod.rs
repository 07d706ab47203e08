//! The server behind its listener: every request that somebody is known to have sent is answered here.

pub(crate) mod body_limit;
pub(crate) mod context;
pub(crate) mod discovery;
pub(crate) mod handlers;
pub(crate) mod metrics;
pub(crate) mod openapi;
pub(crate) mod proxy;
pub(crate) mod request_info;
pub(crate) mod routing;
pub(crate) mod subresources;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use bytes::Bytes;
use http::Request;
use http::request::Parts;
use http_body_util::BodyExt;
use rhumb_api::resources::{GROUPS, ResourceTable, Served};
use rhumb_print::Printers;
use rhumb_scheme::Scheme;
use rhumb_scheme::mapper::Scope;
use rhumb_store::Store;
use tokio::sync::watch;

use crate::admission::{Chain, Gates, Memory, plugins};
use crate::authentication::TokenWays;
use crate::authentication::service_accounts::{AccountOptions, Accounts};
use crate::authorization::{Access, Attributes, Decision, refusal};
use crate::base::compress::compress;
use crate::base::environment::Environment;
use crate::base::failure::{Failure, Outcome};
use crate::base::health::{Hook, PostStartHooks};
use crate::base::identity::User;
use crate::base::metrics::Metrics;
use crate::base::response::{self, Answer};
use crate::base::tasks::Tasks;
use crate::config::{AdmissionPlugins, AuthorizationModes, Controllers};
use crate::endpoints::body_limit::BodyUsage;
use crate::endpoints::context::{Call, skip_body, wishes};
use crate::endpoints::openapi::Library;
use crate::endpoints::proxy::{KubeletAccess, Network, Passing};
use crate::endpoints::request_info::{ResourcePath, Target, Verb};
pub(crate) use crate::endpoints::routing::not_allowed;
use crate::filters::audit::Trail;
use crate::filters::flow_control::work_pool::Offload;
use crate::registry::allocation::Allocator;
use crate::registry::built_in::BuiltIn;
use crate::registry::custom::ServedDefinitions;
use crate::registry::expiry::Expiry;
use crate::registry::group::{ApiGroup, Kinds};
use crate::registry::{Endpoint, Model, Part, Resources, Storage, deprecation};

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

/// The server behind its listener.
pub struct Api {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) scheme: Arc<Scheme>,
    pub(crate) printers: Arc<Printers>,
    pub(crate) environment: Environment,
    pub(crate) options: ApiOptions,
    pub(crate) tasks: Tasks,
    pub(crate) allocator: Arc<Allocator>,
    pub(crate) accounts: Option<Accounts>,
    pub(crate) library: Library,
    pub(crate) network: Arc<Network>,
    pub(crate) admission: Chain,
    pub(crate) memory: Memory,
    /// Keeps charges and counts of quotas apart.
    pub(crate) gates: Gates,
    /// What decisions about who may do what are made from.
    pub(crate) access: Arc<Access>,
    resources: ArcSwap<Resources>,
    closing: watch::Sender<bool>,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Api {
    /// Starts a server above a store.
    ///
    /// # Errors
    /// If what it begins with can't be written to the store.
    pub async fn start(
        store: Arc<dyn Store>,
        mut options: ApiOptions,
        environment: Environment,
    ) -> Result<Arc<Self>, Failure> {
        for group in &options.groups {
            group.choose_storage_versions(Arc::make_mut(&mut options.table)).map_err(Failure::internal)?;
        }
        let kinds = Kinds::new(&options.groups, &options.table).map_err(Failure::internal)?;
        let tasks = Tasks::new();
        let resources = built_in(&store, &options, &kinds, &tasks);
        let allocator = Arc::new(Allocator::new(
            &resources,
            Arc::clone(&store),
            &options.prefix,
            &options.service_networks,
            environment.clone(),
            tasks.clone(),
        ));
        let accounts = Accounts::new(&options.accounts).map_err(Failure::internal)?;
        let network = Arc::new(Network::new(&options.kubelet).map_err(Failure::internal)?);
        let api = Arc::new(Api {
            admission: plugins::chain(&options.plugins, &options.admission),
            memory: Memory::default(),
            gates: Gates::default(),
            network,
            allocator,
            accounts,
            store,
            scheme: kinds.scheme,
            printers: kinds.printers,
            environment,
            options,
            tasks,
            library: Library::default(),
            access: Arc::default(),
            resources: ArcSwap::from_pointee(resources),
            closing: watch::Sender::new(false),
        });
        api.options.hooks.done(&[Hook::Admission]);
        crate::controlplane::bootstrap::run(&api).await?;
        api.options.hooks.done(&Hook::BOOTSTRAP);
        crate::authorization::start(&api);
        crate::controllers::start(&api);
        crate::registry::custom::start(&api).await?;
        crate::endpoints::openapi::start(&api);
        Ok(api)
    }

    /// What is served at this moment.
    pub(crate) fn resources(&self) -> Arc<Resources> {
        self.resources.load_full()
    }

    /// How much was made of custom resource definitions for documents and discovery so far: how many pieces of
    /// documents, each of which has one of a definition, and how often a group was put together from what it has.
    pub fn made_of_definitions(&self) -> [usize; 2] {
        self.resources().definitions.made.counts()
    }

    /// Serves other custom resources from now on.
    pub(crate) fn serve(&self, definitions: ServedDefinitions) {
        let next = self.resources().with(definitions);
        self.resources.store(Arc::new(next));
    }

    /// Ends what never ends by itself: watches, and the server's own tasks.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Ends the server's own tasks.
    pub fn end(&self) {
        self.close();
        self.tasks.end();
    }

    /// Done when the server is closing.
    pub(crate) fn closing(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closing = self.closing.subscribe();
        async move {
            // The sender lives as long as the server does.
            let _ = closing.wait_for(|closing| *closing).await;
        }
    }

    /// Answers a request.
    pub async fn answer<B>(self: &Arc<Self>, request: Request<B>, user: &User) -> Answer
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (parts, body) = request.into_parts();
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let wishes = wishes(&parts.headers, &query);
        let path = match request_info::decoded_path(parts.uri.path()) {
            Some(path) => path,
            None => {
                return response::failure(
                    &Failure::bad_request("the path has escapes that are none"),
                    wishes,
                );
            }
        };
        let target = request_info::target(&path);
        let wanted = match &target {
            Target::Resource(found) => {
                Attributes::of_request(user, found.verb(&parts.method, &query), found, &query)
            }
            _ => Attributes::of_path(user, &parts.method, &path),
        };
        let trail = parts.extensions.get::<Trail>();
        let decision = self.authorized(&wanted).await;
        if let Some(trail) = trail {
            trail.decided(&decision);
        }
        if let Decision::Refused(why) = decision {
            skip_body(&parts, body).await;
            return response::unguessed(response::failure(&refusal(&wanted, &why), wishes));
        }
        if path.starts_with("//") {
            // Rules are read without the slashes at the front, and nothing is found behind them.
            skip_body(&parts, body).await;
            return response::no_such_path();
        }
        let outcome = match target {
            Target::Resource(found) => self.resource(found, &parts, &query, body, user).await,
            Target::Discovery(place) => {
                skip_body(&parts, body).await;
                discovery::answer(self, &place, &parts, &query)
            }
            Target::Other => {
                skip_body(&parts, body).await;
                if path.starts_with("/openapi/") {
                    // A document may have to be made first.
                    let offload = parts.extensions.get::<Offload>().cloned().unwrap_or_default();
                    offload.of(usize::MAX).await;
                }
                crate::endpoints::openapi::answer(self, &path, &parts).await
            }
        };
        outcome.unwrap_or_else(|failure| response::failure(&failure, wishes))
    }

    /// Answers a request for a resource.
    async fn resource<B>(
        self: &Arc<Self>,
        path: ResourcePath,
        parts: &Parts,
        query: &str,
        body: B,
        user: &User,
    ) -> Outcome<Answer>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let resources = self.resources();
        let Some(endpoint) = resources.find(&path.group, &path.version, &path.resource) else {
            skip_body(parts, body).await;
            return routing::nowhere(&resources, &path.group);
        };
        let verb = match routing::verb(endpoint, &path, parts, query) {
            Ok(Some(verb)) => verb,
            refused => {
                skip_body(parts, body).await;
                return refused.map(|_| response::no_such_path());
            }
        };
        let begun = self.environment.elapsed();
        let mut call = Call {
            api: self,
            endpoint: Arc::clone(endpoint),
            user,
            headers: &parts.headers,
            query,
            warnings: endpoint.warning.iter().cloned().collect(),
            annotations: Default::default(),
            held: Default::default(),
            offload: parts.extensions.get::<Offload>().cloned().unwrap_or_default(),
            path,
        };
        let trail = parts.extensions.get::<Trail>();
        let outcome = if proxy::PASSED_ON.contains(&call.path.subresource.as_str()) {
            let path = request_info::decoded_path(parts.uri.path()).unwrap_or_default();
            if path.contains(char::REPLACEMENT_CHARACTER) {
                // It would be passed on as another path than the client's.
                Err(Failure::bad_request("the path to pass on is no UTF-8"))
            } else {
                let passing = Passing::new(parts, &path, body.map_err(Into::into).boxed_unsync());
                proxy::answer(&mut call, verb, passing).await
            }
        } else {
            let noting = trail.cloned();
            // What is taken for the body is held until the answer is made.
            let (body, _taken) = body_limit::bounded(body, parts.extensions.get::<BodyUsage>());
            let body = body.map_frame(move |frame| {
                if let (Some(trail), Some(data)) = (&noting, frame.data_ref()) {
                    trail.take(data);
                }
                frame
            });
            self.dispatch(&mut call, verb, body).await
        };
        if let Some(trail) = trail {
            trail.asked(&call, verb);
        }
        let mut answer = match outcome {
            Ok(answer) => answer,
            Err(failure) => response::failure(&failure, wishes(&parts.headers, query)),
        };
        response::warn(&mut answer, &call.warnings);
        if matches!(verb, Verb::Get | Verb::List) && call.path.subresource.is_empty() {
            answer = compress(&parts.headers, answer).await;
        }
        Ok(metrics::count(&call, verb, begun, answer))
    }

    async fn dispatch<B>(&self, call: &mut Call<'_>, verb: Verb, body: B) -> Outcome<Answer>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if !call.path.subresource.is_empty() {
            let name = call.path.subresource.clone();
            let body = call.read(body).await?;
            return subresources::answer(call, verb, &name, body).await;
        }
        if !call.endpoint.knows(verb, "") {
            return Err(match verb {
                Verb::Watch => Failure::method_not_supported(&call.endpoint.resource, verb.as_str()),
                _ => not_allowed(),
            });
        }
        match verb {
            Verb::Get | Verb::List if call.endpoint.storage.is_none() => subresources::read(call).await,
            Verb::Get => handlers::get::get(call).await,
            Verb::List => {
                let answer = handlers::list::list(call).await?;
                call.refuse_list_as_one()?;
                Ok(answer)
            }
            Verb::Watch => {
                // Before it is a stream, it must be something that can be answered at all.
                call.output()?;
                handlers::watch::watch(call).await
            }
            Verb::Create => {
                let body = call.read(body).await?;
                match call.endpoint.storage {
                    Some(_) => handlers::create::create(call, body).await,
                    None => subresources::question(call, body).await,
                }
            }
            Verb::Update | Verb::Patch if call.path.name.is_empty() => {
                Err(Failure::bad_request("name must be provided"))
            }
            Verb::Update => {
                let body = call.read(body).await?;
                handlers::update::update(call, body, None).await
            }
            Verb::Patch => {
                let body = call.read(body).await?;
                handlers::patch::patch(call, body, None).await
            }
            Verb::Delete => {
                let body = call.read(body).await?;
                handlers::delete::delete(call, body).await
            }
            Verb::DeleteCollection => {
                let body = call.read(body).await?;
                let answer = handlers::delete::delete_collection(call, body).await?;
                call.refuse_list_as_one()?;
                Ok(answer)
            }
        }
    }

    /// The user as strategies know it.
    pub(crate) fn strategy_user(&self, user: &User) -> rhumb_strategy::User {
        rhumb_strategy::User {
            name: user.name.clone(),
            uid: user.uid.clone(),
            groups: user.groups.clone(),
            extra: user.extra.clone(),
        }
    }
}

/// The resources of a table.
fn built_in(store: &Arc<dyn Store>, options: &ApiOptions, kinds: &Kinds, tasks: &Tasks) -> Resources {
    let mut resources = Resources::new(Arc::clone(&options.table), Arc::clone(&kinds.scheme));
    let mut storages: HashMap<String, (Arc<Storage>, u32)> = HashMap::new();
    for served in options.table.iter() {
        let brought = options.groups.iter().find(|group| group.table().name == served.group);
        let model: Arc<dyn Model> = Arc::new(BuiltIn::new(kinds, *served, brought));
        let namespaced = served.resource.scope == Scope::Namespaced;
        let resource = served.gvr().group_resource();
        let mut form = 0;
        let storage = served.storage_version().map(|_| {
            let path = format!("{}/{}", options.prefix, storage_path(served));
            let (storage, forms) = storages.entry(path.clone()).or_insert_with(|| {
                let mut storage = Storage::new(
                    resource.clone(),
                    namespaced,
                    &path,
                    Arc::clone(&model),
                    Arc::clone(store),
                    tasks.clone(),
                );
                if served.resource.plural == "events" && brought.is_none() {
                    storage.expiry = Some(Expiry::after(options.event_lifetime));
                }
                (Arc::new(storage), 0)
            });
            form = *forms;
            *forms += 1;
            Arc::clone(storage)
        });
        let parts = served.subresources().map(|below| Part {
            name: below.name.to_owned(),
            kind: served.kind_of(below),
            verbs: below.verbs.to_vec(),
        });
        resources.add(Arc::new(Endpoint {
            kind: served.gvk(),
            list_kind: served.resource.list_kind(),
            resource,
            namespaced,
            verbs: served.resource.verbs.to_vec(),
            parts: parts.collect(),
            model,
            storage,
            form,
            returns_deleted: served.resource.returns_deleted,
            warning: deprecation::warning(served),
            followed: OnceLock::new(),
        }));
    }
    resources
}

/// Where a resource's objects are in the store, behind the prefix.
fn storage_path(served: &Served) -> String {
    match (served.group, served.resource.plural) {
        ("", "replicationcontrollers") => "controllers".to_owned(),
        ("", "endpoints") => "services/endpoints".to_owned(),
        ("", "nodes") => "minions".to_owned(),
        ("", "services") => "services/specs".to_owned(),
        ("extensions" | "networking.k8s.io", "ingresses") => "ingress".to_owned(),
        (group @ ("apiextensions.k8s.io" | "apiregistration.k8s.io"), plural) => format!("{group}/{plural}"),
        // Custom resources stand under their group, and so do those that have a type of their own.
        (group, plural) if !GROUPS.iter().any(|known| known.name == group) => format!("{group}/{plural}"),
        (_, plural) => plural.to_owned(),
    }
}
