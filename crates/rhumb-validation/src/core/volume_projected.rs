//! Validation of volumes with files from API objects: secrets, config maps, the pod itself, and tokens.

use std::collections::BTreeSet;

use rhumb_api::core::v1::{
    ClusterTrustBundleProjection, ConfigMapVolumeSource, DownwardAPIVolumeFile, DownwardAPIVolumeSource,
    KeyToPath, PodCertificateProjection, ProjectedVolumeSource, SecretVolumeSource,
    ServiceAccountTokenProjection, VolumeProjection,
};
use rhumb_meta::validation::{
    NamePart, TOTAL_ANNOTATION_SIZE_LIMIT, annotations_size_error, name_is_dns_subdomain,
};
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};

use super::env::{ResourceOf, field_ref, resource_ref};
use super::file_path::{file_mode, local_non_reserved};
use super::pod_options::PodOptions;
use super::signer_name::{is_of_kubernetes, signer_name};
use crate::internal_form::internal;
use crate::meta::{LabelSelectorOptions, domain_prefixed_key, label_selector};

const FIELDS: [&str; 5] =
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
const KEY_TYPES: [&str; 6] = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const TEN_MINUTES: i64 = 10 * 60;
const LONGEST_TOKEN: i64 = 1 << 32;
const HOUR: i32 = 60 * 60;
const DAY: i32 = 24 * HOUR;
const DUPLICATE_PATH: &str = "conflicting duplicate paths";

/// The files of a secret.
pub(super) fn secret(secret: &SecretVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    if secret.secret_name.is_empty() {
        errors.required(&path.child("secretName"), "");
    }
    file_mode(secret.default_mode, &path.child("defaultMode"), errors);
    for (index, item) in secret.items.iter().enumerate().wanted() {
        key_to_path(item, &path.child("items").index(index), errors);
    }
}

/// The files of a config map.
pub(super) fn config_map(map: &ConfigMapVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    if map.local_object_reference.name.is_empty() {
        errors.required(&path.child("name"), "");
    }
    file_mode(map.default_mode, &path.child("defaultMode"), errors);
    for (index, item) in map.items.iter().enumerate().wanted() {
        key_to_path(item, &path.child("items").index(index), errors);
    }
}

fn key_to_path(item: &KeyToPath, path: &FieldPath, errors: &mut FieldErrors) {
    if item.key.is_empty() {
        errors.required(&path.child("key"), "");
    }
    if item.path.is_empty() {
        errors.required(&path.child("path"), "");
    }
    local_non_reserved(&item.path, &path.child("path"), errors);
    file_mode(item.mode, &path.child("mode"), errors);
}

/// Files that say something of the pod.
pub(super) fn downward_api(source: &DownwardAPIVolumeSource, path: &FieldPath, errors: &mut FieldErrors) {
    file_mode(source.default_mode, &path.child("defaultMode"), errors);
    for file in &source.items {
        downward_api_file(file, path, errors);
    }
}

fn downward_api_file(file: &DownwardAPIVolumeFile, path: &FieldPath, errors: &mut FieldErrors) {
    if file.path.is_empty() {
        errors.required(&path.child("path"), "");
    }
    local_non_reserved(&file.path, &path.child("path"), errors);
    match (&file.field_ref, &file.resource_field_ref) {
        (Some(field), resource) => {
            field_ref(field, &FIELDS, &path.child("fieldRef"), errors);
            if resource.is_some() {
                let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
                errors.invalid(path, "resource", detail);
            }
        }
        (None, Some(resource)) => {
            resource_ref(resource, ResourceOf::AnyContainer, &path.child("resourceFieldRef"), errors);
        }
        (None, None) => errors.required(path, "one of fieldRef and resourceFieldRef is required"),
    }
    file_mode(file.mode, &path.child("mode"), errors);
}

/// Files from several sources.
pub(super) fn projected(
    volume: &ProjectedVolumeSource,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    file_mode(volume.default_mode, &path.child("defaultMode"), errors);
    let mut paths = Paths { seen: BTreeSet::new(), volume: path };
    for (index, source) in volume.sources.iter().enumerate().wanted() {
        projection(source, &mut paths, &path.child("sources").index(index), options, errors);
    }
}

/// The paths of all files in a volume; of two files with the same one the volume itself is in error.
struct Paths<'a> {
    seen: BTreeSet<&'a str>,
    volume: &'a FieldPath,
}

impl<'a> Paths<'a> {
    fn add(&mut self, path: &'a str, shown: &str, errors: &mut FieldErrors) {
        if !self.seen.insert(path) {
            errors.invalid(self.volume, shown, DUPLICATE_PATH);
        }
    }

    fn add_items(&mut self, items: &'a [KeyToPath], name: &str, path: &FieldPath, errors: &mut FieldErrors) {
        if name.is_empty() {
            errors.required(&path.child("name"), "");
        }
        for (index, item) in items.iter().enumerate().wanted() {
            key_to_path(item, &path.child("items").index(index), errors);
            if !item.path.is_empty() {
                self.add(&item.path, name, errors);
            }
        }
    }
}

fn projection<'a>(
    source: &'a VolumeProjection,
    paths: &mut Paths<'a>,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    let mut sources = 0;
    if let Some(secret) = &source.secret {
        sources += 1;
        let name = &secret.local_object_reference.name;
        paths.add_items(&secret.items, name, &path.child("secret"), errors);
    }
    if let Some(map) = &source.config_map {
        sources += 1;
        let name = &map.local_object_reference.name;
        paths.add_items(&map.items, name, &path.child("configMap"), errors);
    }
    if let Some(api) = &source.downward_api {
        sources += 1;
        for file in &api.items {
            downward_api_file(file, &path.child("downwardAPI"), errors);
            if !file.path.is_empty() {
                paths.add(&file.path, &file.path, errors);
            }
        }
    }
    if let Some(token) = &source.service_account_token {
        sources += 1;
        service_account_token(token, paths.volume, &path.child("serviceAccountToken"), options, errors);
    }
    if let Some(bundle) = &source.cluster_trust_bundle {
        sources += 1;
        cluster_trust_bundle(bundle, &path.child("clusterTrustBundle"), errors);
        paths.add(&bundle.path, &bundle.path, errors);
    }
    if let Some(certificate) = &source.pod_certificate {
        sources += 1;
        pod_certificate(certificate, paths, &path.child("podCertificate"), errors);
    }
    if sources > 1 {
        errors.forbidden(path, "may not specify more than 1 volume type per source");
    }
}

fn service_account_token(
    token: &ServiceAccountTokenProjection,
    volume: &FieldPath,
    path: &FieldPath,
    options: &PodOptions,
    errors: &mut FieldErrors,
) {
    let seconds = token.expiration_seconds.unwrap_or_default();
    let at = path.child("expirationSeconds");
    if seconds < TEN_MINUTES {
        errors.invalid(&at, &seconds, "may not specify a duration less than 10 minutes");
    }
    if seconds > LONGEST_TOKEN {
        errors.invalid(&at, &seconds, "may not specify a duration larger than 2^32 seconds");
    }
    if token.path.is_empty() {
        errors.required(&volume.child("path"), "");
    } else if !options.non_local_token_path {
        local_non_reserved(&token.path, &volume.child("path"), errors);
    }
}

fn cluster_trust_bundle(bundle: &ClusterTrustBundleProjection, path: &FieldPath, errors: &mut FieldErrors) {
    match (&bundle.name, &bundle.signer_name) {
        (Some(_), Some(_)) => {
            errors.invalid(path, &internal(bundle), "only one of name and signerName may be used");
        }
        (Some(name), None) => {
            let at = path.child("name");
            if name.is_empty() {
                errors.required(&at, "must be a valid object name");
            }
            // With a signer the name starts with the signer's, where colons stand for slashes.
            let own = name.rsplit_once(':').map_or(name.as_str(), |(_, own)| own);
            for problem in name_is_dns_subdomain(own, NamePart::Whole) {
                errors.invalid(&at, name, &format!("not a valid clustertrustbundlename: {problem}"));
            }
            if let Some(selector) = &bundle.label_selector {
                let detail = "labelSelector must be unset if name is specified";
                errors.invalid(&path.child("labelSelector"), selector.as_ref(), detail);
            }
        }
        (None, Some(signer)) => {
            if signer.is_empty() {
                errors.required(&path.child("signerName"), "must be a valid signer name");
            }
            signer_name(signer, &path.child("signerName"), errors);
            if let Some(selector) = &bundle.label_selector {
                let options = LabelSelectorOptions::default();
                label_selector(selector, options, &path.child("labelSelector"), errors);
            }
        }
        (None, None) => errors.required(path, "either name or signerName must be specified"),
    }
    if bundle.path.is_empty() {
        errors.required(&path.child("path"), "");
    }
    local_non_reserved(&bundle.path, &path.child("path"), errors);
}

fn pod_certificate<'a>(
    certificate: &'a PodCertificateProjection,
    paths: &mut Paths<'a>,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    signer_name(&certificate.signer_name, &path.child("signerName"), errors);
    for key in certificate.user_annotations.keys() {
        domain_prefixed_key(&key.to_lowercase(), &path.child("userAnnotations"), errors);
    }
    if annotations_size_error(&certificate.user_annotations).is_some() {
        errors.too_long(&path.child("userAnnotations"), TOTAL_ANNOTATION_SIZE_LIMIT);
    }
    if !KEY_TYPES.contains(&certificate.key_type.as_str()) {
        errors.not_supported(&path.child("keyType"), &certificate.key_type, &KEY_TYPES);
    }
    if let Some(seconds) = certificate.max_expiration_seconds {
        let at = path.child("maxExpirationSeconds");
        if seconds < HOUR {
            errors.invalid(&at, &seconds, "if provided, maxExpirationSeconds must be >= 3600");
        }
        let most = if is_of_kubernetes(&certificate.signer_name) { DAY } else { 91 * DAY };
        if seconds > most {
            errors.invalid(&at, &seconds, &format!("if provided, maxExpirationSeconds must be <= {most}"));
        }
    }
    let files = [
        (&certificate.credential_bundle_path, "credentialBundlePath"),
        (&certificate.key_path, "keyPath"),
        (&certificate.certificate_chain_path, "certificateChainPath"),
    ];
    for (file, field) in files.into_iter().filter(|(file, _)| !file.is_empty()) {
        local_non_reserved(file, &path.child(field), errors);
        paths.add(file, file, errors);
    }
    if files.iter().all(|(file, _)| file.is_empty()) {
        let detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
        errors.required(path, detail);
    }
}
