//! The client library against a running server: `rhumb serve`, or the one that `RHUMB_TEST_KUBECONFIG` names.

mod actions;
mod applying;
mod bad_line;
mod certificates;
mod clientset;
mod controllers;
mod custom;
mod examples;
mod faults;
#[allow(dead_code, unreachable_pub, reason = "types and generated code are written as for a library")]
mod generated;
mod informers;
#[path = "../support/kubelet/mod.rs"]
mod kubelet;
mod large;
mod nodes;
mod paging;
mod restarting;
mod scaling;
mod server;
mod told;
mod verbs;
mod watching;
