//! Lists of thousands of pods: megabytes that come compressed where the client asks for that, in JSON and in protobuf.
//! Each pod arrives once and as it was made, whichever way it is read.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rhumb_api::core::v1::{Container, EnvVar, Pod, ServiceAccount};
use rhumb_client::config::ContentType;
use rhumb_client::informer::{HandlerFuncs, InitialList, SharedInformer};
use rhumb_client::{Api, Client};
use rhumb_meta::v1::{CreateOptions, ListOptions};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::server::{Server, Storage};
use crate::told::{Told, revision};

const PODS: usize = 5_000;
/// How many make pods at once.
const MAKERS: usize = 8;

fn name(number: usize) -> String {
    format!("web-7d4b9c6f5d-{number:05}")
}

fn image(number: usize) -> String {
    format!("registry.example.com/shop/web:1.{number}")
}

fn pod(number: usize) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.name = name(number);
    pod.metadata.labels.insert("app".to_owned(), "web".to_owned());
    pod.metadata.annotations.insert("prometheus.io/path".to_owned(), "/metrics".to_owned());
    let env = |name: &str, value: &str| EnvVar {
        name: name.to_owned(),
        value: value.to_owned(),
        ..EnvVar::default()
    };
    pod.spec.containers.push(Container {
        name: "web".to_owned(),
        image: image(number),
        args: ["--listen=:8080", "--log-format=json", "--shutdown-grace=20s"].map(str::to_owned).into(),
        env: vec![env("MODE", "production"), env("PLACE", "the quiet shelf at the back of the shop")],
        ..Container::default()
    });
    pod
}

/// Whether these are all pods, each once, in order and as it was made.
fn check<'a>(pods: impl IntoIterator<Item = &'a Pod>, told: &str) {
    let mut count = 0;
    for pod in pods {
        assert_eq!(pod.metadata.name, name(count), "{told}");
        assert_eq!(pod.spec.containers[0].image, image(count), "{told}");
        assert!(!pod.metadata.uid.is_empty(), "{told}");
        count += 1;
    }
    assert_eq!(count, PODS, "{told}");
}

/// A server with the pods.
async fn crowded() -> Server {
    let server = Server::start(Storage::InMemory);
    let client = server.client();
    let accounts = client.resource::<ServiceAccount>().namespace("default");
    // Pods are refused until the account that they run as is there.
    tokio::time::timeout(Duration::from_secs(60), async {
        while accounts.find("default").await.expect("an answer").is_none() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("an account");
    let mut makers = JoinSet::new();
    for maker in 0..MAKERS {
        let pods = client.resource::<Pod>().namespace("default");
        makers.spawn(async move {
            for number in (maker..PODS).step_by(MAKERS) {
                pods.create(&pod(number), &CreateOptions::default()).await.expect("it is made");
            }
        });
    }
    while let Some(made) = makers.join_next().await {
        made.expect("all are made");
    }
    server
}

/// Lists in all ways that the client has.
async fn listed(pods: &Api<Pod>, told: &str) {
    for version in ["", "0"] {
        let options = ListOptions { resource_version: version.to_owned(), ..ListOptions::default() };
        check(&pods.list(&options).await.expect("a list").items, told);
    }
    let options = ListOptions { limit: 700, ..ListOptions::default() };
    let mut pages = pods.pages(&options);
    let (mut all, mut sizes) = (Vec::new(), Vec::new());
    while let Some(page) = pages.next().await {
        let page = page.expect("a page");
        sizes.push(page.items.len());
        all.extend(page.items);
    }
    assert_eq!(sizes, [700, 700, 700, 700, 700, 700, 700, 100], "{told}");
    check(&all, told);
    check(&pods.list_all(&options).await.expect("a list").items, told);
    let metadata = pods.as_metadata().list(&ListOptions::default()).await.expect("a list").items;
    assert!(
        metadata.iter().map(|item| &item.metadata.name).eq(&(0..PODS).map(name).collect::<Vec<_>>()),
        "{told}"
    );
    let trees = pods.as_unstructured().list(&ListOptions::default()).await.expect("a list").items;
    assert_eq!(trees.len(), PODS, "{told}");
}

/// Follows the pods: handlers hear of each once, and the store has them all.
async fn followed(pods: &Api<Pod>, initial: InitialList, told: &str) {
    let informer = SharedInformer::builder(pods.clone()).initial_list(initial).build();
    let heard = Arc::new(AtomicUsize::new(0));
    let added = Arc::clone(&heard);
    let counting = HandlerFuncs::new().on_add(move |_: Arc<Pod>, _| {
        added.fetch_add(1, Ordering::Relaxed);
    });
    let counting = informer.add_handler(counting).expect("not ended");
    let story = Told::new();
    let listening = informer.add_handler(story.clone()).expect("not ended");
    informer.start();
    assert!(informer.synced().await && counting.synced().await && listening.synced().await, "{told}");
    assert_eq!(heard.load(Ordering::Relaxed), PODS, "{told}");
    assert_eq!(story.faults(), [""; 0], "{told}");
    let mut stored = informer.indexer().list();
    stored.sort_by(|one, other| one.metadata.name.cmp(&other.metadata.name));
    check(stored.iter().map(|pod| &**pod), told);
    let listed = pods.list(&ListOptions::default()).await.expect("a list");
    assert_eq!(story.revisions(), listed.items.iter().map(revision).collect(), "{told}");
    informer.shutdown().await;
}

/// What `rhumb get pods` prints with some arguments.
fn printed(server: &Server, arguments: &[&str]) -> String {
    let kubeconfig: PathBuf = server.kubeconfig();
    let output = Command::new(env!("CARGO_BIN_EXE_rhumb"))
        .args(["get", "pods"])
        .args(arguments)
        .env("KUBECONFIG", &kubeconfig)
        .env("HOME", kubeconfig.parent().expect("it is in a directory"))
        .output()
        .expect("the binary starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_pods_arrive_once_and_as_they_were_made() {
    let server = crowded().await;
    for content_type in [ContentType::Json, ContentType::Protobuf] {
        for is_plain in [false, true] {
            let mut config = server.config();
            config.content_type = content_type;
            config.disable_compression = is_plain;
            let pods = Client::new(config).expect("a client").resource::<Pod>().namespace("default");
            let told = format!("{content_type:?}, plain: {is_plain}");
            listed(&pods, &told).await;
            for initial in [InitialList::Stream, InitialList::Pages] {
                followed(&pods, initial, &format!("{told}, {initial:?}")).await;
            }
        }
    }
    for arguments in [&["--chunk-size=0"][..], &[], &["--chunk-size=0", "--disable-compression"]] {
        let list: Value =
            serde_json::from_str(&printed(&server, &[arguments, &["-o", "json"]].concat())).expect("JSON");
        let items = list["items"].as_array().expect("items");
        let is_as_made = |(number, item): (usize, &Value)| {
            item["metadata"]["name"] == name(number)
                && item["spec"]["containers"][0]["image"] == image(number)
        };
        assert_eq!(items.len(), PODS, "{arguments:?}");
        assert!(items.iter().enumerate().all(is_as_made), "{arguments:?}");
        let table = printed(&server, &[arguments, &["--no-headers"]].concat());
        let names = table.lines().map(|line| line.split(' ').next().unwrap_or_default());
        assert!(names.eq((0..PODS).map(name)), "{arguments:?}");
    }
}
