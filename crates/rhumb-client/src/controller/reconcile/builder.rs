//! Configuration of a controller.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rhumb_meta::{GroupVersionKind, Object, Resource, Scope};
use rhumb_queue::{Queue, RateLimiter};

use super::feed::{Owner, Predicate, Source, Watched};
use super::run;
use super::{Action, Request};
use crate::controller::metrics::Metrics;
use crate::controller::shutdown::Shutdown;
use crate::informer::{Event, InformerEnded, ObjectKey, SharedInformer};

/// Default grace period after a shutdown.
const GRACE: Duration = Duration::from_secs(30);

/// Called with an object whose reconciliation failed, and the error.
pub(super) type OnError = Arc<dyn Fn(&ObjectKey, &(dyn StdError + 'static)) + Send + Sync>;

/// Error that ends a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ControllerError {
    /// An informer has ended.
    InformerEnded,
    /// Reconciliations exceeded the grace period of a shutdown and were dropped.
    GraceExceeded {
        /// Number of reconciliations.
        workers: usize,
    },
}

impl fmt::Display for ControllerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControllerError::InformerEnded => f.write_str("an informer of the controller has ended"),
            ControllerError::GraceExceeded { workers } => {
                write!(f, "{workers} reconcilers went on after the shutdown for too long and were dropped")
            }
        }
    }
}

impl StdError for ControllerError {}

impl From<InformerEnded> for ControllerError {
    fn from(_: InformerEnded) -> Self {
        ControllerError::InformerEnded
    }
}

/// Controller of the objects of one kind.
///
/// ```
/// # use futures_core::future::BoxFuture;
/// # use rhumb_client::List;
/// # use rhumb_client::informer::{EventStream, InitialList, ListerWatcher};
/// # use rhumb_meta::v1::ListOptions;
/// use rhumb_api::core::v1::Pod;
/// use rhumb_client::Error;
/// use rhumb_client::controller::{Action, Controller, Request, Shutdown, predicate};
/// use rhumb_client::informer::SharedInformer;
/// use std::sync::Arc;
///
/// struct Context {
///     shutdown: Shutdown,
/// }
///
/// async fn reconcile(request: Request<Pod>, context: Arc<Context>) -> Result<Action, Error> {
///     let Some(pod) = request.object else { return Ok(Action::done()) };
///     println!("{} is {}", request.key, pod.status.phase);
///     context.shutdown.begin(); // One is enough for an example.
///     Ok(Action::done())
/// }
///
/// # struct Pods;
/// # impl ListerWatcher<Pod> for Pods {
/// #     fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<List<Pod>, Error>> {
/// #         let mut list = List::<Pod>::default();
/// #         list.metadata.resource_version = "7".to_owned();
/// #         list.items.push(Pod::default());
/// #         list.items[0].metadata.name = "web".to_owned();
/// #         Box::pin(async { Ok(list) })
/// #     }
/// #     fn watch(&self, _: ListOptions) -> BoxFuture<'_, Result<EventStream<Pod>, Error>> {
/// #         Box::pin(async { Ok(Box::pin(futures_util::stream::pending()) as EventStream<Pod>) })
/// #     }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let source = Pods;
/// // The source is `client.resource::<Pod>()`.
/// let pods = SharedInformer::builder(source)
/// #   .initial_list(InitialList::Pages)
///     .build();
/// let shutdown = Shutdown::new();
/// let context = Context { shutdown: shutdown.clone() };
/// Controller::new(&pods)
///     .when(predicate::generation_changed)
///     .workers(4)
///     .run(&shutdown, Arc::new(context), reconcile)
///     .await
///     .unwrap();
/// # }
/// ```
pub struct Controller<K: Object> {
    subject: Watched<K>,
    owner: Owner,
    others: Vec<Box<dyn Source>>,
    workers: usize,
    grace: Duration,
    limiter: Option<Box<dyn RateLimiter<ObjectKey>>>,
    metrics: Option<(Metrics, String)>,
    on_error: Option<OnError>,
}

impl<K: Resource> Controller<K> {
    /// Creates a controller of an informer's objects.
    pub fn new(informer: &SharedInformer<K>) -> Self {
        Controller::of_kind(informer, &K::gvk(), K::SCOPE)
    }
}

impl<K: Object> Controller<K> {
    /// Creates a controller of objects with a kind given at run time.
    pub fn of_kind(informer: &SharedInformer<K>, kind: &GroupVersionKind, scope: Scope) -> Self {
        let owner = Owner { group: kind.group.to_string(), kind: kind.kind.to_string(), scope };
        let map = |object: &K| ObjectKey::of(object).into_iter().collect();
        Controller {
            subject: Watched { informer: informer.clone(), map: Arc::new(map), predicates: Vec::new() },
            owner,
            others: Vec::new(),
            workers: 1,
            grace: GRACE,
            limiter: None,
            metrics: None,
            on_error: None,
        }
    }

    /// Adds a predicate for the controller's own objects; all must match. Owned and watched objects have their own.
    #[must_use]
    pub fn when(mut self, matters: impl Fn(&Event<K>) -> bool + Send + Sync + 'static) -> Self {
        self.subject.predicates.push(Arc::new(matters));
        self
    }

    /// Reconciles the controlling owner when one of its objects changes.
    #[must_use]
    pub fn owns<C: Object>(self, informer: &SharedInformer<C>) -> Self {
        self.owns_when(informer, |_| true)
    }

    /// Like [`Controller::owns`], for changes that match a predicate.
    #[must_use]
    pub fn owns_when<C: Object>(
        self,
        informer: &SharedInformer<C>,
        matters: impl Fn(&Event<C>) -> bool + Send + Sync + 'static,
    ) -> Self {
        let owner = self.owner.clone();
        self.watches_when(informer, move |owned: &C| owner.of(owned).into_iter().collect(), matters)
    }

    /// Reconciles the objects that a function returns for a changed object.
    #[must_use]
    pub fn watches<W: Object>(
        self,
        informer: &SharedInformer<W>,
        concerns: impl Fn(&W) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        self.watches_when(informer, concerns, |_| true)
    }

    /// Like [`Controller::watches`], for changes that match a predicate.
    #[must_use]
    pub fn watches_when<W: Object>(
        mut self,
        informer: &SharedInformer<W>,
        concerns: impl Fn(&W) -> Vec<ObjectKey> + Send + Sync + 'static,
        matters: impl Fn(&Event<W>) -> bool + Send + Sync + 'static,
    ) -> Self {
        let matters: Predicate<W> = Arc::new(matters);
        let watched =
            Watched { informer: informer.clone(), map: Arc::new(concerns), predicates: vec![matters] };
        self.others.push(Box::new(watched));
        self
    }

    /// Sets the number of concurrent reconciliations; 1 by default.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// Sets the grace period of reconciliations after a shutdown; 30 s by default.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets the rate limiter of retries.
    #[must_use]
    pub fn limiter(mut self, limiter: impl RateLimiter<ObjectKey>) -> Self {
        self.limiter = Some(Box::new(limiter));
        self
    }

    /// Records metrics of the queue and the reconcile function under a name.
    #[must_use]
    pub fn metrics(mut self, metrics: &Metrics, name: impl Into<String>) -> Self {
        self.metrics = Some((metrics.clone(), name.into()));
        self
    }

    /// Sets a function for failed reconciliations.
    #[must_use]
    pub fn on_error(
        mut self,
        on_error: impl Fn(&ObjectKey, &(dyn StdError + 'static)) + Send + Sync + 'static,
    ) -> Self {
        self.on_error = Some(Arc::new(on_error));
        self
    }

    /// Works until the end is asked for: waits until the local copies are complete, and then calls the function for
    /// every object, and again whenever something happens. The informers are started if they are not.
    ///
    /// When the end is asked for, functions that are at work are waited for; no others are begun.
    ///
    /// # Errors
    /// If an informer has ended, also while it works, and if a function went on for too long after the end was asked
    /// for.
    pub async fn run<C, F, R, E>(
        self,
        shutdown: &Shutdown,
        context: Arc<C>,
        reconcile: F,
    ) -> Result<(), ControllerError>
    where
        C: Send + Sync + 'static,
        F: Fn(Request<K>, Arc<C>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<Box<dyn StdError + Send + Sync>> + Send + 'static,
    {
        let mut builder = Queue::builder();
        if let Some(limiter) = self.limiter {
            builder = builder.limiter(limiter);
        }
        if let Some((metrics, name)) = &self.metrics {
            builder = builder.metrics(metrics.queues(), name.as_str());
        }
        let calls = self.metrics.as_ref().map(|(metrics, name)| metrics.calls(name));
        let queue = builder.build();
        let mut sources: Vec<&dyn Source> = vec![&self.subject];
        sources.extend(self.others.iter().map(|source| &**source));
        let indexer = Arc::clone(self.subject.informer.indexer());
        let work: run::Work = Arc::new(move |key: ObjectKey| {
            let request = Request { object: indexer.get(&key), key };
            let reconciled = reconcile(request, Arc::clone(&context));
            Box::pin(async move { reconciled.await.map_err(Into::into) })
        });
        let worker = run::Worker { queue, work, on_error: self.on_error, calls };
        let staff = run::Staff { worker, workers: self.workers, grace: self.grace };
        staff.run(&sources, shutdown).await
    }
}

impl<K: Object> fmt::Debug for Controller<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("kind", &self.owner.kind)
            .field("others", &self.others.len())
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}
