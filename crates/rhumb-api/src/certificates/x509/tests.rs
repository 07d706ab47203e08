//! Requests and certificates that OpenSSL made.

use super::{Certificate, KeyKind, PemBlock, Pkcs10, X509Error};

const SERVING: &str = include_str!("testdata/serving.csr");
const AUTHORITY: &str = include_str!("testdata/authority.crt");
const LEAF: &str = include_str!("testdata/leaf.crt");

fn certificate(text: &str) -> Certificate {
    let block = PemBlock::all(text.as_bytes()).next().expect("a block");
    Certificate::from_der(&block.bytes).expect("a certificate")
}

#[test]
fn a_request_tells_whom_it_is_for() {
    let request = Pkcs10::from_pem(SERVING.as_bytes()).expect("a request");
    assert_eq!(request.common_name, "system:node:a");
    assert_eq!(request.organizations, ["system:nodes"]);
    assert_eq!(
        (request.dns_names, request.ip_addresses, request.email_addresses, request.uris),
        (1, 1, 0, 0)
    );
    assert_eq!(request.public_key.kind, KeyKind::Elliptic("P-256"));
}

#[test]
fn authorities_are_told_from_leaves() {
    assert!(certificate(AUTHORITY).is_authority);
    assert!(!certificate(LEAF).is_authority);
    assert_eq!(certificate(AUTHORITY).public_key, certificate(LEAF).public_key);
}

#[test]
fn every_cut_and_every_flipped_byte_is_an_error_or_fine_but_never_a_panic() {
    for text in [SERVING, AUTHORITY] {
        let bytes = PemBlock::all(text.as_bytes()).next().expect("a block").bytes;
        for at in 0..bytes.len() {
            let (cut, _) = bytes.split_at(at);
            assert!(Pkcs10::from_der(cut).is_err());
            assert!(Certificate::from_der(cut).is_err());
            for flipped in [0x00, 0x7f, 0x80, 0x84, 0xff] {
                let mut changed = bytes.clone();
                if let Some(byte) = changed.get_mut(at) {
                    *byte ^= flipped;
                }
                let _ = (Pkcs10::from_der(&changed), Certificate::from_der(&changed));
            }
        }
        for at in 0..text.len() {
            let _ = PemBlock::all(text.get(at..).unwrap_or_default().as_bytes()).count();
            let _ = PemBlock::all(text.get(..at).unwrap_or_default().as_bytes()).count();
        }
    }
}

#[test]
fn blocks_stand_among_other_text() {
    let text = format!("before\n{AUTHORITY}between\n-----BEGIN X-----\n!\n-----END X-----\n{LEAF}");
    let labels: Vec<String> = PemBlock::all(text.as_bytes()).map(|block| block.label).collect();
    assert_eq!(labels, ["CERTIFICATE", "CERTIFICATE"]);
    let headed = "-----BEGIN X-----\nA: b\n\nAAAA\n-----END X-----";
    assert_eq!(PemBlock::all(headed.as_bytes()).next().map(|block| block.headers), Some(1));
    assert_eq!(Pkcs10::from_pem(LEAF.as_bytes()), Err(X509Error::NotARequest));
}

#[test]
fn first_lines_without_their_last_are_passed_over_in_linear_time() {
    // Each of them looked for its last line, or passed over the same headers.
    for line in ["-----BEGIN A-----\n", "-----BEGIN A:B-----\n", "-----BEGIN A-----\nA: B\n"] {
        for end in ["", "-----END B-----\n", "-----END A-----\n", "\n-----END A:B-----\n"] {
            let text = line.repeat(100_000) + end;
            let found: Vec<PemBlock> = PemBlock::all(text.as_bytes()).collect();
            assert!(found.len() <= 1, "{line} {end}");
            let text = text + AUTHORITY;
            let found: Vec<PemBlock> = PemBlock::all(text.as_bytes()).collect();
            assert_eq!(found.last().map(|block| block.label.as_str()), Some("CERTIFICATE"), "{line} {end}");
        }
    }
    let text = "-----BEGIN A-----\na: b\nc: d\n-----BEGIN C:D-----\ne: f\n\nAAAA\n-----END C:D-----\n";
    let found: Vec<PemBlock> = PemBlock::all(text.as_bytes()).collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].label.as_str(), found[0].headers), ("C:D", 1));
}
