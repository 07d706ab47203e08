//! Kinds and names to resources.

use std::sync::Arc;

use rhumb_meta::{GroupKind, GroupVersion, GroupVersionResource};

use super::server::Server;
use super::{Dir, GRACE, in_memory, pass, recorded};
use crate::config::Environment;
use crate::discovery::{CachedDiscovery, DeferredMapper, DiscoveryCache, DiscoveryClient, DiskCache};

fn name(resource: &str) -> GroupVersionResource {
    GroupVersionResource::new("", "", resource.to_owned())
}

#[tokio::test]
async fn a_kind_that_is_missing_is_looked_for_once_more() {
    let server = Server::start().await;
    server.serve_aggregated(&[("apps", "Deployment", "Current")]);
    let mapper = DeferredMapper::new(in_memory(&server));
    assert_eq!(mapper.resource_for(&name("po")).await.unwrap().to_string(), "/v1, Resource=pods");
    assert_eq!(server.asked(), ["/api", "/apis"]);

    // Just fetched: what is missing is missing on the server.
    let widget = GroupKind::new("example.com", "Widget");
    assert!(mapper.rest_mapping(&widget, &[]).await.unwrap_err().is_no_match());
    assert!(server.asked().is_empty());

    server.serve_aggregated(&[("apps", "Deployment", "Current"), ("example.com", "Widget", "Current")]);
    pass(GRACE).await;
    let mapping = mapper.rest_mapping(&widget, &["v1"]).await.unwrap();
    assert_eq!(mapping.resource.to_string(), "example.com/v1, Resource=widgets");
    assert_eq!(server.asked(), ["/api", "/apis"]);

    // What is there is never asked for again, what is not once in a while.
    mapper.kind_for(&name("widgets")).await.unwrap();
    for _ in 0..3 {
        assert!(mapper.resource_for(&name("nothing")).await.unwrap_err().is_no_match());
        assert_eq!(
            mapper.mapping_for_arg("nothing").await.unwrap_err().to_string(),
            "the server doesn't have a resource type \"nothing\""
        );
    }
    assert!(server.asked().is_empty());
    assert_eq!(mapper.mapping_for_arg("widgets.example.com").await.unwrap(), mapping);
    assert_eq!(mapper.categories().await.unwrap().names(), ["all"]);
}

#[tokio::test]
async fn a_server_that_is_away_is_not_a_missing_kind() {
    let server = Server::start().await;
    let mapper = DeferredMapper::new(in_memory(&server));
    let error = mapper.resource_for(&name("pods")).await.unwrap_err();
    assert!(!error.is_no_match(), "{error}");
    // It is asked when it is back.
    server.serve_aggregated(&[]);
    assert!(mapper.resource_for(&name("pods")).await.is_ok());
}

#[tokio::test]
async fn what_kubectl_wrote_is_enough_to_map() {
    let server = Server::start().await;
    let recorded =
        DiskCache::for_server(&recorded(), &"https://127.0.0.1:7843".parse().unwrap(), &Environment::empty());
    // The groups whose files were recorded, in a place that may be written to.
    let dir = Dir::new();
    let cache = DiskCache::new(dir.path(), &Environment::empty());
    let mut groups = (*recorded.groups().unwrap()).clone();
    groups.groups.iter_mut().for_each(|group| {
        group.versions.retain(|version| {
            let version = GroupVersion::new(group.name.clone(), version.version.clone());
            recorded.resources(&version).inspect(|list| cache.keep_resources(&version, list)).is_some()
        });
    });
    cache.keep_groups(&Arc::new(groups));
    let mapper = DeferredMapper::new(CachedDiscovery::new(DiscoveryClient::new(&server.client), cache));
    for (typed, resource) in [
        ("deploy", "apps/v1, Resource=deployments"),
        ("svc", "/v1, Resource=services"),
        ("hpa", "autoscaling/v2, Resource=horizontalpodautoscalers"),
    ] {
        assert_eq!(mapper.resource_for(&name(typed)).await.unwrap().to_string(), resource);
    }
    assert!(server.asked().is_empty());
}
