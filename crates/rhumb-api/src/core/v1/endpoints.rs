//! Endpointss in `v1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use super::*;

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct EndpointAddress {
    #[field(1, required)]
    pub ip: String,
    #[field(3)]
    pub hostname: String,
    #[field(4)]
    pub node_name: Option<String>,
    #[field(2)]
    pub target_ref: Option<Box<ObjectReference>>,
}

#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct EndpointPort {
    #[field(1)]
    pub name: String,
    #[field(2, required)]
    pub port: i32,
    #[field(3, values = PROTOCOLS)]
    pub protocol: String,
    #[field(4)]
    pub app_protocol: Option<String>,
}

#[derive(Clone, Default, Schema)]
pub struct EndpointSubset {
    #[field(1, list = "atomic")]
    pub addresses: Vec<EndpointAddress>,
    #[field(2, list = "atomic")]
    pub not_ready_addresses: Vec<EndpointAddress>,
    #[field(3, list = "atomic")]
    pub ports: Vec<EndpointPort>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct Endpoints {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, list = "atomic")]
    pub subsets: Vec<EndpointSubset>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct EndpointsList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<Endpoints>,
}
