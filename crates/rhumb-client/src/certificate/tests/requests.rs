//! What is asked for, and what answers mean.

use std::net::IpAddr;

use rhumb_api::certificates::v1::{CertificateSigningRequest, CertificateSigningRequestCondition};
use rustls_pki_types::CertificateSigningRequestDer;
use rustls_pki_types::pem::PemObject;
use x509_parser::certification_request::X509CertificationRequest;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::prelude::FromDer;

use super::Authority;
use crate::certificate::request::{compare, issued};
use crate::certificate::{
    CLIENT_USAGES, CertificateError, CertificatePair, PrivateKey, SigningRequest, Template,
};

fn node(name: &str) -> Template {
    Template {
        common_name: format!("system:node:{name}"),
        organizations: vec!["system:nodes".to_owned()],
        ..Template::default()
    }
}

#[test]
fn a_request_says_what_the_template_wants_and_is_signed_by_its_key() {
    let addresses: Vec<IpAddr> = vec!["10.0.0.1".parse().unwrap(), "fd00::1".parse().unwrap()];
    let template = Template {
        common_name: "jane".to_owned(),
        organizations: vec!["ops".to_owned(), "développeurs".to_owned(), "all".to_owned()],
        dns_names: vec!["a.example.com".to_owned(), "b.example.com".to_owned()],
        ip_addresses: addresses.clone(),
    };
    let pem = template.request(&PrivateKey::generate().unwrap()).unwrap();
    let der = CertificateSigningRequestDer::from_pem_slice(&pem).unwrap();
    let (rest, request) = X509CertificationRequest::from_der(&der).unwrap();
    assert!(rest.is_empty());
    request.verify_signature().unwrap();
    let subject = &request.certification_request_info.subject;
    assert_eq!(subject.to_string(), "O=ops, O=développeurs, O=all, CN=jane");
    let mut names = Vec::new();
    for extension in request.requested_extensions().unwrap() {
        let ParsedExtension::SubjectAlternativeName(wanted) = extension else { panic!("{extension:?}") };
        for name in &wanted.general_names {
            names.push(match name {
                GeneralName::DNSName(name) => (*name).to_owned(),
                GeneralName::IPAddress(bytes) => format!("{bytes:?}"),
                other => panic!("{other:?}"),
            });
        }
    }
    assert_eq!(names[..3], ["a.example.com", "b.example.com", "[10, 0, 0, 1]"]);
    assert_eq!(names.len(), 4);

    let plain = Template { common_name: "x".to_owned(), ..Template::default() };
    let pem = plain.request(&PrivateKey::generate().unwrap()).unwrap();
    let der = CertificateSigningRequestDer::from_pem_slice(&pem).unwrap();
    let (_, request) = X509CertificationRequest::from_der(&der).unwrap();
    request.verify_signature().unwrap();
    assert!(request.certification_request_info.attributes().is_empty());
    let odd = Template { dns_names: vec!["bücher.example".to_owned()], ..plain };
    assert!(odd.request(&PrivateKey::generate().unwrap()).is_err());
}

#[test]
fn a_key_is_read_back_and_not_shown() {
    let key = PrivateKey::generate().unwrap();
    let again = PrivateKey::from_pem(&key.pem()).unwrap();
    assert_eq!(again.public(), key.public());
    assert_eq!(format!("{key:?}"), "PrivateKey { .. }");
    assert!(PrivateKey::from_pem(b"nothing").is_err());
    assert_ne!(PrivateKey::generate().unwrap().public(), key.public());
}

#[test]
fn a_pair_is_read_if_certificate_and_key_go_together() {
    let (authority, key) = (Authority::new(), PrivateKey::generate().unwrap());
    let template = Template {
        dns_names: vec!["a.example.com".to_owned()],
        ip_addresses: vec!["10.0.0.1".parse().unwrap()],
        ..node("north")
    };
    let certificate = authority.sign(&template.request(&key).unwrap(), 1_000, 2_000);
    let pair = CertificatePair::from_pem(&certificate, &key.pem()).unwrap();
    assert_eq!((pair.not_before().unix_seconds(), pair.not_after().unix_seconds()), (1_000, 2_000));
    assert_eq!(pair.common_name(), "system:node:north");
    assert!(template.is_satisfied_by(pair.leaf()));
    assert!(Template { dns_names: Vec::new(), ..template.clone() }.is_satisfied_by(pair.leaf()));
    for other in [
        Template { common_name: "x".to_owned(), ..template.clone() },
        Template { organizations: vec!["x".to_owned()], ..template.clone() },
        Template { dns_names: vec!["b.example.com".to_owned()], ..template.clone() },
        Template { ip_addresses: vec!["10.0.0.2".parse().unwrap()], ..template.clone() },
    ] {
        assert!(!other.is_satisfied_by(pair.leaf()), "{other:?}");
    }
    // Both may stand in one file, in either order.
    let both = [key.pem(), certificate.clone()].concat();
    CertificatePair::from_pem(&both, &both).unwrap();
    assert!(!format!("{pair:?}").contains("PRIVATE"), "{pair:?}");

    let other = PrivateKey::generate().unwrap();
    for (certificate, key) in [
        (certificate.clone(), other.pem()),
        (certificate.clone(), b"".to_vec()),
        (b"".to_vec(), key.pem()),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_vec(), key.pem()),
    ] {
        assert!(CertificatePair::from_pem(&certificate, &key).is_err());
    }
}

fn answered(conditions: &[&str], certificate: &str) -> CertificateSigningRequest {
    let mut request = CertificateSigningRequest::default();
    for type_ in conditions {
        request.status.conditions.push(CertificateSigningRequestCondition {
            type_: (*type_).to_owned(),
            reason: "Because".to_owned(),
            message: "of that".to_owned(),
            ..Default::default()
        });
    }
    request.status.certificate = certificate.as_bytes().into();
    request
}

#[test]
fn a_certificate_counts_when_the_request_is_approved_and_signed() {
    for (conditions, certificate, expect) in [
        (&[][..], "", Ok(None)),
        (&["Approved"], "", Ok(None)),
        (&[], "signed", Ok(None)),
        (&["Approved"], "signed", Ok(Some("signed"))),
        (&["Other", "Approved"], "signed", Ok(Some("signed"))),
        (&["Denied"], "", Err("is denied, reason: Because, message: of that")),
        (&["Approved", "Failed"], "", Err("failed, reason: Because, message: of that")),
        (&["Approved", "Denied"], "signed", Err("is denied, reason: Because, message: of that")),
    ] {
        let outcome = issued(&answered(conditions, certificate));
        match (outcome, expect) {
            (Ok(found), Ok(expect)) => assert_eq!(found.as_deref(), expect.map(str::as_bytes)),
            (Err(error), Err(expect)) => {
                assert_eq!(error.to_string(), format!("certificate signing request {expect}"));
            }
            (outcome, expect) => panic!("{conditions:?} {certificate}: {outcome:?}, not {expect:?}"),
        }
    }
}

#[test]
fn a_known_request_is_taken_if_it_is_for_the_same_certificate() {
    let (authority, key) = (Authority::new(), PrivateKey::generate().unwrap());
    let request = |template: &Template, key: &PrivateKey, signer: &str| {
        SigningRequest::new(template, key, signer)
            .unwrap()
            .name("node-north")
            .usages(CLIENT_USAGES.iter().copied())
    };
    let wanted = request(&node("north"), &key, "example.com/a");
    let known = wanted.object();
    assert_eq!(known.metadata.name, "node-north");
    assert_eq!(known.spec.usages, CLIENT_USAGES);
    assert_eq!(compare(&known, &wanted, 0), Ok(()));
    // ECDSA signatures differ each time; the request is the same all the same.
    assert_eq!(compare(&known, &request(&node("north"), &key, "example.com/a"), 0), Ok(()));

    let check = |other: SigningRequest, expect: &str| {
        let problem = compare(&known, &other, 0).unwrap_err();
        assert_eq!(problem, expect);
    };
    check(
        request(&node("south"), &key, "example.com/a"),
        "csr subjects differ: new: O=system:nodes, CN=system:node:north, orig: O=system:nodes, CN=system:node:south",
    );
    check(
        request(&node("north"), &key, "example.com/b"),
        r#"csr signerNames differ: new "example.com/a", orig: "example.com/b""#,
    );
    check(
        request(&node("north"), &PrivateKey::generate().unwrap(), "example.com/a"),
        "the csr is for another key",
    );

    let mut signed = known.clone();
    let pem = node("north").request(&key).unwrap();
    signed.status.certificate = authority.sign(&pem, 1_000, 2_000).into();
    assert_eq!(compare(&signed, &wanted, 2_000), Ok(()));
    assert!(compare(&signed, &wanted, 2_001).unwrap_err().contains("has expired"));
    let mut broken = known;
    broken.spec.request = b"nothing"[..].into();
    assert!(compare(&broken, &wanted, 0).unwrap_err().starts_with("unable to parse csr: "));
}

#[test]
fn errors_keep_what_caused_them() {
    use std::error::Error;

    let error = CertificateError::from(CertificatePair::from_pem(b"", b"").unwrap_err());
    assert_eq!(error.to_string(), "what was signed can't be used");
    assert_eq!(error.source().unwrap().to_string(), "no certificate with its key: there is no certificate");
}
