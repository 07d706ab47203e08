//! Defaults of volumes and of claims to them.

use rhumb_scheme::SchemeBuilder;

use super::super::{
    ConfigMapVolumeSource, DownwardAPIVolumeSource, HostPathVolumeSource, ImageVolumeSource,
    PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeClaimStatus, ProjectedVolumeSource,
    SecretVolumeSource, ServiceAccountTokenProjection, Volume, VolumeResourceRequirements, VolumeSource,
};
use super::pod::pull_policy;
use super::{fill, round_up};

/// Readable by all, writable by the owner.
const FILE_MODE: i32 = 0o644;
/// How long a token lives that says nothing on it.
const HOUR: i64 = 3600;

pub(super) fn register(builder: &mut SchemeBuilder) {
    builder
        .defaults(volume)
        .defaults(image)
        .defaults(host_path)
        .defaults(secret)
        .defaults(config_map)
        .defaults(downward_api)
        .defaults(projected)
        .defaults(service_account_token)
        .defaults(claim)
        .defaults(claim_spec)
        .defaults(claim_status)
        .defaults(claim_resources);
}

/// A volume that doesn't say what it is is an empty directory.
fn volume(volume: &mut Volume) {
    if volume.volume_source == VolumeSource::default() {
        volume.volume_source.empty_dir.get_or_insert_default();
    }
}

fn image(image: &mut ImageVolumeSource) {
    pull_policy(&image.reference, &mut image.pull_policy);
}

/// An empty type means that nothing is checked before mounting.
fn host_path(path: &mut HostPathVolumeSource) {
    path.type_.get_or_insert_default();
}

fn secret(secret: &mut SecretVolumeSource) {
    secret.default_mode.get_or_insert(FILE_MODE);
}

fn config_map(map: &mut ConfigMapVolumeSource) {
    map.default_mode.get_or_insert(FILE_MODE);
}

fn downward_api(source: &mut DownwardAPIVolumeSource) {
    source.default_mode.get_or_insert(FILE_MODE);
}

fn projected(source: &mut ProjectedVolumeSource) {
    source.default_mode.get_or_insert(FILE_MODE);
}

fn service_account_token(token: &mut ServiceAccountTokenProjection) {
    token.expiration_seconds.get_or_insert(HOUR);
}

fn claim(claim: &mut PersistentVolumeClaim) {
    fill(&mut claim.status.phase, "Pending");
}

fn claim_spec(spec: &mut PersistentVolumeClaimSpec) {
    spec.volume_mode.get_or_insert_with(|| "Filesystem".to_owned());
}

fn claim_status(status: &mut PersistentVolumeClaimStatus) {
    round_up(&mut status.capacity);
    round_up(&mut status.allocated_resources);
}

fn claim_resources(resources: &mut VolumeResourceRequirements) {
    round_up(&mut resources.limits);
    round_up(&mut resources.requests);
}
