//! The kinds of public keys.

use super::X509Error;
use super::der::{Der, Tag};

const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const ELLIPTIC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
const P224: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x21];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
const P521: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x23];

/// A public key: its kind, and its bytes to compare it with others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublicKey {
    /// What kind of key it is.
    pub kind: KeyKind,
    /// The key, as it is written in the certificate.
    pub bytes: Vec<u8>,
}

/// The kinds of keys that are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyKind {
    /// Ed25519.
    Ed25519,
    /// A point on a curve with this name.
    Elliptic(&'static str),
    /// RSA, with so many bits.
    Rsa(usize),
    /// Anything else.
    #[default]
    Unknown,
}

impl PublicKey {
    /// Reads a key with its kind (a SubjectPublicKeyInfo).
    ///
    /// # Errors
    /// If it is broken, or on a curve that no one knows.
    pub fn from_der(bytes: &[u8]) -> Result<Self, X509Error> {
        let mut outer = Der::new(bytes);
        let info = outer.expect(Tag::SEQUENCE)?;
        outer.end()?;
        PublicKey::from_info(info)
    }

    pub(super) fn from_info(mut info: Der<'_>) -> Result<Self, X509Error> {
        let bytes = info.rest().to_vec();
        let mut algorithm = info.expect(Tag::SEQUENCE)?;
        // The first byte of a string of bits says how many bits of the last byte are not used.
        let key = info.expect(Tag::BIT_STRING)?.rest().get(1..).unwrap_or_default();
        let kind = match algorithm.expect(Tag::OBJECT_IDENTIFIER)?.rest() {
            RSA => {
                let mut numbers = Der::new(key).expect(Tag::SEQUENCE)?;
                let modulus = numbers.expect(Tag::INTEGER)?.rest();
                KeyKind::Rsa(modulus.iter().skip_while(|byte| **byte == 0).count() * 8)
            }
            ELLIPTIC => match algorithm.expect(Tag::OBJECT_IDENTIFIER)?.rest() {
                P224 => KeyKind::Elliptic("P-224"),
                P256 => KeyKind::Elliptic("P-256"),
                P384 => KeyKind::Elliptic("P-384"),
                P521 => KeyKind::Elliptic("P-521"),
                _ => return Err(X509Error::malformed("unsupported elliptic curve")),
            },
            ED25519 => KeyKind::Ed25519,
            _ => KeyKind::Unknown,
        };
        Ok(PublicKey { kind, bytes })
    }
}
