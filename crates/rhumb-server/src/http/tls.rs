//! The TLS of the listener.
//!
//! Clients are asked for a certificate and need none. One that nobody vouches for does not end the handshake: it
//! is the request that is refused then, with an answer that says so. What the handshake does check is that the
//! client has the key of the certificate it shows.

use crate::base::cryptography::{has_aes, provider};
use std::fmt;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{DigitallySignedStruct, DistinguishedName, ServerConfig, SignatureScheme};
use rustls_pki_types::{CertificateDer, UnixTime};

use crate::base::pki::{self, Pair};

/// The protocol name of HTTP/2.
pub(crate) const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// The name by which clients ask for the server's own certificate when others see another one.
pub(crate) const OWN_NAME: &str = "rhumb-own-certificate";

/// How to talk to clients: which certificate they see, the server's own or one that was given, and whose
/// certificates they are asked for.
pub(crate) fn server_config(
    own: &Pair,
    given: Option<&Pair>,
    hints: Vec<DistinguishedName>,
) -> Result<ServerConfig, TlsError> {
    let provider = provider();
    let verifier = Arc::new(AskButDontInsist { hints, provider: Arc::clone(&provider) });
    let own = certified(own, "apiserver.crt", &provider)?;
    let given = given.map(|pair| certified(pair, "tls-cert-file", &provider)).transpose()?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(Arc::new(Shown { own, given }));
    // Everybody who connects can do all suites, and the first one is the cheapest for both sides.
    config.ignore_client_order = has_aes();
    config.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
    config.ticketer = rustls::crypto::ring::Ticketer::new()?;
    Ok(config)
}

fn certified(pair: &Pair, name: &str, provider: &CryptoProvider) -> Result<Arc<CertifiedKey>, TlsError> {
    let chain = pki::certificates(pair.certificate.as_bytes(), std::path::Path::new(name))
        .map_err(|error| TlsError(error.to_string()))?;
    let key = pki::private_key(&pair.key).map_err(|error| TlsError(error.to_string()))?;
    Ok(Arc::new(CertifiedKey::from_der(chain, key, provider)?))
}

/// The certificates that clients may see.
#[derive(Debug)]
struct Shown {
    own: Arc<CertifiedKey>,
    given: Option<Arc<CertifiedKey>>,
}

impl ResolvesServerCert for Shown {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let shown = match &self.given {
            Some(given) if hello.server_name() != Some(OWN_NAME) => given,
            _ => &self.own,
        };
        Some(Arc::clone(shown))
    }
}

/// Why TLS can't be set up.
#[derive(Clone, Debug)]
pub struct TlsError(String);

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TLS can't be set up: {}", self.0)
    }
}

impl std::error::Error for TlsError {}

impl From<rustls::Error> for TlsError {
    fn from(error: rustls::Error) -> Self {
        TlsError(error.to_string())
    }
}

#[derive(Debug)]
struct AskButDontInsist {
    hints: Vec<DistinguishedName>,
    provider: Arc<CryptoProvider>,
}

impl ClientCertVerifier for AskButDontInsist {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &self.hints
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        // Whether anybody vouches for it is decided per request, where a refusal can be explained.
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
