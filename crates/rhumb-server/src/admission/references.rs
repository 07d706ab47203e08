//! What pods refer to: Secrets, ConfigMaps and other objects, in every list of containers and every form of volume.
//! Whoever has to look at references looks here, so that none is forgotten.

use rhumb_api::core::v1::{EnvFromSource, EnvVar, PodSpec, VolumeProjection, VolumeSource};

/// A container of whatever list, as far as it refers to objects.
#[derive(Clone, Copy)]
pub(super) struct Container<'a> {
    /// What messages call containers of its list.
    pub(super) sort: &'static str,
    pub(super) name: &'a str,
    pub(super) env: &'a [EnvVar],
    pub(super) env_from: &'a [EnvFromSource],
}

/// What messages call containers that are added to a running pod.
pub(super) const LATER: &str = "ephemeral container";

fn ordinary<'a>(
    sort: &'static str,
    list: &'a [rhumb_api::core::v1::Container],
) -> impl Iterator<Item = Container<'a>> {
    list.iter().map(move |one| Container { sort, name: &one.name, env: &one.env, env_from: &one.env_from })
}

/// All containers of a pod: first those that begin, then the others, last those that were added later.
pub(super) fn containers(spec: &PodSpec) -> impl Iterator<Item = Container<'_>> {
    let later = spec.ephemeral_containers.iter().map(|one| {
        let one = &one.ephemeral_container_common;
        Container { sort: LATER, name: &one.name, env: &one.env, env_from: &one.env_from }
    });
    ordinary("init container", &spec.init_containers)
        .chain(ordinary("container", &spec.containers))
        .chain(later)
}

/// The Secret that a variable comes from.
pub(super) fn secret_of_variable(variable: &EnvVar) -> Option<&str> {
    let source = variable.value_from.as_ref()?.secret_key_ref.as_ref()?;
    Some(&source.local_object_reference.name)
}

/// The Secret that variables come from.
pub(super) fn secret_of_source(source: &EnvFromSource) -> Option<&str> {
    Some(&source.secret_ref.as_ref()?.local_object_reference.name)
}

/// The Secrets that a volume refers to.
pub(super) fn secrets_of_volume(volume: &VolumeSource) -> Vec<&str> {
    let named = [
        volume.secret.as_ref().map(|source| source.secret_name.as_str()),
        volume.azure_file.as_ref().map(|source| source.secret_name.as_str()),
        volume.cephfs.as_ref().and_then(|source| Some(source.secret_ref.as_ref()?.name.as_str())),
        volume.cinder.as_ref().and_then(|source| Some(source.secret_ref.as_ref()?.name.as_str())),
        volume.flex_volume.as_ref().and_then(|source| Some(source.secret_ref.as_ref()?.name.as_str())),
        volume.rbd.as_ref().and_then(|source| Some(source.secret_ref.as_ref()?.name.as_str())),
        volume.scale_io.as_ref().and_then(|source| Some(source.secret_ref.as_ref()?.name.as_str())),
        volume.iscsi.as_ref().and_then(|source| Some(source.secret_ref.as_ref()?.name.as_str())),
        volume.storageos.as_ref().and_then(|source| Some(source.secret_ref.as_ref()?.name.as_str())),
        volume.csi.as_ref().and_then(|source| Some(source.node_publish_secret_ref.as_ref()?.name.as_str())),
    ];
    let projected = volume.projected.iter().flat_map(|source| &source.sources);
    let projected = projected.filter_map(|source| source.secret.as_ref());
    let projected = projected.map(|source| source.local_object_reference.name.as_str());
    named.into_iter().flatten().chain(projected).collect()
}

/// Whether a pod refers to any Secret.
pub(super) fn has_secrets(spec: &PodSpec) -> bool {
    let pulled = spec.image_pull_secrets.iter().map(|secret| secret.name.as_str());
    let used = containers(spec).flat_map(|one| {
        let variables = one.env.iter().filter_map(secret_of_variable);
        variables.chain(one.env_from.iter().filter_map(secret_of_source))
    });
    let mounted = spec.volumes.iter().flat_map(|volume| secrets_of_volume(&volume.volume_source));
    pulled.chain(used).chain(mounted).any(|name| !name.is_empty())
}

fn has_config_maps(spec: &PodSpec) -> bool {
    let used = containers(spec).flat_map(|one| {
        let variables = one.env.iter().filter_map(|variable| {
            let source = variable.value_from.as_ref()?.config_map_key_ref.as_ref()?;
            Some(source.local_object_reference.name.as_str())
        });
        let all = one
            .env_from
            .iter()
            .filter_map(|source| Some(source.config_map_ref.as_ref()?.local_object_reference.name.as_str()));
        variables.chain(all)
    });
    let mounted = spec.volumes.iter().flat_map(|volume| {
        let source = &volume.volume_source;
        let one = source.config_map.iter().map(|source| source.local_object_reference.name.as_str());
        let projected = source.projected.iter().flat_map(|source| &source.sources);
        let projected = projected.filter_map(|source| source.config_map.as_ref());
        one.chain(projected.map(|source| source.local_object_reference.name.as_str()))
    });
    used.chain(mounted).any(|name| !name.is_empty())
}

/// What objects a pod refers to, as messages call them; `Err` if that can't be told.
pub(super) fn objects(spec: &PodSpec) -> Result<Option<&'static str>, String> {
    if !spec.service_account_name.is_empty() {
        return Ok(Some("serviceaccounts"));
    }
    if has_secrets(spec) {
        return Ok(Some("secrets"));
    }
    if has_config_maps(spec) {
        return Ok(Some("configmaps"));
    }
    if !spec.resource_claims.is_empty() {
        return Ok(Some("resourceclaims"));
    }
    for volume in &spec.volumes {
        let found = of_volume(&volume.name, &volume.volume_source)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn of_volume(name: &str, volume: &VolumeSource) -> Result<Option<&'static str>, String> {
    let plain = [
        volume.aws_elastic_block_store.is_some(),
        volume.azure_disk.is_some(),
        volume.cephfs.is_some(),
        volume.cinder.is_some(),
        volume.downward_api.is_some(),
        volume.empty_dir.is_some(),
        volume.fc.is_some(),
        volume.flex_volume.is_some(),
        volume.flocker.is_some(),
        volume.gce_persistent_disk.is_some(),
        volume.git_repo.is_some(),
        volume.host_path.is_some(),
        volume.image.is_some(),
        volume.iscsi.is_some(),
        volume.nfs.is_some(),
        volume.photon_persistent_disk.is_some(),
        volume.portworx_volume.is_some(),
        volume.quobyte.is_some(),
        volume.rbd.is_some(),
        volume.scale_io.is_some(),
        volume.storageos.is_some(),
        volume.vsphere_volume.is_some(),
    ];
    if plain.contains(&true) {
        return Ok(None);
    }
    let refers = [
        (volume.config_map.is_some(), "configmaps (via configmap volumes)"),
        (volume.secret.is_some(), "secrets (via secret volumes)"),
        (volume.csi.is_some(), "csidrivers (via CSI volumes)"),
        (volume.glusterfs.is_some(), "endpoints (via glusterFS volumes)"),
        (volume.persistent_volume_claim.is_some(), "persistentvolumeclaims"),
        (volume.ephemeral.is_some(), "persistentvolumeclaims (via ephemeral volumes)"),
        (volume.azure_file.is_some(), "secrets (via azureFile volumes)"),
    ];
    if let Some((_, what)) = refers.into_iter().find(|(refers, _)| *refers) {
        return Ok(Some(what));
    }
    let Some(projected) = &volume.projected else {
        return Err(format!("unknown volume type for volume  {}", rhumb_schema::text::quoted(name)));
    };
    for source in &projected.sources {
        let found = of_projection(name, source)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn of_projection(volume: &str, source: &VolumeProjection) -> Result<Option<&'static str>, String> {
    let refers = [
        (source.config_map.is_some(), "configmaps (via projected volumes)"),
        (source.secret.is_some(), "secrets (via projected volumes)"),
        (source.service_account_token.is_some(), "serviceaccounts (via projected volumes)"),
        (source.cluster_trust_bundle.is_some(), "clustertrustbundles"),
        (source.pod_certificate.is_some(), "podcertificates"),
    ];
    match refers.into_iter().find(|(refers, _)| *refers) {
        Some((_, what)) => Ok(Some(what)),
        None if source.downward_api.is_some() => Ok(None),
        None => Err(format!("unknown source for projected volume {}", rhumb_schema::text::quoted(volume))),
    }
}
