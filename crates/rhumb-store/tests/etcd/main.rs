//! The etcd engine against a real etcd, which each test starts for itself on ports that are free.
//!
//! The program is the one that `RHUMB_ETCD` names, or else `etcd` on the path, or else the one that
//! `cargo xtask setup` put among the tools.

mod basics;
mod cache_with_etcd;
mod certificates;
#[path = "../cache/concurrency.rs"]
mod concurrency;
mod faults;
mod members;
#[path = "../cache/model.rs"]
mod model;
mod proxy;
mod server;
#[path = "../suite/mod.rs"]
mod suite;
mod suite_with_etcd;
#[allow(dead_code, reason = "the tests of the cache use the rest")]
#[path = "../cache/things.rs"]
mod things;
mod watches;
