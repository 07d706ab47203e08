//! Every method of the clientset leads to a resource that a server serves.

use std::path::Path;

use rhumb_api::resources::{ResourceTable, Verb};
use rhumb_client::{Api, Client};
use rhumb_meta::v1::ListOptions;
use rhumb_scheme::Unstructured;

use crate::server::{KUBECONFIG, Server, Storage, read};

macro_rules! all {
    ($($group:literal {
        $($version:literal $place:ident $client:ident $module:ident::$file:ident {
            $($how:tt $kind:ident $method:ident $plural:literal $scope:ident,)*
        })*
    })*) => {
        fn every_method(client: &Client) -> Vec<Api<Unstructured>> {
            vec![$($($(all!(@ $scope client $place $method),)*)*)*]
        }
    };
    (@ Namespaced $client:ident $place:ident $method:ident) => {
        $client.$place().$method("default").as_unstructured()
    };
    (@ Cluster $client:ident $place:ident $method:ident) => {
        $client.$place().$method().as_unstructured()
    };
}

rhumb_api::built_in_resources!(all);

#[tokio::test]
async fn everything_can_be_listed() {
    let flags = ["--runtime-config", "api/all=true,api/legacy=true"];
    let (config, server) = match std::env::var_os(KUBECONFIG) {
        Some(path) => (read(Path::new(&path)), None),
        None => {
            let server = Server::start_with(Storage::InMemory, &flags);
            (server.config(), Some(server))
        }
    };
    let client = Client::new(config).expect("a client");
    // Only our own server still has what Kubernetes gave up, and all that is new without asking for each.
    let table = if server.is_some() { ResourceTable::everything() } else { ResourceTable::stable() };
    let mut listed = 0;
    for api in every_method(&client) {
        let gvr = api.gvr();
        let Some(found) = table.find(&gvr.group, &gvr.version, &gvr.resource) else { continue };
        if found.served.resource.verbs.contains(&Verb::List) {
            let list = api.list(&ListOptions { limit: 1, ..ListOptions::default() }).await;
            drop(list.unwrap_or_else(|error| panic!("{gvr}: {error}")));
            listed += 1;
        }
    }
    assert!(listed > 40, "{listed}");
}
