//! Discovery: what a server serves, with caches.
//!
//! - [`DiscoveryClient`] asks the server: groups, versions and resources in two requests where the server has the
//!   aggregated form, else in one per group version; its version; its OpenAPI documents.
//! - [`CachedDiscovery`] keeps the answers in a [`DiscoveryCache`]: in memory ([`MemoryCache`]) or in kubectl's files
//!   ([`DiskCache`]), which kubectl reads and writes as well.
//! - [`DeferredMapper`] finds resources by kind, name or short name, and asks the server again when one is missing.
//!
//! A group whose server is down hides no other: it is told beside them ([`ServerResources::failed`]).
//!
//! ```no_run
//! use rhumb_client::Client;
//! use rhumb_client::discovery::{CachedDiscovery, DeferredMapper};
//! use rhumb_meta::GroupVersionResource;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::infer().await?;
//! let mapper = DeferredMapper::new(CachedDiscovery::in_memory(&client));
//! let deployments = mapper.resource_for(&GroupVersionResource::new("", "", "deploy")).await?;
//! assert_eq!(deployments.to_string(), "apps/v1, Resource=deployments");
//! # Ok(())
//! # }
//! ```

mod aggregated;
mod cache;
mod cached;
mod client;
mod disk;
mod http_cache;
mod mapper;
mod openapi;
mod replace;
mod resources;
#[cfg(test)]
mod tests;
mod version;

pub use cache::{DiscoveryCache, MemoryCache};
pub use cached::CachedDiscovery;
pub use client::DiscoveryClient;
pub use disk::DiskCache;
pub use http_cache::HttpCache;
pub use mapper::{DeferredMapper, Mappings};
pub use openapi::{OpenApiForm, OpenApiV3, OpenApiV3Path};
pub use resources::{DiscoveryFailed, FailedVersion, ServerResources, VersionFailure};
pub use version::VersionInfo;
