//! `apidiscovery.k8s.io/v2beta1`: the same document as in `v2`, for clients that ask for the older version.

pub use super::v2::{
    APIGroupDiscovery, APIGroupDiscoveryList, APIResourceDiscovery, APISubresourceDiscovery,
    APIVersionDiscovery, DISCOVERY_FRESHNESS, RESOURCE_SCOPES,
};
