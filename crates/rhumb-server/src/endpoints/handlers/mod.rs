//! Request handlers: a file for each of the eight verbs, and what they share.

pub(crate) mod admit;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod escalation;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod patch;
mod selection;
pub(crate) mod update;
pub(crate) mod watch;

use rhumb_schema::budget;

use crate::base::failure::Outcome;
pub(crate) use crate::endpoints::handlers::selection::revision;

/// Lets the work of a request be stopped again after a write beside its own, which is still to come.
pub(crate) fn more_to_do<T>(done: Outcome<T>) -> Outcome<T> {
    budget::go_on();
    done
}
