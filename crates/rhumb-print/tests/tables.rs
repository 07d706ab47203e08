//! What a table has beside its cells: headers, objects, the metadata of lists, and the order of rows.

use rhumb_api::core::v1::{Pod, PodList};
use rhumb_api::flowcontrol::v1::{FlowSchema, FlowSchemaList};
use rhumb_meta::v1::Status;
use rhumb_meta::{GroupKind, Object, Time};
use rhumb_print::{Headers, IncludeObject, Options, columns, table};
use rhumb_scheme::{Scheme, Unstructured};
use serde_json::{Value as Json, json};

fn scheme() -> Scheme {
    rhumb_api::scheme().expect("the scheme")
}

fn now() -> Time {
    Time::parse("2024-01-02T00:00:00Z").expect("a time")
}

fn made(object: &dyn Object, options: &Options) -> Json {
    let table = table(&scheme(), object, options, now()).expect("a table");
    Unstructured::from_object(&table).into_tree()
}

fn pod(name: &str) -> Pod {
    let mut pod = Pod::default();
    pod.set_type_meta("v1", "Pod");
    pod.metadata.name = name.to_owned();
    pod.metadata.resource_version = "7".to_owned();
    pod.metadata.creation_timestamp = Time::parse("2024-01-01T20:58:57Z").expect("a time");
    pod
}

#[test]
fn a_table_without_rows_has_an_empty_list_of_them() {
    assert_eq!(made(&PodList::default(), &Options::default())["rows"], json!([]));
}

#[test]
fn an_object_has_one_row_and_its_revision() {
    let table = made(&pod("a"), &Options::default());
    assert_eq!(table["kind"], "Table");
    assert_eq!(table["apiVersion"], "meta.k8s.io/v1");
    assert_eq!(table["metadata"], json!({"resourceVersion": "7"}));
    assert_eq!(table["columnDefinitions"].as_array().map(Vec::len), Some(9));
    assert_eq!(table["rows"].as_array().map(Vec::len), Some(1));
    let row = &table["rows"][0];
    assert_eq!(row["cells"][0], "a");
    assert_eq!(row["cells"][4], "3h1m");
    assert_eq!(row["object"]["kind"], "PartialObjectMetadata");
    assert_eq!(row["object"]["metadata"]["name"], "a");
}

#[test]
fn a_list_has_a_row_for_each_and_its_own_metadata() {
    let mut list = PodList { items: vec![pod("b"), pod("a")], ..Default::default() };
    list.set_type_meta("v1", "PodList");
    list.metadata.resource_version = "9".to_owned();
    list.metadata.continue_ = "more".to_owned();
    list.metadata.remaining_item_count = Some(3);
    let options = Options { headers: Headers::Omitted, include_object: IncludeObject::Object };
    let table = made(&list, &options);
    assert_eq!(
        table["metadata"],
        json!({"resourceVersion": "9", "continue": "more", "remainingItemCount": 3})
    );
    assert!(table["columnDefinitions"].is_null());
    assert_eq!(table["rows"][0]["cells"][0], "b");
    assert_eq!(table["rows"][1]["cells"][0], "a");
    assert_eq!(table["rows"][1]["object"]["kind"], "Pod");
    assert_eq!(table["rows"][1]["object"]["spec"]["containers"], Json::Null);
}

#[test]
fn an_empty_list_has_the_columns_of_its_kind() {
    let mut list = PodList::default();
    list.set_type_meta("v1", "PodList");
    let table = made(&list, &Options::default());
    assert_eq!(table["columnDefinitions"][2]["name"], "Status");
    assert_eq!(columns(&scheme(), &GroupKind::new("", "Pod")).len(), 9);
    assert_eq!(columns(&scheme(), &GroupKind::new("example.com", "Thing")).len(), 2);
}

#[test]
fn flow_schemas_come_in_the_order_they_match_in() {
    let schema = |name: &str, precedence: i32| {
        let mut schema = FlowSchema::default();
        schema.metadata.name = name.to_owned();
        schema.spec.matching_precedence = precedence;
        schema
    };
    let list = FlowSchemaList {
        items: vec![schema("a", 900), schema("c", 100), schema("b", 100)],
        ..Default::default()
    };
    let table = made(&list, &Options::default());
    let names: Vec<&Json> =
        table["rows"].as_array().expect("rows").iter().map(|row| &row["cells"][0]).collect();
    assert_eq!(names, ["b", "c", "a"]);
}

#[test]
fn a_status_is_printed_as_it_is() {
    let mut status = Status { status: "Failure".to_owned(), message: "m".to_owned(), ..Default::default() };
    status.set_type_meta("v1", "Status");
    let table = made(&status, &Options { include_object: IncludeObject::None, ..Default::default() });
    assert_eq!(table["rows"][0]["cells"], json!(["Failure", "", "m"]));
}

#[test]
fn a_pod_that_goes_away_and_one_that_is_done() {
    let mut going = pod("going");
    going.metadata.deletion_timestamp = Some(now());
    going.status.phase = "Running".to_owned();
    assert_eq!(made(&going, &Options::default())["rows"][0]["cells"][2], "Terminating");
    going.status.reason = "NodeLost".to_owned();
    assert_eq!(made(&going, &Options::default())["rows"][0]["cells"][2], "Unknown");

    let mut done = pod("done");
    done.metadata.deletion_timestamp = Some(now());
    done.status.phase = "Succeeded".to_owned();
    let table = made(&done, &Options::default());
    assert_eq!(table["rows"][0]["cells"][2], "Succeeded");
    assert_eq!(table["rows"][0]["conditions"][0]["reason"], "Succeeded");
}

#[test]
fn what_no_one_knows_has_a_name_and_a_time() {
    let thing = json!({
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": "a", "creationTimestamp": "2020-01-01T00:00:00Z"},
    });
    let thing = Unstructured::new(thing).expect("an object");
    let table = made(&thing, &Options::default());
    assert_eq!(table["rows"][0]["cells"], json!(["a", "2020-01-01T00:00:00Z"]));
    assert_eq!(table["columnDefinitions"][1]["type"], "date");
}
