//! Attacks that others suffered, tried on this server; SECURITY.md says which test stands for which of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

#[allow(dead_code, reason = "every test uses a part of it")]
#[path = "../front/client.rs"]
mod client;
#[path = "../inside/mod.rs"]
mod inside;

mod bombs;
mod dice;
mod faults;
mod hostile;
mod labels;
mod promises;
mod scopes;
