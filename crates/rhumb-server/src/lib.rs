//! The API server as a library.
//!
//! Its modules are layers, and a request passes them in this order: `http` (connections) → [`filters`]
//! (authentication, limits, audit, authorization) → `endpoints` (`RequestInfo`, routing, a handler per verb) →
//! [`admission`] (plugins) → `registry` (models, strategies, storage) → the store. `authentication` and
//! `authorization` are asked by several of them. Beside that way, `controlplane` and `controllers` reach the API
//! through the `loopback` client; `server` assembles all of it as [`config`] says, and everything stands on `base`.
//! Each imports only what is below it, which `cargo xtask tidy --modules` checks.
//!
//! ```no_run
//! # async fn run() -> Result<(), rhumb_server::StartError> {
//! let server = rhumb_server::Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into()).start().await?;
//! let kubeconfig = server.kubeconfig();
//! server.shutdown().await
//! # }
//! ```

pub mod admission;
mod authentication;
mod authorization;
pub mod base;
pub mod config;
mod controllers;
mod controlplane;
mod endpoints;
pub mod filters;
mod http;
mod loopback;
mod registry;
mod server;

pub use authentication::service_accounts::AccountOptions;
pub use authentication::{
    ConfigurationError, Refused, TokenAuthenticator, TokenFile, TokenFileError, TokenVerdict, TokenWays,
};
pub use base::data::Data;
pub use base::environment::{self, Environment};
pub use base::failure::{self, Failure};
pub use base::identity;
pub use base::request::RequestBody;
pub use base::response::{Body, Response};
pub use base::secret;
pub use base::shutdown::Shutdown;
pub use endpoints::proxy::KubeletAccess;
pub use filters::{Handler, ResponseFuture};
pub use registry::group::{ApiGroup, GroupError, InstallStrategies};
pub use server::{Api, ApiOptions, Behind, Builder, Foundation, Server, StartError, Starting};
