//! The examples of the client library do what they say, and the guide shows them as they are.

mod clients;
mod guide;
mod in_process;

mod transcript;

use rhumb_api::apps::v1::Deployment;
use rhumb_api::coordination::v1::Lease;
use rhumb_api::core::v1::{ConfigMap, Container, Event, Pod, Service, ServiceAccount, ServicePort};
use rhumb_client::controller::Shutdown;
use rhumb_client::{Api, Patch};
use rhumb_meta::v1::{CreateOptions, DeleteOptions, ListOptions, PatchOptions, UpdateOptions};
use serde_json::json;

use crate::server::Subject;
use crate::verbs::deployment;
use transcript::{Transcript, until};

/// Examples are programs: their `main` is not called here.
macro_rules! examples {
    ($($path:literal $name:ident;)*) => {
        $(
            #[path = $path]
            #[allow(dead_code, unreachable_pub, reason = "it is a program of its own")]
            mod $name;
        )*
    };
}

examples! {
    "../../../../examples/client/by_user.rs" by_user;
    "../../../../examples/client/certificate.rs" certificate;
    "../../../../examples/client/clientset.rs" clientset;
    "../../../../examples/client/controller.rs" controller;
    "../../../../examples/client/custom_resource.rs" custom_resource;
    "../../../../examples/client/discovery.rs" discovery;
    "../../../../examples/client/dynamic_list.rs" dynamic_list;
    "../../../../examples/client/dynamic_pods.rs" dynamic_pods;
    "../../../../examples/client/indexer.rs" indexer;
    "../../../../examples/client/informer.rs" informer;
    "../../../../examples/client/list_nodes.rs" list_nodes;
    "../../../../examples/client/pod_informer.rs" pod_informer;
    "../../../../examples/client/rate_limits.rs" rate_limits;
    "../../../../examples/client/work_queue.rs" work_queue;
}

fn map(name: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = name.to_owned();
    map
}

async fn make(maps: &Api<ConfigMap>, map: &ConfigMap) {
    maps.create(map, &CreateOptions::default()).await.expect("it is made");
}

async fn merge(maps: &Api<ConfigMap>, name: &str, patch: serde_json::Value) {
    maps.patch(name, &Patch::Merge(patch), &PatchOptions::default()).await.expect("it is changed");
}

/// Makes a pod with one container.
async fn make_pod(subject: &Subject, name: &str) {
    let client = subject.client();
    // A server without controllers has made no account for pods that name none.
    let mut account = ServiceAccount::default();
    account.metadata.name = "worker".to_owned();
    let accounts = client.core_v1().service_accounts(&subject.namespace);
    if accounts.find("worker").await.expect("an answer").is_none() {
        accounts.create(&account, &CreateOptions::default()).await.expect("it is made");
    }
    let mut pod = Pod::default();
    pod.metadata.name = name.to_owned();
    pod.spec.service_account_name = "worker".to_owned();
    pod.spec.automount_service_account_token = Some(false);
    let image = format!("example.com/{name}");
    pod.spec.containers.push(Container { name: "main".to_owned(), image, ..Container::default() });
    let pods = client.core_v1().pods(&subject.namespace);
    pods.create(&pod, &CreateOptions::default()).await.expect("it is made");
}

#[tokio::test]
async fn dynamic_list_prints_what_it_is_asked_for() {
    let subject = Subject::new("example-dynamic").await;
    let client = subject.client();
    let deployments = client.resource::<Deployment>().default_namespace();
    deployments.create(&deployment("web"), &CreateOptions::default()).await.expect("it is made");
    for name in ["deploy", "deployments.apps", "Deployment.v1.apps"] {
        let mut out = Transcript::default();
        dynamic_list::run(client.clone(), name, &mut out).await.expect("it works");
        assert_eq!(out.lines(), ["apps/v1, Kind=Deployment:", "  web wants 2 replicas"]);
    }
    let mut out = Transcript::default();
    dynamic_list::run(client.clone(), "ns", &mut out).await.expect("it works");
    assert!(out.has(&format!("  {}", subject.namespace)), "{:?}", out.lines());
    dynamic_list::run(client, "sails", &mut out).await.expect_err("there are no sails");
    subject.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn informer_prints_what_three_handlers_hear() {
    let subject = Subject::new("example-informer").await;
    let client = subject.client();
    let maps = client.core_v1().config_maps(&subject.namespace);
    make(&maps, &map("early")).await;
    let (out, shutdown) = (Transcript::default(), Shutdown::new());
    let work = async {
        out.wait_for("early is there").await;
        make(&maps, &map("late")).await;
        out.wait_for("late is there").await;
        merge(&maps, "late", json!({"metadata": {"labels": {"important": "yes"}}})).await;
        out.wait_for("late has changed").await;
        out.wait_for("late is important").await;
        merge(&maps, "late", json!({"metadata": {"labels": null}})).await;
        out.wait_for("late is not important").await;
        maps.delete("early", &DeleteOptions::default()).await.expect("it goes");
        out.wait_for("early is gone").await;
        out.wait_for("now there are 1").await;
        shutdown.begin();
    };
    let mut printed = out.clone();
    let (result, ()) = tokio::join!(informer::run(client.clone(), &shutdown, &mut printed), work);
    result.expect("it works");
    assert!(!out.has("early is important"));
    subject.end().await;
}

#[tokio::test]
async fn indexer_finds_by_annotation() {
    let subject = Subject::new("example-indexer").await;
    let client = subject.client();
    let maps = client.core_v1().config_maps(&subject.namespace);
    for (name, owner, colour) in [("a", "web", "red"), ("b", "db", "red"), ("c", "web", "blue")] {
        let mut map = map(name);
        map.metadata.annotations.insert("example.com/owner".to_owned(), owner.to_owned());
        map.metadata.labels.insert("colour".to_owned(), colour.to_owned());
        make(&maps, &map).await;
    }
    make(&maps, &map("of-nobody")).await;
    let mut out = Transcript::default();
    indexer::run(client, &mut out).await.expect("it works");
    assert_eq!(out.lines(), ["db has b", "web has a", "web has c", "2 are red"]);
    subject.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_queue_tries_again_and_gives_up() {
    let subject = Subject::new("example-queue").await;
    let (client, namespace) = (subject.client(), &subject.namespace);
    let maps = client.core_v1().config_maps(namespace);
    for (name, limit) in [("good", "7"), ("bad", "many")] {
        let mut map = map(name);
        map.metadata.labels.insert("checked".to_owned(), "yes".to_owned());
        map.data.insert("limit".to_owned(), limit.to_owned());
        make(&maps, &map).await;
    }
    make(&maps, &map("unchecked")).await;
    let (out, shutdown) = (Transcript::default(), Shutdown::new());
    let work = async {
        out.wait_for(&format!("{namespace}/good has the limit 7")).await;
        out.wait_for(&format!("{namespace}/bad is given up: \"many\": invalid digit found in string")).await;
        merge(&maps, "bad", json!({"data": {"limit": "8"}})).await;
        out.wait_for(&format!("{namespace}/bad has the limit 8")).await;
        maps.delete("good", &DeleteOptions::default()).await.expect("it goes");
        out.wait_for(&format!("{namespace}/good is gone")).await;
        shutdown.begin();
    };
    let mut printed = out.clone();
    let (result, ()) = tokio::join!(work_queue::run(client.clone(), &shutdown, &mut printed), work);
    result.expect("it works");
    let lines = out.lines();
    let again =
        lines.iter().filter(|line| line.starts_with(&format!("{namespace}/bad is tried again"))).count();
    assert_eq!(again, 3, "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("unchecked")), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("the queue is empty"));
    subject.end().await;
}

#[tokio::test]
async fn custom_resource_is_defined_and_used() {
    let subject = Subject::new("example-custom").await;
    let mut out = Transcript::default();
    custom_resource::run(subject.client(), &mut out).await.expect("it works");
    custom_resource::run(subject.client(), &mut out).await.expect("it works again");
    assert_eq!(out.lines(), ["westward: Ada holds 270°", "westward: Ada holds 270°"]);
    subject.end().await;
}

fn service(name: &str) -> Service {
    let mut service = Service::default();
    service.metadata.name = name.to_owned();
    service.metadata.labels.insert("example.com/card".to_owned(), "yes".to_owned());
    service.spec.ports.push(ServicePort { port: 80, ..ServicePort::default() });
    service
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn controller_keeps_cards() {
    let subject = Subject::new("example-controller").await;
    let (client, namespace) = (subject.client(), &subject.namespace);
    let (services, maps) = (client.core_v1().services(namespace), client.core_v1().config_maps(namespace));
    services.create(&service("web"), &CreateOptions::default()).await.expect("it is made");
    services.create(&service("blocked"), &CreateOptions::default()).await.expect("it is made");
    make(&maps, &map("blocked-card")).await;
    let shutdown = Shutdown::new();
    let work = async {
        let card = until("there is a card", async || maps.find("web-card").await.expect("an answer")).await;
        assert_eq!(card.data["host"], format!("web.{namespace}.svc"));
        assert_eq!(card.data["ports"], "80");
        assert_eq!(card.metadata.owner_references[0].name, "web");
        // What somebody else changes is put right.
        merge(&maps, "web-card", json!({"data": {"host": "elsewhere"}})).await;
        let is = async |key: &str, value: &str| {
            let card = maps.get("web-card").await.expect("it is there");
            (card.data[key] == value).then_some(())
        };
        until("the host is right", async || is("host", &format!("web.{namespace}.svc")).await).await;
        // What the owner wants now becomes so.
        let add_port = |service: &mut Service| {
            let port = ServicePort { name: "more".to_owned(), port: 81, ..ServicePort::default() };
            service.spec.ports.first_mut().expect("a port").name = "first".to_owned();
            service.spec.ports.push(port);
        };
        services.modify("web", &UpdateOptions::default(), add_port).await.expect("it is changed");
        until("both ports are there", async || is("ports", "80,81").await).await;
        // A service that loses its label loses its card.
        let unlabelled = |service: &mut Service| service.metadata.labels.clear();
        services.modify("web", &UpdateOptions::default(), unlabelled).await.expect("it is changed");
        until("the card is gone", async || {
            maps.find("web-card").await.expect("an answer").is_none().then_some(())
        })
        .await;
        assert!(maps.get("blocked-card").await.expect("it is there").data.is_empty(), "it is not ours");
        let events = client.resource::<Event>().namespace(namespace);
        until("people were told", async || {
            let told = events.list(&ListOptions::default()).await.expect("a list");
            let has = |reason: &str| told.items.iter().any(|event| event.reason == reason);
            (has("CardWritten") && has("CardBlocked")).then_some(())
        })
        .await;
        shutdown.begin();
    };
    let (result, ()) = tokio::join!(controller::run(client.clone(), None, &shutdown), work);
    result.expect("it ends in order");
    subject.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_controllers_one_works_and_the_other_takes_over() {
    let subject = Subject::new("example-election").await;
    let (client, namespace) = (subject.client(), &subject.namespace);
    let (services, maps) = (client.core_v1().services(namespace), client.core_v1().config_maps(namespace));
    let leases = client.resource::<Lease>().default_namespace();
    let holder = async || {
        let lease = leases.find("cards").await.expect("an answer")?;
        lease.spec.holder_identity.filter(|holder| !holder.is_empty())
    };
    let (first, second) = (Shutdown::new(), Shutdown::new());
    let work = async {
        let leader = until("someone leads", async || holder().await).await;
        services.create(&service("one"), &CreateOptions::default()).await.expect("it is made");
        until("there is a card", async || maps.find("one-card").await.expect("an answer")).await;
        let (ends, stays) = if leader == "a" { (&first, "b") } else { (&second, "a") };
        // The lease is given back, so the other need not wait until it expires.
        ends.begin();
        until("the other leads", async || holder().await.filter(|holder| holder == stays)).await;
        services.create(&service("two"), &CreateOptions::default()).await.expect("it is made");
        until("there is a card", async || maps.find("two-card").await.expect("an answer")).await;
        first.begin();
        second.begin();
    };
    let (a, b, ()) = tokio::join!(
        controller::run(client.clone(), Some("a"), &first),
        controller::run(client.clone(), Some("b"), &second),
        work
    );
    a.and(b).expect("both end in order");
    subject.end().await;
}
