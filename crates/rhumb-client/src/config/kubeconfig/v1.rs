//! Types of the kubeconfig file, named as in Kubernetes, whose errors contain the names.

use std::collections::BTreeMap;

use rhumb_schema::{ByteString, RawJson, Schema};

use super::SecretText;

/// A kubeconfig file as it stands on disk.
#[derive(Clone, Default, Schema)]
pub(super) struct Config {
    #[field(0)]
    pub(super) kind: String,
    #[field(0)]
    pub(super) api_version: String,
    #[field(0)]
    pub(super) preferences: Option<Preferences>,
    #[field(0, required)]
    pub(super) clusters: Vec<NamedCluster>,
    #[field(0, required)]
    pub(super) users: Vec<NamedAuthInfo>,
    #[field(0, required)]
    pub(super) contexts: Vec<NamedContext>,
    #[field(0, required, json = "current-context")]
    pub(super) current_context: String,
    #[field(0)]
    pub(super) extensions: Vec<NamedExtension>,
}

#[derive(Clone, Default, Schema)]
pub(super) struct NamedCluster {
    #[field(0, required)]
    pub(super) name: String,
    #[field(0, required)]
    pub(super) cluster: Cluster,
}

#[derive(Clone, Default, Schema)]
pub(super) struct NamedAuthInfo {
    #[field(0, required)]
    pub(super) name: String,
    #[field(0, required)]
    pub(super) user: AuthInfo,
}

#[derive(Clone, Default, Schema)]
pub(super) struct NamedContext {
    #[field(0, required)]
    pub(super) name: String,
    #[field(0, required)]
    pub(super) context: Context,
}

/// What a person prefers. Nothing reads it any more.
#[derive(Clone, Default, Schema)]
pub struct Preferences {
    #[allow(missing_docs)]
    #[field(0)]
    pub colors: bool,
    /// What others have put there, in the order of the names.
    #[field(0)]
    pub extensions: Vec<NamedExtension>,
}

/// Something that is not for Kubernetes' clients, kept as it stands.
#[derive(Clone, Default, Schema)]
pub struct NamedExtension {
    /// Whose it is.
    #[field(0, required)]
    pub name: String,
    /// What it is.
    #[field(0, required)]
    pub extension: RawJson,
}

/// How to reach a cluster.
#[derive(Clone, Default, Schema)]
pub struct Cluster {
    /// The address of the API server.
    #[field(0, required)]
    pub server: String,
    /// The name to expect in the server's certificate, if it is not that of the host.
    #[field(0, json = "tls-server-name")]
    pub tls_server_name: String,
    /// Whether to trust any server.
    #[field(0, json = "insecure-skip-tls-verify")]
    pub insecure_skip_tls_verify: bool,
    /// A file with the authorities to trust.
    #[field(0, json = "certificate-authority")]
    pub certificate_authority: String,
    /// The authorities to trust, in PEM.
    #[field(0, json = "certificate-authority-data")]
    pub certificate_authority_data: ByteString,
    /// The proxy to go through.
    #[field(0, json = "proxy-url")]
    pub proxy_url: String,
    /// Whether the server shall not compress its answers.
    #[field(0, json = "disable-compression")]
    pub disable_compression: bool,
    /// What others have put there, in the order of the names.
    #[field(0)]
    pub extensions: Vec<NamedExtension>,
}

/// Who a user is.
#[derive(Clone, Default, Schema)]
pub struct AuthInfo {
    /// A file with a certificate.
    #[field(0, json = "client-certificate")]
    pub client_certificate: String,
    /// A certificate, in PEM.
    #[field(0, json = "client-certificate-data")]
    pub client_certificate_data: ByteString,
    /// A file with the certificate's key.
    #[field(0, json = "client-key")]
    pub client_key: String,
    /// The certificate's key, in PEM.
    #[field(0, json = "client-key-data")]
    pub client_key_data: ByteString,
    /// A bearer token.
    #[field(0)]
    pub token: SecretText,
    /// A file with a bearer token, which goes before `token`.
    #[field(0)]
    pub token_file: String,
    /// Whom to act as.
    #[field(0, json = "as")]
    pub impersonate: String,
    /// The uid to act as.
    #[field(0, json = "as-uid")]
    pub impersonate_uid: String,
    /// The groups to act as.
    #[field(0, json = "as-groups")]
    pub impersonate_groups: Vec<String>,
    /// What else there is about the user to act as.
    #[field(0, json = "as-user-extra")]
    pub impersonate_user_extra: BTreeMap<String, Vec<String>>,
    /// The name for basic authentication.
    #[field(0)]
    pub username: String,
    /// The password for basic authentication.
    #[field(0)]
    pub password: SecretText,
    /// A way to authenticate that is built into the client.
    #[field(0, json = "auth-provider")]
    pub auth_provider: Option<AuthProviderConfig>,
    /// A program that says the credentials.
    #[field(0)]
    pub exec: Option<ExecConfig>,
    /// What others have put there, in the order of the names.
    #[field(0)]
    pub extensions: Vec<NamedExtension>,
}

/// A cluster, a user and a namespace that belong together.
#[derive(Clone, Default, Schema)]
pub struct Context {
    /// The name of the cluster.
    #[field(0, required)]
    pub cluster: String,
    /// The name of the user.
    #[field(0, required)]
    pub user: String,
    /// The namespace; `default` if empty.
    #[field(0)]
    pub namespace: String,
    /// What others have put there, in the order of the names.
    #[field(0)]
    pub extensions: Vec<NamedExtension>,
}

/// A way to authenticate that is built into the client.
#[derive(Clone, Default, Schema)]
pub struct AuthProviderConfig {
    /// Its name.
    #[field(0, required)]
    pub name: String,
    /// Its settings, with tokens among them.
    #[field(0, required)]
    pub config: BTreeMap<String, SecretText>,
}

/// A program that says the credentials.
#[derive(Clone, Default, Schema)]
pub struct ExecConfig {
    /// The program: a path, or a name to look for in `PATH`.
    #[field(0, required)]
    pub command: String,
    /// Its arguments.
    #[field(0, required)]
    pub args: Vec<String>,
    /// What is added to its environment.
    #[field(0, required)]
    pub env: Vec<ExecEnvVar>,
    /// The version it is spoken to in, with the group.
    #[field(0)]
    pub api_version: String,
    /// What to tell a person who does not have the program.
    #[field(0)]
    pub install_hint: String,
    /// Whether it is told which cluster it is asked for.
    #[field(0, required)]
    pub provide_cluster_info: bool,
    /// `Never`, `IfAvailable` or `Always`: whether it may ask a person.
    #[field(0)]
    pub interactive_mode: String,
}

/// A variable in the environment of an exec plugin.
#[derive(Clone, Default, Schema)]
pub struct ExecEnvVar {
    /// Its name.
    #[field(0, required)]
    pub name: String,
    /// Its value.
    #[field(0, required)]
    pub value: SecretText,
}
