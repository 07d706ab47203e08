//! Validation of trust bundles: the name begins with the signer's, and the certificates are those of authorities.

use std::collections::BTreeMap;

use rhumb_api::certificates::v1beta1::ClusterTrustBundle;
use rhumb_api::certificates::x509::{CERTIFICATE, Certificate, PemBlock};
use rhumb_meta::validation::{NamePart, name_is_dns_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::core::signer_name::signer_name;
use crate::meta::{Scope, immutable_field, object_meta, object_meta_update};

const LARGEST: usize = 1024 * 1024;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<ClusterTrustBundle>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(bundle: &ClusterTrustBundle, _: &Context, errors: &mut FieldErrors) {
    names(bundle, errors);
    certificates(bundle, errors);
}

fn update(new: &ClusterTrustBundle, old: &ClusterTrustBundle, _: &Context, errors: &mut FieldErrors) {
    names(new, errors);
    // What is stored stays valid, even if certificates are read more strictly one day.
    if new.spec.trust_bundle != old.spec.trust_bundle {
        certificates(new, errors);
    }
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec").child("signerName");
    immutable_field(&new.spec.signer_name, &old.spec.signer_name, &path, errors);
}

fn names(bundle: &ClusterTrustBundle, errors: &mut FieldErrors) {
    let (metadata, signer) = (&bundle.metadata, bundle.spec.signer_name.as_str());
    let path = FieldPath::new("metadata");
    for (field, name, part) in [
        ("generateName", &metadata.generate_name, NamePart::Prefix),
        ("name", &metadata.name, NamePart::Whole),
    ] {
        if !name.is_empty() {
            errors.invalid_each(&path.child(field), name, bundle_name(signer, name, part));
        }
    }
    object_meta(metadata, Scope::Cluster, |_, _| Vec::new(), &path, errors);
    if !signer.is_empty() {
        signer_name(signer, &FieldPath::new("spec").child("signerName"), errors);
    }
}

fn bundle_name(signer: &str, name: &str, part: NamePart) -> Vec<String> {
    if signer.is_empty() {
        if name.contains(':') {
            return vec![
                r#"ClusterTrustBundle without signer name must not have ":" in its name"#.to_owned(),
            ];
        }
        return name_is_dns_subdomain(name, part);
    }
    let prefix = format!("{}:", signer.replace('/', ":"));
    match name.strip_prefix(&prefix) {
        Some(own) => name_is_dns_subdomain(own, part),
        None => {
            vec![format!("ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}")]
        }
    }
}

fn certificates(bundle: &ClusterTrustBundle, errors: &mut FieldErrors) {
    let path = FieldPath::new("spec").child("trustBundle");
    let text = &bundle.spec.trust_bundle;
    if text.len() > LARGEST {
        return errors.too_long(&path, LARGEST);
    }
    let mut refuse = |detail: &str| errors.invalid(&path, "<value omitted>", detail);
    let mut anchors = BTreeMap::<Vec<u8>, Vec<usize>>::new();
    let mut malformed = false;
    for (index, block) in PemBlock::all(text.as_bytes()).enumerate() {
        match entry_fault(&block) {
            Some(fault) => {
                malformed = true;
                refuse(&format!("entry {index} {fault}"));
            }
            None => anchors.entry(block.bytes).or_default().push(index),
        }
    }
    if malformed {
        return;
    }
    if anchors.is_empty() {
        refuse("at least one trust anchor must be provided");
    }
    for indices in anchors.values().filter(|indices| indices.len() > 1) {
        let indices: Vec<String> = indices.iter().map(ToString::to_string).collect();
        refuse(&format!("duplicate trust anchor (indices [{}])", indices.join(" ")));
    }
}

fn entry_fault(block: &PemBlock) -> Option<String> {
    if block.label != CERTIFICATE {
        return Some(format!("has bad block type: {}", block.label));
    }
    if block.headers > 0 {
        return Some("has PEM block headers".to_owned());
    }
    match Certificate::from_der(&block.bytes) {
        Err(_) => Some("does not parse as X.509".to_owned()),
        Ok(certificate) if !certificate.is_authority => Some("does not have the CA bit set".to_owned()),
        Ok(_) => None,
    }
}
