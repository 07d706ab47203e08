//! `discovery.k8s.io/v1`: slices of the endpoints of a service.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use crate::core::v1::{ObjectReference, PROTOCOLS};

/// The values that an `AddressType` has.
pub const ADDRESS_TYPES: &[&str] = &["IPv4", "IPv6", "FQDN"];

/// A part of the endpoints of a service. The label `kubernetes.io/service-name` says of which.
#[derive(Clone, Default, Schema, Object)]
pub struct EndpointSlice {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the addresses of this slice are: `IPv4`, `IPv6` or `FQDN`. It can't be changed.
    #[field(4, required, values = ADDRESS_TYPES)]
    pub address_type: String,
    /// The endpoints, at most 1000.
    #[field(2, shown, list = "atomic")]
    pub endpoints: Vec<Endpoint>,
    /// The ports that every endpoint of this slice has; without a port number all of them, in whatever way that is
    /// understood.
    #[field(3, shown, list = "atomic")]
    pub ports: Vec<EndpointPort>,
}

/// One backend of a service.
#[derive(Clone, Default, Schema)]
pub struct Endpoint {
    /// Its addresses, of the slice's type. They mean the same backend, and consumers use the first.
    #[field(1, required, list = "set")]
    pub addresses: Vec<String>,
    /// Whether it is ready, serving, terminating.
    #[field(2)]
    pub conditions: EndpointConditions,
    /// A name by which DNS tells the endpoints of a service apart.
    #[field(3)]
    pub hostname: Option<String>,
    /// The object that the endpoint stands for, mostly a pod.
    #[field(4)]
    pub target_ref: Option<Box<ObjectReference>>,
    /// What v1beta1 had in `topology` beyond node and zone. It can't be set in this version.
    #[field(5)]
    pub deprecated_topology: BTreeMap<String, String>,
    /// The node that it runs on.
    #[field(6)]
    pub node_name: Option<String>,
    /// The zone that it is in.
    #[field(7)]
    pub zone: Option<String>,
    /// Who had best use it.
    #[field(8)]
    pub hints: Option<Box<EndpointHints>>,
}

/// The state of an endpoint.
#[derive(Clone, Default, Schema)]
pub struct EndpointConditions {
    /// Whether it takes traffic; what isn't said counts as ready. An endpoint that terminates is not.
    #[field(1)]
    pub ready: Option<bool>,
    /// Whether it could take traffic, even while it terminates.
    #[field(2)]
    pub serving: Option<bool>,
    /// Whether it is about to end.
    #[field(3)]
    pub terminating: Option<bool>,
}

/// Who had best use an endpoint.
#[derive(Clone, Default, Schema)]
pub struct EndpointHints {
    /// Clients in these zones, at most 8.
    #[field(1, list = "atomic")]
    pub for_zones: Vec<ForZone>,
    /// Clients on these nodes, at most 8.
    #[field(2, list = "atomic")]
    pub for_nodes: Vec<ForNode>,
}

/// A zone whose clients had best use an endpoint.
#[derive(Clone, Default, Schema)]
pub struct ForZone {
    #[field(1, required)]
    pub name: String,
}

/// A node whose clients had best use an endpoint.
#[derive(Clone, Default, Schema)]
pub struct ForNode {
    #[field(1, required)]
    pub name: String,
}

/// A port that every endpoint of a slice has.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct EndpointPort {
    /// Its name, the only one of its kind in the slice; empty if it isn't said.
    #[field(1)]
    pub name: Option<String>,
    /// `TCP`, `UDP` or `SCTP`; `TCP` if it isn't said.
    #[field(2, values = PROTOCOLS)]
    pub protocol: Option<String>,
    /// Its number.
    #[field(3)]
    pub port: Option<i32>,
    /// What is spoken on it, such as `http` or `kubernetes.io/h2c`.
    #[field(4)]
    pub app_protocol: Option<String>,
}

/// A list of EndpointSlices.
#[derive(Clone, Default, Schema, Object)]
pub struct EndpointSliceList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<EndpointSlice>,
}
