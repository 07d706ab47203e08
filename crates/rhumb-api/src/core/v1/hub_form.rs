//! What the hub of the core group wants said in one way only, as Kubernetes' internal types do.

use std::collections::BTreeMap;

use rhumb_schema::ByteString;
use rhumb_scheme::{ConvertError, SchemeBuilder};

use super::{
    NodeSpec, Pod, PodIP, PodSpec, PodStatus, PodTemplateSpec, Secret, ServiceAccountTokenProjection,
};

/// Init containers stood in annotations once. No one reads these any more, and they must not seem to matter.
const INIT_CONTAINERS: [&str; 4] = [
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
];

/// Registers the functions.
pub(crate) fn register(builder: &mut SchemeBuilder) {
    builder
        .hub_form(pod)
        .hub_form(pod_template)
        .hub_form(pod_spec)
        .hub_form(pod_status)
        .hub_form(service_account_token)
        .hub_form(node_spec)
        .hub_form(secret);
}

/// Pods, unlike templates, can't have a negative grace period: it means as soon as possible.
fn pod(pod: &mut Pod) -> Result<(), ConvertError> {
    drop_init_containers(&mut pod.metadata.annotations);
    if let Some(period) = &mut pod.spec.termination_grace_period_seconds
        && *period < 0
    {
        *period = 1;
    }
    Ok(())
}

fn pod_template(template: &mut PodTemplateSpec) -> Result<(), ConvertError> {
    drop_init_containers(&mut template.metadata.annotations);
    Ok(())
}

fn drop_init_containers(annotations: &mut BTreeMap<String, String>) {
    if !annotations.is_empty() {
        for key in INIT_CONTAINERS {
            annotations.remove(key);
        }
    }
}

/// The service account has an old name and a new one, which say the same; the new one wins.
fn pod_spec(spec: &mut PodSpec) -> Result<(), ConvertError> {
    if spec.service_account_name.is_empty() {
        spec.service_account_name.clone_from(&spec.service_account);
    } else if spec.service_account != spec.service_account_name {
        spec.service_account.clone_from(&spec.service_account_name);
    }
    spec.security_context.get_or_insert_default();
    Ok(())
}

/// The one address is the first of all. If they differ, the one was written by someone who doesn't know of more.
fn pod_status(status: &mut PodStatus) -> Result<(), ConvertError> {
    match status.pod_ips.first() {
        Some(first) if status.pod_ip.is_empty() => status.pod_ip.clone_from(&first.ip),
        Some(first) if first.ip == status.pod_ip => {}
        None if status.pod_ip.is_empty() => {}
        _ => status.pod_ips = vec![PodIP { ip: status.pod_ip.clone() }],
    }
    Ok(())
}

/// The hub knows no absent lifetime.
fn service_account_token(token: &mut ServiceAccountTokenProjection) -> Result<(), ConvertError> {
    token.expiration_seconds.get_or_insert(0);
    Ok(())
}

/// The one network is the first of all. If they differ, the one was written by someone who doesn't know of more.
fn node_spec(spec: &mut NodeSpec) -> Result<(), ConvertError> {
    match spec.pod_cidrs.first() {
        Some(first) if spec.pod_cidr.is_empty() => spec.pod_cidr.clone_from(first),
        Some(first) if *first == spec.pod_cidr => {}
        None if spec.pod_cidr.is_empty() => {}
        _ => spec.pod_cidrs = vec![spec.pod_cidr.clone()],
    }
    Ok(())
}

/// Plain text is a way to write data; the hub has data only.
fn secret(secret: &mut Secret) -> Result<(), ConvertError> {
    for (key, text) in std::mem::take(&mut secret.string_data) {
        secret.data.insert(key, ByteString(text.into_bytes()));
    }
    Ok(())
}
