//! TLS configuration from CAs and client certificates, and their files.

use std::io;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

use crate::config::{ConfigError, Identity, Source, TlsConfig};

/// Bytes of a configuration, compared to detect changed files.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Material {
    ca: Option<Vec<u8>>,
    identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl Material {
    /// Reads the files. The certificate that an exec plugin said goes before the configuration's.
    pub(crate) fn read(tls: &TlsConfig, said: Option<&Identity>) -> Result<Self, ConfigError> {
        let ca = tls.ca.as_ref().map(read).transpose()?;
        let identity = match (said, &tls.identity) {
            (Some(said), _) => Some((said.certificate.to_vec(), said.key.to_vec())),
            (None, Some((certificate, key))) => Some((read(certificate)?, read(key)?)),
            (None, None) => None,
        };
        Ok(Material { ca, identity })
    }
}

/// Reports whether anything that TLS needs is in files, which may change.
pub(crate) fn has_files(tls: &TlsConfig) -> bool {
    let is_file = |source: &Source| matches!(source, Source::File(_));
    tls.ca.as_ref().is_some_and(is_file)
        || tls.identity.as_ref().is_some_and(|(certificate, key)| is_file(certificate) || is_file(key))
}

fn read(source: &Source) -> Result<Vec<u8>, ConfigError> {
    source.read().map_err(|error: io::Error| match source {
        Source::File(path) => ConfigError::File { operation: "open", path: path.clone(), source: error },
        Source::Bytes(_) => ConfigError::Tls(error.to_string()),
    })
}

/// Returns the settings of TLS for a server, to which the protocols are still to be added.
pub(crate) fn client_config(tls: &TlsConfig, material: &Material) -> Result<ClientConfig, ConfigError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .dangerous()
        .with_custom_certificate_verifier(verifier(tls, material, provider)?);
    let Some((certificate, key)) = &material.identity else { return Ok(builder.with_no_client_auth()) };
    let chain: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(certificate).collect::<Result<_, _>>().map_err(failed)?;
    if chain.is_empty() {
        return Err(failed("failed to find any PEM data in certificate input"));
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(failed)?;
    builder.with_client_auth_cert(chain, key).map_err(failed)
}

/// Returns the settings of TLS for a proxy, which is trusted by the system's authorities and gets no certificate of
/// ours.
pub(crate) fn proxy_config() -> Result<ClientConfig, ConfigError> {
    client_config(&TlsConfig::default(), &Material { ca: None, identity: None })
}

fn failed(error: impl std::fmt::Display) -> ConfigError {
    ConfigError::Tls(format!("tls: {error}"))
}

fn verifier(
    tls: &TlsConfig,
    material: &Material,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, ConfigError> {
    if tls.insecure {
        return Ok(Arc::new(Unseen { verdict: Verdict::Any, provider }));
    }
    let mut roots = RootCertStore::empty();
    match &material.ca {
        Some(pem) => {
            // As in Go, an authority that can't be read is passed over as long as there is another one.
            let (added, _) =
                roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem).filter_map(Result::ok));
            if added == 0 {
                return Err(ConfigError::Tls(
                    "unable to load root certificates: unable to parse bytes as PEM block".to_owned(),
                ));
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                return Ok(Arc::new(Unseen { verdict: Verdict::None, provider }));
            }
        }
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
    Ok(verifier.map_err(failed)?)
}

/// Result of certificate verification that is skipped.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    /// Takes any: what `insecure-skip-tls-verify` asks for. Whoever stands in between can read and change everything.
    Any,
    /// Takes none: there are no authorities on this system. It is an error when a connection is made, not before,
    /// because the server may be one without TLS.
    None,
}

/// Accepts or refuses all certificates. Handshake signatures are still verified, as they are part of the encryption.
#[derive(Debug)]
struct Unseen {
    verdict: Verdict,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Unseen {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match self.verdict {
            Verdict::Any => Ok(ServerCertVerified::assertion()),
            Verdict::None => {
                Err(rustls::Error::General("there are no certificate authorities on this system".to_owned()))
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
