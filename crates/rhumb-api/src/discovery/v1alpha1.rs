//! `discovery.k8s.io/v1alpha1`.

use std::collections::BTreeMap;

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::core::v1::{ObjectReference, PROTOCOLS};

pub use super::v1::EndpointConditions;

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::Endpoint)]
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
    pub topology: BTreeMap<String, String>,
    #[field(6)]
    pub node_name: Option<String>,
}

#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::EndpointPort)]
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

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::EndpointSlice)]
pub struct EndpointSlice {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(4, required)]
    pub address_type: String,
    #[field(2, required, list = "atomic")]
    pub endpoints: Vec<Endpoint>,
    #[field(3, shown, list = "atomic")]
    pub ports: Vec<EndpointPort>,
}

#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::EndpointSliceList)]
pub struct EndpointSliceList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<EndpointSlice>,
}
