//! The API server as a library.
//!
//! ```no_run
//! # async fn run() -> Result<(), rhumb_server::StartError> {
//! let server = rhumb_server::Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into()).start().await?;
//! let kubeconfig = server.kubeconfig();
//! server.shutdown().await
//! # }
//! ```

mod accounts;
pub mod admission;
mod allocate;
pub mod api;
mod audit;
mod authorize;
mod behind;
mod body_limit;
mod bootstrap;
mod call;
mod compress;
pub mod config;
mod controllers;
mod count;
mod custom;
mod data;
mod deprecation;
mod discovery;
mod documents;
pub mod environment;
pub mod failure;
pub mod front;
mod go_names;
mod group;
pub mod identity;
mod inner;
mod jwt;
mod managed;
mod memory;
mod reach;
mod remember;
mod request;
mod resource;
mod respond;
mod route;
pub mod secret;
mod server;
mod subresource;
mod tasks;
mod usage;
mod verbs;

pub use accounts::AccountOptions;
pub use api::{Api, ApiOptions};
pub use data::Data;
pub use environment::Environment;
pub use failure::Failure;
pub use group::{ApiGroup, GroupError, InstallStrategies};
pub use reach::KubeletAccess;
pub use respond::{Answer, Body};
pub use server::{Behind, Builder, Foundation, Server, StartError, Starting};
