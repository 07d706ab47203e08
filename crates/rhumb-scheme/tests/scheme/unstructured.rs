//! Objects without a type: reading and writing the tree, metadata, and the way to types and back.

use std::collections::BTreeMap;

use rhumb_meta::{IntOrString, ListMeta, Object, ObjectMeta, Quantity, Time, TypeMeta};
use rhumb_schema::{ByteString, RawJson, Schema};
use rhumb_scheme::{SchemeBuilder, Unstructured, UnstructuredList};
use serde_json::{Value as Json, json};

use crate::toys::{gv, gvk, v1};

fn object(tree: Json) -> Unstructured {
    Unstructured::new(tree).expect("an object")
}

#[test]
fn only_objects_are_objects() {
    for tree in [json!(null), json!([]), json!("x"), json!(1)] {
        assert_eq!(Unstructured::new(tree), None);
    }
}

#[test]
fn values_are_read_and_written_by_path() {
    let mut object = object(json!({"spec": {"replicas": 1, "none": null, "list": [1]}}));
    assert_eq!(object.get(&["spec", "replicas"]), Some(&json!(1)));
    assert_eq!(object.get(&["spec", "replicas", "deeper"]), None);
    assert_eq!(object.get(&["spec", "list", "0"]), None);
    assert_eq!(object.get(&[]), Some(object.tree()));

    assert!(object.set(&["spec", "replicas"], json!(2)));
    assert!(object.set(&["spec", "none", "now"], json!("there")));
    assert!(object.set(&["status", "phase"], json!("Ready")));
    let before = object.clone();
    assert!(!object.set(&["spec", "list", "0"], json!(7)));
    assert!(!object.set(&["spec", "replicas", "deeper"], json!(7)));
    assert!(!object.set(&[], json!({})));
    assert_eq!(object, before);
    assert_eq!(
        object.into_tree(),
        json!({"spec": {"replicas": 2, "none": {"now": "there"}, "list": [1]}, "status": {"phase": "Ready"}})
    );
}

#[test]
fn the_label_is_two_keys_of_the_tree() {
    let mut object = object(json!({"kind": 7}));
    assert_eq!(object.type_meta(), ("", ""));
    object.set_type_meta("a/v1", "Foo");
    assert_eq!(object.tree(), &json!({"apiVersion": "a/v1", "kind": "Foo"}));
    object.set_type_meta("", "");
    assert_eq!(object.tree(), &json!({}));
}

#[test]
fn edits_of_metadata_keep_what_they_do_not_touch() {
    let mut object = object(json!({
        "kind": "Foo",
        "metadata": {
            "name": "n",
            "unknown": {"a": [1]},
            "ownerReferences": [{"name": "o", "uid": "u", "apiVersion": "v1", "kind": "K", "unknown": true}],
            "labels": {"a": "b"},
        },
    }));
    assert!(object.edit_metadata(&mut |metadata| {
        metadata.labels.clear();
        metadata.annotations.insert("k".into(), "v".into());
        metadata.resource_version = "5".into();
    }));
    assert_eq!(
        object.into_tree(),
        json!({
            "kind": "Foo",
            "metadata": {
                "name": "n",
                "unknown": {"a": [1]},
                "ownerReferences": [{"name": "o", "uid": "u", "apiVersion": "v1", "kind": "K", "unknown": true}],
                "annotations": {"k": "v"},
                "resourceVersion": "5",
            },
        })
    );
}

#[test]
fn metadata_of_the_wrong_type_hides_nothing_else_and_is_not_lost() {
    let tree = json!({"metadata": {"annotations": {"a": 1}, "labels": "x", "name": "n", "uid": "u"}});
    let mut object = object(tree.clone());
    let metadata = object.metadata().expect("has metadata").into_owned();
    assert_eq!((metadata.name.as_str(), metadata.uid.as_str()), ("n", "u"));
    assert!(metadata.labels.is_empty() && metadata.annotations.is_empty());
    object.edit_metadata(&mut |_| {});
    assert_eq!(object.tree(), &tree);
    object.edit_metadata(&mut |metadata| metadata.name = "m".into());
    assert_eq!(object.get(&["metadata", "labels"]), Some(&json!("x")));
    assert_eq!(object.get(&["metadata", "name"]), Some(&json!("m")));
}

#[test]
fn metadata_comes_into_being_with_the_first_edit() {
    let mut object = object(json!({}));
    assert_eq!(object.metadata().map(|metadata| metadata.name.clone()).as_deref(), Some(""));
    object.edit_metadata(&mut |metadata| metadata.name = "n".into());
    assert_eq!(object.get(&["metadata", "name"]), Some(&json!("n")));
}

/// A field of every shape there is.
#[derive(Clone, Default, Schema, Object)]
struct Everything {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    metadata: ObjectMeta,
    #[field(2)]
    truth: Option<bool>,
    #[field(3)]
    small: i32,
    #[field(4)]
    large: Option<i64>,
    #[field(5)]
    real: f64,
    #[field(6)]
    text: Option<String>,
    #[field(7)]
    bytes: ByteString,
    #[field(8)]
    list: Vec<String>,
    #[field(9)]
    map: BTreeMap<String, ByteString>,
    #[field(10)]
    nested: Option<Box<Nested>>,
    #[field(11)]
    quantities: BTreeMap<String, Quantity>,
    #[field(12)]
    port: Option<IntOrString>,
    #[field(13)]
    time: Option<Time>,
    #[field(14)]
    raw: Option<RawJson>,
    #[field(0, inline)]
    inlined: Nested,
}

#[derive(Clone, Default, Schema)]
struct Nested {
    #[field(1)]
    children: Vec<Nested>,
    #[field(2, required)]
    leaf: String,
}

#[test]
fn typed_objects_become_trees_and_come_back_without_loss() {
    let tree = json!({
        "apiVersion": "toys.example/v1",
        "kind": "Everything",
        "metadata": {"name": "n", "creationTimestamp": "2026-01-02T03:04:05Z", "labels": {"a": "b"}},
        "truth": false,
        "small": -2147483648,
        "large": 9223372036854775807_i64,
        "real": 0.1,
        "text": "",
        "bytes": "AP8=",
        "list": ["", "x"],
        "map": {"k": "aGk="},
        "nested": {"children": [{"leaf": "l"}], "leaf": ""},
        "quantities": {"cpu": "100m"},
        "port": "http",
        "time": "2026-01-02T03:04:05Z",
        "raw": {"any": [1, null, "x"]},
        "children": [{"leaf": "deep"}],
        "leaf": "inlined",
    });
    let mut builder = SchemeBuilder::new("everything");
    builder.register::<Everything>(&gv("v1")).expect("registers");
    let scheme = builder.freeze().expect("freezes");
    let typed = scheme.typed(&object(tree.clone())).expect("fits");
    let everything = typed.downcast_ref::<Everything>().expect("the type of its kind");
    assert_eq!(
        (everything.truth, everything.small, everything.large),
        (Some(false), i32::MIN, Some(i64::MAX))
    );
    assert_eq!(everything.inlined.leaf, "inlined");
    assert_eq!(Unstructured::from_object(&*typed).into_tree(), tree);

    let again = scheme.typed(&Unstructured::from_object(&*typed)).expect("fits");
    assert!(again.equals(&*typed));
    assert_eq!(scheme.object_kind(&*again), Ok(gvk("v1", "Everything")));
}

#[test]
fn lists_take_typed_and_untyped_objects() {
    let mut list = UnstructuredList::default();
    list.set_type_meta("v1", "List");
    let mut widget = v1::Widget::default();
    widget.metadata.name = "typed".into();
    list.push_item(Box::new(widget)).expect("takes anything");
    list.push_item(Box::new(object(json!({"kind": "Foo"})))).expect("takes anything");
    assert!(list.edit_list_metadata(&mut |metadata: &mut ListMeta| metadata.resource_version = "7".into()));
    assert_eq!(list.list_metadata().map(|metadata| metadata.resource_version.clone()).as_deref(), Some("7"));
    assert!((&list as &dyn Object).is_list());

    let tree = Unstructured::from_object(&list).into_tree();
    assert_eq!(tree["items"][0]["metadata"]["name"], json!("typed"));
    assert_eq!(tree["items"][1], json!({"kind": "Foo"}));
    assert_eq!((&tree["apiVersion"], &tree["kind"]), (&json!("v1"), &json!("List")));
    let mut again = UnstructuredList::default();
    object(tree).fill(&mut again).expect("fits");
    assert!(again.equals(&list));

    let items = list.take_items().expect("is a list");
    assert_eq!(items.len(), 2);
    assert!(list.items.is_empty());
}
