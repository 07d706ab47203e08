//! `SharedInformer`: one reflector and store with any number of handlers.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use parking_lot::Mutex;
use rhumb_meta::Object;
use rhumb_meta::v1::ListOptions;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use super::delta_fifo::DeltaFifo;
use super::handler::{Event, Handler};
use super::indexer::{IndexExists, Indexer};
use super::listener::{Listener, Notice, Worker, message};
use super::lister::Lister;
use super::processor::{Phase, Processor};
use super::reflector::{InitialList, Position, Reflector, ReflectorOptions, Report, Reporter};
use super::source::ListerWatcher;

/// Cache of a resource that follows the server and notifies handlers of changes.
///
/// It is a handle: clones are of the same informer. It ends when [`SharedInformer::shutdown`] is called or
/// the last handle is dropped. Listers and stores stay readable then, as they were.
pub struct SharedInformer<K: Object> {
    inner: Arc<Inner<K>>,
}

impl<K: Object> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        SharedInformer { inner: self.inner.clone() }
    }
}

struct Inner<K: Object> {
    indexer: Arc<Indexer<K>>,
    processor: Arc<Processor<K>>,
    position: Position,
    reporter: Option<Reporter>,
    resync: Option<Duration>,
    life: Mutex<Life<K>>,
}

enum Life<K: Object> {
    /// Not started: the parts that will run.
    New { reflector: Box<Reflector<K, DeltaFifo<K>>>, fifo: Arc<DeltaFifo<K>>, listeners: Vec<Listener<K>> },
    /// Running tasks.
    Running { runtime: Handle, driver: JoinHandle<()>, handlers: Vec<Running> },
    /// Stopped.
    Ended,
}

struct Running {
    task: JoinHandle<()>,
    stop: Arc<AtomicBool>,
}

/// Error: the informer has ended, so nothing can be added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InformerEnded;

impl std::fmt::Display for InformerEnded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the informer has ended")
    }
}

impl std::error::Error for InformerEnded {}

/// Builder of a [`SharedInformer`].
pub struct InformerBuilder<K: Object> {
    source: Arc<dyn ListerWatcher<K>>,
    options: ReflectorOptions<K>,
    indexer: Indexer<K>,
    resync: Option<Duration>,
}

impl<K: Object> InformerBuilder<K> {
    /// Sets the default resync period of handlers, at which they get an update of every object.
    #[must_use]
    pub fn resync(mut self, every: Duration) -> Self {
        self.resync = Some(every);
        self
    }

    /// Restricts the informer by label and field selectors.
    #[must_use]
    pub fn select(mut self, options: &ListOptions) -> Self {
        self.options.request.label_selector.clone_from(&options.label_selector);
        self.options.request.field_selector.clone_from(&options.field_selector);
        self
    }

    /// Changes every object before it is kept, mostly to drop what nobody needs. It must leave names and
    /// resource versions as they are, and must not panic, which would end the informer.
    #[must_use]
    pub fn transform(mut self, transform: impl Fn(&mut K) + Send + Sync + 'static) -> Self {
        self.options.transform = Some(Arc::new(transform));
        self
    }

    /// Sets how all objects are read initially.
    #[must_use]
    pub fn initial_list(mut self, initial: InitialList) -> Self {
        self.options.initial = initial;
        self
    }

    /// Seeds the jitter of waits and timeouts.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    /// Sets a function for errors, which are ignored otherwise.
    #[must_use]
    pub fn on_report(mut self, reporter: impl Fn(Report<'_>) + Send + Sync + 'static) -> Self {
        self.options.reporter = Some(Arc::new(reporter));
        self
    }

    /// Sets further options: timeouts, backoff, page size.
    #[must_use]
    pub fn reflector(mut self, change: impl FnOnce(&mut ReflectorOptions<K>)) -> Self {
        change(&mut self.options);
        self
    }

    /// Adds an index; see [`Indexer::add_index`].
    ///
    /// # Errors
    /// If there is one of that name.
    pub fn index(
        self,
        name: &str,
        function: impl Fn(&K) -> Vec<String> + Send + Sync + 'static,
    ) -> Result<Self, IndexExists> {
        self.indexer.add_index(name, function)?;
        Ok(self)
    }

    /// Creates the informer without starting it.
    pub fn build(mut self) -> SharedInformer<K> {
        // The processor resyncs, which knows which handlers are due.
        let resync = self.resync.or(self.options.resync.take());
        let indexer = Arc::new(self.indexer);
        let fifo = Arc::new(DeltaFifo::new(Some(indexer.clone() as _)));
        let reporter = self.options.reporter.clone();
        let reflector = Box::new(Reflector::new(self.source, fifo.clone(), self.options));
        SharedInformer {
            inner: Arc::new(Inner {
                processor: Arc::new(Processor::new(indexer.clone())),
                indexer,
                position: reflector.position(),
                reporter,
                resync,
                life: Mutex::new(Life::New { reflector, fifo, listeners: Vec::new() }),
            }),
        }
    }
}

impl<K: Object> SharedInformer<K> {
    /// Creates a builder with a source of objects.
    pub fn builder(source: impl ListerWatcher<K>) -> InformerBuilder<K> {
        Self::builder_of(Arc::new(source))
    }

    /// Creates a builder with a shared source.
    pub fn builder_of(source: Arc<dyn ListerWatcher<K>>) -> InformerBuilder<K> {
        InformerBuilder {
            source,
            options: ReflectorOptions::default(),
            indexer: Indexer::new(),
            resync: None,
        }
    }

    /// Starts the informer. It has no effect if it was started before.
    ///
    /// # Panics
    /// Outside of a tokio runtime, as [`tokio::spawn`] does.
    pub fn start(&self) {
        let mut life = self.inner.life.lock();
        if !matches!(*life, Life::New { .. }) {
            return;
        }
        let runtime = Handle::current();
        if let Life::New { reflector, fifo, listeners } = std::mem::replace(&mut *life, Life::Ended) {
            let (processor, reporter) = (self.inner.processor.clone(), self.inner.reporter.clone());
            let driver = runtime.spawn(drive(reflector, fifo, processor, reporter));
            let handlers = listeners.into_iter().map(|listener| run(&runtime, listener)).collect();
            *life = Life::Running { runtime, driver, handlers };
        }
    }

    /// Adds a handler, which gets all present objects and then all changes, and resyncs if the informer has a period.
    ///
    /// # Errors
    /// If the informer has ended.
    pub fn add_handler(&self, handler: impl Handler<K>) -> Result<Registration, InformerEnded> {
        self.add(Box::new(handler), self.inner.resync)
    }

    /// Like [`SharedInformer::add_handler`], with its own resync period; zero disables it. Periods below a second are
    /// raised to one.
    ///
    /// # Errors
    /// If the informer has ended.
    pub fn add_handler_with_resync(
        &self,
        handler: impl Handler<K>,
        every: Duration,
    ) -> Result<Registration, InformerEnded> {
        self.add(Box::new(handler), Some(every))
    }

    fn add(
        &self,
        handler: Box<dyn Handler<K>>,
        resync: Option<Duration>,
    ) -> Result<Registration, InformerEnded> {
        let mut life = self.inner.life.lock();
        if matches!(*life, Life::Ended) {
            return Err(InformerEnded);
        }
        let (id, queue) = self.inner.processor.listen(resync).ok_or(InformerEnded)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (synced, on_synced) = watch::channel(false);
        let worker = Worker { handler, stop: stop.clone(), synced, reporter: self.inner.reporter.clone() };
        let listener = Listener { queue, worker };
        match &mut *life {
            Life::New { listeners, .. } => listeners.push(listener),
            Life::Running { runtime, handlers, .. } => {
                handlers.retain(|running| !running.task.is_finished());
                handlers.push(run(runtime, listener));
            }
            Life::Ended => {}
        }
        Ok(Registration { id, stop, synced: on_synced, processor: self.inner.processor.clone() })
    }

    /// Returns all objects and then all changes as a stream. Unread events are buffered, so read or drop it.
    ///
    /// # Errors
    /// If the informer has ended.
    pub fn events(&self) -> Result<Events<K>, InformerEnded> {
        let (id, queue) = self.inner.processor.listen(self.inner.resync).ok_or(InformerEnded)?;
        Ok(Events { id, queue, synced: false, processor: self.inner.processor.clone() })
    }

    /// Returns the store with its indexes. Indexes can be added at any time.
    pub fn indexer(&self) -> &Arc<Indexer<K>> {
        &self.inner.indexer
    }

    /// Returns a lister of the store.
    pub fn lister(&self) -> Lister<K> {
        Lister::new(self.inner.indexer.clone())
    }

    /// Reports whether the store has all initial objects.
    pub fn has_synced(&self) -> bool {
        *self.inner.processor.phase().borrow() == Phase::Synced
    }

    /// Waits until [`SharedInformer::has_synced`]; false if the informer ends before.
    pub async fn synced(&self) -> bool {
        let mut phase = self.inner.processor.phase();
        phase.wait_for(|phase| *phase != Phase::Filling).await.is_ok_and(|phase| *phase == Phase::Synced)
    }

    /// Returns the last revision seen; empty before the first.
    pub fn last_sync_resource_version(&self) -> String {
        self.inner.position.get()
    }

    /// Reports whether the informer has ended.
    pub fn has_ended(&self) -> bool {
        *self.inner.processor.phase().borrow() == Phase::Stopped
    }

    /// Waits until the informer has ended: by [`SharedInformer::shutdown`], or because a function of the user panicked
    /// ([`Report::InformerPanicked`]).
    pub async fn ended(&self) {
        // It can't fail: the other end is in our hands.
        let _ = self.inner.processor.phase().wait_for(|phase| *phase == Phase::Stopped).await;
    }

    /// Stops the informer and waits for its end. Handlers finish their current event; queued ones are dropped.
    pub async fn shutdown(&self) {
        let tasks = self.inner.end();
        for task in tasks {
            // Its end is what we wait for, whichever it is.
            let _ = task.await;
        }
    }
}

impl<K: Object> Inner<K> {
    /// Tells everything to end, and gives what to wait for.
    fn end(&self) -> Vec<JoinHandle<()>> {
        let life = std::mem::replace(&mut *self.life.lock(), Life::Ended);
        self.processor.stop();
        let Life::Running { driver, handlers, .. } = life else { return Vec::new() };
        driver.abort();
        for handler in &handlers {
            handler.stop.store(true, Ordering::Release);
        }
        handlers.into_iter().map(|handler| handler.task).chain([driver]).collect()
    }
}

impl<K: Object> Drop for Inner<K> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Follows the server until it is aborted. Should reflector or processor panic, both end and everyone knows. They are
/// one task: what the first has read the second finds without being woken for it.
async fn drive<K: Object>(
    reflector: Box<Reflector<K, DeltaFifo<K>>>,
    fifo: Arc<DeltaFifo<K>>,
    processor: Arc<Processor<K>>,
    reporter: Option<Reporter>,
) {
    struct AtTheEnd<K: Object>(Arc<Processor<K>>);
    impl<K: Object> Drop for AtTheEnd<K> {
        fn drop(&mut self) {
            self.0.stop();
        }
    }
    let end = AtTheEnd(processor);
    let outcome = {
        let mut following = pin!(async {
            tokio::select! {
                biased;
                () = reflector.run() => {}
                () = end.0.run(&fifo) => {}
            }
        });
        // Nobody polls it again after a panic.
        poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| following.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        })
        .await
    };
    drop(end);
    if let (Err(panic), Some(reporter)) = (outcome, reporter) {
        reporter(Report::InformerPanicked { message: message(&*panic) });
    }
}

fn run<K: Object>(runtime: &Handle, listener: Listener<K>) -> Running {
    let stop = listener.worker.stop.clone();
    Running { task: runtime.spawn(listener.run()), stop }
}

/// Removes listeners of any type.
trait Forget: Send + Sync {
    fn forget(&self, id: u64);
}

impl<K: Object> Forget for Processor<K> {
    fn forget(&self, id: u64) {
        Processor::forget(self, id);
    }
}

/// Registration of a handler. Dropping it doesn't remove the handler.
pub struct Registration {
    id: u64,
    stop: Arc<AtomicBool>,
    synced: watch::Receiver<bool>,
    processor: Arc<dyn Forget>,
}

impl Registration {
    /// Reports whether the handler got every object of the initial list.
    pub fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Waits until [`Registration::has_synced`]; false if the handler ends before.
    pub async fn synced(&self) -> bool {
        self.synced.clone().wait_for(|synced| *synced).await.is_ok()
    }

    /// Removes the handler: it is not called again after its current call.
    pub fn remove(self) {
        self.stop.store(true, Ordering::Release);
        self.processor.forget(self.id);
    }
}

/// Stream of changes. It ends with the informer.
pub struct Events<K: Object> {
    id: u64,
    queue: mpsc::UnboundedReceiver<Notice<K>>,
    synced: bool,
    processor: Arc<Processor<K>>,
}

impl<K: Object> Events<K> {
    /// Returns the next change; `None` when the informer has ended.
    pub async fn next(&mut self) -> Option<Event<K>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    /// Reports whether all initial objects were read from this stream.
    pub fn has_synced(&self) -> bool {
        self.synced
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        loop {
            match std::task::ready!(self.queue.poll_recv(context)) {
                Some(Notice::Event(event)) => return Poll::Ready(Some(event)),
                Some(Notice::Synced) => self.synced = true,
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<K: Object> Stream for Events<K> {
    type Item = Event<K>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        self.poll(context)
    }
}

impl<K: Object> Drop for Events<K> {
    fn drop(&mut self) {
        self.processor.forget(self.id);
    }
}
