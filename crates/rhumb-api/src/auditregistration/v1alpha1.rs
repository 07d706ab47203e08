//! `auditregistration.k8s.io/v1alpha1`: where audit events are sent; Kubernetes has given it up.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::{ByteString, Schema};

/// A place that audit events are sent to.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct AuditSink {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: AuditSinkSpec,
}

/// A list of audit sinks.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct AuditSinkList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<AuditSink>,
}

/// Which events are sent, and where.
#[derive(Clone, Default, Schema)]
pub struct AuditSinkSpec {
    /// Which events are sent.
    #[field(1, required)]
    pub policy: Policy,
    /// Where they are sent.
    #[field(2, required)]
    pub webhook: Webhook,
}

/// Which events are sent.
#[derive(Clone, Default, Schema)]
pub struct Policy {
    /// How much of a request is told: None, Metadata, Request or RequestResponse.
    #[field(1, required)]
    pub level: String,
    /// When events are made: RequestReceived, ResponseStarted, ResponseComplete, Panic.
    #[field(2, shown)]
    pub stages: Vec<String>,
}

/// A service that takes audit events.
#[derive(Clone, Default, Schema)]
pub struct ServiceReference {
    #[field(1, required)]
    pub namespace: String,
    #[field(2, required)]
    pub name: String,
    /// The path of the URL that events go to.
    #[field(3)]
    pub path: Option<String>,
    /// The service's port. Defaults to 443.
    #[field(4)]
    pub port: Option<i32>,
}

/// Where events are sent, and how many.
#[derive(Clone, Default, Schema)]
pub struct Webhook {
    /// How many events are sent at most.
    #[field(1)]
    pub throttle: Option<Box<WebhookThrottleConfig>>,
    /// Where they are sent.
    #[field(2, required)]
    pub client_config: WebhookClientConfig,
}

/// Where the webhook is: a URL or a service of the cluster.
#[derive(Clone, Default, Schema)]
pub struct WebhookClientConfig {
    /// The address. Either this or a service is given.
    #[field(1)]
    pub url: Option<String>,
    /// The service. Either this or a URL is given.
    #[field(2)]
    pub service: Option<Box<ServiceReference>>,
    /// Certificates in PEM that the webhook's own must be signed by.
    #[field(3)]
    pub ca_bundle: ByteString,
}

/// How many batches of events are sent.
#[derive(Clone, Default, Schema)]
pub struct WebhookThrottleConfig {
    /// Batches per second on average. Defaults to 10.
    #[field(1)]
    pub qps: Option<i64>,
    /// Batches at the same moment. Defaults to 15.
    #[field(2)]
    pub burst: Option<i64>,
}
