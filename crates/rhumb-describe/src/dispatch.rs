//! Selects the description of a kind and requests its data.

use rhumb_api::core::v1::{Event, Node, PersistentVolumeClaim, Pod};
use rhumb_client::{Api, Error, Readable};
use rhumb_meta::fields::Selector as FieldSelector;
use rhumb_meta::labels::Selector;
use rhumb_meta::v1::{ListOptions, ObjectMeta};
use rhumb_meta::{Object, Resource, Scope};

use crate::ask::{Asker, Subject, is_controlled_by};
use crate::kinds::{
    access, addresses, autoscaler, batch, certificate, claim, configuration, controllers, deployment,
    disruption, endpoints, generic, ingress, limits, network_policy, node, persistent_volume, pod, service,
    storage,
};
use crate::parts::{Events, selector};
use crate::{DescribeError, Lines, Mapping};

/// Annotation of mirror pods, whose events use it as their UID.
const MIRROR: &str = "kubernetes.io/config.mirror";
/// Label of EndpointSlices with their service's name.
const SERVICE_NAME: &str = "kubernetes.io/service-name";
/// Namespace of node leases.
const NODE_LEASES: &str = "kube-node-lease";

type Described = Result<String, DescribeError>;

/// Describes an object of any kind.
pub(crate) async fn describe(ask: &Asker<'_>, mapping: &Mapping, namespace: &str, name: &str) -> Described {
    let client = ask.client;
    let core = client.core_v1();
    let apps = client.apps_v1();
    let networking = client.networking_v1();
    let storage_v1 = client.storage_v1();
    let rbac = client.rbac_v1();
    let batch_v1 = client.batch_v1();
    match (&*mapping.kind.group, &*mapping.kind.kind) {
        ("", "Pod") => describe_pod(ask, core.pods(namespace), name).await,
        ("", "ReplicationController") => replication_controller(ask, namespace, name).await,
        ("", "Secret") => alone(ask, core.secrets(namespace), name, configuration::secret).await,
        ("", "Service") => describe_service(ask, namespace, name).await,
        ("", "ServiceAccount") => {
            plain(ask, core.service_accounts(namespace), name, configuration::service_account).await
        }
        ("", "Node") => describe_node(ask, name).await,
        ("", "LimitRange") => alone(ask, core.limit_ranges(namespace), name, limits::limit_range).await,
        ("", "ResourceQuota") => {
            alone(ask, core.resource_quotas(namespace), name, limits::resource_quota).await
        }
        ("", "PersistentVolume") => {
            plain(ask, core.persistent_volumes(), name, persistent_volume::persistent_volume).await
        }
        ("", "PersistentVolumeClaim") => describe_claim(ask, namespace, name).await,
        ("", "Namespace") => describe_namespace(ask, name).await,
        ("", "Endpoints") => plain(ask, core.endpoints(namespace), name, endpoints::endpoints).await,
        ("", "ConfigMap") => config_map(ask, namespace, name).await,
        ("" | "scheduling.k8s.io", "PriorityClass") => {
            plain(ask, client.scheduling_v1().priority_classes(), name, disruption::priority_class).await
        }
        ("discovery.k8s.io", "EndpointSlice") => {
            let slices = client.discovery_v1().endpoint_slices(namespace);
            plain(ask, slices, name, endpoints::endpoint_slice).await
        }
        ("autoscaling", "HorizontalPodAutoscaler") => {
            let scalers = client.autoscaling_v2().horizontal_pod_autoscalers(namespace);
            let old = client.autoscaling_v1().horizontal_pod_autoscalers(namespace);
            match plain(ask, scalers, name, autoscaler::autoscaler).await {
                Err(_) => plain(ask, old, name, autoscaler::autoscaler_v1).await,
                described => described,
            }
        }
        ("networking.k8s.io", "Ingress") => describe_ingress(ask, namespace, name).await,
        ("networking.k8s.io", "IngressClass") => {
            plain(ask, networking.ingress_classes(), name, ingress::ingress_class).await
        }
        ("networking.k8s.io", "ServiceCIDR") => {
            let old = client.networking_v1beta1().service_cidrs();
            match plain(ask, networking.service_cidrs(), name, addresses::service_cidr).await {
                Err(_) => plain(ask, old, name, addresses::service_cidr).await,
                described => described,
            }
        }
        ("networking.k8s.io", "IPAddress") => {
            let old = client.networking_v1beta1().ip_addresses();
            match plain(ask, networking.ip_addresses(), name, addresses::ip_address).await {
                Err(_) => plain(ask, old, name, addresses::ip_address).await,
                described => described,
            }
        }
        ("networking.k8s.io", "NetworkPolicy") => {
            alone(ask, networking.network_policies(namespace), name, network_policy::network_policy).await
        }
        ("batch", "Job") => plain(ask, batch_v1.jobs(namespace), name, batch::job).await,
        ("batch", "CronJob") => plain(ask, batch_v1.cron_jobs(namespace), name, batch::cron_job).await,
        ("apps", "StatefulSet") => stateful_set(ask, namespace, name).await,
        ("apps", "Deployment") => describe_deployment(ask, namespace, name).await,
        ("apps", "DaemonSet") => daemon_set(ask, namespace, name).await,
        ("apps", "ReplicaSet") => replica_set(ask, apps.replica_sets(namespace), name).await,
        ("certificates.k8s.io", "CertificateSigningRequest") => signing_request(ask, name).await,
        ("storage.k8s.io", "StorageClass") => {
            plain(ask, storage_v1.storage_classes(), name, storage::storage_class).await
        }
        ("storage.k8s.io", "CSINode") => plain(ask, storage_v1.csi_nodes(), name, storage::csi_node).await,
        ("storage.k8s.io", "VolumeAttributesClass") => {
            let classes = storage_v1.volume_attributes_classes();
            plain(ask, classes, name, storage::volume_attributes_class).await
        }
        ("policy", "PodDisruptionBudget") => {
            let budgets = client.policy_v1().pod_disruption_budgets(namespace);
            plain(ask, budgets, name, disruption::pod_disruption_budget).await
        }
        ("rbac.authorization.k8s.io", "Role") => {
            alone(ask, rbac.roles(namespace), name, |out, role| {
                access::role(out, &role.metadata, &role.rules);
            })
            .await
        }
        ("rbac.authorization.k8s.io", "ClusterRole") => {
            alone(ask, rbac.cluster_roles(), name, |out, role| {
                access::role(out, &role.metadata, &role.rules);
            })
            .await
        }
        ("rbac.authorization.k8s.io", "RoleBinding") => {
            alone(ask, rbac.role_bindings(namespace), name, |out, binding| {
                access::binding(out, &binding.metadata, &binding.role_ref, &binding.subjects);
            })
            .await
        }
        ("rbac.authorization.k8s.io", "ClusterRoleBinding") => {
            alone(ask, rbac.cluster_role_bindings(), name, |out, binding| {
                access::binding(out, &binding.metadata, &binding.role_ref, &binding.subjects);
            })
            .await
        }
        _ => any_kind(ask, mapping, namespace, name).await,
    }
}

/// Describes an object that is told of without anything else.
async fn alone<K: Readable>(
    ask: &Asker<'_>,
    api: Api<K>,
    name: &str,
    write: impl FnOnce(&mut Lines, &K),
) -> Described {
    let object = api.get(name).await?;
    let mut out = ask.lines();
    write(&mut out, &object);
    Ok(out.aligned())
}

/// Describes an object that is told of with its events.
async fn plain<K: Readable + Resource>(
    ask: &Asker<'_>,
    api: Api<K>,
    name: &str,
    write: impl FnOnce(&mut Lines, &K, Events<'_>),
) -> Described {
    let object = api.get(name).await?;
    let events = events_of(ask, &object).await;
    let mut out = ask.lines();
    write(&mut out, &object, events.as_deref());
    Ok(out.aligned())
}

/// Returns the events of an object whose type tells its kind.
async fn events_of<K: Readable + Resource>(ask: &Asker<'_>, object: &K) -> Option<Vec<Event>> {
    let metadata = object.metadata().unwrap_or_default();
    ask.events(Subject::new(K::KIND, &metadata)).await
}

async fn any_kind(ask: &Asker<'_>, mapping: &Mapping, namespace: &str, name: &str) -> Described {
    let namespace = if mapping.scope == Scope::Namespaced { namespace } else { "" };
    let object = ask.client.dynamic(&mapping.resource).namespace(namespace).get(name).await?;
    let metadata = object.metadata().unwrap_or_default();
    let events = ask.events(Subject::new(object.type_meta().1, &metadata)).await;
    let mut out = ask.lines();
    generic::object(&mut out, &object, events.as_deref());
    Ok(out.aligned())
}

async fn describe_pod(ask: &Asker<'_>, pods: Api<Pod>, name: &str) -> Described {
    let object = pods.get(name).await?;
    let mut subject = Subject::new("", &object.metadata);
    if let Some(uid) = object.metadata.annotations.get(MIRROR) {
        subject.uid = uid;
    }
    let events = ask.events(subject).await;
    let mut out = ask.lines();
    pod::pod(&mut out, &object, events.as_deref());
    Ok(out.aligned())
}

async fn config_map(ask: &Asker<'_>, namespace: &str, name: &str) -> Described {
    let map = ask.client.core_v1().config_maps(namespace).get(name).await?;
    let mut events = None;
    if ask.settings.show_events {
        // Only here it matters if they can't be read.
        let subject = Subject::new("ConfigMap", &map.metadata);
        ask.search_events(subject, events.insert(Vec::new())).await?;
    }
    let mut out = ask.lines();
    configuration::config_map(&mut out, &map, events.as_deref());
    Ok(out.aligned())
}

async fn describe_namespace(ask: &Asker<'_>, name: &str) -> Described {
    let core = ask.client.core_v1();
    let namespace = core.namespaces().get(name).await?;
    let all = ListOptions::default;
    let quotas = known(ask.list(core.resource_quotas(name), all(), "resourcequotas").await)?;
    let ranges = known(ask.list(core.limit_ranges(name), all(), "limitranges").await)?;
    let mut out = ask.lines();
    limits::namespace(&mut out, &namespace, quotas.as_deref(), ranges.as_deref());
    Ok(out.aligned())
}

/// Returns the response, or none if the server doesn't have the resource.
fn known<T>(answer: Result<T, Error>) -> Result<Option<T>, Error> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

async fn describe_claim(ask: &Asker<'_>, namespace: &str, name: &str) -> Described {
    let core = ask.client.core_v1();
    let object = core.persistent_volume_claims(namespace).get(name).await?;
    let pods = core.pods(&object.metadata.namespace);
    let pods = ask.list(pods, ListOptions::default(), "pods").await?;
    let users = users_of(&object, &pods);
    let events = events_of(ask, &object).await;
    let mut out = ask.lines();
    claim::claim(&mut out, &object, &users, events.as_deref());
    Ok(out.aligned())
}

/// Returns the pods that mount a claim, and those that own it.
fn users_of(claim: &PersistentVolumeClaim, pods: &[Pod]) -> Vec<Pod> {
    let mut users = Vec::new();
    for pod in pods {
        let volumes = pod.spec.volumes.iter();
        let sources = volumes.filter_map(|volume| volume.volume_source.persistent_volume_claim.as_ref());
        let mounted = sources.filter(|source| source.claim_name == claim.metadata.name);
        users.extend(mounted.map(|_| pod.clone()));
    }
    for owner in claim.metadata.owner_references.iter().filter(|owner| owner.kind == "Pod") {
        let found = pods.iter().find(|pod| pod.metadata.uid == owner.uid);
        if let Some(pod) = found
            && !users.iter().any(|user| user.metadata.uid == pod.metadata.uid)
        {
            users.push(pod.clone());
        }
    }
    users
}

async fn describe_service(ask: &Asker<'_>, namespace: &str, name: &str) -> Described {
    let object = ask.client.core_v1().services(namespace).get(name).await?;
    let slices = slices_of(ask, &object.metadata.namespace, name).await.unwrap_or_default();
    let events = events_of(ask, &object).await;
    let mut out = ask.lines();
    service::service(&mut out, &object, &slices, events.as_deref());
    Ok(out.aligned())
}

/// Returns the EndpointSlices of a service.
async fn slices_of(
    ask: &Asker<'_>,
    namespace: &str,
    service: &str,
) -> Result<Vec<rhumb_api::discovery::v1::EndpointSlice>, Error> {
    let label_selector = format!("{SERVICE_NAME}={service}");
    let options = ListOptions { label_selector, ..ListOptions::default() };
    Ok(ask.client.discovery_v1().endpoint_slices(namespace).list(&options).await?.items)
}

async fn describe_ingress(ask: &Asker<'_>, namespace: &str, name: &str) -> Described {
    let object = ask.client.networking_v1().ingresses(namespace).get(name).await?;
    let events = events_of(ask, &object).await;
    let namespace = &object.metadata.namespace;
    let mut backends = ingress::Backends::new();
    for service in ingress::backend_names(&object) {
        let behind = match slices_of(ask, namespace, service).await {
            Ok(slices) => {
                let found = ask.client.core_v1().services(namespace).get(service).await;
                found.map(|service| (service, slices))
            }
            Err(error) => Err(error),
        };
        backends.insert(service.to_owned(), behind.map_err(|error| error.to_string()));
    }
    let mut out = ask.lines();
    ingress::ingress(&mut out, &object, &backends, events.as_deref());
    Ok(out.aligned())
}

async fn replication_controller(ask: &Asker<'_>, namespace: &str, name: &str) -> Described {
    let object = ask.client.core_v1().replication_controllers(namespace).get(name).await?;
    let pods = ask.pod_counts(&object.metadata, &Selector::from_set(&object.spec.selector)).await?;
    let events = events_of(ask, &object).await;
    let mut out = ask.lines();
    controllers::replication_controller(&mut out, &object, pods, events.as_deref());
    Ok(out.aligned())
}

async fn replica_set(ask: &Asker<'_>, sets: Api<rhumb_api::apps::v1::ReplicaSet>, name: &str) -> Described {
    let object = sets.get(name).await?;
    let selector = selector(object.spec.selector.as_deref())?;
    let pods = ask.pod_counts(&object.metadata, &selector).await.map_err(|error| error.to_string());
    let events = events_of(ask, &object).await;
    let mut out = ask.lines();
    controllers::replica_set(&mut out, &object, pods, events.as_deref());
    Ok(out.aligned())
}

async fn stateful_set(ask: &Asker<'_>, namespace: &str, name: &str) -> Described {
    let object = ask.client.apps_v1().stateful_sets(namespace).get(name).await?;
    let selector = selector(object.spec.selector.as_deref())?;
    let pods = ask.pod_counts(&object.metadata, &selector).await?;
    let events = events_of(ask, &object).await;
    let mut out = ask.lines();
    controllers::stateful_set(&mut out, &object, &selector, pods, events.as_deref());
    Ok(out.aligned())
}

async fn daemon_set(ask: &Asker<'_>, namespace: &str, name: &str) -> Described {
    let object = ask.client.apps_v1().daemon_sets(namespace).get(name).await?;
    let selector = selector(object.spec.selector.as_deref())?;
    let pods = ask.pod_counts(&object.metadata, &selector).await?;
    let events = events_of(ask, &object).await;
    let mut out = ask.lines();
    controllers::daemon_set(&mut out, &object, &selector, pods, events.as_deref());
    Ok(out.aligned())
}

async fn describe_deployment(ask: &Asker<'_>, namespace: &str, name: &str) -> Described {
    let apps = ask.client.apps_v1();
    let object = apps.deployments(namespace).get(name).await?;
    let events = events_of(ask, &object).await;
    let selector = selector(object.spec.selector.as_deref())?;
    let options = ListOptions { label_selector: selector.to_string(), ..ListOptions::default() };
    let sets = apps.replica_sets(&object.metadata.namespace);
    let mut sets = ask.list(sets, options, "replicasets").await.unwrap_or_default();
    sets.retain(|set| is_controlled_by(&set.metadata, &object.metadata));
    let mut out = ask.lines();
    deployment::deployment(&mut out, &object, &selector, sets, events.as_deref());
    Ok(out.aligned())
}

async fn signing_request(ask: &Asker<'_>, name: &str) -> Described {
    let object = ask.client.certificates_v1().certificate_signing_requests().get(name).await?;
    let events = events_of(ask, &object).await;
    let requested = certificate::Requested::from_pem(&object.spec.request.0)?;
    let mut out = ask.lines();
    certificate::signing_request(&mut out, &object, &requested, events.as_deref());
    Ok(out.aligned())
}

async fn describe_node(ask: &Asker<'_>, name: &str) -> Described {
    let client = ask.client;
    let object = client.core_v1().nodes().get(name).await?;
    let on_node = FieldSelector::equal("spec.nodeName", name)
        .and(FieldSelector::not_equal("status.phase", "Succeeded"))
        .and(FieldSelector::not_equal("status.phase", "Failed"));
    let options = ListOptions { field_selector: on_node.to_string(), ..ListOptions::default() };
    let pods = match ask.list(client.core_v1().pods(""), options, "pods").await {
        Ok(pods) => Some(pods),
        Err(error) if error.is_forbidden() => None,
        Err(error) => return Err(error.into()),
    };
    let events = node_events(ask, &object).await;
    let of_name = FieldSelector::equal("spec.nodeName", name).to_string();
    let options = ListOptions { field_selector: of_name, ..ListOptions::default() };
    let slices = client.resource_v1().resource_slices().list(&options).await;
    let slices = slices.map(|list| list.items).unwrap_or_default();
    let lease = client.coordination_v1().leases(NODE_LEASES).get(name).await;
    let lease = Some(lease.map_err(|error| error.to_string()));
    let mut out = ask.lines();
    let of_node = node::OfNode { lease, pods, slices };
    node::node(&mut out, &object, &of_node, events.as_deref());
    Ok(out.aligned())
}

/// Returns the events of a node: controllers name it by its identity, and the node itself by its name.
async fn node_events(ask: &Asker<'_>, node: &Node) -> Option<Vec<Event>> {
    let metadata: &ObjectMeta = &node.metadata;
    let mut events = ask.events(Subject::new("Node", metadata)).await?;
    let subject = Subject { uid: &metadata.name, ..Subject::new("Node", metadata) };
    events.extend(ask.events(subject).await?);
    Some(events)
}
