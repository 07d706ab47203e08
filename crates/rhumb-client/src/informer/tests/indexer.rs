//! The store and its indexes.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_meta::labels::Selector;
use rhumb_scheme::Unstructured;
use serde_json::json;

use super::{Indexer, Lister, NAMESPACE_INDEX, ObjectKey, Thing, labels, thing};

fn with_labels(namespace: &str, name: &str, revision: u64, text: &[(&str, &str)]) -> Thing {
    let mut thing = thing(namespace, name, revision);
    thing.metadata.labels = text.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    thing
}

fn put(indexer: &Indexer<Thing>, thing: Thing) {
    indexer.insert(ObjectKey::of(&thing).unwrap(), Arc::new(thing));
}

fn by_colour(thing: &Thing) -> Vec<String> {
    let colours = thing.metadata.labels.get("colours").map(String::as_str).unwrap_or_default();
    colours.split('-').filter(|colour| !colour.is_empty()).map(str::to_owned).collect()
}

#[test]
fn an_index_follows_every_change() {
    let indexer = Indexer::new();
    indexer.add_index("colour", by_colour).unwrap();
    put(&indexer, with_labels("x", "a", 1, &[("colours", "red-blue")]));
    put(&indexer, with_labels("x", "b", 2, &[("colours", "red-red")]));
    assert_eq!(labels(&indexer.by_index("colour", "red").unwrap()), ["a@1", "b@2"]);
    assert_eq!(indexer.index_keys("colour", "blue").unwrap(), [ObjectKey::new("x", "a")]);
    put(&indexer, with_labels("x", "a", 3, &[("colours", "green")]));
    assert_eq!(labels(&indexer.by_index("colour", "red").unwrap()), ["b@2"]);
    assert_eq!(labels(&indexer.by_index("colour", "blue").unwrap()), [""; 0]);
    assert_eq!(indexer.list_index_func_values("colour").unwrap(), ["green", "red"]);
    indexer.remove(&ObjectKey::new("x", "b"));
    assert_eq!(indexer.list_index_func_values("colour").unwrap(), ["green"]);
    let like = with_labels("y", "other", 9, &[("colours", "green-red")]);
    assert_eq!(labels(&indexer.index("colour", &like).unwrap()), ["a@3"]);
}

#[test]
fn an_index_that_comes_late_has_what_is_there() {
    let indexer = Indexer::new();
    put(&indexer, with_labels("x", "a", 1, &[("colours", "red")]));
    assert!(indexer.by_index("colour", "red").is_err());
    indexer.add_index("colour", by_colour).unwrap();
    assert_eq!(labels(&indexer.by_index("colour", "red").unwrap()), ["a@1"]);
    assert!(indexer.add_index("colour", by_colour).is_err());
    assert!(indexer.add_index(NAMESPACE_INDEX, by_colour).is_err());
    indexer.replace([(ObjectKey::new("x", "c"), Arc::new(with_labels("x", "c", 4, &[("colours", "red")])))]);
    assert_eq!(labels(&indexer.by_index("colour", "red").unwrap()), ["c@4"]);
    assert_eq!(indexer.index_names(), ["colour", NAMESPACE_INDEX]);
}

#[test]
fn the_namespace_index_knows_neighbours_apart() {
    let indexer = Indexer::new();
    for (namespace, name) in
        [("a", "1"), ("a-b", "2"), ("a.b", "3"), ("a0", "4"), ("", "a"), ("", "z"), ("a", "5")]
    {
        put(&indexer, thing(namespace, name, 1));
    }
    assert_eq!(labels(&indexer.by_index(NAMESPACE_INDEX, "a").unwrap()), ["1@1", "5@1"]);
    assert_eq!(labels(&indexer.by_index(NAMESPACE_INDEX, "a-b").unwrap()), ["2@1"]);
    assert_eq!(labels(&indexer.by_index(NAMESPACE_INDEX, "").unwrap()), ["a@1", "z@1"]);
    assert_eq!(labels(&indexer.by_index(NAMESPACE_INDEX, "b").unwrap()), [""; 0]);
    assert_eq!(indexer.list_index_func_values(NAMESPACE_INDEX).unwrap(), ["", "a", "a-b", "a.b", "a0"]);
    assert_eq!(labels(&indexer.index(NAMESPACE_INDEX, &thing("a0", "x", 1)).unwrap()), ["4@1"]);
}

#[test]
fn random_changes_leave_every_index_as_if_made_anew() {
    let seed = fastrand::u64(..);
    let mut chance = fastrand::Rng::with_seed(seed);
    let indexer = Indexer::new();
    indexer.add_index("colour", by_colour).unwrap();
    let mut expected: BTreeMap<ObjectKey, Thing> = BTreeMap::new();
    for revision in 0..2000 {
        let (namespace, name) = (format!("n{}", chance.u8(0..3)), format!("o{}", chance.u8(0..12)));
        let key = ObjectKey::new(&namespace, &name);
        if chance.u8(0..3) == 0 {
            assert_eq!(indexer.remove(&key).is_some(), expected.remove(&key).is_some(), "seed {seed}");
        } else {
            let colours = ["", "red", "red-blue", "blue-green-red"][chance.usize(0..4)];
            let thing = with_labels(&namespace, &name, revision, &[("colours", colours)]);
            expected.insert(key, thing.clone());
            put(&indexer, thing);
        }
        for colour in ["red", "blue", "green"] {
            let keys: Vec<ObjectKey> = expected
                .iter()
                .filter(|(_, thing)| by_colour(thing).iter().any(|c| c == colour))
                .map(|(key, _)| key.clone())
                .collect();
            assert_eq!(indexer.index_keys("colour", colour).unwrap(), keys, "seed {seed}");
        }
    }
    assert_eq!(indexer.keys(), expected.into_keys().collect::<Vec<_>>(), "seed {seed}");
}

#[test]
fn listers_select_by_labels_and_namespace() {
    let indexer = Arc::new(Indexer::new());
    put(&indexer, with_labels("x", "a", 1, &[("app", "web")]));
    put(&indexer, with_labels("x", "b", 2, &[("app", "db")]));
    put(&indexer, with_labels("y", "a", 3, &[("app", "web")]));
    let lister = Lister::new(indexer.clone());
    let web = Selector::parse("app=web").unwrap();
    assert_eq!(labels(&lister.list(&web)), ["a@1", "a@3"]);
    assert_eq!(lister.list(&Selector::default()).len(), 3);
    assert_eq!(labels(&lister.namespace("x").list(&web)), ["a@1"]);
    assert_eq!(lister.namespace("x").get("b").unwrap().metadata.resource_version, "2");
    assert!(lister.namespace("y").get("b").is_none());
    assert!(lister.get("a").is_none());
}

#[test]
fn trees_have_keys_and_labels_without_their_metadata_being_built() {
    let metadata = json!({"name": "n", "namespace": "s", "resourceVersion": "7", "labels": {"app": "web"}});
    let object = Unstructured::new(json!({ "metadata": metadata })).unwrap();
    assert_eq!(ObjectKey::of(&object), Some(ObjectKey::new("s", "n")));
    assert!(ObjectKey::of(&Unstructured::new(json!({"metadata": {"name": 3}})).unwrap()).is_none());
    let indexer = Arc::new(Indexer::new());
    indexer.insert(ObjectKey::new("s", "n"), Arc::new(object));
    let lister = Lister::new(indexer);
    assert_eq!(lister.list(&Selector::parse("app in (web),!other").unwrap()).len(), 1);
    assert_eq!(lister.list(&Selector::parse("app!=web").unwrap()).len(), 0);
}

#[test]
fn a_key_function_of_ones_own_decides_what_is_the_same() {
    let by_serial = |thing: &Thing| ObjectKey::from_text(&thing.metadata.labels["serial"]);
    let indexer = Indexer::with_key_func(by_serial);
    indexer.add_index("colour", by_colour).unwrap();
    let part = |namespace, name, revision, serial, colours| {
        with_labels(namespace, name, revision, &[("serial", serial), ("colours", colours)])
    };
    assert!(indexer.add(part("x", "a", 1, "7/1", "red-blue")).is_none());
    assert!(indexer.add(part("y", "a", 2, "7/2", "red")).is_none());
    // Another name with a known serial number is the same part.
    assert_eq!(
        indexer.add(part("y", "b", 3, "7/1", "green")).map(|old| super::label(&old)),
        Some("a@1".into())
    );
    assert_eq!(indexer.len(), 2);
    assert_eq!(indexer.key_of(&part("z", "z", 9, "7/1", "")), ObjectKey::from_text("7/1"));
    assert_eq!(super::label(&indexer.get_by_text("7/1").unwrap()), "b@3");
    assert!(indexer.get_by_text("y/b").is_none());
    assert_eq!(labels(&indexer.by_index("colour", "red").unwrap()), ["a@2"]);
    assert_eq!(labels(&indexer.by_index("colour", "green").unwrap()), ["b@3"]);
    // Namespaces are found though keys don't have them.
    assert_eq!(labels(&indexer.by_index(NAMESPACE_INDEX, "y").unwrap()), ["b@3", "a@2"]);
    assert_eq!(indexer.list_index_func_values(NAMESPACE_INDEX).unwrap(), ["y"]);
    assert_eq!(indexer.index_names(), ["colour", NAMESPACE_INDEX]);
    assert!(indexer.add_index(NAMESPACE_INDEX, by_colour).is_err());
    assert_eq!(
        indexer.delete(&part("q", "q", 9, "7/2", "")).map(|old| super::label(&old)),
        Some("a@2".into())
    );
    assert_eq!(indexer.index_keys("colour", "red").unwrap(), []);
    assert_eq!(indexer.keys(), [ObjectKey::from_text("7/1")]);
}

#[test]
fn an_indexer_without_a_key_function_adds_by_namespace_and_name() {
    let indexer = Indexer::new();
    indexer.add(thing("x", "a", 1));
    indexer.add(Arc::new(thing("", "node", 2)));
    assert_eq!(indexer.keys(), [ObjectKey::new("", "node"), ObjectKey::new("x", "a")]);
    assert!(indexer.delete(&thing("x", "a", 9)).is_some());
    assert!(indexer.delete(&thing("x", "a", 9)).is_none());
}
