//! Informers: caches of resources that follow the server, with indexes and event handlers.
//!
//! The way of an object:
//!
//! 1. A [`ListerWatcher`] lists and watches; `Api` is one.
//! 2. The [`Reflector`] follows it through everything that can go wrong and writes to a [`ReflectorStore`].
//! 3. The [`DeltaFifo`] queues what happened to each object.
//! 4. The processor brings it into the [`Indexer`] and puts an [`Event`] into the queue of each handler.
//! 5. A task per handler calls it.
//!
//! [`SharedInformer`] is all of it together, [`SharedInformerFactory`] keeps one per resource,
//! [`Informers`] is one with its client, and a [`Lister`] reads the copy. An object exists once: store, queues and
//! handlers hold `Arc`s of it, and its key's text is shared too.
//!
//! - Events of one object come in order. A handler that is slow, blocks or panics holds up nobody else.
//! - Whatever happens to the connection, the copy becomes equal to what the server has; what was missed
//!   meanwhile is told as the difference.
//! - Time is tokio's and chance can be given a seed, so a test can run years of it in a moment.
//!
//! ```no_run
//! # async fn example(client: rhumb_client::Client) -> Result<(), Box<dyn std::error::Error>> {
//! use rhumb_api::core::v1::Pod;
//! use rhumb_client::informer::{HandlerFuncs, SharedInformer};
//!
//! let pods = client.resource::<Pod>();
//! let informer = SharedInformer::builder(pods)
//!     .transform(|pod: &mut Pod| pod.metadata.managed_fields.clear())
//!     .index("owner", |pod: &Pod| {
//!         pod.metadata.annotations.get("example.com/owner").cloned().into_iter().collect()
//!     })?
//!     .build();
//! informer.add_handler(
//!     HandlerFuncs::<Pod>::new()
//!         .on_add(|pod, _initial| println!("{} is there", pod.metadata.name))
//!         .on_update(|_old, pod| println!("{} is now {}", pod.metadata.name, pod.status.phase))
//!         .on_delete(|deleted| println!("{} is gone", deleted.object().metadata.name)),
//! )?;
//! informer.start();
//! informer.synced().await;
//! for pod in informer.indexer().by_index("owner", "web-team")? {
//!     println!("the web team has {}/{}", pod.metadata.namespace, pod.metadata.name);
//! }
//! informer.shutdown().await;
//! # Ok(())
//! # }
//! ```

mod backoff;
mod delta_fifo;
mod factory;
mod handler;
mod indexer;
mod key;
mod listener;
mod lister;
mod of_client;
mod processor;
mod reflector;
mod shared;
mod source;
#[cfg(test)]
mod tests;

pub(crate) use backoff::Backoff;
pub use backoff::BackoffPolicy;
pub use delta_fifo::{Deleted, Delta, DeltaFifo, Deltas, KnownObjects, Processed};
pub use factory::SharedInformerFactory;
pub use handler::{Event, Filtered, Handler, HandlerFuncs};
pub use indexer::{IndexExists, IndexFunc, Indexer, KeyFunc, NAMESPACE_INDEX, NoSuchIndex};
pub use key::{ObjectKey, ParseKeyError};
pub use lister::{Lister, NamespaceLister};
pub use of_client::Informers;
pub use reflector::{
    InitialList, Reflector, ReflectorOptions, ReflectorStore, Report, Reporter, ShouldResync, Transform,
};
pub use shared::{Events, InformerBuilder, InformerEnded, Registration, SharedInformer};
pub use source::{EventStream, ListerWatcher};
