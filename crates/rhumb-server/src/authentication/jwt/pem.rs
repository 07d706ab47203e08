//! Keys of PEM files that tokens are checked with.

use rustls_pki_types::pem::{PemObject, SectionKind};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::public::{PublicKey, pkcs1_of_pem};
use super::signing::SigningKey;

impl PublicKey {
    /// All keys of a PEM text: public keys, keys of certificates, and the public halves of private keys.
    ///
    /// # Errors
    /// If a key is of a kind that can't be used, or there is none.
    pub(crate) fn all_of_pem(pem: &[u8]) -> Result<Vec<Self>, String> {
        let mut found = Vec::new();
        for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(pem) {
            let (kind, content) = section.map_err(|error| error.to_string())?;
            match kind {
                SectionKind::PublicKey => found.push(Self::of_info(&content)?),
                SectionKind::Certificate => {
                    let (_, certificate) =
                        X509Certificate::from_der(&content).map_err(|error| error.to_string())?;
                    found.push(Self::of_info(certificate.public_key().raw)?);
                }
                SectionKind::RsaPrivateKey | SectionKind::EcPrivateKey | SectionKind::PrivateKey => {
                    found.push(SigningKey::of_der(kind, &content)?.public().clone());
                }
                _ => {}
            }
        }
        found.extend(pkcs1_of_pem(pem));
        if found.is_empty() {
            return Err("data does not contain any valid RSA or ECDSA public keys".to_owned());
        }
        Ok(found)
    }
}
