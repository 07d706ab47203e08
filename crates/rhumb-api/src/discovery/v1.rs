//! `discovery.k8s.io/v1`.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use crate::core::v1::{ObjectReference, PROTOCOLS};

#[derive(Clone, Default, Schema)]
pub struct Endpoint {
    #[field(1, required, list = "set")]
    pub addresses: Vec<String>,
    #[field(2)]
    pub conditions: EndpointConditions,
    #[field(3)]
    pub hostname: Option<String>,
    #[field(4)]
    pub target_ref: Option<Box<ObjectReference>>,
    #[field(5)]
    pub deprecated_topology: BTreeMap<String, String>,
    #[field(6)]
    pub node_name: Option<String>,
    #[field(7)]
    pub zone: Option<String>,
    #[field(8)]
    pub hints: Option<Box<EndpointHints>>,
}

#[derive(Clone, Default, Schema)]
pub struct EndpointConditions {
    #[field(1)]
    pub ready: Option<bool>,
    #[field(2)]
    pub serving: Option<bool>,
    #[field(3)]
    pub terminating: Option<bool>,
}

#[derive(Clone, Default, Schema)]
pub struct EndpointHints {
    #[field(1, list = "atomic")]
    pub for_zones: Vec<ForZone>,
    #[field(2, list = "atomic")]
    pub for_nodes: Vec<ForNode>,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct EndpointPort {
    #[field(1)]
    pub name: Option<String>,
    #[field(2, values = PROTOCOLS)]
    pub protocol: Option<String>,
    #[field(3)]
    pub port: Option<i32>,
    #[field(4)]
    pub app_protocol: Option<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct EndpointSlice {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(4, required)]
    pub address_type: String,
    #[field(2, shown, list = "atomic")]
    pub endpoints: Vec<Endpoint>,
    #[field(3, shown, list = "atomic")]
    pub ports: Vec<EndpointPort>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct EndpointSliceList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<EndpointSlice>,
}

#[derive(Clone, Default, Schema)]
pub struct ForNode {
    #[field(1, required)]
    pub name: String,
}

#[derive(Clone, Default, Schema)]
pub struct ForZone {
    #[field(1, required)]
    pub name: String,
}
