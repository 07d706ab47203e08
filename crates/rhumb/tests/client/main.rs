//! The client library against a running server: `rhumb serve`, or the one that `RHUMB_TEST_KUBECONFIG` names.

mod actions;
mod applying;
mod clientset;
mod custom;
mod paging;
mod restarting;
mod scaling;
mod server;
mod verbs;
mod watching;
