//! The controller: a queue of objects to look at, fed by informers and worked off by a function.
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

/// An error after which the object is not looked at again until something changes: trying again would not help.
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
    /// Creates an error the last word.
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
    /// Returns what caused the error that it was made of, which its own text has in it.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}
