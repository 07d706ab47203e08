//! Tests of the parts together. The objects are metadata only, because nothing here looks further.

mod fifo;
mod history;
mod indexer;
mod model;
mod reflector;
mod script;
mod server;
mod shared;

use rhumb_meta::v1::{PartialObjectMetadata, Status, StatusReason};

use super::*;
use crate::{Error, WatchEvent};

pub(super) type Thing = PartialObjectMetadata;

pub(super) fn thing(namespace: &str, name: &str, revision: u64) -> Thing {
    let mut thing = Thing::default();
    thing.metadata.namespace = namespace.to_owned();
    thing.metadata.name = name.to_owned();
    thing.metadata.resource_version = revision.to_string();
    thing
}

/// An event as sources give it.
pub(super) fn boxed(event: Result<WatchEvent<Thing>, Error>) -> Result<WatchEvent<Box<Thing>>, Error> {
    event.map(|event| event.map(Box::new))
}

pub(super) fn refusal(reason: StatusReason) -> Error {
    Error::Status(Box::new(status(reason)))
}

pub(super) fn status(reason: StatusReason) -> Status {
    Status { reason: reason.as_str().to_owned(), code: i32::from(reason.code()), ..Status::default() }
}

/// `name@resourceVersion`, which is what most tests compare.
pub(super) fn label(thing: &Thing) -> String {
    format!("{}@{}", thing.metadata.name, thing.metadata.resource_version)
}

pub(super) fn labels(things: &[std::sync::Arc<Thing>]) -> Vec<String> {
    things.iter().map(|thing| label(thing)).collect()
}
