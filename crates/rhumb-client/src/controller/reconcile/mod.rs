//! The controller: a work queue fed by informers, and a reconcile function.
//!
//! An object is looked at when it changes, when one that it owns changes, and when another changes that was said to
//! concern it. The function is told which object, never what happened: it looks at how things are and does what is
//! missing. So it does not matter how often it is called, nor that several changes lead to one call.
//!
//! An object is in the hands of one worker at a time. When the function fails the object is looked at again, later
//! and later with each failure, unless it says that this is of no use ([`TerminalError`]).

mod builder;
mod feed;
pub mod predicate;
mod run;
#[cfg(test)]
mod tests;

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::informer::ObjectKey;
pub use builder::{Controller, ControllerError};

/// A reconcile request for one object.
#[derive(Debug)]
pub struct Request<K> {
    /// Namespace and name of the object.
    pub key: ObjectKey,
    /// The cached object; none if it is deleted. It may be slightly older than the server's.
    pub object: Option<Arc<K>>,
}

/// What follows a reconciliation.
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
    /// Creates an action that does nothing until something changes.
    pub fn done() -> Self {
        Action { after: None }
    }

    /// Creates an action that reconciles the object again after a delay, even without changes.
    pub fn requeue_after(delay: Duration) -> Self {
        Action { after: Some(delay) }
    }

    /// Returns the delay until the next reconciliation, if one was requested.
    pub fn after(&self) -> Option<Duration> {
        self.after
    }
}

/// Error after which the object is reconciled again only when something changes, since a retry would not help.
///
/// It counts wherever it stands in the chain of causes of what the function fails with.
///
/// ```
/// use rhumb_client::controller::TerminalError;
///
/// fn check(image: &str) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
///     if image.is_empty() {
///         return Err(TerminalError::new("there is no image").into());
///     }
///     Ok(())
/// }
/// assert_eq!(check("").unwrap_err().to_string(), "terminal error: there is no image");
/// ```
#[derive(Debug)]
pub struct TerminalError(Box<dyn StdError + Send + Sync>);

impl TerminalError {
    /// Wraps an error as terminal.
    pub fn new(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        TerminalError(error.into())
    }

    /// Reports whether an error is one, or was caused by one.
    pub(super) fn is_behind(error: &(dyn StdError + 'static)) -> bool {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if error.is::<TerminalError>() {
                return true;
            }
            cause = error.source();
        }
        false
    }
}

impl fmt::Display for TerminalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "terminal error: {}", self.0)
    }
}

impl StdError for TerminalError {
    /// Returns the source of the wrapped error, whose text includes its own.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}
