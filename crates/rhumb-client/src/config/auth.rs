//! Authentication settings of a client.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::Secret;

/// Credentials of a client, beside a client certificate, which is part of [`TlsConfig`](super::TlsConfig).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Auth {
    /// Not at all, or by certificate alone.
    #[default]
    None,
    /// A bearer token.
    Token(Secret),
    /// A bearer token from a file, which is read again from time to time.
    TokenFile(PathBuf),
    /// A name and a password.
    Basic {
        /// The name.
        username: String,
        /// The password.
        password: Secret,
    },
    /// Credentials from an exec plugin.
    Exec(Box<ExecConfig>),
}

/// Version of `client.authentication.k8s.io` for an exec plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecVersion {
    /// `client.authentication.k8s.io/v1`
    V1,
    /// `client.authentication.k8s.io/v1beta1`
    V1Beta1,
}

impl ExecVersion {
    /// Parses an API version, if it is supported.
    pub fn parse(api_version: &str) -> Option<Self> {
        [ExecVersion::V1, ExecVersion::V1Beta1]
            .into_iter()
            .find(|version| version.api_version() == api_version)
    }

    /// Returns the API version with its group.
    pub fn api_version(self) -> &'static str {
        match self {
            ExecVersion::V1 => "client.authentication.k8s.io/v1",
            ExecVersion::V1Beta1 => "client.authentication.k8s.io/v1beta1",
        }
    }
}

/// Whether an exec plugin may read standard input to ask the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InteractiveMode {
    /// Standard input is not passed on.
    Never,
    /// Standard input is passed on if it is a terminal.
    #[default]
    IfAvailable,
    /// Standard input is required.
    Always,
}

impl InteractiveMode {
    /// Parses a mode by its name in kubeconfig.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "Never" => Some(InteractiveMode::Never),
            "IfAvailable" => Some(InteractiveMode::IfAvailable),
            "Always" => Some(InteractiveMode::Always),
            _ => None,
        }
    }
}

/// Which exec plugins may run. A kubeconfig file can't set it, because it may come from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginPolicy {
    /// All programs.
    #[default]
    AllowAll,
    /// None.
    DenyAll,
    /// Programs on the list: paths, or names that are looked up in `PATH`.
    Allowlist(Vec<String>),
}

/// An exec plugin: a program that provides credentials.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExecConfig {
    /// The program: a path, or a name to look for in `PATH`.
    pub command: String,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Additional environment variables.
    pub env: Vec<ExecEnvVar>,
    /// API version for the plugin.
    pub version: ExecVersion,
    /// Hint for users who lack the program.
    pub install_hint: String,
    /// Whether it is told which cluster it is asked for.
    pub provide_cluster_info: bool,
    /// Whether it may ask a person.
    pub interactive_mode: InteractiveMode,
    /// Value of the cluster's extension `client.authentication.k8s.io/exec`, as JSON.
    pub cluster_config: Option<String>,
    /// Whether it may be run at all.
    pub policy: PluginPolicy,
    /// Whether standard input is there for it.
    pub standard_input: StandardInput,
}

impl ExecConfig {
    /// Creates a plugin without arguments, for v1, that may ask the user.
    pub fn new(command: impl Into<String>) -> Self {
        ExecConfig {
            command: command.into(),
            args: Vec::new(),
            env: Vec::new(),
            version: ExecVersion::V1,
            install_hint: String::new(),
            provide_cluster_info: false,
            interactive_mode: InteractiveMode::default(),
            cluster_config: None,
            policy: PluginPolicy::default(),
            standard_input: StandardInput::default(),
        }
    }
}

/// Whether standard input is available to exec plugins or used by the program. Clones share the state, because it may
/// be known only after a client was created.
#[derive(Clone, Debug, Default)]
pub struct StandardInput(Arc<OnceLock<String>>);

impl StandardInput {
    /// Marks standard input as used, with the user's name; the first call counts.
    pub fn occupy(&self, by: impl Into<String>) {
        self.0.get_or_init(|| by.into());
    }

    /// Returns the user of standard input, if there is one.
    pub fn occupied_by(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// Environment variable of an exec plugin. `Debug` doesn't show its value.
#[derive(Clone, PartialEq, Eq)]
pub struct ExecEnvVar {
    /// Name of the variable.
    pub name: String,
    /// Value of the variable.
    pub value: String,
}

impl fmt::Debug for ExecEnvVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecEnvVar").field("name", &self.name).finish_non_exhaustive()
    }
}

/// User to impersonate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impersonate {
    /// The user's name; the others are only sent with it.
    pub user: String,
    /// The user's uid; empty for none.
    pub uid: String,
    /// The user's groups.
    pub groups: Vec<String>,
    /// Extra attributes of the user.
    pub extra: BTreeMap<String, Vec<String>>,
}
