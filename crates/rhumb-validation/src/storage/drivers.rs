//! Validation of CSI drivers.

use std::collections::HashSet;

use rhumb_api::storage::v1::{CSIDriver, CSIDriverSpec, TokenRequest};
use rhumb_meta::validation::name_is_dns_subdomain;
use rhumb_scheme::validation::{Context, FieldErrors, FieldPath, Named, Rules, Wanted};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::meta::{Scope, immutable_field, object_meta, object_meta_update};

const FS_GROUP_POLICIES: [&str; 3] = ["File", "None", "ReadWriteOnceWithFSType"];
const LIFECYCLE_MODES: [&str; 2] = ["Persistent", "Ephemeral"];
/// The least number of seconds between two looks at what a node can take.
const MIN_UPDATE_PERIOD: i64 = 10;
const MIN_TOKEN_SECONDS: i64 = 10 * 60;
const MAX_TOKEN_SECONDS: i64 = 1 << 32;

pub(super) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<CSIDriver>(Rules::create(create).update(update))?;
    Ok(())
}

fn create(driver: &CSIDriver, _: &Context, errors: &mut FieldErrors) {
    object_meta(&driver.metadata, Scope::Cluster, name_is_dns_subdomain, &FieldPath::new("metadata"), errors);
    spec(&driver.spec, &FieldPath::new("spec"), errors);
}

fn update(new: &CSIDriver, old: &CSIDriver, _: &Context, errors: &mut FieldErrors) {
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    let path = FieldPath::new("spec");
    spec(&new.spec, &path, errors);
    let (new, old) = (&new.spec, &old.spec);
    immutable_field(&new.attach_required, &old.attach_required, &path.child("attachedRequired"), errors);
    let modes = path.child("volumeLifecycleModes");
    immutable_field(&new.volume_lifecycle_modes, &old.volume_lifecycle_modes, &modes, errors);
}

fn spec(spec: &CSIDriverSpec, path: &FieldPath, errors: &mut FieldErrors) {
    let flag = |flag: Option<bool>, field: &str, errors: &mut FieldErrors| {
        if flag.is_none() {
            errors.required(&path.child(field), "");
        }
    };
    // The first of them is misspelt in Kubernetes too.
    flag(spec.attach_required, "attachedRequired", errors);
    flag(spec.pod_info_on_mount, "podInfoOnMount", errors);
    flag(spec.storage_capacity, "storageCapacity", errors);
    if let Some(policy) = spec.fs_group_policy.as_deref()
        && !FS_GROUP_POLICIES.contains(&policy)
    {
        errors.not_supported(&path.child("fsGroupPolicy"), &Named(policy), &FS_GROUP_POLICIES);
    }
    token_requests(&spec.token_requests, &path.child("tokenRequests"), errors);
    for mode in spec.volume_lifecycle_modes.iter().filter(|mode| !LIFECYCLE_MODES.contains(&mode.as_str())) {
        errors.not_supported(&path.child("volumeLifecycleModes"), &Named(mode), &LIFECYCLE_MODES);
    }
    flag(spec.se_linux_mount, "seLinuxMount", errors);
    if let Some(period) = spec.node_allocatable_update_period_seconds.filter(|it| *it < MIN_UPDATE_PERIOD) {
        let detail = "must be greater than or equal to 10 seconds";
        errors.invalid(&path.child("nodeAllocatableUpdatePeriodSeconds"), &period, detail);
    }
    if let Some(in_secrets) = spec.service_account_token_in_secrets
        && spec.token_requests.is_empty()
    {
        let detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        errors.invalid(&path.child("serviceAccountTokenInSecrets"), &in_secrets, detail);
    }
}

/// Tokens for different audiences, which live neither too short nor too long.
fn token_requests(requests: &[TokenRequest], path: &FieldPath, errors: &mut FieldErrors) {
    let mut audiences = HashSet::new();
    for (index, request) in requests.iter().enumerate().wanted() {
        let path = path.index(index);
        if !audiences.insert(&request.audience) {
            errors.duplicate(&path.child("audience"), &request.audience);
            continue;
        }
        let path = path.child("expirationSeconds");
        match request.expiration_seconds {
            Some(seconds) if seconds < MIN_TOKEN_SECONDS => {
                errors.invalid(&path, &seconds, "may not specify a duration less than 10 minutes");
            }
            Some(seconds) if seconds > MAX_TOKEN_SECONDS => {
                errors.invalid(&path, &seconds, "may not specify a duration larger than 2^32 seconds");
            }
            _ => {}
        }
    }
}
