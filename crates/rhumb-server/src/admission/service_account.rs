//! ServiceAccount: every pod runs as an account of its namespace and finds a token of it, and an account can say
//! that its pods get at no Secrets but its own.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::core::v1::{
    ConfigMapProjection, Container, DownwardAPIProjection, DownwardAPIVolumeFile, KeyToPath,
    LocalObjectReference, ObjectFieldSelector, Pod, ProjectedVolumeSource, ServiceAccount,
    ServiceAccountTokenProjection, Volume, VolumeMount, VolumeProjection, VolumeSource,
};
use rhumb_meta::{GroupResource, Object};

use super::{Admission, Attributes, Deciding, Operation, references};
use crate::base::failure::{Failure, Outcome};

/// The account of pods that name none.
const DEFAULT: &str = "default";
/// How often the default account is looked for: a controller makes it for a new namespace.
const TRIES: usize = 10;
/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// Says in an account that its pods get at no Secrets but its own.
const ENFORCED: &str = "kubernetes.io/enforce-mountable-secrets";
/// Marks a pod that stands for one that a kubelet runs by itself.
pub(super) const MIRROR: &str = "kubernetes.io/config.mirror";
const VOLUME: &str = "kube-api-access-";
const SUFFIX: usize = 5;
const MOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// How long a token is good, which tells the server that old clients may overstay it.
const SECONDS: i64 = 60 * 60 + 7;
const MODE: i32 = 0o644;

pub(super) struct ServiceAccounts;

impl Admission for ServiceAccounts {
    fn name(&self) -> &str {
        "ServiceAccount"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        match request.operation {
            Operation::Create => request.is("", "pods"),
            Operation::Update => request.is_below("", "pods", "ephemeralcontainers"),
            Operation::Delete | Operation::Connect => false,
        }
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(async move {
            if old.is_some() {
                return Ok(());
            }
            let Some(pod) = new.downcast_mut::<Pod>() else { return Ok(()) };
            // A kubelet knows its pods as they are: one that is changed is another one.
            if pod.metadata.annotations.contains_key(MIRROR) {
                return check_mirror(request, pod);
            }
            if pod.spec.service_account_name.is_empty() {
                DEFAULT.clone_into(&mut pod.spec.service_account_name);
                DEFAULT.clone_into(&mut pod.spec.service_account);
            }
            let account = account(request, pod).await?;
            let Some(account) = account.downcast_ref::<ServiceAccount>() else { return Ok(()) };
            let mounts = pod.spec.automount_service_account_token.or(account.automount_service_account_token);
            if mounts.unwrap_or(true) {
                mount(pod, &request.cluster.environment().suffix(SUFFIX));
            }
            if pod.spec.image_pull_secrets.is_empty() {
                pod.spec.image_pull_secrets.clone_from(&account.image_pull_secrets);
            }
            check(request, pod, account)
        })
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(pod) = new.and_then(|new| new.downcast_ref::<Pod>()) else { return Ok(()) };
            if old.is_none() && pod.metadata.annotations.contains_key(MIRROR) {
                return check_mirror(request, pod);
            }
            if pod.spec.service_account_name.is_empty() {
                let why = format!(
                    "no service account specified for pod {}/{}",
                    request.namespace, pod.metadata.name
                );
                return Err(request.forbidden(new, why));
            }
            let account = account(request, pod).await?;
            match account.downcast_ref::<ServiceAccount>() {
                Some(account) => check(request, pod, account),
                None => Ok(()),
            }
        })
    }
}

/// The account of a pod.
async fn account(request: &Attributes<'_>, pod: &Pod) -> Outcome<Arc<dyn Object>> {
    let (namespace, name) = (request.namespace, pod.spec.service_account_name.as_str());
    let tries = if name == DEFAULT { TRIES } else { 1 };
    for round in 0..tries {
        if round > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        if let Some(found) = request.cluster.get(("", "v1", "serviceaccounts"), namespace, name).await? {
            return Ok(found);
        }
    }
    let missing = Failure::not_found(&GroupResource::new_static("", "serviceaccount"), name);
    let why = format!("error looking up service account {namespace}/{name}: {missing}");
    Err(request.forbidden(Some(pod), why))
}

/// Refuses what a kubelet's own pod must not have: whoever makes one would get at objects by way of the kubelet.
fn check_mirror(request: &Attributes<'_>, pod: &Pod) -> Outcome<()> {
    let spec = &pod.spec;
    let mut projected = spec.volumes.iter().filter_map(|volume| volume.volume_source.projected.as_ref());
    let has_token =
        projected.any(|volume| volume.sources.iter().any(|source| source.service_account_token.is_some()));
    let why = if !spec.service_account_name.is_empty() {
        "a mirror pod may not reference service accounts"
    } else if references::has_secrets(spec) {
        "a mirror pod may not reference secrets"
    } else if has_token {
        "a mirror pod may not use ServiceAccountToken volume projections"
    } else {
        return Ok(());
    };
    Err(request.forbidden(Some(pod), why))
}

/// As Go reads a truth value.
fn is_true(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "TRUE" | "true" | "True")
}

/// Refuses Secrets that the account does not name, if it says that no others are to be used. All containers that
/// the request can write are looked at, and every way in which they get at Secrets.
fn check(request: &Attributes<'_>, pod: &Pod, account: &ServiceAccount) -> Outcome<()> {
    if !account.metadata.annotations.get(ENFORCED).is_some_and(|text| is_true(text)) {
        return Ok(());
    }
    match stranger(pod, account, request.subresource == "ephemeralcontainers") {
        // Kubernetes has no reason for this one.
        Some(why) if request.operation == Operation::Update => Err(Failure::unexplained(why)),
        Some(why) => Err(request.forbidden(Some(pod), why)),
        None => Ok(()),
    }
}

/// The first reference of a pod to a Secret that its account does not name.
fn stranger(pod: &Pod, account: &ServiceAccount, only_later: bool) -> Option<String> {
    let known: BTreeSet<&str> = account.secrets.iter().map(|secret| secret.name.as_str()).collect();
    let owner = &account.metadata.name;
    let strange = |what: String, secret: &str| {
        (!known.contains(secret)).then(|| {
            format!(
                "{what} referencing secret.secretName=\"{secret}\" is not allowed because service account \
                 {owner} does not reference that secret"
            )
        })
    };
    let volumes = if only_later { &[] } else { pod.spec.volumes.as_slice() };
    let mut mounted = volumes.iter().flat_map(|volume| references::secrets_of_volume(&volume.volume_source));
    if let Some(secret) = mounted.find(|secret| !secret.is_empty() && !known.contains(secret)) {
        return Some(format!(
            "volume with secret.secretName=\"{secret}\" is not allowed because service account {owner} does not \
             reference that secret"
        ));
    }
    for one in references::containers(&pod.spec).filter(|one| !only_later || one.sort == references::LATER) {
        let (sort, name) = (one.sort, one.name);
        let variables = one.env.iter().filter_map(|variable| {
            let secret = references::secret_of_variable(variable)?;
            strange(format!("{sort} {name} with envVar {}", variable.name), secret)
        });
        let sources = one.env_from.iter().filter_map(|source| {
            strange(format!("{sort} {name} with envFrom"), references::secret_of_source(source)?)
        });
        if let Some(why) = variables.chain(sources).next() {
            return Some(why);
        }
    }
    let pulled: BTreeSet<&str> =
        account.image_pull_secrets.iter().map(|secret| secret.name.as_str()).collect();
    if only_later {
        return None;
    }
    let mut named = pod.spec.image_pull_secrets.iter().enumerate();
    let (index, secret) = named.find(|(_, secret)| !pulled.contains(secret.name.as_str()))?;
    Some(format!(
        "imagePullSecrets[{index}].name=\"{}\" is not allowed because service account {owner} does not reference \
         that imagePullSecret",
        secret.name
    ))
}

/// Gives every container that has nothing else there the token, the server's certificate and the namespace.
fn mount(pod: &mut Pod, suffix: &str) {
    let spec = &mut pod.spec;
    let there = spec.volumes.iter().find(|volume| volume.name.starts_with(VOLUME));
    let there = there.map(|volume| volume.name.clone());
    let name = there.clone().unwrap_or_else(|| format!("{VOLUME}{suffix}"));
    let mut wanted = false;
    for container in spec.init_containers.iter_mut().chain(&mut spec.containers) {
        wanted |= mount_in(container, &name);
    }
    if wanted && there.is_none() {
        spec.volumes.push(Volume { name, volume_source: source() });
    }
}

fn mount_in(container: &mut Container, volume: &str) -> bool {
    if container.volume_mounts.iter().any(|mount| mount.mount_path == MOUNT) {
        return false;
    }
    container.volume_mounts.push(VolumeMount {
        name: volume.to_owned(),
        read_only: true,
        mount_path: MOUNT.to_owned(),
        ..VolumeMount::default()
    });
    true
}

fn source() -> VolumeSource {
    let token = ServiceAccountTokenProjection {
        path: "token".to_owned(),
        expiration_seconds: Some(SECONDS),
        ..ServiceAccountTokenProjection::default()
    };
    let authority = ConfigMapProjection {
        local_object_reference: LocalObjectReference { name: "kube-root-ca.crt".to_owned() },
        items: vec![KeyToPath { key: "ca.crt".to_owned(), path: "ca.crt".to_owned(), mode: None }],
        optional: None,
    };
    let namespace = DownwardAPIVolumeFile {
        path: "namespace".to_owned(),
        field_ref: Some(Box::new(ObjectFieldSelector {
            api_version: "v1".to_owned(),
            field_path: "metadata.namespace".to_owned(),
        })),
        ..DownwardAPIVolumeFile::default()
    };
    let sources = vec![
        VolumeProjection { service_account_token: Some(Box::new(token)), ..VolumeProjection::default() },
        VolumeProjection { config_map: Some(Box::new(authority)), ..VolumeProjection::default() },
        VolumeProjection {
            downward_api: Some(Box::new(DownwardAPIProjection { items: vec![namespace] })),
            ..VolumeProjection::default()
        },
    ];
    VolumeSource {
        projected: Some(Box::new(ProjectedVolumeSource { sources, default_mode: Some(MODE) })),
        ..VolumeSource::default()
    }
}
