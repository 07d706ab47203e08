//! `discovery.k8s.io/v1beta1`: node and zone of an endpoint stand in its topology.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::{Convert, ConvertError, Scope};

use super::v1::ADDRESS_TYPES;
use super::{topology, v1};
use crate::core::v1::ObjectReference;

pub use super::v1::{EndpointConditions, EndpointHints, EndpointPort, ForNode, ForZone};

/// A part of the endpoints of a service. The label `kubernetes.io/service-name` says of which.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::EndpointSlice)]
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
    #[field(2, required, list = "atomic")]
    pub endpoints: Vec<Endpoint>,
    /// The ports that every endpoint of this slice has.
    #[field(3, shown, list = "atomic")]
    #[convert(same)]
    pub ports: Vec<EndpointPort>,
}

/// One backend of a service.
#[derive(Clone, Default, Schema)]
pub struct Endpoint {
    /// Its addresses, of the slice's type.
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
    /// Where it runs: `kubernetes.io/hostname`, `topology.kubernetes.io/zone` and other labels.
    #[field(5)]
    pub topology: BTreeMap<String, String>,
    /// The node that it runs on.
    #[field(6)]
    pub node_name: Option<String>,
    /// Who had best use it.
    #[field(7)]
    pub hints: Option<Box<EndpointHints>>,
}

/// A list of EndpointSlices.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::EndpointSliceList)]
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

impl Convert<v1::Endpoint> for Endpoint {
    fn convert(self, _scope: &Scope) -> Result<v1::Endpoint, ConvertError> {
        let Endpoint { addresses, conditions, hostname, target_ref, topology, node_name, hints } = self;
        let (deprecated_topology, zone) = topology::split(topology, node_name.as_deref());
        Ok(v1::Endpoint {
            addresses,
            conditions,
            hostname,
            target_ref,
            deprecated_topology,
            node_name,
            zone,
            hints,
        })
    }
}

impl Convert<Endpoint> for v1::Endpoint {
    fn convert(self, _scope: &Scope) -> Result<Endpoint, ConvertError> {
        let v1::Endpoint {
            addresses,
            conditions,
            hostname,
            target_ref,
            deprecated_topology,
            node_name,
            zone,
            hints,
        } = self;
        let topology = topology::join(deprecated_topology, node_name.as_deref(), zone);
        Ok(Endpoint { addresses, conditions, hostname, target_ref, topology, node_name, hints })
    }
}
