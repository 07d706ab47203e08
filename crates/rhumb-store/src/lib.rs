//! Revisions, transactions and watches over bytes, in the shape of etcd v3: what an API server keeps its objects in.
//!
//! [`Store`] is the trait; everything above it is written against that. A store holds keys in order, each with a value
//! and the revisions at which it was made and last changed. Every transaction that changes something takes one new
//! revision, whatever number of keys it touches. The recent past stays readable: a range can be read as it was at an
//! earlier revision, and a watch can start there, until that revision is compacted away.
//!
//! [`etcd`] is the engine for more than one machine: an etcd, reached through its gRPC API.
//!
//! The crate knows bytes only: no kinds, no formats, no HTTP.

mod entry;
mod error;
pub mod etcd;
mod event;
mod history;
mod revision;
mod store;
mod transaction;

pub use entry::{Entry, Key};
pub use error::StoreError;
pub use event::{Event, EventKind};
pub use revision::Revision;
pub use store::{Answer, Page, Range, Store, Watch, WatchSource, Watched};
pub use transaction::{Change, Committed, Condition, Expected, LeaseId, Outcome, Transaction};
