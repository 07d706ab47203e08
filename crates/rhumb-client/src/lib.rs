//! A client of Kubernetes API servers.
//!
//! - [`config`]: kubeconfig files, in-cluster configuration, and what they come to: a [`Config`].
//! - [`rest`]: the [`Client`] and its requests. Everything below goes through it.
//! - [`remote`]: commands in containers and ports of pods.
//! - [`Api`]: get, list, watch, create, update, patch, apply and delete of one resource, typed or not;
//!   [`clientset`] names every built-in one.
//! - [`discovery`]: what a server serves, kept in memory or on disk, and the mapper made from it.
//! - [`informer`]: a local copy of a resource that follows the server, with indexes and handlers.
//! - [`controller`]: reconcilers, leader election, events.

pub mod api;
pub mod clientset;
pub mod config;
pub mod controller;
mod error;
pub mod informer;
mod object;
pub mod remote;
pub mod rest;

pub use api::{
    Answer, Api, ItemStream, PageStream, Patch, Readable, ScaleApi, Subresource, from_unstructured, to_unstructured,
};
pub use config::{Config, ConfigError};
pub use error::Error;
pub use object::{List, WatchEvent};
pub use rest::{ByteStream, Client, PatchKind, Request, Response, WatchStream, WebSocket};
