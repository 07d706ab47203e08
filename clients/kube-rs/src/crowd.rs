//! The pods that every server begins with: lists, reflectors that list, and reflectors that take streaming lists.

use std::collections::BTreeSet;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::api::ListParams;
use kube::runtime::watcher::{self, Event};
use kube::runtime::{reflector, watcher as watch};
use kube::{Api, Client, ResourceExt};

use crate::{Outcome, expect};

/// Which pods arrived; `clients/crowd/fill` tells what they are like. Each may come once, as it was made.
struct Seen {
    size: usize,
    numbers: BTreeSet<String>,
}

impl Seen {
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Seen { size: std::env::var("RHUMB_CROWD")?.parse()?, numbers: BTreeSet::new() })
    }

    fn add(&mut self, pod: &Pod) -> Outcome {
        let number = pod.labels().get("number").cloned().unwrap_or_default();
        let image = pod.spec.as_ref().and_then(|spec| spec.containers.first()?.image.clone());
        expect("name", pod.name_any(), format!("web-7d4b9c6f5d-{number}"))?;
        expect("image", image, Some(format!("registry.example.com/shop/web:1.27.{number}")))?;
        expect("in the crowd", number.parse::<usize>()? < self.size, true)?;
        let name = pod.name_any();
        if self.numbers.insert(number) { Ok(()) } else { Err(format!("{name} came twice").into()) }
    }

    fn all(&self) -> Outcome {
        expect("pods", self.numbers.len(), self.size)
    }
}

fn pods(client: &Client) -> Api<Pod> {
    Api::namespaced(client.clone(), "crowd")
}

/// All at once.
pub(crate) async fn list(client: &Client) -> Outcome {
    let mut seen = Seen::new()?;
    for pod in pods(client).list(&ListParams::default()).await? {
        seen.add(&pod)?;
    }
    seen.all()
}

/// A reflector that lists in pages, as it does by default.
pub(crate) async fn reflector_that_lists(client: &Client) -> Outcome {
    follow(client, watcher::Config::default()).await
}

/// A reflector that takes the first list as a stream.
pub(crate) async fn reflector_that_takes_a_stream(client: &Client) -> Outcome {
    follow(client, watcher::Config::default().streaming_lists()).await
}

async fn follow(client: &Client, config: watcher::Config) -> Outcome {
    let (store, writer) = reflector::store();
    let mut events = reflector(writer, watch(pods(client), config)).boxed();
    let mut told = Seen::new()?;
    while let Some(event) = events.try_next().await? {
        match event {
            Event::Init => {}
            Event::InitApply(pod) => told.add(&pod)?,
            Event::InitDone => break,
            Event::Apply(pod) | Event::Delete(pod) => {
                return Err(format!("{} was never changed", pod.name_any()).into());
            }
        }
    }
    told.all()?;
    let mut stored = Seen::new()?;
    for pod in store.state() {
        stored.add(&pod)?;
    }
    stored.all()
}
