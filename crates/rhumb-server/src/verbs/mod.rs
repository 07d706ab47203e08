//! The eight verbs.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod patch;
mod select;
pub(crate) mod update;
pub(crate) mod watch;

pub(crate) use select::{deadline, deadline_of, revision};
