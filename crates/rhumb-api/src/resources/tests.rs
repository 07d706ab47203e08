use rhumb_meta::{GroupKind, GroupResource, GroupVersion, GroupVersionKind, Object};
use rhumb_scheme::Unstructured;
use rhumb_scheme::mapper::{Scope, mapping_for_arg};

use super::{GROUPS, ResourceTable, Verb};
use crate::{batch, core};

#[test]
fn resources_stand_in_order_and_their_versions_are_those_of_the_group() {
    for group in GROUPS {
        let names: Vec<&str> = group.resources.iter().map(|resource| resource.plural).collect();
        assert!(names.is_sorted(), "{}: {names:?}", group.name);
        for resource in group.resources {
            let all = || resource.versions.iter().chain(resource.former_versions);
            assert!(all().count() > 0, "{} is in no version", resource.plural);
            assert!(all().all(|version| group.versions.contains(version)), "{}", resource.plural);
            let below: Vec<&str> = resource.subresources.iter().map(|below| below.name).collect();
            assert!(below.is_sorted(), "{}: {below:?}", resource.plural);
            assert!(resource.verbs.is_sorted(), "{}", resource.plural);
            assert!(resource.fields.is_sorted(), "{}", resource.plural);
        }
    }
}

/// The priorities of versions that Kubernetes' install packages set: those of v1.36, and for versions that it gave up
/// those of a release that had them (v1.35, v1.25, v1.17).
const PRIORITIES: &[(&str, &[&str])] = &[
    ("", &["v1"]),
    ("admissionregistration.k8s.io", &["v1", "v1beta1", "v1alpha1"]),
    ("apiextensions.k8s.io", &["v1", "v1beta1"]),
    ("apiregistration.k8s.io", &["v1", "v1beta1"]),
    ("apps", &["v1", "v1beta2", "v1beta1"]),
    ("auditregistration.k8s.io", &["v1alpha1"]),
    ("authentication.k8s.io", &["v1", "v1beta1", "v1alpha1"]),
    ("authorization.k8s.io", &["v1", "v1beta1"]),
    ("autoscaling", &["v2", "v1", "v2beta1", "v2beta2"]),
    ("batch", &["v1", "v1beta1", "v2alpha1"]),
    ("certificates.k8s.io", &["v1", "v1beta1", "v1alpha1"]),
    ("coordination.k8s.io", &["v1", "v1beta1", "v1alpha2", "v1alpha1"]),
    ("discovery.k8s.io", &["v1", "v1beta1"]),
    ("discovery.k8s.io", &["v1beta1", "v1alpha1"]),
    ("events.k8s.io", &["v1", "v1beta1"]),
    ("extensions", &["v1beta1"]),
    ("flowcontrol.apiserver.k8s.io", &["v1", "v1beta3", "v1beta2", "v1beta1"]),
    ("internal.apiserver.k8s.io", &["v1alpha1"]),
    ("networking.k8s.io", &["v1", "v1beta1"]),
    ("networking.k8s.io", &["v1", "v1beta1", "v1alpha1"]),
    ("node.k8s.io", &["v1", "v1beta1"]),
    ("policy", &["v1", "v1beta1"]),
    ("rbac.authorization.k8s.io", &["v1", "v1beta1", "v1alpha1"]),
    ("resource.k8s.io", &["v1", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"]),
    ("scheduling.k8s.io", &["v1", "v1beta1", "v1alpha2"]),
    ("scheduling.k8s.io", &["v1", "v1beta1", "v1alpha1"]),
    ("settings.k8s.io", &["v1alpha1"]),
    ("storage.k8s.io", &["v1", "v1beta1", "v1alpha1"]),
    ("storagemigration.k8s.io", &["v1beta1", "v1alpha1"]),
];

#[test]
fn versions_stand_in_the_order_that_kubernetes_gives_them() {
    for (name, theirs) in PRIORITIES {
        let group = GROUPS.iter().find(|group| group.name == *name).expect(name);
        let both = |one: &[&'static str], other: &[&str]| -> Vec<&str> {
            one.iter().copied().filter(|version| other.contains(version)).collect()
        };
        assert_eq!(both(group.versions, theirs), both(theirs, group.versions), "{name}");
    }
    let untold = GROUPS.iter().find(|group| !PRIORITIES.iter().any(|(name, _)| *name == group.name));
    assert!(untold.is_none(), "{untold:?}");
}

#[test]
fn scheme_discovery_and_storage_go_by_one_order() {
    let scheme = crate::scheme().expect("the scheme");
    let table = ResourceTable::everything();
    for group in GROUPS {
        let ranked: Vec<&str> =
            scheme.prioritized_versions(group.name).iter().map(|gv| &*gv.version).collect();
        assert_eq!(ranked, group.versions, "{} in the Scheme", group.name);
        if let Some(shown) = table.group(group.name) {
            let versions: Vec<&str> = shown.versions.iter().map(|one| one.version.as_str()).collect();
            let served = |version: &&&'static str| {
                let gv = GroupVersion::new_static(group.name, version);
                table.in_version(&gv).next().is_some()
            };
            let expected: Vec<&str> = group.versions.iter().filter(served).copied().collect();
            assert_eq!(versions, expected, "{} in discovery", group.name);
            assert_eq!(shown.preferred_version.version, expected[0]);
        }
        let rank = |version: &&str| group.versions.iter().position(|known| known == version);
        for resource in group.resources {
            assert!(resource.versions.is_sorted_by_key(rank), "{}", resource.plural);
            assert!(resource.former_versions.is_sorted_by_key(rank), "{}", resource.plural);
        }
    }
    let stored = |group: &'static str, kind: &'static str| {
        let versions = scheme.versions_for_group_kind(&GroupKind::new(group, kind));
        let served = table.by_kind(&versions[0].with_kind(kind)).expect(kind);
        (served.storage_version(), versions.into_iter().next())
    };
    for (group, kind) in
        [("autoscaling", "HorizontalPodAutoscaler"), ("batch", "CronJob"), ("apps", "DaemonSet")]
    {
        let (stored, preferred) = stored(group, kind);
        assert_eq!(stored, preferred, "{kind}");
    }
}

#[test]
fn another_version_can_be_chosen_for_storage() {
    let mut table = ResourceTable::everything();
    let resource = |group: &'static str, plural: &'static str| GroupResource::new(group, plural);
    let stored = |table: &ResourceTable, group: &'static str, version: &'static str, kind: &'static str| {
        let served = table.by_kind(&GroupVersionKind::new(group, version, kind)).expect(kind);
        served.storage_version().map(|gv| gv.to_string())
    };
    let usual = table.find("apps", "v1", "deployments").and_then(|found| found.served.storage_version_hash());
    table.store_in(&resource("apps", "deployments"), "v1beta2").expect("there is such a version");
    for (group, version) in [("apps", "v1"), ("apps", "v1beta1"), ("extensions", "v1beta1")] {
        assert_eq!(stored(&table, group, version, "Deployment").as_deref(), Some("apps/v1beta2"));
    }
    assert_eq!(stored(&table, "apps", "v1", "DaemonSet").as_deref(), Some("apps/v1"));
    let chosen =
        table.find("apps", "v1", "deployments").and_then(|found| found.served.storage_version_hash());
    assert_ne!(chosen, usual, "clients notice");
    let refused = |table: &mut ResourceTable, group, plural, version: &str| {
        table.store_in(&resource(group, plural), version).expect_err(plural).to_string()
    };
    assert_eq!(refused(&mut table, "apps", "deployment", "v1"), "no resource deployment.apps is served");
    assert_eq!(refused(&mut table, "apps", "deployments", "v2"), "deployments.apps has no version v2");
    assert_eq!(
        refused(&mut table, "extensions", "deployments", "v1beta1"),
        "objects of deployments.extensions are stored with those of apps"
    );
    assert_eq!(
        refused(&mut table, "events.k8s.io", "events", "v1beta1"),
        "objects of events.events.k8s.io are stored with those of the core group"
    );
    let reviews = refused(&mut table, "authorization.k8s.io", "subjectaccessreviews", "v1");
    assert_eq!(reviews, "objects of subjectaccessreviews.authorization.k8s.io are not stored");
}

#[test]
fn every_version_has_what_its_requests_and_watches_need() {
    let scheme = crate::scheme().expect("the scheme");
    for gv in scheme.prioritized_versions_all_groups() {
        for kind in
            ["WatchEvent", "ListOptions", "GetOptions", "DeleteOptions", "CreateOptions", "UpdateOptions"]
        {
            assert!(scheme.recognizes(&gv.with_kind(kind)), "{gv} has no {kind}");
        }
    }
    let event = rhumb_meta::v1::WatchEvent::default();
    let (kinds, unversioned) = scheme.object_kinds(&event).expect("it is registered");
    assert!(!unversioned && kinds.len() > 50, "{}", kinds.len());
    // A scheme of one's own gets the kinds without a version along with them.
    let mut builder = rhumb_scheme::SchemeBuilder::new("own");
    let gv = GroupVersion::new_static("own.example.com", "v1");
    crate::meta::add_to_group_version(&mut builder, &gv).expect("registers");
    let own = builder.freeze().expect("freezes");
    assert_eq!(own.is_unversioned(&rhumb_meta::v1::Status::default()), Some(true));
    assert!(
        own.recognizes(&GroupVersion::new_static("own.example.com", "__internal").with_kind("WatchEvent"))
    );
    assert_eq!(own.observed_versions(), [gv, GroupVersion::new_static("", "v1")]);
}

#[test]
fn what_people_type_is_found() {
    let mapper = ResourceTable::everything().mapper();
    let check = |typed: &str, expect: &str| {
        let mapping = mapping_for_arg(&mapper, typed).expect(typed);
        assert_eq!(mapping.resource.to_string(), expect, "{typed}");
    };
    check("po", "/v1, Resource=pods");
    check("deploy", "extensions/v1beta1, Resource=deployments");
    check("deploy.apps", "apps/v1, Resource=deployments");

    let mapper = ResourceTable::current().mapper();
    let check = |typed: &str, expect: &str| {
        let mapping = mapping_for_arg(&mapper, typed).expect(typed);
        assert_eq!(mapping.resource.to_string(), expect, "{typed}");
    };
    check("deploy", "apps/v1, Resource=deployments");
    check("netpol", "networking.k8s.io/v1, Resource=networkpolicies");
    check("ing", "networking.k8s.io/v1, Resource=ingresses");
    check("hpa", "autoscaling/v2, Resource=horizontalpodautoscalers");
    check("hpa.v1.autoscaling", "autoscaling/v2, Resource=horizontalpodautoscalers");
    check("ev", "/v1, Resource=events");
    check("crds", "apiextensions.k8s.io/v1, Resource=customresourcedefinitions");
    check("Endpoints", "/v1, Resource=endpoints");
}

#[test]
fn subresources_are_found_in_the_versions_that_have_them() {
    let table = ResourceTable::everything();
    let kind = |group: &str, version: &str, resource: &str| {
        let found = table.find(group, version, resource)?;
        Some(match found.subresource {
            Some(below) => found.served.kind_of(below).to_string(),
            None => found.served.gvk().to_string(),
        })
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(kind("", "v1", "pods"), some("/v1, Kind=Pod"));
    assert_eq!(kind("", "v1", "pods/eviction"), some("policy/v1, Kind=Eviction"));
    assert_eq!(kind("", "v1", "pods/exec"), some("/v1, Kind=PodExecOptions"));
    assert_eq!(kind("", "v1", "pods/nothing"), None);
    assert_eq!(kind("apps", "v1", "deployments/scale"), some("autoscaling/v1, Kind=Scale"));
    assert_eq!(kind("apps", "v1", "deployments/rollback"), None);
    assert_eq!(kind("apps", "v1beta1", "deployments/scale"), some("apps/v1beta1, Kind=Scale"));
    assert_eq!(
        kind("apps", "v1beta1", "deployments/rollback"),
        some("apps/v1beta1, Kind=DeploymentRollback")
    );
    assert_eq!(kind("apps", "v1beta1", "daemonsets"), None);
    assert_eq!(kind("extensions", "v1beta1", "replicasets/scale"), some("extensions/v1beta1, Kind=Scale"));
}

#[test]
fn kinds_that_moved_are_stored_in_one_place() {
    let table = ResourceTable::everything();
    let stored = |group: &'static str, version: &'static str, kind: &'static str| {
        let served = table.by_kind(&GroupVersionKind::new(group, version, kind)).expect(kind);
        served.storage_version().map(|place| place.to_string())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(stored("extensions", "v1beta1", "Deployment"), some("apps/v1"));
    assert_eq!(stored("extensions", "v1beta1", "Ingress"), some("networking.k8s.io/v1"));
    assert_eq!(stored("events.k8s.io", "v1", "Event"), some("v1"));
    assert_eq!(stored("policy", "v1beta1", "PodSecurityPolicy"), some("policy/v1beta1"));
    assert_eq!(stored("authorization.k8s.io", "v1", "SubjectAccessReview"), None);
}

#[test]
fn what_is_off_is_not_there() {
    let stable = ResourceTable::stable();
    assert!(stable.iter().all(|served| served.is_stable() && !served.is_former));
    assert!(stable.group("internal.apiserver.k8s.io").is_none());
    let places = stable.group_versions();
    assert!(places.contains(&GroupVersion::new_static("autoscaling", "v1")));
    assert!(!places.contains(&GroupVersion::new_static("networking.k8s.io", "v1beta1")));
    let kind = GroupKind::new("networking.k8s.io", "IPAddress");
    assert_eq!(stable.by_group_kind(&kind).count(), 1);
    assert_eq!(ResourceTable::current().by_group_kind(&kind).count(), 2);
    let namespaces = stable.find("", "v1", "namespaces").expect("namespaces");
    assert!(!namespaces.served.resource.verbs.contains(&Verb::DeleteCollection));
}

#[test]
fn fields_are_read_from_objects() {
    let table = ResourceTable::current();
    let check = |group: &str, version: &str, resource: &str, object: &dyn Object, expect: &[(&str, &str)]| {
        let found = table.find(group, version, resource).expect(resource);
        let fields = found.served.selectable_fields(object);
        for (name, value) in expect {
            assert_eq!(fields.get(*name).map(String::as_str), Some(*value), "{resource} {name}");
        }
        let of_metadata = if found.served.resource.scope == Scope::Namespaced { 2 } else { 1 };
        assert_eq!(fields.len(), found.served.resource.fields.len() + of_metadata, "{fields:?}");
    };
    let mut pod = core::v1::Pod::default();
    pod.metadata.name = "p".to_owned();
    pod.metadata.namespace = "n".to_owned();
    pod.spec.node_name = "one".to_owned();
    pod.status.phase = "Running".to_owned();
    let expect = [
        ("metadata.name", "p"),
        ("metadata.namespace", "n"),
        ("spec.nodeName", "one"),
        ("spec.hostNetwork", "false"),
        ("status.phase", "Running"),
        ("status.podIP", ""),
    ];
    check("", "v1", "pods", &pod, &expect);
    let tree = Unstructured::from_object(&pod);
    check("", "v1", "pods", &tree, expect.get(..3).expect("three"));

    let mut job = batch::v1::Job::default();
    job.status.succeeded = 3;
    check("batch", "v1", "jobs", &job, &[("metadata.namespace", ""), ("status.successful", "3")]);

    let mut event = core::v1::Event { reporting_component: "r".to_owned(), ..Default::default() };
    check("", "v1", "events", &event, &[("reportingComponent", "r"), ("source", "r")]);
    event.source.component = "s".to_owned();
    check("", "v1", "events", &event, &[("reportingComponent", "r"), ("source", "s")]);

    let namespace = core::v1::Namespace::default();
    check("", "v1", "namespaces", &namespace, &[("metadata.name", "")]);
}

/// In `events.k8s.io` the fields have other names outside.
#[test]
fn fields_are_those_that_the_scheme_knows() {
    let scheme = crate::scheme().expect("the scheme");
    let table = ResourceTable::current();
    for served in table.iter().filter(|served| served.group != "events.k8s.io") {
        for field in served.resource.fields.iter().chain(&["metadata.name"]) {
            let known = scheme.convert_field_label(&served.gvk(), field, "x");
            assert_eq!(known, Ok(((*field).to_owned(), "x".to_owned())), "{}", served.gvk());
        }
    }
}

#[test]
fn every_stored_kind_is_registered() {
    let scheme = crate::scheme().expect("the scheme");
    let table = ResourceTable::everything();
    let missing: Vec<String> = table
        .iter()
        .filter(|served| served.storage_version().is_some())
        .map(|served| served.gvk())
        .filter(|kind| !scheme.recognizes(kind))
        .map(|kind| kind.to_string())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
