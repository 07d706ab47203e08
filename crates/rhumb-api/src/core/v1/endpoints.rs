//! Endpoints: the addresses behind a service, in their old form. EndpointSlices took their place.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use super::*;

/// An address behind a service.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct EndpointAddress {
    /// Its IP address. Not a loopback, link-local or link-local multicast one.
    #[field(1, required)]
    pub ip: String,
    /// Its name in DNS below the service's.
    #[field(3)]
    pub hostname: String,
    /// The node it's on.
    #[field(4)]
    pub node_name: Option<String>,
    /// The object that has the address, mostly a pod.
    #[field(2)]
    pub target_ref: Option<Box<ObjectReference>>,
}

/// A port behind a service.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct EndpointPort {
    /// The name that the service gives it. Only a single port may go without.
    #[field(1)]
    pub name: String,
    /// Its number.
    #[field(2, required)]
    pub port: i32,
    /// TCP (the default), UDP or SCTP.
    #[field(3, values = PROTOCOLS)]
    pub protocol: String,
    /// What is spoken on it, such as http or kubernetes.io/h2c, as a hint for implementations.
    #[field(4)]
    pub app_protocol: Option<String>,
}

/// Addresses that have the same ports. Each address has every one of the ports.
#[derive(Clone, Default, Schema)]
pub struct EndpointSubset {
    /// The addresses that are ready for traffic.
    #[field(1, list = "atomic")]
    pub addresses: Vec<EndpointAddress>,
    /// The addresses that get no traffic as yet, because they start or failed a check.
    #[field(2, list = "atomic")]
    pub not_ready_addresses: Vec<EndpointAddress>,
    /// The ports of all the addresses.
    #[field(3, list = "atomic")]
    pub ports: Vec<EndpointPort>,
}

/// The addresses behind the service of the same name. Deprecated: use discovery.k8s.io EndpointSlices.
#[derive(Clone, Default, Schema, Object)]
pub struct Endpoints {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The addresses, by the ports that they have.
    #[field(2, list = "atomic")]
    pub subsets: Vec<EndpointSubset>,
}

/// A list of Endpoints objects.
#[derive(Clone, Default, Schema, Object)]
pub struct EndpointsList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<Endpoints>,
}
