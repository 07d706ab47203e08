//! `Informers`: a client with a shared informer factory, which generated code extends by groups.

use std::sync::Arc;
use std::time::Duration;

use rhumb_meta::Scope;
use rhumb_meta::v1::ListOptions;

use super::factory::SharedInformerFactory;
use super::shared::SharedInformer;
use crate::{Api, Client, Readable};

/// Informers of a client, of one namespace or all, optionally filtered.
///
/// What `rhumb gen informer` writes adds methods per group and version to it: `informers.stable_v1().cron_tabs()`.
/// Clones share the informers.
///
/// ```no_run
/// # async fn example(client: rhumb_client::Client) -> Result<(), Vec<String>> {
/// use rhumb_client::informer::Informers;
///
/// let informers = Informers::new(client).namespace("web");
/// let pods = informers.of(&informers.client().core_v1().pods(""));
/// informers.start();
/// informers.wait_for_sync().await?;
/// println!("{} pods", pods.indexer().len());
/// informers.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Informers {
    client: Client,
    factory: Arc<SharedInformerFactory>,
    namespace: String,
    options: ListOptions,
}

impl Informers {
    /// Creates informers of all objects in all namespaces.
    pub fn new(client: Client) -> Self {
        Informers::with(client, Arc::default())
    }

    /// Like `new`, with a resync period for handlers.
    pub fn with_resync(client: Client, every: Duration) -> Self {
        Informers::with(client, Arc::new(SharedInformerFactory::new(Some(every))))
    }

    /// Creates informers with a given factory, which may be shared.
    pub fn with(client: Client, factory: Arc<SharedInformerFactory>) -> Self {
        Informers { client, factory, namespace: String::new(), options: ListOptions::default() }
    }

    /// Restricts namespaced resources to one namespace; an empty name means all.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        namespace.clone_into(&mut self.namespace);
        self
    }

    /// Restricts informers by label and field selectors.
    #[must_use]
    pub fn select(mut self, options: &ListOptions) -> Self {
        self.options.clone_from(options);
        self
    }

    /// Returns the client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the informer factory.
    pub fn factory(&self) -> &Arc<SharedInformerFactory> {
        &self.factory
    }

    /// Returns the informer of a resource. The resource's own namespace takes precedence.
    pub fn of<K: Readable>(&self, api: &Api<K>) -> SharedInformer<K> {
        if api.current_namespace().is_some() || api.scope() == Some(Scope::Cluster) {
            return self.factory.of(api, &self.options);
        }
        self.factory.of(&api.clone().namespace(&self.namespace), &self.options)
    }

    /// Starts all requested informers; see [`SharedInformerFactory::start`].
    ///
    /// # Panics
    /// Outside of a tokio runtime, as [`tokio::spawn`] does.
    pub fn start(&self) {
        self.factory.start();
    }

    /// Waits for all informers to sync; see [`SharedInformerFactory::wait_for_sync`].
    ///
    /// # Errors
    /// The scopes of the informers that ended before they had everything.
    pub async fn wait_for_sync(&self) -> Result<(), Vec<String>> {
        self.factory.wait_for_sync().await
    }

    /// Stops all informers; see [`SharedInformerFactory::shutdown`].
    pub async fn shutdown(&self) {
        self.factory.shutdown().await;
    }
}
