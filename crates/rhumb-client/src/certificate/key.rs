//! `PrivateKey`: P-256 keys and signatures.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;

use super::CertificateError;

/// A P-256 private key. `Debug` doesn't show it.
#[derive(Clone)]
pub struct PrivateKey {
    pkcs8: Arc<[u8]>,
    pair: Arc<EcdsaKeyPair>,
}

impl PrivateKey {
    /// Generates a key with the system's randomness.
    ///
    /// # Errors
    /// The system gives none.
    pub fn generate() -> Result<Self, CertificateError> {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random)
            .map_err(|error| CertificateError::Key(error.to_string()))?;
        PrivateKey::from_pkcs8(pkcs8.as_ref())
    }

    /// Parses a key written by [`pem`](Self::pem).
    ///
    /// # Errors
    /// It is no key of that curve in PKCS #8.
    pub fn from_pem(pem: &[u8]) -> Result<Self, CertificateError> {
        let key = PrivatePkcs8KeyDer::from_pem_slice(pem)
            .map_err(|error| CertificateError::Key(error.to_string()))?;
        PrivateKey::from_pkcs8(key.secret_pkcs8_der())
    }

    fn from_pkcs8(pkcs8: &[u8]) -> Result<Self, CertificateError> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, pkcs8, &SystemRandom::new())
            .map_err(|error| CertificateError::Key(error.to_string()))?;
        Ok(PrivateKey { pkcs8: pkcs8.into(), pair: Arc::new(pair) })
    }

    /// Encodes the key in PEM, for a private file.
    pub fn pem(&self) -> Vec<u8> {
        pem("PRIVATE KEY", &self.pkcs8)
    }

    /// Returns the point that is the public key.
    pub(super) fn public(&self) -> &[u8] {
        self.pair.public_key().as_ref()
    }

    /// Returns a signature with SHA-256, in DER.
    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, CertificateError> {
        let signature = self.pair.sign(&SystemRandom::new(), message);
        Ok(signature.map_err(|error| CertificateError::Key(error.to_string()))?.as_ref().to_vec())
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey").finish_non_exhaustive()
    }
}

/// Encodes bytes as a PEM block.
pub(super) fn pem(label: &str, der: &[u8]) -> Vec<u8> {
    let text = STANDARD.encode(der);
    let mut pem = format!("-----BEGIN {label}-----\n").into_bytes();
    for line in text.as_bytes().chunks(64) {
        pem.extend_from_slice(line);
        pem.push(b'\n');
    }
    pem.extend_from_slice(format!("-----END {label}-----\n").as_bytes());
    pem
}
