//! The addresses that services have, and the ranges they come from.

use rhumb_meta::Object;
use rhumb_meta::v1::{Condition, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

/// One IP address that is in use, named by the address itself.
#[derive(Clone, Default, Schema, Object)]
pub struct IPAddress {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Name, labels and the like. The name is the address in its canonical form.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// Who uses the address.
    #[field(2, required_omitempty)]
    pub spec: IPAddressSpec,
}

/// What an IPAddress says of itself.
#[derive(Clone, Default, Schema)]
pub struct IPAddressSpec {
    /// The object that holds the address. It can't be changed.
    #[field(1, required_omitempty)]
    pub parent_ref: Option<Box<ParentReference>>,
}

/// A list of IPAddresses.
#[derive(Clone, Default, Schema, Object)]
pub struct IPAddressList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<IPAddress>,
}

/// The object that an address belongs to.
#[derive(Clone, Default, Schema)]
pub struct ParentReference {
    /// Its API group, empty for the core group.
    #[field(1)]
    pub group: String,
    /// Its resource in the plural, such as `services`.
    #[field(2, required_omitempty)]
    pub resource: String,
    /// The namespace it is in, if it is in one.
    #[field(3)]
    pub namespace: String,
    /// The name of the object.
    #[field(4, required_omitempty)]
    pub name: String,
}

/// Ranges of addresses from which services get theirs.
#[derive(Clone, Default, Schema, Object)]
pub struct ServiceCIDR {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The ranges.
    #[field(2)]
    pub spec: ServiceCIDRSpec,
    /// Whether the ranges are in use, as the controller saw it last.
    #[field(3)]
    pub status: ServiceCIDRStatus,
}

/// The ranges of a ServiceCIDR.
#[derive(Clone, Default, Schema)]
pub struct ServiceCIDRSpec {
    /// One range, or one of IPv4 and one of IPv6 for dual stack. A second may be added later, none changed.
    #[field(1, list = "atomic")]
    pub cidrs: Vec<String>,
}

/// The state of a ServiceCIDR.
#[derive(Clone, Default, Schema)]
pub struct ServiceCIDRStatus {
    /// `Ready` says whether addresses can be had from the ranges.
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}

/// A list of ServiceCIDRs.
#[derive(Clone, Default, Schema, Object)]
pub struct ServiceCIDRList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<ServiceCIDR>,
}
