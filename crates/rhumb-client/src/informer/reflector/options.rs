//! Options and reports of a reflector.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rhumb_meta::v1::ListOptions;

use crate::Error;
use crate::informer::backoff::BackoffPolicy;

/// Transforms every object before it is stored, mostly to drop unused fields.
pub type Transform<K> = Arc<dyn Fn(&mut K) + Send + Sync>;

/// Called with errors. It must return quickly, because the reflector waits for it.
pub type Reporter = Arc<dyn Fn(Report<'_>) + Send + Sync>;

/// Decides whether a due resync takes place.
pub type ShouldResync = Arc<dyn Fn() -> bool + Send + Sync>;

/// An error. The informer recovers by itself from all but the last.
#[derive(Debug)]
#[non_exhaustive]
pub enum Report<'a> {
    /// A list failed; it comes again after a wait, or in another way.
    List(&'a Error),
    /// A watch could not begin, or ended with this; it goes on after a wait, or all is listed again.
    Watch(&'a Error),
    /// The server ended a watch at once, with nothing in it.
    ShortWatch,
    /// A handler panicked at an event. It is called with the next one.
    HandlerPanicked {
        /// The panic's message, if it is text.
        message: &'a str,
    },
    /// A function that the informer was given panicked where it can't be passed over: a transform would leave an
    /// object out, an index function leave one where it is not. The informer has ended; client-go would end the
    /// process.
    InformerPanicked {
        /// The panic's message, if it is text.
        message: &'a str,
    },
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Report::List(error) => write!(f, "the list failed: {error}"),
            Report::Watch(error) => write!(f, "the watch failed: {error}"),
            Report::ShortWatch => f.write_str("the server ended the watch at once"),
            Report::HandlerPanicked { message } => write!(f, "a handler panicked: {message}"),
            Report::InformerPanicked { message } => {
                write!(f, "the informer panicked and has ended: {message}")
            }
        }
    }
}

/// How all objects are read initially and when a watch can't continue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialList {
    /// Streaming list, so that neither side holds the whole list. Falls back to a list if the server refuses it.
    #[default]
    Stream,
    /// List in pages.
    Pages,
}

/// Options of a reflector.
#[non_exhaustive]
pub struct ReflectorOptions<K> {
    /// Base options of every request: label and field selectors.
    pub request: ListOptions,
    /// How all objects are read.
    pub initial: InitialList,
    /// Page size.
    pub page_size: i64,
    /// A watch is ended after this long, or up to twice as long by chance.
    pub watch_timeout: Duration,
    /// The server must have begun to answer a watch after this long. It is generous, because some proxies hold
    /// back even the headers until there is an event; asking anew from the same revision loses nothing.
    pub open_timeout: Duration,
    /// A page of a list must be there after this long.
    pub list_timeout: Duration,
    /// The store is resynced this often; `None` or zero for never. In a `SharedInformer` it is the same as
    /// `InformerBuilder::resync`, which goes before it.
    pub resync: Option<Duration>,
    /// Is asked before each resync. Without it each is done. A `SharedInformer` has no use for it.
    pub should_resync: Option<ShouldResync>,
    /// The waits after failures.
    pub backoff: BackoffPolicy,
    /// Seed of the jitter; random if `None`.
    pub seed: Option<u64>,
    /// Transforms every object.
    pub transform: Option<Transform<K>>,
    /// Receives errors.
    pub reporter: Option<Reporter>,
}

impl<K> Default for ReflectorOptions<K> {
    fn default() -> Self {
        ReflectorOptions {
            request: ListOptions::default(),
            initial: InitialList::default(),
            page_size: 500,
            watch_timeout: Duration::from_secs(300),
            open_timeout: Duration::from_secs(60),
            list_timeout: Duration::from_secs(300),
            resync: None,
            should_resync: None,
            backoff: BackoffPolicy::default(),
            seed: None,
            transform: None,
            reporter: None,
        }
    }
}

impl<K> Clone for ReflectorOptions<K> {
    fn clone(&self) -> Self {
        ReflectorOptions {
            request: self.request.clone(),
            initial: self.initial,
            page_size: self.page_size,
            watch_timeout: self.watch_timeout,
            open_timeout: self.open_timeout,
            list_timeout: self.list_timeout,
            resync: self.resync,
            should_resync: self.should_resync.clone(),
            backoff: self.backoff.clone(),
            seed: self.seed,
            transform: self.transform.clone(),
            reporter: self.reporter.clone(),
        }
    }
}

impl<K> fmt::Debug for ReflectorOptions<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectorOptions")
            .field("initial", &self.initial)
            .field("page_size", &self.page_size)
            .field("watch_timeout", &self.watch_timeout)
            .field("open_timeout", &self.open_timeout)
            .field("list_timeout", &self.list_timeout)
            .field("resync", &self.resync)
            .field("backoff", &self.backoff)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl<K> ReflectorOptions<K> {
    pub(crate) fn report(&self, report: Report<'_>) {
        if let Some(reporter) = &self.reporter {
            reporter(report);
        }
    }
}
