//! Commands that access pods: `logs`, `exec`, `attach`, `cp`, `port-forward`.

pub(crate) mod attach;
pub(crate) mod choose;
pub(crate) mod cp;
pub(crate) mod debug;
pub(crate) mod exec;
pub(crate) mod logs;
pub(crate) mod order;
pub(crate) mod port_forward;
mod profile;
pub(crate) mod session;
pub(crate) mod terminal;
