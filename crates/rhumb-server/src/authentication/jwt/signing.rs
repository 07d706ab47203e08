//! Keys that tokens are signed with.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use ring::rand::SystemRandom;
use ring::signature::{self, EcdsaKeyPair, EcdsaSigningAlgorithm, KeyPair, RsaKeyPair};
use rustls_pki_types::pem::{PemObject, SectionKind};
use serde_json::{Value as Json, json};

use super::algorithm::Family;
use super::der;
use super::public::{EC, P256, P384, P521, PublicKey, UNKNOWN_KIND, UNSUPPORTED_CURVE};

const KINDS: [(Family, &EcdsaSigningAlgorithm, &[u8]); 2] = [
    (Family::P256, &signature::ECDSA_P256_SHA256_FIXED_SIGNING, P256),
    (Family::P384, &signature::ECDSA_P384_SHA384_FIXED_SIGNING, P384),
];

/// A key that tokens are signed with.
pub(crate) struct SigningKey {
    key: Key,
    public: PublicKey,
}

enum Key {
    Ec(Box<EcdsaKeyPair>),
    Rsa(Box<RsaKeyPair>),
}

impl SigningKey {
    /// The first private key of a PEM text.
    ///
    /// # Errors
    /// If there is none, or it is of a kind that can't be used.
    pub(crate) fn of_pem(pem: &[u8]) -> Result<Self, String> {
        for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(pem) {
            let (kind, content) = section.map_err(|error| error.to_string())?;
            if matches!(
                kind,
                SectionKind::RsaPrivateKey | SectionKind::EcPrivateKey | SectionKind::PrivateKey
            ) {
                return Self::of_der(kind, &content);
            }
        }
        Err("data does not contain a valid RSA or ECDSA private key".to_owned())
    }

    /// A private key in one of the forms that PEM files have.
    pub(super) fn of_der(kind: SectionKind, content: &[u8]) -> Result<Self, String> {
        let of_rsa = |pair: RsaKeyPair| {
            let public = PublicKey::new(Family::Rsa, pair.public_key().as_ref().to_vec());
            SigningKey { key: Key::Rsa(Box::new(pair)), public }
        };
        if kind == SectionKind::RsaPrivateKey {
            return RsaKeyPair::from_der(content).map(of_rsa).map_err(|error| error.to_string());
        }
        for (family, algorithm, curve) in KINDS {
            let wrapped = match kind {
                // The older form says neither what it is nor, at times, which curve it is of.
                SectionKind::EcPrivateKey => {
                    let about = der(0x30, &[der(0x06, EC), der(0x06, curve)].concat());
                    der(0x30, &[vec![0x02, 0x01, 0x00], about, der(0x04, content)].concat())
                }
                _ => content.to_vec(),
            };
            if let Ok(pair) = EcdsaKeyPair::from_pkcs8(algorithm, &wrapped, &SystemRandom::new()) {
                let public = PublicKey::new(family, pair.public_key().as_ref().to_vec());
                return Ok(SigningKey { key: Key::Ec(Box::new(pair)), public });
            }
        }
        RsaKeyPair::from_pkcs8(content).map(of_rsa).map_err(|_| {
            // Both forms name the curve.
            let is_larger = content.windows(P521.len()).any(|window| window == P521);
            if is_larger { UNSUPPORTED_CURVE } else { UNKNOWN_KIND }.to_owned()
        })
    }

    /// The other half.
    pub(crate) fn public(&self) -> &PublicKey {
        &self.public
    }

    /// A token that says this.
    pub(crate) fn sign(&self, claims: &Json) -> Result<String, ring::error::Unspecified> {
        let head = json!({"alg": self.public.algorithm().name(), "kid": self.public.id()});
        let text = format!("{}.{}", BASE64.encode(head.to_string()), BASE64.encode(claims.to_string()));
        let random = SystemRandom::new();
        let signature = match &self.key {
            Key::Ec(pair) => pair.sign(&random, text.as_bytes())?.as_ref().to_vec(),
            Key::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&signature::RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature)?;
                signature
            }
        };
        Ok(format!("{text}.{}", BASE64.encode(signature)))
    }
}
