//! Why there is no configuration.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::PathBuf;

use rhumb_codec::CodecError;

/// Why there is no configuration, or none that a client could be made of. The texts are those of kubectl.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// Nothing says which server to talk to.
    Empty,
    /// The parts of the configuration that are used contradict themselves or are not there: all that is wrong.
    Invalid(Vec<String>),
    /// A context, cluster or user that was asked for by name is not there.
    NotFound {
        /// `context`, `cluster` or `auth info`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A kubeconfig file can't be understood.
    Load {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: CodecError,
    },
    /// Kubeconfig bytes that came from no file can't be understood.
    Decode(CodecError),
    /// A file can't be read or written.
    File {
        /// What was tried: `open`, `stat`, `rename`, …
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The server's address can't be used.
    Server(String),
    /// The proxy's address can't be used.
    Proxy(String),
    /// Certificates or keys can't be used.
    Tls(String),
    /// A user has an `auth-provider`. None is built in.
    AuthProvider {
        /// Its name.
        name: String,
    },
    /// Something else about the configuration, in words.
    Other(String),
    /// The environment is not that of a pod.
    NotInCluster,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Empty => f.write_str(
                "invalid configuration: no configuration has been provided, \
                 try setting KUBERNETES_MASTER environment variable",
            ),
            ConfigError::Invalid(problems) => match problems.as_slice() {
                [one] => write!(f, "invalid configuration: {one}"),
                many => write!(f, "invalid configuration: [{}]", many.join(", ")),
            },
            ConfigError::NotFound { what, name } => write!(f, "{what} {name:?} does not exist"),
            ConfigError::Load { path, source } => {
                write!(f, "error loading config file \"{}\": {source}", path.display())
            }
            ConfigError::Decode(source) => write!(f, "{source}"),
            ConfigError::File { operation, path, source } => {
                write!(f, "{operation} {}: {}", path.display(), os_text(source))
            }
            ConfigError::Server(what) | ConfigError::Tls(what) | ConfigError::Other(what) => {
                f.write_str(what)
            }
            ConfigError::Proxy(what) => write!(f, "{what}"),
            ConfigError::AuthProvider { name } => write!(f, "{}", auth_provider_advice(name)),
            ConfigError::NotInCluster => f.write_str(
                "unable to load in-cluster configuration, \
                 KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
            ),
        }
    }
}

impl StdError for ConfigError {}

/// What the system calls an error, as Go's programs print it: without number, beginning small.
pub(super) fn os_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        io::ErrorKind::NotADirectory => "not a directory".to_owned(),
        io::ErrorKind::AlreadyExists => "file exists".to_owned(),
        _ => error.to_string(),
    }
}

fn auth_provider_advice(name: &str) -> String {
    let instead = match name {
        "gcp" => "use the exec plugin gke-gcloud-auth-plugin",
        "azure" => "use the exec plugin kubelogin of Azure (https://github.com/Azure/kubelogin)",
        "oidc" => "use the exec plugin kubelogin (kubectl oidc-login, https://github.com/int128/kubelogin)",
        "openstack" => "use the exec plugin client-keystone-auth",
        _ => "use an exec plugin",
    };
    format!("no Auth Provider found for name \"{name}\": auth providers are not built in, {instead}")
}
