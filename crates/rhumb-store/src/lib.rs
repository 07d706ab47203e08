//! Revisions, transactions and watches over bytes, in the shape of etcd v3: what an API server keeps its objects in.
//!
//! [`Store`] is the trait; everything above it is written against that. A store holds keys in order, each with a value
//! and the revisions at which it was made and last changed. Every transaction that changes something takes one new
//! revision, whatever number of keys it touches. The recent past stays readable: a range can be read as it was at an
//! earlier revision, and a watch can start there, until that revision is compacted away.
//!
//! [`Embedded`] is the engine that needs no other process: all keys in memory, every change on the disk before it is
//! answered.
//!
//! ```
//! use bytes::Bytes;
//! use rhumb_store::{Embedded, Options, Outcome, Store, Transaction};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let store = Embedded::in_memory(Options::default())?;
//! let key = Bytes::from_static(b"/registry/configmaps/default/settings");
//! let outcome = store.commit(Transaction::create(key.clone(), Bytes::from_static(b"value"))).await?;
//! assert!(matches!(outcome, Outcome::Committed(_)));
//!
//! let (entry, _) = store.get(key, None).await?;
//! assert_eq!(entry.map(|entry| entry.value), Some(Bytes::from_static(b"value")));
//! # Ok::<(), rhumb_store::StoreError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`etcd`] is the engine for more than one machine: it keeps nothing itself and reaches an etcd through its gRPC API.
//!
//! [`cache`] stands above a store: from it reads and watches of one resource are answered.
//!
//! The crate knows bytes only: no kinds, no formats, no HTTP.

pub mod cache;
mod embedded;
mod entry;
mod error;
pub mod etcd;
mod event;
mod history;
mod revision;
mod store;
mod transaction;

pub use embedded::{Clock, Embedded, Options, SystemClock};
pub use entry::{Entry, Key};
pub use error::StoreError;
pub use event::{Event, EventKind};
pub use revision::Revision;
pub use store::{Answer, Page, Range, Store, Watch, WatchSource, Watched};
pub use transaction::{Change, Committed, Condition, Expected, LeaseId, Outcome, Transaction};
