//! The eight verbs.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod escalation;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod patch;
mod selection;
pub(crate) mod update;
pub(crate) mod watch;

pub(crate) use crate::endpoints::handlers::selection::{deadline, deadline_of, revision};
