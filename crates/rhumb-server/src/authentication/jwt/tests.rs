use super::*;
use rustls_pki_types::SubjectPublicKeyInfoDer;
use rustls_pki_types::pem::PemObject;
use serde_json::json;
use sha2::{Digest, Sha256};

macro_rules! key {
    ($name:literal) => {
        include_bytes!(concat!("../../../tests/keys/", $name))
    };
}

/// Keys that sign, in all forms that they are written in, with what checks them.
const PAIRS: [(&[u8], &[u8], &str); 4] = [
    (key!("rsa.pem"), key!("rsa.pub.pem"), "RS256"),
    (key!("rsa1.pem"), key!("rsapub1.pem"), "RS256"),
    (key!("ec.pem"), key!("ec.pub.pem"), "ES256"),
    (key!("ec384.pem"), key!("ec384.pub.pem"), "ES384"),
];

fn public(pem: &[u8]) -> PublicKey {
    let mut keys = PublicKey::all_of_pem(pem).unwrap();
    assert_eq!(keys.len(), 1);
    keys.remove(0)
}

#[test]
fn what_one_half_signs_the_other_checks() {
    for (at, (private, checking, algorithm)) in PAIRS.iter().enumerate() {
        let signing = SigningKey::of_pem(private).unwrap();
        let checking = public(checking);
        assert_eq!(*signing.public(), checking);
        let text = signing.sign(&json!({"sub": "a"})).unwrap();
        let token = Token::parse(&text).unwrap();
        assert_eq!((token.key_id(), token.algorithm().unwrap().name()), (checking.id(), *algorithm));
        assert!(token.is_signed_with(&checking));
        // The published form is the same key.
        let published = PublicKey::of_jwk(&checking.jwk()).unwrap();
        assert!(published == checking && token.is_signed_with(&published), "{:?}", checking.jwk());
        for (other, (_, pem, _)) in PAIRS.iter().enumerate() {
            assert_eq!(token.is_signed_with(&public(pem)), at / 2 == other / 2 && (at < 2 || at == other));
        }
        let (signed, signature) = text.rsplit_once('.').unwrap();
        let (head, _) = signed.split_once('.').unwrap();
        let forged = format!("{head}.{}.{signature}", BASE64.encode(r#"{"sub":"b"}"#));
        assert!(!Token::parse(&forged).unwrap().is_signed_with(&checking));
    }
}

#[test]
fn keys_are_named_as_kubernetes_names_them() {
    // What openssl makes of the same key: the hash of its description.
    let described = SubjectPublicKeyInfoDer::from_pem_slice(key!("ec.pub.pem")).unwrap();
    assert_eq!(public(key!("ec.pub.pem")).id(), BASE64.encode(Sha256::digest(described)));
}

#[test]
fn tokens_without_a_signature_are_worth_nothing() {
    let key = public(key!("rsa.pub.pem"));
    let part = |value: Json| BASE64.encode(value.to_string());
    for head in
        [json!({"alg": "none"}), json!({"alg": "HS256"}), json!({"alg": "RS256", "crit": ["x"]}), json!({})]
    {
        let text = format!("{}.{}.", part(head), part(json!({"sub": "a"})));
        assert!(!Token::parse(&text).unwrap().is_signed_with(&key), "{text}");
    }
    for text in ["", ".", "..", "a.b.c", "e30.e30", "e30.e30.e30.e30", "W10.e30.", "e30.MQ.", "{}"] {
        assert!(Token::parse(text).is_none(), "{text}");
    }
    assert!(Token::parse(&"a".repeat(LARGEST + 1)).is_none());
}

#[test]
fn keys_that_are_none_are_refused() {
    for pem in
        [&b""[..], b"x", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", key!("ec521.pem")]
    {
        assert!(PublicKey::all_of_pem(pem).is_err());
        assert!(SigningKey::of_pem(pem).is_err());
    }
    for refused in [
        PublicKey::all_of_pem(key!("ec521.pem")).map(drop).unwrap_err(),
        PublicKey::all_of_pem(key!("ec521.pub.pem")).map(drop).unwrap_err(),
        SigningKey::of_pem(key!("ec521.pem")).map(drop).unwrap_err(),
    ] {
        assert!(refused.contains("P-521, which this server does not know"), "{refused}");
    }
    assert!(SigningKey::of_pem(key!("rsa.pub.pem")).is_err());
    for jwk in [
        json!({"kty": "RSA", "n": "", "e": "AQAB"}),
        json!({"kty": "EC", "crv": "P-256", "x": "AA", "y": BASE64.encode([1; 33])}),
        json!({"kty": "EC", "crv": "P-521", "x": "AA", "y": "AA"}),
        json!({"kty": "oct", "k": "AA"}),
        json!({"kty": "RSA", "n": "AQ", "e": "AQ", "use": "enc"}),
        json!(1),
    ] {
        assert_eq!(PublicKey::of_jwk(&jwk), None, "{jwk}");
    }
    // Several in one file all count.
    let both = [&key!("rsa.pub.pem")[..], key!("ec.pub.pem")].concat();
    assert_eq!(PublicKey::all_of_pem(&both).unwrap().len(), 2);
}
