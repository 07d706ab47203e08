//! Descriptions of objects, as `kubectl describe` prints them.
//!
//! - [`describe`] asks the server for an object and for what belongs to it, and gives the text.
//! - [`kinds`]: how an object of a kind is put into [`Lines`]. Nothing there asks anybody for anything.
//! - [`parts`]: what several kinds have in common: labels, containers, volumes, events.
//! - [`Zone`]: the time zone that dates are written in. The caller finds it; nothing here reads files or
//!   clocks.
//!
//! Whatever isn't a kind of its own is described by its fields ([`kinds::generic`]).

mod ask;
mod dispatch;
mod error;
mod go_text;
pub mod kinds;
mod lines;
pub mod parts;
mod totals;
mod volumes;
mod zone;

use rhumb_client::Client;
use rhumb_meta::{GroupVersionKind, GroupVersionResource, Scope, Time};

pub use error::DescribeError;
pub use lines::Lines;
pub use zone::{Zone, ZoneError};

/// A kind with its resource.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// The kind.
    pub kind: GroupVersionKind,
    /// The resource.
    pub resource: GroupVersionResource,
    /// Whether its objects live in namespaces.
    pub scope: Scope,
}

/// Settings of a description.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether the events of an object are shown.
    pub show_events: bool,
    /// Page size of lists; 0 for no pages.
    pub chunk_size: i64,
    /// The time that ages are counted to.
    pub now: Time,
    /// The time zone that dates are written in.
    pub zone: Zone,
}

/// Describes an object as kubectl does.
///
/// # Errors
/// If the object can't be read, or something it can't be described without.
pub async fn describe(
    client: &Client,
    mapping: &Mapping,
    namespace: &str,
    name: &str,
    settings: &Settings,
) -> Result<String, DescribeError> {
    dispatch::describe(&ask::Asker::new(client, settings), mapping, namespace, name).await
}
