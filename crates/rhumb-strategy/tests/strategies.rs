//! What no server of today shows: versions that it no longer serves, objects of the past, and registration
//! itself.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{Binding, ConfigMap, Pod, PodSchedulingGate, Service};
use rhumb_api::discovery::v1::{Endpoint, EndpointSlice};
use rhumb_meta::v1::DeleteOptions;
use rhumb_meta::{GroupKind, GroupVersion, Object, Time};
use rhumb_strategy::{
    Context, Facts, GarbageCollection, RegisterError, Strategies, StrategiesBuilder, Strategy, User, bind,
};

const HOSTNAME: &str = "kubernetes.io/hostname";

fn strategies() -> Strategies {
    Strategies::built_in().expect("the strategies")
}

fn update(new: &mut dyn Object, old: &dyn Object, version: &GroupVersion) {
    let context = Context { now: Time::default(), request_version: version, user: &User::default() };
    strategies().prepare_update(new, old, None, &context);
}

fn slice(node: &str) -> EndpointSlice {
    let deprecated_topology = BTreeMap::from([(HOSTNAME.to_owned(), node.to_owned())]);
    EndpointSlice {
        endpoints: vec![Endpoint { deprecated_topology, ..Endpoint::default() }],
        ..EndpointSlice::default()
    }
}

#[test]
fn topology_stays_in_the_version_that_has_it() {
    let v1beta1 = GroupVersion::new_static("discovery.k8s.io", "v1beta1");
    let (mut new, old) = (slice("a"), slice("b"));
    update(&mut new, &old, &v1beta1);
    assert_eq!(new.endpoints, slice("a").endpoints);
    assert_eq!(new.metadata.generation, 1);
}

#[test]
fn topology_leaves_the_name_of_the_node_behind() {
    let v1 = GroupVersion::new_static("discovery.k8s.io", "v1");
    let check = |node: &str, address: &str, expect: (Option<&str>, bool)| {
        let (mut new, old) = (slice(node), slice("known"));
        new.endpoints.iter_mut().for_each(|endpoint| endpoint.addresses = vec![address.to_owned()]);
        update(&mut new, &old, &v1);
        let endpoint = new.endpoints.first().expect("one");
        assert_eq!((endpoint.node_name.as_deref(), endpoint.deprecated_topology.is_empty()), expect);
    };
    check("known", "10.0.0.1", (Some("known"), true));
    check("other", "10.0.0.1", (None, true));
}

#[test]
fn slices_that_stay_the_same_keep_their_topology() {
    let (mut new, old) = (slice("a"), slice("a"));
    update(&mut new, &old, &GroupVersion::new_static("discovery.k8s.io", "v1"));
    assert_eq!(new, old);
}

#[test]
fn services_of_the_past_are_read_as_those_of_today() {
    let mut service = Service::default();
    "ClusterIP".clone_into(&mut service.spec.type_);
    "10.0.0.1".clone_into(&mut service.spec.cluster_ip);
    strategies().on_read(&mut service);
    assert_eq!(service.spec.cluster_ips, ["10.0.0.1"]);
}

#[test]
fn what_identifies_an_object_survives_updates_of_any_kind() {
    let mut old = ConfigMap::default();
    old.metadata.uid = "u".to_owned();
    old.metadata.generation = 3;
    old.metadata.creation_timestamp = Time::from_unix(5, 0);
    old.metadata.deletion_timestamp = Some(Time::from_unix(6, 0));
    old.metadata.deletion_grace_period_seconds = Some(7);
    let mut new = ConfigMap::default();
    new.metadata.generation = 9;
    new.metadata.creation_timestamp = Time::from_unix(9, 0);
    update(&mut new, &old, &GroupVersion::new_static("", "v1"));
    assert_eq!(new.metadata, old.metadata);
}

#[test]
fn pods_that_are_bound_or_gated_or_going_are_not_bound() {
    let check = |change: fn(&mut Pod), expect: &str| {
        let mut pod = Pod::default();
        "p".clone_into(&mut pod.metadata.name);
        change(&mut pod);
        let before = pod.clone();
        let error = bind(&mut pod, &Binding::default(), Time::default()).expect_err("a refusal");
        assert_eq!(error.to_string(), expect);
        assert_eq!(pod, before);
    };
    check(
        |pod| pod.metadata.deletion_timestamp = Some(Time::default()),
        "pod p is being deleted, cannot be assigned to a host",
    );
    check(|pod| "n".clone_into(&mut pod.spec.node_name), "pod p is already assigned to node \"n\"");
    check(
        |pod| pod.spec.scheduling_gates.push(PodSchedulingGate::default()),
        "pod p has non-empty .spec.schedulingGates",
    );
}

#[test]
fn only_pods_take_time_to_go() {
    let mut options = DeleteOptions { grace_period_seconds: Some(-5), ..DeleteOptions::default() };
    assert!(!strategies().check_graceful_delete(&ConfigMap::default(), &mut options));
    let mut pod = Pod::default();
    "n".clone_into(&mut pod.spec.node_name);
    assert!(strategies().check_graceful_delete(&pod, &mut options));
    assert_eq!(options.grace_period_seconds, Some(1));
}

#[test]
fn dependents_stay_where_old_clients_expect_it() {
    let check = |group: &'static str, version: &'static str, kind: &'static str, expect| {
        let facts = strategies().facts(&GroupKind::new(group, kind));
        assert_eq!(facts.garbage_collection(&GroupVersion::new_static(group, version)), expect, "{kind}");
    };
    check("batch", "v1", "Job", GarbageCollection::OrphanDependents);
    check("batch", "v1", "CronJob", GarbageCollection::DeleteDependents);
    check("batch", "v1beta1", "CronJob", GarbageCollection::OrphanDependents);
    check("", "v1", "Event", GarbageCollection::Unsupported);
    check("example.com", "v1", "Cog", GarbageCollection::DeleteDependents);
    assert_eq!(strategies().facts(&GroupKind::new("example.com", "Cog")), Facts::CUSTOM);
}

#[test]
fn a_kind_has_one_strategy() {
    let mut builder = StrategiesBuilder::default();
    builder.add(Strategy::<ConfigMap>::new("", "ConfigMap")).expect("the first");
    let kind = builder.add(Strategy::<Pod>::new("", "ConfigMap")).err();
    assert_eq!(kind, Some(RegisterError::KindTaken(GroupKind::new("", "ConfigMap"))));
    let type_ = builder.add(Strategy::<ConfigMap>::new("", "Other")).err();
    assert!(matches!(type_, Some(RegisterError::TypeTaken(_))));
}
