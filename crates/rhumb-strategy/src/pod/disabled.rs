//! Drops fields of disabled features, unless the old object uses them.

use rhumb_api::core::v1::{
    ContainerStatus, Lifecycle, Pod, PodSpec, PodStatus, PodTemplateSpec, VolumeMountStatus, VolumeProjection,
};

use super::containers::{containers, containers_mut};

/// Drops from a pod what is off.
pub(crate) fn drop_disabled_pod(pod: &mut Pod, old: Option<&Pod>) {
    drop_from_spec(&mut pod.spec, old.map(|old| &old.spec));
    drop_from_status(&mut pod.status, old.map(|old| &old.status));
}

/// Drops from a template what is off.
pub(crate) fn drop_disabled_template(template: &mut PodTemplateSpec, old: Option<&PodTemplateSpec>) {
    drop_from_spec(&mut template.spec, old.map(|old| &old.spec));
}

fn drop_from_spec(spec: &mut PodSpec, old: Option<&PodSpec>) {
    let used = |in_use: fn(&PodSpec) -> bool| old.is_some_and(in_use);
    if !used(|old| old.scheduling_group.is_some()) {
        spec.scheduling_group = None;
    }
    if !used(|old| projections(old).any(|source| source.cluster_trust_bundle.is_some())) {
        projections_mut(spec).for_each(|source| source.cluster_trust_bundle = None);
    }
    if !used(|old| projections(old).any(|source| source.pod_certificate.is_some())) {
        projections_mut(spec).for_each(|source| source.pod_certificate = None);
    }
    if !used(|old| {
        containers(old).any(|one| one.lifecycle().is_some_and(|hooks| hooks.stop_signal.is_some()))
    }) {
        containers_mut(spec).for_each(|one| drop_stop_signal(one.lifecycle_mut()));
    }
}

fn projections(spec: &PodSpec) -> impl Iterator<Item = &VolumeProjection> {
    spec.volumes
        .iter()
        .filter_map(|volume| volume.volume_source.projected.as_ref())
        .flat_map(|all| &all.sources)
}

fn projections_mut(spec: &mut PodSpec) -> impl Iterator<Item = &mut VolumeProjection> {
    let projected = spec.volumes.iter_mut().filter_map(|volume| volume.volume_source.projected.as_mut());
    projected.flat_map(|all| &mut all.sources)
}

/// Hooks that say nothing else go as well.
fn drop_stop_signal(lifecycle: &mut Option<Box<Lifecycle>>) {
    if let Some(hooks) = lifecycle
        && hooks.stop_signal.take().is_some()
        && **hooks == Lifecycle::default()
    {
        *lifecycle = None;
    }
}

fn drop_from_status(status: &mut PodStatus, old: Option<&PodStatus>) {
    let digests = |old: &PodStatus| {
        let mounts = container_statuses(old).flat_map(|container| &container.volume_mounts);
        mounts.into_iter().any(|mount: &VolumeMountStatus| mount.volume_status.is_some())
    };
    if !old.is_some_and(digests) {
        for container in container_statuses_mut(status) {
            container.volume_mounts.iter_mut().for_each(|mount| mount.volume_status = None);
        }
    }
    if old.is_none_or(|old| old.node_allocatable_resource_claim_statuses.is_empty()) {
        status.node_allocatable_resource_claim_statuses.clear();
    }
}

fn container_statuses(status: &PodStatus) -> impl Iterator<Item = &ContainerStatus> {
    let PodStatus { container_statuses, init_container_statuses, ephemeral_container_statuses, .. } = status;
    container_statuses.iter().chain(init_container_statuses).chain(ephemeral_container_statuses)
}

fn container_statuses_mut(status: &mut PodStatus) -> impl Iterator<Item = &mut ContainerStatus> {
    let PodStatus { container_statuses, init_container_statuses, ephemeral_container_statuses, .. } = status;
    container_statuses.iter_mut().chain(init_container_statuses).chain(ephemeral_container_statuses)
}
