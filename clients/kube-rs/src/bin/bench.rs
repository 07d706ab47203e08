//! The side of `kube` in `cargo xtask bench client`: does what it is told, a word a line, and answers with a
//! line.
//!
//! It is the default of everything: the store and watcher of `kube::runtime`, typed pods, the system's
//! allocator.

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::api::ListParams;
use kube::runtime::reflector::{self, ObjectRef, Store};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};
use tokio::time::sleep;

/// Where the pods are.
const NAMESPACE: &str = "bench";
/// The label that changes.
const LABEL: &str = "round";

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let client = runtime.block_on(Client::try_default())?;
    let pods: Api<Pod> = Api::all(client);
    let (store, writer) = reflector::store::<Pod>();
    let mut writer = Some(writer);
    let mut list = Vec::new();
    for line in stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let count = match words.as_slice() {
            ["list"] => {
                list = runtime.block_on(pods.list(&ListParams::default()))?.items;
                list.len()
            }
            ["drop"] => {
                drop(std::mem::take(&mut list));
                0
            }
            ["follow"] => {
                let writer = writer.take().ok_or("it follows already")?;
                let events = watcher(pods.clone(), watcher::Config::default()).default_backoff();
                let events = reflector::reflector(writer, events);
                runtime.spawn(async move {
                    let mut events = events.boxed();
                    while events.next().await.is_some() {}
                });
                runtime.block_on(store.wait_until_ready())?;
                store.state().len()
            }
            ["await", name, value] => runtime.block_on(changed(&store, name, value)),
            ["count", value] => store.state().iter().filter(|pod| has(pod, value)).count(),
            _ => return Err(format!("what is {line:?}?").into()),
        };
        writeln!(stdout(), "{count}")?;
    }
    Ok(())
}

/// Waits until a change of a pod has arrived.
async fn changed(store: &Store<Pod>, name: &str, value: &str) -> usize {
    let pod = ObjectRef::new(name).within(NAMESPACE);
    while !store.get(&pod).is_some_and(|pod| has(&pod, value)) {
        sleep(Duration::from_millis(5)).await;
    }
    1
}

fn has(pod: &Pod, value: &str) -> bool {
    pod.labels().get(LABEL).is_some_and(|label| label == value)
}
