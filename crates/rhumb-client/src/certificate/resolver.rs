//! `CertificateResolver`: the current certificate for TLS handshakes.

use std::sync::Arc;

use rustls::SignatureScheme;
use rustls::client::ResolvesClientCert;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::Manager;

/// Provides the current certificate of a [`Manager`] for each TLS handshake, as a server or as a client.
///
/// ```no_run
/// # fn example(manager: &rhumb_client::certificate::Manager) {
/// let server = rustls::ServerConfig::builder()
///     .with_no_client_auth()
///     .with_cert_resolver(manager.resolver());
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct CertificateResolver(Manager);

impl CertificateResolver {
    pub(super) fn new(manager: Manager) -> Self {
        CertificateResolver(manager)
    }

    fn current(&self) -> Option<Arc<CertifiedKey>> {
        self.0.current().map(|pair| Arc::clone(pair.certified_key()))
    }
}

impl ResolvesServerCert for CertificateResolver {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.current()
    }
}

impl ResolvesClientCert for CertificateResolver {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.current()
    }

    fn has_certs(&self) -> bool {
        self.0.current().is_some()
    }
}
