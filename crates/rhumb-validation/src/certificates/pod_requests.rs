//! Validation of requests for pods. The spec never changes, and the status only once: when the request ends.

use rhumb_api::certificates::v1beta1::{
    PodCertificateRequest, PodCertificateRequestSpec, PodCertificateRequestStatus,
};
use rhumb_api::certificates::x509::{CERTIFICATE, Certificate, KeyKind, PemBlock, Pkcs10, PublicKey};
use rhumb_meta::validation::{
    NamePart, TOTAL_ANNOTATION_SIZE_LIMIT, annotations_size_error, name_is_dns_subdomain,
};
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Named, Rules, Shown, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::core::signer_name::{is_of_kubernetes, signer_name};
use crate::internal_form::internal;
use crate::meta::{Scope, conditions, domain_prefixed_key, object_meta, object_meta_update};

const LONGEST_UID: usize = 128;
const LARGEST_KEY: usize = 10 * 1024;
const LARGEST_CHAIN: usize = 100 * 1024;
const HOUR: i32 = 60 * 60;
const DAY: i32 = 24 * HOUR;
/// The conditions with which a request ends.
const ENDS: &[&str] = &["Issued", "Denied", "Failed"];

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    let rules = Rules::create(create).update(update).on("status", status);
    builder.rules::<PodCertificateRequest>(rules)?;
    Ok(())
}

fn create(request: &PodCertificateRequest, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&request.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    let (spec, path) = (&request.spec, FieldPath::new("spec"));
    signer_name(&spec.signer_name, &path.child("signerName"), errors);
    let annotations = path.child("unverifiedUserAnnotations");
    for key in spec.unverified_user_annotations.keys() {
        domain_prefixed_key(&key.to_lowercase(), &annotations, errors);
    }
    if annotations_size_error(&spec.unverified_user_annotations).is_some() {
        errors.too_long(&annotations, TOTAL_ANNOTATION_SIZE_LIMIT);
    }
    for (name_field, name, uid_field, uid) in [
        ("podName", &spec.pod_name, "podUID", &spec.pod_uid),
        ("serviceAccountName", &spec.service_account_name, "serviceAccountUID", &spec.service_account_uid),
        ("nodeName", &spec.node_name, "nodeUID", &spec.node_uid),
    ] {
        errors.invalid_each(&path.child(name_field), name, name_is_dns_subdomain(name, NamePart::Whole));
        if uid.is_empty() {
            errors.invalid(&path.child(uid_field), &Named(uid), "must not be empty");
        }
        if uid.len() > LONGEST_UID {
            errors.too_long(&path.child(uid_field), LONGEST_UID);
        }
    }
    let expiration = path.child("maxExpirationSeconds");
    let Some(seconds) = spec.max_expiration_seconds else {
        return errors.required(&expiration, "must be set");
    };
    let longest = if is_of_kubernetes(&spec.signer_name) { DAY } else { 91 * DAY };
    if !(HOUR..=longest).contains(&seconds) {
        errors.invalid(&expiration, &seconds, &format!("must be in the range [{HOUR}, {longest}]"));
    }
    key(spec, &path, errors);
}

/// The key comes in a request of its own, or bare with a proof.
fn key(spec: &PodCertificateRequestSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let given = [&spec.stub_pkcs10_request, &spec.pkix_public_key, &spec.proof_of_possession]
        .map(|it| !it.0.is_empty());
    match given {
        [true, false, false] => stub(spec, &path.child("stubPKCS10Request"), errors),
        [false, true, true] => bare_key(spec, path, errors),
        _ => {
            let detail =
                "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
            errors.invalid(path, &omitted(), detail);
        }
    }
}

fn stub(spec: &PodCertificateRequestSpec, path: &FieldPath, errors: &mut FieldErrors) {
    if spec.stub_pkcs10_request.0.len() > LARGEST_KEY {
        return errors.too_long(path, LARGEST_KEY);
    }
    let Ok(request) = Pkcs10::from_der(&spec.stub_pkcs10_request.0) else {
        return errors.invalid(path, &omitted(), "must be a valid PKCS#10 CSR");
    };
    match request.public_key.kind {
        KeyKind::Elliptic("P-224") => {
            let detail = "elliptic public keys must use curve P256, P384, or P521";
            errors.invalid(path, "curve P-224", detail);
        }
        kind => known_key(kind, &omitted(), path, errors),
    }
}

fn bare_key(spec: &PodCertificateRequestSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let (at, key) = (path.child("pkixPublicKey"), &spec.pkix_public_key);
    if key.0.len() > LARGEST_KEY {
        return errors.too_long(&at, LARGEST_KEY);
    }
    if spec.proof_of_possession.0.len() > LARGEST_KEY {
        return errors.too_long(&path.child("proofOfPossession"), LARGEST_KEY);
    }
    match PublicKey::from_der(&key.0) {
        Err(_) => errors.invalid(&at, key, "must be a valid PKIX-serialized public key"),
        Ok(PublicKey { kind: KeyKind::Elliptic("P-224"), .. }) => {
            errors.invalid(&at, "curve P-224", "elliptic public keys must use curve P256 or P384");
        }
        Ok(PublicKey { kind, .. }) => known_key(kind, &Shown(key.shown()), &at, errors),
    }
}

fn known_key(kind: KeyKind, value: &Shown, path: &FieldPath, errors: &mut FieldErrors) {
    match kind {
        KeyKind::Rsa(3072 | 4096) | KeyKind::Ed25519 | KeyKind::Elliptic(_) => {}
        KeyKind::Rsa(bits) => {
            let detail = "RSA keys must have modulus size 3072 or 4096";
            errors.invalid(path, &format!("{bits}-bit modulus"), detail);
        }
        _ => {
            let detail = "unknown public key type; supported types are Ed25519, ECDSA, and RSA";
            errors.invalid(path, value, detail);
        }
    }
}

/// Returns a value that the error doesn't show.
fn omitted() -> Shown {
    Shown(String::new())
}

fn update(new: &PodCertificateRequest, old: &PodCertificateRequest, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.spec != old.spec {
        errors.invalid(&FieldPath::new("spec"), &internal(&new.spec), "field is immutable");
    }
}

fn status(new: &PodCertificateRequest, old: &PodCertificateRequest, _: &Context, errors: &mut FieldErrors) {
    let start = errors.len();
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if errors.len() > start {
        return;
    }
    let path = FieldPath::new("status");
    known_conditions(&new.status, &path.child("conditions"), errors);
    conditions(&new.status.conditions, &path.child("conditions"), errors);
    // The conditions say what the rest must be, so that is of no interest while they are wrong.
    if errors.len() > start {
        return;
    }
    let status = &new.status;
    if ENDS.iter().any(|end| is(&old.status, end)) {
        if *status != old.status {
            let detail = "immutable after PodCertificateRequest is issued, denied, or failed";
            errors.invalid(&path, &omitted(), detail);
        }
    } else if is(status, "Denied") || is(status, "Failed") {
        let wanted = PodCertificateRequestStatus {
            conditions: status.conditions.clone(),
            ..PodCertificateRequestStatus::default()
        };
        if *status != wanted {
            let detail =
                "non-condition status fields must be empty when denying or failing the PodCertificateRequest";
            errors.invalid(&path, &omitted(), detail);
        }
    } else if is(status, "Issued") {
        issued(status, &old.spec, &path, errors);
    } else if *status != old.status {
        let detail = r#"status is immutable unless transitioning to "Issued", "Denied", or "Failed""#;
        errors.invalid(&path, &omitted(), detail);
    }
}

fn is(status: &PodCertificateRequestStatus, type_: &str) -> bool {
    status.conditions.iter().any(|condition| condition.type_ == type_ && condition.status == "True")
}

fn known_conditions(status: &PodCertificateRequestStatus, path: &FieldPath, errors: &mut FieldErrors) {
    let mut known = 0;
    for (index, condition) in status.conditions.iter().enumerate().wanted() {
        // Kubernetes writes the index as if it were a field.
        let path = path.child(&format!("[{index}]"));
        if !ENDS.contains(&condition.type_.as_str()) {
            errors.not_supported(&path.child("type"), &condition.type_, ENDS);
            continue;
        }
        known += 1;
        if known > 1 {
            let detail = r#"There may be at most one condition with type "Issued", "Denied", or "Failed""#;
            errors.invalid(&path.child("type"), &condition.type_, detail);
        }
        if condition.status != "True" {
            errors.not_supported(&path.child("status"), &Named(&condition.status), &["True"]);
        }
    }
}

/// The chain must be there, begin with a certificate for the requested key, and have its times told. What the
/// times are is not compared with those in the certificate.
fn issued(
    status: &PodCertificateRequestStatus,
    spec: &PodCertificateRequestSpec,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let (chain, at) = (&status.certificate_chain, path.child("certificateChain"));
    if chain.len() > LARGEST_CHAIN {
        return errors.too_long(&at, LARGEST_CHAIN);
    }
    let mut blocks = PemBlock::all(chain.as_bytes());
    let Some(leaf) = blocks.next() else {
        let detail = "issued certificate chain must contain at least one certificate";
        return errors.invalid(&at, chain, detail);
    };
    if leaf.label != CERTIFICATE {
        let detail = "issued certificate chain must consist entirely of CERTIFICATE PEM blocks";
        return errors.invalid(&at, chain, detail);
    }
    let Ok(leaf) = Certificate::from_der(&leaf.bytes) else {
        return errors.invalid(&at, chain, "leaf certificate does not parse as valid X.509");
    };
    let wanted = if spec.stub_pkcs10_request.0.is_empty() {
        PublicKey::from_der(&spec.pkix_public_key.0)
    } else {
        Pkcs10::from_der(&spec.stub_pkcs10_request.0).map(|request| request.public_key)
    };
    if wanted != Ok(leaf.public_key) {
        let detail = "leaf certificate was not issued to the requested public key";
        return errors.invalid(&at, chain, detail);
    }
    const CONSISTENT: &str = "must be present and consistent with the issued certificate";
    let start = errors.len();
    for (field, given, detail) in [
        ("notBefore", status.not_before.is_some(), CONSISTENT),
        ("notAfter", status.not_after.is_some(), CONSISTENT),
        (
            "beginRefreshAt",
            status.begin_refresh_at.is_some(),
            "must be present and in the range [notbefore+10min, notafter-10min]",
        ),
    ] {
        if !given {
            errors.required(&path.child(field), detail);
        }
    }
    if errors.len() > start {
        return;
    }
    for block in blocks {
        if block.label != CERTIFICATE {
            // The spelling is Kubernetes' own.
            let detail = "issued certificate chain must consist entirely of CERTFICATE PEM blocks";
            return errors.invalid(&at, chain, detail);
        }
        if Certificate::from_der(&block.bytes).is_err() {
            let detail = "intermediate certificate does not parse as valid X.509";
            return errors.invalid(&at, chain, detail);
        }
    }
}
