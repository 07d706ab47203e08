//! Errors of loading a configuration.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rhumb_schema::text::quoted;

use super::kubeconfig::KubeconfigError;

/// Error of loading a configuration or creating a client from it, in kubectl's words.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// No server is configured.
    Empty,
    /// The parts of the configuration that are used contradict themselves or are not there: all that is wrong.
    Invalid(Vec<String>),
    /// A context, cluster or user that was asked for by name is not there.
    NotFound {
        /// `context`, `cluster` or `auth info`.
        what: &'static str,
        /// Name of the entry.
        name: String,
    },
    /// A kubeconfig file can't be read or understood.
    Load {
        /// The file.
        path: PathBuf,
        /// The error in it.
        source: Box<ConfigError>,
    },
    /// A kubeconfig can't be understood.
    Kubeconfig(KubeconfigError),
    /// Several files can't be read or understood.
    Several(Vec<ConfigError>),
    /// A file can't be read or written.
    File {
        /// Failed operation: `open`, `stat`, `rename`, …
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
        /// Name of the entry.
        name: String,
    },
    /// Something else about the configuration, in words.
    Other(String),
    /// The environment is not that of a pod.
    NotInCluster,
}

impl ConfigError {
    /// Creates the error of reading a file.
    pub(super) fn reading(path: &Path, source: io::Error) -> Self {
        // A directory can be opened; only reading from it fails.
        let operation = if source.kind() == io::ErrorKind::IsADirectory { "read" } else { "open" };
        ConfigError::File { operation, path: path.to_owned(), source }
    }

    /// Returns an error if there are problems, each once.
    pub(super) fn unless_none(problems: Vec<String>) -> Result<(), Self> {
        let mut told: Vec<String> = Vec::new();
        for problem in problems {
            if !told.contains(&problem) {
                told.push(problem);
            }
        }
        if told.is_empty() { Ok(()) } else { Err(ConfigError::Invalid(told)) }
    }

    /// Reports whether a file doesn't exist.
    pub fn is_missing_file(&self) -> bool {
        matches!(self, ConfigError::File { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
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
            ConfigError::NotFound { what, name } => write!(f, "{what} {} does not exist", quoted(name)),
            ConfigError::Load { path, source } => {
                write!(f, "error loading config file \"{}\": {source}", path.display())
            }
            ConfigError::Kubeconfig(source) => write!(f, "{source}"),
            ConfigError::Several(errors) => {
                let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
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

/// Returns the text of a system error as Go prints it: in lower case and without number.
pub fn os_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        io::ErrorKind::NotADirectory => "not a directory".to_owned(),
        io::ErrorKind::AlreadyExists => "file exists".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns kubectl's message for auth providers that were removed, and an alternative for the others.
fn auth_provider_advice(name: &str) -> String {
    match name {
        "gcp" => "The gcp auth plugin has been removed.\n\
            Please use the \"gke-gcloud-auth-plugin\" kubectl/client-go credential plugin instead.\n\
            See https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke \
            for further details"
            .to_owned(),
        "azure" => "The azure auth plugin has been removed.\n\
            Please use the https://github.com/Azure/kubelogin kubectl/client-go credential plugin instead.\n\
            See https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins \
            for further details"
            .to_owned(),
        "oidc" => "The oidc auth provider is not built in.\n\
            Please use the https://github.com/int128/kubelogin credential plugin instead."
            .to_owned(),
        _ => format!(
            "no Auth Provider found for name {}\nPlease use a credential plugin (exec) instead.",
            quoted(name)
        ),
    }
}
