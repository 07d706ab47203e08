//! `SharedInformerFactory`: one shared informer per resource and selector.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_core::future::BoxFuture;
use parking_lot::Mutex;
use rhumb_meta::Object;
use rhumb_meta::v1::ListOptions;

use super::shared::{InformerBuilder, SharedInformer};
use super::source::ListerWatcher;
use crate::{Api, Readable};

/// Creates and shares informers, so that a program has one watch per resource.
#[derive(Default)]
pub struct SharedInformerFactory {
    resync: Option<Duration>,
    informers: Mutex<BTreeMap<Place, Box<dyn AnyInformer>>>,
}

/// Key of an informer: the Rust type and the selected objects.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    scope: String,
    of: TypeId,
}

/// An informer of any type.
trait AnyInformer: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn start(&self);
    fn synced(&self) -> BoxFuture<'static, bool>;
    fn shutdown(&self) -> BoxFuture<'static, ()>;
}

impl<K: Object> AnyInformer for SharedInformer<K> {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn start(&self) {
        SharedInformer::start(self);
    }
    fn synced(&self) -> BoxFuture<'static, bool> {
        let informer = self.clone();
        Box::pin(async move { informer.synced().await })
    }
    fn shutdown(&self) -> BoxFuture<'static, ()> {
        let informer = self.clone();
        Box::pin(async move { informer.shutdown().await })
    }
}

impl SharedInformerFactory {
    /// Creates a factory without informers, with an optional resync period for handlers.
    pub fn new(resync: Option<Duration>) -> Self {
        SharedInformerFactory { resync, informers: Mutex::default() }
    }

    /// Returns the informer of a type and a scope, which says which of the type's objects are meant: the resource's
    /// path, the namespace, selectors. The first who asks for it says where it has its objects from and how it is
    /// built.
    pub fn informer<K: Object>(
        &self,
        scope: &str,
        source: impl FnOnce() -> Arc<dyn ListerWatcher<K>>,
        build: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K>,
    ) -> SharedInformer<K> {
        let place = Place { scope: scope.to_owned(), of: TypeId::of::<K>() };
        let mut informers = self.informers.lock();
        if let Some(known) =
            informers.get(&place).and_then(|known| known.as_any().downcast_ref::<SharedInformer<K>>())
        {
            return known.clone();
        }
        let mut builder = SharedInformer::builder_of(source());
        if let Some(every) = self.resync {
            builder = builder.resync(every);
        }
        let informer = build(builder).build();
        informers.insert(place, Box::new(informer.clone()));
        informer
    }

    /// Returns the informer of a resource, with the options' label and field selectors.
    pub fn of<K: Readable>(&self, api: &Api<K>, options: &ListOptions) -> SharedInformer<K> {
        let scope = format!(
            "{} {} namespace={:?} labels={:?} fields={:?}",
            api.client().config().server,
            api.gvr(),
            api.current_namespace(),
            options.label_selector,
            options.field_selector
        );
        self.informer(&scope, || Arc::new(api.clone()), |builder| builder.select(options))
    }

    /// Starts all requested informers that are not running.
    ///
    /// # Panics
    /// Outside of a tokio runtime, as [`tokio::spawn`] does.
    pub fn start(&self) {
        for informer in self.informers.lock().values() {
            informer.start();
        }
    }

    /// Waits for all informers to sync. Returns the scopes of those that ended before.
    ///
    /// # Errors
    /// The scopes of the informers that ended before they had everything.
    pub async fn wait_for_sync(&self) -> Result<(), Vec<String>> {
        let waiting: Vec<(String, BoxFuture<'static, bool>)> = self
            .informers
            .lock()
            .iter()
            .map(|(place, informer)| (place.scope.clone(), informer.synced()))
            .collect();
        let mut failed = Vec::new();
        for (scope, synced) in waiting {
            if !synced.await {
                failed.push(scope);
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(failed) }
    }

    /// Stops all informers and waits for their end. They are created anew when requested again.
    pub async fn shutdown(&self) {
        let informers = std::mem::take(&mut *self.informers.lock());
        let ending: Vec<BoxFuture<'static, ()>> =
            informers.values().map(|informer| informer.shutdown()).collect();
        for end in ending {
            end.await;
        }
    }
}
