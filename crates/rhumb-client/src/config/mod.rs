//! Which server to talk to, and as whom: kubeconfig files, the files of a pod, and the [`Config`] they come to.
//!
//! Nothing here opens a connection. A [`Config`] names files instead of holding what is in them where that may change
//! while a client lives (certificates, token files); [`Credentials`] are what a transport asks before each request.
//! The process's environment comes in through [`Environment`], so that a test can have one of its own.

mod auth;
mod credentials;
mod environment;
mod error;
mod proxy_url;
mod resolved;
mod secret;
mod warning;

pub use auth::{Auth, ExecConfig, ExecEnvVar, ExecVersion, Impersonate, InteractiveMode};
pub use credentials::{Authorization, Credentials, CredentialsError, Identity};
pub use environment::Environment;
pub use error::ConfigError;
pub use proxy_url::ProxyUrl;
pub use resolved::{Config, ContentType, Source, TlsConfig};
pub use secret::Secret;
pub use warning::{NoWarnings, WarningHandler, WarningWriter};
