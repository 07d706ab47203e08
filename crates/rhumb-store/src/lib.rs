//! Revisions, transactions and watches over bytes, in the shape of etcd v3: what an API server keeps its objects in.
//!
//! [`Store`] is the trait; everything above it is written against that. A store holds keys in order, each with a value
//! and the revisions at which it was made and last changed. Every transaction that changes something takes one new
//! revision, whatever number of keys it touches. The recent past stays readable: a range can be read as it was at an
//! earlier revision, and a watch can start there, until that revision is compacted away.
//!
//! The crate knows bytes only: no kinds, no formats, no HTTP.

pub mod cache;
mod entry;
mod error;
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
