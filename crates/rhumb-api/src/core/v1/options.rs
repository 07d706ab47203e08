//! Optionss in `v1`.

use rhumb_meta::v1::TypeMeta;
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Object)]
pub struct PodAttachOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub stdin: bool,
    #[field(2)]
    pub stdout: bool,
    #[field(3)]
    pub stderr: bool,
    #[field(4)]
    pub tty: bool,
    #[field(5)]
    pub container: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodExecOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub stdin: bool,
    #[field(2)]
    pub stdout: bool,
    #[field(3)]
    pub stderr: bool,
    #[field(4)]
    pub tty: bool,
    #[field(5)]
    pub container: String,
    #[field(6, required, list = "atomic")]
    pub command: Vec<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodLogOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub container: String,
    #[field(2)]
    pub follow: bool,
    #[field(3)]
    pub previous: bool,
    #[field(4)]
    pub since_seconds: Option<i64>,
    #[field(5)]
    pub since_time: Option<Time>,
    #[field(6)]
    pub timestamps: bool,
    #[field(7)]
    pub tail_lines: Option<i64>,
    #[field(8)]
    pub limit_bytes: Option<i64>,
    #[field(9, json = "insecureSkipTLSVerifyBackend")]
    pub insecure_skip_tls_verify_backend: bool,
    #[field(10)]
    pub stream: Option<String>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodPortForwardOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, list = "atomic")]
    pub ports: Vec<i32>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodProxyOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub path: String,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ServiceProxyOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub path: String,
}
