//! Starts the API on what the server has prepared.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use http::Request;
use tokio::sync::watch;

use super::api::{Api, ApiOptions};
use crate::authentication::{Refused, TokenAuthenticator, TokenVerdict};
use crate::authorization::Authorize;
use crate::base::environment::Environment;
use crate::base::health::{Check, Concern, PostStartHooks};
use crate::base::identity::User;
use crate::base::metrics::ObjectCounts;
use crate::base::request::RequestBody;
use crate::endpoints::proxy::KubeletAccess;
use crate::filters::{Handler, ResponseFuture};
use crate::server::{Behind, Foundation, StartError};

/// How far the start of an API has come.
#[derive(Default)]
pub(crate) struct Startup {
    hooks: Arc<PostStartHooks>,
    api: OnceLock<Weak<Api>>,
    /// Whether the caches were filled once.
    filled: AtomicBool,
}

impl Startup {
    /// What to look at when somebody asks how far it has come.
    pub(crate) fn checks(self: &Arc<Self>) -> Vec<Check> {
        let mut checks = vec![self.caches_check("informer-sync", Concern::Readiness)];
        checks.extend(self.hooks.checks());
        checks.push(self.caches_check("poststarthook/storage-readiness", Concern::Everything));
        checks
    }

    /// Whether the caches that a start begins are filled. Those that begin later are waited for by who needs them, so
    /// once it is well it stays so.
    fn caches_check(self: &Arc<Self>, name: &str, concern: Concern) -> Check {
        let startup = Arc::clone(self);
        Check::new(name, concern, move || std::future::ready(startup.caches()))
    }

    /// Waits until all is done that there is to do.
    pub(crate) async fn done(&self) {
        self.hooks.all_done().await;
        // Caches that begin from now on are no part of the start.
        if let Err(why) = self.caches() {
            tracing::debug!(why, "the server has started, and caches are still being filled");
        }
    }

    fn caches(&self) -> Result<(), String> {
        if self.filled.load(Ordering::Relaxed) {
            return Ok(());
        }
        let api = self.api.get().ok_or("no informers started yet")?;
        // What has ended waits for nothing.
        let missing = api.upgrade().map_or(0, |api| empty_caches(&api));
        if missing > 0 {
            return Err(format!("{missing} informers not started yet"));
        }
        self.filled.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// Starts the API on what the server has prepared.
pub(crate) async fn start(foundation: Foundation, startup: Arc<Startup>) -> Result<Behind, StartError> {
    let kubelet = kubelet(&foundation)?;
    let (client_authority, proxies) = (client_authority(&foundation)?, proxies(&foundation)?);
    let address = foundation.options.serving.advertise_address.unwrap_or(foundation.address.ip());
    let options = ApiOptions {
        table: Arc::new(foundation.resources),
        groups: foundation.groups,
        prefix: foundation.options.prefix.clone(),
        address: Some((address, foundation.address.port())),
        service_networks: foundation
            .options
            .service_ranges
            .iter()
            .map(|range| (range.base(), range.prefix()))
            .collect(),
        controllers: foundation.options.controllers.clone(),
        authority: foundation.authority.clone(),
        client_authority,
        proxies,
        accounts: foundation.accounts.clone(),
        tokens: foundation.tokens,
        metrics: Arc::clone(&foundation.metrics),
        kubelet,
        authorization: foundation.options.authorization.clone(),
        plugins: foundation.options.admission_plugins.clone(),
        admission: foundation.options.admission.clone(),
        hooks: Arc::clone(&startup.hooks),
        ..ApiOptions::default()
    };
    let environment = Environment::new(foundation.clock, foundation.entropy);
    let api = Api::start(foundation.store, options, environment).await.map_err(StartError::Api)?;
    let closing = Arc::clone(&api);
    let shutdown = foundation.shutdown;
    api.handlers.tasks.spawn(async move {
        shutdown.requested().await;
        closing.close();
    });
    if foundation.options.kubelet.certificate_file.is_none() {
        let (network, mut renewed) = (Arc::clone(&api.handlers.network), foundation.kubelet_client);
        api.handlers.tasks.spawn(async move {
            while renewed.changed().await.is_ok() {
                let (certificate, key) = renewed.borrow_and_update().clone();
                if let Err(why) = network.show(&certificate, &key) {
                    tracing::warn!(why, "the renewed certificate can't be shown to kubelets");
                }
            }
        });
    }
    follow_account_keys(&api, foundation.account_keys);
    let accounts = Arc::new(Accounts(Arc::clone(&api)));
    let counted = Arc::downgrade(&api);
    foundation
        .metrics
        .count_objects_by(move || counted.upgrade().map(|api| objects(&api)).unwrap_or_default());
    // The server has one start only.
    let _ = startup.api.set(Arc::downgrade(&api));
    let authorizer: Arc<dyn Authorize> = api.authorizer.clone();
    Ok(Behind { tokens: vec![accounts], authorizer, ..Behind::new(Arc::new(Served(api))) })
}

/// Checks tokens of service accounts with the keys that files have now.
fn follow_account_keys(api: &Arc<Api>, mut keys: watch::Receiver<Vec<String>>) {
    let followed = Arc::clone(api);
    api.handlers.tasks.spawn(async move {
        while keys.changed().await.is_ok() {
            let pems = keys.borrow_and_update().clone();
            let Some(accounts) = followed.handlers.accounts.issuer() else { return };
            if let Err(why) = accounts.replace_further_keys(&pems) {
                tracing::warn!(why, "changed keys of service accounts can't be used");
            }
        }
    });
}

/// Those who vouch for clients, if others than the server's own authority do.
fn client_authority(foundation: &Foundation) -> Result<String, StartError> {
    match &foundation.options.client_authority_file {
        Some(path) => Ok(format!("{}{}", foundation.authority, text(path)?)),
        None => Ok(String::new()),
    }
}

/// What servers that extend this one must know of proxies in front.
fn proxies(foundation: &Foundation) -> Result<BTreeMap<String, String>, StartError> {
    let options = &foundation.options.authentication.proxy;
    let Some(path) = &options.authority_file else { return Ok(BTreeMap::new()) };
    let list = |values: &Vec<String>| serde_json::Value::from(values.clone()).to_string();
    let told = [
        ("allowed-names", list(&options.allowed_names)),
        ("client-ca-file", text(path)?),
        ("extra-headers-prefix", list(&options.extra_prefixes)),
        ("group-headers", list(&options.group_headers)),
        ("uid-headers", list(&options.uid_headers)),
        ("username-headers", list(&options.username_headers)),
    ];
    Ok(told.map(|(name, value)| (format!("requestheader-{name}"), value)).into())
}

fn text(path: &PathBuf) -> Result<String, StartError> {
    std::fs::read_to_string(path).map_err(|error| StartError::File(path.clone(), error))
}

/// How kubelets are reached. A certificate that was given goes before the server's own.
fn kubelet(foundation: &Foundation) -> Result<KubeletAccess, StartError> {
    let options = &foundation.options.kubelet;
    let read = |path: &Option<PathBuf>| match path {
        Some(path) => text(path).map(Some),
        None => Ok(None),
    };
    let identity = match (read(&options.certificate_file)?, read(&options.key_file)?) {
        (Some(certificate), Some(key)) => (certificate, key),
        (None, None) => {
            let own = foundation.kubelet_client.borrow();
            (own.0.clone(), own.1.expose().to_owned())
        }
        _ => {
            let why = "--kubelet-client-certificate and --kubelet-client-key belong together";
            return Err(StartError::Settings(why.into()));
        }
    };
    Ok(KubeletAccess {
        authority: read(&options.authority_file)?,
        identity: Some(identity),
        preferred_address_types: options.preferred_address_types.clone(),
        timeout: options.timeout,
    })
}

/// How many objects there are of every resource that somebody has asked for. The others are not read only to
/// be counted.
fn objects(api: &Api) -> ObjectCounts {
    let resources = api.resources();
    let cached = resources.iter().filter_map(|endpoint| {
        let storage = endpoint.storage.as_ref().filter(|storage| storage.is_cached())?;
        let (_, snapshot) = storage.cache().snapshot()?;
        let resource = &endpoint.resource;
        Some(((resource.group.to_string(), resource.resource.to_string()), snapshot.len()))
    });
    let counts: BTreeMap<(String, String), usize> = cached.collect();
    counts.into_iter().map(|((group, resource), count)| (group, resource, count)).collect()
}

fn empty_caches(api: &Api) -> usize {
    let resources = api.resources();
    let storages = resources.iter().filter_map(|endpoint| endpoint.storage.as_ref());
    storages.filter(|storage| storage.is_cached() && storage.cache().revision().is_none()).count()
}

/// Knows clients by tokens of service accounts.
struct Accounts(Arc<Api>);

impl TokenAuthenticator for Accounts {
    fn authenticate<'a>(&'a self, token: &'a str) -> TokenVerdict<'a> {
        Box::pin(async move {
            let known = self.0.handlers.accounts.review_token(token, &[]).await.map_err(Refused)?;
            Ok(known.map(|known| known.user))
        })
    }
}

/// The API as the front sees it.
struct Served(Arc<Api>);

impl Handler for Served {
    fn handle(self: Arc<Self>, request: Request<RequestBody>, user: User) -> ResponseFuture {
        Box::pin(async move { self.0.answer(request, &user).await })
    }

    fn finish(self: Arc<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.0.end();
        Box::pin(std::future::ready(()))
    }
}
