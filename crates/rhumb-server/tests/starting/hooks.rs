//! Each step of a start on its own: while the store doesn't answer what the step needs, its checks fail, and those of
//! all other steps pass.

use std::sync::Arc;

use rhumb_server::{Server, StartError};
use rhumb_store::{Range, Store, Transaction};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::gate::{Gate, Held};
use super::{AT_ONCE, EVERYWHERE, TOKEN, connected, failed, passed, starting};
use crate::client::{Client, in_time};

/// What kube-apiserver checks beside what upstream's test asks for.
const FURTHER: [&str; 6] = [
    "etcd-readiness",
    "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/rbac/bootstrap-roles",
    "poststarthook/start-legacy-token-tracking-controller",
    "poststarthook/priority-and-fairness-config-producer",
    "poststarthook/start-kubernetes-service-cidr-controller",
];

const REGISTRATIONS: &[&str] = &[
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
];

const DEFINITIONS: &str = "/registry/apiextensions.k8s.io/customresourcedefinitions/";
const APISERVICES: &str = "/registry/apiregistration.k8s.io/apiservices/";

fn everything() -> impl Iterator<Item = &'static str> {
    EVERYWHERE.into_iter().chain(FURTHER)
}

/// A server that is starting, and who asks it how it is.
struct Start {
    server: JoinHandle<Result<Server, StartError>>,
    client: Client,
}

impl Start {
    async fn on(store: &Arc<Gate>) -> Self {
        let (server, address) = starting(Arc::clone(store) as Arc<dyn Store>);
        Start { server, client: connected(address).await }
    }

    /// What is told to a master, who needs no roles to be known.
    async fn checks(&mut self) -> String {
        in_time(self.client.get_with("/readyz?verbose", &[TOKEN])).await.body
    }

    /// Asks until these checks fail and all others pass.
    async fn until_open(&mut self, open: &[&str], told: &str) {
        let wanted = |body: &str| {
            let (failed, passed) = (failed(body), passed(body));
            everything().all(|name| {
                if open.contains(&name) { failed.contains(&name) } else { passed.contains(&name) }
            })
        };
        let mut body = String::new();
        for _ in 0..5_000 {
            body = self.checks().await;
            if wanted(&body) {
                return;
            }
            assert!(open.iter().all(|name| failed(&body).contains(name)), "{told}: well too early:\n{body}");
            tokio::task::yield_now().await;
        }
        panic!("{told}: these don't pass by themselves:\n{body}");
    }

    async fn finish(mut self, store: &Gate, told: &str) {
        store.hold(Held::Nothing);
        let server = in_time(&mut self.server).await.unwrap().unwrap();
        let body = self.checks().await;
        assert!(everything().all(|name| passed(&body).contains(&name)), "{told}:\n{body}");
        in_time(server.shutdown()).await.unwrap();
    }
}

/// A store that a server has worked on which had a definition, of whose names nothing is decided and for which
/// nothing is registered.
async fn used() -> Arc<Gate> {
    let store = Gate::new(Held::Nothing);
    let (server, _) = starting(Arc::clone(&store) as Arc<dyn Store>);
    let server = in_time(server).await.unwrap().unwrap();
    let mut client = Client::http2(&server, Some(server.admin_certificate())).await;
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gears.machines.example.com"},
        "spec": {"group": "machines.example.com", "scope": "Namespaced",
            "names": {"plural": "gears", "kind": "Gear"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}}}]},
    });
    let request = client.request(
        http::Method::POST,
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        &[("content-type", "application/json")],
    );
    let made = client.send(request.map(|_| definition.to_string().into_bytes().into())).await.unwrap();
    assert_eq!(made.code, 201, "{}", made.body);
    in_time(async {
        while client.get("/apis/apiregistration.k8s.io/v1/apiservices/v1.machines.example.com").await.code
            != 200
            || client.get("/apis/machines.example.com/v1/gears").await.code != 200
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
    in_time(server.shutdown()).await.unwrap();

    let registration = format!("{APISERVICES}v1.machines.example.com").into();
    let (entry, _) = store.get(registration, None).await.unwrap();
    let entry = entry.expect("a registration");
    store.commit(Transaction::delete(entry.key, entry.modified)).await.unwrap();
    let found = store.range(Range::all(DEFINITIONS.into())).await.unwrap().entries;
    let [entry] = found.as_slice() else { panic!("{found:?}") };
    let mut tree: Value = serde_json::from_slice(&entry.value).unwrap();
    tree["status"] = json!({
        "conditions": [], "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]});
    let value = tree.to_string().into_bytes().into();
    store.commit(Transaction::update(entry.key.clone(), value, entry.modified)).await.unwrap();
    store
}

#[tokio::test]
async fn what_is_written_first_is_open_until_it_is_written() {
    for (name, key) in [
        ("poststarthook/start-system-namespaces-controller", "namespaces/kube-system"),
        (
            "poststarthook/start-cluster-authentication-info-controller",
            "roles/kube-system/extension-apiserver-authentication-reader",
        ),
        (
            "poststarthook/start-legacy-token-tracking-controller",
            "configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking",
        ),
        ("poststarthook/rbac/bootstrap-roles", "clusterroles/cluster-admin"),
        (
            "poststarthook/scheduling/bootstrap-system-priority-classes",
            "priorityclasses/system-node-critical",
        ),
        ("poststarthook/priority-and-fairness-config-producer", "flowschemas/exempt"),
        ("poststarthook/bootstrap-controller", "services/specs/default/kubernetes"),
        ("poststarthook/start-kubernetes-service-cidr-controller", "servicecidrs/kubernetes"),
    ] {
        let key: &'static str = format!("/registry/{key}").leak();
        let store = Gate::new(Held::Writes(key));
        let mut start = Start::on(&store).await;
        in_time(store.has_held()).await;
        // All others are written by now, or will be in no time.
        for _ in 0..20 {
            let body = start.checks().await;
            assert!(failed(&body).contains(&name), "{name} is well without {key}:\n{body}");
            assert!(AT_ONCE.iter().all(|name| passed(&body).contains(name)), "{body}");
        }
        start.finish(&store, name).await;
    }
}

#[tokio::test]
async fn what_is_read_is_open_until_it_is_read() {
    let of_definitions: Vec<&str> = [
        "poststarthook/start-apiextensions-informers",
        "poststarthook/start-apiextensions-controllers",
        "poststarthook/crd-informer-synced",
        "poststarthook/apiservice-openapi-controller",
        "poststarthook/storage-readiness",
    ]
    .into_iter()
    .chain(REGISTRATIONS.iter().copied())
    .collect();
    let of_registrations: Vec<&str> = [
        "poststarthook/start-kube-aggregator-informers",
        "poststarthook/apiservice-status-remote-available-controller",
    ]
    .into_iter()
    .chain(REGISTRATIONS.iter().copied())
    .collect();
    for (key, open) in [
        ("/registry/clusterroles/", &["poststarthook/generic-apiserver-start-informers"][..]),
        ("/registry/flowschemas/", &["poststarthook/priority-and-fairness-config-consumer"]),
        ("/registry/services/specs/", &["poststarthook/start-service-ip-repair-controllers"]),
        (DEFINITIONS, &of_definitions),
        (APISERVICES, &of_registrations),
    ] {
        let store = Gate::new(Held::Reads(key));
        let mut start = Start::on(&store).await;
        start.until_open(open, key).await;
        start.finish(&store, key).await;
    }
}

#[tokio::test]
async fn what_follows_from_definitions_is_open_until_it_is_done() {
    for (key, open) in
        [(DEFINITIONS, &["poststarthook/start-apiextensions-controllers"][..]), (APISERVICES, REGISTRATIONS)]
    {
        let store = used().await;
        store.hold(Held::Writes(key));
        let mut start = Start::on(&store).await;
        start.until_open(open, key).await;
        start.finish(&store, key).await;
    }
}

#[tokio::test]
async fn a_store_that_fails_or_is_silent_is_told_of() {
    let store = Gate::new(Held::Nothing);
    let (server, address) = starting(Arc::clone(&store) as Arc<dyn Store>);
    let server = in_time(server).await.unwrap().unwrap();
    for (held, why) in
        [(Held::RevisionWithError, "the disk is gone"), (Held::Revision, "context deadline exceeded")]
    {
        store.hold(held);
        // They are asked for at the same time, because each waits for a while.
        let ask = async |path: &str| {
            let mut client = connected(address).await;
            in_time(client.get_with(path, &[TOKEN])).await
        };
        let (ready, live, one, other) = tokio::join!(
            ask("/readyz?verbose"),
            ask("/livez?verbose"),
            ask("/healthz/etcd"),
            ask("/readyz/etcd-readiness"),
        );
        assert_eq!((ready.code, failed(&ready.body)), (500, vec!["etcd", "etcd-readiness"]), "{held:?}");
        assert_eq!((live.code, failed(&live.body)), (500, vec!["etcd"]), "{held:?}");
        for one in [one, other] {
            assert_eq!(one.code, 500);
            assert!(
                one.body.starts_with("internal server error: error getting data from etcd: "),
                "{}",
                one.body
            );
            assert!(one.body.contains(why), "{}", one.body);
        }
    }
    store.hold(Held::Nothing);
    let mut client = connected(address).await;
    assert_eq!(in_time(client.get("/readyz")).await.body, "ok");
    in_time(server.shutdown()).await.unwrap();
}
