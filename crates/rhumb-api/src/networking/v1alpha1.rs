//! `networking.k8s.io/v1alpha1`: addresses of services before v1beta1 had them, and ranges for the pods of nodes,
//! which went no further.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use crate::core::v1::NodeSelector;

pub use super::v1::{
    IPAddress, IPAddressList, IPAddressSpec, ParentReference, ServiceCIDR, ServiceCIDRList, ServiceCIDRSpec,
    ServiceCIDRStatus,
};

/// Ranges of addresses that the pods of some nodes get theirs from. Gone since Kubernetes 1.29.
#[derive(Clone, Default, Schema, Object)]
pub struct ClusterCIDR {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The ranges and their nodes.
    #[field(2)]
    pub spec: ClusterCIDRSpec,
}

/// A list of ClusterCIDRs.
#[derive(Clone, Default, Schema, Object)]
pub struct ClusterCIDRList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ClusterCIDR>,
}

/// The ranges of a ClusterCIDR and their nodes. None of it can be changed.
#[derive(Clone, Default, Schema)]
pub struct ClusterCIDRSpec {
    /// The nodes. Without it they are all that no other ClusterCIDR selects.
    #[field(1)]
    pub node_selector: Option<Box<NodeSelector>>,
    /// How many bits of an address tell the pods of a node apart, at least 4.
    #[field(2, required)]
    pub per_node_host_bits: i32,
    /// A range of IPv4, such as `10.0.0.0/8`. There must be this one or that of IPv6.
    #[field(3, json = "ipv4", required)]
    pub ipv4: String,
    /// A range of IPv6, such as `fd12:3456:789a:1::/64`.
    #[field(4, json = "ipv6", required)]
    pub ipv6: String,
}
