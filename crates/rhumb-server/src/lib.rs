//! The API server as a library.

mod admission;
pub mod api;
mod bootstrap;
mod call;
mod controllers;
mod discovery;
mod documents;
pub mod environment;
pub mod failure;
pub mod identity;
mod inner;
mod managed;
mod request;
mod resource;
mod respond;
mod subresource;
mod tasks;
mod verbs;

pub use api::{Api, ApiOptions};
pub use environment::Environment;
pub use failure::Failure;
pub use respond::{Answer, Body};
