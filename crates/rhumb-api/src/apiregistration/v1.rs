//! `apiregistration.k8s.io/v1`.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::{ByteString, Schema};

#[derive(Clone, Default, Schema, Object)]
pub struct APIService {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: APIServiceSpec,
    #[field(3)]
    pub status: APIServiceStatus,
}

#[derive(Clone, Default, Schema)]
pub struct APIServiceCondition {
    #[field(1, required)]
    pub type_: String,
    #[field(2, required)]
    pub status: String,
    #[field(3)]
    pub last_transition_time: Time,
    #[field(4)]
    pub reason: String,
    #[field(5)]
    pub message: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct APIServiceList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<APIService>,
}

#[derive(Clone, Default, Schema)]
pub struct APIServiceSpec {
    #[field(1)]
    pub service: Option<Box<ServiceReference>>,
    #[field(2)]
    pub group: String,
    #[field(3)]
    pub version: String,
    #[field(4, json = "insecureSkipTLSVerify")]
    pub insecure_skip_tls_verify: bool,
    #[field(5, list = "atomic")]
    pub ca_bundle: ByteString,
    #[field(7, required)]
    pub group_priority_minimum: i32,
    #[field(8, required)]
    pub version_priority: i32,
}

#[derive(Clone, Default, Schema)]
pub struct APIServiceStatus {
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<APIServiceCondition>,
}

#[derive(Clone, Default, Schema)]
pub struct ServiceReference {
    #[field(1)]
    pub namespace: String,
    #[field(2)]
    pub name: String,
    #[field(3)]
    pub port: Option<i32>,
}
