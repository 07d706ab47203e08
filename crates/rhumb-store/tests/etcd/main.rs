//! The etcd engine against a real etcd, which each test starts for itself on ports that are free.
//!
//! The program is the one that `RHUMB_ETCD` names, or else `etcd` on the path, or else the one that
//! `cargo xtask setup` put among the tools.

mod basics;
mod certificates;
mod faults;
mod members;
mod proxy;
mod server;
#[path = "../suite/mod.rs"]
mod suite;
mod suite_with_etcd;
mod watches;
