//! `apidiscovery.k8s.io/v2beta1`: the same as `v2`, for older clients.

pub use super::v2::{
    APIGroupDiscovery, APIGroupDiscoveryList, APIResourceDiscovery, APISubresourceDiscovery,
    APIVersionDiscovery, DISCOVERY_FRESHNESS, RESOURCE_SCOPES,
};
