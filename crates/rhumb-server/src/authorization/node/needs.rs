//! What a pod or a volume names that its node has to read.

use rhumb_api::core::v1::{
    Container, EnvFromSource, EnvVar, PersistentVolume, Pod, SecretReference, Volume, VolumeSource,
};

use super::graph::{Kind, Thing};

/// What a pod on a node gives the node access to, in the pod's namespace.
pub(super) fn of_pod(pod: &Pod) -> Vec<Thing> {
    const MIRROR: &str = "kubernetes.io/config.mirror";
    // Such pods are made by nodes, and a node must not be able to give itself anything.
    if pod.metadata.annotations.contains_key(MIRROR) {
        return Vec::new();
    }
    let mut found = Found { namespace: &pod.metadata.namespace, things: Vec::new() };
    let spec = &pod.spec;
    found.add(Kind::Account, &spec.service_account_name);
    for reference in &spec.image_pull_secrets {
        found.add(Kind::Secret, &reference.name);
    }
    for container in spec.init_containers.iter().chain(&spec.containers) {
        let Container { env, env_from, .. } = container;
        found.environment(env, env_from);
    }
    for container in &spec.ephemeral_containers {
        let container = &container.ephemeral_container_common;
        found.environment(&container.env, &container.env_from);
    }
    for volume in &spec.volumes {
        found.volume(&pod.metadata.name, volume);
    }
    for claim in &spec.resource_claims {
        match (&claim.resource_claim_name, &claim.resource_claim_template_name) {
            (Some(name), _) => found.add(Kind::ResourceClaim, name),
            (None, Some(_)) => {
                let made = pod.status.resource_claim_statuses.iter().find(|status| status.name == claim.name);
                if let Some(name) = made.and_then(|status| status.resource_claim_name.as_ref()) {
                    found.add(Kind::ResourceClaim, name);
                }
            }
            (None, None) => {}
        }
    }
    if let Some(extended) = &pod.status.extended_resource_claim_status {
        found.add(Kind::ResourceClaim, &extended.resource_claim_name);
    }
    found.things.sort_unstable();
    found.things.dedup();
    found.things
}

struct Found<'a> {
    namespace: &'a str,
    things: Vec<Thing>,
}

impl Found<'_> {
    fn add(&mut self, kind: Kind, name: &str) {
        if !name.is_empty() {
            self.things.push(Thing::new(kind, self.namespace, name));
        }
    }

    fn environment(&mut self, env: &[EnvVar], from: &[EnvFromSource]) {
        for source in from {
            if let Some(secret) = &source.secret_ref {
                self.add(Kind::Secret, &secret.local_object_reference.name);
            }
            if let Some(map) = &source.config_map_ref {
                self.add(Kind::ConfigMap, &map.local_object_reference.name);
            }
        }
        for source in env.iter().filter_map(|variable| variable.value_from.as_ref()) {
            if let Some(secret) = &source.secret_key_ref {
                self.add(Kind::Secret, &secret.local_object_reference.name);
            }
            if let Some(map) = &source.config_map_key_ref {
                self.add(Kind::ConfigMap, &map.local_object_reference.name);
            }
        }
    }

    fn volume(&mut self, pod: &str, volume: &Volume) {
        let source = &volume.volume_source;
        if let Some(claim) = &source.persistent_volume_claim {
            self.add(Kind::Claim, &claim.claim_name);
        } else if source.ephemeral.is_some() {
            self.add(Kind::Claim, &format!("{pod}-{}", volume.name));
        }
        if let Some(map) = &source.config_map {
            self.add(Kind::ConfigMap, &map.local_object_reference.name);
        }
        for part in source.projected.iter().flat_map(|projected| &projected.sources) {
            if let Some(secret) = &part.secret {
                self.add(Kind::Secret, &secret.local_object_reference.name);
            }
            if let Some(map) = &part.config_map {
                self.add(Kind::ConfigMap, &map.local_object_reference.name);
            }
        }
        if let Some(secret) = secret_of(source) {
            self.add(Kind::Secret, secret);
        }
    }
}

/// The one secret that a volume of a pod is reached with. A volume has one source.
fn secret_of(source: &VolumeSource) -> Option<&str> {
    if let Some(secret) = &source.secret {
        return Some(&secret.secret_name);
    }
    if let Some(file) = &source.azure_file {
        return Some(&file.secret_name);
    }
    let reference = None
        .or_else(|| source.cephfs.as_ref()?.secret_ref.as_ref())
        .or_else(|| source.cinder.as_ref()?.secret_ref.as_ref())
        .or_else(|| source.flex_volume.as_ref()?.secret_ref.as_ref())
        .or_else(|| source.rbd.as_ref()?.secret_ref.as_ref())
        .or_else(|| source.scale_io.as_ref()?.secret_ref.as_ref())
        .or_else(|| source.iscsi.as_ref()?.secret_ref.as_ref())
        .or_else(|| source.storageos.as_ref()?.secret_ref.as_ref())
        .or_else(|| source.csi.as_ref()?.node_publish_secret_ref.as_ref());
    reference.map(|reference| reference.name.as_str())
}

/// The secrets that a node needs for a volume, with their namespaces.
pub(super) fn of_volume(volume: &PersistentVolume) -> Vec<Thing> {
    let source = &volume.spec.persistent_volume_source;
    let home = volume.spec.claim_ref.as_ref().map(|claim| claim.namespace.as_str()).unwrap_or_default();
    let mut found = Vec::new();
    let mut add = |namespace: &str, name: &str| {
        if !name.is_empty() {
            found.push(Thing::new(Kind::Secret, namespace, name));
        }
    };
    if let Some(file) = &source.azure_file {
        let told = file.secret_namespace.as_deref().filter(|told| !told.is_empty());
        add(told.unwrap_or(home), &file.secret_name);
    }
    // Those that are older than the namespace in the reference mean that of the claim.
    let older: [Option<&SecretReference>; 5] = [
        source.cephfs.as_ref().and_then(|source| source.secret_ref.as_deref()),
        source.flex_volume.as_ref().and_then(|source| source.secret_ref.as_deref()),
        source.rbd.as_ref().and_then(|source| source.secret_ref.as_deref()),
        source.scale_io.as_ref().and_then(|source| source.secret_ref.as_deref()),
        source.iscsi.as_ref().and_then(|source| source.secret_ref.as_deref()),
    ];
    for reference in older.into_iter().flatten() {
        add(if reference.namespace.is_empty() { home } else { &reference.namespace }, &reference.name);
    }
    if let Some(reference) = source.storageos.as_ref().and_then(|source| source.secret_ref.as_ref()) {
        add(&reference.namespace, &reference.name);
    }
    let mut exact = vec![source.cinder.as_ref().and_then(|source| source.secret_ref.as_ref())];
    if let Some(csi) = &source.csi {
        exact.push(csi.node_publish_secret_ref.as_ref());
        exact.push(csi.node_stage_secret_ref.as_ref());
        exact.push(csi.node_expand_secret_ref.as_ref());
    }
    for reference in exact.into_iter().flatten() {
        add(&reference.namespace, &reference.name);
    }
    found
}
