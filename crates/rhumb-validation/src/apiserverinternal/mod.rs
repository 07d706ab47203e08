//! Validation of the `internal.apiserver.k8s.io` group.

mod api_version;

use std::collections::{HashMap, HashSet};

use api_version::is_api_version;
use rhumb_api::apiserverinternal::v1alpha1::{
    ServerStorageVersion, StorageVersion, StorageVersionCondition, StorageVersionStatus,
};
use rhumb_meta::validation::{NamePart, is_dns1035_label, is_dns1123_subdomain};
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, dns_subdomain, object_meta, qualified_name};

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    // The spec is empty, so that nothing can be wrong with a change of it.
    let rules = Rules::create(create).update(|_, _, _, _| {}).on("status", status_update);
    builder.rules::<StorageVersion>(rules)?;
    Ok(())
}

fn create(version: &StorageVersion, _: &Context, errors: &mut FieldErrors) {
    let metadata = FieldPath::new("metadata");
    object_meta(&version.metadata, Scope::Cluster, group_and_resource, &metadata, errors);
    status(&version.status, &FieldPath::new("status"), errors);
}

/// A name is a group, a dot and a resource.
fn group_and_resource(name: &str, _: NamePart) -> Vec<String> {
    let Some((group, resource)) = name.rsplit_once('.') else {
        return vec!["name must be in the form of <group>.<resource>".to_owned()];
    };
    let group = is_dns1123_subdomain(group).into_iter().map(|text| format!("the group segment {text}"));
    let resource = is_dns1035_label(resource).into_iter().map(|text| format!("the resource segment {text}"));
    group.chain(resource).collect()
}

fn status_update(new: &StorageVersion, _: &StorageVersion, _: &Context, errors: &mut FieldErrors) {
    status(&new.status, &FieldPath::new("status"), errors);
}

fn status(status: &StorageVersionStatus, path: &FieldPath, errors: &mut FieldErrors) {
    let mut servers = HashSet::new();
    for (index, each) in status.storage_versions.iter().enumerate().wanted() {
        let path = path.child("storageVersions").index(index);
        if !servers.insert(&each.api_server_id) {
            errors.duplicate(&path.child("apiServerID"), &each.api_server_id);
        }
        server(each, &path, errors);
    }
    common_version(status, &path.child("commonEncodingVersion"), errors);
    conditions(&status.conditions, path, errors);
}

fn server(server: &ServerStorageVersion, path: &FieldPath, errors: &mut FieldErrors) {
    dns_subdomain(&server.api_server_id, &path.child("apiServerID"), errors);
    api_version(&server.encoding_version, &path.child("encodingVersion"), errors);
    let decodable = path.child("decodableVersions");
    for (index, version) in server.decodable_versions.iter().enumerate().wanted() {
        api_version(version, &decodable.index(index), errors);
    }
    let known: HashSet<&String> = server.decodable_versions.iter().collect();
    if !known.contains(&server.encoding_version) {
        let detail = format!("decodableVersions must include encodingVersion {}", server.encoding_version);
        errors.invalid(&decodable, &server.decodable_versions, &detail);
    }
    for (index, version) in server.served_versions.iter().enumerate().wanted() {
        let path = path.child("servedVersions").index(index);
        api_version(version, &path, errors);
        if !known.contains(version) && errors.is_full() {
            errors.forbidden(&path, "");
        } else if !known.contains(version) {
            let detail = format!(
                "individual served version : {version} must be included in decodableVersions : [{}]",
                server.decodable_versions.join(" ")
            );
            errors.invalid(&path, version, &detail);
        }
    }
}

fn api_version(version: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let found = is_api_version(version);
    if !found.is_empty() {
        errors.invalid(path, version, &found.join(","));
    }
}

/// The version that all servers store in is named if there is one, and only then.
fn common_version(status: &StorageVersionStatus, path: &FieldPath, errors: &mut FieldErrors) {
    let mut versions = status.storage_versions.iter().map(|server| &server.encoding_version);
    let actual = versions.next().filter(|first| versions.all(|version| version == *first));
    match (actual, &status.common_encoding_version) {
        (None, None) => {}
        (None, Some(named)) => {
            let detail = "should be nil if servers do not agree on the same encoding version, or if there is no \
                server reporting the supported versions yet";
            errors.invalid(path, named, detail);
        }
        (Some(actual), None) => {
            let detail = format!("the common encoding version is {actual}");
            errors.invalid(path, &status.common_encoding_version, &detail);
        }
        (Some(actual), Some(named)) if actual != named => {
            errors.invalid(path, named, &format!("the actual common encoding version is {actual}"));
        }
        (Some(_), Some(_)) => {}
    }
}

/// The conditions. Kubernetes leaves their own name out of the path.
fn conditions(conditions: &[StorageVersionCondition], path: &FieldPath, errors: &mut FieldErrors) {
    let mut seen = HashMap::new();
    for (index, condition) in conditions.iter().enumerate().wanted() {
        let path = path.index(index);
        if let Some(before) = seen.insert(&condition.type_, index) {
            let detail =
                format!("the type of the condition is not unique, it also appears in conditions[{before}]");
            errors.invalid(&path.child("type"), &condition.type_, &detail);
        }
        qualified_name(&condition.type_, &path.child("type"), errors);
        qualified_name(&condition.status, &path.child("status"), errors);
        for (field, text) in [("reason", &condition.reason), ("message", &condition.message)] {
            if text.is_empty() {
                errors.required(&path.child(field), "");
            }
        }
    }
}
