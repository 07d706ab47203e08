//! `StartError`: why a server can't start, or couldn't end well.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use rhumb_store::StoreError;

use crate::authentication::{ConfigurationError, ConfiguredError, TokenFileError};
use crate::base::failure::Failure;
use crate::base::pki::PkiError;
use crate::config::RuntimeConfigError;
use crate::http::tls::TlsError;
use rhumb_api::resources::StorageVersionError;

/// Why a server can't start, or couldn't end well.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// The address can't be listened on.
    Listen(SocketAddr, std::io::Error),
    /// The embedded store was asked for, and there is no directory for it.
    NoDataDirectory,
    /// Another server has the data directory.
    InUse(PathBuf),
    /// The store can't be opened, or couldn't be closed.
    Store(StoreError),
    /// A file can't be read or written.
    File(PathBuf, std::io::Error),
    /// Keys or certificates can't be used.
    Pki(PkiError),
    /// TLS can't be set up.
    Tls(TlsError),
    /// The file of tokens can't be used.
    Tokens(TokenFileError),
    /// The file of `--authentication-config` can't be used.
    Authentication(PathBuf, ConfigurationError),
    /// What is said about how the server is reached or knows its clients doesn't fit together.
    Settings(String),
    /// What is said about the APIs to serve can't be done.
    Runtime(RuntimeConfigError),
    /// Objects can't be stored in a version that was chosen.
    StorageVersions(StorageVersionError),
    /// The audit log can't be opened.
    Audit(Box<dyn std::error::Error + Send + Sync>),
    /// What a server begins with can't be written, or keys and groups can't be used.
    Api(Failure),
    /// A task of the server broke.
    Task(tokio::task::JoinError),
    /// What the server's user brought to answer requests can't start.
    Behind(Box<dyn std::error::Error + Send + Sync>),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(address, _) => write!(f, "failed to listen on {address}"),
            Self::NoDataDirectory => {
                f.write_str("a data directory is needed, unless objects are kept in memory or in an etcd")
            }
            Self::InUse(path) => {
                write!(
                    f,
                    "{} is in use by another server; end that one, or choose another data directory",
                    path.display()
                )
            }
            Self::Store(_) => f.write_str("the store can't be used"),
            Self::File(path, _) => write!(f, "the file {} can't be used", path.display()),
            Self::Pki(error) => error.fmt(f),
            Self::Tls(error) => error.fmt(f),
            Self::Tokens(_) => f.write_str("invalid authentication config"),
            Self::Authentication(path, _) => {
                write!(f, "failed to load authentication configuration from file \"{}\"", path.display())
            }
            Self::Settings(why) => f.write_str(why),
            Self::Runtime(error) => error.fmt(f),
            Self::StorageVersions(_) => f.write_str("--storage-versions can't be done"),
            Self::Audit(error) | Self::Behind(error) => error.fmt(f),
            Self::Api(failure) => failure.fmt(f),
            Self::Task(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Listen(_, error) | Self::File(_, error) => Some(error),
            Self::NoDataDirectory | Self::InUse(_) | Self::Settings(_) => None,
            Self::Store(error) => Some(error),
            Self::Pki(error) => error.source(),
            Self::Tls(error) => error.source(),
            Self::Tokens(error) => Some(error),
            Self::Authentication(_, error) => Some(error),
            Self::Runtime(error) => error.source(),
            Self::StorageVersions(error) => Some(error),
            Self::Audit(error) | Self::Behind(error) => error.source(),
            Self::Api(failure) => failure.source(),
            Self::Task(error) => error.source(),
        }
    }
}

impl From<PkiError> for StartError {
    fn from(error: PkiError) -> Self {
        StartError::Pki(error)
    }
}

impl From<ConfiguredError> for StartError {
    fn from(error: ConfiguredError) -> Self {
        match error {
            ConfiguredError::Options(why) => StartError::Settings(why),
            ConfiguredError::File(path, error) => StartError::Authentication(path, error),
        }
    }
}
