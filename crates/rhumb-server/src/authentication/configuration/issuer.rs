//! Validation of issuers.

use std::collections::{BTreeSet, HashSet};

use rhumb_meta::url::Url;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Named};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::v1::Issuer;

const MATCH_ANY: &str = "MatchAny";
const NO_CERTIFICATE: &str = "data does not contain any valid RSA or ECDSA certificates";

/// Checks an issuer, which must be none of those that are disallowed.
pub(super) fn validate(
    issuer: &Issuer,
    disallowed: &BTreeSet<String>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let at = path.child("url");
    if issuer.url.is_empty() {
        errors.required(&at, "");
    } else {
        url(&issuer.url, disallowed, &at, errors);
    }
    discovery_url(issuer, &path.child("discoveryURL"), errors);
    audiences(issuer, path, errors);
    if let Err(why) = certificates(&issuer.certificate_authority) {
        errors.invalid(&path.child("certificateAuthority"), "<omitted>", &why);
    }
    let at = path.child("egressSelectorType");
    let egress = Named(&issuer.egress_selector_type);
    match issuer.egress_selector_type.as_str() {
        "" => {}
        "controlplane" | "cluster" => {
            let why = "egress selectors are not supported: the issuer is connected to directly";
            errors.invalid(&at, &egress, why);
        }
        _ => errors.invalid(&at, &egress, "egress selector must be either controlplane or cluster"),
    }
}

fn discovery_url(issuer: &Issuer, path: &FieldPath, errors: &mut FieldErrors) {
    let Some(discovery) = issuer.discovery_url.as_deref().filter(|url| !url.is_empty()) else { return };
    if !issuer.url.is_empty() && issuer.url.trim_end_matches('/') == discovery.trim_end_matches('/') {
        errors.invalid(path, discovery, "discoveryURL must be different from URL");
    }
    url(discovery, &BTreeSet::new(), path, errors);
}

fn url(text: &str, disallowed: &BTreeSet<String>, path: &FieldPath, errors: &mut FieldErrors) {
    if disallowed.contains(text) {
        let all: Vec<&str> = disallowed.iter().map(String::as_str).collect();
        let why = format!("URL must not overlap with disallowed issuers: [{}]", all.join(" "));
        errors.invalid(path, text, &why);
    }
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return errors.invalid(path, text, &error.to_string()),
    };
    for (is_wrong, why) in [
        (url.scheme != "https", "URL scheme must be https"),
        (url.user.is_some(), "URL must not contain a username or password"),
        (!url.query.is_empty(), "URL must not contain a query"),
        (!url.fragment.is_empty(), "URL must not contain a fragment"),
    ] {
        if is_wrong {
            errors.invalid(path, text, why);
        }
    }
}

fn audiences(issuer: &Issuer, path: &FieldPath, errors: &mut FieldErrors) {
    let at = path.child("audiences");
    if issuer.audiences.is_empty() {
        return errors.required(&at, &format!("at least one {at} is required"));
    }
    let mut seen = HashSet::new();
    for (index, audience) in issuer.audiences.iter().enumerate() {
        let at = at.index(index);
        if audience.is_empty() {
            errors.required(&at, "");
        }
        if !seen.insert(audience) {
            errors.duplicate(&at, audience);
        }
    }
    let policy = issuer.audience_match_policy.as_str();
    let at = path.child("audienceMatchPolicy");
    if issuer.audiences.len() > 1 && policy != MATCH_ANY {
        let why = "audienceMatchPolicy must be MatchAny for multiple audiences";
        errors.invalid(&at, &Named(policy), why);
    }
    if issuer.audiences.len() == 1 && !policy.is_empty() && policy != MATCH_ANY {
        let why = "audienceMatchPolicy must be empty or MatchAny for single audience";
        errors.invalid(&at, &Named(policy), why);
    }
}

/// Returns the certificates of a PEM text; none if it is empty.
///
/// # Errors
/// If there is a text and no certificate in it, or one that can't be read.
pub(super) fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    if pem.is_empty() {
        return Ok(Vec::new());
    }
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    let found: Vec<CertificateDer<'static>> = found.map_err(|error| error.to_string())?;
    if found.is_empty() {
        return Err(NO_CERTIFICATE.to_owned());
    }
    for der in &found {
        X509Certificate::from_der(der).map_err(|error| format!("x509: malformed certificate: {error}"))?;
    }
    Ok(found)
}
