//! Check that a certificate matches a private key, in the words of Go's `crypto/tls`.
//!
//! What takes arithmetic on curves is not found out: a key that doesn't say its public half passes.

use rhumb_api::certificates::x509::{CERTIFICATE, Certificate, KeyKind, PemBlock, PublicKey};

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const PUBLIC_HALF: u8 = 0xa1;
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const ELLIPTIC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// A private key: its type, and its public key if included.
enum PrivateKey<'a> {
    /// The modulus.
    Rsa(&'a [u8]),
    /// The point, if it is there.
    Elliptic(Option<&'a [u8]>),
    Ed25519,
}

/// Returns the error of a pair.
pub(super) fn fault(certificate: &[u8], key: &[u8]) -> Option<String> {
    check(certificate, key).err()
}

fn check(certificate: &[u8], key: &[u8]) -> Result<(), String> {
    let certificate = first_certificate(certificate)?;
    let key = private_key_block(key)?;
    let certified = Certificate::from_der(&certificate).map_err(|error| error.to_string())?.public_key;
    let key = private_key(&key)?;
    let same = match (certified.kind, &key) {
        (KeyKind::Rsa(_), PrivateKey::Rsa(modulus)) => certified_modulus(&certified) == Some(modulus),
        (KeyKind::Elliptic(_), PrivateKey::Elliptic(point)) => {
            point.is_none_or(|point| certified_bits(&certified) == Some(point))
        }
        (KeyKind::Ed25519, PrivateKey::Ed25519) => true,
        (KeyKind::Rsa(_) | KeyKind::Elliptic(_) | KeyKind::Ed25519, _) => {
            return Err("tls: private key type does not match public key type".to_owned());
        }
        _ => return Err("tls: unknown public key algorithm".to_owned()),
    };
    if same { Ok(()) } else { Err("tls: private key does not match public key".to_owned()) }
}

fn first_certificate(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut skipped = Vec::new();
    for block in PemBlock::all(text) {
        if block.label == CERTIFICATE {
            return Ok(block.bytes);
        }
        skipped.push(block.label);
    }
    Err(match skipped.as_slice() {
        [] => "tls: failed to find any PEM data in certificate input".to_owned(),
        [one] if one.ends_with("PRIVATE KEY") => {
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM \
             inputs may have been switched"
                .to_owned()
        }
        _ => format!(
            "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of \
             the following types: [{}]",
            skipped.join(" ")
        ),
    })
}

fn private_key_block(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut skipped = Vec::new();
    for block in PemBlock::all(text) {
        if block.label == "PRIVATE KEY" || block.label.ends_with(" PRIVATE KEY") {
            return Ok(block.bytes);
        }
        skipped.push(block.label);
    }
    Err(match skipped.as_slice() {
        [] => "tls: failed to find any PEM data in key input".to_owned(),
        [one] if one == CERTIFICATE => {
            "tls: found a certificate rather than a key in the PEM for the private key".to_owned()
        }
        _ => format!(
            "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping \
             PEM blocks of the following types: [{}]",
            skipped.join(" ")
        ),
    })
}

/// Reads a key in any of the three ways to write one: PKCS#1, PKCS#8 and SEC 1.
fn private_key(der: &[u8]) -> Result<PrivateKey<'_>, String> {
    let broken = || "tls: failed to parse private key".to_owned();
    if let Some(modulus) = rsa_modulus(der) {
        return Ok(PrivateKey::Rsa(modulus));
    }
    if let Some((algorithm, inner)) = wrapped(der) {
        return match algorithm {
            RSA => rsa_modulus(inner).map(PrivateKey::Rsa).ok_or_else(broken),
            ELLIPTIC => elliptic_point(inner).map(PrivateKey::Elliptic).ok_or_else(broken),
            ED25519 => Ok(PrivateKey::Ed25519),
            _ => Err(broken()),
        };
    }
    elliptic_point(der).map(PrivateKey::Elliptic).ok_or_else(broken)
}

/// Returns the modulus of a PKCS#1 key.
fn rsa_modulus(der: &[u8]) -> Option<&[u8]> {
    let (body, _) = expect(der, SEQUENCE)?;
    let (_, body) = expect(body, INTEGER)?;
    let (modulus, body) = expect(body, INTEGER)?;
    expect(body, INTEGER)?;
    Some(modulus)
}

/// Returns the algorithm of a PKCS#8 key, and the key in it.
fn wrapped(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (body, _) = expect(der, SEQUENCE)?;
    let (_, body) = expect(body, INTEGER)?;
    let (algorithm, body) = expect(body, SEQUENCE)?;
    let (_, name, _) = element(algorithm)?;
    let (key, _) = expect(body, OCTET_STRING)?;
    Some((name, key))
}

/// Returns the point of a SEC 1 key, if it is there.
fn elliptic_point(der: &[u8]) -> Option<Option<&[u8]>> {
    let (body, _) = expect(der, SEQUENCE)?;
    let (version, body) = expect(body, INTEGER)?;
    let (_, mut rest) = expect(body, OCTET_STRING)?;
    (version == [1]).then_some(())?;
    while let Some((tag, content, after)) = element(rest) {
        if tag == PUBLIC_HALF {
            return Some(bits(content));
        }
        rest = after;
    }
    Some(None)
}

fn certified_bits(key: &PublicKey) -> Option<&[u8]> {
    let (_, rest) = expect(&key.bytes, SEQUENCE)?;
    bits(rest)
}

fn certified_modulus(key: &PublicKey) -> Option<&[u8]> {
    let (body, _) = expect(certified_bits(key)?, SEQUENCE)?;
    Some(expect(body, INTEGER)?.0)
}

/// Returns the contents of a bit string without its unused-bits byte.
fn bits(der: &[u8]) -> Option<&[u8]> {
    expect(der, BIT_STRING)?.0.get(1..)
}

/// Returns the content of the element that must come next, and what follows it.
fn expect(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (found, content, rest) = element(der)?;
    (found == tag).then_some((content, rest))
}

/// Returns the tag and content of the next element, and what follows it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = if *first < 0x80 {
        (usize::from(*first), rest)
    } else {
        let (digits, rest) = rest.split_at_checked(usize::from(*first & 0x7f))?;
        let add = |sum: usize, digit: &u8| sum.checked_mul(256)?.checked_add(usize::from(*digit));
        (digits.iter().try_fold(0, add)?, rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}
