//! Check that a certificate matches a key, in the words of Go's `crypto/tls`.

use rhumb_cli::Outcome;
use rustls::Error;
use rustls::crypto::ring;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

/// Checks that both are PEM and that the key is the certificate's.
pub(super) fn check_pair(cert: &[u8], key: &[u8]) -> Outcome {
    let (chain, skipped) = certificates(cert);
    if chain.is_empty() {
        return Err(match skipped.as_slice() {
            [] => "tls: failed to find any PEM data in certificate input".to_owned(),
            [only] if only.ends_with("PRIVATE KEY") => {
                "tls: failed to find certificate PEM data in certificate input, but did find a private key; \
                 PEM \
                 inputs may have been switched"
                    .to_owned()
            }
            kinds => format!(
                "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM \
                 blocks of \
                 the following types: [{}]",
                kinds.join(" ")
            ),
        }
        .into());
    }
    let Ok(key) = PrivateKeyDer::from_pem_slice(key) else {
        let kinds = labels(key);
        return Err(match kinds.as_slice() {
            [] => "tls: failed to find any PEM data in key input".to_owned(),
            [only] if only == "CERTIFICATE" => {
                "tls: found a certificate rather than a key in the PEM for the private key".to_owned()
            }
            kinds => format!(
                "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after \
                 skipping \
                 PEM blocks of the following types: [{}]",
                kinds.join(" ")
            ),
        }
        .into());
    };
    match CertifiedKey::from_der(chain, key, &ring::default_provider()) {
        Ok(_) => Ok(()),
        Err(Error::InconsistentKeys(_)) => Err("tls: private key does not match public key".into()),
        Err(Error::InvalidCertificate(_)) => Err("x509: malformed certificate".into()),
        Err(_) => Err("tls: failed to parse private key".into()),
    }
}

/// Returns the certificates in a text, and what other things there are in it.
fn certificates(text: &[u8]) -> (Vec<CertificateDer<'static>>, Vec<String>) {
    let chain = CertificateDer::pem_slice_iter(text).filter_map(Result::ok).collect();
    (chain, labels(text))
}

/// Returns the labels of PEM blocks.
fn labels(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    text.lines()
        .filter_map(|line| line.strip_prefix("-----BEGIN ")?.strip_suffix("-----").map(str::to_owned))
        .collect()
}
