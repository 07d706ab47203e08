//! Client configuration: kubeconfig files, in-cluster configuration, and the resulting [`Config`].
//!
//! Nothing here opens a connection. A [`Config`] names files instead of holding what is in them where that may change
//! while a client lives (certificates, token files); [`Credentials`] are what a transport asks before each request.
//! The process's environment comes in through [`Environment`], so that a test can have one of its own.
//!
//! ```
//! use rhumb_client::Config;
//! use rhumb_client::config::{Auth, Kubeconfig};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let kubeconfig = Kubeconfig::parse(
//!     b"
//! apiVersion: v1
//! kind: Config
//! clusters: [{name: home, cluster: {server: 'https://127.0.0.1:6443'}}]
//! users: [{name: me, user: {token: secret}}]
//! contexts: [{name: here, context: {cluster: home, user: me, namespace: shop}}]
//! current-context: here
//! ",
//! )?;
//! // `Config::infer` does this with the files that kubectl reads, or with those of a pod.
//! let config = Config::from_kubeconfig(&kubeconfig, None)?;
//! assert_eq!(config.default_namespace, "shop");
//! assert!(matches!(config.auth, Auth::Token(_)));
//! # Ok(())
//! # }
//! ```

mod auth;
mod credentials;
mod edit;
mod environment;
mod error;
mod exec;
mod exec_config;
mod in_cluster;
pub mod kubeconfig;
mod loading;
mod observer;
mod overrides;
mod proxy_url;
mod request_metrics;
mod resolved;
mod secret;
#[cfg(test)]
mod tests;
mod validation;
mod warning;

pub use auth::{
    Auth, ExecConfig, ExecEnvVar, ExecVersion, Impersonate, InteractiveMode, PluginPolicy, StandardInput,
};
pub use credentials::{Authorization, Credentials, CredentialsError, Identity};
pub use edit::PathForm;
pub use environment::Environment;
pub use error::{ConfigError, os_text};
pub use kubeconfig::{Kubeconfig, KubeconfigError};
pub use loading::LoadingRules;
pub use observer::{RequestObserver, SentRequest, WatchEnd};
pub use overrides::Overrides;
pub use proxy_url::ProxyUrl;
pub use request_metrics::RequestMetrics;
pub use resolved::{Config, ContentType, Source, TlsConfig};
pub use secret::Secret;
pub use warning::{NoWarnings, WarningHandler, WarningWriter};
