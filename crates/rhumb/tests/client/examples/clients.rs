//! The examples that show one client each: requests by hand, the client set, the dynamic client, discovery, informers,
//! indexers and queues.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderMap, StatusCode};
use rhumb_api::core::v1::Node;
use rhumb_client::Client;
use rhumb_client::config::{RequestObserver, SentRequest};
use rhumb_client::controller::Shutdown;
use rhumb_meta::v1::{CreateOptions, DeleteOptions, ListOptions};
use serde_json::json;

use super::transcript::Transcript;
use super::{
    by_user, certificate, clientset, discovery, dynamic_pods, list_nodes, make_pod, pod_informer, rate_limits,
};
use crate::certificates::{Authority, TIMES, directory, sign_all};
use crate::server::{Server, Storage, Subject};
use crate::verbs::deployment;

/// Notes the path and parameters of every request.
#[derive(Default)]
struct Requests(Mutex<Vec<String>>);

impl RequestObserver for Requests {
    fn sending(&self, request: &SentRequest<'_>) {
        let path = request.uri.path_and_query().expect("a path").to_string();
        self.0.lock().expect("nobody panics while noting").push(path);
    }
    fn answered(&self, _: &SentRequest<'_>, _: Option<(StatusCode, &HeaderMap)>, _: Duration) {}
    fn received(&self, _: &[u8]) {}
}

#[tokio::test]
async fn list_nodes_asks_for_100_at_a_time() {
    let server = Server::start(Storage::InMemory);
    let requests = Arc::new(Requests::default());
    let mut config = server.config();
    config.observer = Some(Arc::clone(&requests) as _);
    let mut expect = Vec::new();
    for number in 0..250 {
        let mut node = Node::default();
        node.metadata.name = format!("node-{number:03}");
        server.client().core_v1().nodes().create(&node, &CreateOptions::default()).await.expect("it is made");
        expect.push(node.metadata.name);
    }
    let mut out = Transcript::default();
    list_nodes::run(Client::new(config).expect("a client"), &mut out).await.expect("it works");
    assert_eq!(out.lines(), expect);
    let requests = requests.0.lock().expect("nobody panicked").clone();
    assert_eq!(requests.len(), 3, "{requests:?}");
    assert_eq!(requests[0], "/api/v1/nodes?limit=100");
    for request in &requests[1..] {
        assert!(
            request.starts_with("/api/v1/nodes?continue=") && request.ends_with("&limit=100"),
            "{request}"
        );
    }
}

#[tokio::test]
async fn clientset_prints_pods_and_deployments() {
    let subject = Subject::new("example-pods").await;
    let client = subject.client();
    for name in ["one", "two"] {
        make_pod(&subject, name).await;
    }
    let deployments = client.apps_v1().deployments(&subject.namespace);
    deployments.create(&deployment("web"), &CreateOptions::default()).await.expect("it is made");
    let mut out = Transcript::default();
    clientset::run(client, &mut out).await.expect("it works");
    let lines = out.lines();
    assert_eq!(lines[0], "one is Pending and runs example.com/one");
    assert_eq!(lines[1], "two is Pending and runs example.com/two");
    assert_eq!(lines[2], "web has 0 of 2");
    assert!(lines[3].starts_with("There are ") && !lines[3].contains(" 0 "), "{lines:?}");
    assert_eq!(lines[4], "There is no such pod: pods \"no-such-pod\" not found");
    subject.end().await;
}

#[tokio::test]
async fn dynamic_pods_makes_typed_pods_of_trees() {
    let subject = Subject::new("example-trees").await;
    for name in ["one", "two"] {
        make_pod(&subject, name).await;
    }
    let mut out = Transcript::default();
    dynamic_pods::run(subject.client(), &mut out).await.expect("it works");
    let namespace = &subject.namespace;
    let line = |name: &str| format!("{namespace}/{name} is Pending and has main");
    assert_eq!(out.lines(), [line("one"), line("two")]);
    subject.end().await;
}

#[tokio::test]
async fn discovery_prints_what_there_is_and_keeps_it_in_files() {
    let mut server = Server::start(Storage::InMemory);
    let client = server.client();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("discovery-{}", std::process::id()));
    let mut out = Transcript::default();
    discovery::run(client.clone(), &mut out).await.expect("it works");
    assert!(out.lines()[0].starts_with("The server is v1."), "{:?}", out.lines());
    let verbs = "create delete deletecollection get list patch update watch";
    assert!(out.has(&format!("v1 pods (in namespaces): {verbs}")), "{:?}", out.lines());
    assert!(out.has(&format!("rbac.authorization.k8s.io/v1 clusterroles (of the cluster): {verbs}")));

    let mut out = Transcript::default();
    discovery::find(&client, Some(cache.clone()), &mut out).await.expect("it works");
    let first = out.lines();
    assert_eq!(first[1], "A Deployment is found at apps/v1, Resource=deployments.");
    // Another program finds it in the files, though the server is gone.
    server.stop();
    let mut out = Transcript::default();
    discovery::find(&server.client(), Some(cache.clone()), &mut out).await.expect("it works");
    assert_eq!(out.lines(), first);
    std::fs::remove_dir_all(cache).expect("the cache was there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pod_informer_prints_until_it_is_told_to_stop() {
    let subject = Subject::new("example-shared").await;
    let client = subject.client();
    let pods = client.core_v1().pods(&subject.namespace);
    make_pod(&subject, "early").await;
    let (out, shutdown) = (Transcript::default(), Shutdown::new());
    let work = async {
        out.wait_for("early is there").await;
        make_pod(&subject, "late").await;
        out.wait_for("late is there").await;
        let labelled = rhumb_client::Patch::Merge(json!({"metadata": {"labels": {"colour": "red"}}}));
        let before = pods.get("late").await.expect("it is there").metadata.resource_version;
        let late = pods.patch("late", &labelled, &Default::default()).await.expect("it is changed");
        let now = late.metadata.resource_version;
        out.wait_for(&format!("late went from {before} to {now}")).await;
        let at_once = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
        pods.delete("early", &at_once).await.expect("it goes");
        out.wait_for("early is gone").await;
        shutdown.begin();
    };
    let mut printed = out.clone();
    let (result, ()) = tokio::join!(pod_informer::run(client.clone(), &shutdown, &mut printed), work);
    result.expect("it ends in order");
    assert!(out.lines()[0].ends_with(" pods were there"), "{:?}", out.lines());
    subject.end().await;
}

#[test]
fn by_user_finds_a_pod_under_each_of_its_users() {
    let mut out = Transcript::default();
    by_user::run(&mut out).expect("it works");
    assert_eq!(out.lines(), ["one", "tre", "bert has 2", "elmo has 1", "ernie has 2", "oscar has 1"]);
}

#[tokio::test]
async fn rate_limits_lets_items_come_back_ever_more_slowly() {
    let mut out = Transcript::default();
    rate_limits::run(&mut out).await.expect("it works");
    let lines = out.lines();
    let expect = [
        (0, "at once"),
        (20, "failing"),
        (30, "delayed"),
        (60, "failing"),
        (140, "failing"),
        (300, "failing"),
        (620, "failing"),
    ];
    assert_eq!(lines.len(), expect.len() + 1, "{lines:?}");
    for (line, (at_least, item)) in lines.iter().zip(expect) {
        let (after, what) = line.split_once(' ').expect("two words");
        assert_eq!(what, item, "{lines:?}");
        assert!(after.parse::<u64>().expect("a number") >= at_least, "{lines:?}");
    }
    assert_eq!(lines.last().map(String::as_str), Some("given up after 5 failures"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificate_prints_each_new_certificate() {
    let subject = Subject::new("example-certificate").await;
    let client = subject.client();
    let signer = format!("example.com/{}", subject.namespace);
    let times = TIMES.to_vec();
    let signing = tokio::spawn(sign_all(client.clone(), signer.clone(), Arc::new(Authority::new()), times));
    let (out, shutdown, dir) = (Transcript::default(), Shutdown::new(), directory("example-certificate"));
    let work = async {
        let has_both = async || (out.lines().len() >= 2).then_some(());
        super::transcript::until("there are two certificates", has_both).await;
        shutdown.begin();
    };
    let mut printed = out.clone();
    let running = certificate::run(client.clone(), &signer, dir.clone(), &shutdown, &mut printed);
    let (result, ()) = tokio::join!(running, work);
    result.expect("it ends in order");
    assert_eq!(out.lines(), ["web has a certificate for 21 hours"; 2]);
    assert!(dir.join("web-current.pem").exists());
    signing.abort();
    std::fs::remove_dir_all(dir).expect("it was there");
    let requests = client.certificates_v1().certificate_signing_requests();
    let ours = ListOptions { field_selector: format!("spec.signerName={signer}"), ..Default::default() };
    for request in requests.list(&ours).await.expect("a list") {
        requests.delete(&request.metadata.name, &DeleteOptions::default()).await.expect("it goes");
    }
    subject.end().await;
}
