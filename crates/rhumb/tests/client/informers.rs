//! Informers against a running server: typed, as trees, and of metadata only.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rhumb_api::core::v1::ConfigMap;
use rhumb_client::Api;
use rhumb_client::informer::{
    Event, HandlerFuncs, InitialList, NAMESPACE_INDEX, SharedInformer, SharedInformerFactory,
};
use rhumb_meta::GroupVersionResource;
use rhumb_meta::labels::Selector;
use rhumb_meta::v1::{CreateOptions, DeleteOptions, ListOptions, UpdateOptions};
use tokio::time::Instant;

use crate::server::Subject;
use crate::told::{Told, revision};

fn map(name: &str, colour: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = name.to_owned();
    map.metadata.labels.insert("colour".to_owned(), colour.to_owned());
    map.metadata.annotations.insert("owner".to_owned(), format!("{colour}-team"));
    map
}

async fn create(maps: &Api<ConfigMap>, map: &ConfigMap) -> ConfigMap {
    maps.create(map, &CreateOptions::default()).await.expect("created")
}

/// Waits for a condition.
async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_handlers_an_index_and_a_lister() {
    let subject = Subject::new("informers").await;
    let namespace = subject.namespace.clone();
    let client = subject.client();
    let maps = client.resource::<ConfigMap>().namespace(&namespace);
    create(&maps, &map("one", "red")).await;
    create(&maps, &map("two", "blue")).await;
    let coloured = ListOptions { label_selector: "colour".to_owned(), ..ListOptions::default() };
    for initial in [InitialList::Stream, InitialList::Pages] {
        let by_owner = |map: &ConfigMap| map.metadata.annotations.get("owner").cloned().into_iter().collect();
        let informer = SharedInformer::builder(maps.clone())
            .initial_list(initial)
            .select(&coloured)
            .index("owner", by_owner)
            .expect("a new name")
            .build();
        let seen: Arc<Mutex<BTreeMap<&str, u32>>> = Arc::default();
        let count = |what: &'static str| {
            let seen = seen.clone();
            move || *seen.lock().expect("no handler panics").entry(what).or_default() += 1
        };
        let (added, updated, deleted) = (count("added"), count("updated"), count("deleted"));
        let handler = HandlerFuncs::new()
            .on_add(move |_: Arc<ConfigMap>, _| added())
            .on_update(move |_, _| updated())
            .on_delete(move |_| deleted());
        let first = informer.add_handler(handler).expect("not ended");
        let told = Told::new();
        informer.add_handler(told.clone()).expect("not ended");
        informer.start();
        assert!(informer.synced().await);
        assert!(first.synced().await);
        assert_eq!(informer.indexer().len(), 2);
        let changed = create(&maps, &map("three", "red")).await;
        let mut changed = ConfigMap { data: [("a".to_owned(), "b".to_owned())].into(), ..changed };
        changed.metadata.annotations.insert("owner".to_owned(), "blue-team".to_owned());
        maps.update(&changed, &UpdateOptions::default()).await.expect("updated");
        let owned = |team: &str| {
            let owned = informer.indexer().by_index("owner", team).expect("the index");
            owned.iter().map(|map| map.metadata.name.clone()).collect::<Vec<_>>()
        };
        until("three belongs to blue", || owned("blue-team") == ["three", "two"]).await;
        assert_eq!(owned("red-team"), ["one"]);
        let lister = informer.lister();
        let red = Selector::parse("colour=red").expect("a selector");
        assert_eq!(lister.namespace(&namespace).list(&red).len(), 2);
        assert_eq!(lister.namespace(&namespace).get("three").expect("it is there").data["a"], "b");
        assert_eq!(informer.indexer().by_index(NAMESPACE_INDEX, &namespace).expect("the index").len(), 3);
        maps.delete("three", &DeleteOptions::default()).await.expect("deleted");
        until("three is gone", || lister.namespace(&namespace).get("three").is_none()).await;
        let late = Told::new();
        let registration = informer.add_handler(late.clone()).expect("not ended");
        assert!(registration.synced().await);
        let listed = maps.list(&coloured).await.expect("a list");
        let expected: BTreeMap<_, _> = listed.items.iter().map(revision).collect();
        assert_eq!(late.revisions(), expected);
        until("all handlers are up to date", || told.revisions() == expected).await;
        assert_eq!(told.faults(), [""; 0]);
        until("everything was counted", || {
            let seen = seen.lock().expect("no handler panics");
            seen.get("added") == Some(&3)
                && seen.get("updated") == Some(&1)
                && seen.get("deleted") == Some(&1)
        })
        .await;
        informer.shutdown().await;
    }
    subject.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trees_and_metadata_are_followed_in_the_same_way() {
    let subject = Subject::new("dynamic-informers").await;
    let namespace = subject.namespace.clone();
    let client = subject.client();
    let maps = client.resource::<ConfigMap>().namespace(&namespace);
    create(&maps, &map("one", "red")).await;
    let gvr = GroupVersionResource::new("", "v1", "configmaps");
    let factory = SharedInformerFactory::new(None);
    let options = ListOptions { label_selector: "colour=red".to_owned(), ..ListOptions::default() };
    let trees = factory.of(&client.dynamic(&gvr).namespace(&namespace), &options);
    let metadata = factory.of(&client.metadata(&gvr).namespace(&namespace), &options);
    let again = factory.of(&client.metadata(&gvr).namespace(&namespace), &options);
    assert!(Arc::ptr_eq(metadata.indexer(), again.indexer()));
    let mut events = metadata.events().expect("not ended");
    factory.start();
    assert_eq!(factory.wait_for_sync().await, Ok(()));
    let in_trees = || trees.indexer().list().iter().map(|tree| revision(&**tree)).collect::<Vec<_>>();
    let in_metadata =
        || metadata.indexer().list().iter().map(|object| revision(&**object)).collect::<Vec<_>>();
    assert_eq!(in_trees(), in_metadata());
    assert_eq!(in_trees().len(), 1);
    assert!(matches!(events.next().await, Some(Event::Added { is_in_initial_list: true, .. })));
    // An object that no longer matches is gone as far as this informer is concerned.
    let mut one = maps.get("one").await.expect("it is there");
    one.metadata.labels.insert("colour".to_owned(), "blue".to_owned());
    maps.update(&one, &UpdateOptions::default()).await.expect("updated");
    assert!(matches!(events.next().await, Some(Event::Deleted(_))));
    until("both are empty", || in_trees().is_empty() && in_metadata().is_empty()).await;
    factory.shutdown().await;
    assert!(events.next().await.is_none());
    subject.end().await;
}
