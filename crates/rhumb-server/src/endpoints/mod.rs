//! Endpoints: answer requests that were let through.
//!
//! [`request_info`] tells what a request is about, [`routing`] whether there is such an endpoint, and [`handlers`] do
//! what is asked of a resource, each verb in a file of its own. Beside resources there are [`subresources`], what is
//! passed on to kubelets, pods and Services ([`proxy`]), [`discovery`] and the documents of [`openapi`].

pub(crate) mod audit;
pub(crate) mod body;
pub(crate) mod context;
pub(crate) mod discovery;
pub(crate) mod handlers;
pub(crate) mod metrics;
pub(crate) mod openapi;
pub(crate) mod proxy;
pub(crate) mod request_info;
pub(crate) mod routing;
mod status_writer;
pub(crate) mod subresources;

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http_body_util::BodyExt;
use rhumb_api::resources::Verb;
use rhumb_print::Printers;
use rhumb_scheme::Scheme;
use rhumb_store::Store;
use tokio::sync::watch;

use crate::admission::{Admitter, Chain};
use crate::authentication::TokenWays;
use crate::authentication::service_accounts::ServiceAccounts;
use crate::authorization::Authorizer;
use crate::base::compress::compress;
use crate::base::environment::Environment;
use crate::base::failure::{Failure, Outcome};
use crate::base::identity::User;
use crate::base::metrics::Metrics;
use crate::base::offload::Offload;
use crate::base::request::wishes;
use crate::base::response::{self, Response};
use crate::base::tasks::Tasks;
use crate::registry::allocation::Allocator;
use crate::registry::{Registry, Resources};
use audit::Audited;
use body::{BodyUsage, skip_body};
use context::RequestContext;
use openapi::Library;
use proxy::{Network, Passing};
use request_info::{RequestInfo, ResourcePath, Target};
use routing::not_allowed;

/// What handlers are made from.
pub(crate) struct Setup {
    pub(crate) registry: Arc<Registry>,
    pub(crate) authorizer: Arc<Authorizer>,
    pub(crate) accounts: ServiceAccounts,
    /// How clients are known by tokens that are not of service accounts, for reviews of tokens.
    pub(crate) tokens: TokenWays,
    pub(crate) plugins: Chain,
    pub(crate) network: Network,
    pub(crate) metrics: Arc<Metrics>,
    /// Where clients reach the server.
    pub(crate) address: Option<(IpAddr, u16)>,
}

/// Dependencies shared by request handlers.
pub(crate) struct Handlers {
    pub(crate) registry: Arc<Registry>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) scheme: Arc<Scheme>,
    pub(crate) printers: Arc<Printers>,
    pub(crate) environment: Environment,
    pub(crate) tasks: Tasks,
    pub(crate) allocator: Arc<Allocator>,
    pub(crate) authorizer: Arc<Authorizer>,
    pub(crate) admission: Admitter,
    /// Tokens of service accounts.
    pub(crate) accounts: ServiceAccounts,
    /// How clients are known by tokens that are not of service accounts, for reviews of tokens.
    pub(crate) tokens: TokenWays,
    /// The way to kubelets, pods and Services.
    pub(crate) network: Arc<Network>,
    /// The documents of OpenAPI that were asked for.
    pub(crate) library: Library,
    pub(crate) metrics: Arc<Metrics>,
    /// Where clients reach the server.
    pub(crate) address: Option<(IpAddr, u16)>,
    closing: watch::Sender<bool>,
}

impl Handlers {
    /// The handlers of a server.
    pub(crate) fn new(setup: Setup) -> Arc<Self> {
        let Setup { registry, authorizer, accounts, tokens, plugins, network, metrics, address } = setup;
        Arc::new(Handlers {
            store: Arc::clone(&registry.store),
            scheme: Arc::clone(&registry.scheme),
            printers: Arc::clone(&registry.printers),
            environment: registry.environment.clone(),
            tasks: registry.tasks.clone(),
            allocator: Arc::clone(&registry.allocator),
            admission: Admitter::new(plugins, &registry, &authorizer),
            registry,
            authorizer,
            accounts,
            tokens,
            network: Arc::new(network),
            library: Library::default(),
            metrics,
            address,
            closing: watch::Sender::new(false),
        })
    }

    /// What is served at this moment.
    pub(crate) fn resources(&self) -> Arc<Resources> {
        self.registry.resources()
    }

    /// Ends what never ends by itself: watches, and what is passed on.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Done when the server is closing.
    pub(crate) fn closing(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closing = self.closing.subscribe();
        async move {
            // The sender lives as long as the server does.
            let _ = closing.wait_for(|closing| *closing).await;
        }
    }

    /// Answers a request that its sender may make.
    pub(crate) async fn answer<B>(
        self: &Arc<Self>,
        info: &RequestInfo,
        parts: &Parts,
        body: B,
        user: &User,
    ) -> Response
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if info.path.starts_with("//") {
            // Rules are read without the slashes at the front, and nothing is found behind them.
            skip_body(parts, body).await;
            return response::no_such_path();
        }
        let outcome = match &info.target {
            Target::Resource(path) => self.resource(info, path, parts, body, user).await,
            Target::Discovery(place) => {
                skip_body(parts, body).await;
                discovery::answer(self, place, parts, &info.query)
            }
            Target::Other => {
                skip_body(parts, body).await;
                if info.path.starts_with("/openapi/") {
                    // A document may have to be made first.
                    let offload = parts.extensions.get::<Offload>().cloned().unwrap_or_default();
                    offload.of(usize::MAX).await;
                }
                openapi::answer(self, &info.path, parts).await
            }
        };
        outcome.unwrap_or_else(|failure| response::failure(&failure, wishes(&parts.headers, &info.query)))
    }

    /// Answers a request for a resource.
    async fn resource<B>(
        self: &Arc<Self>,
        info: &RequestInfo,
        path: &ResourcePath,
        parts: &Parts,
        body: B,
        user: &User,
    ) -> Outcome<Response>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let resources = self.resources();
        let Some(endpoint) = resources.find(&path.group, &path.version, &path.resource) else {
            skip_body(parts, body).await;
            return routing::nowhere(&resources, &path.group);
        };
        let verb = match routing::verb(endpoint, info, path, &parts.headers) {
            Ok(Some(verb)) => verb,
            refused => {
                skip_body(parts, body).await;
                return refused.map(|_| response::no_such_path());
            }
        };
        let begun = self.environment.elapsed();
        let mut call = RequestContext {
            api: self,
            endpoint: Arc::clone(endpoint),
            user,
            headers: &parts.headers,
            query: &info.query,
            warnings: endpoint.warning.iter().cloned().collect(),
            annotations: Default::default(),
            held: Default::default(),
            offload: parts.extensions.get::<Offload>().cloned().unwrap_or_default(),
            path: path.clone(),
        };
        let audited = parts.extensions.get::<Audited>();
        let outcome = if path.is_connect() {
            if info.path.contains(char::REPLACEMENT_CHARACTER) {
                // It would be passed on as another path than the client's.
                Err(Failure::bad_request("the path to pass on is no UTF-8"))
            } else {
                let passing = Passing::new(parts, &info.path, body.map_err(Into::into).boxed_unsync());
                proxy::answer(&mut call, verb, passing).await
            }
        } else {
            let noting = audited.cloned();
            // What is taken for the body is held until the answer is made.
            let (body, _taken) = body::bounded(body, parts.extensions.get::<BodyUsage>());
            let body = body.map_frame(move |frame| {
                if let (Some(Audited(recorder)), Some(data)) = (&noting, frame.data_ref()) {
                    recorder.body(data);
                }
                frame
            });
            self.dispatch(&mut call, verb, body).await
        };
        if let Some(Audited(recorder)) = audited {
            recorder.handled(&call, verb);
        }
        let mut answer = match outcome {
            Ok(answer) => answer,
            Err(failure) => response::failure(&failure, wishes(&parts.headers, &info.query)),
        };
        response::warn(&mut answer, &call.warnings);
        if matches!(verb, Verb::Get | Verb::List) && call.path.subresource.is_empty() {
            answer = compress(&parts.headers, answer).await;
        }
        Ok(metrics::count(&call, verb, begun, answer))
    }

    async fn dispatch<B>(&self, call: &mut RequestContext<'_>, verb: Verb, body: B) -> Outcome<Response>
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
