//! Reflectors that follow the server over a restart of it.

use std::fmt::Debug;
use std::hash::Hash;

use futures::StreamExt;
use kube::api::PostParams;
use kube::runtime::reflector::{self, ObjectRef, Store};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::process::Command;
use tokio::task::JoinHandle;

use crate::builtin::{config_map, config_maps};
use crate::custom::{course, courses};
use crate::{NAMESPACE, Outcome, until};

/// One reflector per kind must know what was written after the server was killed, and keep what was there before.
pub(crate) async fn reflectors(client: &Client) -> Outcome {
    let (maps, follow_maps) = follow(config_maps(client));
    let (charts, follow_charts) = follow(courses(client));
    for name in ["before", "after"] {
        if name == "after" {
            restart().await?;
        }
        config_maps(client).create(&PostParams::default(), &config_map(name, json!({}))?).await?;
        courses(client).create(&PostParams::default(), &course(name, 0)).await?;
        until(|| knows(&maps, name) && knows(&charts, name)).await;
    }
    follow_maps.abort();
    follow_charts.abort();
    if knows(&maps, "before") && knows(&charts, "before") {
        Ok(())
    } else {
        Err("a reflector forgot what was there before the restart".into())
    }
}

/// A store that a task keeps up to date, through whatever failures of the server.
fn follow<K>(api: Api<K>) -> (Store<K>, JoinHandle<()>)
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
    K::DynamicType: Hash + Eq,
{
    let (store, writer) = reflector::store();
    let stream = reflector::reflector(writer, watcher(api, watcher::Config::default()).default_backoff());
    let task = tokio::spawn(async move {
        let mut stream = stream.boxed();
        while stream.next().await.is_some() {}
    });
    (store, task)
}

fn knows<K: Resource<DynamicType = ()> + Clone + 'static>(store: &Store<K>, name: &str) -> bool {
    store.get(&ObjectRef::new(name).within(NAMESPACE)).is_some()
}

/// Kills the server and starts it again with the same data on the same port.
async fn restart() -> Outcome {
    let command = std::env::var("RHUMB_RESTART")?;
    let status = Command::new("sh").arg("-c").arg(command).status().await?;
    if status.success() { Ok(()) } else { Err("the server did not come back".into()) }
}
