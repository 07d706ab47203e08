//! The server as its users see it, from inside the process and over connections.
//!
//! One program, because each of them would hold all of the server; only what measures time or memory has its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

#[path = "front/authority.rs"]
mod authority;
#[path = "front/client.rs"]
mod client;
mod inside;
#[allow(dead_code, reason = "every test uses a part of it")]
#[path = "front/issuer.rs"]
mod issuer;
#[path = "../../rhumb/tests/support/kubelet/mod.rs"]
mod kubelet;

mod allocations;
mod audit;
mod authentication_config;
mod authorize;
mod bootstrap;
mod controllers;
mod custom;
mod definition_rules;
mod definitions;
mod front;
mod generated_definition;
mod knowing;
mod long_work;
mod many_definitions;
mod own_group;
mod plugins;
mod policies;
mod protobuf;
mod reach;
mod speaking;
mod starting;
mod storage_versions;
mod subresources;
mod tokens;
mod verbs;
