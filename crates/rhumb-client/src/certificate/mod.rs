//! Certificates signed by the cluster: requests and rotation.
//!
//! - [`SigningRequest`], [`request_certificate`] and [`wait_for_certificate`]: one certificate, by a
//!   CertificateSigningRequest that somebody approves and a signer signs.
//! - [`Manager`]: always has a certificate that is good, and asks for the next one when most of its life is over. Its
//!   [`Rotation`] does the work for as long as it is polled.
//! - [`PairStore`]: where certificate and key outlive the process; [`FileStore`] has the files that client-go has.
//! - [`CertificateResolver`]: hands the current certificate to TLS, on either side of a connection.
//!
//! The time comes from the client's configuration, and waits are tokio's.
//!
//! ```no_run
//! use rhumb_client::certificate::{CLIENT_USAGES, FileStore, Manager, Template};
//! use rhumb_client::config::Source;
//! use rhumb_client::controller::{Shutdown, WallClock};
//! use rhumb_client::{Client, Config};
//!
//! # async fn run(bootstrap: Client, mut config: Config) -> Result<(), Box<dyn std::error::Error>> {
//! // A node's client: its first certificate is asked for with the credentials that it was set up with.
//! let store = FileStore::new("kubelet-client", "/var/lib/kubelet/pki", WallClock::of(&bootstrap))?;
//! let path = store.current_path();
//! let template = Template {
//!     common_name: "system:node:north".to_owned(),
//!     organizations: vec!["system:nodes".to_owned()],
//!     ..Template::default()
//! };
//! let signer = "kubernetes.io/kube-apiserver-client-kubelet";
//! let (manager, rotation) =
//!     Manager::builder(bootstrap, signer, CLIENT_USAGES, store).template(template).build()?;
//! let shutdown = Shutdown::new();
//! tokio::spawn(rotation.run(shutdown.clone()));
//! manager.ready().await;
//! // A client reads certificate and key again when the file changes.
//! config.tls.identity = Some((Source::File(path.clone()), Source::File(path)));
//! let client = Client::new(config)?;
//! # Ok(())
//! # }
//! ```

mod error;
mod key;
mod manager;
mod pair;
mod request;
mod resolver;
mod rotation;
mod store;
mod template;
#[cfg(test)]
mod tests;

pub use error::CertificateError;
pub use key::PrivateKey;
pub use manager::{Manager, ManagerBuilder};
pub use pair::{CertificatePair, PairError};
pub use request::{Requested, SigningRequest, request_certificate, wait_for_certificate};
pub use resolver::CertificateResolver;
pub use rotation::{Rotation, RotationReport};
pub use store::{FileStore, MemoryStore, PairStore, StoreError};
pub use template::Template;

/// Key usages of client certificates with elliptic curve keys.
pub const CLIENT_USAGES: &[&str] = &["digital signature", "client auth"];
/// Key usages of server certificates with elliptic curve keys.
pub const SERVER_USAGES: &[&str] = &["digital signature", "server auth"];
