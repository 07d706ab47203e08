//! Watches: typed, dynamic and by metadata.

use rhumb_api::core::v1::ConfigMap;
use rhumb_client::config::ContentType;
use rhumb_client::{Api, Readable, WatchEvent};
use rhumb_meta::Object;
use rhumb_meta::v1::{CreateOptions, DeleteOptions, ListOptions, UpdateOptions};

use crate::server::Subject;

/// What the events of a watch are about, in short, up to the deletion of `b`.
async fn follow<K: Readable>(api: &Api<K>, options: ListOptions) -> Vec<String> {
    let mut watch = api.watch(&options).await.expect("a watch");
    let mut seen = Vec::new();
    while let Some(event) = watch.next().await {
        let event = event.expect("an event");
        let name = event.object().and_then(Object::metadata).map(|metadata| metadata.name.clone());
        let what = match event {
            WatchEvent::Added(_) => "added",
            WatchEvent::Modified(_) => "modified",
            WatchEvent::Deleted(_) => "deleted",
            WatchEvent::Bookmark { initial_events_end: true, .. } => "that was all",
            WatchEvent::Bookmark { .. } => continue,
            WatchEvent::Error(status) => panic!("{status:?}"),
        };
        seen.push(format!("{what} {}", name.unwrap_or_default()).trim_end().to_owned());
        if seen.last().is_some_and(|last| last == "deleted b") {
            break;
        }
    }
    seen
}

#[tokio::test]
async fn changes_come_in_order_whoever_watches() {
    let subject = Subject::new("watch").await;
    let maps = subject.client().core_v1().config_maps(&subject.namespace);
    let mut map = ConfigMap::default();
    // A real server puts a config map of its own into every namespace; the label tells ours.
    map.metadata.labels.insert("our".to_owned(), "own".to_owned());
    let mut create = async |name: &str| {
        map.metadata.name = name.to_owned();
        maps.create(&map, &CreateOptions::default()).await.expect("it is made")
    };
    let mut first = create("a").await;
    let ours = ListOptions { label_selector: "our=own".to_owned(), ..ListOptions::default() };
    let from = ListOptions { resource_version: first.metadata.resource_version.clone(), ..ours.clone() };
    let all = ListOptions {
        send_initial_events: Some(true),
        resource_version_match: "NotOlderThan".to_owned(),
        allow_watch_bookmarks: true,
        ..ours.clone()
    };
    create("b").await;
    first.data.insert("key".to_owned(), "value".to_owned());
    maps.update(&first, &UpdateOptions::default()).await.expect("it is changed");
    maps.delete("b", &DeleteOptions::default()).await.expect("it goes");

    let expect = ["added b", "modified a", "deleted b"];
    for content_type in [ContentType::Usual, ContentType::Json, ContentType::Protobuf] {
        let maps = subject.client_of(content_type).core_v1().config_maps(&subject.namespace);
        assert_eq!(follow(&maps, from.clone()).await, expect);
        assert_eq!(follow(&maps.as_unstructured(), from.clone()).await, expect);
        assert_eq!(follow(&maps.as_metadata(), from.clone()).await, expect);
    }

    create("b").await;
    let watching = maps.clone();
    let followed = tokio::spawn(async move { follow(&watching, all).await });
    let short = ListOptions { timeout_seconds: Some(1), ..from.clone() };
    let mut watch = maps.watch(&short).await.expect("a watch");
    while let Some(event) = watch.next().await {
        event.expect("it ends in order when its time is over");
    }
    maps.delete("b", &DeleteOptions::default()).await.expect("it goes");
    assert_eq!(followed.await.expect("events"), ["added a", "added b", "that was all", "deleted b"]);
    subject.end().await;
}

#[tokio::test]
async fn a_revision_that_is_none_is_refused() {
    let subject = Subject::new("watch-none").await;
    let maps = subject.client().core_v1().config_maps(&subject.namespace);
    let none = ListOptions { resource_version: "none".to_owned(), ..ListOptions::default() };
    let refused = maps.watch(&none).await.expect_err("it is no revision");
    assert_eq!(refused.code(), Some(500));
    assert!(refused.to_string().starts_with("resourceVersion: Invalid value: \"none\""), "{refused}");
    subject.end().await;
}
