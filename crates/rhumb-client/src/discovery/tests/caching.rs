//! What is asked of a server, and what is not asked again.

use rhumb_meta::GroupVersion;

use super::server::Server;
use super::{Dir, GRACE, in_memory, pass};
use crate::config::Environment;
use crate::discovery::{CachedDiscovery, DiscoveryClient, DiskCache, OpenApiForm};

const OLD: &str = "application/json";

fn serve_old(server: &Server) {
    server.answer("/api", OLD, r#"{"kind":"APIVersions","versions":["v1"]}"#);
    server.answer(
        "/apis",
        OLD,
        r#"{"kind":"APIGroupList","apiVersion":"v1","groups":[
            {"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"},
             {"groupVersion":"apps/v1beta1","version":"v1beta1"}],
             "preferredVersion":{"groupVersion":"apps/v1","version":"v1"}},
            {"name":"down.example.com","versions":[{"groupVersion":"down.example.com/v1","version":"v1"}],
             "preferredVersion":{"groupVersion":"down.example.com/v1","version":"v1"}}]}"#,
    );
    let list = |version: &str, names: &[&str]| {
        let resources: Vec<String> = names
            .iter()
            .map(|name| format!(r#"{{"name":"{name}","namespaced":true,"kind":"{name}","verbs":["get"]}}"#))
            .collect();
        format!(
            r#"{{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"{version}","resources":[{}]}}"#,
            resources.join(",")
        )
    };
    server.answer("/api/v1", OLD, &list("v1", &["pods", "pods/status"]));
    server.answer("/apis/apps/v1", OLD, &list("apps/v1", &["deployments"]));
    server.answer("/apis/apps/v1beta1", OLD, &list("apps/v1beta1", &["deployments", "scales"]));
    server.answer_with("/apis/down.example.com/v1", 400, "", "no");
}

#[tokio::test]
async fn the_aggregated_form_takes_two_requests() {
    let server = Server::start().await;
    server.serve_aggregated(&[("apps", "Deployment", "Current"), ("down.example.com", "Thing", "Stale")]);
    let found = DiscoveryClient::new(&server.client).server_resources().await.unwrap();
    assert_eq!(server.asked(), ["/api", "/apis"]);
    let versions: Vec<&str> = found.resources.iter().map(|list| list.group_version.as_str()).collect();
    assert_eq!(versions, ["v1", "apps/v1"]);
    let core: Vec<&str> =
        found.resources[0].resources.iter().map(|resource| resource.name.as_str()).collect();
    assert_eq!(core, ["pods", "pods/status"]);
    assert_eq!(
        found.failure().unwrap().to_string(),
        "unable to retrieve the complete list of server APIs: \
         down.example.com/v1: stale GroupVersion discovery: down.example.com/v1"
    );
}

#[tokio::test]
async fn an_old_server_is_asked_for_each_version_and_one_failure_hides_nothing() {
    let server = Server::start().await;
    serve_old(&server);
    let found = DiscoveryClient::new(&server.client).server_resources().await.unwrap();
    assert_eq!(server.asked().len(), 6);
    let versions: Vec<&str> = found.resources.iter().map(|list| list.group_version.as_str()).collect();
    assert_eq!(versions, ["v1", "apps/v1", "apps/v1beta1"]);
    assert_eq!(found.failed.len(), 1);
    assert_eq!(found.failed[0].version, GroupVersion::new("down.example.com", "v1"));
    let preferred: Vec<String> = found
        .preferred()
        .iter()
        .flat_map(|list| list.resources.iter().map(|found| format!("{} {}", list.group_version, found.name)))
        .collect();
    assert_eq!(preferred, ["v1 pods", "apps/v1 deployments", "apps/v1beta1 scales"]);
}

#[tokio::test]
async fn a_server_without_the_core_group() {
    let server = Server::start().await;
    server.serve_aggregated(&[("apps", "Deployment", "Current")]);
    server.answer_with("/api", 404, "", "");
    let found = DiscoveryClient::new(&server.client).server_resources().await.unwrap();
    assert_eq!(found.groups.groups.len(), 1);
}

#[tokio::test]
async fn no_groups_is_an_error() {
    let server = Server::start().await;
    assert!(DiscoveryClient::new(&server.client).server_resources().await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn what_is_known_is_not_asked_for_again() {
    let dir = Dir::new();
    for on_disk in [false, true] {
        let server = Server::start().await;
        server.serve_aggregated(&[("apps", "Deployment", "Current")]);
        let discovery = if on_disk {
            let cache = DiskCache::new(dir.path(), &Environment::process());
            CachedDiscovery::new(DiscoveryClient::new(&server.client), cache).with_grace(GRACE)
        } else {
            in_memory(&server)
        };
        for _ in 0..3 {
            assert_eq!(discovery.server_resources().await.unwrap().resources.len(), 2);
        }
        assert_eq!(server.asked(), ["/api", "/apis"], "on disk: {on_disk}");
        assert!(discovery.is_fresh());
        pass(GRACE).await;
        assert!(!discovery.is_fresh());
        discovery.invalidate().await;
        discovery.groups().await.unwrap();
        assert_eq!(server.asked(), ["/api", "/apis"]);
        assert!(discovery.is_fresh());
    }
}

#[tokio::test]
async fn many_who_ask_at_once_ask_once() {
    let server = Server::start().await;
    server.serve_aggregated(&[("apps", "Deployment", "Current")]);
    let discovery = std::sync::Arc::new(in_memory(&server));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let discovery = std::sync::Arc::clone(&discovery);
        tasks.spawn(async move { discovery.server_resources().await.unwrap().resources.len() });
    }
    while let Some(count) = tasks.join_next().await {
        assert_eq!(count.unwrap(), 2);
    }
    assert_eq!(server.asked(), ["/api", "/apis"]);
}

#[tokio::test]
async fn what_failed_is_told_from_the_cache_too() {
    let server = Server::start().await;
    serve_old(&server);
    let discovery = in_memory(&server);
    for _ in 0..2 {
        let found = discovery.server_resources().await.unwrap();
        assert_eq!((found.resources.len(), found.failed.len()), (3, 1));
    }
    // The one that failed is not asked for again at once.
    assert_eq!(server.asked().len(), 6);
}

#[tokio::test]
async fn another_process_finds_the_files() {
    let dir = Dir::new();
    let server = Server::start().await;
    server.serve_aggregated(&[("apps", "Deployment", "Current")]);
    CachedDiscovery::on_disk(&server.client, Some(dir.path().to_owned())).server_resources().await.unwrap();
    assert_eq!(server.asked(), ["/api", "/apis"]);
    let other = CachedDiscovery::on_disk(&server.client, Some(dir.path().to_owned()));
    assert_eq!(other.server_resources().await.unwrap().resources.len(), 2);
    assert!(server.asked().is_empty());
    assert!(!other.is_fresh());
    // A file that is gone or torn is had again, with what came with it.
    let host = server.client.config().server.authority().unwrap().as_str().replace(':', "_");
    let file = dir.path().join("discovery").join(host).join("apps/v1/serverresources.json");
    for content in
        ["", "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"other/v1\"}", "{\"kind"]
    {
        std::fs::write(&file, content).unwrap();
        let other = CachedDiscovery::on_disk(&server.client, Some(dir.path().to_owned()));
        assert_eq!(other.server_resources().await.unwrap().resources.len(), 2);
        assert_eq!(server.asked(), ["/api", "/apis"]);
        assert!(std::fs::read_to_string(&file).unwrap().contains("deployments"));
    }
}

#[tokio::test]
async fn versions_and_documents() {
    let server = Server::start().await;
    server.answer("/version", OLD, include_str!("data/version.json"));
    server.answer("/openapi/v2", "application/octet-stream", "bytes");
    server.answer(
        "/openapi/v3",
        "text/plain; charset=utf-8",
        r#"{"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=ABC"}}}"#,
    );
    server.answer("/openapi/v3/api/v1", OLD, "{\"openapi\":\"3.0.0\"}");
    let discovery = DiscoveryClient::new(&server.client);
    let version = discovery.version().await.unwrap();
    assert_eq!((version.git_version.as_str(), version.emulation_minor.as_str()), ("v1.36.4", "36"));
    assert_eq!(discovery.openapi_v2(OpenApiForm::Protobuf).await.unwrap(), "bytes");
    let index = discovery.openapi_v3().await.unwrap();
    assert_eq!(index.paths["api/v1"].hash(), Some("ABC"));
    let document = discovery.openapi_v3_document(&index.paths["api/v1"], OpenApiForm::Json).await.unwrap();
    assert_eq!(document, "{\"openapi\":\"3.0.0\"}");
    server.answer("/version", OLD, "<html>");
    let error = discovery.version().await.unwrap_err().to_string();
    assert!(error.starts_with("unable to parse the server version: "), "{error}");
}
