//! The methods beside the table of resources.

use std::collections::HashSet;

use rhumb_api::resources::{ResourceTable, Served};
use rhumb_meta::{GroupVersionResource, Scope};

use crate::api::Api;
use crate::config::Config;
use crate::rest::Client;

/// A method, and where it leads: the resource, its scope and the namespace.
type Facts = (&'static str, GroupVersionResource, Option<Scope>, Option<String>);

macro_rules! all {
    ($($group:literal {
        $($version:literal $place:ident $client:ident $module:ident::$file:ident {
            $($how:tt $kind:ident $method:ident $plural:literal $scope:ident,)*
        })*
    })*) => {
        fn every_method(client: &Client) -> Vec<Facts> {
            vec![$($($(all!(@ $scope client $place $method),)*)*)*]
        }
    };
    (@ Namespaced $client:ident $place:ident $method:ident) => {
        facts(concat!(stringify!($place), ".", stringify!($method)), &$client.$place().$method("x"))
    };
    (@ Cluster $client:ident $place:ident $method:ident) => {
        facts(concat!(stringify!($place), ".", stringify!($method)), &$client.$place().$method())
    };
}

rhumb_api::built_in_resources!(all);

fn facts<K>(method: &'static str, api: &Api<K>) -> Facts {
    (method, api.gvr().clone(), api.scope(), api.current_namespace().map(str::to_owned))
}

fn client() -> Client {
    Client::new(Config::new(http::Uri::from_static("http://127.0.0.1:1"))).unwrap()
}

#[tokio::test]
async fn every_resource_has_its_method() {
    let resources = ResourceTable::everything();
    let usable = |served: &&Served| !served.resource.verbs.is_empty();
    let mut left: HashSet<GroupVersionResource> = resources.iter().filter(usable).map(Served::gvr).collect();
    let mut names = HashSet::new();
    for (method, gvr, scope, namespace) in every_method(&client()) {
        assert!(names.insert(method), "{method} is there twice");
        assert!(left.remove(&gvr), "{method} leads to {gvr}");
        let found = resources.find(&gvr.group, &gvr.version, &gvr.resource).unwrap();
        assert_eq!(scope, Some(found.served.resource.scope), "{method}");
        assert_eq!(namespace.is_some(), scope == Some(Scope::Namespaced), "{method}");
        // `apps_v1.replica_sets` is `replicasets` of `v1`.
        let (place, name) = method.split_once('.').unwrap();
        assert!(place.ends_with(&format!("_{}", gvr.version)), "{method}");
        assert_eq!(name.replace('_', ""), gvr.resource, "{method}");
    }
    assert!(left.is_empty(), "without a method: {left:?}");
}

#[tokio::test]
async fn methods_are_named_as_in_client_go() {
    let names: HashSet<&str> = every_method(&client()).into_iter().map(|(method, ..)| method).collect();
    for name in [
        "apps_v1.deployments",
        "autoscaling_v2.horizontal_pod_autoscalers",
        "core_v1.component_statuses",
        "core_v1.endpoints",
        "core_v1.nodes",
        "flowcontrol_v1beta3.priority_level_configurations",
        "internal_v1alpha1.storage_versions",
        "networking_v1.ip_addresses",
        "networking_v1.service_cidrs",
        "rbac_v1.cluster_role_bindings",
        "storage_v1.csi_drivers",
    ] {
        assert!(names.contains(name), "{name}");
    }
}
