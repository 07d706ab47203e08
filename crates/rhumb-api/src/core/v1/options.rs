//! What is said to a node, pod or service beside the object itself: bindings, and the options of calls.

use rhumb_meta::v1::{ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

use super::*;

/// Puts a pod onto a node. It's sent to the binding subresource of pods.
#[derive(Clone, Default, Schema, Object)]
pub struct Binding {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The node.
    #[field(2, required)]
    pub target: ObjectReference,
}

/// Options of a call that a node's kubelet answers.
#[derive(Clone, Default, Schema, Object)]
pub struct NodeProxyOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The path of the call.
    #[field(1)]
    pub path: String,
}

/// Options of attaching to a running container.
#[derive(Clone, Default, Schema, Object)]
pub struct PodAttachOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Whether input is passed to it.
    #[field(1)]
    pub stdin: bool,
    /// Whether its output is passed back. Defaults to true.
    #[field(2)]
    pub stdout: bool,
    /// Whether its error output is passed back. Defaults to true.
    #[field(3)]
    pub stderr: bool,
    /// Whether it has a terminal.
    #[field(4)]
    pub tty: bool,
    /// Which container. Defaults to the only one.
    #[field(5)]
    pub container: String,
}

/// Options of running a command in a container.
#[derive(Clone, Default, Schema, Object)]
pub struct PodExecOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Whether input is passed to it.
    #[field(1)]
    pub stdin: bool,
    /// Whether its output is passed back.
    #[field(2)]
    pub stdout: bool,
    /// Whether its error output is passed back.
    #[field(3)]
    pub stderr: bool,
    /// Whether it gets a terminal.
    #[field(4)]
    pub tty: bool,
    /// Which container. Defaults to the only one.
    #[field(5)]
    pub container: String,
    /// The program and its arguments. No shell is involved.
    #[field(6, required, list = "atomic")]
    pub command: Vec<String>,
}

/// Options of reading the log of a container.
#[derive(Clone, Default, Schema, Object)]
pub struct PodLogOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Which container. Defaults to the only one.
    #[field(1)]
    pub container: String,
    /// Whether to go on as more is logged.
    #[field(2)]
    pub follow: bool,
    /// Whether to read the log of the run before the last restart.
    #[field(3)]
    pub previous: bool,
    /// Only what is younger than so many seconds. Not with sinceTime.
    #[field(4)]
    pub since_seconds: Option<i64>,
    /// Only what was logged after this time. Not with sinceSeconds.
    #[field(5)]
    pub since_time: Option<Time>,
    /// Whether each line starts with its time.
    #[field(6)]
    pub timestamps: bool,
    /// Only so many lines from the end.
    #[field(7)]
    pub tail_lines: Option<i64>,
    /// No more than so many bytes.
    #[field(8)]
    pub limit_bytes: Option<i64>,
    /// Whether to trust the kubelet without checking its certificate.
    #[field(9, json = "insecureSkipTLSVerifyBackend")]
    pub insecure_skip_tls_verify_backend: bool,
    /// All, Stdout or Stderr.
    #[field(10)]
    pub stream: Option<String>,
}

/// Options of forwarding ports to a pod.
#[derive(Clone, Default, Schema, Object)]
pub struct PodPortForwardOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The pod's ports, for clients that can't name them later.
    #[field(1, list = "atomic")]
    pub ports: Vec<i32>,
}

/// Options of a call that a pod answers.
#[derive(Clone, Default, Schema, Object)]
pub struct PodProxyOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The path of the call.
    #[field(1)]
    pub path: String,
}

/// Options of a call that a service answers.
#[derive(Clone, Default, Schema, Object)]
pub struct ServiceProxyOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The path of the call, behind the service's own.
    #[field(1)]
    pub path: String,
}
