//! The controller: a queue of objects to look at, fed by informers and worked off by a function.
//!
//! An object is looked at when it changes, when one that it owns changes, and when another changes that was said to
//! concern it. The function is told which object, never what happened: it looks at how things are and does what is
//! missing. So it does not matter how often it is called, nor that several changes lead to one call.
//!
//! An object is in the hands of one worker at a time. When the function fails the object is looked at again, later
//! and later with each failure.

mod builder;
mod feed;
pub mod predicate;
mod run;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use crate::informer::ObjectKey;
pub use builder::{Controller, ControllerError};

/// The object that is to be looked at.
#[derive(Debug)]
pub struct Request<K> {
    /// Its name.
    pub key: ObjectKey,
    /// What the local copy has of it; none if it is gone. It may be a little behind the server.
    pub object: Option<Arc<K>>,
}

/// What comes after an object was looked at.
///
/// ```
/// use rhumb_client::controller::Action;
/// use std::time::Duration;
///
/// assert_eq!(Action::done().after(), None);
/// assert_eq!(Action::requeue_after(Duration::from_secs(60)).after(), Some(Duration::from_secs(60)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Action {
    after: Option<Duration>,
}

impl Action {
    /// Nothing, until something changes.
    pub fn done() -> Self {
        Action { after: None }
    }

    /// It is looked at again after a while, even if nothing changes.
    pub fn requeue_after(delay: Duration) -> Self {
        Action { after: Some(delay) }
    }

    /// When it is looked at again.
    pub fn after(&self) -> Option<Duration> {
        self.after
    }
}
