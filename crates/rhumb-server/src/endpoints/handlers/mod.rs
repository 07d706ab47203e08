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

pub(crate) use crate::endpoints::handlers::selection::revision;
