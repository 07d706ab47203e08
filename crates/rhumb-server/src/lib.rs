//! The API server as a library.
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
pub use base::data::Data;
pub use base::environment::{self, Environment};
pub use base::failure::{self, Failure};
pub use base::identity;
pub use base::response::{Answer, Body};
pub use base::secret;
pub use endpoints::proxy::KubeletAccess;
pub use endpoints::{Api, ApiOptions};
pub use registry::group::{ApiGroup, GroupError, InstallStrategies};
pub use server::{Behind, Builder, Foundation, Server, StartError, Starting};
