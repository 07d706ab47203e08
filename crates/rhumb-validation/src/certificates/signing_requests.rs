//! Validation of signing requests. Who approves may say so, and the signer may add the certificate; nothing else
//! changes, and what was said once is not taken back.

use std::collections::HashSet;

use rhumb_api::certificates::v1::{
    CertificateSigningRequest, CertificateSigningRequestCondition, CertificateSigningRequestStatus,
};
use rhumb_api::certificates::x509::{CERTIFICATE, Certificate, PemBlock, Pkcs10};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::core::signer_name::signer_name;
use crate::meta::{Scope, object_meta, object_meta_update};

const LEGACY_UNKNOWN: &str = "kubernetes.io/legacy-unknown";
const SHORTEST: i32 = 600;
/// Conditions that, once there, are true.
const FINAL: &[&str] = &["Approved", "Denied", "Failed"];
const DECISIONS: &[&str] = &["Approved", "Denied"];
const USAGES: &[&str] = &[
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    let rules = Rules::create(create).update(update).on("status", status).on("approval", approval);
    builder.rules::<CertificateSigningRequest>(rules)?;
    Ok(())
}

fn create(request: &CertificateSigningRequest, _: &Context, errors: &mut FieldErrors) {
    validate(request, &Leniency::default(), errors);
}

fn update(
    new: &CertificateSigningRequest,
    old: &CertificateSigningRequest,
    _: &Context,
    errors: &mut FieldErrors,
) {
    change(new, old, Through::Object, errors);
}

fn status(
    new: &CertificateSigningRequest,
    old: &CertificateSigningRequest,
    _: &Context,
    errors: &mut FieldErrors,
) {
    change(new, old, Through::Status, errors);
}

fn approval(
    new: &CertificateSigningRequest,
    old: &CertificateSigningRequest,
    _: &Context,
    errors: &mut FieldErrors,
) {
    change(new, old, Through::Approval, errors);
}

/// The way by which a request is changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Through {
    Object,
    Status,
    Approval,
}

/// What is let pass because the stored object has it.
#[derive(Default)]
struct Leniency {
    approved_and_denied: bool,
    legacy_signer: bool,
    doubled_conditions: bool,
    conditions_without_type: bool,
    any_certificate: bool,
    unknown_usages: bool,
    doubled_usages: bool,
}

impl Leniency {
    fn towards(new: &CertificateSigningRequest, old: &CertificateSigningRequest) -> Self {
        let conditions = &old.status.conditions;
        let has = |type_: &str| conditions.iter().any(|condition| condition.type_ == type_);
        let (mut types, mut usages) = (HashSet::new(), HashSet::new());
        Leniency {
            approved_and_denied: has("Approved") && has("Denied"),
            legacy_signer: old.spec.signer_name == LEGACY_UNKNOWN,
            doubled_conditions: !conditions.iter().all(|condition| types.insert(&condition.type_)),
            conditions_without_type: has(""),
            any_certificate: new.status.certificate == old.status.certificate
                || certificate_fault(&old.status).is_some(),
            unknown_usages: !old.spec.usages.iter().all(|usage| USAGES.contains(&usage.as_str())),
            doubled_usages: !old.spec.usages.iter().all(|usage| usages.insert(usage)),
        }
    }
}

fn validate(request: &CertificateSigningRequest, leniency: &Leniency, errors: &mut FieldErrors) {
    // No one cares what requests are called.
    let metadata = FieldPath::new("metadata");
    object_meta(&request.metadata, Scope::Cluster, |_, _| Vec::new(), &metadata, errors);
    let (spec, path) = (&request.spec, FieldPath::new("spec"));
    if let Err(error) = Pkcs10::from_pem(&spec.request.0) {
        errors.invalid(&path.child("request"), &spec.request, &error.to_string());
    }
    usages(&spec.usages, leniency, &path.child("usages"), errors);
    let signer = path.child("signerName");
    if spec.signer_name == LEGACY_UNKNOWN && !leniency.legacy_signer {
        let detail = "the legacy signerName is not allowed via this API version";
        errors.invalid(&signer, &spec.signer_name, detail);
    } else {
        signer_name(&spec.signer_name, &signer, errors);
    }
    if let Some(seconds) = spec.expiration_seconds
        && seconds < SHORTEST
    {
        let detail = "may not specify a duration less than 600 seconds (10 minutes)";
        errors.invalid(&path.child("expirationSeconds"), &seconds, detail);
    }
    let path = FieldPath::new("status");
    conditions(&request.status.conditions, leniency, &path.child("conditions"), errors);
    if !leniency.any_certificate
        && let Some(fault) = certificate_fault(&request.status)
    {
        errors.invalid(&path.child("certificate"), "<certificate data>", &fault);
    }
}

fn usages(usages: &[String], leniency: &Leniency, path: &FieldPath, errors: &mut FieldErrors) {
    if usages.is_empty() {
        errors.required(path, "");
    }
    if !leniency.unknown_usages {
        for (index, usage) in usages.iter().enumerate().wanted() {
            if !USAGES.contains(&usage.as_str()) {
                errors.not_supported(&path.index(index), &Named(usage), USAGES);
            }
        }
    }
    if !leniency.doubled_usages {
        let mut seen = HashSet::new();
        for (index, usage) in usages.iter().enumerate().wanted() {
            if !seen.insert(usage) {
                errors.duplicate(&path.index(index), &Named(usage));
            }
        }
    }
}

fn conditions(
    conditions: &[CertificateSigningRequestCondition],
    leniency: &Leniency,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    let mut seen = HashSet::new();
    let mut earlier = HashSet::new();
    for (index, condition) in conditions.iter().enumerate().wanted() {
        let type_ = condition.type_.as_str();
        let at = path.index(index);
        if type_.is_empty() && !leniency.conditions_without_type {
            errors.required(&at.child("type"), "");
        }
        let allowed: &[&str] = if FINAL.contains(&type_) { &["True"] } else { &["False", "True", "Unknown"] };
        if condition.status.is_empty() {
            errors.required(&at.child("status"), "");
        } else if !allowed.contains(&condition.status.as_str()) {
            errors.not_supported(&at.child("status"), &Named(&condition.status), allowed);
        }
        let opposite = match type_ {
            "Approved" => "Denied",
            "Denied" => "Approved",
            _ => "",
        };
        let is_earlier = earlier.contains(opposite);
        earlier.insert(type_);
        if !leniency.approved_and_denied && !opposite.is_empty() && is_earlier {
            let detail = "Approved and Denied conditions are mutually exclusive";
            errors.invalid(path, &Named(type_), detail);
        }
        if !leniency.doubled_conditions && !seen.insert(type_) {
            errors.duplicate(&at.child("type"), &Named(type_));
        }
    }
}

/// Returns what is wrong with an issued certificate.
fn certificate_fault(status: &CertificateSigningRequestStatus) -> Option<String> {
    let bytes = &status.certificate.0;
    if bytes.is_empty() {
        return None;
    }
    let mut blocks = 0;
    for block in PemBlock::all(bytes) {
        if block.label != CERTIFICATE {
            let label = quoted(&block.label);
            return Some(format!("only CERTIFICATE PEM blocks are allowed, found {label}"));
        }
        if block.headers > 0 {
            return Some("no PEM block headers are permitted".to_owned());
        }
        blocks += 1;
        if let Err(error) = Certificate::from_der(&block.bytes) {
            return Some(error.to_string());
        }
    }
    (blocks == 0).then(|| "must contain at least one CERTIFICATE PEM block".to_owned())
}

fn change(
    new: &CertificateSigningRequest,
    old: &CertificateSigningRequest,
    through: Through,
    errors: &mut FieldErrors,
) {
    validate(new, &Leniency::towards(new, old), errors);
    let path = FieldPath::new("status");
    let at = path.child("conditions");
    for type_ in FINAL {
        if of_type(new, type_).len() < of_type(old, type_).len() {
            let detail = format!("updates may not remove a condition of type {}", quoted(type_));
            errors.forbidden(&at, &detail);
        }
    }
    if through != Through::Approval {
        for type_ in DECISIONS {
            let (now, before) = (of_type(new, type_), of_type(old, type_));
            let verb = if now.len() > before.len() {
                "add"
            } else if now.len() == before.len() && now != before {
                "modify"
            } else {
                continue;
            };
            errors.forbidden(&at, &format!("updates may not {verb} a condition of type {}", quoted(type_)));
        }
    }
    if new.status.certificate != old.status.certificate {
        let path = path.child("certificate");
        if through != Through::Status {
            errors.forbidden(&path, "updates may not set certificate content");
        } else if !old.status.certificate.0.is_empty() {
            errors.forbidden(&path, "updates may not modify existing certificate content");
        }
    }
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
}

fn of_type<'a>(
    request: &'a CertificateSigningRequest,
    type_: &str,
) -> Vec<&'a CertificateSigningRequestCondition> {
    request.status.conditions.iter().filter(|condition| condition.type_ == type_).collect()
}
