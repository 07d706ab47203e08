//! Input and output of exec plugins: the group `client.authentication.k8s.io`, whose versions v1 and v1beta1 are
//! alike.

use rhumb_meta::Time;
use rhumb_schema::{ByteString, RawJson, Schema};

use crate::config::kubeconfig::SecretText;

#[derive(Clone, Default, Schema)]
pub(super) struct ExecCredential {
    #[field(0)]
    pub(super) kind: String,
    #[field(0)]
    pub(super) api_version: String,
    #[field(0)]
    pub(super) spec: ExecCredentialSpec,
    #[field(0)]
    pub(super) status: Option<ExecCredentialStatus>,
}

#[derive(Clone, Default, Schema)]
pub(super) struct ExecCredentialSpec {
    #[field(0)]
    pub(super) cluster: Option<Cluster>,
    #[field(0, required)]
    pub(super) interactive: bool,
}

#[derive(Clone, Default, Schema)]
pub(super) struct ExecCredentialStatus {
    #[field(0)]
    pub(super) expiration_timestamp: Option<Time>,
    #[field(0)]
    pub(super) token: SecretText,
    #[field(0)]
    pub(super) client_certificate_data: String,
    #[field(0)]
    pub(super) client_key_data: SecretText,
}

#[derive(Clone, Default, Schema)]
pub(super) struct Cluster {
    #[field(0, required)]
    pub(super) server: String,
    #[field(0, json = "tls-server-name")]
    pub(super) tls_server_name: String,
    #[field(0, json = "insecure-skip-tls-verify")]
    pub(super) insecure_skip_tls_verify: bool,
    #[field(0, json = "certificate-authority-data")]
    pub(super) certificate_authority_data: ByteString,
    #[field(0, json = "proxy-url")]
    pub(super) proxy_url: String,
    #[field(0, json = "disable-compression")]
    pub(super) disable_compression: bool,
    #[field(0)]
    pub(super) config: RawJson,
}
