//! `auditregistration.k8s.io/v1alpha1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{ByteString, Schema};

#[derive(Clone, Default, Schema, Object)]
pub struct AuditSink {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: AuditSinkSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct AuditSinkList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<AuditSink>,
}

#[derive(Clone, Default, Schema)]
pub struct AuditSinkSpec {
    #[field(1, required)]
    pub policy: Policy,
    #[field(2, required)]
    pub webhook: Webhook,
}

#[derive(Clone, Default, Schema)]
pub struct Policy {
    #[field(1, required)]
    pub level: String,
    #[field(2, shown)]
    pub stages: Vec<String>,
}

#[derive(Clone, Default, Schema)]
pub struct ServiceReference {
    #[field(1, required)]
    pub namespace: String,
    #[field(2, required)]
    pub name: String,
    #[field(3)]
    pub path: Option<String>,
    #[field(4)]
    pub port: Option<i32>,
}

#[derive(Clone, Default, Schema)]
pub struct Webhook {
    #[field(1)]
    pub throttle: Option<Box<WebhookThrottleConfig>>,
    #[field(2, required)]
    pub client_config: WebhookClientConfig,
}

#[derive(Clone, Default, Schema)]
pub struct WebhookClientConfig {
    #[field(1)]
    pub url: Option<String>,
    #[field(2)]
    pub service: Option<Box<ServiceReference>>,
    #[field(3)]
    pub ca_bundle: ByteString,
}

#[derive(Clone, Default, Schema)]
pub struct WebhookThrottleConfig {
    #[field(1)]
    pub qps: Option<i64>,
    #[field(2)]
    pub burst: Option<i64>,
}
