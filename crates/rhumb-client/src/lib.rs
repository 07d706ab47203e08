//! Client library for Kubernetes API servers.
//!
//! - [`config`]: kubeconfig files, in-cluster configuration, and what they come to: a [`Config`].
//! - [`rest`]: the [`Client`] and its requests. Everything below goes through it.
//! - [`remote`]: commands in containers and ports of pods.
//! - [`Api`]: get, list, watch, create, update, patch, apply and delete of one resource, typed or not;
//!   [`clientset`] names every built-in one.
//! - [`discovery`]: what a server serves, kept in memory or on disk, and the mapper made from it.
//! - [`informer`]: a local copy of a resource that follows the server, with indexes and handlers.
//! - [`controller`]: reconcilers, leader election, events.
//! - [`certificate`]: certificates that the cluster signs, asked for and renewed.
//!
//! ```no_run
//! use rhumb_client::Client;
//! use rhumb_meta::v1::ListOptions;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::infer().await?;
//! for pod in client.core_v1().pods("default").list(&ListOptions::default()).await? {
//!     println!("{} is {}", pod.metadata.name, pod.status.phase);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `docs/client.md` in the repository is the guide, with a table of names for those who know client-go or `kube`; the
//! programs under `examples/client/` are the ones it shows.

pub mod api;
pub mod certificate;
pub mod clientset;
pub mod config;
pub mod controller;
pub mod discovery;
mod error;
pub mod informer;
mod object;
pub mod remote;
pub mod rest;

pub use api::{
    Answer, Api, ItemStream, PageStream, Patch, Readable, ScaleApi, Subresource, from_unstructured,
    to_unstructured,
};
pub use config::{Config, ConfigError};
pub use error::Error;
pub use object::{List, WatchEvent};
pub use rest::{
    ByteStream, Client, Duplex, PatchKind, Relayed, Request, Response, Switched, WatchStream, WebSocket,
};

/// Examples of the README and the guide, compiled and run as doc tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/client.md")]
    struct Guide;
}
