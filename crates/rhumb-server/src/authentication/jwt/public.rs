//! Keys that tokens are checked with, from files and from the sets that issuers publish.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use ring::signature::UnparsedPublicKey;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use x509_parser::prelude::FromDer;
use x509_parser::public_key::RSAPublicKey;
use x509_parser::x509::SubjectPublicKeyInfo;

use super::algorithm::{Algorithm, Family};
use super::{der, text};

/// The names of the kinds of keys, and of curves, in DER.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
pub(super) const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
pub(super) const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
pub(super) const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];

pub(super) const P521: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x23];

/// What is said about keys that can't be used.
pub(super) const UNKNOWN_KIND: &str = "a key is neither of RSA nor of the curves P-256 and P-384";
pub(super) const UNSUPPORTED_CURVE: &str =
    "a key is of the curve P-521, which this server does not know: take one of RSA, P-256 or P-384";

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const BITS: u8 = 0x03;
const NAME: u8 = 0x06;

/// A key that tokens are checked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicKey {
    family: Family,
    /// A point of the curve in full, or the modulus and the exponent in DER.
    bytes: Vec<u8>,
    /// Its name: that of its issuer, or made from the key as Kubernetes does.
    id: String,
}

impl PublicKey {
    /// A key of our own making, named after itself.
    pub(super) fn new(family: Family, bytes: Vec<u8>) -> Self {
        let mut key = PublicKey { family, bytes, id: String::new() };
        key.id = BASE64.encode(Sha256::digest(key.described()));
        key
    }

    /// A key with the kind before it, as most files have it.
    pub(super) fn of_info(info: &[u8]) -> Result<Self, String> {
        let (_, info) = SubjectPublicKeyInfo::from_der(info).map_err(|error| error.to_string())?;
        let bytes = info.subject_public_key.data.to_vec();
        let curve = info.algorithm.parameters.as_ref().and_then(|any| any.as_oid().ok());
        let family = match (info.algorithm.algorithm.as_bytes(), curve.as_ref().map(|oid| oid.as_bytes())) {
            (RSA, _) => Family::Rsa,
            (EC, Some(P256)) => Family::P256,
            (EC, Some(P384)) => Family::P384,
            (EC, Some(P521)) => return Err(UNSUPPORTED_CURVE.to_owned()),
            _ => return Err(UNKNOWN_KIND.to_owned()),
        };
        Ok(PublicKey::new(family, bytes))
    }

    /// A key of a published set, with its name; none if it is of a kind that can't be used, or not for signatures.
    pub(crate) fn of_jwk(jwk: &Json) -> Option<Self> {
        if !matches!(text(jwk, "/use"), "" | "sig") {
            return None;
        }
        let number = |name: &str| BASE64.decode(text(jwk, name)).ok().filter(|bytes| !bytes.is_empty());
        let (family, bytes) = match (text(jwk, "/kty"), text(jwk, "/crv")) {
            ("RSA", _) => {
                let parts = [integer(&number("/n")?), integer(&number("/e")?)].concat();
                (Family::Rsa, der(SEQUENCE, &parts))
            }
            ("EC", "P-256") => (Family::P256, point(&number("/x")?, &number("/y")?, 32)?),
            ("EC", "P-384") => (Family::P384, point(&number("/x")?, &number("/y")?, 48)?),
            _ => return None,
        };
        Some(PublicKey { family, bytes, id: text(jwk, "/kid").to_owned() })
    }

    /// Its name.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// How it signs if nobody says otherwise.
    pub(crate) fn algorithm(&self) -> Algorithm {
        self.family.usual()
    }

    /// Whether something was signed with the other half.
    pub(super) fn verify(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        algorithm.family() == self.family
            && UnparsedPublicKey::new(algorithm.verification(), &self.bytes)
                .verify(message, signature)
                .is_ok()
    }

    /// The key with its kind before it.
    fn described(&self) -> Vec<u8> {
        let (kind, detail) = match self.family {
            Family::Rsa => (RSA, vec![0x05, 0x00]),
            Family::P256 => (EC, der(NAME, P256)),
            Family::P384 => (EC, der(NAME, P384)),
        };
        let kind = der(SEQUENCE, &[der(NAME, kind), detail].concat());
        der(SEQUENCE, &[kind, der(BITS, &[&[0], self.bytes.as_slice()].concat())].concat())
    }

    /// The key as it is published.
    pub(crate) fn jwk(&self) -> Json {
        let (algorithm, id) = (self.algorithm().name(), &self.id);
        if self.family == Family::Rsa {
            let Ok((_, parts)) = RSAPublicKey::from_der(&self.bytes) else { return Json::Null };
            let number = |bytes: &[u8]| {
                let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
                BASE64.encode(bytes.get(start..).unwrap_or_default())
            };
            let (n, e) = (number(parts.modulus), number(parts.exponent));
            return json!({ "use": "sig", "kty": "RSA", "kid": id, "alg": algorithm, "n": n, "e": e });
        }
        let curve = if self.family == Family::P256 { "P-256" } else { "P-384" };
        // The point is written in full: a mark, then both coordinates.
        let point = self.bytes.get(1..).unwrap_or_default();
        let (x, y) = point.split_at(point.len() / 2);
        let (x, y) = (BASE64.encode(x), BASE64.encode(y));
        json!({ "use": "sig", "kty": "EC", "kid": id, "crv": curve, "alg": algorithm, "x": x, "y": y })
    }
}

/// Public RSA keys in their oldest form, which the reader of PEM passes over.
pub(super) fn pkcs1_of_pem(pem: &[u8]) -> Vec<PublicKey> {
    const BEGIN: &str = "-----BEGIN RSA PUBLIC KEY-----";
    const END: &str = "-----END RSA PUBLIC KEY-----";
    let content = String::from_utf8_lossy(pem);
    let parts = content.split(BEGIN).skip(1).filter_map(|part| part.split_once(END));
    let decoded = parts.filter_map(|(body, _)| {
        let body: String = body.split_ascii_whitespace().collect();
        base64::prelude::BASE64_STANDARD.decode(body).ok()
    });
    let good = decoded.filter(|bytes| RSAPublicKey::from_der(bytes).is_ok());
    good.map(|bytes| PublicKey::new(Family::Rsa, bytes)).collect()
}

/// A positive number in DER.
fn integer(bytes: &[u8]) -> Vec<u8> {
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let digits = bytes.get(start..).unwrap_or_default();
    // A first bit that is set would make it negative.
    let sign: &[u8] = if digits.first().is_none_or(|first| first & 0x80 != 0) { &[0] } else { &[] };
    der(INTEGER, &[sign, digits].concat())
}

/// A point of a curve whose coordinates have that many bytes.
fn point(x: &[u8], y: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut point = vec![4];
    for coordinate in [x, y] {
        point.resize(point.len() + size.checked_sub(coordinate.len())?, 0);
        point.extend_from_slice(coordinate);
    }
    Some(point)
}
