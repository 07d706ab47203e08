//! Our side of `cargo xtask bench client`: does what it is told, a word a line, and answers with a line.
//!
//! It has the system's allocator, as the sides of others have: a library doesn't choose one.

#![allow(clippy::print_stdout, reason = "it answers on its output")]

use std::error::Error;
use std::io::{BufRead, stdin};
use std::time::Duration;

use rhumb_api::core::v1::Pod;
use rhumb_client::config::{Config, ContentType};
use rhumb_client::informer::{Indexer, ObjectKey, SharedInformer};
use rhumb_client::{Api, Client};
use rhumb_meta::v1::ListOptions;

/// Namespace of the pods.
const NAMESPACE: &str = "bench";
/// Label that changes.
const LABEL: &str = "round";

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut config = Config::infer()?;
    // Protobuf is what it reads if nobody says anything.
    if std::env::args().nth(1).is_some_and(|format| format == "json") {
        config.content_type = ContentType::Json;
    }
    // kube doesn't ask for compressed answers, and between processes of one machine they only cost time.
    config.disable_compression = true;
    let pods: Api<Pod> = Client::new(config)?.resource();
    let informer = SharedInformer::builder(pods.clone()).build();
    let mut list = Vec::new();
    for line in stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let count = match words.as_slice() {
            ["list"] => {
                list = runtime.block_on(pods.list(&ListOptions::default()))?.items;
                list.len()
            }
            ["drop"] => {
                drop(std::mem::take(&mut list));
                0
            }
            ["follow"] => {
                runtime.block_on(async {
                    informer.start();
                    informer.synced().await
                });
                informer.indexer().len()
            }
            ["await", name, value] => runtime.block_on(changed(informer.indexer(), name, value)),
            ["count", value] => informer.indexer().list().iter().filter(|pod| has(pod, value)).count(),
            _ => return Err(format!("what is {line:?}?").into()),
        };
        println!("{count}");
    }
    Ok(())
}

/// Waits until a change of a pod has arrived.
async fn changed(store: &Indexer<Pod>, name: &str, value: &str) -> usize {
    let pod = ObjectKey::new(NAMESPACE, name);
    while !store.get(&pod).is_some_and(|pod| has(&pod, value)) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    1
}

fn has(pod: &Pod, value: &str) -> bool {
    pod.metadata.labels.get(LABEL).is_some_and(|label| label == value)
}
