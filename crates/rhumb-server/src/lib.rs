//! The API server as a library.
//!
//! ```no_run
//! # async fn run() -> Result<(), rhumb_server::StartError> {
//! let server = rhumb_server::Server::builder().in_memory().listen(([127, 0, 0, 1], 0).into()).start().await?;
//! let kubeconfig = server.kubeconfig();
//! server.shutdown().await
//! # }
//! ```

pub mod config;
pub mod environment;
pub mod front;
pub mod identity;
mod server;

pub use server::{Behind, Builder, Foundation, Server, StartError, Starting};
