//! The verbs, on config maps and deployments.

use futures::StreamExt;
use futures::TryStreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, from_value, json};

use crate::{NAMESPACE, Outcome, expect, refused};

/// The config maps of the checks.
pub(crate) fn config_maps(client: &Client) -> Api<ConfigMap> {
    Api::namespaced(client.clone(), NAMESPACE)
}

/// A config map, as the checks have them.
pub(crate) fn config_map(name: &str, labels: Value) -> Result<ConfigMap, serde_json::Error> {
    from_value(json!({"metadata": {"name": name, "labels": labels}, "data": {"wind": "north"}}))
}

fn datum<'a>(map: &'a ConfigMap, key: &str) -> Option<&'a str> {
    map.data.as_ref()?.get(key).map(String::as_str)
}

pub(crate) async fn create_and_get(client: &Client) -> Outcome {
    let namespace: Namespace = from_value(json!({"metadata": {"name": NAMESPACE}}))?;
    Api::all(client.clone()).create(&PostParams::default(), &namespace).await?;
    let maps = config_maps(client);
    let mut made = maps.create(&PostParams::default(), &config_map("first", json!({}))?).await?;
    let got = maps.get("first").await?;
    expect("uid", got.uid(), made.uid())?;
    expect("data", datum(&got, "wind"), Some("north"))?;
    let twice = maps.create(&PostParams::default(), &config_map("first", json!({}))?).await;
    refused("created twice", 409, twice)?;
    refused("got what is not there", 404, maps.get("nobody").await)?;
    made.metadata.resource_version = Some("1".to_owned());
    refused("updated an old version", 409, maps.replace("first", &PostParams::default(), &made).await)
}

pub(crate) async fn list_in_pages(client: &Client) -> Outcome {
    let maps = config_maps(client);
    for number in 0..5 {
        let page = config_map(&format!("page-{number}"), json!({"book": "log"}))?;
        maps.create(&PostParams::default(), &page).await?;
    }
    let mut params = ListParams::default().labels("book=log").limit(2);
    let (mut sizes, mut versions) = (Vec::new(), Vec::new());
    loop {
        let page = maps.list(&params).await?;
        sizes.push(page.items.len());
        versions.push(page.metadata.resource_version);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => break,
        }
    }
    versions.dedup();
    expect("sizes of the pages", sizes, vec![2, 2, 1])?;
    expect("revisions of the pages", versions.len(), 1)
}

pub(crate) async fn watch(client: &Client) -> Outcome {
    let maps = config_maps(client);
    let start = maps.list(&ListParams::default()).await?.metadata.resource_version.unwrap_or_default();
    let params = WatchParams::default().fields("metadata.name=watched");
    let mut events = maps.watch(&params, &start).await?.boxed();
    maps.create(&PostParams::default(), &config_map("watched", json!({}))?).await?;
    let south = json!({"data": {"wind": "south"}});
    maps.patch("watched", &PatchParams::default(), &Patch::Merge(south)).await?;
    maps.delete("watched", &DeleteParams::default()).await?;
    let mut seen = Vec::new();
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(_) => seen.push("added"),
            WatchEvent::Modified(_) => seen.push("modified"),
            WatchEvent::Deleted(_) => break,
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(status) => return Err(format!("the watch failed: {status:?}").into()),
        }
    }
    expect("events before the deletion", seen, vec!["added", "modified"])
}

pub(crate) async fn patch_json(client: &Client) -> Outcome {
    let maps = config_maps(client);
    let params = PatchParams::default();
    let patch = Patch::<ConfigMap>::Json(from_value(json!([
        {"op": "test", "path": "/data/wind", "value": "north"},
        {"op": "add", "path": "/data/sea", "value": "calm"},
    ]))?);
    expect("sea", datum(&maps.patch("first", &params, &patch).await?, "sea"), Some("calm"))?;
    let patch = Patch::<ConfigMap>::Json(from_value(json!([{"op": "remove", "path": "/data/nothing"}]))?);
    refused("removed what is not there", 422, maps.patch("first", &params, &patch).await)
}

pub(crate) async fn patch_merge(client: &Client) -> Outcome {
    let patch = Patch::Merge(json!({"data": {"sea": null, "sky": "clear"}}));
    let got = config_maps(client).patch("first", &PatchParams::default(), &patch).await?;
    expect("data", (datum(&got, "sea"), datum(&got, "sky")), (None, Some("clear")))
}

pub(crate) async fn patch_strategic(client: &Client) -> Outcome {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), NAMESPACE);
    let labels = json!({"app": "ship"});
    let containers = json!([{"name": "sail", "image": "sail:1"}]);
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": containers}});
    let spec = json!({"selector": {"matchLabels": labels}, "template": template});
    let deployment: Deployment = from_value(json!({"metadata": {"name": "ship"}, "spec": spec}))?;
    deployments.create(&PostParams::default(), &deployment).await?;
    // Containers are merged by name: one changes, one is new.
    let containers = json!([{"name": "sail", "image": "sail:2"}, {"name": "oar", "image": "oar:1"}]);
    let patch = Patch::Strategic(json!({"spec": {"template": {"spec": {"containers": containers}}}}));
    let got = deployments.patch("ship", &PatchParams::default(), &patch).await?;
    let containers = got.spec.and_then(|spec| spec.template.spec).map(|pod| pod.containers);
    let mut images: Vec<_> = containers.unwrap_or_default().into_iter().filter_map(|one| one.image).collect();
    images.sort();
    expect("images", images, vec!["oar:1".to_owned(), "sail:2".to_owned()])
}

pub(crate) async fn patch_apply(client: &Client) -> Outcome {
    let maps = config_maps(client);
    let apply = |params: PatchParams, wind: &str| {
        let wind = json!({"wind": wind});
        let map =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": wind});
        let maps = maps.clone();
        async move { maps.patch("applied", &params, &Patch::Apply(map)).await }
    };
    apply(PatchParams::apply("helm"), "east").await?;
    refused("took another's field", 409, apply(PatchParams::apply("mate"), "west").await)?;
    let forced = apply(PatchParams::apply("mate").force(), "west").await?;
    expect("wind", datum(&forced, "wind"), Some("west"))?;
    let managers: Vec<_> = forced.managed_fields().iter().filter_map(|entry| entry.manager.clone()).collect();
    expect("managers", managers, vec!["mate".to_owned()])
}

pub(crate) async fn delete_one_and_all(client: &Client) -> Outcome {
    let maps = config_maps(client);
    maps.delete("applied", &DeleteParams::default()).await?;
    refused("got what was deleted", 404, maps.get("applied").await)?;
    let pages = ListParams::default().labels("book=log");
    maps.delete_collection(&DeleteParams::default(), &pages).await?;
    expect("pages left", maps.list(&pages).await?.items.len(), 0)
}
